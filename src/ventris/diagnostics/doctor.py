"""Before any training: will this data be learnt with this label model?

Inputs become codes, and three questions are asked of them. Can the label model tell its labels apart? Is
there enough data for its n-grams? Do neighbouring codes tell more about each other than in shuffled time, and
no more than the labels themselves could? Codes are noisy copies of labels, so I(code; code′) is at most
I(label; label′): a share near 0 means that the labels' order does not show in these features, one above 1
that neighbours have something in common that the label model does not know of.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict, dataclass
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ventris.codes.codebook import default_size, fit_codebook
from ventris.data.known_labels import read_known_labels
from ventris.data.ngrams import count_pairs
from ventris.data.sequences import Sequences, first_points
from ventris.diagnostics.evidence import windows_needed
from ventris.diagnostics.hard_to_tell import HardToTell, hard_to_tell, visible_share
from ventris.diagnostics.html_table import FIRST, STANDS_OUT, html_table
from ventris.diagnostics.thresholds import DEFAULT, Thresholds
from ventris.errors import DataTypeError
from ventris.inference.score import SCORE_ORDER
from ventris.label_model.identifiability import Identifiability, identifiability, mutual_information
from ventris.label_model.model import NgramModel
from ventris.label_model.renamings import roughly
from ventris.label_model.symmetries import Symmetries, symmetries

Severity = Literal["good", "doubtful", "bad"]
Verdict = Literal["go", "doubtful", "stop"]


@dataclass(frozen=True)
class LagInformation:
    """What codes `lag` apart tell about each other, in nats, beside what labels could.

    Attributes
    ----------
    lag : int
    codes : float
        I(code; code′) above its mean in shuffled time, which is the bias of counting.
    shuffled : float
        That mean.
    spread : float
        Standard deviation over the shuffles.
    labels : float
        I(label; label′) under the label model.
    """

    lag: int
    codes: float
    shuffled: float
    spread: float
    labels: float

    @property
    def deviations(self) -> float:
        """How many standard deviations of the shuffles the codes' information lies above their mean."""
        return self.codes / self.spread if self.spread > 0 else 0.0

    def is_above(self, than: Thresholds) -> bool:
        """Whether the order of time shows at this lag."""
        return self.deviations > than.chance and self.codes > than.null_difference

    def would_show(self, under: Thresholds) -> bool:
        """Whether a usual share of the labels' information would stand out in this much data."""
        return under.usual_share * self.labels > under.chance * self.spread

    def exceeds_labels(self, under: Thresholds) -> bool:
        """Whether the codes tell clearly more than labels of this model could."""
        could = under.high_share * self.labels
        return self.codes > could + under.chance * self.spread + under.null_difference


@dataclass(frozen=True)
class Reason:
    """One finding: how it weighs, and a sentence."""

    severity: Severity
    sentence: str


@dataclass(frozen=True)
class Diagnosis:
    """A verdict and its reasons; every field is plain data.

    Attributes
    ----------
    verdict : {"go", "doubtful", "stop"}
    reasons : list of Reason
    n_points, n_sequences, n_features, n_classes, n_codes, n_examined, order : int
        `n_features` is 0 for symbols; `n_examined` points were turned into codes.
    windows, windows_needed : int
    share : float
        Information of neighbouring codes as a share of the labels', over all lags.
    lags : list of LagInformation
    label_model : dict
        Identifiability of the label model.
    hard_to_tell : list of HardToTell
        The labels whose names are decided last.
    settled_by : list
        Labels of which one known point each (`partial_labels`) would settle the names that are not decided.

    Examples
    --------
    >>> import ventris as vt
    >>> days = vt.datasets.make_weather(1000)
    >>> diagnosis = vt.doctor(days.train.X, days.lm)
    >>> diagnosis.verdict, diagnosis.n_points, diagnosis.settled_by
    ('go', 1000, [])
    """

    verdict: Verdict
    reasons: list[Reason]
    n_points: int
    n_sequences: int
    n_features: int
    n_classes: int
    n_codes: int
    n_examined: int
    order: int
    windows: int
    windows_needed: int
    share: float
    lags: list[LagInformation]
    label_model: dict[str, Any]
    hard_to_tell: list[HardToTell]
    settled_by: list[Any]

    def __str__(self) -> str:
        lines = [self.verdict, *(f"  {each.severity}: {each.sentence}" for each in self.reasons)]
        if self.hard_to_tell:
            lines.append("  hardest to tell apart, and the points that decide it (as these inputs show it):")
        lines += [f"    {each.labels}: {each.in_points()}" for each in self.hard_to_tell]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """The same for a notebook, as a table."""
        reasons = [(each.severity, each.sentence) for each in self.reasons]
        hard = [(each.labels, each.in_points()) for each in self.hard_to_tell]
        styles = {"verdict": FIRST, "doubtful": STANDS_OUT, "bad": STANDS_OUT}
        return html_table("Ventris doctor", [("verdict", self.verdict), *reasons, *hard], styles)

    def to_dict(self) -> dict[str, Any]:
        """Everything, ready for JSON."""
        return asdict(self)


