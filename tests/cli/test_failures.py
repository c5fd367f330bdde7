"""What goes wrong is one sentence on standard error, an exit code, and no half-written file."""

from __future__ import annotations

import errno
import io
import json
import os
import re
import threading
from pathlib import Path

import numpy as np
import pytest

import ventris as vt
from ventris.cli import app, run
from ventris.cli.output import emit
from ventris.label_model.model import NgramModel

FIT = [
    "fit",
    "example/test.npy",
    "--lm",
    "labels.arpa",
    "--n-init",
    "2",
    "--codebook-size",
    "10",
    "--no-refine",
]


@pytest.mark.parametrize(
    "command",
    [
        "nonsense",
        "fit",
        "fit example/points.npy --lm labels.arpa",
        "fit example/points.npy --lm labels.arpa -o m --method best",
        "fit example/points.npy --lm labels.arpa -o m --n-init 0",
        "fit example/points.npy --lm labels.arpa -o m --n-init many",
        "fit example/points.npy --lm labels.arpa -o m --adapt maybe",
        "fit example/points.npy --lm labels.arpa -o m --adapt 0",
        "fit example/points.npy --lm labels.arpa -o m --n-fits 3",
        "fit example/points.npy --lm labels.arpa -o m --config none.toml",
        "lm build example/labels.txt -o l.arpa --order 0",
        "predict reader.ventris example/test.npy --no-such-option",
        "doctor --no-such-option --lm labels.arpa",
    ],
)
def test_wrong_use_is_code_2_and_leaves_nothing(command, workshop, ventris):
    before = sorted(workshop.iterdir())
    done = ventris(*command.split())
    assert done.code == 2 and done.err and not done.out
    assert "Traceback" not in done.err and sorted(workshop.iterdir()) == before


def spoil(path: str, content: bytes | None) -> None:
    """Replace a file's content, or cut off its last bytes."""
    file = Path(path)
    file.write_bytes(file.read_bytes()[:-40] if content is None else content)


@pytest.mark.parametrize(
    ("path", "content", "command", "message"),
    [
        ("reader.ventris", None, "predict reader.ventris example/test.npy", "reader.ventris must be a whole"),
        ("reader.ventris", b"", "inspect reader.ventris", "it has only 0 bytes"),
        ("example/test.npy", None, "predict reader.ventris example/test.npy", "must be a NumPy file"),
        ("labels.arpa", None, "doctor example/points.npy --lm labels.arpa", "labels.arpa line"),
        ("labels.arpa", b"a b\n", "lm show labels.arpa", "ventris lm build labels.arpa"),
        ("example/labels.txt", b"\xff", "lm build example/labels.txt -o l.arpa", "must be text in UTF-8"),
        ("t.csv", b"label\nidle\nnap\n", "evaluate reader.ventris two.csv --labels t.csv", "t.csv line 3"),
        ("t.csv", b"a,b,c\n1,2,3\n", "predict reader.ventris t.csv", "has 3 features"),
        ("t.csv", b"a,b,c,d\n1,2,3\n", "predict reader.ventris t.csv", "t.csv line 2"),
        ("t.csv", b"a,b,c,d\n1,2,3,x\n", "doctor t.csv --lm labels.arpa", "line 2, column 'd'"),
    ],
)
def test_a_damaged_file_is_named_in_one_sentence(path, content, command, message, workshop, ventris):
    Path("two.csv").write_text("a,b,c,d\n1,2,3,4\n5,6,7,8\n")
    spoil(path, content)
    done = ventris(*command.split())
    assert done.code == 1 and not done.out
    assert message in done.err and len(done.err.strip().splitlines()) == 1


def test_files_are_replaced_only_by_force(workshop, ventris):
    before = Path("labels.arpa").read_bytes()
    for command in (
        "lm build example/labels.txt -o labels.arpa --order 1",
        "fit example/points.npy --lm labels.arpa -o reader.ventris",
        "predict reader.ventris example/test.npy -o predicted.csv",
        "evaluate reader.ventris example/test.npy --labels example/truth.csv --plot errors.png",
        "demo --data example",
    ):
        done = ventris(*command.split())
        assert done.code == 1 and "--force" in done.err, command
    assert Path("labels.arpa").read_bytes() == before
    assert (
        ventris("lm", "build", "example/labels.txt", "-o", "labels.arpa", "--order", "1", "--force").code == 0
    )
    assert Path("labels.arpa").read_bytes() != before


