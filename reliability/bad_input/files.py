"""Files that are damaged, foreign, hostile, or edited by hand."""

from __future__ import annotations

import io
import json
import pickle
import struct
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd

import ventris as vt
from reliability.case import Case, Desk
from reliability.material import LM, X, arpa_file, edited_model, fit, fitted, model_file, write
from ventris.errors import DataError, DataTypeError, FileFormatError, LanguageModelError, VentrisError
from ventris.readers import read_data, read_label_column, read_label_model, read_label_sequences

ARPA = """\\data\\
ngram 1=2
ngram 2=3

\\1-grams:
-0.3 a -0.1
-0.3 b

\\2-grams:
-0.2 a b
-0.5 b a
-0.4 b b

\\end\\
"""
BOMB = 2**44  # bytes that a few kilobytes claim to be


class Payload:
    """Unpickled, it leaves a file behind: proof that code was run."""

    def __init__(self, proof: Path) -> None:
        self.proof = proof

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (self.proof,)


# ------------------------------------------------------------------------------------------ model files


def model(name: str, words: str, spoil: Callable[[bytes], bytes]) -> Case:
    """A model file whose bytes were changed."""

    def load(desk: Desk) -> object:
        path = model_file(desk.given)
        path.write_bytes(spoil(path.read_bytes()))
        return vt.load(path)

    return Case(f"model file: {name}", load, FileFormatError, words)


def edited(name: str, arrays: dict[str, Any] | None = None, **header: Any) -> Case:
    """A model file whose content was changed and whose checksum was put right."""

    def load(desk: Desk) -> object:
        return vt.load(edited_model(desk.given, arrays or {}, header))

    return Case(f"model file edited: {name}", load, FileFormatError, "must hold a fitted")


def _with_header(content: bytes, change: Callable[[dict[str, Any]], None]) -> bytes:
    length = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + length])
    change(header)
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + content[8 + length :]


def _claim_a_million_million(header: dict[str, Any]) -> None:
    header["coef"] |= {"shape": [10**6, 10**6], "data_offsets": [0, 8 * 10**12]}


def _of_the_future(header: dict[str, Any]) -> None:
    header["__metadata__"]["version"] = "99"


def _unpickle(desk: Desk, name: str, read: Callable[[Path], object]) -> object:
    """A pickle that would run code, under the name of a file of ours; the code must not run."""
    proof = desk.made / "proof"
    path = desk.given / name
    path.write_bytes(pickle.dumps(Payload(proof)))
    return read(path)


def _unpickle_array(desk: Desk, name: str, save: Callable[..., None]) -> object:
    path = desk.given / name
    save(path, np.array([Payload(desk.made / "proof")], dtype=object))
    return read_data(path)


