"""Keys found without being told: one breaker a cipher, all judged by the likelihood of what they read.

Shift and affine ciphers have so few keys that each is tried, and the posterior over keys is exact. The
Vigenère cipher is a shift a column, improved column by column. Substitutions are searched by annealing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from math import gcd, lgamma
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ventris.ciphers.gradient import read_by_descent
from ventris.ciphers.letter_model import LetterModel, letter_model, segments
from ventris.ciphers.spelling import Spelling, alphabet_of
from ventris.deciphering.key_search import KeySearch, anneal_key, default_moves, score_key, score_keys

MAX_PERIOD = 20
N_PERIODS = 5  # periods whose columns are improved in context
SEARCH_ORDER, RESCORE_ORDER = 4, 5
LONG = 10_000  # letters from which on descent on J reads a substitution
N_RIVALS, MARGIN = 6, 12.0  # keys, and nats below the best, that order 5 may still prefer
N_WRITTEN = 20  # best candidates whose texts are compared
STRANGE = 10.0  # nats a letter of no language costs: one in a few hundred, and which of a hundred it is
POLISH = (0.03, 0.01)  # temperatures of a search that starts from a key nearly right


@dataclass(frozen=True)
class Candidate:
    """One reading of a ciphertext.

    Attributes
    ----------
    key : object
        As the cipher takes it.
    letters : int array of shape (N,)
        The letters it gives.
    score : float
        Their log-likelihood, in nats.
    posterior : float
        Probability of the key among those considered.
    alphabet : str
        What the key runs over, and what `letters` are numbers in.
    """

    key: Any
    letters: NDArray[np.int64]
    score: float
    posterior: float
    alphabet: str


@dataclass(frozen=True)
class Breaking:
    """What a breaker found.

    Attributes
    ----------
    candidates : tuple of Candidate
        Best first.
    log_keys : float
        Logarithm of how many keys read this text differently.
    key_entropy : float
        Logarithm of how many keys there are.
    agreement : float
        Share of independent searches that ended at the best key.
    strange : float
        Price of the letters that are not of the alphabet, in nats.
    """

    candidates: tuple[Candidate, ...]
    log_keys: float
    key_entropy: float
    agreement: float = 1.0
    strange: float = 0.0

    @property
    def best(self) -> Candidate:
        return self.candidates[0]

    @property
    def evidence(self) -> float:
        """Score less the price of a key: what compares ciphers with few keys and with many."""
        return self.best.score - self.log_keys - self.strange


def _ranked(keys: Sequence[Any], letters: NDArray, scores: NDArray, alphabet: str) -> tuple[Candidate, ...]:
    posterior = np.exp(scores - scores.max())
    posterior /= posterior.sum()
    order = np.argsort(-scores, kind="stable")
    return tuple(
        Candidate(keys[i], letters[i], float(scores[i]), float(posterior[i]), alphabet) for i in order
    )


def _try_all(keys: Sequence[Any], letters: NDArray, spelling: Spelling, model: LetterModel) -> Breaking:
    symbols = model.symbols(spelling.alphabet)[letters]
    scores = model.log_likelihood(model.rows(symbols, spelling.layout(space=model.space)))
    log_keys = float(np.log(len(keys)))
    return Breaking(_ranked(keys, letters, scores, spelling.alphabet), log_keys, log_keys)


def break_caesar(spelling: Spelling, model: LetterModel, rng: np.random.Generator) -> Breaking:
    """Every shift: the posterior is exact under the letter model and equally likely keys."""
    keys = range(len(spelling.alphabet))
    letters = (spelling.letters - np.arange(len(keys))[:, None]) % len(keys)  # (C, N)
    return _try_all(keys, letters, spelling, model)


def break_affine(spelling: Spelling, model: LetterModel, rng: np.random.Generator) -> Breaking:
    """Every multiplier that has an inverse, with every shift."""
    size = len(spelling.alphabet)
    keys = [(a, b) for a in range(1, size) if gcd(a, size) == 1 for b in range(size)]
    letters = np.array([pow(a, -1, size) * (spelling.letters - b) % size for a, b in keys])
    return _try_all(keys, letters, spelling, model)


# ---------------------------------------------------------------------------- Vigenère
def break_vigenere(spelling: Spelling, model: LetterModel, rng: np.random.Generator) -> Breaking:
    """Every period by the letter frequencies of its columns; the best few improved in context."""
    size, layout = len(spelling.alphabet), spelling.layout(space=model.space)
    longest = max(2, min(MAX_PERIOD, len(spelling.letters) // 3))
    price = np.log(size)  # of one more letter in the key, in nats
    starts = [_column_shifts(spelling, model, period) for period in range(2, longest + 1)]
    likely = sorted(starts, key=lambda start: price * len(start[0]) - start[1])[:N_PERIODS]
    found = [_improve(shifts, spelling, layout, model) for shifts, _ in likely]
    shifts, _ = max(found, key=lambda reading: reading[1] - price * len(reading[0]))
    readings = _close_shifts(shifts, size)
    letters = _unshifted(spelling.letters, readings, size)
    scores = model.log_likelihood(model.rows(model.symbols(spelling.alphabet)[letters], layout))
    keys = ["".join(spelling.alphabet[s] for s in reading) for reading in readings]
    log_keys = float(price * len(shifts) + np.log(len(starts)))
    return Breaking(_ranked(keys, letters, scores, spelling.alphabet), log_keys, log_keys)


def _close_shifts(shifts: NDArray, size: int) -> NDArray[np.int64]:
    """The key, then all keys that differ from it in one place: shape (1 + period · (C − 1), period)."""
    steps = np.kron(np.eye(len(shifts), dtype=np.int64), np.arange(1, size)[:, None])
    return np.vstack([shifts, (shifts + steps) % size])


def _unshifted(letters: NDArray, shifts: NDArray, size: int) -> NDArray[np.int64]:
    """Readings of the letters under keys of shape (S, period): shape (S, N)."""
    return (letters - shifts[:, np.arange(len(letters)) % shifts.shape[1]]) % size


def _column_shifts(spelling: Spelling, model: LetterModel, period: int) -> tuple[NDArray[np.int64], float]:
    """The likeliest shift of each column by its letters alone, and the log-likelihood of them all."""
    size = len(spelling.alphabet)
    log_prob = np.log(model.stationary[model.symbols(spelling.alphabet)])
    shifted = log_prob[(np.arange(size) - np.arange(size)[:, None]) % size]  # [shift, cipher letter]
    columns = [np.bincount(spelling.letters[c::period], minlength=size) for c in range(period)]
    scores = np.array(columns) @ shifted.T  # (period, C)
    return np.argmax(scores, axis=1), float(scores.max(axis=1).sum())


def _improve(
    shifts: NDArray, spelling: Spelling, layout: NDArray, model: LetterModel
) -> tuple[NDArray[np.int64], float]:
    """Coordinate ascent: each shift is set to its best value given the others, until none changes."""
    size, score, symbols = len(spelling.alphabet), -np.inf, model.symbols(spelling.alphabet)
    for _ in range(10):
        before = score
        for column in range(len(shifts)):
            tried = np.repeat(shifts[None], size, axis=0)
            tried[:, column] = np.arange(size)
            letters = symbols[_unshifted(spelling.letters, tried, size)]
            scores = model.log_likelihood(model.rows(letters, layout))
            shifts, score = tried[np.argmax(scores)], float(scores.max())
        if score <= before + 1e-6:
            break
    return shifts, score


# ---------------------------------------------------------------------------- substitution
def break_substitution(spelling: Spelling, model: LetterModel, rng: np.random.Generator) -> Breaking:
    """Annealing of a one-to-one key; spaces, where they survive, are known symbols.

    Long texts are read by descent on J, and the key is only polished here.
    """
    row = _symbol_row(spelling, model)
    fixed = {model.n_letters: model.n_letters} if model.space else {}
    texts = segments(row)
    table = model.tables[min(len(model.tables), max(map(len, texts))) - 1]
    search = partial(anneal_key, texts, table, n_symbols=model.n_symbols, fixed=fixed, random_state=rng)
    if len(spelling.letters) >= LONG:
        start = read_by_descent(row, model, rng)
        found = search(start=start, temperatures=POLISH, min_restarts=2, recurrences=2)
    else:
        # Long texts have smoother landscapes: nearly every start ends at the best key.
        recurrences = 4 if row.size < 150 else 3 if row.size < 300 else 2
        found = search(min_restarts=recurrences, recurrences=recurrences)
    return _substitution_breaking(found, spelling, model)


def rescore_substitution(
    breaking: Breaking, spelling: Spelling, model: LetterModel, rng: np.random.Generator
) -> Breaking:
    """The best keys improved under a model of higher order: cool searches that start from each of them."""
    fixed = {model.n_letters: model.n_letters} if model.space else {}
    texts = segments(_symbol_row(spelling, model))
    if max(map(len, texts)) < len(model.tables):
        return breaking
    rivals = [c for c in breaking.candidates[:N_RIVALS] if c.score > breaking.best.score - MARGIN]
    found = [
        anneal_key(
            texts, model.tables[-1], n_symbols=model.n_symbols, fixed=fixed, temperatures=POLISH,
            start=_reading(rival.key, spelling.alphabet, model.space), max_restarts=1, random_state=rng,
            moves=default_moves(len(spelling.letters), model.n_letters) // 4,
        )
        for rival in rivals
    ]  # fmt: skip
    better = _substitution_breaking(max(found, key=lambda search: search.score), spelling, model)
    return replace(better, agreement=breaking.agreement, strange=breaking.strange)


def _symbol_row(spelling: Spelling, model: LetterModel) -> NDArray[np.int64]:
    return model.rows(spelling.letters[None], spelling.layout(space=model.space))[0]


def _reading(key: str, alphabet: str, space: bool) -> NDArray[np.int64]:
    """Label of each symbol under an enciphering key, the space its own."""
    reading = np.argsort([alphabet.index(char) for char in key])
    return np.append(reading, len(alphabet)) if space else reading


def _substitution_breaking(found: KeySearch, spelling: Spelling, model: LetterModel) -> Breaking:
    size, used = len(spelling.alphabet), np.unique(spelling.letters)
    texts = segments(_symbol_row(spelling, model))
    readings = _distinct([found.key, *found.restart_keys], used, size)
    while True:  # the search leaves out the first letters, which have short histories: climb with them
        readings = _distinct([*readings, *_neighbours(readings[0], used)], used, size)
        scores = _whole_scores(np.array(readings), texts, model)
        best = int(np.argmax(scores))
        if scores[best] <= scores[0] + 1e-6:
            break
        readings.insert(0, readings.pop(best))
    keys = ["".join(spelling.alphabet[i] for i in np.argsort(reading)) for reading in readings]
    letters = np.array([reading[spelling.letters] for reading in readings])
    # Only the letters that occur had to be chosen: C · (C − 1) · … of them.
    log_keys = lgamma(size + 1) - lgamma(size - len(used) + 1)
    agreement = found.n_recurrences / len(found.restart_keys)
    candidates = _ranked(keys, letters, scores, spelling.alphabet)
    return Breaking(candidates, log_keys, lgamma(size + 1), agreement)


def _whole_scores(readings: NDArray, texts: list[NDArray], model: LetterModel) -> NDArray[np.float64]:
    """Log-likelihoods of readings, shape (S, C): distinct n-grams, and the first letters of each part."""
    if model.space:
        readings = np.column_stack([readings, np.full(len(readings), model.n_letters)])
    order = len(model.tables)
    long = [text for text in texts if len(text) >= order]
    scores = score_keys(readings, long, model.tables[-1]) if long else np.zeros(len(readings))
    return scores + sum(model.log_likelihood(readings[:, text[: order - 1]]) for text in texts)


def _distinct(keys: Sequence[NDArray], used: NDArray, size: int) -> list[NDArray]:
    """The keys that read the text differently, in their order."""
    first: dict[tuple[int, ...], NDArray] = {}
    for key in keys:
        first.setdefault(tuple(key[used]), key[:size])
    return list(first.values())


def _neighbours(reading: NDArray, used: NDArray) -> list[NDArray]:
    """All readings that exchange two letters, at least one of which occurs."""
    neighbours = []
    for i, j in combinations(range(len(reading)), 2):
        if i in used or j in used:
            other = reading.copy()
            other[[i, j]] = other[[j, i]]
            neighbours.append(other)
    return neighbours


Breaker = Callable[[Spelling, LetterModel, np.random.Generator], Breaking]
BREAKERS: dict[str, Breaker] = {
    "caesar": break_caesar,
    "affine": break_affine,
    "vigenere": break_vigenere,
    "substitution": break_substitution,
}


def break_over_alphabets(
    kind: str, spellings: Sequence[Spelling], model: LetterModel, rng: np.random.Generator
) -> Breaking:
    """One text under the alphabets its cipher may run over, with one posterior over the keys of all.

    The alphabets are equally likely, and the keys of each. A substitution of the whole alphabet includes
    those of a part.

    Parameters
    ----------
    kind : str
    spellings : sequence of Spelling
        Of the same text, that in the language's whole alphabet first.
    model : LetterModel
    rng : Generator
    """
    if kind == "substitution":
        spellings = spellings[:1]
    found = [
        replace(BREAKERS[kind](spelling, model, rng), strange=STRANGE * spelling.n_unknown)
        for spelling in spellings
    ]
    return found[0] if len(found) == 1 else _pooled(found, spellings)


def _pooled(found: Sequence[Breaking], spellings: Sequence[Spelling]) -> Breaking:
    """The candidates of all breakings together, those that read the same made one."""
    price = {b.best.alphabet: b.log_keys + b.strange for b in found}
    candidates = [c for b in found for c in b.candidates]
    weights = np.array([c.score - price[c.alphabet] for c in candidates])
    posterior = np.exp(weights - weights.max())
    posterior /= posterior.sum()
    order = np.argsort(-weights, kind="stable")
    ranked = [replace(candidates[i], posterior=float(posterior[i])) for i in order]
    merged = _merged(ranked[:N_WRITTEN], spellings)
    winner = next(b for b in found if b.best.alphabet == merged[0].alphabet)
    choice = float(np.log(len(found)))
    return replace(
        winner,
        candidates=(*merged, *ranked[N_WRITTEN:]),
        log_keys=winner.log_keys + choice,
        key_entropy=winner.key_entropy + choice,
    )


def _merged(ranked: Sequence[Candidate], spellings: Sequence[Spelling]) -> list[Candidate]:
    """Candidates with different texts: a shift that never passes the end of an alphabet is one in both."""
    spelt = {spelling.alphabet: spelling.rewritten for spelling in spellings}
    first: dict[str, Candidate] = {}
    for c in ranked:
        text = spelt[c.alphabet](c.letters)
        held = first.get(text)
        first[text] = c if held is None else replace(held, posterior=held.posterior + c.posterior)
    return sorted(first.values(), key=lambda c: -c.posterior)


# ---------------------------------------------------------------------------- homophonic
def break_homophonic(codes: NDArray, n_symbols: int, language: str, rng: np.random.Generator) -> Breaking:
    """Annealing of a many-to-one key by 4-grams, then cooler by 5-grams, with the entropy of usage."""
    first = _search_homophonic(codes, n_symbols, letter_model(language, SEARCH_ORDER, False), rng)
    model = letter_model(language, RESCORE_ORDER, False)
    found = _search_homophonic(codes, n_symbols, model, rng, start=first.key)
    keys = _distinct([found.key, *first.restart_keys], np.arange(n_symbols), n_symbols)
    table = model.tables[-1]
    scores = np.array([score_key(key, [codes], table, entropy_weight=1.0) for key in keys])
    letters = np.array([key[codes] for key in keys])
    log_keys = n_symbols * float(np.log(model.n_letters))
    agreement = first.n_recurrences / len(first.restart_keys)
    candidates = _ranked(keys, letters, scores, alphabet_of(language))
    return Breaking(candidates, log_keys, log_keys, agreement)


def _search_homophonic(
    codes: NDArray, n_symbols: int, model: LetterModel, rng: np.random.Generator, start: NDArray | None = None
) -> KeySearch:
    # Many-to-one landscapes freeze at a lower temperature than one-to-one ones.
    hot, most = (0.05, 12) if start is None else (0.01, 1)
    return anneal_key(
        [codes], model.tables[-1], n_symbols=n_symbols, one_to_one=False, entropy_weight=1.0, start=start,
        moves=8_000 * n_symbols, temperatures=(hot, 0.005), min_restarts=min(3, most), max_restarts=most,
        recurrences=2, random_state=rng,
    )  # fmt: skip
