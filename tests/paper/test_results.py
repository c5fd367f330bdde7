"""The results' numbers against independent computations, and their tables and figures against the data."""

from __future__ import annotations

import csv
import io
import re

import numpy as np
import pytest

from ventris.classifiers.loglinear import LogLinear
from ventris.errors import ParameterError
from ventris.paper import audit, basins, bigram, caesar, computation, lines, paths, printed, unigram
from ventris.paper.faithful import draw_chain
from ventris.paper.results import RESULTS, chosen_results, units_of
from ventris.paper.settings import Settings


def test_the_audit_decides_every_misprint_with_a_number():
    data = audit.compute()
    rows = {row[0]: row for row in data["misprints"]}
    assert len(rows) == len(data["misprints"]) >= 18
    assert all(re.search(r"\d", row[3]) or row[0] in ("conjugate of −ln u", "discussion of Table 3")
               for row in rows.values())  # fmt: skip
    least, most = map(int, re.search(r"(\d+)–(\d+) % off", rows["bigram ∂L/∂θ"][3]).groups())
    assert least >= 30 and most > 500  # 34 and 721 in tests/test_errata.py
    assert float(rows["bigram ∂L/∂θ"][3].split()[-1]) < 1e-6
    assert float(re.search(r"= ([\d.]+)", rows["the saddle problem"][3])[1]) == pytest.approx(1, abs=1e-5)
    assert rows["Caesar example"][3].endswith("0 of 26")
    lost = [row["chain"] for row in data["limits"] if row["least_cost_printed"] > 0.2]
    assert lost == [2, 6, 7, 9]
    assert max(row["least_cost"] - row["bayes"] for row in data["limits"]) < 0.006


def test_the_summary_table_agrees_with_finite_differences_and_sums_by_hand():
    """Table 4, recomputed with loops: P̄ (E2), J (E1), L (E4), slopes by central differences (E6, E7)."""
    data = computation.compute()
    p = computation.MODEL.posteriors(computation.POINTS)
    lm = np.array([[9 / 13 * 0.6, 9 / 13 * 0.4], [4 / 13 * 0.9, 4 / 13 * 0.1]])
    expected = sum(np.outer(p[t - 1], p[t]) for t in (1, 2, 3)) / 3

    def saddle(w, v):
        q = LogLinear(np.diag(w), np.zeros(2), 10.0).posteriors(computation.POINTS)
        table = sum(np.outer(q[t - 1], q[t]) for t in (1, 2, 3)) / 3
        return np.sum(lm * (v * table + np.log(-v)))

    w, v, step = np.array([-0.2, 0.1]), np.full((2, 2), -2.0), 1e-6
    slopes = [(saddle(w + s, v) - saddle(w - s, v)) / (2 * step) for s in step * np.eye(2)]
    steps = (step * np.eye(4)).reshape(4, 2, 2)
    dual = np.reshape([(saddle(w, v + s) - saddle(w, v - s)) / (2 * step) for s in steps], (2, 2))
    values = {name: np.array(pair[1]) for name, pair in data["values"].items()}
    np.testing.assert_allclose(values["P_LM"], lm, atol=1e-6)
    np.testing.assert_allclose(values["P̄"], expected, atol=1e-6)
    np.testing.assert_allclose(values["J(θ)"], -np.sum(lm * np.log(expected)), atol=1e-6)
    np.testing.assert_allclose(values["V⁰"], -1 / expected, atol=1e-5)
    np.testing.assert_allclose(values["L(θ, V)"], saddle(w, v), atol=1e-6)
    np.testing.assert_allclose(values["∂L/∂θ"], slopes, atol=1e-5)
    np.testing.assert_allclose(values["∂L/∂V"], dual, atol=1e-5)
    assert all("def " in source for source in data["sources"].values())


def test_unigram_runs_agree_in_cost_and_not_in_error():
    """Experiment 4, four starts of each kind, 400,000 updates."""
    row = unigram.learn_prior(4, updates=400_000, starts=4)
    assert row["majority"] == pytest.approx(0.308, abs=0.02)
    assert max(row["small"]["excess_costs"]) < 1e-3
    np.testing.assert_allclose(row["small"]["errors"], row["majority"], atol=0.02)
    assert np.ptp(row["broad"]["errors"]) > 0.2
    cells = unigram.table([row]).rows[0]
    assert cells[2] == printed.UNIGRAM_ERRORS[0]
    assert cells[3] == pytest.approx(100 * row["majority"])


def test_the_cipher_is_broken_by_its_histogram():
    data = caesar.compute()
    assert data["ciphertext"] == "QEB NRFZH YOLTK CLU GRJMP LSBO QEB IXWV ALD"
    assert data["scores"]["key"] == data["pangram"]["key"] == 23
    assert caesar.margin(data["scores"]) > 0.3
    assert len(caesar.draw_match(data).axes) == 3


@pytest.mark.parametrize("seed", range(10))
def test_a_place_on_the_map_is_a_classifier(seed):
    rng = np.random.default_rng(seed)
    angle, offset, sharpness = rng.uniform(0, 360), rng.normal(), rng.uniform(0.5, 9)
    assert lines.place_of(lines.model_at(angle, offset, sharpness)) == pytest.approx((angle, offset))


