"""Build src/ventris/datasets/letter_counts/*.npz from Debian text packages.

    python tools/build_letter_statistics.py              # every language
    python tools/build_letter_statistics.py en de        # some
    python tools/build_letter_statistics.py --holdout en OUT.txt

Packages are downloaded with `apt-get download` and unpacked into a folder (`--folder`, a temporary one by
default); nothing is installed, and only counts are written. `--holdout` writes the text of the genre that the
counts of a language have not seen.
"""

from __future__ import annotations

import argparse
import fnmatch
import io
import json
import subprocess
import tempfile
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from letter_sources import CAPS, LANGUAGES, Language, Source

from ventris.datasets.letters import MAX_ORDER, N_LAGS, fold_text, to_planes

OUTPUT = Path(__file__).parents[1] / "src" / "ventris" / "datasets" / "letter_counts"
BUDGET = {"en": 1_900_000}  # bytes a file may take; the others share what is left of 8 MB
DEFAULT_BUDGET = 720_000
THRESHOLDS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64)


# ---------------------------------------------------------------------------- packages to paragraphs
def unpack(package: str, folder: Path) -> Path:
    """Download a package and unpack it, unless that was done before."""
    target = folder / package
    if not target.exists():
        subprocess.run(["apt-get", "download", "-qq", package], cwd=folder, check=True)
        subprocess.run(["dpkg-deb", "-x", next(folder.glob(f"{package}_*.deb")), target], check=True)
    return target


def version(package: str, folder: Path) -> str:
    archive = next(folder.glob(f"{package}_*.deb"))
    return subprocess.run(
        ["dpkg-deb", "-f", archive, "Version"], capture_output=True, text=True
    ).stdout.strip()


def paragraphs(source: Source, language: Language, folder: Path) -> Iterator[str]:
    """Paragraphs of a source that are prose in the language."""
    root = unpack(source.package, folder)
    for path in sorted(root.rglob("*")):
        if path.is_file() and not path.is_symlink() and fnmatch.fnmatch(path.as_posix(), source.pattern):
            yield from (text for text in source.read(path) if is_prose(text, language))


def is_prose(text: str, language: Language) -> bool:
    """Long enough, mostly letters, and with no more English function words than the language's own."""
    visible = [char for char in text if not char.isspace()]
    if len(visible) < 15 or sum(char.isalpha() for char in visible) < 0.8 * len(visible):
        return False
    words = Counter(text.lower().split())
    own = sum(words[word] for word in language.function_words.split())
    english = sum(words[word] for word in LANGUAGES["en"].function_words.split())
    return language is LANGUAGES["en"] or english <= own


def genres(language: Language, folder: Path) -> dict[str, list[tuple[Source, list[str]]]]:
    """Paragraphs by genre and source, each paragraph once."""
    seen: set[str] = set()
    found: dict[str, list[tuple[Source, list[str]]]] = {}
    for source in language.sources:
        fresh = [
            text for text in paragraphs(source, language, folder) if not (text in seen or seen.add(text))
        ]
        found.setdefault(source.genre, []).append((source, fresh))
    return found


def thinned(texts: list[str], share: float) -> list[str]:
    """An evenly spaced share of the texts: it samples the whole of a manual, not its beginning."""
    return [text for i, text in enumerate(texts) if int((i + 1) * share) > int(i * share)]


def corpus(language: Language, folder: Path) -> tuple[str, list[dict]]:
    """Folded text of every genre but the held-out one, and the record of its sources."""
    pieces, record = [], []
    for genre, sources in genres(language, folder).items():
        if genre == language.held_out:
            continue
        folded = [
            (source, [fold_text(text, language.alphabet) for text in texts]) for source, texts in sources
        ]
        cap = (CAPS | language.caps).get(genre, 10**9)
        share = min(1.0, cap / max(1, sum(letters(texts) for _, texts in folded)))
        for source, texts in folded:
            texts = thinned(texts, share)
            pieces += texts
            record.append(describe(source, letters(texts), folder))
    return " ".join(pieces), [row for row in record if row["letters"]]


def letters(texts: list[str]) -> int:
    return sum(len(text) - text.count(" ") - text.count("\0") for text in texts)


def describe(source: Source, n_letters: int, folder: Path) -> dict:
    row = {"package": source.package, "version": version(source.package, folder), "genre": source.genre}
    return row | {"licence": source.licence, "letters": n_letters}


# ---------------------------------------------------------------------------- text to counts
def encode(text: str, alphabet: str) -> np.ndarray:
    """Symbol numbers; -1 where a run in another script was dropped."""
    points = np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32)
    lookup = np.full(points.max() + 1, -1, dtype=np.int64)
    lookup[[ord(char) for char in alphabet]] = np.arange(len(alphabet))
    return lookup[points]


def count_ngrams(symbols: np.ndarray, n_symbols: int, order: int) -> tuple[np.ndarray, np.ndarray]:
    """Codes and counts of the n-grams that cross no break."""
    n = len(symbols) - order + 1
    codes, whole = np.zeros(n, dtype=np.int64), np.ones(n, dtype=bool)
    for i in range(order):
        part = symbols[i : i + n]
        codes = codes * n_symbols + part
        whole &= part >= 0
    return np.unique(codes[whole], return_counts=True)


