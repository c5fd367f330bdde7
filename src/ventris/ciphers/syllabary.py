"""Syllabaries and codes: each sign stands for a label of a model of one's own, tens or hundreds of them.

The labels may be anything: syllables, words, sounds. Their model comes from a corpus that was cut into them:
`NgramModel.from_sequences`, or `ventris lm build` of a text with white space between the labels.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from math import lgamma
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ventris.ciphers.arguments import checked_text
from ventris.ciphers.asked import Asked
from ventris.ciphers.cipher import GOOD_EXCESS, Cipher, RandomState
from ventris.ciphers.result import Alternative, Decipherment
from ventris.ciphers.signs import LETTERS, SIGNS, TOKENS, UNKNOWN, Signs, cut_of
from ventris.ciphers.verdict import N_ALTERNATIVES, index_of_coincidence
from ventris.datasets.letters import load_counts
from ventris.deciphering.key_score import score_whole_keys
from ventris.deciphering.many_labels import LabelledKeys, find_among_many_labels
from ventris.errors import DataError, ParameterError
from ventris.label_model.model import NgramModel

KIND, OWN = "syllabary", "own"
HEAD = 100_000  # unmeasured: signs by which a long text is judged; its table of triples is then bounded too
LONGEST, MOST_CELLS = 3, 30_000_000  # order of the n-grams, and cells of their table: 310 labels at order 3
DOUBTFUL = 0.05  # unmeasured: confidence of a reading that is not like the language
N_DRAWN = 64  # pairs of letters, beside the letters, of a syllabary that is drawn


class Syllabary(Cipher):
    """Each syllable, or other label, has a sign of its own; a text is cut into the longest that there are.

    Examples
    --------
    >>> key = {"17": "ka", "04": "a", "93": "k"}
    >>> Syllabary().encipher("Akka!", key, "", None)
    '04 93 17'
    >>> Syllabary().decipher("04 93 17", key, "")
    'akka'
    """

    kind, title = KIND, "Syllabary: a sign a syllable"
    key_hint, example = "always drawn", '{"17": "ka", "04": "ki"}'
    typed = keeps_layout = False

    def encipher(self, text: str, key: Any, alphabet: str, random_state: RandomState) -> str:
        sign_of = {label: sign for sign, label in _checked(key).items()}
        longest = sorted(sign_of, key=len, reverse=True)
        found = re.findall("|".join(map(re.escape, longest)), checked_text(text).lower())
        return " ".join(sign_of[label] for label in found)

    def decipher(self, text: str, key: Any, alphabet: str) -> str:
        labels = _checked(key)
        if not checked_text(text).strip():
            return ""
        signs = Signs.of(text, TOKENS if any(len(sign) > 1 for sign in labels) else None)
        return signs.set(labels.get(sign, sign) for sign in signs.tokens)

    def show(self, key: Any) -> str:
        return json.dumps(key, ensure_ascii=False)

    def _parsed(self, typed: str) -> Any:
        return json.loads(typed)

    def describe(self, key: Any) -> str:
        return f"{len(key)} signs"

    def draw(self, language: str, rng: np.random.Generator) -> dict[str, str]:
        """Numbers for the letters of a language and for its commonest pairs of them."""
        counts = load_counts(language, order=2, space=False)
        codes, seen = counts.counts(2)
        size = len(counts.alphabet)
        pairs = [
            counts.alphabet[code // size] + counts.alphabet[code % size] for code in codes[np.argsort(-seen)]
        ]
        labels = [*counts.alphabet, *pairs[:N_DRAWN]]
        return {f"{n:03d}": label for n, label in zip(rng.permutation(len(labels)), labels, strict=True)}


def _checked(key: Any) -> dict[str, str]:
    """A key from sign to label."""
    is_one = isinstance(key, Mapping) and all(
        isinstance(sign, str) and isinstance(label, str) and sign and label for sign, label in key.items()
    )
    if not is_one or not key or len(set(key.values())) < len(key):
        got = "two of its signs have one label" if is_one and key else f"it is {key!r}"
        raise ParameterError("a syllabary's key must be a dict from sign to label", got, "Correct the key")
    return dict(key)


def is_of_many(lm: NgramModel) -> bool:
    """Whether the labels of a model are more than letters."""
    return any(len(str(label)) > 1 for label in lm.classes)


# ---------------------------------------------------------------------------- without the key
def read_syllabary(
    text: str | Sequence[str], lm: NgramModel, fixed: Mapping[str, Any] | None, asked: Asked
) -> Decipherment:
    """The likeliest reading of a text in which each sign is a label of a model.

    Parameters
    ----------
    text : str or sequence of str
    lm : NgramModel
    fixed : dict, optional
        Signs whose label is known.
    asked : Asked
        Units, unknown signs, nulls, budget and callbacks are heeded.
    """
    labels = [str(label) for label in lm.classes]
    signs = Signs.of(text, _units(text, asked), unknown=asked.unknown, nulls=asked.known.nulls)
    order = lm.order
    while len(labels) ** order > MOST_CELLS or order > LONGEST:
        order -= 1
    tables = [np.log(lm.conditional(k)).astype(np.float32) for k in range(1, order + 1)]
    parts = _parts(signs.head(HEAD).codes)
    found = find_among_many_labels(
        parts, len(signs.symbols), tables, asked.rng, fixed=_fixed(fixed, signs, labels),
        budget=asked.budget, watch=asked.watcher(lambda key: signs.set(labels[i] for i in key[signs.known])),
    )  # fmt: skip
    rate = lm.entropy(order) - (lm.entropy(order - 1) if order > 1 else 0.0)
    return _answer(signs, parts, labels, rate, tables, found)


def _units(text: str | Sequence[str], asked: Asked) -> str | None:
    """How the text is cut: as asked, or as it looks; letters are signs like others."""
    if asked.units is not None or not isinstance(text, str):
        return asked.units
    units = cut_of(text).units
    return SIGNS if units == LETTERS else units


def _parts(codes: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Signs between unknown ones."""
    pieces = np.split(codes, np.flatnonzero(codes == UNKNOWN))
    parts = [piece[piece != UNKNOWN] for piece in pieces]
    parts = [part for part in parts if len(part)]
    if max(map(len, parts), default=0) < 2:
        raise DataError("the text must hold at least 2 known signs in a row", "it does not", "Add more")
    return parts


