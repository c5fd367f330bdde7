"""Room 5: files of one's own: what is in them, will it work, learn, look, take home."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, Field

from ventris.callbacks import Callback, Event
from ventris.demos.example_files import write_example_files
from ventris.diagnostics.doctor import diagnose
from ventris.errors import DataError, VentrisError
from ventris.exports.page import page_of
from ventris.label_model import defaults
from ventris.label_model.facts import describe
from ventris.label_model.model import NgramModel
from ventris.readers import (
    Data,
    Layout,
    columns_of,
    is_label_model,
    label_rows,
    read_data,
    read_label_model,
    read_label_sequences,
    read_label_text,
    save_model,
)
from ventris.readers.tables import ENDINGS
from ventris.storage.files import atomic_path
from ventris.web.live import Watched
from ventris.web.room import Recorded, Room, Task
from ventris.web.worker import Channel

LABELS, MODEL, REPORT = "labels.csv", "model.ventris", "report.html"
_COLUMNS = 400  # columns of a table that can be listed and chosen
_NAME = 200  # characters of a column's name
_LABELS = 200  # labels that are listed
_DRAWN = 2000  # points drawn on the plane
_TIMELINE = 6000  # points along the timeline
_SKETCHED = 240  # points whose labels are shown while they are learnt
Id = Annotated[str, Field(max_length=40)]
Name = Annotated[str, Field(max_length=_NAME)]


class Reading(BaseModel):
    """How to read files."""

    order: int = Field(default=defaults.ORDER, ge=1, le=5)
    characters: bool = Field(default=False, description="each character of a data text is a symbol")
    label_characters: bool = Field(default=False, description="each character of a label text is a label")
    columns: list[Name] = Field(
        default=[], max_length=_COLUMNS, description="features of a table; all if empty"
    )
    sequence: Name | None = Field(default=None, description='the column that groups rows; "" for none')
    label: Name | None = Field(default=None, description="the column that holds labels, never a feature")


class Files(Reading):
    """Ids of two files, and how to read them."""

    data: Id
    labels: Id


class Fitting(Files):
    """The same, and how to learn."""

    seed: int = Field(default=0, ge=0)
    n_init: int | None = Field(default=None, ge=1, le=500)


class Example(BaseModel):
    """How to learn from the example's files."""

    n: int = Field(default=3000, ge=1000, le=12_000)
    order: int = Field(default=defaults.ORDER, ge=2, le=4)
    seed: int = Field(default=0, ge=0)


class Inspection(Reading):
    """One file to look into."""

    data: Id | None = None
    labels: Id | None = None


def run_inspection(request: dict[str, Any], channel: Channel) -> dict[str, Any]:
    """The task "inspect": what a file holds, or the sentence that says why it cannot be used."""
    found: dict[str, Any] = {}
    with names_only(request):
        if request.get("data"):
            found |= _columns(request, channel)
            found["data"] = _summary(_data(request))
        if request.get("labels"):
            facts = describe(_label_model(request), top=6).to_dict()
            found["labels"] = {
                "classes": [short(label) for label in facts["classes"][:_LABELS]],
                "n_classes": len(facts["classes"]),
                "verdict": facts["identifiability"]["verdict"],
            }
    return found


def _columns(request: dict[str, Any], channel: Channel) -> dict[str, Any]:
    """Columns of a table with their roles: told before it is read, which may fail for want of a choice."""
    if Path(request["data"]).suffix.lower() not in ENDINGS:
        return {}
    listed = columns_of(request["data"], _layout(request))
    shown = [
        {"name": column.name, "role": column.role, "numeric": column.numeric,
         "begins": [short(value, 24) for value in column.begins]}
        for column in listed[:_COLUMNS]
    ]  # fmt: skip
    if any(len(column.name) > _NAME for column in listed):
        raise DataError(
            f"A column's name may have {_NAME} characters", "one has more", "Shorten it, or use ventris fit"
        )
    told = {"columns": shown, "n_columns": len(listed)}
    channel.tell("columns", **told)
    if not request.get("columns") and len(listed) <= _COLUMNS:
        request["columns"] = [column.name for column in listed if column.role == "feature"]
    return told


