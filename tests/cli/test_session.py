"""docs/start/cli.md as a user would type it, the examples of every --help, and --json of every command."""

from __future__ import annotations

import csv
import io
import json
import re
import shlex
import sys
from pathlib import Path

import numpy as np
import pytest

import ventris as vt
from ventris.cli import app
from ventris.readers import match_labels, read_label_column


def words(line: str) -> str:
    """A line without its numbers, its blanks and the borders of its table."""
    return re.sub(r"[\d.,\s│┃─-]+", " ", line).strip()


def test_the_documented_session_prints_what_the_document_shows(session):
    assert len(session.steps) == 8
    for command, documented, printed in session.steps:
        lines = {words(line) for line in printed.splitlines()}
        for line in documented:
            assert words(line) in lines, f"{command} did not print: {line}\n{printed}"


def test_the_session_s_results_are_right(session):
    folder = session.folder
    clf = vt.load(folder / "reader.ventris")
    X = np.load(folder / "example" / "test.npy")
    true = match_labels(read_label_column(folder / "example" / "truth.csv"), clf.classes_.tolist(), len(X))
    # Five Gaussians of known means and shared variance: the best any classifier of single points can do.
    from ventris.demos.example_files import MEANS, STATES, VARIANCE

    distance = ((X[:, None] - MEANS) ** 2).sum(axis=2) / (2 * VARIANCE)
    best = np.mean((np.log(clf.lm.stationary()) - distance).argmax(axis=1) != true)
    assert tuple(clf.classes_) == STATES
    assert np.mean(clf.predict(X) != clf.classes_[true]) < best + 0.01
    with open(folder / "predicted.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["label"] for row in rows] == clf.predict(X).tolist()
    assert (folder / "errors.png").read_bytes()[:4] == b"\x89PNG"
    assert not (folder / "reader.ventris.checkpoint").exists()


def test_progress_goes_to_standard_error_as_plain_lines(session):
    assert re.search(r"^route: begun$", session.errors, re.M)
    assert "\x1b" not in session.errors and "route:" not in "".join(s.printed for s in session.steps)


# ------------------------------------------------------------------------------------------------- help


def commands(of=app, path=()):
    """Every command's path and function."""
    for name in of:
        if not name.startswith("-"):
            sub = of[name]
            if sub.default_command is None:
                yield from commands(sub, (*path, name))
            else:
                yield (*path, name), sub.default_command


COMMANDS = dict(commands())
QUICK = ["--n-init", "2", "--codebook-size", "10", "--no-refine"]
WORTH = {"estimated_error", "error_interval", "naming_probability", "mismatch", "adapted", "remarks"}


def test_all_commands_are_there():
    names = {" ".join(path) for path in COMMANDS}
    wanted = {"demo", "doctor", "fit", "predict", "decode", "evaluate", "inspect", "decipher", "encipher"}
    assert names >= wanted | {"lm build", "lm show"}


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_help_shows_an_example_that_works(path, workshop, ventris, monkeypatch):
    example = re.search(r"Example: (.+)", COMMANDS[path].__doc__)[1]
    shown = ventris(*path, "--help")
    assert shown.code == 0 and "".join(example.split()) in "".join(shown.out.split())
    Path("message.txt").write_text("QEB NRFZH YOLTK CLU GRJMP LSBO QEB IXWV ALD\n")
    *echo, example = example.split(" | ")
    if echo:
        monkeypatch.setattr("sys.stdin", io.StringIO(echo[0].removeprefix("echo ") + "\n"))
    tokens = shlex.split(example)
    assert tokens[0] == "ventris" and tokens[1 : 1 + len(path)] == list(path)
    quick = QUICK if path == ("fit",) else []
    force = ["--force"] if "--force" in shown.out else []
    done = ventris(*tokens[1:], *quick, *force)
    assert done.code == 0, done.err


@pytest.mark.parametrize(
    ("command", "keys"),
    [
        ("lm build example/labels.txt -o new.arpa --json", {"written", "classes", "identifiability"}),
        ("lm show labels.arpa --top 3 --json", {"classes", "order", "entropy", "ngrams"}),
        ("doctor example/points.npy --lm labels.arpa --json", {"verdict", "reasons", "lags"}),
        (f"fit example/test.npy --lm labels.arpa -o m --json {' '.join(QUICK)}", {"written", "cost", *WORTH}),
        ("predict reader.ventris example/test.npy --json --proba", {"classes", "sequences"}),
        ("predict reader.ventris example/test.npy -o p.csv --json", {"written", "n_points"}),
        ("decode reader.ventris example/test.npy --viterbi --json", {"classes", "sequences"}),
        ("evaluate reader.ventris example/test.npy --labels example/truth.csv --json", {"alone", "adapted"}),
        ("inspect reader.ventris --json", {"classes", "parameters", "report", "history", "adapted"}),
        ("demo --data more --json", {"written"}),
    ],
)
def test_json_is_all_that_standard_output_holds(command, keys, workshop, ventris):
    done = ventris(*shlex.split(command))
    assert done.code == 0, done.err
    assert set(json.loads(done.out)) >= keys


def test_decoding_is_the_library_s(workshop, ventris):
    clf = vt.load("reader.ventris")
    X = np.load("example/test.npy")
    for flags, expected in [([], clf.decode(X)), (["--viterbi"], clf.decode(X, method="viterbi"))]:
        found = json.loads(ventris("decode", "reader.ventris", "example/test.npy", "--json", *flags).out)
        assert found["sequences"][0]["labels"] == expected.tolist()
    found = json.loads(ventris("decode", "reader.ventris", "example/test.npy", "--json", "--proba").out)
    np.testing.assert_allclose(found["sequences"][0]["proba"], clf.decode_proba(X), atol=1e-6)


def test_evaluation_counts_as_by_hand(workshop, ventris):
    command = "evaluate reader.ventris example/test.npy --labels example/truth.csv --json"
    found = json.loads(ventris(*command.split()).out)
    truth = read_label_column("example/truth.csv").labels
    clf, X = vt.load("reader.ventris"), np.load("example/test.npy")
    assert found["alone"]["error_rate"] == pytest.approx(np.mean(clf.predict(X) != truth), rel=1e-12)
    assert found["in_sequence"]["error_rate"] == pytest.approx(np.mean(clf.decode(X) != truth), rel=1e-12)


def test_an_adapted_label_model_is_told_wherever_it_is_used(workshop, ventris):
    asked = [*QUICK, "--n-fits", "1", "--adapt", "30"]
    fitted = ventris("fit", "example/test.npy", "--lm", "labels.arpa", "-o", "moved.ventris", *asked)
    clf = vt.load("moved.ventris")
    assert clf.adapt == 30 and clf.n_fits == 1 and clf.lm_ is not clf.lm
    first = next(line for line in fitted.out.splitlines() if "│" in line)
    assert " ".join(first.split()[3:-1]) and clf.report_.in_words().startswith(" ".join(first.split()[3:-1]))
    assert "counts as 30 n-grams" in fitted.out
    assert "adapted to the data" in ventris("inspect", "moved.ventris").out
    held = ("example/test.npy", "--labels", "example/truth.csv")
    shown = ventris("evaluate", "moved.ventris", *held).out
    assert clf.report_.in_words() in shown and "label model adapted to the data" in shown
    assert "adapted" not in ventris("evaluate", "reader.ventris", *held).out


def test_the_demo_without_matplotlib_tells_everything_but_the_figure(workshop, ventris, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    done = ventris("demo", "--json", "--out", "figures")
    told = json.loads(done.out)
    assert done.code == 0 and told["written"] is None and len(told["readings"]) == 4
    assert "pip install 'ventris[plot]'" in done.err and not Path("figures").exists()


def test_a_file_where_the_demo_wants_its_folder_is_named(workshop, ventris):
    done = ventris("demo", "--out", "labels.arpa")
    assert done.code == 2 and "labels.arpa must be a folder, but labels.arpa is a file" in done.err


def test_the_demo_learns_chain_2_as_well_as_with_labels(workshop, ventris):
    found = {row["name"]: row for row in json.loads(ventris("demo", "--json").out)["readings"]}
    assert found["without labels"]["error_rate"] < found["supervised"]["error_rate"] + 0.005
    assert found["without labels"]["cost"] < found["constant"]["cost"] < found["labels swapped"]["cost"]
