"""A language of one's own: a corpus or a model in place of what is shipped, and words that choose."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import ventris as vt
from ventris.ciphers import decipher, decipher_with, encipher
from ventris.ciphers.breaking import Breaking
from ventris.ciphers.letter_model import letter_model
from ventris.ciphers.own_language import learn_language, own_language
from ventris.ciphers.spelling import alphabet_of
from ventris.ciphers.words import WordList, by_words
from ventris.errors import DataError, DataTypeError, LanguageModelError, ParameterError

# A language that nobody ships: words of a small vocabulary in any order.
WORDS = "kala tule mene vesi puro suuri pieni talo mies laulu ilta aamu meri saari koira hiisi ranta"


def chatter(n_words, seed):
    return " ".join(np.random.default_rng(seed).choice(WORDS.split(), size=n_words))


CORPUS = chatter(4000, 0)


@pytest.mark.parametrize("kind", ["caesar", "substitution"])
def test_a_corpus_is_a_language(kind, tmp_path):
    code = learn_language(corpus=CORPUS)
    alphabet = own_language(code).alphabet
    assert alphabet == alphabet_of("en")  # its own letters and the others of the Latin alphabet
    assert own_language(learn_language(corpus="ö" + CORPUS)).alphabet == "".join(
        sorted({*WORDS, "ö"} - {" "})
    )
    plain = chatter(40, 1)
    key = 3 if kind == "caesar" else "".join(np.random.default_rng(2).permutation(list(alphabet)))
    cipher = encipher(plain, key, kind=kind, alphabet=alphabet)
    path = tmp_path / "corpus.txt"
    path.write_text(CORPUS, encoding="utf-8")
    for corpus in (CORPUS, path, str(path)):
        found = decipher(cipher, kind=kind, corpus=corpus)
        assert found.plaintext == plain
        assert found.language == code
    assert decipher_with(cipher, found.key, kind=kind, alphabet=found.alphabet) == plain


def test_signs_in_a_language_of_ones_own():
    plain = chatter(60, 3).replace(" ", "")
    key = {letter: [f"{i}", f"{i + 50}"] for i, letter in enumerate(sorted(set(WORDS) - {" "}))}
    found = decipher(encipher(plain, key, kind="homophonic", alphabet="".join(key)), corpus=CORPUS)
    assert np.mean([a == b for a, b in zip(found.plaintext, plain, strict=True)]) > 0.95


@pytest.mark.parametrize("space", [True, False])
def test_a_model_is_a_language(space, tmp_path):
    letters = "".join(sorted(set(WORDS) - {" "}))
    text = CORPUS if space else CORPUS.replace(" ", "")
    lm = vt.NgramModel.from_text(text, order=3, alphabet=letters + (" " if space else ""))
    lm.to_arpa(path := tmp_path / "own.arpa")
    plain = chatter(60, 4)
    key = "".join(np.random.default_rng(5).permutation(list(letters)))
    cipher = encipher(plain, key, kind="substitution", alphabet=letters)
    assert decipher(cipher, kind="substitution", lm=lm).plaintext == plain
    assert decipher(cipher, kind="substitution", lm=path).plaintext == plain
    joined = decipher(cipher.replace(" ", ""), kind="substitution", lm=lm).plaintext
    assert np.mean([a == b for a, b in zip(joined, plain.replace(" ", ""), strict=True)]) > 0.95


def test_a_models_own_tables_are_used():
    letters = "".join(sorted(set(WORDS) - {" "}))
    lm = vt.NgramModel.from_text(CORPUS, order=3, alphabet=letters + " ")
    model = letter_model(learn_language(lm), 5, True)
    assert len(model.tables) == 3
    np.testing.assert_allclose(np.exp(model.tables[2]), lm.conditional(3), rtol=1e-5)
    assert model.entropy_rate == pytest.approx(-np.sum(lm.joint(3) * np.log(lm.conditional(3))), rel=1e-4)


def test_words_gain_by_the_mixture_they_are():
    code = learn_language(corpus=CORPUS)
    own = own_language(code)
    model = letter_model(code, 3, True)
    words = WordList(Counter({"talo": 3, "meri": 1, "kala": 5}), model, own.alphabet)
    share = 3 / 8  # a word that occurs once is left out
    row = [len(own.alphabet), *(own.alphabet.index(char) for char in "talo"), len(own.alphabet)]
    letters = model.tables[0][row[0]] + model.tables[1][row[0], row[1]]
    letters += sum(model.tables[2][tuple(row[t - 2 : t + 1])] for t in range(2, len(row)))
    expected = np.log(0.9 * share / np.exp(letters) + 0.1)
    assert words.gain("Talo!") - words.gain("") == pytest.approx(words._best_cut("talo"), rel=1e-9)
    assert words.gain("talo meri") == pytest.approx(expected + np.log(0.1), rel=1e-4)
    assert words.gain("xxtaloxkala") == pytest.approx(words._of("talo") + words._of("kala"))


def test_words_choose_among_the_last_candidates():
    code = learn_language(corpus=CORPUS)
    alphabet = own_language(code).alphabet
    texts = ["tala suuri", "talo suuri"]
    letters = [np.array([alphabet.index(char) for char in text if char != " "]) for text in texts]
    breaking = Breaking.of(
        texts, lambda i: letters[i], np.array([-10.0, -11.0]), alphabet, log_keys=1, key_entropy=1
    )
    chosen = by_words(breaking, code, lambda candidate: candidate.key)
    assert chosen.best.key == "talo suuri"
    assert sum(candidate.posterior for candidate in chosen.candidates) == pytest.approx(1)
    assert by_words(breaking, "en", lambda candidate: candidate.key) is breaking


def test_what_is_no_language_is_a_sentence(tmp_path):
    with pytest.raises(ParameterError, match="in place of a language"):
        decipher("abc", "en", corpus=CORPUS)
    with pytest.raises(DataError, match="it holds 3 letters"):
        decipher("abc", corpus="abc")
    with pytest.raises(DataTypeError, match="corpus must be a text"):
        decipher("abc", corpus=5)
    with pytest.raises(DataTypeError, match="lm must be an NgramModel"):
        decipher("abc", lm=5)
    words = vt.NgramModel.from_sequences([["wet", "dry", "wet"]], order=2)
    with pytest.raises(DataError, match="as there are labels, 2"):  # of a syllabary, whose labels are long
        decipher("abc", lm=words)
    capitals = vt.NgramModel.from_text("ABBA" * 20, 2)
    with pytest.raises(LanguageModelError, match="one of its labels is 'A'"):
        decipher("abc", lm=capitals)
    (tmp_path / "latin.txt").write_bytes("Größe".encode("latin-1"))
    with pytest.raises(DataError, match="text file in UTF-8"):
        decipher("abc", corpus=tmp_path / "latin.txt")


def test_latin_writes_u_for_v_and_i_for_j():
    alphabet = vt.datasets.load_language("la", 1, space=False).classes
    assert "".join(alphabet) == "abcdefghiklmnopqrstuxyz"
    plain = "gallia est omnis diuisa in partes tres quarum unam incolunt belgae aliam aquitani tertiam qui "
    plain += "ipsorum lingua celtae nostra galli appellantur"
    key = "".join(np.random.default_rng(0).permutation(list(alphabet)))
    found = decipher(encipher(plain, key, kind="substitution", language="la"), "la", "substitution")
    assert np.mean([a == b for a, b in zip(found.plaintext, plain, strict=True)]) > 0.97
