"""Messages from the genre that the letter statistics have not seen."""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np

from ventris.ciphers.spelling import alphabet_of
from ventris.datasets.letters import BREAK, fold_text

TOOL = Path(__file__).parents[1] / "tools" / "build_letter_statistics.py"


@cache
def unseen_text(language: str, folder: Path) -> str:
    """Letters and spaces of the held-out genre; paragraphs of a line or more, to leave captions out."""
    path = folder / f"{language}.txt"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        packages = folder / "packages"
        command = [sys.executable, TOOL, "--folder", packages, "--holdout", language, path]
        subprocess.run(command, check=True)
    alphabet = alphabet_of(language)
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if len(line) >= 60]
    return " ".join(fold_text(line, alphabet).replace(BREAK, " ") for line in lines)


@cache
def _word_starts(language: str, folder: Path) -> np.ndarray:
    text = unseen_text(language, folder)
    points = np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32)
    return np.flatnonzero(points[:-4000] == ord(" ")) + 1


def messages(language: str, length: int, n: int, seed: int, folder: Path) -> list[str]:
    """`n` messages of `length` letters, spaces kept, each from the beginning of a word."""
    text, starts = unseen_text(language, folder), _word_starts(language, folder)
    rng = np.random.default_rng([seed, length])
    return [_cut(text, int(start), length) for start in rng.choice(starts, size=n, replace=len(starts) < n)]


def _cut(text: str, start: int, length: int) -> str:
    end, n_letters = start, 0
    while n_letters < length:
        n_letters += text[end] != " "
        end += 1
    return text[start:end]
