"""Families of real ciphers: bars on invented rows, tasks on invented files, and what is not measured."""

from __future__ import annotations

import hashlib
import json

import numpy as np
import pytest
from bench.bars import MET, MISSED, judge
from bench.families import FAMILIES
from bench.real_ciphers import confidence, files, homophonic
from bench.real_ciphers import syllabary as latin

from ventris.ciphers import encipher

PREFIX = "ciphers: "
READ = {"right": 0.99, "warned": False, "confidence": 1.0, "alike": 3, "searches": 3, "cpu": 1.0}
MISREAD = READ | {"right": 0.2, "warned": True, "alike": 1}


def batch(**last):
    """As many in each bin as the file has, all solved below .35 and none above."""
    rows = []
    for ratio, n, each in ((0.2, 137, READ), (0.27, 46, READ), (0.32, 33, READ), (0.5, 117, MISREAD)):
        rows += [
            {"seed": 300, "task": "x", "length": 100, "ratio": ratio, "effort 1": each, "effort 8": each}
        ] * n
    rows[0] = rows[0] | last
    return rows


def texts(**last):
    row = {"seed": 300, "right": 0.99, "cpu": 1.0, "confidence": 1.0, "doubts": [], "read": ""}
    names = [f"Zodiac 408, {form}" for form in ("list", "line", "grid")] + ["Zodiac 340, sections", "Beale 2"]
    return [row | {"task": name} for name in names[1:]] + [row | {"task": names[0]} | last]


def drawn(**last):
    return [READ | {"seed": 300, "task": "x"}] * 45 + [MISREAD | {"seed": 300, "task": "x"} | last] * 5


def folios(**last):
    row = {"seed": 300, "task": "Borg", "right": 1.0, "cpu": 1.0, "confidence": 1.0, "doubts": [], "read": ""}
    return [row, row, row | last]


def long(**last):
    row = {"seed": 300, "task": "caesar", "right": 1.0, "cpu": 5.0, "gigabytes": 0.5, "read": ""}
    return [row] * 3 + [row | last]


def exact(**last):
    row = {"seed": 300, "task": "x", "right": 1.0, "confidence": 1.0, "cpu": 1.0, "key": "k"}
    return [row] * 95 + [row | {"right": 0.5, "confidence": 0.1} | last] * 5


def sure(**last):
    row = READ | {"seed": 300, "task": "x", "length": 100, "ratio": 0.2}
    return [row] * 1195 + [row | {"right": 0.5} | last] * 5 + [row | {"right": 0.5, "confidence": 0.2}] * 200


def syllabary(*sizes):
    def rows(**last):
        row = {"seed": 300, "kinds": 100, "right": 0.995, "confidence": 1.0, "warned": False, "cpu": 2.0}
        made = [row | {"task": size} for size, n in sizes for _ in range(n)]
        return [*made[:-1], made[-1] | last]

    return rows


MAKERS = {
    "syllabary of 116 signs": syllabary(("116 signs, 2,000", 5), ("116 signs, 5,000", 5)),
    "syllabaries of 300 and 500 signs": syllabary(("500 signs, 20,000", 3), ("300 signs, 20,000", 3)),
    "quagmire III, 300 letters": exact,
    "columnar, 200 letters": exact,
    "confidence": sure,
    "a million letters": long,
    "homophonic report file": batch,
    "Zodiac and Beale": texts,
    "340 letters, 63 signs": drawn,
    "Borg, Latin": folios,
}


def verdicts(name, rows):
    found = [bar for bar in judge({PREFIX + name: {"runs": rows}}) if bar.family == PREFIX + name]
    assert found and all(bar.verdict in (MET, MISSED) for bar in found), found
    return {bar.asked for bar in found if bar.verdict == MISSED}


def test_every_family_is_tried_here():
    assert {name for name in FAMILIES if name.startswith(PREFIX)} == {PREFIX + name for name in MAKERS}


@pytest.mark.parametrize("name", MAKERS)
def test_what_is_asked_for_meets_every_bar(name):
    rows = MAKERS[name]()
    assert len(rows) == len(FAMILIES[PREFIX + name])
    assert verdicts(name, rows) == set()
    assert all(FAMILIES[PREFIX + name].line(row) for row in rows[:2])


@pytest.mark.parametrize(
    ("name", "last", "missed"),
    [
        (
            "homophonic report file",
            {"effort 1": READ | {"right": 0.9}},
            {"unsolved and silent, effort 1 ≤ 0"},
        ),
        ("homophonic report file", {"effort 1": MISREAD}, set()),
        ("Zodiac and Beale", {"right": 0.97}, {"Zodiac 408, worst ≥ 0.98"}),
        ("Zodiac and Beale", {"cpu": 3.5}, {"Zodiac 408, most cpu ≤ 3"}),
        ("340 letters, 63 signs", {"right": 0.95}, set()),
        ("Borg, Latin", {"right": 0.97}, {"worst ≥ 0.98"}),
        ("quagmire III, 300 letters", {"right": 1.0}, set()),
        ("confidence", {"confidence": 0.5}, set()),
        (
            "syllabary of 116 signs",
            {"right": 0.9, "cpu": 31.0},
            {"116 signs, 5,000: mean ≥ 0.99", "most cpu ≤ 30"},
        ),
        ("syllabaries of 300 and 500 signs", {"right": 0.9}, {"300 signs, 20,000: mean ≥ 0.98"}),
        ("a million letters", {"gigabytes": 1.2, "cpu": 31.0}, {"most GB ≤ 1", "most cpu ≤ 30"}),
    ],
)
def test_faults_miss_their_bars(name, last, missed):
    assert verdicts(name, MAKERS[name](**last)) == missed


