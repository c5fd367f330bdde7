"""Room 4: printed letters learnt without being told one of them, round by round."""

from __future__ import annotations

import base64
import warnings
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, Field

from ventris import SequenceClassifier
from ventris.callbacks import Event
from ventris.codes.codebook import Codebook
from ventris.datasets import GlyphData, available_fonts, load_language, make_glyphs
from ventris.errors import Doubt
from ventris.evaluation import error_rate
from ventris.inference.score import infer_labels
from ventris.label_model.model import NgramModel
from ventris.storage.json_values import plain
from ventris.web.live import Watched
from ventris.web.worker import Channel

__all__ = ["Page", "available_fonts", "preview", "run_reading"]

Array = NDArray[np.floating]
_ORDER, _TEXT_ORDER = 3, 4  # of the label model, and of the model that writes the page
_JUDGED = 3000  # glyphs on which the error is measured
_PACE = 0.25  # seconds a picture stays


class Page(BaseModel):
    """What is printed, and how."""

    text: str = Field(default="nobody told it a single letter and yet it reads this line", max_length=300)
    fonts: list[str] = Field(default=["DejaVuSans"], min_length=1, max_length=6)
    noise: float = Field(default=0.15, ge=0, le=1)
    jitter: float = Field(default=0.5, ge=0, le=2)
    n: int = Field(default=8000, ge=3000, le=40_000)
    seed: int = Field(default=0, ge=0)


def preview(page: Page) -> dict[str, Any]:
    """The line as it would be printed."""
    return _printed(_glyphs(page.text, page))


def _glyphs(text: str, page: Page) -> GlyphData:
    return make_glyphs(text, fonts=page.fonts, noise=page.noise, jitter=page.jitter, random_state=page.seed)


def _printed(line: GlyphData) -> dict[str, Any]:
    return {"image": picture(line.image()), "text": line.text, "n": len(line.text)}


def picture(ink: Array) -> str:
    """Ink on paper as a PNG inside an address."""
    from PIL import Image

    grey = (255 * (1 - np.clip(ink, 0, 1))).astype(np.uint8)
    file = BytesIO()
    Image.fromarray(grey).save(file, "PNG", optimize=True)
    return "data:image/png;base64," + base64.b64encode(file.getvalue()).decode()


def write_page(text: str, n: int, seed: int) -> str:
    """About `n` letters of something like English, drawn letter by letter, and then the text."""
    english = load_language("en", _TEXT_ORDER)
    return "".join(np.array(english.classes)[english.sample(n, seed)]) + " " + text


# ---------------------------------------------------------------------------------------------- the job


def run_reading(request: dict[str, Any], channel: Channel) -> dict[str, Any]:
    """The task "read": a page is printed, and learnt; each frame is a reading of its last line."""
    page = Page.model_validate(request)
    channel.tell("progress", message="Printing the page…")
    length = len(_glyphs(page.text, page).text)
    data = _glyphs(write_page(page.text, page.n, page.seed), page)
    lm = load_language("en", _ORDER)
    watcher = _Watcher(data, length, lm, channel)
    channel.tell("setup", **_printed(watcher.line), letters=list(data.alphabet), glyphs=len(data.y))
    channel.pace = _PACE
    watched = Watched(watcher.show, lambda words: channel.tell("progress", message=words))
    clf = SequenceClassifier(lm, random_state=page.seed, n_jobs=1, callbacks=[watched])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Doubt)  # the room shows the errors themselves
        clf.fit(data.X)
    return {"message": "The page is read."}


class _Watcher:
    """What the page shows of each frame; true letters are for these pictures alone."""

    def __init__(self, data: GlyphData, length: int, lm: NgramModel, channel: Channel) -> None:
        self.data, self.lm, self.channel = data, lm, channel
        self.line = data.part(len(data.y) - length, len(data.y))
        self.judged = data.part(0, _JUDGED)
        self.codebook: Codebook | None = None
        self.codes: NDArray = np.zeros(0, dtype=int)
        self.places: NDArray = np.zeros(0, dtype=int)

    def show(self, number: int, event: Event) -> None:
        assert event.predict is not None
        outputs = event.predict(self.line.X)
        labels, _ = infer_labels(outputs, np.array([len(outputs)]), self.lm, _ORDER, n_jobs=1)
        everywhere = event.predict(self.judged.X)
        if event.codebook is not None and event.codebook is not self.codebook:
            self._take(event.codebook)
        self.channel.tell(
            "frame",
            step=number,
            note=event.words,
            alone=self._spelt(outputs),
            decoded=self._spelt(labels),
            error=error_rate(self.judged.y, everywhere.argmax(axis=1)),
            table=plain(np.round(self._table(everywhere), 2)),
        )
        self.channel.turn()

    def _spelt(self, outputs: Array) -> str:
        return "".join(self.data.alphabet[k] for k in outputs.argmax(axis=1))

    def _take(self, codebook: Codebook) -> None:
        """A new codebook: its codes are put in the order of the letter most of their glyphs show."""
        self.codebook, self.codes = codebook, codebook.codes(self.judged.X)
        counts = np.zeros((codebook.size, len(self.data.alphabet)))
        np.add.at(counts, (self.codes, self.judged.y), 1)
        self.places = np.lexsort((-counts.max(axis=1), counts.argmax(axis=1)))

    def _table(self, outputs: Array) -> Array:
        """Mean output of each code's glyphs: shape (letters, codes), codes in their order."""
        assert self.codebook is not None
        sums = np.zeros((self.codebook.size, outputs.shape[1]))
        np.add.at(sums, self.codes, outputs)
        seen = np.bincount(self.codes, minlength=self.codebook.size)
        return (sums / np.maximum(seen, 1)[:, None])[self.places].T
