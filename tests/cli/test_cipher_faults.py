"""Ciphers on the command line: bytes kept as they are, and mistakes that cost no plaintext."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

PLAIN = "The quick brown fox jumps over the lazy dog, and the dog does not mind."
HOMOPHONES = {letter: [f"{i:02d}", f"{i + 50}"] for i, letter in enumerate("abcdefghijklmnopqrstuvwxyz")}


@pytest.fixture
def typed(monkeypatch):
    """Put bytes on standard input."""

    def put(data: bytes) -> None:
        stream = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8", errors="surrogateescape")
        monkeypatch.setattr("sys.stdin", stream)

    return put


@pytest.fixture
def message(tmp_path) -> Path:
    path = tmp_path / "cipher.txt"
    path.write_bytes(b"Wkh txlfn eurzq ira mxpsv ryhu wkh odcb grj.\n")
    return path


def test_a_figure_of_no_format_is_refused_before_the_work(ventris, message, tmp_path, monkeypatch):
    monkeypatch.setattr("ventris.ciphers.solve.decipher", lambda *_, **__: pytest.fail("worked first"))
    done = ventris("decipher", message, "--plot", tmp_path / "x.foo")
    assert (done.code, done.out) == (1, "")
    assert "x.foo must end in one of .png, .pdf, .svg" in done.err
    assert "Traceback" not in done.err
    taken = tmp_path / "taken.png"
    taken.write_bytes(b"")
    assert "must not exist yet" in ventris("decipher", message, "--plot", taken).err


def test_save_figure_names_the_formats(tmp_path):
    from ventris.errors import FileFormatError
    from ventris.figures.canvas import canvas, save_figure

    with (
        canvas(1, 1) as figure,
        pytest.raises(FileFormatError, match=r"x\.foo must end in one of \.png, \.pdf"),
    ):
        save_figure(figure, tmp_path / "x.foo")
    save_figure(figure, tmp_path / "X.PNG")
    save_figure(figure, tmp_path / "bare")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["X.PNG", "bare"]


def test_a_figure_that_fails_costs_no_plaintext(ventris, message, tmp_path, monkeypatch):
    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("ventris.figures.canvas.save_figure", fail)
    done = ventris("decipher", message, "--language", "en", "--plot", tmp_path / "x.png")
    assert (done.code, done.out) == (1, "The quick brown fox jumps over the lazy dog.\n")
    assert "No space left" in done.err


@pytest.mark.parametrize(
    "command",
    [
        ("decipher",),
        ("decipher", "--kind", "caesar", "--key", "3"),
        ("encipher", "--kind", "caesar", "--key", "3"),
    ],
)
def test_bytes_that_are_not_utf8_are_refused_wherever_they_come_from(command, ventris, typed, tmp_path):
    data = "Größe".encode("latin-1")
    typed(data)
    piped = ventris(*command)
    path = tmp_path / "latin.txt"
    path.write_bytes(data)
    filed = ventris(*command, path)
    for done, name in ((piped, "standard input"), (filed, "latin.txt")):
        assert (done.code, done.out) == (1, "")
        assert f"{name} must be a text file in UTF-8" in done.err


@pytest.mark.parametrize("text", ["abc\r\ndef\r\n", "abc\ndef", "abc\rdef\n", "\ufeffabc", "abc\n\n"])
def test_line_ends_are_kept(text, ventris, typed, tmp_path):
    path = tmp_path / "plain.txt"
    path.write_bytes(text.encode())
    for source in (path, "-"):
        typed(text.encode())
        cipher = ventris("encipher", source, "--kind", "caesar", "--key", "1").out
        assert cipher.encode() == text.translate(str.maketrans("abcdef", "bcdefg")).encode()
        (tmp_path / "cipher.txt").write_bytes(cipher.encode())
        back = ventris("decipher", tmp_path / "cipher.txt", "--kind", "caesar", "--key", "1")
        assert back.out.encode() == text.encode()


@pytest.mark.parametrize("form", ["file", "text"])
def test_homophonic_there_and_back(form, ventris, tmp_path):
    path = tmp_path / "plain.txt"
    path.write_text(PLAIN + "\n", encoding="utf-8")
    key = json.dumps(HOMOPHONES)
    if form == "file":
        (tmp_path / "key.json").write_text(key, encoding="utf-8")
        key = str(tmp_path / "key.json")
    cipher = tmp_path / "cipher.txt"
    done = ventris("encipher", path, "--kind", "homophonic", "--key", key, "--seed", "4")
    assert done.code == 0
    cipher.write_text(done.out, encoding="utf-8")
    back = ventris("decipher", cipher, "--kind", "homophonic", "--key", key)
    assert back.out == "".join(char for char in PLAIN.lower() if char.isalpha()) + "\n"


@pytest.mark.parametrize("key", ["{", "nowhere.json", "[1, 2]", '{"a": 5}'])
def test_homophonic_keys_that_cannot_be_read(key, ventris, message):
    for command in ("encipher", "decipher"):
        done = ventris(command, message, "--kind", "homophonic", "--key", key)
        assert (done.code, done.out) == (2, "")
        assert "a homophonic key must" in done.err
        assert "Traceback" not in done.err


def test_json_with_a_key(ventris, message):
    done = ventris("decipher", message, "--kind", "caesar", "--key", "3", "--json")
    answer = json.loads(done.out)
    assert answer == {
        "plaintext": "The quick brown fox jumps over the lazy dog.\n",
        "key": 3,
        "kind": "caesar",
        "language": "en",
        "alphabet": "abcdefghijklmnopqrstuvwxyz",
    }


def test_a_figure_with_a_key_is_refused(ventris, message, tmp_path):
    done = ventris("decipher", message, "--kind", "caesar", "--key", "3", "--plot", tmp_path / "x.png")
    assert (done.code, done.out) == (2, "")
    assert "--plot shows how a key was found, but --key gives it" in done.err


def test_the_alphabet_a_key_belongs_to_is_reported_and_can_be_given(ventris, tmp_path):
    plain = "Der Zug nach Muenchen faehrt heute erst um sieben Uhr ab, weil die Strecke gesperrt ist."
    path = tmp_path / "plain.txt"
    path.write_text(plain, encoding="utf-8")
    letters = ("--alphabet", "abcdefghijklmnopqrstuvwxyz")
    cipher = tmp_path / "cipher.txt"
    done = ventris("encipher", path, "--kind", "caesar", "--key", "5", "--language", "de", *letters)
    cipher.write_text(done.out, encoding="utf-8")
    found = ventris("decipher", cipher, "--language", "de")
    assert found.out == plain
    assert "alphabet abcdefghijklmnopqrstuvwxyz" in found.err
    told = ventris("decipher", cipher, "--language", "de", "--kind", "caesar", "--key", "5", *letters)
    assert told.out == plain


def test_a_bad_alphabet_is_refused(ventris, message):
    done = ventris("encipher", message, "--kind", "caesar", "--key", "5", "--alphabet", "aba")
    assert done.code == 2
    assert "alphabet must be" in done.err


def test_a_closed_standard_input_is_a_sentence(ventris, monkeypatch):
    monkeypatch.setattr("sys.stdin", None)
    done = ventris("encipher", "--kind", "caesar", "--key", "5")
    assert (done.code, done.out) == (1, "")
    assert "standard input must be a text file in UTF-8, but it is closed" in done.err