MODELS = [
    model("empty", "only 0 bytes", lambda content: b""),
    model("cut after its length", "cut short", lambda content: content[:8]),
    model("cut in its header", "cut short", lambda content: content[:200]),
    model("cut in its weights", "claim", lambda content: content[:-20]),
    model("longer than it says", "claim", lambda content: content + b"\0" * 64),
    model("one bit of a weight changed", "checksum", lambda content: _flip(content, len(content) - 3)),
    model("a word of its header changed", "checksum", lambda content: content.replace(b"auto", b"spdg", 1)),
    model(
        "claims 10^12 weights", "claim|fit", lambda content: _with_header(content, _claim_a_million_million)
    ),
    model("of a version to come", "newer", lambda content: _with_header(content, _of_the_future)),
    model("a header of 10^18 bytes", "cut short", lambda content: b"\0\0\0\0\0\0\0\x10" + content[8:]),
    model("a header that is no JSON", "header", lambda content: content[:8] + b"[" * (len(content) - 8)),
    model("another safetensors file", "something else", lambda content: b"\2\0\0\0\0\0\0\0{}"),
    model("a picture", "cut short", lambda content: b"\x89PNG\r\n\x1a\n" + content),
    edited("weights of another shape", {"coef": np.ones((3, 2))}),
    edited("weights that are not numbers", {"coef": np.full((2, 2), np.nan)}),
    edited("weights as whole numbers", {"coef": np.ones((2, 2), np.int64)}),
    edited("an intercept too long", {"intercept": np.zeros(5)}),
    edited("a spread of zero", {"spread": np.zeros(2)}),
    edited("a mask of another shape", {"mask": np.ones((1, 1), np.uint8)}),
    edited("usage of other classes", {"usage": np.full(7, 1 / 7)}),
    edited("negative usage", {"usage": np.array([1.5, -0.5])}),
    edited("no weights", {"coef": None}),
    edited("no label model", {"lm.conditional": None}),
    edited("a label model that is none", {"lm.conditional": np.full((2, 2), 0.7)}),
    edited("a label model with NaN", {"lm.conditional": np.full((2, 2), np.nan)}),
    edited("a label model of other classes", {"lm.conditional": np.full((3, 3), 1 / 3)}),
    edited("histories of another shape", {"lm.contexts": np.ones(7) / 7}),
    edited("duplicate classes", label_model={"classes": [0, 0]}),
    edited("one class", label_model={"classes": [0]}),
    edited("classes that are lists", label_model={"classes": [[0], [1]]}),
    edited("statistics of no known kind", label_model={"statistics": "magic"}),
    edited("a parameter nobody knows", parameters={"surprise": 1}),
    edited("a method nobody knows", parameters={"method": "magic"}),
    edited("gamma below zero", parameters={"gamma": -1}),
    edited("parameters that are a text", parameters="auto"),
    edited("no parameters", parameters=None),
    edited("names of other features", feature_names=["a", "b", "c"]),
    edited("no report", report=None),
    edited("a report that is a number", report=3),
    edited("an order above the label model's", fitted={"order_": 9}),
    edited("an order that is a text", fitted={"order_": "two"}),
    edited("features of another number", fitted={"n_features_in_": 7}),
    Case("model file: nothing there", lambda desk: vt.load(desk.given / "none"), FileFormatError, "no such"),
    Case("model file: a folder", lambda desk: vt.load(desk.given), FileFormatError, "folder"),
    Case("model file: below a file", lambda desk: vt.load(_below_a_file(desk)), FileFormatError, "no such"),
    Case("model file: no path at all", lambda _: vt.load(None), DataTypeError, "path"),
    Case("model file: a path with a null", lambda _: vt.load("a\0b"), FileFormatError, "null"),
    Case(
        "model file: a pickle", lambda desk: _unpickle(desk, "m.ventris", vt.load), FileFormatError, "short"
    ),
    Case("save: to a folder", lambda desk: fitted().save(desk.made), FileFormatError, "is a folder"),
    Case(
        "save: below a file", lambda desk: fitted().save(desk.made / "old" / "m"), FileFormatError, "folder"
    ),
    Case(
        "save: in no folder", lambda desk: fitted().save(desk.made / "no" / "m"), FileFormatError, "must be a"
    ),
    Case("save: no path at all", lambda _: fitted().save(None), DataTypeError, "path"),
    Case(
        "save: a file that must stay",
        lambda desk: fitted().save(desk.made / "old", force=False),
        FileFormatError,
        "must not exist",
    ),
    Case("checkpoint: damaged", lambda desk: _spoilt_checkpoint(desk), FileFormatError, "whole"),
    Case("checkpoint: a pickle", lambda desk: _pickled_checkpoint(desk), FileFormatError, "short"),
]


def _below_a_file(desk: Desk) -> Path:
    return write(desk.given, "file", "in the way") / "model"


def _spoilt_checkpoint(desk: Desk) -> object:
    fit(checkpoint=desk.given)
    state = desk.given / "route.state"
    state.write_bytes(state.read_bytes()[:-9])
    return fit(checkpoint=desk.given)


def _pickled_checkpoint(desk: Desk) -> object:
    fit(checkpoint=desk.given)
    return _unpickle(desk, "route.state", lambda path: fit(checkpoint=desk.given))


# ---------------------------------------------------------------------------------------- label models


def arpa(name: str, error: type[VentrisError], words: str, *changes: tuple[str, str]) -> Case:
    """A small ARPA file with some of its text replaced."""

    def load(desk: Desk) -> object:
        text = ARPA
        for old, new in changes:
            assert old in text
            text = text.replace(old, new, 1)
        return read_label_model(arpa_file(desk.given, text))

    return Case(f"ARPA: {name}", load, error, words)


def arpa_bytes(name: str, words: str, content: bytes) -> Case:
    """Something else under the name of an ARPA file."""
    return Case(
        f"ARPA: {name}", lambda desk: read_label_model(arpa_file(desk.given, content)), FileFormatError, words
    )


