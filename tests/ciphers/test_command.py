"""The command line's two doors: what goes to standard output and what to standard error."""

from __future__ import annotations

import io
import json
from importlib import import_module
from pathlib import Path

import pytest

from ventris.errors import DataError, ParameterError

door = import_module("ventris.cli.decipher")  # the package holds a function of this name too
PLAIN = "The quick brown fox jumps over the lazy dog, and the dog does not mind.\n"


def test_round_trip_through_files(tmp_path, capsys):
    message = tmp_path / "plain.txt"
    message.write_text(PLAIN, encoding="utf-8")
    door.encipher(message, kind="vigenere", key="lemon")
    cipher = tmp_path / "cipher.txt"
    cipher.write_text(capsys.readouterr().out, encoding="utf-8")
    door.decipher(cipher, kind="vigenere", key="lemon")
    assert capsys.readouterr() == (PLAIN, "")


def test_without_a_key_only_the_plaintext_is_on_standard_output(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.StringIO(PLAIN))
    door.encipher(kind="caesar", key="3")
    monkeypatch.setattr("sys.stdin", io.StringIO(capsys.readouterr().out))
    door.decipher(language="en")
    out, err = capsys.readouterr()
    assert out == PLAIN
    assert "kind caesar, language en, key 3" in err
    assert "confidence 1.000" in err


def test_json_and_figure(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.StringIO("Wkh txlfn eurzq ira mxpsv ryhu wkh odcb grj"))
    door.decipher(language="en", as_json=True, plot=tmp_path / "match.png")
    out, err = capsys.readouterr()
    answer = json.loads(out)
    assert answer["key"] == 3
    assert len(answer["alternatives"]) == 5
    assert (tmp_path / "match.png").stat().st_size > 10_000
    assert "match.png" in err


def test_doubts_go_to_standard_error(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.StringIO("xq\n"))
    door.decipher(language="en", kind="caesar")
    assert "doubt: 2 symbols are fewer" in capsys.readouterr().err


def test_bad_input_is_a_sentence(tmp_path):
    with pytest.raises(DataError, match="must be a text file in UTF-8"):
        door.decipher(tmp_path / "none.txt")
    with pytest.raises(ParameterError, match="a caesar key must look like 7"):
        door.encipher(Path(__file__), kind="caesar", key="x")
    with pytest.raises(ParameterError, match="kind must be one of caesar"):
        door.decipher(Path(__file__), key="3")