def test_a_folder_that_cannot_be_written_is_named_before_any_work(workshop, ventris, monkeypatch):
    assert "must be a folder" in ventris(*FIT, "-o", "labels.arpa/m").err  # a file is no folder
    assert "it is a folder" in ventris(*FIT, "-o", "example").err
    # Root may write everywhere, so a read-only folder has to be played.
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    done = ventris(*FIT, "-o", "m")
    assert done.code == 1 and "must be writable" in done.err and "route" not in done.err


@pytest.mark.parametrize(
    "out, problem", [("reader.ventris", "must not exist yet"), ("example", "it is a folder")]
)
def test_a_target_that_cannot_be_taken_is_named_before_any_work_wherever_the_state_is(
    out, problem, workshop, ventris
):
    before = sorted(workshop.rglob("*"))
    done = ventris(*FIT, "-o", out, "--checkpoint", "state")
    assert done.code == 1 and problem in done.err and "route" not in done.err
    assert sorted(workshop.rglob("*")) == before


def test_a_file_that_another_fit_has_just_written_is_seen_before_any_work(workshop, ventris, monkeypatch):
    from ventris.storage import folder_lock

    hold = folder_lock.hold_folder

    def too_late(path):  # the other was done between our look at the target and our lock
        Path("m").write_text("another's")
        return hold(path)

    monkeypatch.setattr(folder_lock, "hold_folder", too_late)
    done = ventris(*FIT, "-o", "m", "--checkpoint", "state")
    assert done.code == 1 and "m must not exist yet" in done.err and "route" not in done.err
    assert Path("m").read_text() == "another's" and not Path("m.checkpoint").exists()


def test_a_file_that_appears_during_the_fit_is_kept_and_nothing_learnt_is_lost(
    workshop, ventris, monkeypatch
):
    from ventris.classifier import SequenceClassifier

    learn = SequenceClassifier.fit

    def meanwhile(self, *arguments, **options):
        Path("m").write_text("another's")
        return learn(self, *arguments, **options)

    monkeypatch.setattr(SequenceClassifier, "fit", meanwhile)
    done = ventris(*FIT, "-o", "m")
    assert done.code == 1 and "m must not exist yet" in done.err and Path("m").read_text() == "another's"
    assert "what was learnt so far is in" in done.err and Path("m.checkpoint/route.state").exists()
    monkeypatch.undo()
    monkeypatch.chdir(workshop)
    assert ventris(*FIT, "-o", "m", "--force").code == 0 and not Path("m.checkpoint").exists()


def test_bad_data_leaves_no_folder_for_a_state_and_a_folder_that_was_there_stays(workshop, ventris):
    Path("mine").mkdir()
    before = sorted(workshop.iterdir())
    assert ventris("fit", "none.npy", "--lm", "labels.arpa", "-o", "m").code == 1
    assert ventris("fit", "none.npy", "--lm", "labels.arpa", "-o", "m", "--checkpoint", "mine").code == 1
    assert sorted(workshop.iterdir()) == before


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no FIFOs")
@pytest.mark.parametrize(
    "command",
    [
        "predict reader.ventris example/test.npy -o PLACE",
        "lm build example/labels.txt --order 2 -o PLACE",
        f"{' '.join(FIT)} -o PLACE",
        "evaluate reader.ventris example/test.npy --labels example/truth.csv --plot PLACE",
    ],
)
@pytest.mark.parametrize("force", [[], ["--force"]])
def test_a_fifo_is_handed_what_a_file_would_hold(command, force, workshop, ventris):
    os.mkfifo("pipe")
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(Path("pipe").read_bytes()))
    reader.start()
    done = ventris(*command.replace("PLACE", "pipe").split(), *force)
    reader.join(60)
    assert done.code == 0 and "pipe." in done.out and Path("pipe").is_fifo()
    assert not Path("pipe.checkpoint").exists()
    assert ventris(*command.replace("PLACE", "file").split()).code == 0
    written = Path("file").read_bytes()
    if command.startswith("fit"):  # seconds are in its history
        Path("again").write_bytes(read[0])
        assert vt.load("again").coef_.tobytes() == vt.load("file").coef_.tobytes()
    else:
        assert read == [written]