@overload
def doctor(X: NgramModel, lm: None = None) -> Symmetries: ...


@overload
def doctor(
    X: Any,
    lm: NgramModel,
    *,
    lengths: ArrayLike | None = None,
    partial_labels: Any = None,
    order: int | None = None,
    random_state: int = 0,
    thresholds: Thresholds = DEFAULT,
) -> Diagnosis: ...


def doctor(
    X: Any,
    lm: NgramModel | None = None,
    *,
    lengths: ArrayLike | None = None,
    partial_labels: Any = None,
    order: int | None = None,
    random_state: int = 0,
    thresholds: Thresholds = DEFAULT,
) -> Diagnosis | Symmetries:
    """Will this data be learnt with this label model? A verdict and its reasons, before any training.

    It says which labels are hard to tell apart, how many points are needed, and which known labels would
    settle what they leave open. Of a label model alone, ``doctor(lm)``, it says which labels no data can tell
    apart, and which to label.

    Parameters
    ----------
    X, lengths, partial_labels
        As `SequenceClassifier.fit` takes them.
    lm : NgramModel, optional
        Left out, `X` is the label model.
    order : int, optional
        Of the n-grams to be matched; 2 or the label model's, whichever is less. Names are then judged at this
        order too, else at up to 3, as scores are.
    random_state : int
        Places the codes and shuffles time.
    thresholds : Thresholds

    Examples
    --------
    Islands in the sea: both last for long, so little tells which is which.

    >>> import ventris as vt
    >>> lm = vt.NgramModel.from_transition_matrix([[0.99, 0.01], [0.005, 0.995]], classes=["island", "sea"])
    >>> data = vt.datasets.make_gaussian_hmm(lm, [[0.0], [2.0]], n_samples=4_000, random_state=100)
    >>> found = vt.doctor(data.X, lm)
    >>> print(found)  # doctest: +ELLIPSIS
    doubtful
      doubtful: The label model is weak: the labels before tell 0.6 nats about the next; renaming island↔sea \
costs 0.0017 nats a symbol, which about 6,000 points decide; there are 4,000. Name a point each of sea with \
partial labels, give more points, or use a label model of higher order.
      good: There is enough data: 3,999 windows of 2 points; about 197 are needed.
      good: The labels' order shows: neighbouring inputs tell ... % of what their labels could tell about ...
      hardest to tell apart, and the points that decide it (as these inputs show it):
        island↔sea: 6,000 points (6,000), 100.0 % at stake; decided: no
    >>> found.settled_by
    ['sea']

    One known point does:

    >>> named = ["sea" if t == np.argmax(data.y == 1) else None for t in range(4_000)]
    >>> vt.doctor(data.X, lm, partial_labels=named).verdict
    'go'

    Rooms in a row, before any data: the row looks the same from both ends.

    >>> row = vt.NgramModel.from_graph([[0, 1, 0], [1, 0, 1], [0, 1, 0]], stay=0.8, classes=["a", "b", "c"])
    >>> vt.doctor(row).labels_to_ask
    ['a']
    """
    if lm is None:
        if not isinstance(X, NgramModel):
            raise DataTypeError(
                "Without a label model the doctor examines a label model",
                f"X is a {type(X).__name__}",
                "Give doctor(X, lm) for data, or doctor(lm) for a label model alone",
            )
        return symmetries(X)
    sequences, named = Sequences.of(X, lengths), frozenset[int]()
    if partial_labels is not None:
        named = frozenset(read_known_labels(partial_labels, sequences.lengths, lm.alphabet).named)
    return diagnose(sequences, lm, order=order, named=named, random_state=random_state, thresholds=thresholds)


