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


def test_a_batch_gives_a_line_each_and_goes_on_after_a_fault(tmp_path, capsys):
    names = [tmp_path / name for name in ("a.txt", "b.txt", "none.txt", "c.txt")]
    for name, shift in zip(names, (3, 5, None, 7), strict=True):
        if shift is not None:
            door.encipher(_plain(tmp_path), kind="caesar", key=str(shift))
            name.write_text(capsys.readouterr().out, encoding="utf-8")
    with pytest.raises(SystemExit) as ended:
        door.decipher(*names, language="en", as_json=True)
    assert ended.value.code == 1
    answers = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [Path(answer["file"]).name for answer in answers] == ["a.txt", "b.txt", "none.txt", "c.txt"]
    assert [answer.get("key") for answer in answers] == [3, 5, None, 7]
    assert [list(answers[0])[:2], answers[0]["doubts"]] == [["file", "read"], []]
    assert "must be a text file" in answers[2]["error"]
    with pytest.raises(ParameterError, match="there is no --json"):
        door.decipher(*names)


def _plain(folder):
    path = folder / "plain"
    path.write_text(PLAIN, encoding="utf-8")
    return path


def test_other_encodings_are_told_or_marked(tmp_path, capsys):
    for encoding, option in (("latin-1", "latin-1"), ("utf-16", None)):
        path = tmp_path / encoding
        path.write_bytes("Wkh Köln jdwh".encode(encoding))
        door.decipher(path, kind="caesar", key="3", language="en", encoding=option)
        assert capsys.readouterr().out == "The Höik gate"
    with pytest.raises(DataError, match="must be a text file in utf-7x"):
        door.decipher(path, encoding="utf-7x")


def test_signs_effort_and_a_corpus_from_the_command_line(tmp_path, capsys):
    corpus, cipher = tmp_path / "corpus.txt", tmp_path / "cipher.txt"
    plain = "the rain in spain stays mainly in the plain and the plain is in spain " * 4
    corpus.write_text(plain * 20, encoding="utf-8")
    letters = "".join(sorted(set(plain) - {" "}))
    signs = dict(zip(letters, "△□○◇☆▽◁▷♢♤♧♡✦✧", strict=False))
    rows = "".join(signs[char] for char in plain if char != " ")
    cipher.write_text("\n".join(rows[i : i + 20] for i in range(0, len(rows), 20)) + "\n", encoding="utf-8")
    door.decipher(cipher, corpus=corpus, effort=0.5, jobs=1, quiet=True, units="grid")
    out, err = capsys.readouterr()
    assert out.replace("\n", "") == plain.replace(" ", "")
    assert len(out.splitlines()) == len(rows) // 20 + bool(len(rows) % 20)
    assert err.startswith(f"read {len(rows)} signs of {len(letters)} kinds, in a grid of")


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
