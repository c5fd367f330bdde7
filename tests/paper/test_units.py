"""Units: computed once, again only for other arguments, and never half."""

from __future__ import annotations

import json

import pytest

from ventris.paper.units import Store, Unit

CALLS: list[int] = []


def double(number: int) -> dict:
    CALLS.append(number)
    return {"twice": 2 * number}


def count_up(number: int, memory, tell) -> dict:
    """Counts to `number`, keeps each count, and can be ended by `tell`."""
    step = memory("count")
    kept = step.load()
    at = kept[1]["at"] if kept else 0
    CALLS.append(at)
    while at < number:
        at += 1
        step.store({}, {"at": at})
        tell(at / number)
    return {"at": at}


@pytest.fixture(autouse=True)
def no_calls():
    CALLS.clear()


def test_a_kept_unit_is_loaded_and_one_with_other_arguments_is_not(tmp_path):
    store = Store(tmp_path)
    assert store.load(Unit("a", double, {"number": 3})) is None
    kept = store.compute(Unit("a", double, {"number": 3}), lambda share: None)
    assert kept["result"] == {"twice": 6}
    assert store.load(Unit("a", double, {"number": 3})) == kept
    assert store.load(Unit("a", double, {"number": 4})) is None
    assert CALLS == [3]


def test_a_damaged_file_is_computed_again(tmp_path):
    store, unit = Store(tmp_path), Unit("a", double, {"number": 3})
    store.compute(unit, lambda share: None)
    (tmp_path / "a.json").write_text('{"format": 1, "argum')
    assert store.load(unit) is None


def test_a_long_unit_goes_on_where_it_was_ended(tmp_path):
    store, unit = Store(tmp_path), Unit("long", count_up, {"number": 5}, is_long=True)

    def end_at_three(share: float) -> None:
        if share == 3 / 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        store.compute(unit, end_at_three)
    assert store.load(unit) is None
    assert store.compute(unit, lambda share: None)["result"] == {"at": 5}
    assert CALLS == [0, 3]


def test_inner_states_of_other_arguments_are_not_used(tmp_path):
    store = Store(tmp_path)
    store.compute(Unit("long", count_up, {"number": 2}, is_long=True), lambda share: None)
    found = store.compute(Unit("long", count_up, {"number": 4}, is_long=True), lambda share: None)
    assert found["result"] == {"at": 4}
    assert CALLS == [0, 0]
    assert json.loads((tmp_path / "long.json").read_text())["arguments"] == {"number": 4}
