"""Many starts, the label permutations of what they find, the choice by full-pass J (random restarts).

J has a basin for the right classifier and others near its relabellings; a third to a half of random starts
end in a wrong one. Renaming the labels of a classifier only permutes its expected table, so every relabelling
of a result is judged without a pass over the data. The nearest ones are then followed by the solver, because
a wrong basin's minimum is not exactly the right one's relabelled, and must descend before it is compared.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, permutations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ventris.classifiers.loglinear import LogLinear
from ventris.objective import floored_cost
from ventris.objective.relabelling import EXHAUSTIVE, descend_by_swaps, relabelled
from ventris.solvers.problem import Problem
from ventris.solvers.settings import DEFAULT, RestartSettings
from ventris.solvers.solution import Solution

Array = NDArray[np.floating]
# A solver bound to its problem: some starts and a generator in, one solution for each start out.
Solve = Callable[[Sequence[LogLinear], np.random.Generator], list[Solution]]


@dataclass(frozen=True)
class Restarts:
    """The best of many starts (random restarts).

    Attributes
    ----------
    best : Solution
    costs : tuple of float
        Full-pass J of each start's answer, in the order of the starts, before relabelling.
    followed_costs : tuple of float
        The same after the relabellings of that answer were followed.
    was_relabelled : bool
        Whether the best came from a relabelling that no start had reached.
    recurrence : int
        Starts that led to the best answer, by themselves or by a relabelling of theirs.
    runner_up : Solution or None
        The best distinct solution: its labels differ on more points than `RestartSettings.distinct` says.
    margin : float or None
        How much higher the runner-up's J is.
    """

    best: Solution
    costs: tuple[float, ...]
    followed_costs: tuple[float, ...]
    was_relabelled: bool
    recurrence: int
    runner_up: Solution | None
    margin: float | None

    def to_dict(self) -> dict[str, object]:
        """Plain numbers, for a report."""
        return {
            "cost": self.best.cost,
            "costs": list(self.costs),
            "followed_costs": list(self.followed_costs),
            "was_relabelled": self.was_relabelled,
            "recurrence": self.recurrence,
            "margin": self.margin,
        }


def restart(
    problem: Problem,
    solve: Solve,
    starts: Sequence[LogLinear],
    rng: np.random.Generator,
    *,
    settings: RestartSettings = DEFAULT,
) -> Restarts:
    """Solve from every start and choose by full-pass J, in one problem and order (random restarts).

    Parameters
    ----------
    problem : Problem
    solve : callable
        ``solve(starts, rng)`` gives one Solution for each start.
    starts : sequence of LogLinear
        From `ventris.solvers.starts.draw_starts`, or your own.
    rng : Generator
        Every call of `solve` is given a child of its own, so a call taken from a checkpoint changes no other.
    settings : RestartSettings

    Returns
    -------
    Restarts

    Examples
    --------
    >>> from ventris.datasets import make_paper_chain
    >>> from ventris.solvers.full_batch import match_full_batch
    >>> from ventris.solvers.starts import draw_starts
    >>> chain = make_paper_chain(2, n_samples=2400)
    >>> problem = Problem(chain.train.X, np.array([2000]), chain.lm.joint(2))
    >>> def solve(starts, rng):
    ...     return [match_full_batch(problem.X, problem.lengths, problem.lm_prob, each) for each in starts]
    >>> rng = np.random.default_rng(0)
    >>> found = restart(problem, solve, draw_starts(problem, 3, rng), rng)
    >>> labels = found.best.model.posteriors(chain.test.X).argmax(axis=1)
    >>> bool(np.mean(labels != chain.test.y) < 0.08), len(found.costs), found.margin > 0
    (True, 3, True)
    """
    found = solve(starts, rng.spawn(1)[0])
    answers = group_answers(found, _judged(problem.X, settings=settings), settings=settings)
    for answer in answers[: settings.answers]:
        answer.followed = follow_relabellings(problem, solve, answer.solution, rng, settings=settings)
    rivals = _challenge(problem, solve, answers, rng, settings=settings)
    return _choose(problem, found, answers, rivals, settings=settings)


# -------------------------------------------------------------------------------------------- answers


@dataclass
class Answer:
    """One distinct answer: its best solution, the starts that gave it, and where its relabellings lead."""

    solution: Solution
    labels: NDArray[np.int64]
    starts: list[int]
    followed: list[Solution]

    @property
    def final(self) -> Solution:
        """The best of the answer and of what its relabellings lead to."""
        return min([self.solution, *self.followed], key=_cost)


def group_answers(
    found: Sequence[Solution], points: Array, *, settings: RestartSettings = DEFAULT
) -> list[Answer]:
    """The distinct answers among solutions, best first."""
    answers: list[Answer] = []
    for index in np.argsort([solution.cost for solution in found], kind="stable"):
        labels = _labels(found[index], points)
        same = next((a for a in answers if disagreement(a.labels, labels) <= settings.distinct), None)
        if same is None:
            answers.append(Answer(found[index], labels, [int(index)], []))
        else:
            same.starts.append(int(index))
    return answers


def disagreement(labels: NDArray, others: NDArray) -> float:
    """Share of the points that two classifiers label differently.

    Examples
    --------
    >>> disagreement(np.array([0, 1, 1, 0]), np.array([0, 1, 0, 0]))
    0.25
    """
    return float(np.mean(labels != others))


def _cost(solution: Solution) -> float:
    return solution.cost


def _judged(X: Array, *, settings: RestartSettings) -> Array:
    """Points spread evenly over the data, so many at most as are enough."""
    return X[:: -(-len(X) // settings.judged_points)]


def _labels(solution: Solution, points: Array) -> NDArray[np.int64]:
    return solution.model.posteriors(points).argmax(axis=1)


# ---------------------------------------------------------------------------------------- relabelling


def follow_relabellings(
    problem: Problem,
    solve: Solve,
    solution: Solution,
    rng: np.random.Generator,
    *,
    settings: RestartSettings = DEFAULT,
) -> list[Solution]:
    """Solutions that the solver reaches from the nearest relabellings of one solution."""
    ranked = rank_relabellings(problem.lm_prob, problem.expected(solution.model))
    soft = softened(solution.model, _judged(problem.X, settings=settings), settings=settings)
    renamed = (rename(soft, permutation, problem.mask) for permutation in ranked)
    starts = [model for model in renamed if model is not None][: settings.followed]
    return solve(starts, rng.spawn(1)[0]) if starts else []


def rank_relabellings(lm_prob: Array, expected_prob: Array) -> list[NDArray[np.int64]]:
    """Relabellings other than the identity, the lowest J first; no pass over the data.

    All permutations up to six classes. Beyond, the swaps of two labels, led by the end of a swap descent.

    Examples
    --------
    >>> lm = np.array([[0.6, 0.2], [0.2, 0.0]])
    >>> rank_relabellings(lm, lm)
    [array([1, 0])]
    """
    n_classes = len(lm_prob)
    if n_classes <= EXHAUSTIVE:
        options = [np.array(p) for p in permutations(range(n_classes))][1:]
    else:
        descended = descend_by_swaps(lm_prob, expected_prob)
        moved = not np.array_equal(descended, np.arange(n_classes))
        options = [descended] * moved + _swaps(n_classes)
    return sorted(options, key=lambda p: floored_cost(lm_prob, relabelled(expected_prob, p)))


def softened(model: LogLinear, points: Array, *, settings: RestartSettings = DEFAULT) -> LogLinear:
    """The same boundaries with logits of moderate size on these points (a higher temperature).

    J lets weights grow without bound, and where every output is 0 or 1 no gradient is left to follow.

    Examples
    --------
    >>> hard = LogLinear(np.array([[-900.0], [900.0]]), np.zeros(2))
    >>> softened(hard, np.array([[-1.0], [1.0]])).coef
    array([[-2.],
           [ 2.]])
    """
    logits = model.logits(points)
    logits -= logits.mean(axis=1, keepdims=True)
    size = float(np.sqrt(np.mean(logits.astype(float) ** 2)))
    factor = min(1.0, settings.soft / size) if size > 0 else 1.0
    return replace(model, coef=factor * model.coef, intercept=factor * model.intercept)


def _swaps(n_classes: int) -> list[NDArray[np.int64]]:
    swaps = []
    for a, b in combinations(range(n_classes), 2):
        swap = np.arange(n_classes)
        swap[[a, b]] = b, a
        swaps.append(swap)
    return swaps


def rename(
    model: LogLinear, permutation: ArrayLike, mask: NDArray[np.bool_] | None = None
) -> LogLinear | None:
    """The classifier with output c renamed ``permutation[c]``, or None if its mask cannot hold it.

    Two classes are exchanged by a change of sign, which every mask can hold.

    Examples
    --------
    >>> paper = LogLinear(np.diag([1.0, 2.0]), np.zeros(2))
    >>> rename(paper, [1, 0], np.eye(2, dtype=bool)).coef
    array([[-1., -0.],
           [-0., -2.]])
    """
    order = np.asarray(permutation)
    if len(order) == 2:
        sign = 1.0 if order[0] == 0 else -1.0
        return replace(model, coef=sign * model.coef, intercept=sign * model.intercept)
    if mask is not None and not np.array_equal(mask[np.argsort(order)], mask):
        return None
    return model.relabelled(order)


# --------------------------------------------------------------------------------------------- choice


def _challenge(
    problem: Problem,
    solve: Solve,
    answers: Sequence[Answer],
    rng: np.random.Generator,
    *,
    settings: RestartSettings,
) -> list[Solution]:
    """Follow the best one's relabellings too, if it came from one itself, until no rival dethrones it."""
    rivals: list[Solution] = []
    best, seen = min((a.final for a in answers), key=_cost), [a.solution for a in answers]
    for _ in range(settings.rounds):
        if any(best is solution for solution in seen):
            break
        rivals += follow_relabellings(problem, solve, best, rng, settings=settings)
        seen.append(best)
        best = min([best, *rivals], key=_cost)
    return rivals


def _choose(
    problem: Problem,
    found: Sequence[Solution],
    answers: Sequence[Answer],
    rivals: list[Solution],
    *,
    settings: RestartSettings,
) -> Restarts:
    points = _judged(problem.X, settings=settings)
    candidates = [*found, *(s for answer in answers for s in answer.followed), *rivals]
    ranked = sorted(candidates, key=_cost)
    best, chosen = ranked[0], _labels(ranked[0], points)

    def agrees(solution: Solution) -> bool:
        return disagreement(chosen, _labels(solution, points)) <= settings.distinct

    runner_up = next((solution for solution in ranked[1:] if not agrees(solution)), None)
    followed = {start: answer.final.cost for answer in answers for start in answer.starts}
    return Restarts(
        best=best,
        costs=tuple(solution.cost for solution in found),
        followed_costs=tuple(followed[start] for start in range(len(found))),
        was_relabelled=not any(agrees(answer.solution) for answer in answers),
        recurrence=sum(len(answer.starts) for answer in answers if agrees(answer.final)),
        runner_up=runner_up,
        margin=None if runner_up is None else runner_up.cost - best.cost,
    )
