"""Labels through a channel with edits: every alignment summed by hand."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest

from ventris import NgramModel
from ventris.errors import DataError
from ventris.inference.pair_chains import BeamSettings, Symbols, read_through
from ventris.kernels.pair_chains import Operations
from ventris.label_model.word_contexts import plain_contexts

EXACT = BeamSettings(threshold=0.0, beam=5000)


def problem(seed, n_symbols=4, length=4, order=2, edits=True):
    rng = np.random.default_rng(seed)
    lm = NgramModel.from_text("abba cab abc bca ab ba cab", order)
    n_classes = lm.n_classes
    drop = 0.2 * rng.random(n_classes) * edits
    insert = 0.1 * rng.random((n_symbols, n_classes)) * edits
    substitute = rng.dirichlet(np.ones(n_symbols), n_classes).T * (1 - drop)
    operations = Operations(
        substitute, insert, 1 - insert.sum(axis=0), drop, 0.3 * rng.random(n_classes) * edits
    )
    codes = rng.integers(0, n_symbols, length)
    symbols = Symbols(
        codes, np.arange(n_symbols) % n_classes, rng.random(length) < 0.8, rng.random(length) < 0.8
    )
    return lm, operations, symbols


def by_hand(lm, operations, symbols, opening):
    """Weight of every alignment, and the events of each."""
    n_classes, memory = lm.n_classes, lm.order - 1
    table = lm.conditional(lm.order).reshape(-1, n_classes)
    totals = defaultdict(float)

    def follow(t, context, after_drop, weight, events):
        if t == len(symbols.codes):
            totals["all"] += weight
            for event in events:
                totals[event] += weight
            return
        x, last = symbols.codes[t], context % n_classes
        if not after_drop and symbols.may_add[t]:
            follow(
                t + 1,
                context,
                False,
                weight * operations.insert[x, last],
                [*events, ("add", t), ("ins", x, last)],
            )
        on = 1.0 if after_drop else operations.go_on[last]
        went = [] if after_drop else [("on", last)]
        for y in range(n_classes):
            p = weight * on * table[context, y]
            there = (context * n_classes + y) % n_classes**memory
            if not (after_drop and y == last):
                again = [("kept again", y)] if y == last and not after_drop else []
                seen = [*events, *went, *again, ("label", t, y), ("sub", x, y)]
                follow(t + 1, there, False, p * operations.substitute[x, y], seen)
            if not after_drop and symbols.may_drop[t]:
                rate = operations.drop_again[y] if y == last else operations.drop[y]
                again = [("dropped again", y)] if y == last else []
                follow(t, there, True, p * rate, [*events, *went, *again, ("gap", t, y), ("drop", y)])

    follow(0, opening, False, 1.0, [])
    whole = totals.pop("all")
    return whole, {event: value / whole for event, value in totals.items()}


@pytest.mark.parametrize(("seed", "order", "edits"), [(0, 2, True), (1, 3, True), (2, 3, False)])
def test_every_alignment_is_summed(seed, order, edits):
    lm, operations, symbols = problem(seed, order=order, edits=edits)
    if not edits:
        symbols = symbols._replace(may_drop=np.zeros(4, bool), may_add=np.zeros(4, bool))
    whole, share = by_hand(lm, operations, symbols, opening=1)
    found = read_through(plain_contexts(lm), operations, symbols, opening=1, settings=EXACT)
    np.testing.assert_allclose(found.log_likelihood, np.log(whole), rtol=1e-6)
    for t in range(4):
        labels = [share.get(("label", t, y), 0.0) for y in range(lm.n_classes)]
        gaps = [share.get(("gap", t, y), 0.0) for y in range(lm.n_classes)]
        np.testing.assert_allclose(found.reading.probability[t], max(labels), rtol=1e-5)
        np.testing.assert_allclose(found.reading.gap_probability[t], max(gaps), rtol=1e-5, atol=1e-12)
        np.testing.assert_allclose(found.reading.added[t], share.get(("add", t), 0.0), rtol=1e-5, atol=1e-12)
        own = symbols.own[symbols.codes[t]]
        np.testing.assert_allclose(found.reading.unchanged[t], labels[own], rtol=1e-5)


def test_expected_events_are_those_of_every_alignment():
    lm, operations, symbols = problem(3)
    _, share = by_hand(lm, operations, symbols, opening=0)
    expected = read_through(plain_contexts(lm), operations, symbols, opening=0, settings=EXACT).expected
    for x in range(4):
        for y in range(lm.n_classes):
            np.testing.assert_allclose(
                expected.substituted[x, y], share.get(("sub", x, y), 0.0), rtol=1e-4, atol=1e-9
            )
            np.testing.assert_allclose(
                expected.inserted[x, y], share.get(("ins", x, y), 0.0), rtol=1e-4, atol=1e-9
            )
    for y in range(lm.n_classes):
        for array, name in (
            (expected.went_on, "on"),
            (expected.dropped, "drop"),
            (expected.dropped_again, "dropped again"),
            (expected.kept_again, "kept again"),
        ):
            np.testing.assert_allclose(array[y], _events(share, name, y), rtol=1e-4, atol=1e-9)


def _events(share, name, y):
    """An event may happen several times in one alignment: `by_hand` has counted each."""
    return share.get((name, y), 0.0)


def test_stretches_read_as_one():
    lm, operations, _ = problem(4)
    rng = np.random.default_rng(4)
    codes = rng.integers(0, 4, 300)
    symbols = Symbols(codes, np.arange(4), np.ones(300, bool), np.ones(300, bool))
    whole = read_through(plain_contexts(lm), operations, symbols, opening=0, settings=EXACT)
    cut = BeamSettings(threshold=0.0, beam=5000, stretch=50, ahead=40)
    parts = read_through(plain_contexts(lm), operations, symbols, opening=0, settings=cut)
    np.testing.assert_allclose(parts.log_likelihood, whole.log_likelihood, rtol=1e-9)
    np.testing.assert_allclose(parts.reading.probability, whole.reading.probability, atol=1e-4)
    np.testing.assert_allclose(parts.expected.dropped, whole.expected.dropped, rtol=1e-3)


def test_a_symbol_that_cannot_be_is_refused():
    lm, operations, symbols = problem(5, edits=False)
    operations.substitute[symbols.codes[1]] = 0.0
    symbols = symbols._replace(may_drop=np.zeros(4, bool), may_add=np.zeros(4, bool))
    with pytest.raises(DataError, match="must be possible"):
        read_through(plain_contexts(lm), operations, symbols, opening=0, settings=EXACT)
