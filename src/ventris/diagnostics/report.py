"""`examine` a fit and `Report` on it: plain data, a table, and a list of doubts; no label is needed."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Integral
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ventris import objective
from ventris.data.sequences import Sequences, check_lengths
from ventris.diagnostics.evidence import (
    Findings,
    Searched,
    ShuffledNull,
    output_use,
    raise_doubts,
    sampling_noise,
    shuffled_null,
)
from ventris.diagnostics.html_table import FIRST, QUIET, STANDS_OUT, html_table
from ventris.diagnostics.thresholds import DEFAULT, Thresholds
from ventris.diagnostics.trust import Learnt, judge
from ventris.errors import (
    AmbiguousNamesWarning,
    Doubt,
    ParameterError,
    TooFewSamplesWarning,
    UnidentifiableWarning,
)
from ventris.label_model.identifiability import Identifiability, identifiability
from ventris.label_model.model import NgramModel
from ventris.objective import floored_cost
from ventris.solvers.restarts import Restarts
from ventris.solvers.solution import Solution

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["Identifiability", "Report", "ShuffledNull", "examine", "identifiability", "shuffled_null"]

Array = NDArray[np.floating]


class Examined(Protocol):
    """What a report is about, as far as the report asks it again."""

    lm_: NgramModel

    def predict_proba(self, X: Any, *, lengths: ArrayLike | None = None) -> Any:
        """Probability of each class for each point alone: shape (T, C), or a list of such."""


@dataclass
class Report:
    """Facts about a fit and the doubts they raise; every field is plain data.

    Attributes
    ----------
    method : str
    order, n_classes, n_points, n_sequences : int
    entropy, cost, excess_cost : float
        H of the label model's n-grams, J over all the data, and J − H, in nats.
    score : float
        Sequence likelihood per symbol; a constant classifier has 0.
    n_iter : int
        Iterations or updates of the best start; for "auto" the rounds of reading and learning that were made.
    stopped_because : str
    restarts : dict
        Of "full-batch" and "spdg": costs of the starts, margin, recurrence.
    search : dict
        Of "auto", the search for the code table: starts, recurrence, who found it, J − H, and its margins.
    usage : dict
        Of the labels: used and expected frequencies, their distance, entropies.
    label_model : dict
        Mutual information, divergence from the nearest relabelling, verdict.
    null : dict
        Scores in shuffled time, of the training data; `shuffled_null` takes them of any data.
    warnings : list of (name, message)
        Doubts that are voiced.
    remarks : list of (name, message)
        What was noticed, and is no reason to doubt this answer.
    estimated_error : float, optional
        Share of points that are probably labelled wrong, each alone; of "auto" only.
    error_interval : tuple of two floats, optional
        Where the true share lies in nine fits of ten.
    naming_probability, right_probability : float, optional
        That the labels have their right names; that the answer is within 5 points of the best classifier of
        single points.
    mismatch : dict
        How far the given label model is off: z, excess nats a symbol, and the pairs that are.
    adapted : dict
        What became of it: nats gained, pseudo-counts, and the pairs that moved.
    known : dict
        Of known labels: how many there are, and how many the fit contradicts.
    signs : dict
        What the estimates were read from.
    inputs : list of str
        How the inputs were read, where they could have been read otherwise.

    Examples
    --------
    >>> report = Report(method="full-batch", order=2, n_classes=2, n_points=100, n_sequences=1,
    ...                 entropy=1.2, cost=1.25, excess_cost=0.05, score=0.1)
    >>> print(report)
    method         full-batch
    data           100 points in 1 sequence, 2 labels, order 2
    cost           J = 1.25, J − H = 0.05 nats
    score          0.1 nats a symbol
    doubts         none
    """

    method: str
    order: int
    n_classes: int
    n_points: int
    n_sequences: int
    entropy: float
    cost: float
    excess_cost: float
    score: float
    n_iter: int = 0
    stopped_because: str = ""
    restarts: dict[str, Any] = field(default_factory=dict)
    usage: dict[str, Any] = field(default_factory=dict)
    label_model: dict[str, Any] = field(default_factory=dict)
    null: dict[str, Any] = field(default_factory=dict)
    search: dict[str, Any] = field(default_factory=dict)
    warnings: list[tuple[str, str]] = field(default_factory=list)
    remarks: list[tuple[str, str]] = field(default_factory=list)
    estimated_error: float | None = None
    error_interval: tuple[float, float] | None = None
    naming_probability: float | None = None
    right_probability: float | None = None
    mismatch: dict[str, Any] = field(default_factory=dict)
    adapted: dict[str, Any] = field(default_factory=dict)
    known: dict[str, Any] = field(default_factory=dict)
    signs: dict[str, float] = field(default_factory=dict)
    inputs: list[str] = field(default_factory=list)
    _doubts: list[Doubt] = field(default_factory=list, repr=False, compare=False)
    _examined: Examined | None = field(default=None, repr=False, compare=False)
    _thresholds: Thresholds = field(default=DEFAULT, repr=False, compare=False)

    def __getstate__(self) -> dict[str, Any]:
        """Without the classifier, which takes its report up again when it is itself copied or unpickled."""
        return vars(self) | {"_examined": None}

    def belongs_to(self, examined: Examined) -> None:
        """Name what was `examined`, for questions that need its outputs; the first one named stays."""
        if self._examined is None:
            self._examined = examined

    def shuffled_null(
        self,
        X: Any,
        lengths: ArrayLike | None = None,
        *,
        n_shuffles: int | None = None,
        random_state: Any = None,
    ) -> ShuffledNull:
        """What the classifier's outputs are worth in true time and once time is shuffled.

        A classifier that reads sequences scores higher in true time (`is_above`). One that does not may fit
        the labels' frequencies, but has learnt nothing from their order, and its labels deserve no trust.
        No label is needed. At most the first points are looked at, as many as `Thresholds.null_points` says,
        at the report's order.

        Parameters
        ----------
        X : list of arrays of shape (n_i, D), or array of shape (T, D) with `lengths`
            As in `SequenceClassifier.fit`; fresh data as well as the training data.
        lengths : array of shape (S,), optional
            Time is shuffled inside each sequence.
        n_shuffles : int, optional
            By default `Thresholds.null_shuffles`.
        random_state : int, Generator or None

        Returns
        -------
        null : ShuffledNull
            `score`, `null_scores`, `excess_cost`, `null_excess_costs`, `is_above`.

        Raises
        ------
        ParameterError
            For a report that was taken from its classifier by pickle or `from_dict`, and for no shuffle.

        Examples
        --------
        >>> import ventris as vt
        >>> chain = vt.datasets.make_paper_chain(2, n_samples=4_000)
        >>> clf = vt.SequenceClassifier(chain.lm, n_init=8, random_state=0).fit(chain.train.X)
        >>> null = clf.report_.shuffled_null(chain.test.X, n_shuffles=3, random_state=0)
        >>> null.is_above, len(null.null_scores), max(null.null_scores) < null.score
        (True, 3, True)
        """
        if self._examined is None:
            raise ParameterError(
                "The null needs the classifier that was examined",
                "this report came without it",
                "Ask the report_ of a fitted classifier",
            )
        if n_shuffles is None:
            n_shuffles = self._thresholds.null_shuffles
        if not isinstance(n_shuffles, Integral) or n_shuffles < 1:
            raise ParameterError(
                "n_shuffles must be a whole number of at least 1",
                f"it is {n_shuffles!r}",
                f"Leave it out for {self._thresholds.null_shuffles}",
            )
        outputs = self._examined.predict_proba(X, lengths=lengths)
        outputs = np.concatenate(outputs) if isinstance(outputs, list) else outputs
        spans, rng = Sequences.of(X, lengths).lengths, np.random.default_rng(random_state)
        return shuffled_null(
            outputs,
            spans,
            self._examined.lm_,
            self.order,
            rng,
            n_shuffles=int(n_shuffles),
            thresholds=self._thresholds,
        )

    def add(self, doubts: Iterable[Doubt]) -> None:
        """Take note of `doubts`; `warn` voices them."""
        for doubt in doubts:
            self._doubts.append(doubt)
            self.warnings.append((type(doubt).__name__, str(doubt)))

    def warn(self, stacklevel: int = 1) -> None:
        """Voice every doubt not yet voiced: as a warning of its caller (`stacklevel` 1), the next (2), …."""
        while self._doubts:
            warnings.warn(self._doubts.pop(0), stacklevel=stacklevel + 1)

    def to_dict(self) -> dict[str, Any]:
        """Everything, ready for JSON."""
        plain = {name: value for name, value in vars(self).items() if not name.startswith("_")}
        pairs = {name: [list(pair) for pair in getattr(self, name)] for name in ("warnings", "remarks")}
        interval = None if self.error_interval is None else list(self.error_interval)
        return plain | pairs | {"error_interval": interval}

    @classmethod
    def from_dict(cls, plain: dict[str, Any]) -> Report:
        """The report whose `to_dict` was `plain`; its doubts are kept but not voiced again."""
        own = {name: value for name, value in plain.items() if not name.startswith("_")}
        pairs = {
            kind: [(name, message) for name, message in plain.get(kind, [])]
            for kind in ("warnings", "remarks")
        }
        interval = plain.get("error_interval")
        return cls(**own | pairs | {"error_interval": None if interval is None else tuple(interval)})

    # ------------------------------------------------------------------------- alike for every method

    @property
    def n_starts(self) -> int:
        """Starts made: of the solver, or of the search for the code table."""
        return int(self.search.get("n_starts", len(self.restarts.get("costs", []))))

    @property
    def recurrence(self) -> int:
        """How many of them led to the answer that was kept."""
        return int(self.search.get("recurrence", self.restarts.get("recurrence", 0)))

    @property
    def margin(self) -> float | None:
        """How much worse the next different answer is; None where no other was found.

        Of a solver, by how many nats its J is higher. Of "auto", by how many nats a symbol its table is less
        likely, on points not used to find it where there are some; below zero, it is likelier there.
        """
        if self.search:
            fresh = self.search.get("fresh_margin")
            return self.search.get("margin") if fresh is None else fresh
        return self.restarts.get("margin")

    # --------------------------------------------------------------------------------------- showing

    def rows(self) -> list[tuple[str, str]]:
        """What a table shows: pairs of a name and a sentence."""
        plural = "" if self.n_sequences == 1 else "s"
        data = f"{self.n_points:,} points in {self.n_sequences:,} sequence{plural}"
        rows = [
            ("answer", self.in_words()),
            ("method", self.method + self._ending()),
            ("data", f"{data}, {self.n_classes} labels, order {self.order}"),
            ("inputs", "; ".join(f"read {note}" for note in self.inputs)),
            ("label model", self.label_model.get("sentence", "")),
            ("adapted", self._adapted()),
            ("cost", f"J = {self.cost:.4g}, J − H = {self.excess_cost:.2g} nats"),
            ("score", f"{self.score:.4g} nats a symbol{self._null()}"),
            ("starts", self._starts()),
            ("label usage", self._usage()),
        ]
        shown = [(name, value) for name, value in rows if value]
        noticed = [("remark", message) for _, message in self.remarks]
        doubts = [(name, message) for name, message in self.warnings]
        return shown + noticed + (doubts or [("doubts", "none")])

    def in_words(self) -> str:
        """The answer's worth in one line; nothing where it was not estimated.

        Examples
        --------
        >>> report = Report("auto", 2, 2, 100, 1, 1.2, 1.2, 0.0, 0.1, estimated_error=0.034,
        ...                 error_interval=(0.02, 0.06), naming_probability=0.997)
        >>> report.in_words()
        'about 3 in 100 points wrong (2 to 6 in nine fits of ten); names certain'
        """
        if self.estimated_error is None or self.error_interval is None or self.naming_probability is None:
            return ""
        low, high = (_in_a_hundred(end) for end in self.error_interval)
        voiced = {name for name, _ in self.warnings}  # and the words may not say otherwise
        sure = 0.0 if voiced & _ABOUT_NAMES else self.naming_probability
        names = next(words for least, words in _NAMES_IN_WORDS if sure >= least)
        few = TooFewSamplesWarning.__name__ in voiced
        return (
            f"about {_in_a_hundred(self.estimated_error)} in 100 points wrong "
            f"({low} to {high} in nine fits of ten); {names}"
            f"{'; too few points to rely on these numbers' if few else ''}"
        )

    def _adapted(self) -> str:
        if not self.adapted:
            return ""
        moved = [
            f"{second!r} follows {first!r} {factor:.2g} times as often as you said"
            for first, second, factor in self.adapted["moved"]
        ]
        gain, worth = self.adapted["gain"], self.adapted["pseudo_counts"]
        found = (
            f"points not learnt from are {abs(gain):.3g} nats {'likelier' if gain >= 0 else 'less likely'}"
        )
        return "; ".join([f"the label model you gave counts as {worth:,.0f} n-grams", found, *moved])

    def _ending(self) -> str:
        unit = "rounds of reading and learning" if self.method == "auto" else "steps"
        made = f", {self.n_iter:,} {unit}" if self.n_iter or self.stopped_because else ""
        return made + (f", {self.stopped_because}" if self.stopped_because else "")

    def _null(self) -> str:
        scores = self.null.get("null_scores", [])
        return f" ({float(np.mean(scores)):.2g} in shuffled time)" if scores else ""

    def _starts(self) -> str:
        if not self.n_starts:
            return ""
        if self.margin is None:
            rival = "no other answer"
        elif self.search:
            n_fresh = self.search.get("n_fresh")
            points = f" on {n_fresh:,} fresh points" if n_fresh else ""
            how = "less likely" if self.margin >= 0 else "likelier"
            rival = f"runner-up {abs(self.margin):.2g} nats a symbol {how}{points}"
        else:
            rival = f"runner-up {self.margin:.2g} nats higher"
        return f"best answer from {self.recurrence} of {self.n_starts} starts, {rival}"

    def _usage(self) -> str:
        if not self.usage:
            return ""
        return (
            f"{self.usage['distance']:.2g} from expected (total variation), entropy "
            f"{self.usage['usage_entropy']:.2g} over labels, {self.usage['point_entropy']:.2g} a point"
        )

    def __str__(self) -> str:
        return "\n".join(f"{name:14} {value}" for name, value in self.rows())

    def __rich__(self) -> Table:
        from rich.table import Table

        table = Table(title="Ventris report", show_header=False, title_justify="left")
        table.add_column(style="bold", no_wrap=True)
        table.add_column(overflow="fold")
        styles = {"answer": "bold", "remark": "dim"} | {name: "yellow" for name, _ in self.warnings}
        for name, value in self.rows():
            table.add_row(name, value, style=styles.get(name))
        return table

    def _repr_html_(self) -> str:
        """The same table for a notebook; doubts stand out, and whatever labels are called is escaped."""
        styles = {"answer": FIRST, "remark": QUIET} | {name: STANDS_OUT for name, _ in self.warnings}
        return html_table("Ventris report", self.rows(), styles)


# Unmeasured: where words change; the probability is beside them in the report.
_NAMES_IN_WORDS = ((0.98, "names certain"), (0.9, "names probable"), (0.0, "names doubtful"))
_ABOUT_NAMES = {AmbiguousNamesWarning.__name__, UnidentifiableWarning.__name__}


def _in_a_hundred(share: float) -> str:
    return f"{100 * share:.1f}" if share < 0.0095 else f"{100 * share:.0f}"


def examine(
    posteriors: Array,
    lengths: ArrayLike | None,
    lm: NgramModel,
    order: int,
    *,
    method: str,
    rng: np.random.Generator,
    solution: Solution | None = None,
    restarts: Restarts | None = None,
    search: Searched | None = None,
    history: Sequence[Mapping[str, Any]] = (),
    named: Collection[int] = (),
    learnt: Learnt | None = None,
    thresholds: Thresholds = DEFAULT,
) -> Report:
    """Everything that can be said about outputs without labels, and every doubt about them.

    Parameters
    ----------
    posteriors : array of shape (T, C)
        The classifier's outputs on its training data.
    lengths : array of shape (S,), optional
    lm : NgramModel
    order : int
    method : str
    rng : Generator
        Shuffles time for the null.
    solution, restarts : optional
        What the solver and the restarts gave.
    search : optional
        What the search for the code table gave.
    history : sequence of dict
        Rows of the route, whose rounds are counted.
    named : collection of int
        Labels of which a point is known.
    learnt : Learnt, optional
        What "auto" left behind to judge its answer by.
    thresholds : Thresholds
    """
    checked = check_lengths(lengths, len(posteriors))
    lm_prob = np.asarray(lm.joint(order), dtype=float)
    judged = identifiability(lm, order, n_points=len(posteriors))
    use = output_use(posteriors, lm.stationary())
    null = shuffled_null(posteriors, checked, lm, order, rng, thresholds=thresholds)
    cost = floored_cost(lm_prob, objective.expected_ngrams(posteriors, order, checked))
    entropy = objective.entropy(lm_prob)
    report = Report(
        method=method,
        order=order,
        n_classes=lm.n_classes,
        n_points=len(posteriors),
        n_sequences=len(checked),
        entropy=entropy,
        cost=cost,
        excess_cost=cost - entropy,
        score=null.score,
        n_iter=solution.n_iter if solution else sum(row.get("rounds", 0) for row in history),
        stopped_because=solution.stopped_because if solution else _end_of(history),
        restarts=restarts.to_dict() if restarts else {},
        usage={name: list(v) if isinstance(v, tuple) else v for name, v in vars(use).items()},
        label_model=judged.to_dict(),
        null=null.to_dict(),
        search={name: getattr(search, name) for name in _OF_THE_SEARCH} if search else {},
        _thresholds=thresholds,
    )
    n_windows = int(np.maximum(checked - order + 1, 0).sum())
    findings = Findings(
        lm_prob,
        lm.classes,
        n_windows,
        sampling_noise(lm_prob, n_windows),
        report.excess_cost,
        use,
        null,
        judged,
        named,
        solution,
        restarts,
        search,
        thresholds,
    )
    doubts = raise_doubts(findings)
    if learnt is not None:
        fields, doubts, remarks = judge(findings, learnt, history, doubts, rng)
        vars(report).update(fields)
        report.remarks = [(type(remark).__name__, str(remark)) for remark in remarks]
    report.add(doubts)
    return report


_OF_THE_SEARCH = ("n_starts", "recurrence", "found_by", "excess_cost", "margin", "fresh_margin", "n_fresh")


def _end_of(history: Sequence[Mapping[str, Any]]) -> str:
    """Why a route ended before its end: who asked it to."""
    return str(history[-1]["by"]) if history and history[-1].get("step") == "stopped" else ""
