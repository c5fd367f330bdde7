"""Build src/ventris/datasets/book_counts/<language>.npz: letter n-grams of books, beside those of packages.

    python tools/build_book_statistics.py en books.txt.gz --source "where the books are from"
    python tools/build_book_statistics.py la latin.txt --source "…" --whole

The text is UTF-8, plain or gzip, books separated by an empty line; the last of them are kept out
(`--keep-out`), for tests on text that no statistics have seen. Only counts are written. With `--whole` the
file holds everything that a language needs and goes to letter_counts; else it holds n-grams without spaces
alone, which the search for homophonic keys adds to the language's own.
"""

from __future__ import annotations

import argparse
import gzip
import json
from pathlib import Path

import numpy as np
from build_letter_statistics import OUTPUT, archive, letters, members
from letter_sources import LATIN, Language

from ventris.datasets.letters import fold_text

BOOKS = OUTPUT.parent / "book_counts"
BUDGET = 3_000_000  # bytes
THRESHOLDS = (1, 2, 3, 4, 6, 8, 12)
NAMES = {"en": "English", "la": "Latin"}
FOLDING = {
    "en": "marks are dropped, whatever is no letter is a space",
    "la": "j is written i and v is written u, as in inscriptions; marks are dropped, œ and æ spelt out",
}
AS_ANOTHER: dict[str, dict[str, str]] = {"en": {}, "la": {"j": "i", "v": "u"}}  # before marks are dropped
UNUSED = {"en": "", "la": "jvw"}


def books(path: Path, keep_out: int) -> list[str]:
    """The books that may be counted."""
    data = path.read_bytes()
    text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8")
    found = [book for book in text.split("\n\n") if book.strip()]
    return found[: len(found) - keep_out]


def folded(code: str, alphabet: str, path: Path, keep_out: int) -> tuple[str, int]:
    """The counted books as lower-case letters and spaces, and how many they are."""
    other = str.maketrans(AS_ANOTHER[code])
    texts = [fold_text(book.lower().translate(other), alphabet) for book in books(path, keep_out)]
    return " ".join(texts), len(texts)


def build(code: str, path: Path, source: str, *, keep_out: int, whole: bool) -> bytes:
    """The file: the lightest pruning that fits the budget."""
    alphabet = "".join(letter for letter in LATIN if letter not in UNUSED[code])
    language = Language(NAMES[code], alphabet, "", (), "", fold=FOLDING[code])
    text, n_books = folded(code, alphabet, path, keep_out)
    record = {"source": source, "books": n_books, "kept_out": keep_out, "letters": letters([text])}
    for threshold in THRESHOLDS:
        arrays, facts = members(language, text, threshold)
        if not whole:
            arrays = {
                name: array for name, array in arrays.items() if name[:5] == "plain" and name[6].isdigit()
            }
        metadata = {
            "language": code,
            "name": language.name,
            "alphabet": alphabet,
            "folding": language.fold,
            "sources": [record],
            **facts,
        }
        data = archive(arrays | {"metadata": np.frombuffer(json.dumps(metadata).encode(), dtype=np.uint8)})
        if len(data) <= BUDGET:
            print(f"{code}: {len(data):,} bytes, {record}, 5-grams seen {threshold} times and more")
            return data
    raise SystemExit(f"{code}: no pruning in {THRESHOLDS} fits the budget")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("language", choices=list(NAMES))
    parser.add_argument("text", type=Path)
    parser.add_argument("--source", required=True, help="recorded in the file")
    parser.add_argument("--keep-out", type=int, default=30, help="last books that are not counted")
    parser.add_argument("--whole", action="store_true", help="a language of its own, with spaces and pairs")
    arguments = parser.parse_args()
    folder = OUTPUT if arguments.whole else BOOKS
    folder.mkdir(exist_ok=True)
    data = build(
        arguments.language,
        arguments.text,
        arguments.source,
        keep_out=arguments.keep_out,
        whole=arguments.whole,
    )
    (folder / f"{arguments.language}.npz").write_bytes(data)


if __name__ == "__main__":
    main()