def diagnose(
    sequences: Sequences,
    lm: NgramModel,
    *,
    order: int | None = None,
    named: Collection[int] = (),
    random_state: int = 0,
    thresholds: Thresholds = DEFAULT,
) -> Diagnosis:
    """Judge data and label model together, before any training: `doctor` for inputs already read.

    Parameters
    ----------
    sequences : Sequences
    lm : NgramModel
    order : int, optional
        Of the n-grams to be matched; 2 or the label model's, whichever is less.
    named : collection of int
        Labels of which a point is known.
    random_state : int
        Places the codes and shuffles time.
    thresholds : Thresholds

    Examples
    --------
    >>> from ventris.datasets import make_paper_chain
    >>> chain = make_paper_chain(1, n_samples=12_000)
    >>> diagnose(Sequences.of(chain.train.X), chain.lm).verdict
    'go'
    """
    rng = np.random.default_rng(random_state)
    names_order = _names_order(lm, thresholds=thresholds) if order is None else order
    order = min(2, lm.order) if order is None else order
    examined = Sequences(*first_points(sequences.data, sequences.lengths, thresholds.examined_points))
    codes, n_codes = _codes(examined, lm.n_classes, rng, thresholds=thresholds)
    lags = information_at_lags(codes, n_codes, examined.lengths, lm, rng, thresholds=thresholds)
    windows = int(np.maximum(sequences.lengths - order + 1, 0).sum())
    needed = windows_needed(lm.joint(order), thresholds=thresholds)
    share = _share(lags, thresholds=thresholds)
    visible = visible_share(share, lm.pair(1), thresholds=thresholds)
    judged = identifiability(lm, names_order, sequences.n_points * (visible or 1.0))
    settling = [lm.classes[label] for label in judged.settled_by(named=named)]
    reasons = [
        _about_label_model(judged, named, sequences.n_points, settling),
        _about_amount(windows, needed, order, thresholds=thresholds),
        _about_time(lags, share, thresholds=thresholds),
        *_about_kinds(n_codes, lm.n_classes, examined),
    ]
    return Diagnosis(
        verdict=_verdict(reasons),
        reasons=reasons,
        n_points=sequences.n_points,
        n_sequences=len(sequences),
        n_features=0 if sequences.is_symbolic else int(sequences.data.shape[1]),
        n_classes=lm.n_classes,
        n_codes=n_codes,
        n_examined=examined.n_points,
        order=order,
        windows=windows,
        windows_needed=needed,
        share=share,
        lags=lags,
        label_model=judged.to_dict(),
        hard_to_tell=hard_to_tell(
            judged.near, lm.classes, sequences.n_points, visible, named, thresholds=thresholds
        ),
        settled_by=settling,
    )


def _names_order(lm: NgramModel, *, thresholds: Thresholds) -> int:
    """The order at which names are judged: that of the scores, while its table is not too large."""
    orders = range(min(2, lm.order), min(SCORE_ORDER, lm.order) + 1)
    return max((k for k in orders if lm.n_classes**k <= thresholds.names_table), default=orders[0])


# -------------------------------------------------------------------------------------------- measures


def _codes(
    sequences: Sequences, n_classes: int, rng: np.random.Generator, *, thresholds: Thresholds
) -> tuple[NDArray, int]:
    """Codes as the route would make them; symbols are codes already."""
    if sequences.is_symbolic:
        kinds, codes = np.unique(sequences.data, return_inverse=True)
        return codes, len(kinds)
    size = min(default_size(sequences.n_points, n_classes), sequences.n_points)
    some = sequences.data[: thresholds.distinct_points]
    size = min(size, len(np.unique(some, axis=0)))  # k-means refuses empty clusters
    return fit_codebook(sequences, size, rng).codes(sequences.data), size


def information_at_lags(
    codes: NDArray,
    n_codes: int,
    lengths: NDArray,
    lm: NgramModel,
    rng: np.random.Generator,
    *,
    thresholds: Thresholds = DEFAULT,
) -> list[LagInformation]:
    """I(code; code′) in true and in shuffled time beside I(label; label′), lag by lag (mutual information).

    Parameters
    ----------
    codes : int array of shape (T,)
    n_codes : int
    lengths : array of shape (S,)
    lm : NgramModel
    rng : Generator
        Shuffles time inside each sequence.
    thresholds : Thresholds
        `n_lags` and `time_shuffles`.
    """
    lags, n_shuffles = range(1, thresholds.n_lags + 1), thresholds.time_shuffles
    sequence = np.repeat(np.arange(len(lengths)), lengths)
    shuffles = [codes[np.argsort(sequence + rng.random(len(codes)))] for _ in range(n_shuffles)]
    null = np.array([[pair_information(s, n_codes, lengths, lag) for lag in lags] for s in shuffles])
    return [
        LagInformation(
            lag,
            pair_information(codes, n_codes, lengths, lag) - float(mean),
            float(mean),
            float(spread),
            mutual_information(lm.pair(lag)),
        )
        for lag, mean, spread in zip(lags, null.mean(axis=0), null.std(axis=0), strict=True)
    ]


