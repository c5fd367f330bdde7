"""Networks beside supervised ones: what their families reckon, without fitting any."""

from __future__ import annotations

import pytest
from bench.families import FAMILIES
from bench.networks import glyphs, input_structure
from bench.networks.fits import ratio_numbers

ROW = {
    "task": "t", "seed": 300, "error": 0.012, "supervised": 0.010, "decoded": 0.001, "cpu": 60.0,
    "doubts": [], "supervised_cpu": 30.0, "chosen": [0.1, 9], "linear": 0.04, "supervised_linear": 0.03,
    "linear_cpu": 30.0,
}  # fmt: skip


def test_ratios_and_minutes_are_added_up():
    found = ratio_numbers([ROW, ROW | {"error": 0.010}])
    assert found["mean ratio"] == pytest.approx(1.1) and found["worst ratio"] == pytest.approx(1.2)
    assert found["cpu-minutes in all"] == pytest.approx(3.0)


def test_the_linear_bar_holds_only_where_a_network_could_be_far_better():
    assert glyphs.of_linear(ROW) == pytest.approx(0.3)
    assert glyphs.of_linear(ROW | {"supervised_linear": 0.012}) == 0.0
    assert glyphs.numbers([ROW])["cpu-minutes in all"] == pytest.approx(2.0)
    assert "linear 4.00 %" in glyphs.line(ROW)


def test_every_way_of_using_inputs_is_reported():
    row = ROW | dict.fromkeys(input_structure.WAYS, 0.2)
    assert {"without", "consistency", "reconstruction", "pre-trained"} <= set(input_structure.numbers([row]))
    assert "consistency 20.00 %" in input_structure.line(row)


def test_families_begin_where_nobody_has_looked():
    ours = [family for name, family in FAMILIES.items() if name.startswith("networks")]
    assert [(len(family), family.first_seed) for family in ours] == [(3, 300), (5, 300), (10, 300), (5, 300)]
