"""Algorithm 1 to its end: blocks of updates, full-pass J after each, early stop, divergence, resumption.

Batches are drawn by a NumPy Generator and handed, in blocks, to a compiled kernel or its readable twin.
Several starts run side by side on the same batches; with two classes they are SIMD lanes of one kernel.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ventris.data.sequences import check_lengths
from ventris.errors import DivergedWarning, ParameterError
from ventris.kernels.spdg import CHECK_EVERY, DIRECT, LOG, NAIVE, is_sound, run_updates
from ventris.kernels.spdg_binary import LONGEST, feature_rows, run_binary_updates
from ventris.kernels.spdg_lanes import run_lane_updates
from ventris.objective import cost, expected_ngrams
from ventris.solvers.spdg import (
    Array,
    SPDGSettings,
    SPDGState,
    draw_batches,
    free_weights,
    initial_state,
    naive_minibatch_step,
    spdg_step,
)

_FORMS = {"direct": DIRECT, "log": LOG, "naive": NAIVE}
_DRAWN = 100_000  # subsequences drawn at a time: batches of a long block never fill the memory
# A weight that alone moves logits by this much (times the feature's root mean square) has diverged: weights
# grow to hundreds on sound runs, because J has no sense of scale.
_LOGIT_LIMIT = 1e4
# Posteriors this sure leave no gradient to come back by.
_SATURATED = 1.0 - 1e-6


@dataclass(frozen=True, eq=False)
class SPDGResult:
    """Where one run of SPDG arrived: its lowest full-pass J, and why it stopped there.

    Attributes
    ----------
    coef, intercept, dual : arrays of shapes (C, D), (C,) and (C,) * order
        The state of lowest full-pass J among those looked at.
    cost : float
        That J.
    history : list of dict
        One row per look: ``update`` and ``cost``.
    n_updates : int
        Updates done and kept.
    diverged : bool
    stopped_because : {"max_updates", "no improvement", "diverged"}
    """

    coef: Array
    intercept: Array
    dual: Array
    cost: float
    history: list[dict[str, Any]]
    n_updates: int
    diverged: bool
    stopped_because: str


@dataclass(eq=False)
class SPDGProgress:
    """All that a loop over R starts needs to go on exactly as if it had never stopped.

    `arrays` and `record` hold it as plain arrays and as JSON-able values; `restored` takes them back.
    """

    weights: Array  # (R, C, D + 1), the intercept last
    dual: Array  # (R,) + (C,) * order
    best_weights: Array
    best_dual: Array
    best_cost: Array  # (R,)
    first_cost: Array  # (R,), J of the start
    stale: NDArray[np.int64]  # (R,), looks since the best one
    alive: Array  # (R,), 1.0 until divergence
    done: NDArray[np.int64]  # (R,), updates kept
    update: int = 0
    histories: list[list[dict[str, Any]]] = field(default_factory=list)
    generator: dict[str, Any] = field(default_factory=dict)

    _ARRAYS = (
        "weights", "dual", "best_weights", "best_dual", "best_cost", "first_cost", "stale", "alive", "done"
    )  # fmt: skip

    def arrays(self) -> dict[str, NDArray]:
        """Copies of the arrays, by name."""
        return {name: getattr(self, name).copy() for name in self._ARRAYS}

    def record(self) -> dict[str, Any]:
        """The rest, as JSON-able values."""
        histories = [[dict(row) for row in rows] for rows in self.histories]
        return {"update": self.update, "histories": histories, "generator": self.generator}

    @classmethod
    def restored(cls, arrays: dict[str, NDArray], record: dict[str, Any]) -> SPDGProgress:
        """The progress that `arrays` and `record` were taken from."""
        histories = [[dict(row) for row in rows] for rows in record["histories"]]
        copies = {name: np.array(arrays[name]) for name in cls._ARRAYS}
        return cls(**copies, update=record["update"], histories=histories, generator=record["generator"])

    @classmethod
    def at(cls, starts: Sequence[SPDGState], rng: np.random.Generator) -> SPDGProgress:
        """The beginning of a loop from these starts."""
        weights = np.stack([np.column_stack([s.coef, s.intercept]) for s in starts]).astype(float)
        dual = np.stack([s.dual for s in starts]).astype(float)
        n = len(starts)
        return cls(
            weights, dual, weights.copy(), dual.copy(), np.full(n, np.inf), np.full(n, np.inf),
            np.zeros(n, np.int64), np.ones(n), np.zeros(n, np.int64),
            histories=[[] for _ in starts], generator=dict(rng.bit_generator.state),
        )  # fmt: skip

    def result(self, r: int, patience: int | None) -> SPDGResult:
        """What start r has come to."""
        diverged = self.alive[r] == 0.0
        stale = patience is not None and self.stale[r] >= patience
        reason = "diverged" if diverged else "no improvement" if stale else "max_updates"
        coef, intercept = self.best_weights[r, :, :-1].copy(), self.best_weights[r, :, -1].copy()
        return SPDGResult(
            coef, intercept, self.best_dual[r].copy(), float(self.best_cost[r]), self.histories[r],
            int(self.done[r]), bool(diverged), reason,
        )  # fmt: skip


class _Updater:
    """Runs batches on all starts of a progress, with the kernel that fits the problem."""

    def __init__(self, X: Array, lm_prob: Array, settings: SPDGSettings, compiled: bool) -> None:
        self.X = np.ascontiguousarray(X, dtype=float)
        self.lm_prob, self.settings, self.compiled = lm_prob, settings, compiled
        self.free = free_weights(lm_prob.shape[0], X.shape[1], settings)
        spread = np.append(np.sqrt(np.mean(self.X**2, axis=0)), 1.0)
        self.bound = _LOGIT_LIMIT / (settings.gamma * np.maximum(spread, 1e-100))
        binary = lm_prob.shape[0] == 2 and lm_prob.ndim <= 2 and settings.dual_form != "naive"
        self.binary = binary and settings.subsequence_length <= LONGEST
        self.rows = feature_rows(self.X) if compiled and self.binary else np.empty((0, 0))

    def advance(self, progress: SPDGProgress, starts: NDArray[np.int64]) -> None:
        """Do the updates of `starts` on every start that is alive."""
        if self.compiled and self.binary and len(progress.alive) > 1:
            progress.done += self._advance_lanes(progress, starts)
        else:
            for r in map(int, np.flatnonzero(progress.alive)):
                kept = self._advance_one(progress, r, starts)
                progress.done[r] += kept
                progress.alive[r] = float(kept == len(starts))
        progress.update += len(starts)

    def _fixed(self) -> tuple[Any, ...]:
        s = self.settings
        rates = np.array([s.primal_lr, s.dual_lr, s.decay])
        return self.free, self.bound, rates, _FORMS[s.dual_form], s.floor

    def _problem(self) -> tuple[Any, ...]:
        s = self.settings
        return s.subsequence_length, self.lm_prob.ndim, s.gamma, self.lm_prob.ravel()

    def _advance_lanes(self, progress: SPDGProgress, starts: NDArray[np.int64]) -> NDArray[np.int64]:
        weights = np.ascontiguousarray(np.moveaxis(progress.weights, 0, -1))  # (2, D + 1, R)
        dual = np.ascontiguousarray(progress.dual.reshape(len(progress.dual), -1).T)  # (2**order, R)
        moving = (weights, dual, *self._fixed(), progress.update, progress.alive)
        kept = run_lane_updates(self.rows, starts, *self._problem(), *moving)
        progress.weights[...] = np.moveaxis(weights, -1, 0)
        progress.dual[...] = dual.T.reshape(progress.dual.shape)
        return kept

    def _advance_one(self, progress: SPDGProgress, r: int, starts: NDArray[np.int64]) -> int:
        if not self.compiled:
            return self._advance_readable(progress, r, starts)
        run, data = (run_binary_updates, self.rows) if self.binary else (run_updates, self.X)
        moving = (progress.weights[r], progress.dual[r].reshape(-1), *self._fixed(), progress.update)
        return int(run(data, starts, *self._problem(), *moving))

    def _advance_readable(self, progress: SPDGProgress, r: int, starts: NDArray[np.int64]) -> int:
        """The kernels' loop with the readable step: the same checks at the same updates."""
        step = naive_minibatch_step if self.settings.dual_form == "naive" else spdg_step
        offsets = np.arange(self.settings.subsequence_length)
        for begin in range(0, len(starts), CHECK_EVERY):
            state = SPDGState(progress.weights[r, :, :-1], progress.weights[r, :, -1], progress.dual[r])
            for u, batch in enumerate(starts[begin : begin + CHECK_EVERY], progress.update + begin):
                points = self.X[batch[:, None] + offsets]  # (B, L, D)
                state = step(state, points, self.lm_prob, self.settings, u)
            weights = np.column_stack([state.coef, state.intercept])
            if not is_sound(weights, state.dual.ravel(), self.bound):
                return begin
            progress.weights[r], progress.dual[r] = weights, state.dual
        return len(starts)


