"""Algorithm 1 at the paper's settings: resumable bit for bit, relabelled rightly, chosen by J."""

from __future__ import annotations

import numpy as np
import pytest

from ventris.paper.faithful import SETTINGS, draw_chain, draw_states, exchanged, learn_chain
from ventris.paper.units import Store, Unit
from ventris.solvers.spdg import SPDGState
from ventris.solvers.spdg_loop import SPDGResult

ARGUMENTS = {"number": 2, "updates": 20_000, "lanes": 4, "seed": 0, "rates": "faster"}


def test_the_settings_are_table_1_with_an_intercept():
    assert (SETTINGS.primal_lr, SETTINGS.dual_lr, SETTINGS.gamma) == (1e-6, 1e-4, 10.0)
    assert (SETTINGS.batch_size * SETTINGS.subsequence_length, SETTINGS.dual_form) == (10, "direct")
    assert SETTINGS.fit_intercept


def test_a_run_ended_at_any_look_goes_on_to_the_same_end(tmp_path):
    whole = Store(tmp_path / "whole").compute(Unit("u", learn_chain, ARGUMENTS, is_long=True), lambda s: None)
    store, unit = Store(tmp_path / "parts"), Unit("u", learn_chain, ARGUMENTS, is_long=True)
    for limit in (0.2, 0.6, 0.9):  # in the first half, at the start of the second, near its end

        def end(share: float, limit: float = limit) -> None:
            if share > limit:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            store.compute(unit, end)
    assert store.compute(unit, lambda s: None)["result"] == whole["result"]


def test_the_choice_is_the_least_cost_and_half_of_the_ends_are_relabelled(tmp_path):
    found = Store(tmp_path).compute(Unit("u", learn_chain, ARGUMENTS, is_long=True), lambda s: None)["result"]
    costs = [end["excess_cost"] for end in found["ends"]]
    assert len(costs) == 8
    assert found["chosen"] == int(np.argmin(costs))
    assert found["was_relabelled"] == (found["chosen"] >= 4)
    assert found["ends"][found["chosen"]]["error"] < 0.08  # the right basin, though no label was used
    assert [row["update"] for row in found["curve"]] == sorted(row["update"] for row in found["curve"])


def test_exchanging_swaps_outputs_and_dual():
    chain = draw_chain(2, 0)
    state = draw_states(chain, 1, 0, SETTINGS)[0]
    dual = np.array([[-1.0, -2.0], [-3.0, -4.0]])
    other = exchanged(SPDGResult(state.coef, state.intercept, dual, 0.0, [], 0, False, "max_updates"))
    X = chain.test.X[:50]
    mine = SPDGState(state.coef, state.intercept, dual).model(10.0).posteriors(X)
    np.testing.assert_allclose(other.model(10.0).posteriors(X), mine[:, ::-1], rtol=1e-9)
    assert other.dual.tolist() == [[-4.0, -3.0], [-2.0, -1.0]]
