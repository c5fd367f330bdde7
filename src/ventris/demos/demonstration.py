"""The story that `ventris demo` tells: a cipher, a label model, a classifier without labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ventris import objective
from ventris.ciphers import decipher_with
from ventris.classifier import SequenceClassifier
from ventris.classifiers.loglinear import LogLinear
from ventris.datasets import PaperChain, load_language, make_paper_chain
from ventris.datasets.references import fit_supervised
from ventris.evaluation import error_rate
from ventris.figures.histograms import score_shifts

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# The paper's message; its printed ciphertext drops the second THE.
PAPER_CIPHERTEXT = "QEB NRFZH YOLTK CLU GRJMP LSBO QEB IXWV ALD"
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True)
class ShiftMatch:
    """A shift cipher broken by letter frequencies alone: ciphertext = plaintext + key."""

    ciphertext: str
    plaintext: str
    key: int
    costs: NDArray[np.floating]  # (26,): J of each shift
    entropy: float
    prior: NDArray[np.floating]  # (26,)
    observed: NDArray[np.floating]  # (26,): of the message shifted back


def match_histograms(ciphertext: str) -> ShiftMatch:
    """Step 1 the language's histogram, step 2 the message's, step 3 the shift with the least J (E1).

    Examples
    --------
    >>> match_histograms(PAPER_CIPHERTEXT).plaintext
    'THE QUICK BROWN FOX JUMPS OVER THE LAZY DOG'
    """
    found = score_shifts(ciphertext, load_language("en", order=1, space=False))
    entropy = objective.entropy(found.prior)
    return ShiftMatch(
        ciphertext,
        decipher_with(ciphertext, found.key, kind="caesar"),
        found.key,
        found.excess + entropy,
        entropy,
        found.prior,
        np.roll(found.observed, -found.key),
    )


@dataclass(frozen=True)
class Reading:
    """One classifier of a chain: its cost, and what only the true labels can tell, its error."""

    name: str
    cost: float
    error_rate: float


@dataclass(frozen=True)
class ChainStory:
    """Classifiers of one paper chain side by side; the label model's entropy is the least cost there is."""

    chain: PaperChain
    entropy: float
    readings: list[Reading]
    supervised: LogLinear
    unsupervised: LogLinear


def compare_on_chain(number: int = 2, random_state: int = 0) -> ChainStory:
    """A classifier learnt without labels beside the supervised one, and beside two wrong ones: J knows."""
    chain = make_paper_chain(number, random_state=random_state)
    supervised = fit_supervised(chain.train.X, chain.train.y, 2)
    unsupervised = _learn(chain, random_state)
    usual = np.log(chain.lm.stationary())
    candidates = {
        "without labels": unsupervised,
        "supervised": supervised,
        "labels swapped": supervised.relabelled([1, 0]),
        "constant": LogLinear(np.zeros((2, 2)), usual),
    }
    readings = [_read(name, model, chain) for name, model in candidates.items()]
    return ChainStory(chain, chain.lm.entropy(2), readings, supervised, unsupervised)


def _learn(chain: PaperChain, random_state: int) -> LogLinear:
    """What `SequenceClassifier` makes of the inputs and the label model alone."""
    clf = SequenceClassifier(chain.lm, random_state=random_state).fit(chain.train.X)
    return LogLinear(clf.coef_, clf.intercept_, clf.gamma)


def _read(name: str, model: LogLinear, chain: PaperChain) -> Reading:
    expected = objective.expected_ngrams(model.posteriors(chain.train.X), 2)
    error = error_rate(chain.test.y, model.posteriors(chain.test.X).argmax(axis=1))
    return Reading(name, objective.cost(chain.lm.joint(2), expected), error)


def draw(caesar: ShiftMatch, story: ChainStory) -> Figure:
    """The whole demonstration as one figure."""
    from ventris.figures.canvas import canvas
    from ventris.figures.histograms import draw_histogram_match, draw_shift_costs
    from ventris.figures.plane import draw_boundaries

    with canvas(11, 6.4) as figure:
        (match, shifts), (points, costs) = figure.subplots(2, 2)
        draw_histogram_match(match, _LETTERS, caesar.prior, caesar.observed)
        match.set_title("A message and its language, matched")
        draw_shift_costs(shifts, caesar.costs, caesar.entropy)
        shifts.set_title(f"26 shifts tried: the key is {caesar.key}")
        test = story.chain.test
        lines = {"without labels": (story.unsupervised, "-"), "supervised": (story.supervised, "--")}
        draw_boundaries(points, test.X[:2000], test.y[:2000], lines)
        points.set_title(f"The paper's chain {story.chain.number}: points to be labelled")
        _draw_readings(costs, story)
    return figure


def _draw_readings(axes: Axes, story: ChainStory) -> None:
    from ventris.figures.canvas import ACCENT, MUTED

    names = [f"{reading.name}\nerror {100 * reading.error_rate:.1f} %" for reading in story.readings]
    excess = [reading.cost - story.entropy for reading in story.readings]
    colours = [ACCENT if reading.name == "without labels" else MUTED for reading in story.readings]
    bars = axes.bar(names, excess, color=colours)
    axes.bar_label(bars, [f"{value:.4f}" for value in excess], fontsize=8)  # the least are too low to see
    axes.margins(y=0.1)
    axes.set_ylabel("J − H (nats)")
    axes.set_title("The cost J knows which classifier is right")