def run_spdg(
    X: Array,
    lengths: ArrayLike | None,
    lm_prob: Array,
    settings: SPDGSettings,
    *,
    rng: np.random.Generator,
    start: SPDGState | None = None,
    **options: Any,
) -> SPDGResult:
    """Run Algorithm 1, or naive minibatch descent, from one start.

    The arguments are those of `run_spdg_lanes`; without `start`, `initial_state` draws one from `rng`.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y = (rng.random(4000) < 0.25).astype(int)
    >>> X = np.where(y == 0, -1.0, 1.0)[:, None] + 0.3 * rng.standard_normal((4000, 1))
    >>> run = run_spdg(X, None, np.array([0.75, 0.25]), SPDGSettings(), rng=rng, max_updates=5000)
    >>> run.stopped_because, round(run.cost, 2)  # the entropy of (0.75, 0.25) is 0.56
    ('max_updates', 0.56)
    """
    starts = [start or initial_state(rng, X, lengths, lm_prob, settings)]
    return run_spdg_lanes(X, lengths, lm_prob, settings, rng=rng, starts=starts, **options)[0]


def run_spdg_lanes(
    X: Array,
    lengths: ArrayLike | None,
    lm_prob: Array,
    settings: SPDGSettings,
    *,
    rng: np.random.Generator,
    starts: Sequence[SPDGState],
    max_updates: int,
    look_every: int = 50_000,
    validation: tuple[Array, ArrayLike | None] | None = None,
    patience: int | None = None,
    tol: float = 0.0,
    on_block: Callable[[SPDGProgress], object] | None = None,
    progress: SPDGProgress | None = None,
    compiled: bool = True,
) -> list[SPDGResult]:
    """Algorithm 1 from several starts on the same batches, each one's lowest full-pass J kept (SPDG).

    J is read on a full pass, never on a batch, whose log-of-average is biased: before the first update, after
    1,000 updates (so that diverging rates are noticed early), and then every `look_every`.

    Parameters
    ----------
    X : array of shape (T, D)
    lengths : array of shape (S,), optional
    lm_prob : array of shape (C,) * order
        Order 1, 2 or 3.
    settings : SPDGSettings
    rng : numpy Generator
        Draws the batches.
    starts : sequence of SPDGState
        With two classes and order 1 or 2 they run as SIMD lanes; otherwise one after another.
    max_updates : int
    look_every : int
        Updates between two full passes.
    validation : pair of X and lengths, optional
        Where J is read; the training data by default.
    patience : int, optional
        Stop when every start has gone this many looks without lowering its J by more than `tol`.
    tol : float
    on_block : callable, optional
        Called with the SPDGProgress after each look; what it saves can be given back as `progress`.
    progress : SPDGProgress, optional
        Continue from here, bit for bit as if never interrupted; `starts` and the state of `rng` are ignored.
    compiled : bool
        False runs the readable twin.

    Returns
    -------
    list of SPDGResult, one per start

    Warns
    -----
    DivergedWarning
        Some start left the domain where it can learn; its best sound state is kept.
    """
    _check_order(lm_prob, settings)
    lengths = check_lengths(lengths, len(X))
    seen, seen_lengths = (X, lengths) if validation is None else validation
    updater = _Updater(X, lm_prob, settings, compiled)
    if progress is None:
        progress = SPDGProgress.at(starts, rng)
        _look(progress, seen, seen_lengths, lm_prob, settings.gamma, tol)
    rng.bit_generator.state = progress.generator
    while progress.update < max_updates and _hopeful(progress, patience):
        stop = min(_next_look(progress.update, look_every), max_updates)
        _advance_to(stop, progress, updater, rng, lengths)
        _look(progress, seen, seen_lengths, lm_prob, settings.gamma, tol)
        progress.generator = dict(rng.bit_generator.state)
        if on_block is not None:
            on_block(progress)
    _warn_of_divergence(progress)
    return [progress.result(r, patience) for r in range(len(progress.alive))]


