"""`ventris fit`: a classifier from unlabelled data and a label model, resumable at any moment."""

from __future__ import annotations

import shlex
import sys
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from ventris.cli.options import Characters, Columns, Config, Force, Json, Quiet, Source
from ventris.solvers import defaults

if TYPE_CHECKING:
    from ventris.classifier import SequenceClassifier
    from ventris.label_model.model import NgramModel
    from ventris.readers import Data


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
    lm: Path,
    out: Annotated[Path, Parameter(alias="-o")],
    partial_labels: Path | None = None,
    checkpoint: Path | None = None,
    seed: int = 0,
    learning: Learning = Learning(),  # noqa: B008 (it is frozen)
    characters: Characters = False,
    columns: Columns = None,
    quiet: Quiet = False,
    json: Json = False,
    force: Force = False,
    config: Config = None,
) -> None:
    """Learn a classifier from unlabelled data and a label model.

    Ended before its time, even by kill -9, the same command goes on where it was.

    Example: ventris fit example/points.npy --lm labels.arpa -o reader.ventris

    Parameters
    ----------
    data
        Inputs: .npy, .npz, .csv, .tsv, .parquet, a folder, or a text of symbols; - reads a table.
    lm
        The label model, an ARPA file.
    out
        The model file to write.
    partial_labels
        Labels that are known, one a point: a label column, or one a line; empty, ? or -1 where unknown.
    checkpoint
        Folder for the state of the fit, kept afterwards; by default one beside the model, removed when done.
    seed
        Of the random choices.
    """
    from ventris.cli.output import check_target, emit, say, show
    from ventris.errors import VentrisError
    from ventris.readers import read_data, read_label_model, save_model

    check_target(out, force)
    model = read_label_model(lm)
    read = read_data(data, columns=columns or (), characters=characters)
    folder = checkpoint or out.with_name(f"{out.name}.checkpoint")
    clf = _classifier(model, learning, folder, seed, quiet)
    known = _known(partial_labels, model, read)
    began_here = not folder.exists()
    try:
        clf.fit(read.sequences, partial_labels=known)
    except VentrisError:
        if began_here and folder.exists():  # its state would stand in the way of the command put right
            _remove(folder)
        raise
    except KeyboardInterrupt:
        say(f"what was learnt so far is in {folder}; to go on: ventris {shlex.join(sys.argv[1:])}")
        raise
    save_model(clf, out, read.schema, force=force)
    if checkpoint is None:
        _remove(folder)
    if json:
        emit({"written": str(out)} | clf.report_.to_dict())
    else:
        show(clf.report_, f"The model is in {out}.")


def _classifier(
    lm: NgramModel, learning: Learning, checkpoint: Path, seed: int, quiet: bool
) -> SequenceClassifier:
    """The classifier, its parameters checked before any data is read through it."""
    from ventris.classifier import SequenceClassifier

    settings = asdict(learning) | {"checkpoint": checkpoint, "random_state": seed, "verbose": int(not quiet)}
    clf = SequenceClassifier(lm, **settings)
    clf._validate_params()
    return clf


def _known(path: Path | None, lm: NgramModel, read: Data) -> list[Any] | None:
    from ventris.readers import match_labels, read_label_column

    if path is None:
        return None
    codes = match_labels(read_label_column(path), lm.classes, read.sequences.n_points)
    return [lm.classes[code] if code >= 0 else None for code in codes.tolist()]


def _remove(folder: Path) -> None:
    """The checkpoint of a fit that is done; anything else in its folder stays."""
    from json import loads

    from ventris.storage.checkpoint import Checkpoint

    manifest = loads((folder / "manifest.json").read_text(encoding="utf-8"))
    Checkpoint(folder, manifest["fingerprint"]).clear()
    with suppress(OSError):  # not empty: then it is not only ours
        folder.rmdir()
