"""Commands that cannot be done: an exit code, one sentence, and every file as it was."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable

import numpy as np

from reliability.case import Case, Desk, Exit, at, command
from reliability.material import X, arpa_file, model_file, points_file, write

FAILED, WRONG_USE = 1, 2
FIT = "fit {given}/points.npy --lm {given}/labels.arpa -o {made}/m.ventris --quiet "
PREDICT = "predict {given}/model.ventris {given}/"
PIPE = "predict {given}/model.ventris -"


def fails(
    name: str, code: int, words: str, line: str, spoil: Callable[[Desk], object] = lambda desk: None
) -> Case:
    """A command that must fail, after something was done to its files."""

    def attempt(desk: Desk) -> Exit:
        model_file(desk.given)
        arpa_file(desk.given)
        points_file(desk.given)
        spoil(desk)
        return command(*at(desk, line))

    return Case(f"ventris {line.split()[0] if line else ''}: {name}", attempt, code, words)


def with_file(name: str, content: bytes | str) -> Callable[[Desk], object]:
    """Put this content into the file of this name."""
    return lambda desk: write(desk.given, name, content)


def cut(name: str) -> Callable[[Desk], object]:
    """Cut off the end of the file of this name."""

    def spoil(desk: Desk) -> None:
        path = desk.given / name
        path.write_bytes(path.read_bytes()[:-40])

    return spoil


def piped(name: str, code: int, words: str, line: str, content: bytes) -> Case:
    """A command that reads this from standard input."""
    plain = fails(name, code, words, line)

    def attempt(desk: Desk) -> object:
        before, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(content), encoding="utf-8")
        try:
            return plain.attempt(desk)
        finally:
            sys.stdin = before

    return Case(plain.name, attempt, code, words)


CASES = [
    fails("no such command", WRONG_USE, "nonsense", "nonsense"),
    fails("nothing to fit", WRONG_USE, "(?i)data", "fit"),
    fails("no label model", WRONG_USE, "lm", "fit {given}/points.npy -o {made}/m"),
    fails("no such option", WRONG_USE, "(?i)no option|unknown", FIT + "--no-such-option 3"),
    fails("a number in words", WRONG_USE, "many", FIT + "--n-init many"),
    fails("no starts", WRONG_USE, "n_init", FIT + "--n-init 0"),
    fails("gamma that is NaN", WRONG_USE, "gamma", FIT + "--gamma nan"),
    fails("an unknown method", WRONG_USE, "best", FIT + "--method best"),
    fails("a seed below zero", WRONG_USE, "random_state", FIT + "--seed -1"),
    fails("an order above the label model's", FAILED, "order", FIT + "--order 9"),
    fails("more codes than points", FAILED, "codes", FIT + "--codebook-size 4000"),
    fails("more codes than memory holds pairs of", WRONG_USE, "4096", FIT + "--codebook-size 1000000"),
    fails("no such data", FAILED, "no such", FIT.replace("points.npy", "none.npy")),
    fails("no such label model", FAILED, "no such", FIT.replace("labels.arpa", "none.arpa")),
    fails(
        "a label model that is data",
        FAILED,
        "must hold probabilities",
        FIT.replace("labels.arpa", "points.npy"),
    ),
    fails("output over an old file", FAILED, "--force", FIT.replace("m.ventris", "old")),
    fails("output into a file", FAILED, "must be a folder", FIT.replace("m.ventris", "old/m")),
    fails("output into no folder", FAILED, "must be a folder", FIT.replace("m.ventris", "none/m")),
    fails("output that is a folder", FAILED, "folder", FIT.replace("{made}/m.ventris", "{made}")),
    fails(
        "known labels of other data",
        FAILED,
        "one label for each",
        FIT + "--partial-labels {given}/few.txt",
        with_file("few.txt", "0\n1\n"),
    ),
    fails("a checkpoint that is a file", WRONG_USE, "is a file", FIT + "--checkpoint {given}/points.npy"),
    fails("no such configuration", WRONG_USE, "TOML", FIT + "--config {given}/none.toml"),
    fails("a configuration that is none", WRONG_USE, "TOML", FIT + "--config {given}/points.npy"),
    fails(
        "a configuration with an unknown option",
        WRONG_USE,
        "starts",
        FIT + "--config {given}/run.toml",
        with_file("run.toml", "[fit]\nstarts = 3\n"),
    ),
    fails("one point", FAILED, "2 points", FIT, lambda desk: np.save(desk.given / "points.npy", X[:1])),
    fails("NaN", FAILED, "row 0", FIT, lambda desk: np.save(desk.given / "points.npy", X * np.nan)),
    fails(
        "numbers of 1e300", FAILED, "squared", FIT, lambda desk: np.save(desk.given / "points.npy", X * 1e300)
    ),
    fails("complex", FAILED, "real", FIT, lambda desk: np.save(desk.given / "points.npy", X * 1j)),
    fails("a model cut short", FAILED, "whole", PREDICT + "points.npy -o {made}/p.csv", cut("model.ventris")),
    fails("data cut short", FAILED, "NumPy", PREDICT + "points.npy -o {made}/p.csv", cut("points.npy")),
    fails(
        "a label model for a model",
        FAILED,
        "model file",
        PREDICT.replace("model.ventris", "labels.arpa") + "points.npy",
    ),
    fails(
        "data of other width",
        FAILED,
        "2 features",
        PREDICT + "wide.csv",
        with_file("wide.csv", "a,b,c\n1,2,3\n"),
    ),
    fails(
        "a table that is damaged",
        FAILED,
        "line 3",
        PREDICT + "t.csv -o {made}/p.csv",
        with_file("t.csv", "a,b\n1,2\n1\n"),
    ),
    fails("an old file in the way", FAILED, "--force", PREDICT + "points.npy -o {made}/old"),
    piped(
        "no UTF-8 in the pipe",
        FAILED,
        "UTF-8",
        PIPE,
        b"1,2\n\xff,3\n",
    ),
    piped("nothing in the pipe", FAILED, "empty", PIPE, b""),
    fails(
        "an order nobody knows", FAILED, "order", "decode {given}/model.ventris {given}/points.npy --order 7"
    ),
    fails(
        "true labels of other classes",
        FAILED,
        "line 1",
        "evaluate {given}/model.ventris {given}/two.csv --labels {given}/l",
        lambda desk: (write(desk.given, "two.csv", "1,2\n3,4\n"), write(desk.given, "l", "x\ny\n")),
    ),
    fails("not a model", FAILED, "model file", "inspect {given}/points.npy"),
    fails("no labels", FAILED, "empty", "lm build {given}/l.txt -o {made}/l.arpa", with_file("l.txt", "")),
    fails(
        "one label",
        FAILED,
        "two classes",
        "lm build {given}/l.txt -o {made}/l.arpa",
        with_file("l.txt", "a a a\n"),
    ),
    fails(
        "labels not in UTF-8",
        FAILED,
        "UTF-8",
        "lm build {given}/l.txt -o {made}/l.arpa",
        with_file("l.txt", b"\xff"),
    ),
    fails(
        "order 0",
        WRONG_USE,
        "order",
        "lm build {given}/l.txt -o {made}/l.arpa --order 0",
        with_file("l.txt", "a b a b\n"),
    ),
    fails(
        "an order beyond the text",
        FAILED,
        "in a row",
        "lm build {given}/l.txt -o {made}/l.arpa --order 9",
        with_file("l.txt", "a b a b\n"),
    ),
    fails("an ARPA file cut short", FAILED, "line", "lm show {given}/labels.arpa", cut("labels.arpa")),
    fails("no such text", FAILED, "text file", "decipher {given}/none.txt"),
    fails("an empty text", FAILED, "letters|symbols", "decipher {given}/t.txt", with_file("t.txt", "")),
    fails(
        "an unknown language",
        WRONG_USE,
        "language",
        "decipher {given}/t.txt --language xx",
        with_file("t.txt", "QEB NRFZH\n"),
    ),
    fails(
        "a key that is none",
        WRONG_USE,
        "key",
        "encipher {given}/t.txt --kind caesar --key many",
        with_file("t.txt", "the\n"),
    ),
    fails(
        "a key without its kind",
        WRONG_USE,
        "kind",
        "decipher {given}/t.txt --key 3",
        with_file("t.txt", "the\n"),
    ),
]
