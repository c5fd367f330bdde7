"""Correcting from end to end: what is mended, what is left alone, what is refused with a sentence."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pytest

import ventris as vt
from ventris.cli import run
from ventris.errors import (
    DataTypeError,
    FileFormatError,
    LanguageModelError,
    NothingCorrectedWarning,
    ParameterError,
)
from ventris.kernels.pair_chains import Expected
from ventris.spelling.channel import Channel
from ventris.spelling.cut import cut_text
from ventris.spelling.language import language_of
from ventris.spelling.nearly_clean import with_changes

NOISY = (
    "The wimd blew all nignt, and the raim beat upon the windpws of the old housr.\n"
    "In the mornimg the sea was calm agaim, and we went <b>dowm</b> to the shore with 3rd Ventrix."
)
MEANT = (
    "The wind blew all night, and the rain beat upon the windows of the old house.\n"
    "In the morning the sea was calm again, and we went <b>down</b> to the shore with 3rd Ventrix."
)


@pytest.fixture(scope="module")
def fixed():
    return vt.correct(NOISY)


def test_slips_are_mended_and_the_rest_is_kept(fixed):
    assert fixed.text == MEANT
    assert with_changes(NOISY, fixed.changes) == fixed.text
    assert all(0.5 <= change.probability <= 1.0 + 1e-6 for change in fixed.changes)
    assert fixed.channel.rates["changed"] > 0.02
    assert 0.9 < fixed.confidence <= 1.0


def test_what_is_asked_to_be_kept_is(fixed):
    held = vt.correct(NOISY, keep="^wimd$", channel=fixed.channel)
    assert "wimd" in held.text
    assert "night" in held.text
    surer = vt.correct(NOISY, threshold=0.9, channel=fixed.channel)
    assert all(change.probability >= 0.9 for change in surer.changes)


def test_the_noise_is_kept_in_a_file(fixed, tmp_path):
    path = tmp_path / "noise.ventris"
    fixed.channel.save(path)
    again = Channel.load(path)
    np.testing.assert_array_equal(again.substitute, fixed.channel.substitute)
    assert vt.correct("we saw the wimd agaim", channel=path).text == "we saw the wind again"
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(FileFormatError):
        Channel.load(path)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("three small words", "too short"),
        ("12 34 -- 56 78 !!", "no letters"),
        ("\x00\x01\x02\x03\x04 abc def ghi jkl", "binary"),
        ("Это русский текст и ничего больше", "no letters"),
    ],
)
def test_what_cannot_be_corrected_comes_back_with_a_sentence(text, said):
    with pytest.warns(NothingCorrectedWarning, match=said):
        found = vt.correct(text)
    assert found.text == text
    assert not found.changes


def test_wrong_arguments_are_refused(fixed):
    with pytest.raises(DataTypeError, match="must be a str"):
        vt.correct(b"bytes")
    with pytest.raises(ParameterError, match="threshold"):
        vt.correct(NOISY, threshold=2.0)
    with pytest.raises(ParameterError, match="regular expression"):
        vt.correct(NOISY, keep="(")
    with pytest.raises(LanguageModelError, match="letters of the language"):
        vt.correct(NOISY, corpus="åb bå åbbå bååb " * 30, channel=fixed.channel)


def test_a_channel_is_probabilities():
    n = 27
    rng = np.random.default_rng(0)
    expected = Expected(*rng.random((2, n + 10 + n, n)), *rng.random((4, n)))
    for channel in (
        Channel.uniform("abcdefghijklmnopqrstuvwxyz "),
        Channel.learnt("abcdefghijklmnopqrstuvwxyz ", expected),
    ):
        np.testing.assert_allclose(channel.substitute.sum(axis=1), 1.0, rtol=1e-9)
        assert np.all(channel.operations.go_on > 0)
        assert np.all((channel.drop >= 0) & (channel.drop < 1))


def test_a_cut_has_every_character_once():
    text = "Don't  panic: <i>x</i> e-mail me@there.org,\nñandú 1984 ok"
    cut = cut_text(text, language_of("en"))
    assert cut.starts[0] == 0
    assert cut.ends[-1] == len(text)
    np.testing.assert_array_equal(cut.starts[1:], cut.ends[:-1])


def test_a_text_with_nothing_wrong_stays():
    clean = "The old man opened the window and looked down upon the river and the town below. " * 6
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert vt.correct(clean).text == clean


def test_the_command_line(tmp_path, capsys):
    source, out, noise = tmp_path / "a.txt", tmp_path / "b.txt", tmp_path / "n.ventris"
    source.write_text(NOISY, encoding="utf-8")
    assert run(["correct", str(source), "-o", str(out), "--save", str(noise), "--quiet"]) == 0
    assert out.read_text(encoding="utf-8") == MEANT
    assert run(["correct", str(source), "-o", str(out), "--quiet"]) != 0  # not without --force
    capsys.readouterr()
    assert run(["correct", str(source), "--json", "--noise", str(noise)]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["text"] == MEANT
    assert answer["changes"][0]["before"] == "wimd"
    assert run(["correct", str(source), "--diff", "--noise", str(noise)]) == 0
    assert "+The wind blew" in capsys.readouterr().out
    assert run(["correct", str(source), str(source)]) == 2
    (tmp_path / "c.bin").write_bytes(b"\xff\xfe\x00\x81\xff")
    assert run(["correct", str(tmp_path / "c.bin"), "--encoding", "utf-8"]) == 1


def test_the_keyboard_is_drawn(fixed):
    figure = fixed.figure()
    assert len(figure.axes) == 2
