"""J and L for one's own loop, against the library's objective, finite differences and brute force."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("skorch")

import ventris as vt  # noqa: E402
from ventris import objective  # noqa: E402
from ventris.errors import DataError, ParameterError  # noqa: E402
from ventris.torch import NgramMatchingLoss  # noqa: E402

LENGTHS = [9, 2, 14, 5]


@pytest.fixture(scope="module")
def lm():
    labels = np.random.default_rng(1).choice(4, size=3_000, p=[0.4, 0.3, 0.2, 0.1])
    labels[1::2] = (labels[::2] + 1) % 4
    return vt.NgramModel.from_sequences([labels], order=3)


@pytest.fixture
def logits(rng):
    return torch.tensor(rng.normal(size=(sum(LENGTHS), 4)), requires_grad=True)


def posteriors_of(logits):
    return torch.softmax(logits.detach(), dim=-1).numpy()


@pytest.mark.parametrize("order", [1, 2, 3])
def test_j_and_its_gradient_are_the_librarys(lm, logits, order):
    """(E1), (E2), (E5), (E7)"""
    value, gradient = objective.cost_and_logit_gradient(posteriors_of(logits), lm.joint(order), LENGTHS)
    loss = NgramMatchingLoss(lm, order)(logits, lengths=LENGTHS)
    loss.backward()
    assert loss.item() == pytest.approx(value, rel=1e-6)
    np.testing.assert_allclose(logits.grad.numpy(), gradient, rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("order", [1, 2, 3, 4])
@pytest.mark.parametrize("top", [None, 7])
def test_gradients_agree_with_finite_differences(lm, logits, order, top):
    loss = NgramMatchingLoss(lm, order, top=None if top is None else min(top, 4**order))
    assert torch.autograd.gradcheck(lambda z: loss(z, LENGTHS), logits, rtol=1e-5, atol=1e-8)


def test_counts_are_those_of_every_window_by_brute_force(lm, logits):
    """(E2)"""
    p = posteriors_of(logits)
    starts = np.cumsum([0, *LENGTHS])
    windows = [t for s, n in zip(starts, LENGTHS, strict=False) for t in range(s, s + n - 2)]
    brute = {
        gram: sum(p[t, gram[0]] * p[t + 1, gram[1]] * p[t + 2, gram[2]] for t in windows)
        for gram in product(range(4), repeat=3)
    }
    counts, n_windows = NgramMatchingLoss(lm, 3).counts(logits, LENGTHS)
    assert n_windows.item() == len(windows)
    np.testing.assert_allclose(counts.detach().numpy().ravel(), list(brute.values()), rtol=1e-12)
    sparse = NgramMatchingLoss(lm, 3, top=10)
    found = sparse.counts(logits, LENGTHS)[0].detach().numpy()
    np.testing.assert_allclose(found, [brute[tuple(gram)] for gram in sparse.grams.tolist()], rtol=1e-12)


def test_all_ngrams_listed_are_as_good_as_a_table(lm, logits):
    dense, sparse = NgramMatchingLoss(lm, 3), NgramMatchingLoss(lm, 3, top=64)
    assert sparse(logits, LENGTHS).item() == pytest.approx(dense(logits, LENGTHS).item(), rel=1e-12)


def test_padding_counts_for_nothing(lm, logits):
    """Whatever stands there, the value and the gradients are those of the sequences one after another."""
    loss = NgramMatchingLoss(lm, 2)
    padded = torch.full((len(LENGTHS), max(LENGTHS), 4), 1e3, dtype=torch.float64)
    start = 0
    for row, n in enumerate(LENGTHS):
        padded[row, :n] = logits.detach()[start : start + n]
        start += n
    padded.requires_grad_()
    value = loss(padded, lengths=torch.tensor(LENGTHS))
    value.backward()
    flat = loss(logits, LENGTHS)
    flat.backward()
    assert value.item() == pytest.approx(flat.item(), rel=1e-12)
    inside = torch.arange(max(LENGTHS))[None] < torch.tensor(LENGTHS)[:, None]
    np.testing.assert_allclose(padded.grad[inside].numpy(), logits.grad.numpy(), rtol=1e-12, atol=1e-15)
    assert not padded.grad[~inside].any()


def test_the_saddle_form_at_the_best_dual_is_j(lm, logits):
    """(E4), (E5): one batch is its own running average."""
    loss = NgramMatchingLoss(lm, 2, dual="average", momentum=0.9)
    value = loss(logits, LENGTHS)
    value.backward()
    assert value.item() == pytest.approx(NgramMatchingLoss(lm, 2)(logits, LENGTHS).item(), rel=1e-12)
    _, gradient = objective.cost_and_logit_gradient(posteriors_of(logits), lm.joint(2), LENGTHS)
    np.testing.assert_allclose(logits.grad.numpy(), gradient, rtol=1e-9, atol=1e-15)


def test_the_running_average_remembers_batches(lm, logits, rng):
    loss = NgramMatchingLoss(lm, 2, dual="average", momentum=0.75)
    other = torch.tensor(rng.normal(size=(20, 4)))
    loss(logits, LENGTHS)
    value = loss(other)
    first, second = (
        objective.expected_ngrams(posteriors_of(each), 2, lengths)
        for each, lengths in ((logits, LENGTHS), (other, None))
    )
    average = 0.75 * first + 0.25 * second
    expected = objective.saddle(lm.joint(2), second, objective.optimal_dual(average)) + 1
    assert value.item() == pytest.approx(expected, rel=1e-9)
    loss.eval()
    loss(logits, LENGTHS)
    np.testing.assert_allclose(loss.average.numpy(), average, rtol=1e-12)


def test_the_dual_parameter_ascends_where_the_loss_is_lowered(lm, logits, rng):
    """(E6), turned round and divided by P: dL/da = P (v P̄ + 1) for v = −exp(a)."""
    loss = NgramMatchingLoss(lm, 2, dual="parameter")
    loss(logits, LENGTHS)  # starts at the best V of this batch
    expected = objective.expected_ngrams(posteriors_of(logits), 2, LENGTHS)
    np.testing.assert_allclose(-loss.log_dual.detach().exp().numpy(), -1 / expected, rtol=1e-9)
    with torch.no_grad():
        loss.log_dual += torch.tensor(rng.normal(size=(4, 4)))
    value = loss(logits, LENGTHS)
    value.backward()
    v = -loss.log_dual.detach().exp().numpy()
    assert value.item() == pytest.approx(objective.saddle(lm.joint(2), expected, v) + 1, rel=1e-9)
    wanted = objective.dual_gradient(lm.joint(2), expected, v) * v / lm.joint(2)
    np.testing.assert_allclose(loss.log_dual.grad.numpy(), -wanted, rtol=1e-9)


def test_one_optimiser_for_both_finds_the_chain(rng):
    """A user's own loop, L with a learnt dual, on an easy chain: as right as J with labels unknown can be."""
    chain = vt.datasets.make_paper_chain(5, n_samples=4_000, random_state=3)
    X = torch.tensor(chain.train.X, dtype=torch.float32)
    errors = []
    for start in range(4):
        torch.manual_seed(start)
        net, loss = torch.nn.Linear(2, 2), NgramMatchingLoss(chain.lm, 2, dual="parameter")
        optimiser = torch.optim.Adam([*net.parameters(), *loss.parameters()], lr=0.05)
        for _ in range(150):
            optimiser.zero_grad()
            loss(net(X)).backward()
            optimiser.step()
        cost = loss.cost([(net(X), None)])
        errors.append((cost, float(np.mean(net(X).argmax(dim=1).numpy() != chain.train.y))))
    assert min(errors)[1] < 0.06  # the lowest J of four starts


