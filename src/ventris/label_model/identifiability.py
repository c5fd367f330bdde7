"""Before any data is seen: can this label model tell its labels apart?

Three numbers decide. The mutual information between a label and the ones before it is what there is to match.
The divergence KL(P ‖ P∘π) from the nearest relabelling π is what tells the right names from wrong ones; where
it is zero, π is an automorphism, and the relabelled classifier is exactly as good as the right one. And what
a relabelling costs a label sequence, nats a symbol, says from how many points on names are decided.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import permutations
from typing import Any, Literal
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from ventris import objective
from ventris.label_model.model import NgramModel
from ventris.label_model.renamings import AUTOMORPHISM, Renaming, near_renamings, roughly, settling_labels
from ventris.label_model.symmetries import Symmetries, symmetries_of_pairs
from ventris.objective.relabelling import EXHAUSTIVE, GAIN, relabelled, swap_gains

Array = NDArray[np.floating]
Permutation = tuple[int, ...]
Verdict = Literal["identifiable", "weak", "unidentifiable"]

# The paper's one failure, chain 9, has 0.0050 nats and 0.045; chains 4 and 7 have no more information but
# divergences of 0.34 and 1.02, and are learnt. Where between these the borders lie best is unmeasured.
WEAK_INFORMATION, WEAK_DIVERGENCE = 0.01, 0.1
# Nats below which no divergence helps, for the n-grams hardly differ from chance (unmeasured as a number).
NO_INFORMATION = 1e-3
# Points assumed where nobody says how many there are: names are decided at 15 to 494 on the paper's chains,
# at 60 to 350 on random HMMs of 5 to 200 labels; digits that spell dates, at order 2, need 31,000 to 73,000.
# Where between these the border lies best is unmeasured.
USUAL_POINTS = 5_000
# Unmeasured: share of points a renaming must move to matter; it spares an alphabet's rarest letters.
MATTERS = 0.05
SHOWN = 2.0  # unmeasured: times as many points as labels seen without error would take, inputs take at least
_LISTED = 100  # unmeasured: automorphisms listed at most; a uniform model has C! of them
_TOLD = 10  # unmeasured: near renamings written into a report
_DESCENTS = 4  # unmeasured: random relabellings from which the nearest is sought, beside swaps of two
_STEPS = 10  # unmeasured: exchanges of a descent for each label, at most
_NODES = 20_000  # unmeasured: bound on the search for automorphisms, which can be exponential
_SEED = 0  # the descents' own: a label model must always get the same verdict


@dataclass(frozen=True)
class Identifiability:
    """What the label model alone says about learning from it.

    Attributes
    ----------
    order : int
    mutual_information : float
        Nats that the order − 1 labels before tell about a label.
    divergence : float
        KL(P ‖ P∘π) in nats from the nearest relabelling.
    nearest : tuple of int
        That relabelling: label c is mistaken for ``nearest[c]``.
    automorphisms : tuple of tuples
        Relabellings that change nothing, the identity left out.
    exact : bool
        Whether every relabelling was tried; beyond six classes swaps and descents search for the nearest.
    verdict : {"identifiable", "weak", "unidentifiable"}
    sentence : str
    near : tuple of Renaming
        The renamings that cost a label sequence least, cheapest first, and the points that decide each.
    frequency : tuple of float
        How often each label comes.
    n_points : float
        Points at which it was judged.
    symmetry : Symmetries, optional
        The whole group of relabellings that change nothing, where it has more than can be listed.
    """

    order: int
    mutual_information: float
    divergence: float
    nearest: Permutation
    automorphisms: tuple[Permutation, ...]
    exact: bool
    verdict: Verdict
    sentence: str
    near: tuple[Renaming, ...] = ()
    frequency: tuple[float, ...] = ()
    n_points: float = USUAL_POINTS
    symmetry: Symmetries | None = None

    def undecided(
        self, n_points: float | None = None, named: Collection[int] = (), matters: float = MATTERS
    ) -> list[Renaming]:
        """Near renamings that so many points do not decide and no known label excludes, cheapest first.

        Parameters
        ----------
        n_points : float, optional
            By default those at which it was judged.
        named : collection of int
            Labels of which a point is known.
        matters : float
            Share of points a renaming must move to be told.
        """
        n_points = self.n_points if n_points is None else n_points
        return [
            each
            for each in self.near
            if each.share >= matters and each.points_needed > n_points and not each.is_excluded_by(named)
        ]

    def alike(self, n_points: float | None = None, named: Collection[int] = ()) -> set[int]:
        """Labels that so many points may leave without their own names.

        Those of undecided renamings, and whoever is nearly as hard to tell from one of them: points show
        their labels less plainly than the count of points supposes.
        """
        n_points = self.n_points if n_points is None else n_points
        found = {label for each in self.undecided(n_points, named) for label, _ in each.moved}
        nearly = [{label for label, _ in each.moved} for each in self.undecided(n_points / SHOWN, named)]
        while joined := [labels for labels in nearly if labels & found and not labels <= found]:
            found.update(*joined)
        return found

    def settled_by(self, n_points: float | None = None, named: Collection[int] = ()) -> tuple[int, ...]:
        """The fewest labels of which a known point each would exclude what so many points leave undecided.

        Where more relabellings change nothing than are listed, those that break the whole group of them.
        """
        if self.symmetry is not None:
            return self.symmetry.settled_by(named)
        left = self.undecided(n_points, named)
        moved = [frozenset(label for label, _ in each.moved) for each in left]
        moved += [frozenset(c for c, name in enumerate(p) if c != name) for p in self.automorphisms]
        return settling_labels([each for each in moved if each.isdisjoint(named)], self.frequency)

    def is_decided_by(self, named: Collection[int]) -> bool:
        """Whether known points of these labels rule out every relabelling that leaves names in doubt.

        Examples
        --------
        >>> ring = NgramModel.from_transition_matrix(0.9 * np.roll(np.eye(3), 1, axis=1) + 0.1 / 3)
        >>> identifiability(ring).is_decided_by([]), identifiability(ring).is_decided_by([2])
        (False, True)
        """
        if self.verdict == "weak" and not _tells_little(self.mutual_information, self.divergence):
            return not self.undecided(named=named)
        if self.verdict != "unidentifiable":
            return False
        if len(set(named)) >= len(self.nearest) - 1:  # one label left has only one name left
            return True
        if self.symmetry is not None:
            return not self.symmetry.settled_by(named)
        return all(any(p[c] != c for c in named) for p in self.automorphisms)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for a report."""
        plain = dict(vars(self))
        del plain["symmetry"]
        plain["nearest"] = list(self.nearest)
        plain["automorphisms"] = [list(each) for each in self.automorphisms]
        plain["divergence"] = self.divergence if np.isfinite(self.divergence) else None
        plain["near"] = [_plain(each) for each in self.near[:_TOLD]]
        plain["frequency"] = list(self.frequency)
        return plain