LABELS = [
    Case("ARPA: back-off left out", lambda desk: read_label_model(arpa_file(desk.given, ARPA)).joint()),
    arpa("no \\end\\", FileFormatError, "end", ("\\end\\", "")),
    arpa("no section of bigrams", FileFormatError, "2-grams", ("\\2-grams:", "")),
    arpa("fewer than counted", FileFormatError, "3 n-grams", ("-0.4 b b\n", "")),
    arpa("more than counted", FileFormatError, "end", ("ngram 2=3", "ngram 2=2")),
    arpa("a count of 10^12", FileFormatError, "n-grams", ("ngram 2=3", "ngram 2=1000000000000")),
    arpa("a negative count", FileFormatError, "order 2", ("ngram 2=3", "ngram 2=-3")),
    arpa("a count in words", FileFormatError, "like", ("ngram 2=3", "ngram 2=three")),
    arpa("a count of 5,000 digits", FileFormatError, "like", ("ngram 2=3", "ngram 2=" + "9" * 5000)),
    arpa("orders out of turn", FileFormatError, "order 1", ("ngram 1=2", "ngram 3=2")),
    arpa("a probability above 1", FileFormatError, "at most 0", ("-0.2 a b", "0.2 a b")),
    arpa("a probability that is NaN", FileFormatError, "at most 0", ("-0.2 a b", "nan a b")),
    arpa("a probability in words", FileFormatError, "numbers", ("-0.2 a b", "often a b")),
    arpa("an infinite back-off", FileFormatError, "back-off", ("a -0.1", "a inf")),
    arpa("a back-off of 10^400", FileFormatError, "back-off", ("a -0.1", "a 400")),
    arpa("a row too long", FileFormatError, "2 labels", ("-0.2 a b", "-0.2 a b b b")),
    arpa("a label that is no unigram", FileFormatError, "unigram", ("-0.2 a b", "-0.2 a c")),
    arpa("a label twice", FileFormatError, "twice", ("-0.3 b", "-0.3 a")),
    arpa("an n-gram twice", FileFormatError, "twice", ("-0.5 b a", "-0.2 a b")),
    arpa(
        "one label",
        LanguageModelError,
        "two classes",
        ("-0.3 b", "-0.3 <unk>"),
        ("-0.2 a b", "-0.2 a a"),
        ("-0.5 b a", "-0.5 <s> a"),
        ("-0.4 b b", "-0.4 a </s>"),
    ),
    arpa(
        "nothing is ever likely",
        LanguageModelError,
        "probability",
        ("-0.3 a", "-99 a"),
        ("-0.3 b", "-99 b"),
        ("-0.2 a b", "-99 a b"),
        ("-0.5 b a", "-99 b a"),
        ("-0.4 b b", "-99 b b"),
    ),
    arpa_bytes("empty", "data", b""),
    arpa_bytes(
        "whole numbers that are none", "whole", ("# ventris: the labels are whole numbers\n" + ARPA).encode()
    ),
    arpa_bytes("not UTF-8", "UTF-8", ARPA.encode("utf-16")),
    arpa_bytes("Latin-1", "UTF-8", ARPA.replace("a", "ä").encode("latin-1")),
    arpa_bytes("a text of labels", "ventris lm build", b"a b a b\n"),
    arpa_bytes("compressed", "UTF-8", b"\x1f\x8b\x08\0\0\0\0\0\xff"),
    Case(
        "ARPA: nothing there",
        lambda desk: vt.NgramModel.from_arpa(desk.given / "no"),
        FileFormatError,
        "no such",
    ),
    Case("ARPA: a folder", lambda desk: vt.NgramModel.from_arpa(desk.given), FileFormatError, "folder"),
    Case("ARPA: a label with a space", lambda desk: _spaced(desk), LanguageModelError, "one word"),
    Case("ARPA: to a folder", lambda desk: LM.to_arpa(desk.made), FileFormatError, "is a folder"),
    Case(
        "labels: not UTF-8",
        lambda desk: read_label_sequences(write(desk.given, "l.txt", b"a \xff b")),
        FileFormatError,
        "UTF-8",
    ),
    Case(
        "labels: empty",
        lambda desk: read_label_sequences(write(desk.given, "l.txt", b"\n \n")),
        FileFormatError,
        "empty",
    ),
    Case(
        "labels: a table without a label column",
        lambda desk: read_label_column(write(desk.given, "l.csv", "a,b\n1,2\n")),
        DataError,
        "column named",
    ),
]


def _spaced(desk: Desk) -> object:
    lm = vt.NgramModel.from_transition_matrix([[0.5, 0.5], [0.5, 0.5]], classes=["a b", "c"])
    return lm.to_arpa(desk.made / "labels.arpa")


# ------------------------------------------------------------------------------------------------ data


def data(
    name: str, file: str, content: bytes | str | Callable[[], bytes], error: type[VentrisError], words: str
) -> Case:
    """A data file of this content."""

    def read(desk: Desk) -> object:
        return read_data(write(desk.given, file, content() if callable(content) else content))

    return Case(f"{Path(file).suffix or 'text'}: {name}", read, error, words)