def test_a_full_pass_adds_batches_up(lm, logits):
    loss = NgramMatchingLoss(lm, 2)
    parts = torch.split(logits.detach(), LENGTHS)
    whole = objective.cost(lm.joint(2), objective.expected_ngrams(posteriors_of(logits), 2, LENGTHS))
    assert loss.cost((part, None) for part in parts) == pytest.approx(whole, rel=1e-12)
    assert loss.entropy == pytest.approx(objective.entropy(lm.joint(2)), rel=1e-12)


def test_single_precision_stays_close(lm, logits):
    single = NgramMatchingLoss(lm, 3)(logits.detach().float(), LENGTHS)
    assert single.item() == pytest.approx(NgramMatchingLoss(lm, 3)(logits, LENGTHS).item(), rel=1e-5)


def test_bad_logits_get_a_sentence(lm):
    loss = NgramMatchingLoss(lm, 2)
    with pytest.raises(DataError, match=r"shape \(T, 4\) or \(B, T, 4\).*\(5, 3\)"):
        loss(torch.zeros(5, 3))
    with pytest.raises(DataError, match="finite"):
        loss(torch.full((5, 4), torch.nan))
    with pytest.raises(DataError, match="2 numbers from 1 to 5"):
        loss(torch.zeros(2, 5, 4), lengths=[6, 1])
    with pytest.raises(DataError, match="add up"):
        loss(torch.zeros(5, 4), lengths=[3, 3])
    with pytest.raises(DataError, match="hold 2 points"):
        loss(torch.zeros(2, 1, 4))
    with pytest.raises(ParameterError, match="dual must be"):
        NgramMatchingLoss(lm, 2, dual="primal")
    with pytest.raises(ParameterError, match="at least 1"):
        NgramMatchingLoss(lm, 0)