def _plain(each: Renaming) -> dict[str, Any]:
    moved = [list(pair) for pair in each.moved]
    return asdict(each) | {"moved": moved, "points_needed": each.points_needed if each.nats else None}


def identifiability(lm: NgramModel, order: int = 2, n_points: float = USUAL_POINTS) -> Identifiability:
    """Judge a label model before it is used.

    Parameters
    ----------
    lm : NgramModel
    order : int, default 2
        N of the n-grams that will be matched.
    n_points : float
        Points there will be, counted as if their labels were seen without error: names that they do not
        decide make a label model weak.

    Examples
    --------
    >>> lm = NgramModel.from_transition_matrix([[0.5, 0.5], [0.4, 0.6]])
    >>> print(identifiability(lm).sentence)
    weak: the labels before tell 0.005 nats about the next; renaming 0→1, 1→0 changes 0.045 nats

    Two states that stay for long tell much about each other, and little about which is which.

    >>> lm = NgramModel.from_transition_matrix([[0.99, 0.01], [0.005, 0.995]])
    >>> print(identifiability(lm).sentence)
    weak: the labels before tell 0.6 nats about the next; renaming 0↔1 costs 0.0017 nats a symbol, which \
about 6,000 points decide
    """
    judged = _judged_before(lm, order)
    judged = replace(judged, n_points=n_points)
    verdict = _verdict(judged)
    sentence = _sentence(replace(judged, verdict=verdict), lm.classes)
    return replace(judged, verdict=verdict, sentence=sentence)