def short(value: Any, most: int = 60) -> str:
    """As much of a name as a page can show.

    Examples
    --------
    >>> short("a" * 100, 5), short("walk")
    ('aaaaa…', 'walk')
    """
    text = str(value)
    return text if len(text) <= most else f"{text[:most]}…"


def _summary(read: Data) -> dict[str, Any]:
    X, kind = read.sequences, read.schema.kind
    found = {
        "points": X.n_points,
        "sequences": len(X),
        "kind": kind,
        "notes": [short(n, 200) for n in X.notes],
    }
    if kind == "symbols":
        return found | {"symbols": len(read.schema.symbols) or int(X.data.max()) + 1}
    return found | {"features": X.data.shape[1], "size": list(read.schema.size)}


def run_doctor(request: dict[str, Any], channel: Channel) -> dict[str, Any]:
    """The task "doctor": a verdict and its reasons, before any training."""
    with names_only(request):
        channel.tell("progress", message="Reading the files…")
        lm, read = _label_model(request), _data(request)
        channel.tell("progress", message="Looking at the order of time…")
        found = diagnose(read.sequences, lm, order=min(2, lm.order), random_state=0)
    return found.to_dict()


def run_fit(request: dict[str, Any], channel: Channel) -> dict[str, Any]:
    """The task "fit": a classifier, its report, pictures of the points, and three files to take home."""
    from ventris.classifier import SequenceClassifier

    folder, seed = Path(request["folder"]), int(request.get("seed") or 0)
    with names_only(request):
        channel.tell("progress", message="Reading the files…", done=0, total=1)
        lm, read = _label_model(request), _data(request)
        watchers = [ToldProgress(channel), Watched(_Sketch(read, channel).show)]
        clf = SequenceClassifier(
            lm, n_init=request.get("n_init"), random_state=seed, n_jobs=1, callbacks=watchers
        )
        clf.fit(read.sequences)
        channel.tell("progress", message="Writing labels, model and report…", done=1, total=1)
        alone, decoded = clf.predict(read.sequences), clf.decode(read.sequences)
        sure = clf.decode_proba(read.sequences).max(axis=1)
        write_labels(folder / LABELS, read, alone, decoded, sure)
        save_model(clf, folder / MODEL, read.schema, force=True)
        with atomic_path(folder / REPORT) as temporary:
            temporary.write_text(page_of(clf, {"data": Path(request["data"]).name, "seed": seed}), "utf-8")
    number = {label: k for k, label in enumerate(clf.classes_.tolist())}
    codes = np.array([number[label] for label in decoded.tolist()])
    return {
        "answer": clf.report_.in_words(),
        "rows": [[name, short(text, 2000)] for name, text in clf.report_.rows()],
        "warnings": clf.report_.warnings,
        "remarks": clf.report_.remarks,
        "usage": clf.report_.usage if len(clf.classes_) <= _LABELS else {},
        "classes": [short(label) for label in clf.classes_[:_LABELS]],
        "n_classes": len(clf.classes_),
        "history": clf.history_,
        "plane": plane(read, codes, sure),
        "timeline": timeline(read, codes, sure),
        "files": [LABELS, MODEL, REPORT],
    }


class _Sketch:
    """The labels of the first points at every moment of a fit: colours that settle."""

    def __init__(self, read: Data, channel: Channel) -> None:
        self.X, self.channel = np.asarray(read.sequences.data[:_SKETCHED]), channel

    def show(self, number: int, event: Event) -> None:
        assert event.predict is not None
        self.channel.turn()
        labels = event.predict(self.X).argmax(axis=1)
        self.channel.tell("frame", step=number, note=event.words, labels=labels)