def test_the_map_is_lowest_near_the_right_line():
    chart = lines.compute(grid=21)
    z = np.array(chart["excess"])
    row, column = np.unravel_index(np.argmin(z), z.shape)
    right = lines.place_of(paths_supervised())
    distance = abs((chart["angles"][column] - right[0] + 180) % 360 - 180)
    assert distance < 30
    assert abs(chart["offsets"][row] - right[1]) < 0.3


def paths_supervised():
    from ventris.paper.readings import tuned_supervised

    return tuned_supervised(draw_chain(2, 0))


def test_descents_from_one_start_end_where_they_should():
    found = paths.compute(updates=20_000)["paths"]
    starts = {tuple(rows[0]["place"]) for rows in found.values()}
    assert len(starts) == 1
    assert found["full batch"][-1]["error"] < 0.045
    assert found["SPDG"][-1]["excess_cost"] < found["naive SGD"][-1]["excess_cost"]
    assert found["naive SGD"][-1]["error"] > 0.1  # batches of ten points descend something else


def test_higher_rates_are_sooner_at_the_same_cost():
    found = paths.compute_rates(updates=40_000, lanes=4)
    paper, faster = found["paper"], found["faster"]
    assert [rows[-1]["update"] for rows in (paper, faster)] == [40_000, 4_000]
    assert faster[-1]["excess_cost"] < paper[-1]["excess_cost"]
    assert faster[-1]["excess_cost"] < faster[0]["excess_cost"]
    assert len(paths.draw_rates({"a": paper, "b": faster}, found["supervised"]).axes) == 2


def test_least_cost_is_the_right_basin():
    data = basins.compute(starts=6)
    right, wrong = basins.count(data)
    assert right + wrong == 6
    best = min(data["ends"], key=lambda end: end["excess_cost"])
    assert best["error"] < 0.05


# ------------------------------------------------------------------------------------------ made of data


def fake_read(number, gaps=(0.0, 0.1), hmm=0.9):
    rows = [
        {
            "supervised": 0.04,
            "unsupervised": 0.04 + gap / 100,
            "decoded": 0.03,
            "smoother": 0.03,
            "hmmlearn": hmm,
        }
        for gap in gaps
    ]
    return {"chain": number, "bayes": 0.037, "mutual_information": 0.01 * number, "divergence": 0.1,
            "seeds": rows}  # fmt: skip


def fake_run(number, error=0.042):
    ends = [
        {"error": 0.9, "excess_cost": 0.2, "updates": 1},
        {"error": error, "excess_cost": 0.1, "updates": 1},
    ]
    return {"chain": number, "ends": ends, "chosen": 1, "was_relabelled": True, "curve": []}


def test_table_3_and_its_summary_count_what_they_say():
    runs = [fake_run(k, 0.042 if k < 10 else 0.06) for k in range(1, 11)]
    reads = [fake_read(k) for k in range(1, 11)]
    table = bigram.table(runs, reads)
    assert len(table.rows) == 11
    row = dict(zip([c.name for c in table.columns], table.rows[3], strict=True))
    assert row["paper: supervised"] == printed.SUPERVISED_ERRORS[3]
    assert row["its gap"] == pytest.approx(0.2)
    assert (row["its gap, mean"], row["gap, worst"]) == (pytest.approx(0.05), pytest.approx(0.1))
    assert row["gap, s.e."] == pytest.approx(np.std([0, 0.1], ddof=1) / np.sqrt(2))
    found = bigram.summary(runs, reads)
    assert (found["within_half"], found["relabelled"], found["starts_wrong"], found["starts"]) == (
        9,
        10,
        10,
        10,
    )
    assert found["worst_paper_gap"] == pytest.approx(2.0)
    assert (found["hmm_wrong"], found["hmm_fits"]) == (20, 20)


def test_without_hmmlearn_its_column_says_why():
    table = bigram.table([fake_run(1)], [fake_read(1, hmm=None)])
    assert table.rows[0][-1] is None
    assert "hmmlearn is not installed" in table.note
    assert table.cells()[0][-1] == "–"


def test_csv_holds_the_raw_values():
    table = bigram.table([fake_run(1)], [fake_read(1)])
    rows = list(csv.reader(io.StringIO(table.to_csv())))
    assert rows[0][1] == "paper: supervised (%)"
    assert float(rows[1][1]) == printed.SUPERVISED_ERRORS[0]


# --------------------------------------------------------------------------------------------- the list


def test_units_of_all_results_have_one_meaning_each():
    for settings in (Settings(), Settings.quick()):
        named: dict[str, object] = {}
        for result in RESULTS.values():
            for unit in result.units(settings):
                assert named.setdefault(unit.name, unit) == unit
    assert len(units_of(list(RESULTS.values()), Settings())) == len(named)


def test_seeds_change_only_what_depends_on_them():
    few, many = (units_of(list(RESULTS.values()), Settings().with_seeds(n)) for n in (2, 5))
    differing = {a.name for a in few for b in many if a.name == b.name and a.arguments != b.arguments}
    assert differing == {f"chain-{k}" for k in range(1, 11)}


def test_unknown_names_and_no_seeds_are_refused():
    with pytest.raises(ParameterError, match="caesar, snippets"):
        chosen_results(["table9"])
    with pytest.raises(ParameterError, match="at least 1"):
        Settings().with_seeds(0)
