"""Texts taken apart and put together."""

from __future__ import annotations

import numpy as np
import pytest

from ventris.ciphers.spelling import BREAK, SPACE, Spelling, alphabet_of, check_letters
from ventris.errors import DataError

ENGLISH = alphabet_of("en")


def test_case_digits_punctuation_and_lines_stay():
    text = "Straße 7,\n\tÄPFEL & Birnen — 100 %!"
    spelling = Spelling.of(text, alphabet_of("de"))
    assert spelling.rewritten(spelling.letters) == text
    moved = spelling.rewritten((spelling.letters + 1) % 30)
    assert [char.isupper() for char in moved] == [char.isupper() for char in text]


def test_capital_sharp_s_survives():
    spelling = Spelling.of("A", alphabet_of("de"))
    sharp = spelling.rewritten(np.array([alphabet_of("de").index("ß")]))
    assert sharp == "ẞ"
    assert Spelling.of(sharp, alphabet_of("de")).letters.tolist() == [29]


def test_composed_and_decomposed_letters_are_the_same():
    assert Spelling.of("n\u0303", alphabet_of("es")).letters.tolist() == [26]


def test_unknown_letters_are_counted_and_break_the_row():
    spelling = Spelling.of("ab é cd, ef", ENGLISH)
    assert spelling.n_unknown == 1
    assert spelling.layout(space=True).tolist() == [SPACE, 0, 1, BREAK, 2, 3, SPACE, 4, 5]
    assert spelling.layout(space=False).tolist() == [0, 1, BREAK, 2, 3, 4, 5]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("the quick brown fox", True),
        ("thequickbrownfox", False),
        ("thequ ickbr ownfo xjump sover", False),
        ("a", False),
    ],
)
def test_words_are_told_from_groups(text, words):
    assert Spelling.of(text, ENGLISH).has_words() is words


def test_texts_that_cannot_be_read_are_sentences():
    with pytest.raises(DataError, match="must hold letters"):
        check_letters(Spelling.of("123 !", ENGLISH), "en")
    with pytest.raises(DataError, match=r"alphabet of 'en'.*none of its 5 letters is \(Greek 5\)"):
        check_letters(Spelling.of("λόγος", ENGLISH), "en")
    with pytest.raises(DataError, match=r"mixes alphabets.*Cyrillic"):
        check_letters(Spelling.of("привет мир hello", ENGLISH), "en")
    with pytest.raises(DataError, match=r"mixes alphabets: 9 letters are of others \(Latin 21, Cyrillic 9\)"):
        check_letters(Spelling.of("Hello мир привет world one two three", ENGLISH), "en")


@pytest.mark.parametrize(
    "text", ["the angle π and the angle φ are equal", "déjà vu à la carte", "la 1ª casa, la 2ª, la 3ª"]
)
def test_a_few_strange_letters_do_not_mix_alphabets(text):
    check_letters(Spelling.of(text, ENGLISH), "en")
