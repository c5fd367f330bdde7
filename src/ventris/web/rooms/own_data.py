"""Room 5: files of one's own: what is in them, will it work, learn, look, take home."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from numpy.typing import NDArray
from pydantic import BaseModel, Field

from ventris.callbacks import Callback, Event
from ventris.diagnostics.doctor import diagnose
from ventris.errors import VentrisError
from ventris.label_model import defaults
from ventris.label_model.facts import describe
from ventris.label_model.model import NgramModel
from ventris.readers import (
    Data,
    is_label_model,
    label_rows,
    read_data,
    read_label_model,
    read_label_sequences,
    read_label_text,
    save_model,
)
from ventris.storage.files import atomic_path
from ventris.web.worker import Channel

LABELS, MODEL = "labels.csv", "model.ventris"
_SAMPLE = 300  # labels shown


class Files(BaseModel):
    """Ids of two files, and how to read them."""

    data: str
    labels: str
    order: int = Field(default=defaults.ORDER, ge=1, le=5)
    characters: bool = Field(default=False, description="each character of a data text is a symbol")
    label_characters: bool = Field(default=False, description="each character of a label text is a label")


class Fitting(Files):
    """The same, and how to learn."""

    seed: int = 0
    n_init: int | None = Field(default=None, ge=1, le=500)


class Inspection(BaseModel):
    """One file to look into."""

    data: str | None = None
    labels: str | None = None
    order: int = Field(default=defaults.ORDER, ge=1, le=5)
    characters: bool = False
    label_characters: bool = False


def run_inspection(request: dict[str, Any], channel: Channel) -> dict[str, Any]:
    """The task "inspect": what a file holds, or the sentence that says why it cannot be used."""
    found: dict[str, Any] = {}
    with names_only(request):
        if request.get("data"):
            found["data"] = _summary(_data(request))
        if request.get("labels"):
            found["labels"] = describe(_label_model(request), top=6).to_dict()
    return found


def _summary(read: Data) -> dict[str, Any]:
    X, kind = read.sequences, read.schema.kind
    found = {"points": X.n_points, "sequences": len(X), "kind": kind}
    if kind == "symbols":
        return found | {"symbols": len(read.schema.symbols) or int(X.data.max()) + 1}
    return found | {"features": X.data.shape[1], "columns": list(read.schema.columns[:12])}


def run_doctor(request: dict[str, Any], channel: Channel) -> dict[str, Any]:
    """The task "doctor": a verdict and its reasons, before any training."""
    with names_only(request):
        channel.tell("progress", message="Reading the files…")
        lm, read = _label_model(request), _data(request)
        channel.tell("progress", message="Looking at the order of time…")
        found = diagnose(read.sequences, lm, order=min(2, lm.order), random_state=0)
    return found.to_dict()


def run_fit(request: dict[str, Any], channel: Channel) -> dict[str, Any]:
    """The task "fit": a classifier, its report, a sample of labels, and both files to take home."""
    from ventris.classifier import SequenceClassifier

    asked, folder = Fitting.model_validate(request), Path(request["folder"])
    with names_only(request):
        channel.tell("progress", message="Reading the files…", done=0, total=1)
        lm, read = _label_model(request), _data(request)
        told = ToldProgress(channel)
        clf = SequenceClassifier(lm, n_init=asked.n_init, random_state=asked.seed, n_jobs=1, callbacks=[told])
        clf.fit(read.sequences)
        channel.tell("progress", message="Writing labels and model…", done=1, total=1)
        alone, decoded = clf.predict(read.sequences), clf.decode(read.sequences)
        sure = clf.decode_proba(read.sequences).max(axis=1)
        write_labels(folder / LABELS, read, alone, decoded, sure)
        save_model(clf, folder / MODEL, read.schema, force=True)
    return {
        "answer": clf.report_.in_words(),
        "rows": [list(row) for row in clf.report_.rows()],
        "warnings": clf.report_.warnings,
        "remarks": clf.report_.remarks,
        "usage": clf.report_.usage,
        "classes": [str(label) for label in clf.classes_],
        "history": clf.history_,
        "sample": [str(label) for label in decoded[:_SAMPLE].tolist()],
        "alone": [str(label) for label in alone[:_SAMPLE].tolist()],
        "sure": sure[:_SAMPLE],
        "files": [LABELS, MODEL],
    }


def write_labels(path: Path, read: Data, alone: NDArray, decoded: NDArray, sure: NDArray) -> None:
    """One row a point: its sequence, its label in the sequence, how sure that is, and its label alone."""
    more = [("probability", sure, ".4f"), ("label_alone", alone, "")]
    with atomic_path(path) as temporary, temporary.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(label_rows(read, decoded, more))


# -------------------------------------------------------------------------------------------- the files


def _data(request: dict[str, Any]) -> Data:
    return read_data(request["data"], characters=bool(request.get("characters")))


def _label_model(request: dict[str, Any]) -> NgramModel:
    """An ARPA file, a matrix or a graph as it is; a text of labels is counted."""
    path, order = Path(request["labels"]), int(request.get("order") or defaults.ORDER)
    if not request.get("label_characters") and is_label_model(path):
        return read_label_model(path)
    if request.get("label_characters"):
        text = read_label_text(path)
        return NgramModel.from_text(text, order, alphabet="".join(sorted({*text} - {"\n"})))
    return NgramModel.from_sequences(read_label_sequences(path), order)


@contextmanager
def names_only(request: dict[str, Any]) -> Iterator[None]:
    """Errors name a file as its owner does, not where the server keeps it."""
    try:
        yield
    except VentrisError as problem:
        folders = [f"{Path(request[role]).parent}/" for role in ("data", "labels") if request.get(role)]
        parts = [problem.expected, problem.got, problem.remedy]
        for folder in folders:
            parts = [part.replace(folder, "") for part in parts]
        raise VentrisError(*parts) from problem


# ------------------------------------------------------------------------------------------ the progress


class ToldProgress(Callback):
    """Progress as events of the page."""

    def __init__(self, channel: Channel) -> None:
        self.channel = channel

    def on_step_begin(self, event: Event) -> None:
        """What is being done now, how far it has come, and the least J − H so far."""
        told = {"done": event.done, "total": event.total, "excess_cost": event.excess_cost}
        self.channel.tell("progress", message=event.step, **told)

    on_fit_begin = on_step_end = on_start = on_round = on_step_begin
