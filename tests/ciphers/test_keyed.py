"""Quagmire III and columnar transposition: identities, known ciphertexts, and keys that are found."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ventris.ciphers import decipher, decipher_with, encipher
from ventris.ciphers.keyed import Columnar, Quagmire, keyed_alphabet
from ventris.ciphers.spelling import alphabet_of
from ventris.deciphering.columns import read_columns, write_columns
from ventris.deciphering.key_score import log_likelihood
from ventris.deciphering.keyed_period import read_keyed
from ventris.errors import ParameterError, UnlikeAnyLanguageError
from ventris.kernels.key_climbs import score_letters, spell_alphabet, uncolumned, unshift

PLAIN = (
    "It was the best of times, it was the worst of times, it was the age of wisdom, it was the age of "
    "foolishness, it was the epoch of belief, it was the epoch of incredulity, it was the season of Light, "
    "it was the season of Darkness, it was the spring of hope, it was the winter of despair, we had "
    "everything before us, we had nothing before us, we were all going direct to Heaven, we were all going "
    "direct the other way."
)


def test_kryptos_was_made_so():
    """The first two lines of the sculpture, by their published keys."""
    assert decipher_with("EMUFPHZLRFAXYUSDJKZLDKRNSHGNFIVJ", ("kryptos", "palimpsest"), kind="quagmire") == (
        "BETWEENSUBTLESHADINGANDTHEABSENC"
    )
    assert decipher_with("VFPJUDEEHZWETZYVGWHKKQETGFQJNCE", ("kryptos", "abscissa"), kind="quagmire") == (
        "ITWASTOTALLYINVISIBLEHOWSTHATPO"
    )


@settings(deadline=None)
@given(st.text(max_size=60), st.permutations(list(range(5))), st.text("abcxyz", min_size=1, max_size=6))
def test_deciphering_undoes_enciphering(text, order, word):
    ranks = [rank + 1 for rank in order]
    for kind, key in (("columnar", ranks), ("columnar", word + "q"), ("quagmire", (word, word[::-1]))):
        plain = decipher_with(encipher(text, key, kind=kind), key, kind=kind)
        assert plain == encipher(text, 0, kind="caesar")  # in Unicode's composed form


@settings(deadline=None)
@given(st.integers(0, 40), st.permutations(list(range(6))))
def test_columns_are_written_and_read(length, ranks):
    letters, ranks = np.arange(length), np.array(ranks)
    rows = [letters[i : i + 6] for i in range(0, length, 6)]
    written = [row[column] for column in np.argsort(ranks) for row in rows if column < len(row)]
    np.testing.assert_array_equal(write_columns(letters, ranks), np.array(written, dtype=int))
    np.testing.assert_array_equal(read_columns(write_columns(letters, ranks), ranks), letters)
    compiled = np.empty_like(letters)
    uncolumned(write_columns(letters, ranks), ranks, compiled)
    np.testing.assert_array_equal(compiled, letters)


def test_compiled_readings_are_the_readable_ones():
    rng = np.random.default_rng(0)
    letters, shifts = rng.integers(7, size=50), np.array([3, 0, 6])
    alphabet, place = np.empty(7, np.int64), np.empty(7, np.int64)
    spell_alphabet(np.array([4, 2, 0, 1, 3, 5, 6]), 2, alphabet, place)
    assert alphabet.tolist() == [4, 2, 0, 1, 3, 5, 6] and place[alphabet].tolist() == list(range(7))
    plain = np.empty_like(letters)
    unshift(letters, place, alphabet, shifts, plain)
    np.testing.assert_array_equal(plain, read_keyed(letters, alphabet, shifts))
    tables = [np.log(rng.dirichlet(np.ones(7), size=(7,) * k)) for k in range(3)]
    whole = log_likelihood(plain[None], tables)[0]
    first = tables[0][plain[0]] + tables[1][plain[0], plain[1]]
    assert score_letters(plain, tables[2].ravel(), 7, 3) == pytest.approx(whole - first)


@pytest.mark.parametrize("columns", [(2, 1), (3, 1, 4, 2, 5), (7, 2, 9, 4, 1, 8, 3, 10, 6, 5)])
def test_columns_are_found(columns):
    found = decipher(encipher(PLAIN, columns, kind="columnar"), "en")
    assert (found.kind, found.plaintext) == ("columnar", PLAIN)
    assert found.key == columns and found.confidence > 0.9


def test_a_keyed_alphabet_is_found():
    found = decipher(encipher(PLAIN, ("dickens", "two"), kind="quagmire"), "en", "quagmire")
    assert found.plaintext == PLAIN
    assert (
        decipher_with(encipher(PLAIN, ("dickens", "two"), kind="quagmire"), found.key, kind="quagmire")
        == PLAIN
    )
    assert keyed_alphabet("dickens", alphabet_of("en")).startswith("dicknesab"[:4])


def test_letters_by_chance_are_refused():
    rng = np.random.default_rng(1)
    noise = "".join(rng.choice(list(alphabet_of("en")), size=200, p=rng.dirichlet(np.full(26, 2.0))))
    with pytest.raises(UnlikeAnyLanguageError, match=r"unlike any language I know: of .*substitution.* nats"):
        decipher(noise, "en")


@pytest.mark.parametrize("key", ["a", (1,), (1, 1), (0, 1), "", 5, None, (1.5, 2)])
def test_columnar_keys_are_checked(key):
    with pytest.raises(ParameterError, match="a columnar key must be a word"):
        Columnar().ranks(key)


@pytest.mark.parametrize("key", ["kryptos", ("a",), ("a", ""), ("a", "é"), None, ("a", 5)])
def test_quagmire_keys_are_checked(key):
    with pytest.raises(ParameterError, match="a quagmire key must be two words"):
        Quagmire().tables(key, alphabet_of("en"))


def test_equal_letters_of_a_word_rank_from_the_left():
    assert Columnar().ranks("banana").tolist() == [3, 0, 4, 1, 5, 2]