def _fixed(fixed: Mapping[str, Any] | None, signs: Signs, labels: list[str]) -> dict[int, int]:
    """Known entries as numbers."""
    number, label_of = {sign: i for i, sign in enumerate(signs.symbols)}, {x: i for i, x in enumerate(labels)}
    given = {str(sign): str(label) for sign, label in (fixed or {}).items()}
    strange = [label for label in given.values() if label not in label_of]
    if strange or len(set(given.values())) < len(given):
        got = f"{strange[0]!r} is none" if strange else "two signs have one label"
        raise ParameterError("fixed must give signs different labels of the model", got, "Correct it")
    return {number[sign]: label_of[label] for sign, label in given.items() if sign in number}


def _answer(
    signs: Signs,
    parts: Sequence[NDArray],
    labels: list[str],
    rate: float,
    tables: Sequence[NDArray],
    found: LabelledKeys,
) -> Decipherment:
    """What was found, and how sure one may be."""
    n_read = sum(map(len, parts))
    scores = score_whole_keys(found.keys, parts, tables)
    excess = -float(scores[0]) / n_read - rate
    posterior = np.exp(scores - scores.max())
    keys = [dict(zip(signs.symbols, (labels[i] for i in key), strict=False)) for key in found.keys]
    texts = [signs.set(labels[i] for i in key[signs.known]) for key in found.keys[: N_ALTERNATIVES + 1]]
    counts = np.bincount(signs.known, minlength=len(labels))
    log_keys = lgamma(len(labels) + 1)
    shares = {
        "prior": np.exp(tables[0].astype(float)),
        "ciphertext": counts[: len(signs.symbols)],
        "plaintext": np.bincount(found.keys[0], weights=counts, minlength=len(labels)),
    }
    alphabet = " ".join(labels)
    others = zip(texts[1:], keys[1:], posterior[1:] / posterior.sum(), strict=False)
    return Decipherment(
        read=signs.in_words(),
        plaintext=texts[0],
        key=keys[0],
        kind=KIND,
        language=OWN,
        alphabet=alphabet,
        confidence=found.agreement if excess < GOOD_EXCESS else DOUBTFUL,
        alternatives=tuple(Alternative(text, key, float(p), alphabet) for text, key, p in others),
        evidence={
            "index_of_coincidence": index_of_coincidence(counts),
            "excess_cost": excess,
            "tried": {f"{KIND}/{OWN}": round(float(scores[0]) - log_keys, 3)},
            "agreement": found.agreement,
            "searches": found.n_runs,
            "unicity_distance": log_keys / max(float(np.log(len(labels))) - rate, 1e-9),
            "n_symbols": len(signs.known),
            "n_letters": len(signs.known),
            "unknown_letters": len(signs.codes) - len(signs.known),
            "spaces": False,
            "alphabet": labels,
        },
        histograms={name: share / share.sum() for name, share in shares.items()},
        symbols=signs.symbols,
    )
