"""Letter statistics: what is in the files, how they are read, and what damage looks like."""

from __future__ import annotations

import io
import zipfile

import numpy as np
import pytest

from ventris.datasets import letters
from ventris.datasets.letters import BREAK, LetterCounts, available_languages, fold_text, load_counts
from ventris.errors import FileFormatError, ParameterError

LANGUAGES = ("de", "el", "en", "es", "fr", "it", "la", "nl", "pt", "ru")


def test_ten_languages_within_their_budget():
    assert available_languages() == LANGUAGES
    sizes = {code: (letters._FOLDER / f"{code}.npz").stat().st_size for code in LANGUAGES}
    assert sizes["en"] <= 2_000_000
    assert sum(sizes.values()) <= 8_000_000


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("space", [True, False])
def test_counts_are_consistent(language, space):
    counts = load_counts(language, order=5, space=space)
    n_symbols = len(counts.alphabet)
    assert counts.alphabet.endswith(" ") == space
    assert len(set(counts.alphabet)) == n_symbols
    for order in range(1, 6):
        codes, n = counts.counts(order)
        assert codes.dtype == n.dtype == np.int64
        assert np.all(np.diff(codes) > 0)
        assert codes[0] >= 0
        assert codes[-1] < n_symbols**order
        assert n.min() >= counts.metadata["pruning"][f"{counts._prefix}_{order}"]["least_count"]
    # Bigrams counted as n-grams and as pairs one apart were counted by different code.
    codes, n = counts.counts(2)
    dense = np.zeros(n_symbols**2, dtype=np.int64)
    dense[codes] = n
    np.testing.assert_array_equal(counts.pairs(1).ravel(), dense)


@pytest.mark.parametrize("language", [code for code in LANGUAGES if code != "la"])
def test_enough_letters_from_several_genres(language):
    counts = load_counts(language, order=1, space=False)
    genres: dict[str, int] = {}
    for source in counts.sources:
        assert {"package", "version", "licence", "genre", "letters"} <= set(source)
        genres[source["genre"]] = genres.get(source["genre"], 0) + source["letters"]
    assert counts.total >= 5_000_000
    assert len(genres) >= 4
    assert counts.metadata["held_out"] not in genres
    assert max(genres.values()) <= 0.6 * counts.total


def test_latin_is_of_one_collection_and_says_so():
    counts = load_counts("la", order=1, space=False)
    (source,) = counts.sources
    assert "Latin Library" in source["source"] and "Public Domain" in source["source"]
    assert source["letters"] == counts.total > 4_900_000
    assert counts.alphabet == "abcdefghiklmnopqrstuxyz" and "u" in counts.metadata["folding"]


def test_books_are_added_where_a_language_has_them():
    alone, both = (load_counts("en", order=5, space=False, books=books) for books in (False, True))
    source = both.sources[-1]
    assert "Gutenberg" in source["source"] and source["kept_out"] == 30
    assert both.total == alone.total + source["letters"]
    for order in (1, 5):
        codes, n = both.counts(order)
        assert np.all(np.diff(codes) > 0)
        held = dict(zip(codes.tolist(), n.tolist(), strict=True))
        assert all(
            held[code] >= count
            for code, count in zip(*(x.tolist() for x in alone.counts(order)), strict=True)
        )
    assert both.counts(1)[1].sum() == both.total
    assert (letters._BOOKS / "en.npz").stat().st_size <= 3_000_000
    for other in (
        load_counts("de", order=2, space=False, books=True),
        load_counts("en", order=2, books=True),
    ):
        assert "Gutenberg" not in str(other.sources)


def test_residual_mass_is_what_is_missing():
    counts = load_counts("ru", order=5)
    pruned = counts.metadata["pruning"]["space_5"]["residual_mass"]
    windows = counts.counts(3)[1].sum()  # order 3 is whole; breaks cost a few windows more at order 5
    assert pruned == pytest.approx(1 - counts.counts(5)[1].sum() / windows, abs=0.01)


def test_english_looks_like_english():
    counts = load_counts("en", order=3, space=False)
    codes, n = counts.counts(1)
    assert "".join(counts.alphabet[i] for i in codes[np.argsort(-n)][:3]) == "eta"
    codes, n = counts.counts(3)
    top = int(codes[n.argmax()])
    assert "".join(counts.alphabet[top // 26**i % 26] for i in (2, 1, 0)) == "the"


def test_unknown_language_and_orders_out_of_range():
    with pytest.raises(ParameterError, match="language must be one of de, el, en"):
        load_counts("tlh", order=3)
    with pytest.raises(ParameterError, match="order must be between 1 and 5"):
        load_counts("en", order=6)
    with pytest.raises(ParameterError, match="k must be between 1 and 2"):
        load_counts("en", order=2).counts(3)
    with pytest.raises(ParameterError, match="lag must be between 1 and 8"):
        load_counts("en", order=2).pairs(9)


@pytest.mark.parametrize("damage", ["cut", "flipped", "member missing", "not a zip"])
def test_damaged_file_is_a_sentence(damage, tmp_path):
    data = bytearray((letters._FOLDER / "en.npz").read_bytes())
    if damage == "cut":
        data = data[: len(data) // 2]
    elif damage == "flipped":
        data[2000:2100] = bytes(100)
    elif damage == "member missing":
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w"):
            pass
        data = bytearray(buffer.getvalue())
    else:
        data = bytearray(b"the quick brown fox")
    path = tmp_path / "en.npz"
    path.write_bytes(data)
    with pytest.raises(FileFormatError, match=r"damaged or cut short.*build_letter_statistics"):
        for order in range(1, 6):
            LetterCounts(path, order=5, space=True).counts(order)


def test_planes_round_trip():
    values = np.random.default_rng(0).integers(0, 2**40, size=1000)
    np.testing.assert_array_equal(letters.from_planes(letters.to_planes(values)), values)


@pytest.mark.parametrize(
    ("text", "alphabet", "folded"),
    [
        ("Straße, Über", "abcdefghijklmnopqrstuvwxyzäöüß", "straße über"),
        ("Straße, Über", "abcdefghijklmnopqrstuvwxyz", "strasse uber"),
        ("Œuvre d’été", "abcdefghijklmnopqrstuvwxyz", "oeuvre d ete"),
        ("Λόγος", "αβγδεζηθικλμνξοπρστυφχψω", "λογοσ"),
        ("мой ёж", "абвгдеёжзийклмнопрстуфхцчшщъыьэюя", "мой ёж"),
        ("мой Linux дом", "абвгдеёжзийклмнопрстуфхцчшщъыьэюя", f"мой{BREAK}дом"),
        ("n\u0303 e\u0301", "abcdefghijklmnopqrstuvwxyzñ", "ñ e"),
    ],
)
def test_folding(text, alphabet, folded):
    assert fold_text(text, alphabet) == folded
