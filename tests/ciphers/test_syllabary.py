"""Signs that are syllables: read by a label model of one's own, through every door."""

from __future__ import annotations

import json
from importlib import import_module

import numpy as np
import pytest

import ventris as vt
from ventris import NgramModel
from ventris.ciphers import decipher_with, encipher
from ventris.ciphers.registry import cipher_of, kinds
from ventris.errors import DataError, DoubtfulReadingWarning, LanguageModelError, ParameterError

door = import_module("ventris.cli.decipher")  # the package holds a function of this name too
ONSETS, VOWELS = ("", "k", "t", "m", "n", "r"), "aiu"
SYLLABLES = [onset + vowel for onset in ONSETS for vowel in VOWELS]


@pytest.fixture(scope="module")
def syllables() -> NgramModel:
    rng = np.random.default_rng(0)
    chain = 0.98 * rng.dirichlet(np.full(18, 0.25), size=18) + 0.02 / 18
    return NgramModel.from_transition_matrix(chain, classes=SYLLABLES)


@pytest.fixture(scope="module")
def text(syllables) -> tuple[list[str], list[str], dict[str, str]]:
    """Signs, syllables and the key."""
    rng = np.random.default_rng(1)
    plain = [str(x) for x in syllables.alphabet.decode(syllables.sample(2_000, rng))]
    sign = {x: f"{n:02d}" for x, n in zip(SYLLABLES, rng.permutation(18), strict=True)}
    return [sign[x] for x in plain], plain, {sign[x]: x for x in SYLLABLES}


def test_a_list_of_signs_is_read(syllables, text):
    signs, plain, key = text
    found = vt.decipher(signs, lm=syllables)
    assert found.key == key
    assert found.plaintext == "".join(plain)
    assert (found.kind, found.confidence > 0.9) == ("syllabary", True)
    assert found.read == "2000 signs of 18 kinds, as listed"
    assert json.loads(json.dumps(found.as_dict()))["key"] == key


def test_lines_unknown_signs_and_nulls_stay_what_they_are(syllables, text):
    signs, plain, key = text
    rows = [" ".join(signs[i : i + 50]) for i in range(0, len(signs), 50)]
    rows[3] = "?? " + rows[3] + " xx"
    found = vt.decipher("\n".join(rows), lm=syllables, units="tokens", unknown="??", nulls=["xx"])
    assert found.key == key
    lines = found.plaintext.splitlines()
    assert len(lines) == 40
    assert lines[3] == "??" + "".join(plain[150:200])


def test_known_entries_hold(syllables, text):
    signs, _, key = text
    wrong = {signs[0]: key[signs[1]]}
    found = vt.decipher(signs, lm=syllables, fixed=wrong)
    assert found.key[signs[0]] == wrong[signs[0]]


def test_the_command_line_reads_a_file_with_a_model_from_a_file(syllables, text, tmp_path, capsys):
    signs, plain, _ = text
    syllables.to_arpa(tmp_path / "syllables.arpa")
    (tmp_path / "message.txt").write_text(" ".join(signs))
    door.decipher(tmp_path / "message.txt", lm=tmp_path / "syllables.arpa")
    shown = capsys.readouterr()
    assert shown.out == "".join(plain)
    assert "kind syllabary, language own, key 18 signs" in shown.err


def test_short_and_strange_texts_are_doubted(syllables):
    noise = [f"{n:02d}" for n in np.random.default_rng(2).integers(18, size=400)]
    with pytest.warns(DoubtfulReadingWarning, match="nats a sign more than the language costs"):
        assert vt.decipher(noise, lm=syllables).confidence < 0.9


def test_with_its_key_it_is_a_kind_like_others_but_no_language_has_it():
    cipher = cipher_of("syllabary")
    key = cipher.draw("en", np.random.default_rng(0))
    signs = encipher("Hither and thither", key, kind="syllabary")
    assert decipher_with(signs, key, kind="syllabary") == "hitherandthither"
    assert len(signs.split()) < 16  # pairs of letters are signs too
    assert cipher.parse(cipher.show(key)) == key
    assert decipher_with("", key, kind="syllabary") == ""
    assert "syllabary" not in kinds()


def test_bad_arguments_are_sentences(syllables, text):
    signs = text[0]
    with pytest.raises(ParameterError, match="labels of lm are longer than a letter"):
        vt.decipher(signs, lm=syllables, kind="caesar")
    with pytest.raises(ParameterError, match="labels of lm are longer"):
        vt.decipher(signs, lm=syllables, cribs=["kata"])
    with pytest.raises(ParameterError, match="different labels of the model"):
        vt.decipher(signs, lm=syllables, fixed={"01": "zz"})
    with pytest.raises(DataError, match="at most as many symbols as there are labels, 18"):
        vt.decipher([str(n) for n in range(40)] * 3, lm=syllables)
    with pytest.raises(DataError, match="at least 2 known signs in a row"):
        vt.decipher(["a"], lm=syllables)
    with pytest.raises(ParameterError, match="dict from sign to label"):
        encipher("a", {"1": "a", "2": "a"}, kind="syllabary")
    with pytest.raises(LanguageModelError, match="single small letters"):
        vt.decipher(signs, lm=NgramModel.from_text("AB" * 50, 2))
