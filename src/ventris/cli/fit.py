"""`ventris fit`: a classifier from unlabelled data and a label model, resumable at any moment."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from ventris.cli.options import (
    Characters,
    Config,
    Force,
    Json,
    Quiet,
    Source,
    TableOptions,
    only_one_reads_stdin,
    say_how_read,
)
from ventris.solvers import defaults

if TYPE_CHECKING:
    from ventris.classifier import SequenceClassifier
    from ventris.label_model.model import NgramModel
    from ventris.readers import Data
    from ventris.storage.files import Target


@Parameter(name="*", group="Learning")
@dataclass(frozen=True)
class Learning:
    """Parameters of `SequenceClassifier`, by their own names."""

    order: int | None = None
    "Labels in an n-gram; the label model's by default."
    method: Literal["auto", "full-batch", "spdg"] = "auto"
    "auto reads inputs as a cipher; the others lower J on the raw inputs."
    n_init: int | None = None
    "Number of starts."
    codebook_size: int | None = None
    "Number of codes of method auto."
    refine: bool = True
    "Whether auto goes on with rounds of label posteriors."
    adapt: Literal["auto", "yes", "no"] | float = "auto"
    "Whether the label model moves towards the data: where they insist, always, never, or so many pairs far."
    n_fits: Literal[1, 2] = 2
    "Answers of auto, of which the better is kept; how far two agree tells how far to trust it."
    classifier: Literal["mlp", "cnn", "tcn"] | None = None
    "A network instead of the log-linear model: perceptron, small square images, sensor streams."
    fit_intercept: bool = True
    "Whether the classifier has an intercept."
    gamma: float = 1.0
    "Sharpness of the log-linear model."
    features: Literal["full", "diagonal"] = "full"
    "diagonal ties class c to feature c alone."
    batch_size: int = defaults.BATCH_SIZE
    "Subsequences in a minibatch of spdg."
    subsequence_length: int = defaults.SUBSEQUENCE_LENGTH
    "Points in each of them."
    primal_lr: float = defaults.PRIMAL_LR
    "Rate of the weights in spdg."
    dual_lr: float = defaults.DUAL_LR
    "Rate of the dual variables in spdg."
    dual_form: Literal["log", "direct"] = defaults.DUAL_FORM
    "log moves ln(−V); direct moves V itself, as the paper prints it."
    max_iter: int | None = None
    "Iterations of full-batch, or updates of spdg."
    tol: float | None = None
    "When to stop."
    validation_fraction: float = 0.1
    "Trailing part held out to judge steps."
    n_jobs: int | None = None
    "Threads; all cores by default."


def fit(
    data: Source,
    *,
    lm: Source,
    out: Annotated[Path, Parameter(alias="-o")],
    partial_labels: Source | None = None,
    checkpoint: Path | None = None,
    seed: int = 0,
    learning: Learning = Learning(),
    characters: Characters = False,
    table: TableOptions = TableOptions(),  # noqa: B008 (it is frozen)
    quiet: Quiet = False,
    json: Json = False,
    force: Force = False,
    config: Config = None,
) -> None:
    """Learn a classifier from unlabelled data and a label model.

    Ended before its time, even by kill -9, the same command goes on where it was. A second one that would
    write the same model file at the same time is refused at its start.

    Example: ventris fit example/points.npy --lm labels.arpa -o reader.ventris

    Parameters
    ----------
    data
        Inputs: .npy, .npz, .csv, .tsv, .parquet, a folder, or a text of symbols; - reads standard input.
    lm
        The label model: an ARPA file, or whatever `ventris lm build` takes but a text.
    out
        The model file to write.
    partial_labels
        Labels that are known, one a point: a label column, or one a line; empty, ? or -1 where unknown.
    checkpoint
        Folder for the state of the fit, kept afterwards; by default one beside the model, removed when done
        (none if the model goes to a device or a pipe).
    seed
        Of the random choices.
    """
    from ventris.cli.output import check_target, emit, show
    from ventris.readers import read_data, read_label_model, save_model

    only_one_reads_stdin(data=data, lm=lm, partial_labels=partial_labels)
    beside = _beside(check_target(out, force))
    folder = checkpoint or beside
    with _held(beside), _state_in(folder, wanted=checkpoint is not None) as state:
        check_target(out, force)  # once more: a fit that has just let go of it may have written it
        model = read_label_model(lm)
        read = read_data(data, layout=table.layout, characters=characters)
        say_how_read(read, data)
        clf = _classifier(model, learning, folder, seed, quiet)
        clf.fit(read.sequences, partial_labels=_known(partial_labels, model, read, table))
        state.is_learnt = True
        save_model(clf, out, read.schema, force=force)
    if json:
        emit({"written": str(out)} | clf.report_.to_dict(), beside=out)
    else:
        show(clf.report_, f"The model is in {out}.", beside=out)


def _classifier(
    lm: NgramModel, learning: Learning, checkpoint: Path | None, seed: int, quiet: bool
) -> SequenceClassifier:
    """The classifier, its parameters checked before any data is read through it."""
    from ventris.classifier import SequenceClassifier

    settings = asdict(learning) | {"checkpoint": checkpoint, "random_state": seed, "verbose": int(not quiet)}
    settings["adapt"] = {"yes": True, "no": False}.get(settings["adapt"], settings["adapt"])
    clf = SequenceClassifier(lm, **settings)
    clf._validate_params()
    return clf


def _known(path: Path | None, lm: NgramModel, read: Data, table: TableOptions) -> list[Any] | None:
    from ventris.readers import match_labels, read_label_column

    if path is None:
        return None
    codes = match_labels(read_label_column(path, table.layout), lm.classes, read.sequences.n_points)
    return [lm.classes[code] if code >= 0 else None for code in codes.tolist()]


# ------------------------------------------------------------------------------------ the state of the fit


def _beside(target: Target) -> Path | None:
    """The folder of a fit to this target; beside a device or a FIFO there is no place for one.

    Whoever holds it is the one fit that will write the target, wherever the state of that fit is kept.
    """
    return target.file and target.file.with_name(f"{target.file.name}.checkpoint")


@contextmanager
def _held(folder: Path | None, *, stays: bool = False) -> Iterator[None]:
    """Hold a folder; it goes afterwards, unless it is to stay or there is something in it."""
    from ventris.storage.folder_lock import hold_folder

    try:
        with hold_folder(folder):
            yield
    finally:
        with suppress(OSError):  # not empty: a fit can go on from it, or it is not only ours
            if folder is not None and not stays:
                folder.rmdir()


@dataclass
class _State:
    was_begun: bool = False  # by an earlier run
    is_learnt: bool = False


@contextmanager
def _state_in(folder: Path | None, *, wanted: bool) -> Iterator[_State]:
    """Hold the folder of a fit's state; it goes when nothing can go on from it, unless it is wanted."""
    from ventris.storage.checkpoint import Checkpoint

    if folder is None:
        yield _State()
        return
    with (
        _held(folder, stays=wanted and folder.exists()),
        _cleared(folder, wanted, _State(Checkpoint.is_begun(folder))) as state,
    ):
        yield state


@contextmanager
def _cleared(folder: Path, wanted: bool, state: _State) -> Iterator[_State]:
    from ventris.errors import VentrisError
    from ventris.storage.checkpoint import clear_states

    try:
        yield state
    except VentrisError:
        if state.is_learnt:  # but there was no place for the model
            _say_how_to_go_on(folder)
        elif not state.was_begun:  # its state would stand in the way of the command put right
            clear_states(folder)
        raise
    except KeyboardInterrupt:
        _say_how_to_go_on(folder)
        raise
    if not wanted:
        clear_states(folder)


def _say_how_to_go_on(folder: Path) -> None:
    from ventris.cli.output import say
    from ventris.storage.checkpoint import Checkpoint

    if Checkpoint.is_begun(folder):
        say(f"what was learnt so far is in {folder}; to go on: ventris {shlex.join(sys.argv[1:])}")