def count_pairs(symbols: np.ndarray, n_symbols: int, lag: int) -> np.ndarray:
    """Counts of two symbols `lag` apart, no break between them; shape (C, C)."""
    breaks = np.cumsum(symbols < 0)
    first, second = symbols[:-lag], symbols[lag:]
    near = (first >= 0) & (second >= 0) & (breaks[:-lag] == breaks[lag:])
    flat = np.bincount(first[near] * n_symbols + second[near], minlength=n_symbols**2)
    return flat.reshape(n_symbols, n_symbols)


# ---------------------------------------------------------------------------- counts to a file
def members(language: Language, text: str, threshold: int) -> tuple[dict[str, np.ndarray], dict]:
    """Arrays of a file and the part of its metadata that describes them."""
    arrays: dict[str, np.ndarray] = {}
    facts: dict[str, dict] = {"totals": {}, "widths": {}, "pruning": {}}
    for prefix, alphabet, kept in (
        ("space", language.alphabet + " ", text),
        ("plain", language.alphabet, text.replace(" ", "")),
    ):
        symbols = encode(kept, alphabet)
        facts["totals"][prefix] = int(np.sum(symbols >= 0))
        for order in range(1, MAX_ORDER + 1):
            # Order 4 loses far less to pruning than order 5, and scoring by 4-grams needs its tail.
            least = {4: max(1, threshold // 2), 5: threshold}.get(order, 1)
            name = f"{prefix}_{order}"
            arrays[name], facts["widths"][name], facts["pruning"][name] = packed(
                *count_ngrams(symbols, len(alphabet), order), least
            )
        arrays[f"{prefix}_pairs"] = np.array(
            [count_pairs(symbols, len(alphabet), lag) for lag in range(1, N_LAGS + 1)], dtype=np.uint32
        )
    return arrays, facts


def packed(codes: np.ndarray, counts: np.ndarray, least: int) -> tuple[np.ndarray, int, dict]:
    """Byte planes of the n-grams seen at least `least` times, how many planes are codes, what was pruned."""
    kept = counts >= least
    steps = to_planes(np.diff(codes[kept], prepend=0))
    pruned = {"least_count": least, "residual_mass": round(float(counts[~kept].sum() / counts.sum()), 6)}
    return np.concatenate([steps, to_planes(counts[kept])]), len(steps), pruned


def archive(arrays: dict[str, np.ndarray]) -> bytes:
    """A compressed .npz with fixed dates, so that equal counts give equal bytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as file:
        for name, array in arrays.items():
            member = io.BytesIO()
            np.save(member, array, allow_pickle=False)
            info = zipfile.ZipInfo(f"{name}.npy", date_time=(1980, 1, 1, 0, 0, 0))
            file.writestr(info, member.getvalue(), zipfile.ZIP_DEFLATED, 9)
    return buffer.getvalue()


def build(code: str, folder: Path) -> bytes:
    """The file of a language: the lightest pruning that fits the budget."""
    language = LANGUAGES[code]
    text, record = corpus(language, folder)
    for threshold in THRESHOLDS:
        arrays, facts = members(language, text, threshold)
        metadata = {
            "language": code,
            "name": language.name,
            "alphabet": language.alphabet,
            "folding": language.fold,
            "held_out": language.held_out,
            "sources": record,
            **facts,
        }
        data = archive(arrays | {"metadata": np.frombuffer(json.dumps(metadata).encode(), dtype=np.uint8)})
        if len(data) <= BUDGET.get(code, DEFAULT_BUDGET):
            report(metadata, len(data))
            return data
    raise SystemExit(f"{code}: no pruning in {THRESHOLDS} fits the budget")


def report(metadata: dict, size: int) -> None:
    by_genre: Counter[str] = Counter()
    for row in metadata["sources"]:
        by_genre[row["genre"]] += row["letters"]
    print(
        f"{metadata['language']}: {size:,} bytes, {metadata['totals']['plain']:,} letters, {dict(by_genre)}"
    )
    print(
        "    ", {name: row for name, row in metadata["pruning"].items() if row["least_count"] > 1}, flush=True
    )


def holdout(code: str, folder: Path) -> str:
    """Text of the genre that the counts have not seen, a paragraph a line."""
    language = LANGUAGES[code]
    return (
        "\n".join(text for _, texts in genres(language, folder)[language.held_out] for text in texts) + "\n"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("languages", nargs="*", help=f"of {', '.join(LANGUAGES)}; all by default")
    parser.add_argument("--folder", type=Path, help="where packages are kept between runs")
    parser.add_argument(
        "--holdout", nargs=2, metavar=("LANGUAGE", "FILE"), help="write the unseen genre's text"
    )
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        if arguments.holdout:
            Path(arguments.holdout[1]).write_text(holdout(arguments.holdout[0], folder), encoding="utf-8")
            return
        OUTPUT.mkdir(exist_ok=True)
        for code in arguments.languages or LANGUAGES:
            (OUTPUT / f"{code}.npz").write_bytes(build(code, folder))


if __name__ == "__main__":
    main()
