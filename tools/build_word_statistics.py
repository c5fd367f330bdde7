"""Build src/ventris/datasets/word_counts/<language>.npz: words, pairs of them, letters with accents.

    python tools/build_word_statistics.py en --books books.txt.gz --source "where the books are from"
    python tools/build_word_statistics.py de fr es it pt

The texts are those of `build_letter_statistics`, with every accent that the language writes; English adds
books, UTF-8, plain or gzip, separated by an empty line, of which the last are kept out (`--keep-out`) for
tests on text that no statistics have seen. Only counts are written.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
from build_book_statistics import books
from build_letter_statistics import archive, corpus, count_ngrams, encode, letters, packed
from letter_sources import LANGUAGES, LATIN

from ventris.datasets.letters import BREAK, fold_text, to_planes

OUTPUT = Path(__file__).parents[1] / "src" / "ventris" / "datasets" / "word_counts"
BUDGETS = {"en": 3_000_000}  # bytes
BUDGET = 600_000
ACCENTS = {
    "en": "",
    "de": "äöüß",
    "es": "áéíóúüñ",
    "fr": "àâçèéêëîïôùûü",
    "it": "àèéìòù",
    "pt": "àáâãçéêíóôõúü",
}
ORDERS = {"en": 5}  # of the letter n-grams: a dense table of 40 letters ends at order 4
LEAST_WORD = 2  # times a word occurs; once may be a slip of the pen
LEAST_PAIRS = (3, 4, 5, 6, 8, 10, 12, 16, 20, 30, 40, 60)  # the first that fits the budget


def text_of(code: str, folder: Path, path: Path | None, source: str, keep_out: int) -> tuple[str, list[dict]]:
    """The folded text of a language, and where it is from."""
    alphabet = LATIN + ACCENTS[code]
    text, record = corpus(replace(LANGUAGES[code], alphabet=alphabet), folder)
    if path is not None:
        found = [fold_text(book, alphabet) for book in books(path, keep_out)]
        record.append(
            {"source": source, "books": len(found), "kept_out": keep_out, "letters": letters(found)}
        )
        text = " ".join([text, *found])
    return text, record


def word_numbers(text: str, least: int) -> tuple[list[str], np.ndarray, np.ndarray]:
    """Words seen often enough, sorted; how often; and the text as their numbers, −1 for any other word."""
    tokens = text.replace(BREAK, " \n ").split(" ")
    counts = Counter(tokens)
    words = sorted(word for word, n in counts.items() if n >= least and word not in ("", "\n"))
    number = {word: i for i, word in enumerate(words)}
    return words, np.array([counts[word] for word in words]), np.array([number.get(t, -1) for t in tokens])


def members(code: str, text: str) -> tuple[dict[str, np.ndarray], dict, tuple[np.ndarray, np.ndarray]]:
    """What does not depend on how many pairs are kept, what describes it, and the pairs."""
    alphabet = LATIN + ACCENTS[code] + " "
    symbols = encode(text, alphabet)
    arrays: dict[str, np.ndarray] = {}
    facts: dict[str, dict] = {"totals": {"space": int(np.sum(symbols >= 0))}, "widths": {}, "pruning": {}}
    for order in range(1, ORDERS.get(code, 4) + 1):
        name, least = f"space_{order}", 2 if order >= 4 else 1
        counted = count_ngrams(symbols, len(alphabet), order)
        arrays[name], facts["widths"][name], facts["pruning"][name] = packed(*counted, least)
    words, counts, numbers = word_numbers(text, LEAST_WORD)
    arrays["words"] = np.frombuffer("\n".join(words).encode(), dtype=np.uint8)
    arrays["word_counts"] = to_planes(counts)
    first, second = numbers[:-1].astype(np.int64), numbers[1:]
    both = (first >= 0) & (second >= 0)
    return arrays, facts, np.unique(first[both] * len(words) + second[both], return_counts=True)


def build(code: str, text: str, record: list[dict]) -> bytes:
    """The file: as many pairs as fit the budget."""
    arrays, facts, pairs = members(code, text)
    metadata = {"language": code, "name": LANGUAGES[code].name, "alphabet": LATIN + ACCENTS[code]}
    for least in LEAST_PAIRS:
        arrays["pairs"], facts["widths"]["pairs"], facts["pruning"]["pairs"] = packed(*pairs, least)
        described = metadata | {"sources": record} | facts
        data = archive(arrays | {"metadata": np.frombuffer(json.dumps(described).encode(), dtype=np.uint8)})
        if len(data) <= BUDGETS.get(code, BUDGET):
            n_words, n_pairs = arrays["word_counts"].shape[1], arrays["pairs"].shape[1]
            print(
                f"{code}: {len(data):,} bytes, {n_words:,} words, {n_pairs:,} pairs seen {least} times",
                flush=True,
            )
            return data
    raise SystemExit(f"{code}: no pruning in {LEAST_PAIRS} fits the budget")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("languages", nargs="+", choices=list(ACCENTS))
    parser.add_argument("--books", type=Path, help="of the one language that is built")
    parser.add_argument("--source", default="", help="of the books, recorded in the file")
    parser.add_argument("--keep-out", type=int, default=30, help="last books that are not counted")
    parser.add_argument("--folder", type=Path, help="where packages are kept between runs")
    asked = parser.parse_args()
    OUTPUT.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        folder = asked.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for code in asked.languages:
            text, record = text_of(code, folder, asked.books, asked.source, asked.keep_out)
            (OUTPUT / f"{code}.npz").write_bytes(build(code, text, record))


if __name__ == "__main__":
    main()