def test_too_many_warnings_and_too_few_solutions_are_missed():
    rows = batch()
    warned = [
        row | {"effort 1": row["effort 1"] | {"warned": True}, "effort 8": row["effort 8"]}
        for row in rows[:30]
    ]
    assert verdicts("homophonic report file", warned + rows[30:]) == {"solved and warned of, effort 1 ≤ 0.1"}
    unsolved = [row | {"effort 1": MISREAD} for row in rows[:8]]
    assert verdicts("homophonic report file", unsolved + rows[8:]) == {"below .25, effort 1 ≥ 130"}


def test_a_batch_is_read_and_measured(tmp_path, monkeypatch):
    plain = "it was the best of times it was the worst of times it was the age of wisdom " * 3
    letters = plain.replace(" ", "")
    key = {letter: [str(33 + i)] for i, letter in enumerate("abcdefghijklmnopqrstuvwxyz")}
    signs = encipher(plain, key, kind="homophonic")
    data = f"output_sub_directory=p1\n{signs}\nsolution_plaintext=\n{letters.upper()}\n"
    path = tmp_path / homophonic.FILE
    path.parent.mkdir()
    path.write_text(data)
    monkeypatch.setenv(files.VARIABLE, str(tmp_path))
    homophonic.ciphers.cache_clear()
    try:
        cipher = homophonic.make(300)
        row = homophonic.measure(cipher)
    finally:
        homophonic.ciphers.cache_clear()
    assert (cipher.plain, cipher.ratio) == (letters, len(set(letters)) / len(letters))
    assert row["effort 1"]["right"] > 0.9 and not row["effort 1"]["warned"]
    assert row["effort 8"] is row["effort 1"]
    assert homophonic.numbers([row])["below .25, effort 1"] == 1


def test_too_few_exact_and_too_many_sure_are_missed():
    rows = exact()
    assert verdicts("columnar, 200 letters", [rows[-1], *rows[1:]]) == {"exact ≥ 0.95"}
    rows = sure()
    wrong = rows[0] | {"right": 0.5}
    assert verdicts("confidence", [wrong, wrong, *rows[2:]]) == {"sure and wrong ≤ 0.005"}


def test_syllables_are_cut_spelt_and_counted_in_other_works(tmp_path, monkeypatch):
    caches = (latin.works, latin.inventory_of, latin.model)
    assert latin.cut("arma uirumque cano") == ["a", "rma", "u", "i", "ru", "mqu", "e", "ca", "no"]
    assert latin.cut("arma strix", frozenset("armstix")) == list("armastrix")
    path = tmp_path / latin.FILE
    path.parent.mkdir()
    words = "arma uirumque cano troiae qui primus ab oris " * 60
    authors = ("Ovid", "Livy", "Cicero", "Lucan", "Dante")
    path.write_text("\n".join(f"{author}: liber {words}" for author in authors))
    monkeypatch.setenv(files.VARIABLE, str(tmp_path))
    for cache in caches:
        cache.cache_clear()
    try:
        counted, kept = latin.works(True), latin.works(False)
        text = latin.make(30, 400, 300)
        row = latin.measure(text)
    finally:
        for cache in caches:
            cache.cache_clear()
    assert len(counted) + len(kept) == 5 and counted and kept
    assert len(text.signs) == 400 and len(set(text.signs)) == len(set(text.plain)) <= 30
    assert (row["task"], row["kinds"]) == ("30 signs, 400", len(set(text.signs)))


def test_confidence_is_collected_and_fitted(tmp_path, capsys):
    rng = np.random.default_rng(0)
    rows = [
        {"kind": "homophonic", "right": r, "confidence": r, "alike": 3 if r > 0.9 else 1, "certain": 0.9}
        | {"gain_below_language": 0.5 - r + rng.normal(scale=0.3)}
        for r in [0.99, 0.5] * 40
    ]
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in [*rows, rows[0] | {"kind": "substitution"}]))
    confidence.fit([path])
    told = capsys.readouterr().out
    assert told.startswith("INTERCEPT, RECURRED, ABOVE_LANGUAGE, CERTAIN = ")
    assert "substitution, as it is: 1 readings, 1 right" in told


def test_files_are_known_by_their_hash(tmp_path, monkeypatch):
    name = homophonic.FILE
    monkeypatch.delenv(files.VARIABLE, raising=False)
    assert "does not say where" in files.missing(name)
    monkeypatch.setenv(files.VARIABLE, str(tmp_path))
    assert "is not there" in files.missing(name)
    path = tmp_path / name
    path.parent.mkdir()
    path.write_bytes(b"other")
    assert "another file" in files.missing(name)
    monkeypatch.setitem(files.HASHES, name, hashlib.sha256(b"other").hexdigest())
    assert files.missing(name) == ""