def test_a_full_disk_leaves_the_old_file_and_no_leftover(workshop, ventris, monkeypatch):
    before, old = sorted(workshop.rglob("*")), Path("reader.ventris").read_bytes()

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("ventris.storage.persistence.os.fsync", full)
    done = ventris(*FIT, "-o", "reader.ventris", "--force", "--checkpoint", "state")
    assert done.code == 1 and done.err.splitlines()[-1] == "ventris: No space left on device"
    assert Path("reader.ventris").read_bytes() == old
    left = {path.relative_to(workshop).as_posix() for path in workshop.rglob("*") if path not in before}
    assert left == {"state", "state/manifest.json"}


def test_a_damaged_checkpoint_and_one_of_another_fit_are_named(workshop, ventris):
    assert ventris(*FIT, "-o", "m", "--checkpoint", "state").code == 0
    other = ventris(*FIT, "-o", "m2", "--checkpoint", "state", "--seed", "9")
    assert other.code == 2 and "random_state was 0 and is 9" in other.err
    spoil("state/route.state", None)
    damaged = ventris(*FIT, "-o", "m2", "--checkpoint", "state")
    assert damaged.code == 1 and "route.state" in damaged.err and not Path("m2").exists()


def test_a_label_model_from_a_pipe_and_a_table_into_one(workshop, ventris, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("abcab\ncabba\n"))
    done = ventris(
        "lm", "build", "-", "-o", "letters.arpa", "--characters", "--alphabet", "abc", "--order", "2"
    )
    assert done.code == 0 and "3: a b c" in done.out
    table = "\n".join(",".join(map(str, row)) for row in np.load("example/test.npy")[:5].tolist())
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{table}\n"))
    assert len(ventris("predict", "reader.ventris", "-").out.splitlines()) == 6


def test_a_model_of_a_table_takes_its_columns_by_name_whatever_else_is_there(workshop, ventris):
    X = np.load("example/test.npy")[:2000]
    names = ["u", "v", "w", "x"]

    def save(path, order, extra):
        head = ",".join([*(names[k] for k in order), *extra])
        rows = [",".join([*(str(row[k]) for k in order), *extra.values()]) for row in X.tolist()]
        Path(path).write_text("\n".join([head, *rows]) + "\n")

    save("a.csv", [0, 1, 2, 3], {"label": "unseen"})
    save("b.csv", [2, 0, 3, 1], {"note": "no number"})
    assert ventris("fit", "a.csv", *FIT[2:], "-o", "t.ventris").code == 0
    assert ventris("predict", "t.ventris", "a.csv").out == ventris("predict", "t.ventris", "b.csv").out
    Path("c.csv").write_text("u,v,w\n1,2,3\n")
    assert "'x' is not among u, v, w" in ventris("predict", "t.ventris", "c.csv").err


def test_a_model_of_symbols_reads_other_texts_by_the_same_numbers(workshop, ventris):
    lm = NgramModel.from_transition_matrix([[0.1, 0.7, 0.2], [0.3, 0.1, 0.6], [0.8, 0.1, 0.1]], classes="abc")
    lm.to_arpa("abc.arpa")
    plain = "".join(lm.alphabet.decode(lm.sample(3000, random_state=5)))
    Path("cipher.txt").write_text(plain.translate(str.maketrans("abc", "YZX")) + "\n")
    fit = ventris("fit", "cipher.txt", "--lm", "abc.arpa", "-o", "key", "--characters", "--n-init", "8")
    assert fit.code == 0, fit.err
    Path("later.txt").write_text("ZZX\n")  # without Y, and --characters not said again
    assert ventris("predict", "key", "later.txt").out.split() == ["sequence,label", "0,b", "0,b", "0,c"]


