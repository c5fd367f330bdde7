"""A page to send: the rooms with recorded runs, as files that any host serves and a disk opens."""

from __future__ import annotations

import base64
import gzip
import json
import os
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import ventris
from ventris.errors import ParameterError
from ventris.storage.files import atomic_path, make_folder
from ventris.storage.json_values import SHORT, plain
from ventris.web.app import STATIC, plotly_script
from ventris.web.bundle import bundle
from ventris.web.room import Answer, Recorded, Room, Task
from ventris.web.rooms import ROOMS

_FRAMES = 120  # pictures kept of a run
_DIGITS = 6  # of numbers in a question: rates are powers of ten, which two languages may round otherwise
Said = Callable[[str], None]


class Recorder:
    """A channel that writes down what a task tells."""

    def __init__(self) -> None:
        self.events: list[tuple[str, Any]] = []

    def tell(self, kind: str, /, **data: Any) -> None:
        """Take an event down."""
        self.events.append((kind, plain(data, SHORT)))

    def turn(self) -> None:
        """Nobody stops a recording."""

    def film(self) -> list[tuple[str, Any]]:
        """The events, of many pictures every second or third, the first and the last among them."""
        frames = [k for k, (kind, _) in enumerate(self.events) if kind == "frame"]
        thinned = {frames[round(k * (len(frames) - 1) / (_FRAMES - 1))] for k in range(_FRAMES)} if (
            len(frames) > _FRAMES
        ) else set(frames)  # fmt: skip
        return [event for k, event in enumerate(self.events) if event[0] != "frame" or k in thinned]


def export_studio(
    folder: str | os.PathLike[str], *, force: bool = False, few: bool = False, say: Said = lambda words: None
) -> Path:
    """Write the page, and give its folder.

    Parameters
    ----------
    folder : path
        Made if it is not there.
    force : bool, default False
        Whether a page that is there may be replaced.
    few : bool, default False
        Whether to record one run a room only.
    say : callable
        Told what is being recorded.
    """
    site = make_folder(folder)
    if any(site.iterdir()) and not force:
        raise ParameterError(
            f"{site} must be empty",
            "there is something in it",
            "Choose another, or allow overwriting (--force)",
        )
    rooms = [room for room in ROOMS if not room.missing]
    made = {f"recorded/{room.name}.js": _packed(room, few, say).encode("ascii") for room in rooms}
    made |= _page(rooms, few)
    make_folder(site / "recorded")  # nothing is written before all is recorded
    for name, content in made.items():
        with atomic_path(site / name) as temporary:
            temporary.write_bytes(content)
    return site


# ------------------------------------------------------------------------------------------ recording


def _packed(room: Room, few: bool, say: Said) -> str:
    """A room's records as a script: a disk gives pages scripts, but no data."""
    text = json.dumps(records(room, few, say), ensure_ascii=False, separators=(",", ":"))
    packed = base64.b64encode(gzip.compress(text.encode(), 9, mtime=0)).decode()
    return f'(window.VENTRIS_RECORDS ||= {{}}).{room.name} = "{packed}";\n'


def records(room: Room, few: bool = False, say: Said = lambda words: None) -> dict[str, Any]:
    """Every recorded question of a room, by its key, and the answer."""
    found: dict[str, Any] = {}
    for answer in room.answers:
        if answer.question is None:
            found[key_of(answer.path, None)] = plain(answer.answer(), SHORT)
    asked = {each.path: each for each in _asked(room)}
    for recorded in room.recorded:
        for question in _questions(recorded, few):
            key = key_of(recorded.path, question)
            if key not in found:
                say(f"{room.title}: {_in_words(recorded, question)}")
                found[key] = _recorded(asked[recorded.path], question)
    return found


def _asked(room: Room) -> list[Answer | Task]:
    return [*room.answers, *room.tasks]


def _questions(recorded: Recorded, few: bool) -> Iterable[dict[str, Any]]:
    every = list(recorded.questions())
    return every[:1] if few else every


def _in_words(recorded: Recorded, question: dict[str, Any]) -> str:
    varied = [name for names in recorded.varied for name in names.split(",")]
    return ", ".join(f"{name} {str(question[name])[:40]}" for name in varied)


def _recorded(asked: Answer | Task, question: dict[str, Any]) -> Any:
    if isinstance(asked, Answer):
        assert asked.question is not None
        return plain(asked.answer(asked.question.model_validate(question)), SHORT)
    recorder = Recorder()
    with tempfile.TemporaryDirectory() as folder:
        request = asked.question.model_validate(question).model_dump() | {"folder": folder}
        result = asked.run(request, recorder)
    recorder.tell("done", **result)
    return {"id": "recorded", "events": recorder.film()}


def key_of(path: str, question: dict[str, Any] | None) -> str:
    """What a question is filed under; `recorded.js` writes the same.

    Examples
    --------
    >>> key_of("/two", {"n": 600, "lr": 10**-1.3, "on": True}), key_of("/two/presets", None)
    ('/two [["lr",0.0501187],["n",600],["on",true]]', '/two/presets')
    """
    if question is None:
        return path
    pairs = [[name, _rounded(question[name])] for name in sorted(question)]
    return f"{path} {json.dumps(pairs, ensure_ascii=False, separators=(',', ':'))}"


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        short = float(f"{value:.{_DIGITS}g}")
        return int(short) if short == int(short) else short
    return [_rounded(part) for part in value] if isinstance(value, list | tuple) else value


# -------------------------------------------------------------------------------------------- the page


def _page(rooms: list[Room], few: bool) -> dict[str, bytes]:
    """Files around the records, by name."""
    paths = {each.path: room.name for room in rooms for each in _asked(room)}
    about = {
        "version": ventris.__version__,
        "rooms": [room.listed for room in rooms],
        "choices": {room.name: _choices(room, few) for room in rooms},
        "paths": paths,
    }
    page = (STATIC / "recorded.html").read_text(encoding="utf-8")
    return {
        "about.js": f"window.VENTRIS_RECORDED = {json.dumps(about, separators=(',', ':'))};\n".encode(
            "ascii"
        ),
        "app.js": bundle(STATIC, "app.js").encode(),
        **{name: (STATIC / name).read_bytes() for name in ("style.css", "icon.svg", "theme.js")},
        "plotly.min.js": plotly_script().read_bytes(),
        "index.html": page.replace("{version}", ventris.__version__).encode(),
    }


def _choices(room: Room, few: bool) -> dict[str, list[Any]]:
    choices = {name: list(values) for name, values in (room.choices or {}).items()}
    return {name: values[:1] for name, values in choices.items()} if few else choices
