"""The bench's own pieces: rows and their verdicts, clocks, slopes, misspecified data, the page."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from bench.clocks import interleaved, paired_ratio
from bench.counting import letters, plain_sum
from bench.growth import axes, slope
from bench.misspecified import SHAPES, misspecified
from bench.passes import operations
from bench.report import cells, sections_of, text_of, write
from bench.rival import teaching_seconds, with_reason
from bench.rows import Measured, Row

from ventris.cli import run


def row(ratio: float, **changed: object) -> Row:
    given = {"suite": "spdg", "compared": "a / b", "ours": 1.0, "peer": ratio, "unit": "s", "ratio": ratio}
    return Row(**(given | {"spread": (ratio, ratio), "alone": "python -m bench --only spdg"} | changed))


def test_a_row_tells_whether_it_lost() -> None:
    assert row(0.9).lost and not row(1.1).lost
    assert row(2.0, bar=3.0).lost and row(2.0, bar=3.0).met is False
    assert not row(0.4, bar=0.35).lost  # the bar is a share of a peak
    assert not row(0.4, limit=True).lost and row(0.4, limit=True).met is None


def test_rows_survive_json() -> None:
    found = json.loads(json.dumps(row(2.0, bar=1.0).to_dict()))
    assert found["met"] is True and found["lost"] is False
    assert cells(found)[4] == "2x" and cells(found)[6] == "≥ 1 met"


def test_sides_take_turns() -> None:
    order: list[str] = []
    times = interleaved({"a": lambda: order.append("a"), "b": lambda: order.append("b")}, rounds=2)
    assert order == ["a", "b"] * 3 and len(times["a"]) == len(times["b"]) == 2
    assert paired_ratio([1.0, 2.0, 9.0], [1.0, 1.0, 3.0]) == (2.0, (1.5, 2.5))


def test_slopes_are_those_of_power_laws() -> None:
    sizes = np.array([10.0, 100.0, 1000.0])
    assert slope(sizes, 3 * sizes**1.5) == pytest.approx(1.5, rel=1e-9)
    assert slope(sizes, np.full(3, 7.0)) == pytest.approx(0.0, abs=1e-9)
    assert [size.points for size in axes(quick=False)["points"]] == [10**k for k in range(4, 8)]


def test_operations_of_a_bigram_pass_by_hand() -> None:
    # X Wᵀ and gᵀ X: 2·4096·128·27 each; P̄, A p and Aᵀ p: 2·4096·27·27 each.
    assert operations(2) == 2 * (2 * 4096 * 128 * 27) + 3 * (2 * 4096 * 27 * 27)


def test_the_plain_sum_reads_every_byte() -> None:
    symbols = letters(8000, seed=1)
    assert plain_sum(symbols) == int(np.sum(symbols.view(np.int64)))
    assert symbols.min() >= 0 and symbols.max() < 27


@pytest.mark.parametrize("shape", SHAPES)
def test_misspecified_emissions_are_not_gaussian(shape: str) -> None:
    task = misspecified(shape, 2, seed=0)
    assert task.X_train.shape == (50_000, 2) and np.isfinite(task.X_train).all()
    share = np.bincount(task.y_train) / len(task.y_train)
    np.testing.assert_allclose(share, task.lm.stationary(), atol=0.02)
    # Excess kurtosis of each class along each axis: zero for a Gaussian, far from it on some axis here.
    excess = []
    for label in (0, 1):
        points = task.X_train[task.y_train == label]
        centred = points - points.mean(axis=0)
        excess.append(np.mean(centred**4, axis=0) / np.mean(centred**2, axis=0) ** 2 - 3)
    assert np.max(np.abs(excess)) > 0.5


def test_the_page_names_what_was_missed() -> None:
    rows = [row(0.5, compared="slow / quick"), row(4.0, bar=3.0), row(1.0, bar=3.0, compared="near / far")]
    suite = {
        "rows": [each.to_dict() for each in Measured(rows).rows],
        "details": [],
        "quick": True,
        "cpu_seconds": 1.0,
        "machine": "m",
        "load": 0.0,
    }
    page = text_of({"spdg": suite}, {})
    assert "1 of 2 bars met." in page and "python -m bench --only spdg" in page
    missed, behind = page.index("near / far: 1x, bar 3"), page.index("slow / quick: 0.5x")
    assert missed < behind < page.index("## One SPDG update")


def test_one_suite_is_published_alone_and_the_others_stay_as_they_were(tmp_path) -> None:
    def suite(*rows: Row) -> dict:
        return {
            "rows": [each.to_dict() for each in rows],
            "details": [],
            "quick": False,
            "cpu_seconds": 1.0,
            "machine": "m",
            "load": 0.0,
        }

    page = tmp_path / "page.md"
    first = {"spdg": suite(row(2.0, bar=3.0, note="why")), "loops": suite(row(0.5, bar=1.0))}
    write(first, page)
    whole = page.read_text(encoding="utf-8")
    assert "0 of 2 bars met." in whole and "* spdg: a / b: 2x, bar 3 (why)" in whole
    write({"loops": suite(row(1.5, bar=1.0))}, page)
    text = page.read_text(encoding="utf-8")
    assert "1 of 2 bars met." in text and "* spdg: a / b: 2x, bar 3 (why)" in text
    assert text.index("## One SPDG update") < text.index("## Networks")
    assert sections_of(text)["spdg"] == sections_of(whole)["spdg"]
    write(first, page)
    assert page.read_text(encoding="utf-8") == whole


def test_the_published_page_is_read_as_it_was_written() -> None:
    """Its verdict follows from its tables: written again from nothing but itself it stays what it is."""
    page = (Path(__file__).parents[2] / "docs" / "proof" / "benchmarks.md").read_text(encoding="utf-8")
    assert text_of({}, {}, sections_of(page)) == page


def test_a_missed_bar_against_the_rival_has_its_reason_and_a_met_one_none() -> None:
    met, missed = (with_reason(row(ratio, bar=3.0, note="n"), 0.62) for ratio in (3.1, 2.4))
    assert met.note == "n" and missed.ratio == 2.4
    assert missed.note.startswith("n. Why: 62 % of ours is k-means, the search from many starts")
    assert with_reason(row(0.5, note="n"), 0.62).note == "n"  # no bar, nothing missed
    suite = {"rows": [missed.to_dict()], "details": [], "quick": False}
    page = text_of({"spdg": suite | {"cpu_seconds": 1.0, "machine": "m", "load": 0.0}}, {})
    assert page.index("Missed:") < page.index(missed.note) < page.index("## One SPDG update")


def test_what_is_not_teaching_is_measured_on_the_fit_itself() -> None:
    clf = SimpleNamespace(
        history_=[
            {"step": "codebook", "cpu_seconds": 1.0},
            {"step": "decipher", "cpu_seconds": 2.0},
            {"step": "distil", "cpu_seconds": 4.0},
            {"step": "refine", "cpu_seconds": 8.0},
        ]
    )
    assert teaching_seconds(clf) == 12.0


def test_outside_a_clone_the_command_says_where_the_bench_is(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["bench", "--quick"]) == 0
    assert "make bench" in capsys.readouterr().out