# What does not hang on the number of points is searched for once a label model.
_BEFORE: WeakKeyDictionary[NgramModel, dict[int, Identifiability]] = WeakKeyDictionary()


def _judged_before(lm: NgramModel, order: int) -> Identifiability:
    found = _BEFORE.setdefault(lm, {})
    if order not in found:
        found[order] = _judge(np.asarray(lm.joint(order), dtype=float), order)
    return found[order]


def _judge(joint: Array, order: int) -> Identifiability:
    """All but verdict and sentence."""
    information = mutual_information(joint)
    exact = len(joint) <= EXHAUSTIVE
    automorphisms, candidates = _exhaustive(joint) if exact else _searched(joint)
    nearest = min([*automorphisms, *candidates], key=lambda p: _divergence(joint, p))
    divergence = max(0.0, _divergence(joint, nearest))
    both_ways = {*automorphisms, *candidates, *(tuple(np.argsort(p).tolist()) for p in candidates)}
    near = near_renamings(joint, both_ways)
    frequency = tuple(joint.sum(axis=tuple(range(1, joint.ndim))).tolist())
    judged = Identifiability(
        order, information, divergence, nearest, tuple(automorphisms), exact, "weak", "", near, frequency
    )
    if len(automorphisms) < _LISTED:
        return judged
    return replace(judged, symmetry=symmetries_of_pairs(_bigram(joint), range(len(joint))))


def mutual_information(joint: Array) -> float:
    """Nats the first N − 1 labels of an n-gram tell about the last (mutual information).

    ``I = H(1) + H(N − 1) − H(N)``

    Examples
    --------
    >>> round(mutual_information(np.array([[0.5, 0.0], [0.0, 0.5]])), 4)  # ln 2
    0.6931
    """
    if joint.ndim == 1:
        return 0.0
    last = joint.sum(axis=tuple(range(joint.ndim - 1)))
    value = objective.entropy(last) + objective.entropy(joint.sum(axis=-1)) - objective.entropy(joint)
    return max(0.0, value)


def _divergence(joint: Array, permutation: Sequence[int]) -> float:
    return objective.excess_cost(joint, relabelled(joint, permutation))


# ------------------------------------------------------------------------------------ few classes: all


def _exhaustive(joint: Array) -> tuple[list[Permutation], list[Permutation]]:
    """Automorphisms, and every relabelling but the identity."""
    options = list(permutations(range(len(joint))))[1:]
    return [p for p in options if _divergence(joint, p) < AUTOMORPHISM], options


# ----------------------------------------------------------------------------------- many classes: search


def _searched(joint: Array) -> tuple[list[Permutation], list[Permutation]]:
    """Automorphisms, and the relabellings that look nearest by their bigrams."""
    from threadpoolctl import threadpool_limits

    bigram = _bigram(joint)
    found = [p for p in find_automorphisms(bigram) if _divergence(joint, p) < AUTOMORPHISM]
    with threadpool_limits(1):  # thousands of small products: threads only wait for one another
        return found, list(_nearby(bigram))


def _bigram(joint: Array) -> Array:
    """The table of two labels: a relabelling is never farther by its marginal than by the whole."""
    if joint.ndim == 1:
        return np.outer(joint, joint)
    return joint.sum(axis=tuple(range(2, joint.ndim)))


def find_automorphisms(bigram: Array, limit: int = _LISTED) -> list[Permutation]:
    """Relabellings π ≠ identity with KL(P ‖ P∘π) < 1e-9, found label by label (backtracking search).

    KL bounds Σ(√P − √P∘π)² from above, so a partial relabelling whose sum has passed 1e-9 is given up;
    nothing is missed, except beyond `limit` or 20,000 partial relabellings.

    Examples
    --------
    >>> ring = np.roll(np.eye(4), 1, axis=1) / 4
    >>> find_automorphisms(ring)
    [(1, 2, 3, 0), (2, 3, 0, 1), (3, 0, 1, 2)]
    """
    root = np.sqrt(bigram)
    share = np.sqrt(bigram.sum(axis=1))
    n_classes, nodes = len(bigram), 0
    found: list[Permutation] = []
    stack: list[tuple[Permutation, float]] = [((), 0.0)]
    while stack and len(found) <= limit and nodes < _NODES:
        names, distance = stack.pop()
        nodes += 1
        if len(names) == n_classes:
            found.append(names)
            continue
        distances = distance + _step_distances(root, share, names)
        fitting = np.flatnonzero(distances < AUTOMORPHISM)
        stack += [((*names, int(j)), float(distances[j])) for j in fitting[::-1]]
    return [p for p in found if p != tuple(range(n_classes))]


