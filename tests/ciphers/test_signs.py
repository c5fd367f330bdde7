"""What was read, said first: texts cut into letters, signs, tokens and grids, and put together again."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from ventris.ciphers import decipher, decipher_homophonic, encipher_homophonic
from ventris.ciphers.signs import UNKNOWN, Signs, cut_of
from ventris.ciphers.spelling import alphabet_of
from ventris.errors import AmbiguousUnitsWarning, ParameterError

PLAIN = (
    "itwasthebestoftimesitwastheworstoftimesitwastheageofwisdomitwastheageoffoolishnessitwastheepochof"
    "beliefitwastheepochofincredulityitwastheseasonoflightitwastheseasonofdarknessitwasthespringofhope"
)
SIGNS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ!#%&()*+/<=>@^_0123456789"


def single_signs(seed=0):
    """The text in signs of one character, letters among them, case being none of their business."""
    rng = np.random.default_rng(seed)
    owners = alphabet_of("en") + "eeetttaaooinnshr"
    key = dict(zip(rng.permutation(list(SIGNS))[: len(owners)].tolist(), owners, strict=True))
    return encipher_homophonic(PLAIN, key, alphabet=alphabet_of("en"), random_state=seed)


def rows(tokens, width, gap=""):
    return "\n".join(gap.join(tokens[i : i + width]) for i in range(0, len(tokens), width))


@pytest.mark.parametrize(
    ("text", "units"),
    [
        ("Call me Ishmael. Some years ago, never mind how long precisely.", "letters"),
        ("Well-known facts aren't well known: don't mind 3 or 4 of them.", "letters"),
        ("QEBNR FZHYO LTKCL UGRJM", "letters"),
        ("17 04 93 17 04 93 55 17", "tokens"),
        ("1 22 333 4444 1", "tokens"),
        ("9 % P / Z / 9 % P P", "tokens"),
        ("A1 B2 A1 C3 B2 A1 A1 B2", "tokens"),
        ("9%P/Z/UB%kOR=pX=BWV+eGYF69HP@K!qYeMJY^UIk7qTtNQYD5)S(/9#BPORAU%fRlqEk^", "signs"),
        ("53‡‡†305))6*;4826)4‡.)4‡);806*;48†8¶60))85;1‡(;:‡*8†83(88)5*†;46(;88*96", "signs"),
        ("9%P/Z/\nUB%kOR\n=pX=BW\nV+eG", "grid"),
        ("17 04 93\n17 04 93\n55 17 12\n", "grid"),
        ("v6 vw 0xiw 96d68x 0d8dw qxi6h6 wh id1 x61 qwn,, hqxihxo 46ih6 wnh, 1x", "signs"),
        ("△□○△ □□○", "signs"),
        ("!!! ???", "letters"),
    ],
)
def test_how_a_text_is_cut(text, units):
    assert cut_of(text).units == units


def test_lines_words_unknown_signs_and_nulls():
    signs = Signs.of("a%b a\n\n?b%", "signs", unknown="?", nulls="%")
    assert signs.tokens == ("a", "b", "a", "?", "b")
    assert signs.symbols == ("a", "b")
    assert signs.codes.tolist() == [0, 1, 0, UNKNOWN, 1]
    assert signs.set("WXYZ") == "WX Y\n\n?Z"
    assert signs.in_words() == "5 signs of 2 kinds, one a character, 3 lines, 1 of them unknown"
    assert Signs.of("12 7\n12", "tokens").set("abc") == "ab\nc"
    assert Signs.of([12, 7, 12]).tokens == ("12", "7", "12")
    assert Signs.of("e\u0301a\ufeff", "signs").tokens == ("é", "a")


@pytest.mark.parametrize("layout", ["list", "line", "rows", "spaced rows"])
def test_the_same_text_in_every_form(layout):
    tokens = single_signs()
    width = 17
    text = {
        "list": tokens,
        "line": "".join(tokens),
        "rows": rows(tokens, width) + "\n",
        "spaced rows": rows(tokens, width, " "),
    }[layout]
    with warnings.catch_warnings():
        warnings.simplefilter("error", AmbiguousUnitsWarning)
        result = decipher(text, "en", random_state=1)
    assert result.kind == "homophonic"
    letters = result.plaintext.replace("\n", "")
    assert np.mean([a == b for a, b in zip(letters, PLAIN, strict=True)]) >= 0.95
    n_kinds = len(set(tokens))
    assert result.read.startswith(f"{len(PLAIN)} signs of {n_kinds} kinds, ")
    assert next(iter(result.as_dict())) == "read"
    if "rows" in layout:
        assert [len(row) for row in result.plaintext.split("\n")[:-1]] == [width] * (len(PLAIN) // width)
        assert f"in a grid of {len(PLAIN) // width + 1} rows" in result.read
    assert decipher_homophonic(text, result.key) == result.plaintext


def test_unknown_signs_stay_and_break_windows():
    tokens = single_signs()
    gaps = [5, 60, 61, 150]
    for gap in gaps:
        tokens[gap] = "?"
    result = decipher("".join(tokens), "en", unknown="?", random_state=1)
    assert [i for i, char in enumerate(result.plaintext) if char == "?"] == gaps
    assert "?" not in result.key
    right = [a == b for a, b in zip(result.plaintext, PLAIN, strict=True)]
    assert np.sum(right) >= 0.95 * (len(PLAIN) - len(gaps))


def test_units_overrule_and_doubts_are_warnings():
    letters = decipher("Khoor, zruog!", "en", "caesar")
    assert letters.read == "10 letters of 7 kinds, words, 2 other characters stay as they are"
    with pytest.warns(AmbiguousUnitsWarning, match=r"read as letters, but '#1' stand inside words"):
        decipher("abcdef1ghijkl mnopqr#stuvwx yzabcd1efghij", "en", "caesar")
    with warnings.catch_warnings():
        warnings.simplefilter("error", AmbiguousUnitsWarning)
        decipher("abcdef1ghijkl mnopqr#stuvwx yzabcd1efghij", "en", "caesar", units="letters")
    with pytest.warns(AmbiguousUnitsWarning, match="capitals stand inside words"):
        decipher("aBcDeFg hIjKlMn oPqRsTu vWxYzAb", "en", "caesar")
    as_signs = decipher("xlmpaqrs xlmp aqr" * 5, "en", units="signs", effort=0.1)
    assert as_signs.kind == "homophonic" and as_signs.read.startswith("75 signs of 8 kinds, one a character")
    with pytest.raises(ParameterError, match="units must be 'auto' or one of letters"):
        decipher("abc", units="runes")
    with pytest.raises(ParameterError, match="cut into signs are homophonic"):
        decipher("abc", kind="caesar", units="signs")