def test_partial_labels_name_what_the_label_model_cannot(workshop, ventris):
    """A symmetric label model leaves the names open; a few known points decide them, either way."""
    NgramModel.from_transition_matrix([[0.15, 0.85], [0.85, 0.15]], classes="ab").to_arpa("ab.arpa")
    rng = np.random.default_rng(21)
    labels = np.cumsum(rng.random(6000) < 0.85) % 2
    np.save("x.npy", rng.standard_normal((6000, 1)) * 0.4 + labels[:, None])
    for names in ("ab", "ba"):
        true = [names[k] for k in labels]
        Path("true.txt").write_text("\n".join(true) + "\n")
        Path("few.csv").write_text(
            "\n".join(["label", *(y if t % 50 == 0 else "?" for t, y in enumerate(true))])
        )
        fit = ventris("fit", "x.npy", "--lm", "ab.arpa", "-o", "k", "--force", "--partial-labels", "few.csv")
        assert fit.code == 0, fit.err
        found = json.loads(ventris("evaluate", "k", "x.npy", "--labels", "true.txt", "--json").out)
        assert found["alone"]["error_rate"] < 0.12  # at best 0.106: two Gaussians 2.5 deviations apart


def test_options_come_from_a_file_and_given_ones_win(workshop, ventris):
    Path("run.toml").write_text('[fit]\nlm = "labels.arpa"\nn_init = 3\nrefine = false\ncodebook-size = 12\n')
    fit = ["fit", "example/test.npy", "-o", "m", "--config", "run.toml", "--n-init", "2", "--quiet"]
    done = ventris(*fit)
    assert done.code == 0 and "route" not in done.err
    kept = json.loads(ventris("inspect", "m", "--json").out)["parameters"]
    assert (kept["n_init"], kept["refine"], kept["codebook_size"]) == (2, False, 12)
    Path("run.toml").write_text("[fit]\nstarts = 3\n")
    assert ventris(*fit).code == 2
    Path("run.toml").write_text("[fit\n")
    assert ventris(*fit).code == 2


def test_doubts_are_lines_on_standard_error(workshop, ventris):
    Path("l.txt").write_text("a b a b a b b a a b a b\n" * 20)
    assert ventris(*["lm", "build", "l.txt", "-o", "ab.arpa", "--order", "2"]).code == 0
    np.save("x.npy", np.random.default_rng(2).standard_normal((3000, 2)))  # nothing to learn from
    done = ventris(*["fit", "x.npy", "--lm", "ab.arpa", "-o", "k.ventris", "--n-init", "2"])
    assert done.code == 0 and re.search(r"^ventris: \w+Warning: ", done.err, re.M)


def test_colour_only_where_it_is_wanted(workshop, ventris, monkeypatch):
    doctor = ["doctor", "example/points.npy", "--lm", "labels.arpa"]
    monkeypatch.setenv("FORCE_COLOR", "1")
    coloured = re.compile(r"\x1b\[[\d;]*3\dm")
    assert coloured.search(ventris(*doctor).out)
    monkeypatch.setenv("NO_COLOR", "1")
    assert not coloured.search(ventris(*doctor).out)


def test_labels_and_paths_are_shown_as_they_are(workshop, ventris):
    Path("[red] l.txt").write_text("[UNK] :smile: [UNK] [UNK] :smile: :smile:\n" * 9)
    done = ventris("lm", "build", "[red] l.txt", "-o", "[bold] x.arpa", "--order", "2")
    assert "2: :smile: [UNK]" in done.out and "The label model is in [bold] x.arpa." in done.out


def test_json_has_no_numbers_that_json_does_not_know(capsys):
    emit({"a": np.float64("nan"), "b": [float("inf"), np.arange(2)], 3: (None, True, Path("x"))})
    assert json.loads(capsys.readouterr().out) == {"a": None, "b": [None, [0, 1]], "3": [None, True, "x"]}


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_knows_commands_and_options(shell):
    script = app.generate_completion(shell=shell)
    assert "evaluate" in script and "partial-labels" in script


def test_an_error_that_is_none_of_ours_is_not_hidden(monkeypatch):
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("ventris.label_model.facts.describe", broken)
    monkeypatch.setattr("ventris.readers.read_label_model", lambda path: None)
    with pytest.raises(ZeroDivisionError):
        run(["lm", "show", "x"])