def _check_order(lm_prob: Array, settings: SPDGSettings) -> None:
    if not 1 <= lm_prob.ndim <= 3:
        raise ParameterError("SPDG needs a table of order 1, 2 or 3", f"it has order {lm_prob.ndim}",
                             "Use the label model's marginal of a lower order")  # fmt: skip
    if settings.subsequence_length < lm_prob.ndim:
        raise ParameterError(
            f"A subsequence must hold at least one window of {lm_prob.ndim} points",
            f"subsequence_length is {settings.subsequence_length}",
            "Raise subsequence_length",
        )


def _next_look(update: int, look_every: int) -> int:
    early = min(CHECK_EVERY, look_every)
    return early if update < early else (update // look_every + 1) * look_every


def _advance_to(
    stop: int, progress: SPDGProgress, updater: _Updater, rng: np.random.Generator, lengths: NDArray
) -> None:
    s = updater.settings
    most = max(1, _DRAWN // s.batch_size)
    while progress.update < stop and progress.alive.any():
        n_updates = min(most, stop - progress.update)
        starts = draw_batches(rng, lengths, s.subsequence_length, s.batch_size, n_updates)
        updater.advance(progress, starts)


def _look(
    progress: SPDGProgress, X: Array, lengths: ArrayLike | None, lm_prob: Array, gamma: float, tol: float
) -> None:
    """Read every start's J on a full pass; keep the best state, and give up those that can learn no more."""
    for r in range(len(progress.alive)):
        if progress.histories[r] and progress.histories[r][-1]["update"] == progress.done[r]:
            continue  # diverged, and not moved since the last look
        state = SPDGState(progress.weights[r, :, :-1], progress.weights[r, :, -1], progress.dual[r])
        posteriors = state.model(gamma).posteriors(X)
        value = cost(lm_prob, expected_ngrams(posteriors, lm_prob.ndim, lengths))
        progress.histories[r].append({"update": int(progress.done[r]), "cost": value})
        if progress.update == 0:
            progress.first_cost[r] = value
        lost = posteriors.max(axis=1).mean() > _SATURATED and value > progress.first_cost[r]
        if progress.update > 0 and (lost or not np.isfinite(value)):
            progress.alive[r] = 0.0
        elif value < progress.best_cost[r] - tol or progress.update == 0:
            progress.best_cost[r], progress.stale[r] = value, 0
            progress.best_weights[r], progress.best_dual[r] = progress.weights[r], progress.dual[r]
        else:
            progress.stale[r] += 1


def _hopeful(progress: SPDGProgress, patience: int | None) -> bool:
    waiting = progress.alive > 0
    if patience is not None:
        waiting &= progress.stale < patience
    return bool(waiting.any())


def _warn_of_divergence(progress: SPDGProgress) -> None:
    lost = np.flatnonzero(progress.alive == 0.0)
    if len(lost):
        seen = (
            f"{len(lost)} of {len(progress.alive)} SPDG runs diverged, the first after "
            f"{int(progress.done[lost].min())} updates; the best sound state is kept"
        )
        warnings.warn(DivergedWarning(seen), stacklevel=3)
