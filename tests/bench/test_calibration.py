"""The table that turns signs into an estimated error: learnt from invented fits whose law is known."""

from __future__ import annotations

import json

import numpy as np
import pytest
from bench.calibrating import LEAST_LEAF, N_LEAF, N_TREES, design, estimate, fit_table, outlook

from bench import calibration
from ventris.diagnostics.calibration import Outlook


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


@pytest.mark.parametrize("forest_share", [0.0, 0.5, 1.0])
def test_estimates_of_fresh_fits_are_honest(forest_share):
    rows, fresh = invented(1500, 0), invented(3000, 1)
    trial = calibration.Trial.of(rows)
    table = fit_table(rows, forest_share=forest_share, level=trial.levels[forest_share, 0.5])
    numbers = calibration.judged(fresh, [estimate(table, row["signs"]) for row in fresh])
    # Most such fits are right: the median, which knows no rare disasters, is below the mean.
    assert -0.1 < numbers["bias"] < 0.02
    assert 0.86 < numbers["interval covers"] < 0.94
    # The law itself: of two fits, the one with the larger doubt is the likelier wrong one.
    law = calibration.auc(
        np.array([row["signs"]["doubt"] for row in fresh]),
        np.array([row["error"] > row["best"] + 0.05 for row in fresh]),
    )
    assert numbers["AUC of right"] == pytest.approx(law, abs=0.01)


def test_the_estimate_is_the_quantile_with_the_least_deviation_of_those_that_stay_honest():
    trial = calibration.Trial.of(invented(600, 0))
    honest = [n["mean deviation"] for n in trial.numbers.values() if calibration.is_honest(n)]
    if honest:
        assert calibration.is_honest(trial.best) and trial.best["mean deviation"] == min(honest)
    off = {0.5: {"bias": -0.2, "tenths off": 3}, 0.6: {"bias": 0.1, "tenths off": 0}}
    assert calibration.Trial({(0.5, p): row for p, row in off.items()}, {}).choice == (0.5, 0.6)


def test_quantiles_are_those_of_the_weighted_shares():
    look = Outlook(np.array([0.4, 0.1, 0.9]), np.array([0.3, 0.5, 0.2]), 0.25, 0.5)
    assert look.quantiles([0.0, 0.49, 0.5, 0.51, 0.8, 0.81, 1.0]) == [0.1, 0.1, 0.1, 0.4, 0.4, 0.9, 0.9]
    found = look.estimated(0.6, 0.9)
    assert (found["low"], found["estimated_error"], found["high"]) == (0.1, 0.4, 0.9)
    assert (found["right_probability"], found["naming_probability"]) == (0.75, 0.5)


def test_a_forest_in_the_table_reads_as_the_one_it_was_made_of():
    from sklearn.ensemble import ExtraTreesRegressor

    rows = invented(400, 0)
    table, fresh = fit_table(rows, forest_share=1.0), invented(50, 1)
    error = np.array([row["error"] for row in rows])
    z, other = (design(table["signs"], [row["signs"] for row in part]) for part in (rows, fresh))
    made = ExtraTreesRegressor(N_TREES, min_samples_leaf=LEAST_LEAF, random_state=0).fit(z, error)
    seen, same = made.apply(z), []
    for row, leaves in zip(fresh, made.apply(other), strict=True):
        thirds = [
            [part.mean() for part in np.array_split(np.sort(error[seen[:, k] == leaf]), N_LEAF)]
            for k, leaf in enumerate(leaves)
        ]
        read = outlook(table, row["signs"]).errors[-N_LEAF * N_TREES :]
        same.append(np.isclose(read, np.ravel(thirds), rtol=0, atol=1e-3))
    assert np.mean(same) > 0.98  # all but what lies within a rounding of a border


def test_a_sign_that_is_missing_counts_as_an_ordinary_one():
    table = fit_table(invented(500, 0))
    signs = {"expected": 0.2, "doubt": 10.0}
    without = estimate(table, signs)
    assert without == estimate(table, signs | {"noise": float("nan")})
    z = design(table["signs"], [signs])[0]
    assert z[[sign["name"] for sign in table["signs"]].index("noise")] == 0
    assert 0 <= without["low"] <= without["estimated_error"] <= without["high"] <= 1


def test_the_table_is_small_and_read_back_as_it_was(tmp_path, capsys):
    rows = invented(200, 0)
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    paths = ["--rows", str(tmp_path / "rows.jsonl"), "--table", str(tmp_path / "table.json")]
    assert calibration.main(["write", *paths]) == 0 and calibration.main(["check", *paths]) == 0
    assert "seeds not learnt from" in capsys.readouterr().out
    text = (tmp_path / "table.json").read_text()
    table = json.loads(text)
    assert len(text) <= 100_000 and table["n_fits"] == 200
    ordered = sorted(rows, key=lambda r: (r["number"], r["seed"]))
    kept = fit_table(ordered, **{name: table[name] for name in ("forest_share", "point", "level")})
    assert estimate(table, rows[0]["signs"]) == estimate(kept, rows[0]["signs"])


def test_the_curve_says_what_more_fits_would_bring(capsys):
    calibration.curve(invented(300, 0), step=200)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(",")[0] for line in lines] == [
        "200 fits",
        "300 fits",
        "told which fits are wrong: fits 300",
    ]


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