def _step_distances(root: Array, share: Array, names: Permutation) -> Array:
    """What naming the next label j adds to Σ(√P − √P∘π)², for every j still free: shape (C,)."""
    i, taken, before = len(names), list(names), np.arange(len(names))
    new = (root[i, i] - np.diag(root)) ** 2
    new = new + np.sum((root[i, before] - root[:, taken]) ** 2, axis=1)
    new = new + np.sum((root[before, i][:, None] - root[taken, :]) ** 2, axis=0)
    new[(share[i] - share) ** 2 > AUTOMORPHISM] = np.inf  # its frequency alone gives it away
    new[taken] = np.inf
    return new


def _nearby(bigram: Array) -> Iterator[Permutation]:
    """The nearest swap of two labels, and the ends of descents from random relabellings."""
    log_prob = np.log(np.maximum(bigram, objective.TINY))
    n_classes = len(bigram)
    gains = swap_gains(bigram[None], log_prob[None])
    first, second = np.triu_indices(n_classes, k=1)
    for pair in np.argsort(-gains[first, second], kind="stable")[:n_classes]:
        yield _swapped(tuple(range(n_classes)), int(first[pair]), int(second[pair]))
    rng = np.random.default_rng(_SEED)
    for _ in range(_DESCENTS):
        yield _descend(bigram, log_prob, tuple(rng.permutation(n_classes).tolist()))


def _descend(bigram: Array, log_prob: Array, names: Permutation) -> Permutation:
    """Swap the pair that lowers KL(P ‖ P∘π) most, until none does or only the identity is left."""
    for _ in range(_STEPS * len(names)):
        gains = swap_gains(bigram[None], relabelled(log_prob, names)[None])
        np.fill_diagonal(gains, -np.inf)
        a, b = divmod(int(np.argmax(gains)), len(names))
        # Names that now stand at rows a and b change places.
        inverse = np.argsort(names)
        after = _swapped(names, int(inverse[a]), int(inverse[b]))
        if gains[a, b] <= GAIN or after == tuple(range(len(names))):
            return names
        names = after
    return names


def _swapped(names: Permutation, a: int, b: int) -> Permutation:
    out = list(names)
    out[a], out[b] = out[b], out[a]
    return tuple(out)


# ----------------------------------------------------------------------------------------------- words


def _verdict(judged: Identifiability) -> Verdict:
    if judged.divergence < AUTOMORPHISM:
        return "unidentifiable"
    little = _tells_little(judged.mutual_information, judged.divergence)
    return "weak" if little or judged.undecided() else "identifiable"


def _tells_little(information: float, divergence: float) -> bool:
    return information < NO_INFORMATION or (information < WEAK_INFORMATION and divergence < WEAK_DIVERGENCE)


def _sentence(judged: Identifiability, classes: Sequence[Any]) -> str:
    told = f"{judged.verdict}: the labels before tell {judged.mutual_information:.2g} nats about the next"
    n_same, undecided = len(judged.automorphisms), judged.undecided()
    if undecided and not n_same:
        first = undecided[0]
        what = f"renaming {first.in_words(classes)} costs {first.nats:.2g} nats a symbol"
        return f"{told}; {what}, which about {roughly(first.points_needed)} points decide"
    moved = [f"{classes[c]}→{classes[name]}" for c, name in enumerate(judged.nearest) if name != c]
    told += "; renaming " + ", ".join(moved[:6]) + (", …" if len(moved) > 6 else "")
    if n_same:
        return f"{told} changes nothing ({n_same} {'or more ' if n_same >= _LISTED else ''}such relabellings)"
    return f"{told} changes {judged.divergence:.2g} nats"