def run_example(request: dict[str, Any], channel: Channel) -> dict[str, Any]:
    """The task "example": the same with files of our own, a machine's sensors and its log book."""
    asked, folder = Example.model_validate(request), Path(request["folder"])
    points, _, _, labels = write_example_files(folder / "example", n_samples=asked.n, force=True)
    given = {"data": str(points), "labels": str(labels), "order": asked.order, "seed": asked.seed}
    return run_fit(given | {"folder": str(folder)}, channel)


def plane(read: Data, codes: NDArray, sure: NDArray) -> dict[str, Any] | None:
    """The points on their first two principal components, with their labels and how sure these are."""
    X = read.sequences.data
    if read.schema.kind == "symbols" or X.shape[1] < 2 or len(X) < 3:
        return None
    chosen = np.linspace(0, len(X) - 1, min(len(X), _DRAWN)).astype(int)
    points = np.asarray(X[chosen], dtype=float)
    points -= points.mean(axis=0)
    _, spread, axes = np.linalg.svd(points, full_matrices=False)
    share = spread**2 / max(float(np.sum(spread**2)), 1e-300)
    return {
        "xy": np.round(points @ axes[:2].T, 4),
        "label": codes[chosen],
        "sure": np.round(sure[chosen], 3),
        "share": share[:2],
        "of": len(X),
    }


def timeline(read: Data, codes: NDArray, sure: NDArray) -> dict[str, Any]:
    """The decoded labels along the first points: where each run of one label begins, how sure it is."""
    n = min(len(codes), _TIMELINE)
    starts = np.concatenate([[0], np.cumsum(read.sequences.lengths)])
    new = np.zeros(n, dtype=bool)
    new[starts[starts < n]] = True
    new[1:] |= codes[1:n] != codes[: n - 1]
    begins = np.flatnonzero(new)
    ends = np.append(begins[1:], n)
    certain = [float(sure[a:b].mean()) for a, b in zip(begins, ends, strict=True)]
    return {
        "begins": begins,
        "ends": ends,
        "label": codes[begins],
        "sure": np.round(certain, 3),
        "sequences": starts[(starts > 0) & (starts < n)],
        "n": n,
        "of": len(codes),
    }


def write_labels(path: Path, read: Data, alone: NDArray, decoded: NDArray, sure: NDArray) -> None:
    """One row a point: its sequence, its label in the sequence, how sure that is, and its label alone."""
    more = [("probability", sure, ".4f"), ("label_alone", alone, "")]
    with atomic_path(path) as temporary, temporary.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(label_rows(read, decoded, more))


# -------------------------------------------------------------------------------------------- the files


def _layout(request: dict[str, Any]) -> Layout:
    return Layout(tuple(request.get("columns") or ()), request.get("sequence"), request.get("label"))


def _data(request: dict[str, Any]) -> Data:
    return read_data(request["data"], layout=_layout(request), characters=bool(request.get("characters")))


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
        self.channel.turn()
        told = {"done": event.done, "total": event.total, "excess_cost": event.excess_cost}
        self.channel.tell("progress", message=event.step, **told)

    on_fit_begin = on_step_end = on_start = on_round = on_step_begin


# --------------------------------------------------------------------------------------------- the room

_FILES = ("data", "labels")
_CHOICES: dict[str, Sequence[Any]] = {"order": [3, 2], "seed": [0, 1]}

ROOM = Room(
    "data",
    "Your data",
    tasks=(
        Task(
            "/own/inspect",
            run_inspection,
            "Start a job that says what a file holds, or why it cannot be used.",
            Inspection,
            _FILES,
        ),
        Task(
            "/own/doctor",
            run_doctor,
            "Start a job that says whether this data can be learnt with this label model.",
            Files,
            _FILES,
        ),
        Task(
            "/own/fit",
            run_fit,
            "Start a job that learns; its files are labels.csv, model.ventris and report.html.",
            Fitting,
            _FILES,
        ),
        Task("/own/example", run_example, "Start a job that learns from files of our own.", Example),
    ),
    recorded=(Recorded("/own/example", {"n": 3000}, _CHOICES),),
    choices=_CHOICES,
)
