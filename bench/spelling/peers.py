"""Dictionary tools on the same text: symspellpy, pyspellchecker and Debian's hunspell.

symspellpy has its own English dictionary and the words of our corpus beside it; the better of `lookup`, word
by word, and `lookup_compound`, ten words at a time, is taken.
"""

from __future__ import annotations

import shutil
import subprocess
from functools import cache
from importlib import resources, util
from typing import Any

from bench.spelling.distance import error_rate

TOGETHER = 10  # words that lookup_compound is given at once


def why_not() -> str:
    """What is missing; empty if every peer is there."""
    for module, package in (("symspellpy", "symspellpy"), ("spellchecker", "pyspellchecker")):
        if util.find_spec(module) is None:
            return f"{package} is not installed (bench/requirements.txt)"
    return "" if shutil.which("hunspell") else "Debian's hunspell is not installed"


@cache
def _symspell() -> Any:
    from symspellpy import SymSpell

    from ventris.datasets.words import load_words

    found = SymSpell(max_dictionary_edit_distance=2, prefix_length=7)
    folder = resources.files("symspellpy")
    found.load_dictionary(str(folder / "frequency_dictionary_en_82_765.txt"), 0, 1)
    found.load_bigram_dictionary(str(folder / "frequency_bigramdictionary_en_243_342.txt"), 0, 2)
    words = load_words("en").words()
    for word, count in zip(words.words, words.counts.tolist(), strict=True):
        found.create_dictionary_entry(word, count)
    return found


def symspell(text: str) -> dict[str, str]:
    """What `lookup` and `lookup_compound` make of a text."""
    from symspellpy import Verbosity

    tool = _symspell()

    @cache
    def best(word: str) -> str:
        found = tool.lookup(word, Verbosity.TOP, max_edit_distance=2, include_unknown=True)
        return found[0].term

    words = text.split()
    parts = (" ".join(words[i : i + TOGETHER]) for i in range(0, len(words), TOGETHER))
    together = (tool.lookup_compound(part, max_edit_distance=2)[0].term for part in parts)
    return {"lookup": " ".join(map(best, words)), "lookup_compound": " ".join(together)}


def pyspellchecker(text: str) -> str:
    """Word by word, at most one edit away: two take minutes a thousand words."""
    from spellchecker import SpellChecker

    tool = SpellChecker(distance=1)
    best = cache(lambda word: tool.correction(word) or word)
    return " ".join(map(best, text.split()))


def hunspell(text: str) -> str:
    """The first suggestion for each word that it does not know."""
    words = sorted(set(text.split()))
    call = ["hunspell", "-d", "en_US", "-a", "-i", "utf-8"]
    told = subprocess.run(
        call, input="\n".join(f"^{word}" for word in words), capture_output=True, text=True, check=True
    )
    answers = [line for line in told.stdout.splitlines()[1:] if line]
    best = {word: _first(answer, word) for word, answer in zip(words, answers, strict=True)}
    return " ".join(best[word] for word in text.split())


def _first(answer: str, word: str) -> str:
    return answer.partition(": ")[2].split(",")[0].strip().lower() if answer.startswith("&") else word


def errors(meant: str, written: str) -> dict[str, float]:
    """Error of each peer."""
    found = symspell(written)
    return {
        "symspell": min(error_rate(meant, text) for text in found.values()),
        "pyspellchecker": error_rate(meant, pyspellchecker(written)),
        "hunspell": error_rate(meant, hunspell(written)),
    }