def _npy(array: Any) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def _npz(compressed: bool = True, **arrays: Any) -> bytes:
    file = io.BytesIO()
    (np.savez_compressed if compressed else np.savez)(file, **arrays)
    return file.getvalue()


def _claiming(shape: tuple[int, ...]) -> bytes:
    """A `.npy` file with four numbers whose header speaks of many more."""
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<f8", "fortran_order": False, "shape": shape})
    return header.getvalue() + bytes(32)


def _archive(name: str, content: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
    return file.getvalue()


def _bomb() -> bytes:
    """A small archive that says its array takes 16 TB."""
    content = bytearray(_archive("X.npy", _claiming((BOMB // 16, 2))))
    return bytes(content)


def _unpack_where_memory_is_short(desk: Desk) -> object:
    """64 MB of zeros, packed in 64 kB, on a machine with 50 MB left."""
    path = write(desk.given, "x.npz", _npz(X=np.zeros((2**20, 8))))
    with mock.patch("ventris.readers.arrays.free_memory", lambda: 50e6):
        return read_data(path)


def _overfull() -> bytes:
    """An archive whose array is followed by a megabyte of nothing."""
    return _archive("X.npy", _npy(X) + bytes(10**6))


def _spoilt_compression() -> bytes:
    content = bytearray(_npz(X=np.arange(9000.0).reshape(-1, 2) % 97))
    content[300:340] = b"\xff" * 40
    return bytes(content)


def _parquet(**columns: Any) -> bytes:
    file = io.BytesIO()
    pd.DataFrame(columns).to_parquet(file)
    return file.getvalue()


def _spoilt_pages() -> bytes:
    """A parquet file whole at both ends and damaged between."""
    content = bytearray(_parquet(a=np.random.default_rng(0).standard_normal(5000)))
    content[4:40] = b"\xff" * 36
    return bytes(content)


def _picture(width: int, height: int) -> bytes:
    """A black picture; of a vast one only the beginning, which says its size."""
    rows = zlib.compress(bytes(height * (1 + width))) if width * height < 10**6 else b""
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", head) + _chunk(b"IDAT", rows) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def _folder(name: str, files: dict[str, Callable[[], bytes]], error: type[VentrisError], words: str) -> Case:
    def read(desk: Desk) -> object:
        for file, content in files.items():
            write(desk.given, file, content())
        return read_data(desk.given)

    return Case(f"folder: {name}", read, error, words)


DATA = [
    data("empty", "x.npy", b"", FileFormatError, "NumPy file"),
    data("cut short", "x.npy", lambda: _npy(X)[:-40], FileFormatError, "NumPy file"),
    data("claims 10^12 numbers", "x.npy", lambda: _claiming((10**6, 10**6)), FileFormatError, "NumPy file"),
    data("claims a negative length", "x.npy", lambda: _claiming((-4, 1)), FileFormatError, "NumPy file"),
    data("an archive in disguise", "x.npy", lambda: _npz(X=X), FileFormatError, "NumPy file"),
    data("complex", "x.npy", lambda: _npy(X + 1j), DataError, "real numbers"),
    data("text", "x.npy", lambda: _npy(np.array([["a", "b"]])), DataError, "must hold numbers"),
    data("five axes", "x.npy", lambda: _npy(np.zeros((1, 1, 1, 1, 1))), DataError, "shape"),
    data("NaN", "x.npy", lambda: _npy(X * np.nan), DataError, "row 0"),
    data("no points", "x.npy", lambda: _npy(X[:0]), DataError, "0 sample"),
    data("no sequences", "x.npy", lambda: _npy(np.zeros((0, 5, 2))), DataError, "0 sample"),
    data("a header that never ends", "x.npy", lambda: _npy(X).replace(b"}", b" "), FileFormatError, "NumPy"),
    data("a length beyond int64", "x.npy", lambda: _claiming((2**70, 2)), FileFormatError, "NumPy file"),
    Case(
        ".npy: objects that run code",
        lambda desk: _unpickle_array(desk, "x.npy", np.save),
        FileFormatError,
        "NumPy file",
    ),
    data("empty", "x.npz", b"", FileFormatError, "NumPy file"),
    data("cut short", "x.npz", lambda: _npz(X=X)[:-40], FileFormatError, "NumPy file"),
    data("cut in its array", "x.npz", lambda: _npz(X=X)[:900], FileFormatError, "NumPy file"),
    data("a bit changed", "x.npz", lambda: _flip(_npz(False, X=X), 2000), FileFormatError, "NumPy file"),
    data("a bomb of 16 TB", "x.npz", _bomb, FileFormatError, "header claims"),
    data("a member with more than its array", "x.npz", _overfull, FileFormatError, "header claims"),
    Case(".npz: unpacks to more than memory", _unpack_where_memory_is_short, FileFormatError, "67 MB.*50 MB"),
    data("damaged in its compression", "x.npz", _spoilt_compression, FileFormatError, "NumPy file"),
    data("no array X", "x.npz", lambda: _npz(Y=X), FileFormatError, "named X"),
    data("a member that is no array", "x.npz", lambda: _archive("X.npy", b"hello"), DataError, "2-D"),
    data("lengths that are wrong", "x.npz", lambda: _npz(X=X, lengths=[1]), DataError, "add up"),
    data(
        "lengths that overflow",
        "x.npz",
        lambda: _npz(X=X, lengths=np.array([2**63 - 1] * 2 + [402])),
        DataError,
        "add up",
    ),
    Case(
        ".npz: objects that run code",
        lambda desk: _unpickle_array(desk, "x.npz", lambda path, X: np.savez(path, X=X)),
        FileFormatError,
        "NumPy file",
    ),
    data("empty", "x.csv", "", FileFormatError, "empty"),
    data("names only", "x.csv", "a,b\n", DataError, "0 sample"),
    data("a row too short", "x.csv", "a,b\n1,2\n3\n", DataError, "line 3"),
    data("text in a column", "x.csv", "a,b\n1,2\n3,x\n", DataError, "line 3, column 'b'"),
    data("an empty cell", "x.csv", "a,b\n1,2\n3,\n", DataError, "line 3, column 'b'"),
    data("NaN", "x.csv", "a,b\n1,nan\n", DataError, "line 2, column 'b'"),
    data("a number beyond float64", "x.csv", "a,b\n1,1e999\n", DataError, "line 2, column 'b'"),
    data("the same name twice", "x.csv", "a,a\n1,2\n", DataError, "twice"),
    data("a quote that never ends", "x.csv", 'a,b\n1,"2\n', FileFormatError, "separated"),
    data("a cell of 10 MB", "x.csv", "a,b\n1," + "9" * 10**7 + "\n", FileFormatError, "separated"),
    data("null bytes", "x.csv", b"a,b\n1,\0\n", DataError, "finite"),
    data("not UTF-8", "x.csv", b"a,b\n1,\xff\n", FileFormatError, "UTF-8"),
    data("a sequence taken up again", "x.csv", "sequence,a\n1,1\n2,1\n1,1\n", DataError, "stand together"),
    data("nothing but labels", "x.csv", "sequence,label\n1,a\n", DataError, "column of numbers"),
    data("no parquet", "x.parquet", b"PAR1 hello PAR1", FileFormatError, "parquet"),
    data("cut short", "x.parquet", lambda: _parquet(a=[1.0])[:-9], FileFormatError, "parquet"),
    data("damaged inside", "x.parquet", _spoilt_pages, FileFormatError, "parquet"),
    data("text in a column", "x.parquet", lambda: _parquet(a=["x"]), DataError, "column 'a'"),
    data("a missing number", "x.parquet", lambda: _parquet(a=[1.0, None]), DataError, "row 2"),
    data("lists in a column", "x.parquet", lambda: _parquet(a=[[1.0], [2.0]]), DataError, "column 'a'"),
    data("not UTF-8", "x.txt", b"a \xff b\n", FileFormatError, "UTF-8"),
    data("empty", "x.txt", b"\n\n", DataError, "0 sample"),
    _folder("empty", {}, FileFormatError, "neither"),
    _folder(
        "arrays of different width",
        {"1.npy": lambda: _npy(X), "2.npy": lambda: _npy(X[:, :1])},
        DataError,
        "same number",
    ),
    _folder("a picture that is none", {"1.png": lambda: b"hello"}, FileFormatError, "image"),
    _folder(
        "pictures of different size",
        {"1.png": lambda: _picture(3, 3), "2.png": lambda: _picture(3, 4)},
        DataError,
        "3 wide",
    ),
    _folder(
        "a picture of 10^9 pixels", {"1.png": lambda: _picture(32_000, 32_000)}, FileFormatError, "image"
    ),
    Case("data: nothing there", lambda desk: read_data(desk.given / "x.npy"), FileFormatError, "no such"),
    Case("data: below a file", lambda desk: read_data(_below_a_file(desk)), FileFormatError, "no such"),
    Case("data: a path with a null", lambda _: read_data("a\0b"), FileFormatError, "null"),
]


def _flip(content: bytes, place: int) -> bytes:
    return content[:place] + bytes([content[place] ^ 16]) + content[place + 1 :]


CASES = [*MODELS, *LABELS, *DATA]
