"""A language of one's own, for this process: counted from a corpus, or given as a model of its letters."""

from __future__ import annotations

import hashlib
import os
import unicodedata
from collections import Counter
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from string import ascii_lowercase
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ventris.datasets.letters import BREAK, fold_text
from ventris.errors import DataError, DataTypeError, LanguageModelError
from ventris.label_model.model import NgramModel

PREFIX = "own-"
ORDER = 5  # of a model that is counted, as of those that are shipped
RARE = 1e-5  # unmeasured: share of the letters of a corpus below which one is no letter of the language
N_DRAWN = 1_000_000  # unmeasured: letters drawn from a model with spaces, to learn how they run together


@dataclass(frozen=True, eq=False)
class OwnLanguage:
    """Letters, and how they follow one another.

    Attributes
    ----------
    code : str
        A name for this process, made of the content.
    alphabet : str
        A to z where the corpus has no other letters, all its letters where it has.
    given : NgramModel or None
        Of the letters, perhaps with the space.
    text : str
        The corpus, folded; empty where a model was given.
    words : Counter
        How often each word of the corpus occurs.
    """

    code: str
    alphabet: str
    given: NgramModel | None = None
    text: str = ""
    words: Counter[str] = field(default_factory=Counter)

    def model(self, order: int, space: bool) -> NgramModel:
        """The letters as labels, the space the last one if it counts."""
        return _model(self, order, space)

    @property
    def has_space(self) -> bool:
        """Whether it can tell words apart."""
        return " " in (self.given.classes if self.given is not None else self.text)

    @property
    def order(self) -> int:
        """The highest order there is."""
        return ORDER if self.given is None else min(ORDER, self.given.order)


_languages: dict[str, OwnLanguage] = {}


def own_language(code: str) -> OwnLanguage | None:
    """The language of a code, if it is one of these."""
    return _languages.get(code)


def learn_language(lm: Any = None, corpus: Any = None) -> str:
    """Take a model or a corpus in; the code by which it is known from now on in this process.

    Parameters
    ----------
    lm : NgramModel or path, optional
        Its labels are letters, and perhaps the space. A path is an ARPA file or any other label model.
    corpus : str or path, optional
        A text, or the name of a file of it. Beside `lm` it gives the words alone.

    Examples
    --------
    >>> language = own_language(learn_language(corpus="In the beginning was the word. " * 20))
    >>> language.alphabet, language.words["the"]
    ('abcdefghijklmnopqrstuvwxyz', 40)
    """
    text = "" if corpus is None else _corpus(corpus)
    if lm is None:
        language = _of_corpus(text)
    else:
        language = _of_model(given_model(lm), text)
    _languages[language.code] = language
    return language.code


def _corpus(corpus: Any) -> str:
    """The text of a corpus, or of the file it names."""
    if isinstance(corpus, str) and not os.path.isfile(corpus):
        return corpus
    if not isinstance(corpus, str | os.PathLike):
        got = f"it is a {type(corpus).__name__}"
        raise DataTypeError("corpus must be a text, or the path of one", got, "Pass a str or a Path")
    try:
        return Path(corpus).read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(
            "corpus must be a text file in UTF-8", f"{corpus} cannot be read ({error})", "Check its name"
        ) from None


def _of_corpus(text: str) -> OwnLanguage:
    letters = Counter(char for char in unicodedata.normalize("NFC", text).lower() if char.isalpha())
    total = sum(letters.values())
    alphabet = "".join(sorted(char for char, n in letters.items() if n > RARE * total and len(char) == 1))
    n_kinds = len(alphabet)
    if set(alphabet) <= set(ascii_lowercase):
        alphabet = ascii_lowercase  # a cipher may well use letters that the language does not
    if total < ORDER or n_kinds < 2:
        raise DataError(
            "corpus must be a text in the language of the plaintext",
            f"it holds {total} letters of {n_kinds} kinds",
            "Pass a longer text, or its path",
        )
    folded = fold_text(text, alphabet)
    return OwnLanguage(_code(folded.encode()), alphabet, None, folded, _words(folded))


def given_model(lm: Any) -> NgramModel:
    """A label model, or that of the file it names."""
    if isinstance(lm, NgramModel):
        return lm
    if not isinstance(lm, str | os.PathLike):
        got = f"it is a {type(lm).__name__}"
        raise DataTypeError(
            "lm must be an NgramModel, or the path of a label model", got, "Pass one of these"
        )
    from ventris.readers.label_models import read_label_model

    return read_label_model(Path(lm))


def _of_model(lm: NgramModel, text: str) -> OwnLanguage:
    labels = [str(label) for label in lm.classes]
    letters = [label for label in labels if label != " "]
    odd = [label for label in letters if len(label) != 1 or label != label.lower() or label.isspace()]
    if odd or len(letters) < 2:
        got = f"one of its labels is {odd[0]!r}" if odd else f"it has {len(letters)}"
        raise LanguageModelError(
            "lm must have single small letters as labels, and perhaps the space", got, "Build it with "
            "`ventris lm build --characters --lower`, or pass corpus="
        )  # fmt: skip
    alphabet = "".join(letters)
    folded = fold_text(text, alphabet)
    content = repr(labels).encode() + lm.conditional(lm.order).tobytes() + folded.encode()
    return OwnLanguage(_code(content), alphabet, lm, "", _words(folded))


def _code(content: bytes) -> str:
    return PREFIX + hashlib.sha256(content).hexdigest()[:8]


def _words(folded: str) -> Counter[str]:
    return Counter(folded.replace(BREAK, " ").split())


@lru_cache(maxsize=24)
def _model(language: OwnLanguage, order: int, space: bool) -> NgramModel:
    labels = language.alphabet + (" " if space else "")
    if language.given is None:
        text = language.text if space else language.text.replace(" ", "")
        return NgramModel.from_text(text, order, alphabet=labels)
    lm = language.given
    if tuple(map(str, lm.classes)) == tuple(labels):
        return lm
    drawn = lm.alphabet.decode(lm.sample(N_DRAWN, 0))
    return NgramModel.from_text(_joined(drawn, space=space), order, alphabet=labels)


def _joined(labels: NDArray | list[Any], *, space: bool) -> str:
    text = "".join(map(str, np.asarray(labels).tolist()))
    return text if space else text.replace(" ", "")
