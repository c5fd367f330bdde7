"""`NgramModel`: every constructor, every table it gives, every refusal by its sentence."""

from __future__ import annotations

import copy
import pickle
from collections import Counter
from itertools import product

import networkx as nx
import numpy as np
import pytest
from scipy.stats import chi2

from ventris import NgramModel
from ventris.data.ngrams import count_ngrams, count_pairs
from ventris.errors import (
    DataTypeError,
    LanguageModelError,
    NonStationaryWarning,
    ParameterError,
    VentrisError,
)
from ventris.label_model.smoothing import conditionals

CHAIN = np.array([[0.1, 0.6, 0.3], [0.4, 0.4, 0.2], [0.7, 0.0, 0.3]])
METHODS = ["additive", "witten-bell", "kneser-ney"]
TEXT = "the quick brown fox jumps over the lazy dog and the five boxing wizards jump quickly " * 5


def counted(order, smoothing="witten-bell", n_classes=4, n=2000, seed=0, **options):
    symbols = np.random.default_rng(seed).zipf(1.6, n) % n_classes
    return NgramModel.from_sequences([symbols], order=order, smoothing=smoothing, **options), symbols


def trigram_chain(n_classes=3, seed=0):
    """A chain of memory two, whose joint of three labels is stationary."""
    conditional = np.random.default_rng(seed).dirichlet(np.ones(n_classes), size=(n_classes, n_classes))
    contexts = np.full((n_classes, n_classes), 1 / n_classes**2)
    for _ in range(2000):
        contexts = np.einsum("ab,abc->bc", contexts, conditional)
    return NgramModel.from_probabilities(contexts[..., None] * conditional), conditional


# ---------------------------------------------------------------- tables


MODELS = {
    "chain": lambda: NgramModel.from_transition_matrix(CHAIN),
    "trigram chain": lambda: trigram_chain()[0],
    "unigram": lambda: NgramModel.from_probabilities([0.2, 0.5, 0.3]),
    "graph": lambda: NgramModel.from_graph(nx.cycle_graph(4), stay=0.2),
    **{f"counted {k} {m}": lambda k=k, m=m: counted(k, m)[0] for k in (1, 2, 3, 4) for m in METHODS},
}


@pytest.mark.parametrize("name", MODELS)
def test_conditionals_sum_to_one_for_every_history_and_joints_over_everything(name):
    lm = MODELS[name]()
    for k in range(1, 6):
        assert lm.joint(k).shape == lm.conditional(k).shape == (lm.n_classes,) * k
        np.testing.assert_allclose(lm.conditional(k).sum(axis=-1), 1, rtol=1e-12)
        np.testing.assert_allclose(lm.joint(k).sum(), 1, rtol=1e-12)
        assert lm.joint(k).min() >= 0


@pytest.mark.parametrize("name", MODELS)
def test_forgetting_the_newest_label_leaves_the_joint_of_the_order_below(name):
    lm = MODELS[name]()
    for k in range(2, 6):
        np.testing.assert_allclose(lm.joint(k).sum(axis=-1), lm.joint(k - 1), rtol=1e-10, atol=1e-15)


