"""Room 4: printed letters learnt without being told one of them, round by round."""

from __future__ import annotations

import base64
import warnings
from io import BytesIO
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import AfterValidator, BaseModel, Field

from ventris import SequenceClassifier
from ventris.callbacks import Event
from ventris.codes.codebook import Codebook
from ventris.datasets import GlyphData, available_fonts, load_language, make_glyphs
from ventris.errors import Doubt, MissingExtraError, ParameterError
from ventris.evaluation import error_rate
from ventris.inference.score import infer_labels
from ventris.label_model.model import NgramModel
from ventris.storage.json_values import plain
from ventris.web.live import Watched
from ventris.web.room import Answer, Recorded, Room, Task, what_is_missing
from ventris.web.worker import Channel

Array = NDArray[np.floating]
NETWORKS = (("torch", "torch"), ("skorch", "torch"))
_ORDER, _TEXT_ORDER = 3, 4  # of the label model, and of the model that writes the page
_JUDGED = 3000  # glyphs on which the error is measured


def _font_of(name: str) -> str:
    """A font by its name: no file of the server can be named."""
    if name not in available_fonts():
        raise ParameterError(
            "fonts must hold names of fonts",
            f"{name[:60]!r} is none",
            f"Choose among {', '.join(available_fonts())}",
        )
    return name


Font = Annotated[str, AfterValidator(_font_of)]


class Page(BaseModel):
    """What is printed, and how."""

    text: str = Field(default="nobody told it a single letter and yet it reads this line", max_length=300)
    fonts: list[Font] = Field(default=["DejaVuSans"], min_length=1, max_length=6)
    noise: float = Field(default=0.15, ge=0, le=1)
    jitter: float = Field(default=0.5, ge=0, le=2)
    n: int = Field(default=8000, ge=3000, le=40_000)
    seed: int = Field(default=0, ge=0)
    learner: Literal["linear", "cnn"] = "linear"


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
    classifier = _learner_of(page)
    channel.tell("progress", message="Printing the page…")
    length = len(_glyphs(page.text, page).text)
    data = _glyphs(write_page(page.text, page.n, page.seed), page)
    lm = load_language("en", _ORDER)
    watcher = _Watcher(data, length, lm, channel)
    channel.tell("setup", **_printed(watcher.line), letters=list(data.alphabet), glyphs=len(data.y))
    watched = Watched(watcher.show, lambda words: channel.tell("progress", message=words))
    clf = SequenceClassifier(lm, classifier=classifier, random_state=page.seed, n_jobs=1, callbacks=[watched])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Doubt)  # the room shows the errors themselves
        clf.fit(data.X)
    return {"message": "The page is read."}


def _learner_of(page: Page) -> str | None:
    """What `SequenceClassifier` calls it; networks are an extra."""
    missing = what_is_missing(NETWORKS) if page.learner == "cnn" else ""
    if missing:
        raise MissingExtraError("Reading by a network", missing.split("'")[1], "torch")
    return None if page.learner == "linear" else page.learner


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


# --------------------------------------------------------------------------------------------- the room


def presets() -> dict[str, Any]:
    """Fonts a text can be printed in, and what is missing for networks."""
    return {"fonts": list(available_fonts()), "networks": what_is_missing(NETWORKS)}


_PRINTED = Page(n=4000).model_dump(exclude={"noise", "learner"})
_NOISE = [0.15, 0.05, 0.3]  # what the room opens with comes first
_LEARNERS = ["linear"] if what_is_missing(NETWORKS) else ["linear", "cnn"]

ROOM = Room(
    "read",
    "Read",
    answers=(
        Answer("/read/presets", presets, "Fonts to print in, and what networks lack."),
        Answer(
            "/read/preview",
            preview,
            "The text as it would be printed: a strip of letter images.",
            Page,
            pool="previews",
        ),
    ),
    tasks=(
        Task(
            "/read",
            run_reading,
            "Start a job that learns to read the images without a label, round by round.",
            Page,
        ),
    ),
    needs=(("PIL", "web"), ("matplotlib", "web")),
    recorded=(
        Recorded("/read/preview", _PRINTED | {"learner": "linear", "n": 8000}, {"noise": _NOISE}),
        Recorded("/read", _PRINTED, {"noise": _NOISE, "learner": _LEARNERS}),
    ),
    choices={"noise": _NOISE, "learner": _LEARNERS, "n": [4000]},
)
