"""One protocol to watch long work: events told as they happen, and the right to stop.

`SequenceClassifier(callbacks=[...])` takes any objects that have some of the methods of `Callback`. The
progress bar is one of them (`ventris.progress`), the page and the bench are others; `ventris reproduce` tells
of its units as a fit tells of its steps.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ventris.errors import DataTypeError

if TYPE_CHECKING:  # the command line imports this for its help, and must not wait for NumPy
    import numpy as np
    from numpy.typing import NDArray

    from ventris.classifiers.loglinear import LogLinear
    from ventris.codes.codebook import Codebook

    Array = NDArray[np.floating]

__all__ = ["Callback", "Event"]


@dataclass(frozen=True)
class Event:
    """One moment of a fit, and what is known then; what is not known, or not yet, is None.

    Attributes
    ----------
    step : str
        Name of the step under way ("decipher", "refine", …), or of the method.
    words : str
        The same in a few words.
    done, total : float
        Parts of the fit that are done, and how many there are.
    part : float, optional
        Share of the step itself that is done, from 0 to 1.
    number : int, optional
        Of the round or the update, from 1.
    order : int, optional
        Of the label model, in a round.
    cost, excess_cost : float, optional
        J and J − H: in the route of the best table, in a solver of the best weights so far.
    score : float, optional
        Sequence likelihood in nats a symbol; in a round, of the outputs that it read, before its lesson.
    predict : callable, optional
        Inputs of shape (n, D) to probabilities (n, C), as they would be answered now.
    model : LogLinear, optional
        The weights behind it, where there are weights.
    dual : array of shape (C,) * N, optional
        V, where the method has one of its own.
    codebook : Codebook, optional
    table : array of shape (K, C), optional
        Where inputs are still read by the table's row of their code.
    row : dict, optional
        At the end of a step: its row of `history_`.

    Examples
    --------
    >>> Event("refine", done=3, total=12, number=1).share
    0.25
    """

    step: str
    words: str = ""
    done: float = 0
    total: float = 0
    part: float | None = None
    number: int | None = None
    order: int | None = None
    cost: float | None = None
    excess_cost: float | None = None
    score: float | None = None
    predict: Callable[[Any], Array] | None = None
    model: LogLinear | None = None
    dual: Array | None = None
    codebook: Codebook | None = None
    table: Array | None = None
    row: dict[str, Any] | None = None

    @classmethod
    def of_row(cls, step: str, row: Mapping[str, Any], done: float = 0, total: float = 0) -> Event:
        """What a solver tells in a `row` of its history, in a `step` of which `done` of `total` are done."""
        unit = "update" if "update" in row else "iteration"
        number, model = int(row[unit]), row["model"]
        return cls(
            step,
            f"{number:,} {unit}s" if number else "the start",
            done,
            total,
            number=number,
            cost=row.get("cost"),
            excess_cost=row.get("excess_cost"),
            predict=model.posteriors,
            model=model,
            dual=row.get("dual"),
        )

    @property
    def share(self) -> float:
        """Share of the fit that is done, from 0 to 1."""
        return min(1.0, self.done / self.total) if self.total else 0.0


class Callback:
    """Does nothing at every event: the base for those that do something at some.

    Every method is handed an `event`, an `Event`. One that gives True asks the fit to stop: it ends at the
    first moment it has a classifier to give, and the classifier is kept. A method may also wait, or raise,
    which ends the fit at once.

    Examples
    --------
    >>> import ventris as vt
    >>> class Steps(Callback):
    ...     def on_step_end(self, event):
    ...         print(event.step)
    ...         return event.step == "distil"  # enough
    >>> chain = vt.datasets.make_paper_chain(2, n_samples=6_000)
    >>> clf = vt.SequenceClassifier(chain.lm, random_state=0, callbacks=[Steps()]).fit(chain.train.X)
    codebook
    decipher
    adapt
    again
    distil
    """

    def __deepcopy__(self, memo: dict[int, Any]) -> Callback:
        """Whoever watches an estimator watches its clones too: in a grid search there are no others."""
        return self

    def on_fit_begin(self, event: Event) -> bool | None:
        """Before anything."""
        return None

    def on_fit_end(self, event: Event) -> bool | None:
        """After everything."""
        return None

    def on_step_begin(self, event: Event) -> bool | None:
        """A step of the route, or the one step of another method, begins."""
        return None

    def on_step_end(self, event: Event) -> bool | None:
        """A step has ended; `event.row` is what it leaves in `history_`."""
        return None

    def on_start(self, event: Event) -> bool | None:
        """Independent starts of a search have ended."""
        return None

    def on_round(self, event: Event) -> bool | None:
        """A round of reading and learning has ended."""
        return None

    def on_update(self, event: Event) -> bool | None:
        """A solver has made an iteration, or some updates, from one start."""
        return None


MOMENTS = tuple(name.removeprefix("on_") for name in vars(Callback) if name.startswith("on_"))


@dataclass
class Callbacks:
    """Several callbacks told as one, and whether any of them has asked to stop.

    Examples
    --------
    >>> class Impatient:
    ...     def on_start(self, event):
    ...         return event.excess_cost < 0.1
    >>> told = Callbacks([Impatient()])
    >>> [told.tell("start", Event("decipher", excess_cost=value)) for value in (0.5, 0.05)]
    [False, True]
    >>> told.tell("round", Event("refine"))  # what was asked once stays asked
    True
    """

    callbacks: list[Any] = field(default_factory=list)
    is_stopping: bool = False

    def tell(self, moment: str, event: Event) -> bool:
        """Tell everyone; whether someone, now or before, has asked to stop."""
        for callback in self.callbacks:
            method = getattr(callback, f"on_{moment}", None)
            if method is not None and method(event):
                self.is_stopping = True
        return self.is_stopping


def checked_callback(given: Any) -> Any:
    """The callback, if it listens to anything."""
    if isinstance(given, type) or not any(callable(getattr(given, f"on_{name}", None)) for name in MOMENTS):
        raise DataTypeError(
            "A callback must be an object with some of the methods on_" + ", on_".join(MOMENTS),
            f"{given!r} has none" if not isinstance(given, type) else f"{given.__name__} is a class",
            "Derive it from ventris.callbacks.Callback, and pass an instance",
        )
    return given
