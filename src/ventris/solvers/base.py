"""What a solver is: it says what it needs, refuses with a sentence, and turns starts into solutions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import InvalidParameterError

from ventris.classifiers.loglinear import LogLinear
from ventris.errors import ParameterError
from ventris.solvers.problem import Problem
from ventris.solvers.solution import Callback, Solution


class Memory(Protocol):
    """Where a solver keeps what it needs to go on after an interruption (`ventris.storage.checkpoint`)."""

    def load(self) -> tuple[dict[str, NDArray], dict[str, Any]] | None:
        """What was stored last, if anything."""

    def store(self, arrays: dict[str, NDArray], meta: dict[str, Any]) -> None:
        """Keep this instead."""


@dataclass(repr=False)  # scikit-learn's shows what differs from the defaults, and no more
class Solver(BaseEstimator):
    """A way to lower J, with its settings, which scikit-learn's ``set_params`` and ``clone`` know.

    Attributes
    ----------
    name : str
    max_order : int or None
        The longest n-gram it can match.
    any_mask : bool
        Whether it can hold any weights at zero, or only the paper's diagonal form.
    stops_early : bool
        Whether it looks at a held-out part to see when to stop.
    """

    name: ClassVar[str]
    max_order: ClassVar[int | None] = None
    any_mask: ClassVar[bool] = True
    stops_early: ClassVar[bool] = False
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {}

    def check_settings(self) -> None:
        """Refuse settings outside their domains; as in scikit-learn, not before they are used."""
        try:
            self._validate_params()
        except InvalidParameterError as problem:
            raise ParameterError(
                "Every setting of a solver must be in its domain",
                str(problem).rstrip("."),
                "Correct that setting",
            ) from None

    def check(self, problem: Problem) -> None:
        """Refuse a problem this solver cannot solve."""
        if self.max_order is not None and problem.order > self.max_order:
            raise ParameterError(
                f"The solver {self.name!r} matches n-grams of at most {self.max_order} labels",
                f"the order is {problem.order}",
                'Lower order, or use method="full-batch"',
            )
        if not self.any_mask and problem.mask is not None and not _is_diagonal(problem.mask):
            raise ParameterError(
                f"The solver {self.name!r} knows full weights and the diagonal form",
                "the mask is neither",
                'Use features="full" or "diagonal", or method="full-batch"',
            )
        if problem.n_windows == 0:
            raise ParameterError(
                f"Some sequence must hold a window of {problem.order} points",
                f"the longest has {int(problem.lengths.max())}",
                "Give longer sequences or a lower order",
            )

    def solve(
        self, problem: Problem, start: LogLinear, rng: np.random.Generator, callback: Callback | None = None
    ) -> Solution:
        """The solution from one start."""
        return self.solve_all(problem, [start], rng, callback)[0]

    def solve_all(
        self,
        problem: Problem,
        starts: Sequence[LogLinear],
        rng: np.random.Generator,
        callback: Callback | None = None,
        memory: Memory | None = None,
    ) -> list[Solution]:
        """One solution for each start.

        Parameters
        ----------
        problem : Problem
        starts : sequence of LogLinear
        rng : Generator
        callback : callable, optional
            Called with each history row, the weights of that moment in its "model" and V, where the solver
            has one, in its "dual"; a true answer ends this call.
        memory : Memory, optional
            Where the state is kept; what it holds is continued, with the same result bit for bit.
        """
        raise NotImplementedError


def _is_diagonal(mask: NDArray[np.bool_]) -> bool:
    return bool(mask.all()) or (mask.shape[0] == mask.shape[1] and np.array_equal(mask, np.eye(len(mask))))
