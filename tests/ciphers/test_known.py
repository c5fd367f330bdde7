"""What is known of a key: fixed and excluded entries, cribs, nulls, and sentences where they cannot be."""

from __future__ import annotations

import json
import warnings
from importlib import import_module

import numpy as np
import pytest

from ventris.ciphers import decipher, encipher, encipher_homophonic
from ventris.ciphers.known import Known, imposed, places_for
from ventris.ciphers.signs import Signs
from ventris.ciphers.spelling import alphabet_of
from ventris.errors import DataError, ParameterError

door = import_module("ventris.cli.decipher")
EN = alphabet_of("en")
PLAIN = "itwasthebestoftimesitwastheworstoftimesitwastheageofwisdomitwastheageoffoolishness"
WORDS = "it was the best of times it was the worst of times it was the age of wisdom"


@pytest.fixture(autouse=True)
def _few_letters_are_the_point():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def ciphertext(seed=0):
    """The text in 40 signs, and its key."""
    owners = EN + "eettaaooiinnss"
    key = {
        f"{i:02d}": letter for i, letter in enumerate(np.random.default_rng(seed).permutation(list(owners)))
    }
    return encipher_homophonic(PLAIN, key, alphabet=EN, random_state=seed), key


def share(found, plain=PLAIN):
    return np.mean([a == b for a, b in zip("".join(found.split()), plain, strict=True)])


def test_fixed_and_excluded_entries_hold():
    signs, key = ciphertext()
    used = sorted(set(signs))
    fixed = {sign: key[sign] for sign in used[:12]}
    excluded = {sign: "".join(x for x in EN if x not in key[sign] + "xqz") for sign in used[12:20]}
    found = decipher(signs, "en", fixed=fixed, excluded=excluded, effort=0.2)
    assert all(found.key[sign] == letter for sign, letter in fixed.items())
    assert all(found.key[sign] in key[sign] + "xqz" for sign in excluded)
    everything = decipher(signs, "en", fixed={sign: key[sign] for sign in used}, effort=0.2)
    assert everything.plaintext == PLAIN
    wrong = decipher(signs, "en", fixed={used[0]: "q"}, effort=0.2)
    assert wrong.key[used[0]] == "q"


def test_a_crib_in_its_place_is_read_there():
    signs, _ = ciphertext()
    found = decipher(signs, "en", cribs=[("thebestoftimes", 5), ("wisdom", 52)], effort=0.3)
    assert found.plaintext[5:19] == "thebestoftimes" and found.plaintext[52:58] == "wisdom"


def test_a_crib_without_a_place_is_in_the_text():
    signs, _ = ciphertext()
    for word in ("wisdom", "Foolishness"):
        found = decipher(signs, "en", cribs=[word], effort=0.5)
        assert word.lower() in found.plaintext
    helped = decipher(signs, "en", cribs=["itwasthebestoftimes", "foolishness"], effort=1)
    assert share(helped.plaintext) > 0.9


def test_places_where_a_word_fits():
    signs = Signs.of(list("abcabd?a"), unknown="?")
    allowed = np.ones((4, 26), dtype=bool)
    assert places_for("xyzx", signs, allowed, EN) == [0, 1, 2, 3, 4]  # two signs may be one letter
    assert places_for("xyzw", signs, allowed, EN) == [2, 3, 4]  # but no sign two
    allowed[0, EN.index("x")] = False
    assert places_for("xyzw", signs, allowed, EN) == [2, 4]
    assert places_for("é", signs, allowed, EN) == []
    held = imposed(allowed, signs, "yz", 1, EN)
    assert held[1].sum() == held[2].sum() == 1 and held[3].all()


def test_nulls_are_left_out():
    signs, _ = ciphertext()
    with_nulls = [sign for pair in zip(signs, ["99", "98"] * len(signs), strict=False) for sign in pair]
    plain = decipher(signs, "en", random_state=1, effort=0.3)
    found = decipher(with_nulls, "en", nulls=["98", "99"], random_state=1, effort=0.3)
    assert found.plaintext == plain.plaintext and "99" not in found.key


def test_letters_keep_their_words_when_something_is_known():
    key = "qwertyuiopasdfghjklzxcvbnm"
    cipher = encipher(WORDS.capitalize() + "!", key, kind="substitution")
    fixed = {key[EN.index(letter)]: letter for letter in "thewasofim"}
    by_signs = decipher(cipher, "en", fixed=fixed)
    assert by_signs.kind == "homophonic" and by_signs.read == "58 signs of 14 kinds, letters"
    assert by_signs.plaintext.startswith("it was the") and by_signs.plaintext.endswith("wisdom!")
    assert list(map(len, by_signs.plaintext[:-1].split())) == list(map(len, WORDS.split()))
    one_to_one = decipher(cipher, "en", "substitution", fixed=fixed)
    assert one_to_one.plaintext == WORDS.capitalize() + "!"
    assert sorted(one_to_one.key) == list(EN)
    odd = decipher(cipher, "en", "substitution", fixed={"x": "e"})
    assert odd.key[EN.index("e")] == "x"


def test_what_cannot_be_is_a_sentence():
    signs, _ = ciphertext()
    with pytest.raises(DataError, match="leave none for"):
        decipher(signs, "en", fixed={signs[0]: "e"}, excluded={signs[0]: "e"})
    with pytest.raises(DataError, match="'kill' at 200 does not"):
        decipher(signs, "en", cribs=[("kill", 200)])
    with pytest.raises(DataError, match="fits nowhere"):
        decipher(list("ababababab"), "en", cribs=["abcdef"])
    with pytest.raises(ParameterError, match="one is 'é'"):
        decipher(signs, "en", fixed={signs[0]: "é"})
    for bad in (5, "", ("kill", "x"), ("kill", True)):
        with pytest.raises(ParameterError, match="a crib must be a word"):
            Known.of(cribs=[bad])
    with pytest.raises(ParameterError, match="excluded must be a dict"):
        Known.of(excluded=["e"])
    with pytest.raises(ParameterError, match="belongs to a homophonic cipher"):
        decipher("Khoor zruog", "en", "caesar", cribs=["hello"])
    with pytest.raises(ParameterError, match="belongs to a homophonic cipher"):
        decipher("Khoor zruog", "en", "substitution", cribs=["hello"])
    with pytest.raises(ParameterError, match="several have the same"):
        decipher("Khoor zruog", "en", "substitution", fixed={"k": "h", "o": "h"})


def test_a_partial_key_of_the_command_line(tmp_path, capsys):
    signs, key = ciphertext()
    (tmp_path / "c.txt").write_text(" ".join([*signs, "99"]) + "\n", encoding="utf-8")
    (tmp_path / "key.json").write_text(json.dumps(key), encoding="utf-8")
    door.decipher(tmp_path / "c.txt", language="en", fixed=str(tmp_path / "key.json"), nulls="99 98")
    assert capsys.readouterr().out == PLAIN + "\n"
    door.decipher(tmp_path / "c.txt", language="en", crib=["itwas@0", "wisdom"], effort=0.2, nulls="99 98")
    out = capsys.readouterr().out
    assert out.startswith("itwas") and "wisdom" in out
    with pytest.raises(ParameterError, match="--fixed must be JSON"):
        door.decipher(tmp_path / "c.txt", fixed="{e")
