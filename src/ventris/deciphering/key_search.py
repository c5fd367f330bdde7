"""Search for a key: a hard map from symbols to labels, annealed from many independent starts.

The same map serves two readings of one problem. `anneal_key` reads a ciphertext: n-grams of a text, a
one-to-one key. `anneal_map` reads a codebook: pair statistics, many codes a label. They maximise

    score(key) = Σ counts · log p(labels under key), for maps + w · N · H(usage),

the log-likelihood of the deciphered text plus the entropy of how often each label is used. For a one-to-one
key the entropy is constant; for the others it keeps everything from being read as the likeliest label.

The start temperature grows with the length of the text, because the gain of a move does; starts go on until
the best key has been found `recurrences` times over.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ventris.deciphering.key_score import index_text
from ventris.deciphering.key_settings import KEYS, KeySettings
from ventris.deciphering.settings import COOLING, Cooling
from ventris.errors import DataError, ParameterError


@dataclass(frozen=True)
class KeySearch:
    """What a search found.

    Attributes
    ----------
    key : int array of shape (K,)
        Label of each symbol.
    score : float
        Its score, in nats.
    restart_scores : tuple of float
        Best score of every independent start, in order.
    n_recurrences : int
        How many starts ended at the best key; keys that differ only at symbols that never occur are the same.
    restart_keys : tuple of int arrays
        Best key of every start.
    """

    key: NDArray[np.int64]
    score: float
    restart_scores: tuple[float, ...]
    n_recurrences: int
    restart_keys: tuple[NDArray[np.int64], ...]


def anneal_key(
    texts: Sequence[ArrayLike],
    log_prob: NDArray,
    *,
    n_symbols: int,
    recurrences: int,
    fixed: dict[int, int] | None = None,
    start: ArrayLike | None = None,
    moves: int | None = None,
    temperatures: tuple[float, float] | None = None,
    min_restarts: int = 1,
    max_restarts: int | None = None,
    random_state: int | np.random.Generator | None = None,
    settings: KeySettings = KEYS,
) -> KeySearch:
    """The one-to-one key under which a text is likeliest.

    Parameters
    ----------
    texts : sequence of int arrays
        Symbols 0 … K − 1; n-grams do not cross from one to the next.
    log_prob : array of shape (C,) * n
        log p of the last label given the ones before it.
    n_symbols : int
        K, which must be C: add symbols that never occur.
    recurrences : int
        Starts go on until the best key was found so many times.
    fixed : dict, optional
        Symbols whose label is known, such as the space.
    start : array of shape (K,), optional
        Where every search starts; with low `temperatures` it is refined, not sought anew.
    moves : int, optional
        Moves a start; by default more for short texts and for many symbols.
    temperatures : (float, float), optional
        First and last, in nats a symbol of the text. By default what the settings say.
    min_restarts : int, default 1
        Starts at least.
    max_restarts : int, optional
        Starts at most; by default what the settings say.
    random_state : int, Generator or None
    settings : KeySettings

    Returns
    -------
    KeySearch
    """
    from ventris.kernels.annealing import anneal_ngrams

    fixed = fixed or {}
    n_labels, order = log_prob.shape[0], log_prob.ndim
    if n_symbols != n_labels:
        raise ParameterError(
            f"a one-to-one key needs as many symbols as labels ({n_labels})",
            f"n_symbols is {n_symbols}",
            "Count symbols that never occur",
        )
    arrays = [np.asarray(x, dtype=np.int64) for x in texts]
    text = index_text(arrays, n_symbols, order, n_labels)
    movable = np.array([s for s in range(n_symbols) if s not in fixed])
    total = int(text.occurrences.sum())
    hot, cold = temperatures or settings.temperatures
    schedule = _schedule(total * hot, total * cold, settings=settings.cooling)
    moves = moves or default_moves(total, len(movable), settings=settings)
    flat = np.ascontiguousarray(log_prob, dtype=np.float32).ravel()
    rng = np.random.default_rng(random_state)

    def search() -> tuple[NDArray, float]:
        key = np.array(start, dtype=np.int64) if start is not None else _random_key(n_labels, fixed, rng)
        return anneal_ngrams(
            key, movable, text.codes(key), text.counts, text.first, text.member, text.place, text.occurrences,
            flat, schedule, moves // settings.cooling.n_temperatures + 1, _seed(rng),
        )  # fmt: skip

    most = max_restarts or settings.max_restarts
    return _restart(search, text.occurrences > 0, min_restarts, most, recurrences)


def default_moves(length: int, n_movable: int, *, settings: KeySettings = KEYS) -> int:
    """Moves of one start: short texts have rougher landscapes, more symbols more neighbours."""
    by_length = np.clip(settings.moves_by_length / length, settings.fewest_moves, settings.most_moves)
    return int(by_length * max(1.0, n_movable / settings.usual_symbols))


def anneal_map(
    code_pairs: ArrayLike,
    log_prob: ArrayLike,
    *,
    entropy_weight: float,
    moves: int,
    temperatures: tuple[float, float],
    n_restarts: int,
    one_to_one: bool = False,
    start: ArrayLike | None = None,
    random_state: int | np.random.Generator | None = None,
    settings: Cooling = COOLING,
) -> KeySearch:
    """The map from codes to labels under which pair statistics are likeliest.

    A proposal costs O(C), an accepted one O(K), for each lag, whatever the length of the data.

    Parameters
    ----------
    code_pairs : array of shape (K, K) or (G, K, K)
        Counts of code k and, some steps later, code m; one matrix a lag.
    log_prob : array of shape (C, C) or (G, C, C)
        log p of the second label given the first, or of both together, at the same lags.
    entropy_weight : float
        w above, multiplied by the number of lags, so that the balance does not depend on it.
    moves : int
        Moves a start.
    temperatures : (float, float)
        First and last, in mean counts of a code and label, N / (K C).
    n_restarts : int
        Starts.
    one_to_one : bool, default False
        Whether only exchanges of labels are tried (K = C).
    start : array of shape (K,), optional
        Where every search starts; by default anywhere.
    random_state : int, Generator or None
    settings : Cooling

    Returns
    -------
    KeySearch

    Examples
    --------
    >>> chain = np.array([[0.1, 0.8, 0.1], [0.2, 0.1, 0.7], [0.3, 0.3, 0.4]])
    >>> counts = 1000 * chain[np.ix_([2, 0, 1], [2, 0, 1])]  # code 0 is label 2, code 1 is label 0 …
    >>> how = {"entropy_weight": 1.0, "moves": 3_000, "temperatures": (6.0, 1.0), "n_restarts": 2}
    >>> anneal_map(counts, np.log(chain), random_state=0, **how).key
    array([2, 0, 1])
    """
    from ventris.kernels.annealing import anneal_pairs

    pairs, table = _stacked(code_pairs), _stacked(log_prob)
    if len(pairs) != len(table):
        raise DataError(
            "code_pairs and log_prob must have as many lags",
            f"{len(pairs)} and {len(table)} came",
            "Match them",
        )
    n_codes, n_labels = pairs.shape[1], table.shape[1]
    occurrences = pairs[0].sum(axis=1)
    used = (occurrences > 0) | (pairs[0].sum(axis=0) > 0)
    scale = float(pairs.sum()) / (n_codes * n_labels)
    schedule = _schedule(scale * temperatures[0], scale * temperatures[1], settings=settings)
    rng = np.random.default_rng(random_state)

    def search() -> tuple[NDArray, float]:
        key = rng.permutation(np.arange(n_codes) % n_labels) if start is None else np.array(start)
        return anneal_pairs(
            key, pairs, table, occurrences, entropy_weight * len(pairs),
            1.0 if one_to_one else settings.swap_share, schedule, moves // settings.n_temperatures + 1,
            _seed(rng),
        )  # fmt: skip

    return _restart(search, used, n_restarts, n_restarts, n_restarts)


def _stacked(matrices: ArrayLike) -> NDArray[np.float64]:
    array = np.ascontiguousarray(matrices, dtype=np.float64)
    return array[None] if array.ndim == 2 else array


def _schedule(hot: float, cold: float, *, settings: Cooling) -> NDArray[np.float64]:
    return np.append(np.geomspace(hot, cold, settings.n_temperatures), np.zeros(settings.frozen_rounds))


def _seed(rng: np.random.Generator) -> np.uint64:
    return np.uint64(rng.integers(1, 2**63))  # xorshift never leaves zero


def _random_key(n_labels: int, fixed: dict[int, int], rng: np.random.Generator) -> NDArray[np.int64]:
    key = np.empty(n_labels, dtype=np.int64)
    key[[s for s in range(n_labels) if s not in fixed]] = rng.permutation(
        np.setdiff1d(np.arange(n_labels), list(fixed.values()))
    )
    for symbol, label in fixed.items():
        key[symbol] = label
    return key


def _restart(
    search: Callable[[], tuple[NDArray, float]], used: NDArray, least: int, most: int, recurrences: int
) -> KeySearch:
    keys: list[NDArray[np.int64]] = []
    scores: list[float] = []
    while True:
        key, score = search()
        keys.append(key)
        scores.append(float(score))
        best = keys[int(np.argmax(scores))]
        n_same = sum(bool(np.array_equal(other[used], best[used])) for other in keys)
        if len(keys) >= most or (len(keys) >= least and n_same >= recurrences):
            return KeySearch(best, max(scores), tuple(scores), n_same, tuple(keys))
