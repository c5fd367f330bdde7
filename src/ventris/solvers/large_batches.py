"""Matching by large batches: the saddle point of L by stochastic primal-dual gradient (E4, E6–E8).

A full pass costs too much to be paid for every step when points are many. Here a step reads a few thousand
windows, enough for BLAS to do the work, and V carries from one step to the next what earlier batches said
about P̄; J is read on full passes only, block by block, so that nothing as long as the data is ever held.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ventris import objective
from ventris.classifiers.loglinear import LogLinear, weight_gradient
from ventris.classifiers.units import Coordinates
from ventris.data.sequences import check_lengths
from ventris.errors import DataError
from ventris.solvers.problem import floored_cost
from ventris.solvers.solution import Solution
from ventris.solvers.spdg import log_ascent

Array = NDArray[np.floating]
_RUN = 512  # windows of a run: neighbours say much the same, so a batch is made of runs from everywhere
_BATCH = 4096  # windows of a batch: half of them left rare n-grams of 100 labels out, twice gained nothing
_MEAN, _SQUARE = 0.9, 0.99  # what of the gradient's mean and mean square a step keeps


@dataclass(frozen=True)
class Runs:
    """Stretches of neighbouring windows; each window of the data lies in exactly one of them.

    Attributes
    ----------
    first : int array of shape (R,)
        The first point of each.
    windows : int array of shape (R,)
        How many windows it holds; it has ``order − 1`` points more.
    order : int

    Examples
    --------
    >>> runs = Runs.of([7, 1, 3], order=2, longest=4)
    >>> runs.first.tolist(), runs.windows.tolist()
    ([0, 4, 8], [4, 2, 2])
    """

    first: NDArray[np.int64]
    windows: NDArray[np.int64]
    order: int

    @property
    def n_windows(self) -> int:
        """W, the windows of all runs."""
        return int(self.windows.sum())

    @classmethod
    def of(cls, lengths: ArrayLike, order: int, longest: int = _RUN) -> Runs:
        """Cut sequences into runs of at most `longest` windows; sequences without a window have no run."""
        sizes = np.asarray(lengths, dtype=np.int64)
        windows = np.maximum(sizes - order + 1, 0)
        if not windows.any():
            raise DataError(
                f"At least one sequence must hold a window of {order} points",
                f"the longest has {int(sizes.max())}",
                "Give longer sequences or a lower order",
            )
        pieces = -(-windows // longest)
        owner = np.repeat(np.arange(len(sizes)), pieces)
        done = longest * (np.arange(len(owner)) - np.repeat(np.cumsum(pieces) - pieces, pieces))
        first = (np.cumsum(sizes) - sizes)[owner] + done
        return cls(first, np.minimum(longest, windows[owner] - done), order)

    def batches(self, rng: np.random.Generator | None = None) -> Iterator[Runs]:
        """All runs, shuffled if a generator is given, in batches of nearly equally many windows."""
        turn = np.arange(len(self.first)) if rng is None else rng.permutation(len(self.first))
        windows = self.windows[turn]
        n_batches = max(1, round(self.n_windows / _BATCH))
        number = (np.cumsum(windows) - windows) * n_batches // self.n_windows
        for part in np.split(turn, np.flatnonzero(np.diff(number)) + 1):
            part.sort()  # files are read forwards
            yield Runs(self.first[part], self.windows[part], self.order)

    def rows(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The runs' points with one more after each run, and where these ends lie among them."""
        sizes = self.windows + self.order
        ends = np.cumsum(sizes) - 1
        rows = np.arange(ends[-1] + 1) + np.repeat(self.first - (ends + 1 - sizes), sizes)
        return rows, ends

    def outputs(self, model: LogLinear, X: Array) -> tuple[Array, Array]:
        """The points and their posteriors, those at a run's end zero: shapes (n, D) and (n, C).

        A window that holds a point of no probability counts for nothing, so none reaches from run to run,
        and yet all are slices of one array: two to four times faster than to pick out those that count.
        """
        rows, ends = self.rows()
        points = X[np.minimum(rows, len(X) - 1)]
        posteriors = model.posteriors(points)
        posteriors[ends] = 0
        return points, posteriors

    def share(self, outputs: Array) -> float:
        """How many windows the outputs have for each that counts."""
        return (len(outputs) - self.order + 1) / self.n_windows


def expected_by_batches(model: LogLinear, X: Array, order: int, lengths: ArrayLike | None = None) -> Array:
    """P̄ of a classifier on the whole data (E2), shape (C,) * order, without all its posteriors at once.

    Examples
    --------
    >>> X = np.array([[-1.0], [1.0], [1.0]])
    >>> expected_by_batches(LogLinear(np.array([[-50.0], [50.0]]), np.zeros(2)), X, order=2).round(3)
    array([[0. , 0.5],
           [0. , 0.5]])
    """
    runs = Runs.of(check_lengths(lengths, len(X)), order)
    total = np.zeros((len(model.intercept),) * order)
    for batch in runs.batches():
        _, posteriors = batch.outputs(model, X)
        share = batch.share(posteriors) * batch.n_windows / runs.n_windows
        total += share * objective.expected_ngrams(posteriors, order)
    return total


