"""Names: every renaming is priced as brute force prices it, and exchanged names are put right."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, permutations

import numpy as np
import pytest

from ventris.deciphering import names as names_module
from ventris.deciphering.ciphertext import Stretch
from ventris.deciphering.likelihood import explain
from ventris.deciphering.names import Rival, renamings, settle_names
from ventris.deciphering.settings import DEFAULT
from ventris.label_model.model import NgramModel


def pairs_of(n_classes, seed):
    """Pairs that were read, and other ones that the label model expects."""
    rng = np.random.default_rng(seed)
    return rng.gamma(1.0, size=(n_classes, n_classes)), rng.dirichlet(np.ones(n_classes**2)).reshape(
        n_classes, n_classes
    )


def loss_of(names, counts, prob):
    """Nats lost once label i is called names[i]: each pair looked up by hand."""
    total = 0.0
    for i in range(len(counts)):
        for j in range(len(counts)):
            total += counts[i, j] * (np.log(prob[i, j]) - np.log(prob[names[i], names[j]]))
    return total


@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_of_few_labels_every_renaming_is_priced(n_classes):
    counts, prob = pairs_of(n_classes, seed=100)
    found = renamings(counts, prob)
    expected = {names: loss_of(names, counts, prob) for names in permutations(range(n_classes))}
    expected.pop(tuple(range(n_classes)))
    assert {tuple(names.tolist()) for _, names in found} == set(expected)
    for loss, names in found:
        assert loss == pytest.approx(expected[tuple(names.tolist())])
    assert [loss for loss, _ in found] == sorted(loss for loss, _ in found)


def test_of_many_labels_every_exchange_is_priced():
    n_classes = DEFAULT.exhaustive_names + 1
    counts, prob = pairs_of(n_classes, seed=101)
    found = renamings(counts, prob)
    swaps = {tuple(np.flatnonzero(names != np.arange(n_classes)).tolist()) for _, names in found}
    assert len(found) == n_classes * (n_classes - 1) // 2
    assert swaps == set(combinations(range(n_classes), 2))
    for loss, names in found:
        assert loss == pytest.approx(loss_of(names, counts, prob))
    assert [loss for loss, _ in found] == sorted(loss for loss, _ in found)


def test_triples_are_priced_as_well():
    counts = np.random.default_rng(102).gamma(1.0, size=(3, 3, 3))
    prob = counts / counts.sum()
    for loss, names in renamings(counts, prob):
        by_hand = np.sum(counts * (np.log(prob) - np.log(prob[np.ix_(names, names, names)])))
        assert loss == pytest.approx(by_hand) and loss > 0


def test_a_pair_that_is_ruled_out_costs_much_but_not_all():
    counts, prob = np.array([[5.0, 1.0], [1.0, 0.0]]), np.array([[0.8, 0.1], [0.1, 0.0]])
    [(loss, _)] = renamings(counts, prob)
    assert np.isfinite(loss) and loss > 100


# --------------------------------------------------------------------------- names of an answer, settled

STICKY = np.array([[0.998, 0.002], [0.001, 0.999]])
SENDS = np.array([[0.17, 0.33, 0.33, 0.17], [0.29, 0.21, 0.21, 0.29]])  # symbols of an island, and outside


def islands(seed, n=10_000):
    """Two sticky states behind four symbols that both send; the labels too."""
    rng = np.random.default_rng(seed)
    labels = NgramModel.from_transition_matrix(STICKY).sample(n, rng)
    codes = (rng.random(n)[:, None] > SENDS.cumsum(axis=1)[labels]).sum(axis=1)
    return Stretch(codes, np.array([n])), labels


def exchanged_optimum(stretch):
    """Where expectation–maximisation ends if it begins with names exchanged."""
    right = SENDS.T * [1 / 3, 2 / 3]
    right /= right.sum(axis=1, keepdims=True)
    return explain(right[:, ::-1], stretch, STICKY)


@pytest.mark.parametrize("seed", range(100, 105))
def test_exchanged_names_of_sticky_states_are_put_right(seed):
    stretch, _ = islands(seed, n=40_000)
    wrong = exchanged_optimum(stretch)
    found, rivals = settle_names(wrong, stretch, STICKY)
    assert found.objective > wrong.objective
    island = found.table[[1, 2], 0].mean() - found.table[[0, 3], 0].mean()
    assert island > 0  # c and g speak for islands
    [rival] = rivals
    assert rival.names.tolist() == [1, 0]
    assert rival.loss == pytest.approx(found.objective - rival.explained.objective) and rival.loss > 0
    # The rival is where the names had been, settled again.
    assert rival.explained.objective == pytest.approx(wrong.objective, abs=1.0)


@pytest.mark.parametrize("seed", [100, 101])
def test_right_names_stay_and_their_rival_has_an_error(seed):
    stretch, labels = islands(seed, n=40_000)
    start = np.zeros((4, 2))
    np.add.at(start, (stretch.codes, labels), 1)
    right = explain(start / start.sum(axis=1, keepdims=True), stretch, STICKY)
    found, rivals = settle_names(right, stretch, STICKY)
    assert found is right
    assert all(rival.loss > 0 and 0 < rival.deviation < 100 for rival in rivals)


@pytest.mark.parametrize("leads_back", [False, True])
def test_a_renaming_that_leads_back_is_no_rival(leads_back, monkeypatch):
    """Settling is replaced: it ends in the answer again, or in a table as far from it as can be."""
    stretch, _ = islands(100, n=2_000)
    answer = exchanged_optimum(stretch)
    other = replace(answer, table=answer.table[:, ::-1], objective=answer.objective - 7)
    monkeypatch.setattr(names_module, "explain", lambda *_, **__: answer if leads_back else other)
    found, rivals = settle_names(answer, stretch, STICKY)
    assert found is answer
    assert [(rival.loss, rival.names.tolist()) for rival in rivals] == (
        [] if leads_back else [(pytest.approx(7), [1, 0])]
    )


def test_who_is_behind():
    answer = explain(np.full((4, 2), 0.5), islands(100, 500)[0], STICKY, n_rounds=1)
    swap = np.array([1, 0])
    assert not Rival(swap, DEFAULT.decisive - 1, 0.1, answer).is_behind()
    assert Rival(swap, DEFAULT.decisive + 1, 0.1, answer).is_behind()
    assert not Rival(swap, DEFAULT.decisive + 1, DEFAULT.decisive, answer).is_behind()
