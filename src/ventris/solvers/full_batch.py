"""Full-batch matching: J over all the data, by a quasi-Newton method (E1, E5, E7, E9; L-BFGS)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ventris import objective
from ventris.classifiers.loglinear import Coordinates, LogLinear, weight_gradient
from ventris.data.sequences import ROWS
from ventris.errors import ParameterError
from ventris.kernels.softmax import softmax_rows
from ventris.objective import floored_cost
from ventris.solvers.solution import Callback, Reason, Row, Solution

Array = NDArray[np.floating]
_CACHED_ROWS = 4096  # a block of rows whose logits stay in cache
_NARROW = 8  # classes up to which the widening would cost more than it saves
_NEVER = -1e30  # the logit of a class that never occurs
_REASONS: dict[int, Reason] = {0: "converged", 1: "max_iter", 2: "line_search"}


def cost_and_weight_gradient(
    model: LogLinear, X: Array, lm_prob: ArrayLike, lengths: ArrayLike | None = None
) -> tuple[float, Array, Array]:
    """J and its gradients with respect to W and the intercept, over all the data.

    Only the (T, C) posteriors and their gradient are held; the rows of X are read block by block.

    Returns
    -------
    cost : float
    coef_gradient : array of shape (C, D)
    intercept_gradient : array of shape (C,)
    """
    wide, wide_prob = _widened(model, np.asarray(lm_prob, dtype=float))
    posteriors = _posteriors(wide, X)  # (T, C′)
    cost, gradient = objective.cost_and_logit_gradient(posteriors, wide_prob, lengths)
    coef, intercept = np.zeros(wide.coef.shape), np.zeros(wide.intercept.shape)
    for first in range(0, len(X), ROWS):
        rows = slice(first, first + ROWS)
        coef_part, intercept_part = weight_gradient(X[rows], gradient[rows], model.gamma)
        coef += coef_part
        intercept += intercept_part
    n_classes = len(model.intercept)
    return cost, coef[:n_classes], intercept[:n_classes]


def _widened(model: LogLinear, lm_prob: Array) -> tuple[LogLinear, Array]:
    """Add classes that never occur, up to a multiple of four: BLAS is up to a third faster on such widths.

    They change nothing: their outputs are below 1e-37, and the label model asks for none of them.
    """
    n_classes = len(model.intercept)
    more = -n_classes % 4 if n_classes > _NARROW else 0
    if not more:
        return model, lm_prob
    width = n_classes + more
    coef = np.zeros((width, model.coef.shape[1]), dtype=model.coef.dtype)
    coef[:n_classes] = model.coef
    intercept = np.full(width, _NEVER / model.gamma)
    intercept[:n_classes] = model.intercept
    wide_prob = np.zeros((width,) * lm_prob.ndim)
    wide_prob[(slice(n_classes),) * lm_prob.ndim] = lm_prob
    return LogLinear(coef, intercept, model.gamma), wide_prob


def _posteriors(model: LogLinear, X: Array) -> Array:
    """p_θ of every row (E9), each block of logits turned into probabilities where it lies.

    `LogLinear.posteriors` shifts and scales the logits in passes of their own and rounds otherwise. A fit
    comes here hundreds of times: at 2 and at 28 classes this takes a third and a fifth less.
    """
    coef = (model.gamma * model.coef).astype(X.dtype, copy=False)
    intercept = (model.gamma * model.intercept).astype(X.dtype, copy=False)
    out = np.empty((len(X), len(intercept)), dtype=X.dtype)
    for first in range(0, len(X), _CACHED_ROWS):
        block = out[first : first + _CACHED_ROWS]
        np.matmul(X[first : first + _CACHED_ROWS], coef.T, out=block)
        softmax_rows(block, intercept)
    return out


def match_full_batch(
    X: Array,
    lengths: ArrayLike | None,
    lm_prob: ArrayLike,
    start: LogLinear,
    *,
    fit_intercept: bool = True,
    mask: NDArray[np.bool_] | None = None,
    max_iter: int = 200,
    tol: float = 1e-7,
    callback: Callback | None = None,
) -> Solution:
    """Minimise ``J = −Σ P(i) ln P̄(i)`` over the weights, from `start`, to the end of its basin (L-BFGS).

    Parameters
    ----------
    X : array of shape (T, D)
    lengths : array of shape (S,), optional
    lm_prob : array of shape (C,) * N
    start : LogLinear
        Its γ is kept.
    fit_intercept : bool, default True
        Without it the intercepts are zero and the boundaries pass through the origin.
    mask : bool array of shape (C, D), optional
        Weights outside it stay zero.
    max_iter : int
    tol : float
        Stops when no gradient entry, in units of the data's spread, exceeds it, or an iteration lowers J by
        less than this share.
    callback : callable, optional
        Called with each history row; a true answer stops.

    Returns
    -------
    Solution

    References
    ----------
    R. H. Byrd, P. Lu, J. Nocedal and C. Zhu, "A Limited Memory Algorithm for Bound Constrained Optimization",
    SIAM Journal on Scientific Computing 16 (5), 1995, 1190–1208.

    Examples
    --------
    >>> from ventris.datasets import make_paper_chain
    >>> chain = make_paper_chain(2, n_samples=2400)
    >>> start = LogLinear(np.array([[-1.0, 0.0], [1.0, 0.0]]), np.zeros(2))
    >>> found = match_full_batch(chain.train.X, None, chain.lm.joint(2), start)
    >>> labels = found.model.posteriors(chain.test.X).argmax(axis=1)
    >>> bool(np.mean(labels != chain.test.y) < 0.08), found.converged
    (True, True)
    """
    from scipy.optimize import minimize

    n_classes = np.shape(lm_prob)[0]
    units = Coordinates.of(X, n_classes, gamma=start.gamma, fit_intercept=fit_intercept, mask=mask)
    descent = _Descent(X, lengths, np.asarray(lm_prob, dtype=float), units, callback)
    # J falls ever more slowly as weights grow without bound: its decrease (ftol) decides as well.
    options = {"maxiter": max_iter, "gtol": tol, "ftol": tol, "maxcor": 10}
    with np.errstate(over="ignore", invalid="ignore"):  # a step too far is noticed by its J
        found = minimize(
            descent.value,
            units.flat(start),
            jac=True,
            method="L-BFGS-B",
            callback=descent.record,
            options=options,
        )
    return descent.solution(found)


class _Descent:
    """One run of L-BFGS: what it evaluates, what it keeps."""

    def __init__(
        self,
        X: Array,
        lengths: ArrayLike | None,
        lm_prob: Array,
        units: Coordinates,
        callback: Callback | None,
    ) -> None:
        self.X, self.lengths, self.lm_prob, self.units = X, lengths, lm_prob, units
        self.callback = callback
        self.entropy = objective.entropy(lm_prob)
        self.history: list[Row] = []
        self.best: tuple[float, Array] | None = None
        self.diverged = self.asked_to_stop = False

    def value(self, flat: Array) -> tuple[float, Array]:
        model = self.units.model(flat)
        cost, coef, intercept = cost_and_weight_gradient(model, self.X, self.lm_prob, self.lengths)
        gradient = self.units.gradient(coef, intercept)
        if not (np.isfinite(cost) and np.isfinite(gradient).all()):
            self.diverged = True
            return np.inf, np.zeros_like(flat)
        if self.best is None or cost < self.best[0]:
            self.best = cost, flat.copy()
        return cost, gradient

    def record(self, intermediate_result: Any) -> None:
        cost = float(intermediate_result.fun)
        row: Row = {"iteration": len(self.history) + 1, "cost": cost, "excess_cost": cost - self.entropy}
        self.history.append(row)
        if self.callback is None:
            return
        if self.callback(row | {"model": self.units.model(intermediate_result.x.copy())}):
            self.asked_to_stop = True
            raise StopIteration

    def solution(self, found: Any) -> Solution:
        if self.best is None:
            raise ParameterError(
                "The start must give finite outputs on this data",
                "it overflows",
                "Scale the features, or start from smaller weights",
            )
        model = self.units.model(self.best[1])
        expected = objective.expected_ngrams(model.posteriors(self.X), self.lm_prob.ndim, self.lengths)
        reason = self.reason(int(found.status))
        return Solution(
            model=model,
            dual=objective.optimal_dual(expected),
            cost=floored_cost(self.lm_prob, expected),
            history=self.history,
            n_iter=len(self.history),
            converged=reason == "converged",
            stopped_because=reason,
        )

    def reason(self, status: int) -> Reason:
        if self.asked_to_stop:
            return "callback"
        if self.diverged:
            return "diverged"
        return _REASONS.get(status, "line_search")