@pytest.mark.parametrize("name", ["chain", "trigram chain", "unigram", "graph"])
def test_forgetting_the_oldest_label_does_too_for_a_stationary_chain(name):
    lm = MODELS[name]()
    for k in range(2, 6):
        np.testing.assert_allclose(lm.joint(k).sum(axis=0), lm.joint(k - 1), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_forgetting_the_oldest_label_does_too_for_counted_bigrams_and_nearly_for_longer(method):
    """Each order is smoothed for itself, so the orders of a counted model agree only up to smoothing."""
    lm, _ = counted(3, method, n=20_000)
    np.testing.assert_allclose(lm.joint(2).sum(axis=0), lm.joint(1), rtol=1e-10)
    assert np.abs(lm.joint(3).sum(axis=0) - lm.joint(2)).sum() < 0.01


def test_a_transition_matrix_gives_the_papers_joint():
    lm = NgramModel.from_transition_matrix([[0.6, 0.4], [0.9, 0.1]])
    np.testing.assert_allclose(lm.stationary(), [9 / 13, 4 / 13], rtol=1e-12)
    np.testing.assert_allclose(lm.joint(2), [[5.4 / 13, 3.6 / 13], [3.6 / 13, 0.4 / 13]], rtol=1e-12)
    np.testing.assert_allclose(lm.conditional(), [[0.6, 0.4], [0.9, 0.1]], rtol=1e-12)


def test_longer_joints_follow_the_markov_property():
    lm = NgramModel.from_transition_matrix(CHAIN)
    expected = np.einsum("a,ab,bc,cd->abcd", lm.stationary(), CHAIN, CHAIN, CHAIN)
    np.testing.assert_allclose(lm.joint(4), expected, rtol=1e-12)
    np.testing.assert_allclose(lm.conditional(3), np.broadcast_to(CHAIN, (3, 3, 3)), rtol=1e-12)


def test_a_periodic_chain_is_a_label_model():
    lm = NgramModel.from_transition_matrix(np.roll(np.eye(3), 1, axis=1), classes="abc")
    np.testing.assert_allclose(lm.stationary(), 1 / 3, rtol=1e-12)
    assert lm.entropy(2) == pytest.approx(np.log(3), rel=1e-12)
    assert "".join(lm.alphabet.decode(lm.sample(9, random_state=0))) in "abc" * 4


def test_probabilities_keep_their_joint_and_one_without_a_long_run_is_doubted():
    joint = np.random.default_rng(0).dirichlet(np.ones(8)).reshape(2, 2, 2)
    apart = np.abs(joint.sum(axis=2) - joint.sum(axis=0)).sum() / 2
    with pytest.warns(NonStationaryWarning, match=f"differ by {100 * apart:.0f} % of the probability"):
        lm = NgramModel.from_probabilities(joint)
    np.testing.assert_allclose(lm.joint(3), joint, rtol=1e-12)
    windows = NgramModel.from_sequences([list("abbaababbab" * 10)], order=3, smoothing="additive").joint(3)
    NgramModel.from_probabilities(windows)  # of one long sequence: no doubt


def test_a_history_that_never_occurs_is_followed_by_anything():
    with pytest.warns(NonStationaryWarning):
        lm = NgramModel.from_probabilities([[0.5, 0.5, 0], [0, 0, 0], [0, 0, 0]], classes="abc")
    np.testing.assert_allclose(lm.conditional(2)[1:], 1 / 3, rtol=1e-15)


@pytest.mark.parametrize("method", METHODS)
def test_counted_conditionals_are_those_of_the_counts(method):
    lm, symbols = counted(3, method, pseudo_count=0.5)
    counts = [count_ngrams(symbols, k, 4) for k in (1, 2, 3)]
    for k in (1, 2, 3):
        np.testing.assert_allclose(lm.conditional(k), conditionals(counts[:k], method, 0.5)[-1], rtol=1e-14)


def test_sequences_are_not_joined():
    apart = NgramModel.from_sequences(
        [["a", "b"], ["a", "b"]], order=2, smoothing="additive", pseudo_count=1e-9
    )
    assert apart.conditional(2)[1].tolist() == [0.5, 0.5]  # b was never followed by anything


@pytest.mark.parametrize(
    "labels",
    [
        [["x", "y", "x"]],
        ["x", "y", "x"],
        [np.array(["x", "y", "x"])],
        np.array(["x", "y", "x"]),
        [("x", "y", "x"), []],
    ],
)
def test_one_flat_sequence_is_one_sequence(labels):
    lm = NgramModel.from_sequences(labels, order=2)
    assert lm.classes == ("x", "y")
    assert lm.statistics.counts[1].dense().tolist() == [[0, 1], [1, 0]]


def test_text_is_the_sequence_of_its_characters():
    text = NgramModel.from_text("abracadabra", order=3)
    labels = NgramModel.from_sequences([list("abracadabra")], order=3)
    assert text.classes == labels.classes
    for k in (1, 2, 3):
        np.testing.assert_array_equal(text.conditional(k), labels.conditional(k))


def test_characters_outside_the_alphabet_are_breaks():
    lm = NgramModel.from_text("Ab!bA", order=2, alphabet="ab", lower=True)
    assert lm.statistics.counts[0].dense().tolist() == [2, 2]
    assert lm.statistics.counts[1].dense().tolist() == [[0, 1], [1, 0]]


def test_counts_given_directly_are_counts_made():
    lm, symbols = counted(2)
    pairs = {lag: count_pairs(symbols, lag, 4) for lag in (2, 3, 4)}
    counts = [count_ngrams(symbols, k, 4) for k in (1, 2)]
    given = NgramModel.from_counts(counts, classes=range(4), pairs=pairs)
    np.testing.assert_array_equal(given.joint(2), lm.joint(2))
    np.testing.assert_array_equal(given.pair(3), lm.pair(3))


def test_a_walk_on_a_weighted_graph():
    graph = nx.Graph()
    graph.add_edge("hall", "kitchen", weight=3.0)
    graph.add_edge("hall", "bath", weight=1.0)
    lm = NgramModel.from_graph(graph, stay=0.5)
    assert lm.classes == ("hall", "kitchen", "bath")
    np.testing.assert_allclose(
        lm.conditional(2), [[0.5, 0.375, 0.125], [0.5, 0.5, 0], [0.5, 0, 0.5]], rtol=1e-15
    )
    # A walk on an undirected graph visits each node in proportion to its weighted degree.
    np.testing.assert_allclose(lm.stationary(), [4 / 8, 3 / 8, 1 / 8], rtol=1e-12)


def test_a_directed_graph_is_walked_along_its_arrows():
    ring = nx.DiGraph([(0, 1), (1, 2), (2, 0)])
    np.testing.assert_array_equal(NgramModel.from_graph(ring).conditional(2), np.roll(np.eye(3), 1, axis=1))


# ---------------------------------------------------------------- entropy, pairs, tables, samples


def test_entropy_is_that_of_the_joint():
    lm = NgramModel.from_transition_matrix(CHAIN)
    joint = lm.joint(3)
    assert lm.entropy(3) == pytest.approx(-np.sum(joint[joint > 0] * np.log(joint[joint > 0])), rel=1e-12)
    # The chain rule: each further label of a first-order chain adds the same.
    assert lm.entropy(3) - lm.entropy(2) == pytest.approx(lm.entropy(2) - lm.entropy(1), rel=1e-10)


@pytest.mark.parametrize("lag", [1, 2, 3, 7])
def test_pairs_of_a_chain_are_matrix_powers(lag):
    lm = NgramModel.from_transition_matrix(CHAIN)
    expected = lm.stationary()[:, None] * np.linalg.matrix_power(CHAIN, lag)
    np.testing.assert_allclose(lm.pair(lag), expected, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("lag", [1, 2, 3, 4, 6])
def test_pairs_of_a_trigram_chain_sum_over_every_path(lag):
    lm, conditional = trigram_chain()
    expected = np.zeros((3, 3))
    start = lm.joint(2)
    for path in product(range(3), repeat=lag + 1):
        probability = start[path[:2]] * np.prod([conditional[path[k : k + 3]] for k in range(lag - 1)])
        expected[path[0], path[-1]] += probability
    np.testing.assert_allclose(lm.pair(lag), expected, rtol=1e-9)


def test_pairs_inside_a_long_ngram_are_its_marginals():
    """A label model of order 5 knows pairs 3 and 4 apart exactly; a trigram approximation will not do."""
    joint = np.random.default_rng(0).dirichlet(np.full(32, 0.2)).reshape((2,) * 5)
    with pytest.warns(NonStationaryWarning):
        lm = NgramModel.from_probabilities(joint)
    np.testing.assert_allclose(lm.pair(3), joint.sum(axis=(1, 2, 4)), rtol=1e-12)
    np.testing.assert_allclose(lm.pair(4), joint.sum(axis=(1, 2, 3)), rtol=1e-12)


def test_pairs_of_counted_sequences_are_counted():
    """A sequence whose labels repeat after three: the bigrams alone cannot know it."""
    rng = np.random.default_rng(0)
    labels = np.concatenate([np.tile(rng.integers(0, 3, 3), 40) for _ in range(50)])
    parts = np.split(labels, 50)
    lm = NgramModel.from_sequences(parts, order=2, max_lag=3)
    brute = Counter((a, b) for part in parts for a, b in zip(part[:-3], part[3:], strict=True))
    frequency = np.array([[brute[a, b] for b in range(3)] for a in range(3)]) / sum(brute.values())
    np.testing.assert_allclose(np.diag(lm.pair(3)).sum(), 1, atol=0.01)
    np.testing.assert_allclose(lm.pair(3), frequency, atol=0.005)
    assert np.diag(lm.pair(6)).sum() < 0.9  # not counted: the bigrams' word for it
    np.testing.assert_allclose(lm.pair(1), lm.joint(2), rtol=1e-12)


@pytest.mark.parametrize("name", MODELS)
def test_pairs_are_joint_distributions(name):
    lm = MODELS[name]()
    for lag in (1, 2, 3, 4, 9):
        np.testing.assert_allclose(lm.pair(lag).sum(), 1, rtol=1e-10)
        assert lm.pair(lag).min() >= 0


def test_tables_are_the_joint_made_sparse():
    lm = NgramModel.from_transition_matrix(CHAIN)
    table = lm.table(3, top=4)
    assert table.order == 3
    np.testing.assert_allclose(table.prob, np.sort(lm.joint(3).ravel())[::-1][:4], rtol=1e-12)
    np.testing.assert_allclose(table.residual, 1 - table.prob.sum(), rtol=1e-12)
    assert lm.table().order == 2


def test_a_table_too_large_to_be_dense_lists_the_ngrams_seen():
    labels = np.random.default_rng(0).integers(0, 600, 4000)
    lm = NgramModel.from_sequences([labels], order=3, classes=range(600))
    table = lm.table(3)
    expected = Counter(zip(labels, labels[1:], labels[2:], strict=False))
    got = dict(zip(map(tuple, table.grams.tolist()), table.prob.tolist(), strict=True))
    assert got == pytest.approx({gram: n / 3998 for gram, n in expected.items()}, rel=1e-12)
    assert table.mass == pytest.approx(1)
    with pytest.raises(ParameterError, match="dense table"):
        lm.joint(3)


@pytest.mark.parametrize("name", ["chain", "trigram chain", "unigram", "counted 3 kneser-ney"])
def test_samples_follow_the_model(name):
    """Chi-square of the next label given its history: seed 0, a chance of 1 in 10⁴ of failing by bad luck."""
    lm = MODELS[name]()
    sample = lm.sample(200_000, random_state=0)
    k = lm.order
    counts = count_ngrams(sample, k, lm.n_classes).dense().reshape(-1, lm.n_classes)
    expected = counts.sum(axis=1, keepdims=True) * lm.conditional().reshape(-1, lm.n_classes)
    likely = expected > 5
    assert counts[expected == 0].sum() == 0  # what is impossible never happens
    statistic = np.sum((counts[likely] - expected[likely]) ** 2 / expected[likely])
    assert statistic < chi2.ppf(1 - 1e-4, df=likely.sum() - likely.any(axis=1).sum())


def test_samples_start_anywhere_the_model_is():
    lm = NgramModel.from_transition_matrix(CHAIN)
    rng = np.random.default_rng(0)
    first = np.bincount([lm.sample(1, rng)[0] for _ in range(3000)], minlength=3)
    statistic = np.sum((first - 3000 * lm.stationary()) ** 2 / (3000 * lm.stationary()))
    assert statistic < chi2.ppf(1 - 1e-4, df=2)


def test_a_seed_names_a_sample():
    lm = trigram_chain()[0]
    np.testing.assert_array_equal(lm.sample(50, random_state=3), lm.sample(50, random_state=3))
    assert lm.sample(50, random_state=3).tolist() != lm.sample(50, random_state=4).tolist()
    assert [len(lm.sample(n, random_state=0)) for n in (0, 1, 2, 3)] == [0, 1, 2, 3]


def test_tables_cannot_be_changed_behind_the_models_back():
    lm = NgramModel.from_transition_matrix(CHAIN)
    for table in (lm.joint(2), lm.conditional(2), lm.pair(2)):
        with pytest.raises(ValueError, match="read-only"):
            table[0, 0] = 1


def test_a_model_survives_copying_and_pickling():
    lm = NgramModel.from_text(TEXT, order=3)
    assert copy.deepcopy(lm) is lm
    restored = pickle.loads(pickle.dumps(lm))
    assert restored.classes == lm.classes
    np.testing.assert_array_equal(restored.joint(3), lm.joint(3))
    assert repr(lm) == f"NgramModel(order=3, n_classes={lm.n_classes})"


# ---------------------------------------------------------------- refusals

BAD_MODELS = {
    "a matrix that is not stochastic": (
        lambda: NgramModel.from_transition_matrix([[0.5, 0.6], [0.5, 0.5]]),
        LanguageModelError,
        "Each row of a transition matrix must sum to 1, but row 0 sums to 1.1. "
        "Divide each row by its sum; if the columns sum to 1 instead, transpose it.",
    ),
    "a reducible matrix": (
        lambda: NgramModel.from_transition_matrix(np.eye(2)),
        LanguageModelError,
        "Every class must be reachable from every other, but class 1 cannot be reached from class 0 (the "
        "chain is reducible). Drop classes that are never left or never entered, or give every transition "
        "some probability.",
    ),
    "a matrix of one class": (
        lambda: NgramModel.from_transition_matrix([[1.0]]),
        LanguageModelError,
        "A label model needs at least two classes, but it has 1: [0]. "
        "With one class there is nothing to classify; check the labels.",
    ),
    "too few names": (
        lambda: NgramModel.from_transition_matrix(CHAIN, classes="ab"),
        LanguageModelError,
        "A table of 3 classes needs as many names, but classes has 2. Give one name a row.",
    ),
    "duplicate names": (
        lambda: NgramModel.from_transition_matrix(CHAIN, classes="aba"),
        LanguageModelError,
        "Classes must be distinct, but 'a' occurs twice. Give each label one name.",
    ),
    "a joint that does not sum to 1": (
        lambda: NgramModel.from_probabilities([0.5, 0.6]),
        LanguageModelError,
        "A joint must sum to 1, but it sums to 1.1. "
        "Divide it by its sum; for conditionals use from_transition_matrix.",
    ),
    "a joint of several widths": (
        lambda: NgramModel.from_probabilities(np.full((2, 3), 1 / 6)),
        LanguageModelError,
        "A joint of N labels has N axes of one length, but its shape is (2, 3). Reshape it.",
    ),
    "a joint that is a number": (
        lambda: NgramModel.from_probabilities(1.0),
        LanguageModelError,
        "A joint of N labels has N axes of one length, but its shape is (). Reshape it.",
    ),
    "a joint with NaN": (
        lambda: NgramModel.from_probabilities([np.nan, 1.0]),
        LanguageModelError,
        "A joint must hold finite numbers that are not negative, but some are not. Check the table.",
    ),
    "a negative joint": (
        lambda: NgramModel.from_probabilities([-0.5, 1.5]),
        LanguageModelError,
        "A joint must hold finite numbers that are not negative, but some are not. Check the table.",
    ),
    "sequences of one class": (
        lambda: NgramModel.from_sequences([["a", "a", "a"]]),
        LanguageModelError,
        "A label model needs at least two classes, but it has 1: ['a']. "
        "With one class there is nothing to classify; check the labels.",
    ),
    "no labels": (
        lambda: NgramModel.from_sequences([]),
        LanguageModelError,
        "There must be at least one label, but all sequences are empty. Check how the labels were read.",
    ),
    "empty sequences": (
        lambda: NgramModel.from_sequences([[], []]),
        LanguageModelError,
        "There must be at least one label, but all sequences are empty. Check how the labels were read.",
    ),
    "labels of two kinds": (
        lambda: NgramModel.from_sequences([["a", 1, "a"]]),
        LanguageModelError,
        "Classes must be all text or all numbers, but they are mixed. Turn them all into text.",
    ),
    "a label outside the classes": (
        lambda: NgramModel.from_sequences([["a", "b", "c"]], classes="ab"),
        LanguageModelError,
        "Labels must be among the 2 classes 'a', 'b', but 'c' is not. "
        "Add it to classes, or correct the labels.",
    ),
    "sequences shorter than the order": (
        lambda: NgramModel.from_sequences([["a", "b"], ["b", "a"]], order=3),
        LanguageModelError,
        "At least one sequence must hold 3 labels in a row, but none does. "
        "Give longer sequences or a lower order.",
    ),
    "text where sequences belong": (
        lambda: NgramModel.from_sequences("abracadabra"),
        DataTypeError,
        "label_sequences must be a list of sequences of labels, but it is a str. "
        "Give a list of lists; use from_text for text.",
    ),
    "text with no known symbol": (
        lambda: NgramModel.from_text("ΑΒΓ", alphabet="ab"),
        LanguageModelError,
        "The text must hold some of the alphabet 'ab', but none of its 3 characters does. "
        "Check the alphabet, its case (lower=True) and the encoding of the text.",
    ),
    "empty text": (
        lambda: NgramModel.from_text("", alphabet="ab"),
        LanguageModelError,
        "The text must hold some of the alphabet 'ab', but none of its 0 characters does. "
        "Check the alphabet, its case (lower=True) and the encoding of the text.",
    ),
    "bytes": (
        lambda: NgramModel.from_text(b"abra"),
        DataTypeError,
        "text must be a str, but it is bytes. Decode it first.",
    ),
    "an alphabet with a letter twice": (
        lambda: NgramModel.from_text("abba", alphabet="aba"),
        LanguageModelError,
        "Classes must be distinct, but 'a' occurs twice. Give each label one name.",
    ),
    "order zero": (
        lambda: NgramModel.from_text(TEXT, order=0),
        ParameterError,
        "order must be a positive whole number, but it is 0. Give 1, 2, 3, ….",
    ),
    "half an order": (
        lambda: NgramModel.from_transition_matrix(CHAIN).joint(1.5),
        ParameterError,
        "order must be a positive whole number, but it is 1.5. Give 1, 2, 3, ….",
    ),
    "no pseudo-count": (
        lambda: NgramModel.from_text(TEXT, smoothing="additive", pseudo_count=0),
        ParameterError,
        "pseudo_count must be positive, but it is 0. Give 1, or 0.1.",
    ),
    "unknown smoothing": (
        lambda: NgramModel.from_text(TEXT, smoothing="none"),
        ParameterError,
        "smoothing must be 'additive', 'witten-bell' or 'kneser-ney', but it is 'none'. Choose one.",
    ),
    "lag zero": (
        lambda: NgramModel.from_transition_matrix(CHAIN).pair(0),
        ParameterError,
        "lag must be at least 1, but it is 0. Give a positive whole number.",
    ),
    "always staying": (
        lambda: NgramModel.from_graph(nx.cycle_graph(3), stay=1.0),
        ParameterError,
        "stay must be in [0, 1), but it is 1.0. Give a probability below 1.",
    ),
    "a lonely node": (
        lambda: NgramModel.from_graph([[0, 1, 0], [1, 0, 0], [0, 0, 0]]),
        LanguageModelError,
        "Every node needs an edge that leaves it, but node 2 has none. Remove it or connect it.",
    ),
    "an adjacency that is not square": (
        lambda: NgramModel.from_graph(np.ones((2, 3))),
        LanguageModelError,
        "An adjacency matrix must be square, but its shape is (2, 3). Give one row and one column a node.",
    ),
}


@pytest.mark.parametrize("case", BAD_MODELS)
def test_refused_with_its_own_sentence(case):
    call, error, sentence = BAD_MODELS[case]
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value) == sentence
    assert isinstance(caught.value, VentrisError)


def test_a_disconnected_graph_is_refused_with_the_reason():
    with pytest.raises(
        LanguageModelError, match=r"class 2 cannot be reached from class 0 \(the chain is reducible\)"
    ):
        NgramModel.from_graph(nx.Graph([(0, 1), (2, 3)]))