def pair_information(codes: NDArray, n_codes: int, lengths: NDArray, lag: int) -> float:
    """I(code_t; code_{t+lag}) of the counted pairs, in nats (mutual information).

    Examples
    --------
    >>> round(pair_information(np.array([0, 1] * 500), 2, np.array([1000]), 1), 4)  # ln 2
    0.6931
    """
    counts = count_pairs(codes, lag, n_codes, lengths)
    return mutual_information(counts / counts.sum()) if counts.any() else 0.0


def _share(lags: list[LagInformation], *, thresholds: Thresholds) -> float:
    """The codes' part counts only where it is above chance: other lags would add nothing but noise."""
    labels = sum(each.labels for each in lags)
    return sum(each.codes for each in lags if each.is_above(thresholds)) / labels if labels > 0 else 0.0


# --------------------------------------------------------------------------------------------- findings


_NO_ORDER = (
    "Neighbouring inputs tell no more about each other than in shuffled time. Check that points are in their "
    "order of time, that sequences are not cut too short, and that the features show the labels."
)
_INVISIBLE = "There is too little data to see whether the labels' order shows. Give more, if there is more."
_NOT_THIS_MODEL = "Check that it belongs to this data, and that points do not overlap or repeat."


def _verdict(reasons: list[Reason]) -> Verdict:
    found = {reason.severity for reason in reasons}
    return "stop" if "bad" in found else "doubtful" if "doubtful" in found else "go"


def _about_label_model(
    judged: Identifiability, named: Collection[int], n_points: int, settling: list[Any]
) -> Reason:
    sentence = f"The label model is {judged.sentence}"
    if judged.verdict == "identifiable":
        return Reason("good", f"{sentence}.")
    if judged.is_decided_by(named):
        return Reason("good", f"{sentence}, but known labels settle it.")
    undecided = judged.undecided(named=named)
    if undecided and np.isfinite(undecided[0].points_needed):
        if judged.n_points < n_points:
            as_seen = roughly(undecided[0].points_needed * n_points / judged.n_points)
            sentence += f", and as these inputs show labels about {as_seen}"
        sentence += f"; there are {n_points:,}"
    advice = f"name a point each of {_listed(settling)} with partial labels, " if settling else ""
    other = "use a less symmetric label model" if judged.verdict == "unidentifiable" else "give more points"
    advice = f"{advice}{other}, or use a label model of higher order"
    severity: Severity = "bad" if judged.verdict == "unidentifiable" else "doubtful"
    return Reason(severity, f"{sentence}. {advice[0].upper()}{advice[1:]}.")


def _listed(names: list[Any]) -> str:
    return ", ".join(str(name) for name in names[:8]) + (", …" if len(names) > 8 else "")


def _about_amount(windows: int, needed: int, order: int, *, thresholds: Thresholds) -> Reason:
    seen = f"{windows:,} windows of {order} points; about {needed:,} are needed"
    if windows >= needed:
        return Reason("good", f"There is enough data: {seen}.")
    severity: Severity = "bad" if windows < thresholds.far_too_few * needed else "doubtful"
    return Reason(severity, f"There is too little data: {seen}. Give more, or lower the order.")


def _about_time(lags: list[LagInformation], share: float, *, thresholds: Thresholds) -> Reason:
    best = max(lags, key=lambda each: each.deviations)
    seen = f"neighbouring inputs tell {100 * share:.0f} % of what their labels could tell about each other"
    if not any(each.is_above(thresholds) for each in lags):
        visible = any(each.would_show(thresholds) for each in lags)
        return Reason("bad", _NO_ORDER) if visible else Reason("doubtful", _INVISIBLE)
    if share < thresholds.low_share:
        return Reason("doubtful", f"The labels' order hardly shows: {seen}. Use better features.")
    if any(each.exceeds_labels(thresholds) for each in lags):
        return Reason("doubtful", f"The label model does not explain these inputs: {seen}. {_NOT_THIS_MODEL}")
    return Reason("good", f"The labels' order shows: {seen} ({best.deviations:.0f} deviations above chance).")


def _about_kinds(n_codes: int, n_classes: int, examined: Sequences) -> list[Reason]:
    """Inputs of fewer kinds than there are labels; features that never change."""
    reasons = []
    if n_codes < n_classes:
        sentence = f"The inputs are of only {n_codes} kinds, and there are {n_classes} labels."
        reasons.append(Reason("bad", f"{sentence} Check that this is the right file and label model."))
    if not examined.is_symbolic:
        constant = np.flatnonzero(np.ptp(examined.data, axis=0) == 0)
        if len(constant) == examined.data.shape[1]:
            reasons.append(Reason("bad", "All features are constant. Check how they were computed."))
    return reasons