def batch_gradients(
    model: LogLinear, X: Array, batch: Runs, lm_prob: Array, dual: Array
) -> tuple[Array, Array, Array]:
    """P̄ of a batch (E2), and ∂L/∂W and ∂L/∂b on it at this dual (E7, E9).

    Returns
    -------
    expected_prob : array of shape (C,) * order
    coef_gradient : array of shape (C, D)
    intercept_gradient : array of shape (C,)
    """
    points, posteriors = batch.outputs(model, X)
    share = batch.share(posteriors)
    expected = share * objective.expected_ngrams(posteriors, batch.order)
    gradient = objective.logit_gradient(posteriors, lm_prob, dual)  # (n, C)
    return expected, *weight_gradient(points, gradient, share * model.gamma)


class _Descent:
    """θ's way down: each weight's step is its mean gradient over the root of its mean square (Adam).

    Gradients of a rare class are a thousand times smaller than those of a common one; divided by their own
    size they all arrive.
    """

    def __init__(self, place: Array) -> None:
        self.place, self.n_steps = place, 0
        self.mean, self.square = np.zeros_like(place), np.zeros_like(place)

    def step(self, gradient: Array, rate: float) -> None:
        """One step; both means began at zero, a bias that is divided out."""
        self.n_steps += 1
        self.mean += (1 - _MEAN) * (gradient - self.mean)
        self.square += (1 - _SQUARE) * (gradient**2 - self.square)
        mean = self.mean / (1 - _MEAN**self.n_steps)
        square = self.square / (1 - _SQUARE**self.n_steps)
        self.place = self.place - rate * mean / (np.sqrt(square) + 1e-12)


def match_by_batches(
    X: Array,
    lengths: ArrayLike | None,
    lm_prob: ArrayLike,
    start: LogLinear,
    units: Coordinates,
    rng: np.random.Generator,
    *,
    max_updates: int = 200,
    primal_lr: float = 0.1,
    dual_lr: float = 0.4,
) -> Solution:
    """Minimise ``J = max_V L + ΣP`` over the weights by steps on large batches (E4–E8), from `start`.

    Parameters
    ----------
    X : array of shape (T, D)
        May be a memory-mapped file: it is read batch by batch.
    lengths : array of shape (S,), optional
    lm_prob : array of shape (C,) * N
    start : LogLinear
    units : Coordinates
        Which weights are free, and the units in which they move.
    rng : Generator
        Shuffles the runs of windows.
    max_updates : int
    primal_lr, dual_lr : float
        μ_θ, in `units`, and μ_V, of V's logarithm; both fall to zero. V must stay ahead of θ.

    Returns
    -------
    Solution
        Of no greater J than the start.

    Notes
    -----
    A weight moves by some ``primal_lr · max_updates / 2`` in `units` at most. J falls a little further when
    weights grow without bound, and the outputs are then surer than right.

    Examples
    --------
    >>> from ventris.datasets import make_paper_chain
    >>> chain = make_paper_chain(2, n_samples=2400)
    >>> start = LogLinear(np.array([[-1.0, 0.0], [1.0, 0.0]]), np.zeros(2))
    >>> units, rng = Coordinates.of(chain.train.X, 2), np.random.default_rng(0)
    >>> found = match_by_batches(chain.train.X, None, chain.lm.joint(2), start, units, rng)
    >>> labels = found.model.posteriors(chain.test.X).argmax(axis=1)
    >>> bool(np.mean(labels != chain.test.y) < 0.08), found.n_iter
    (True, 200)
    """
    prob, checked = np.asarray(lm_prob, dtype=float), check_lengths(lengths, len(X))
    before = _look(units.model(units.flat(start)), X, checked, prob)
    batches = islice(_epochs(Runs.of(checked, prob.ndim), rng), max_updates)
    descent, dual = _Descent(units.flat(start)), before.dual
    with np.errstate(over="ignore", invalid="ignore"):  # a step too far is noticed by its J
        for batch, slowing in zip(batches, np.linspace(1, 0, max_updates, endpoint=False), strict=True):
            model = units.model(descent.place)
            expected, coef, intercept = batch_gradients(model, X, batch, prob, dual)
            descent.step(units.gradient(coef, intercept), slowing * primal_lr)
            dual = log_ascent(dual, prob, expected, slowing * dual_lr)  # (E8), both at the old point
        after = _look(units.model(descent.place), X, checked, prob)
    sound = np.isfinite(after.cost)
    best = after if sound and after.cost < before.cost else before
    return replace(best, n_iter=max_updates, stopped_because="max_iter" if sound else "diverged")


def _epochs(runs: Runs, rng: np.random.Generator) -> Iterator[Runs]:
    """Batches without end: every window once, then in another order again."""
    while True:
        yield from runs.batches(rng)


def _look(model: LogLinear, X: Array, lengths: NDArray, lm_prob: Array) -> Solution:
    """J and the optimal dual (E5) of a classifier, by a pass over all the data."""
    expected = expected_by_batches(model, X, lm_prob.ndim, lengths)
    return Solution(model, objective.optimal_dual(expected), floored_cost(lm_prob, expected))
