"""The table that turns signs into an estimated error: learnt from invented fits whose law is known."""

from __future__ import annotations

import json

import numpy as np
import pytest
from bench.calibrating import design, estimate, fit_table

from bench import calibration


def invented(n, seed):
    """A sign that tells the error of right fits, one that tells wrong ones, one that tells nothing."""
    rng = np.random.default_rng(seed)
    rows = []
    for k in range(n):
        best, doubt = rng.uniform(0.01, 0.5), rng.uniform(-3, 3)
        wrong = rng.random() < 1 / (1 + np.exp(-2 * doubt + 2))
        error = rng.uniform(0.7, 0.95) if wrong else best * rng.uniform(0.9, 1.05)
        signs = {"expected": best, "doubt": 50 * np.exp(doubt), "noise": rng.standard_normal()}
        if rng.random() < 0.05:
            signs["noise"] = float("nan")
        rows.append({"seed": 100 + k % 100, "number": 1 + k // 100, "kind": "Gaussian", "signs": signs,
                     "best": best, "error": error, "renamed": min(error, best)})  # fmt: skip
    return rows


@pytest.mark.parametrize("products", [False, True])
def test_estimates_of_fresh_fits_are_honest(products):
    table = fit_table(invented(1500, 0), products=products)
    fresh = invented(3000, 1)
    numbers = calibration.judged(fresh, [estimate(table, row["signs"]) for row in fresh])
    assert abs(numbers["bias"]) < 0.02 and numbers["tenths off"] == 0
    assert 0.87 < numbers["interval covers"] < 0.93
    # The law itself: of two fits, the one with the larger doubt is the likelier wrong one.
    law = calibration.auc(
        np.array([row["signs"]["doubt"] for row in fresh]),
        np.array([row["error"] > row["best"] + 0.05 for row in fresh]),
    )
    assert numbers["AUC of right"] == pytest.approx(law, abs=0.01)


def test_the_estimate_leans_from_the_mean_to_the_median_as_far_as_it_stays_honest():
    rows = invented(600, 0)
    table = fit_table(rows, products=False)
    signs = {"expected": 0.1, "doubt": 50 * np.exp(0.3), "noise": 0.0}  # perhaps three in ten such are wrong
    found = [estimate(table | {"lean": lean}, signs)["estimated_error"] for lean in (0.0, 0.5, 1.0)]
    assert found[0] > found[1] > found[2] and found[1] == pytest.approx((found[0] + found[2]) / 2)
    assert found[2] == pytest.approx(0.1, abs=0.02)  # most such fits are right, and so wrong in 0.1
    trial = calibration.Trial.of(rows, products=False)
    assert abs(trial.best["bias"]) <= calibration.MOST_BIAS and trial.best["tenths off"] == 0
    assert trial.best["mean deviation"] <= trial.numbers[0.0]["mean deviation"]
    dishonest = calibration.Trial(False, {lean: {"bias": 0.1, "tenths off": 3} for lean in (0.0, 1.0)})
    assert dishonest.lean == 0


def test_a_sign_that_is_missing_counts_as_an_ordinary_one():
    table = fit_table(invented(500, 0), products=False)
    signs = {"expected": 0.2, "doubt": 10.0}
    without = estimate(table, signs)
    assert without == estimate(table, signs | {"noise": float("nan")})
    z = design(table["signs"], [signs], False)[0]
    assert z[[sign["name"] for sign in table["signs"]].index("noise")] == 0
    assert 0 <= without["low"] <= without["estimated_error"] <= without["high"] <= 1


def test_products_follow_the_upper_triangle():
    signs = [
        {"name": name, "kind": "log", "scale": 1.0, "centre": 0.0, "spread": 1.0} for name in ("a", "b", "c")
    ]
    z = design(signs, [{"a": np.expm1(1), "b": -np.expm1(2), "c": np.expm1(3)}], True)[0]
    assert z == pytest.approx([1, -2, 3, 1, -2, 3, 4, -6, 9])


def test_the_table_is_small_and_read_back_as_it_was(tmp_path, capsys):
    rows = invented(200, 0)
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    paths = ["--rows", str(tmp_path / "rows.jsonl"), "--table", str(tmp_path / "table.json")]
    assert calibration.main(["write", *paths]) == 0 and calibration.main(["check", *paths]) == 0
    assert "seeds not learnt from" in capsys.readouterr().out
    text = (tmp_path / "table.json").read_text()
    table = json.loads(text)
    assert len(text) <= 10_000 and table["n_fits"] == 200
    ordered = sorted(rows, key=lambda r: (r["number"], r["seed"]))
    kept = fit_table(ordered, products=table["products"], lean=table["lean"])
    assert estimate(table, rows[0]["signs"]) == estimate(kept, rows[0]["signs"])


def test_collecting_goes_on_where_it_was(tmp_path):
    path = tmp_path / "rows.jsonl"
    assert len(list(calibration.missing(path, 2, "Gaussian"))) == 200
    row = {"seed": 100, "number": 1, "kind": "Gaussian"}
    path.write_text(json.dumps(row) + "\n" + '{"seed": 101, "num')  # ended in the middle of a line
    left = list(calibration.missing(path, 2, "Gaussian"))
    assert len(left) == 199 and left[0] == (101, 1, "Gaussian")
    assert len(list(calibration.missing(path, 2, "symbols"))) == 200


def test_one_problem_is_collected_whole():
    row = calibration.collected(100, 1, "symbols")
    assert row["signs"] and all(np.isfinite(value) for value in row["signs"].values())
    assert 0 <= row["renamed"] <= row["error"] <= 1 and 0 <= row["best"] <= 1
    assert json.loads(json.dumps(row)) == row
