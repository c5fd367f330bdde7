"""Room 6: a text full of slips, mended by what the text itself teaches about them, and its keyboard.

It is there where `ventris.spelling` is.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Annotated, Any

from pydantic import BaseModel, Field

from ventris.callbacks import Callback, Event
from ventris.web.room import Recorded, Room, Task
from ventris.web.worker import Channel

LONGEST = 20_000  # characters
_SHOWN = 400  # changes listed
TEXT = (
    "It wss the besr of times, it was thr worst of timrs, it was the age of wisdpm, it was the age of "
    "foolishnesd, it was the epoch of bekief, it was thw epoch of incredulity, it wss the season of Light, "
    "it was the seaspn of Darkness, it was the sprimg of hope, it was the winter of despsir, we had "
    "everythimg before us, we had nothinv before us, we were all goimg direct to Heavem, we were all "
    "goinh direct the other way."
)


class Slips(BaseModel):
    """A text, its language, and how sure a change must be."""

    text: Annotated[str, Field(min_length=1, max_length=LONGEST)] = TEXT
    language: str = Field(default="en", max_length=10)
    threshold: float = Field(default=0.5, ge=0.05, le=0.99)


class _Heard(Callback):
    """Says what is being learnt."""

    def __init__(self, channel: Channel) -> None:
        self.channel = channel

    def on_step_end(self, event: Event) -> None:
        """A round of learning, or a stretch of reading, has ended."""
        self.channel.turn()
        self.channel.tell("progress", message=event.words or event.step)


def run_mending(request: dict[str, Any], channel: Channel) -> dict[str, Any]:
    """The task "correct": slips mended one by one, and the noise that was learnt."""
    correct = import_module("ventris.spelling.correct").correct
    keyboard = import_module("ventris.spelling.keyboard")
    asked = Slips.model_validate(request)
    channel.tell("progress", message="Reading the text, and learning how it goes wrong…")
    found = correct(asked.text, asked.language, threshold=asked.threshold, callbacks=[_Heard(channel)])
    changes = [vars(change) for change in found.changes[:_SHOWN]]
    channel.tell("setup", original=found.original, changes=changes)
    for number in range(len(changes) + 1):
        channel.tell("frame", mended=number)
    return {
        "text": found.text,
        "n_changes": len(found.changes),
        "confidence": found.confidence,
        "doubts": list(found.doubts),
        "rates": found.channel.rates,
        "places": keyboard.places(found.channel.alphabet[:-1]),
        "arrows": [list(arrow) for arrow in keyboard.arrows(found.channel)],
    }


def is_there() -> bool:
    """Whether the library can mend texts."""
    return find_spec("ventris.spelling") is not None and find_spec("ventris.spelling.correct") is not None


ROOM = Room(
    "spelling",
    "Spelling",
    tasks=(Task("/correct", run_mending, "Start a job that mends the slips of a text.", Slips),),
    recorded=(Recorded("/correct", {"text": TEXT, "language": "en"}, {"threshold": [0.5, 0.9]}),),
    choices={"threshold": [0.5, 0.9]},
)
