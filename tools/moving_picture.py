"""Draw the README's moving picture: letter images nobody named become a text while a classifier is learnt.

    python tools/moving_picture.py [docs/images/reading.gif]

The images are cut from a page of print with noise; the only thing known is how English letters follow one
another. Each frame is what would be read at that moment of one fit, as a callback is told it.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from PIL import Image

import ventris as vt
from ventris.callbacks import Callback, Event

PICTURE = Path(__file__).parents[1] / "docs" / "images" / "reading.gif"
SHOWN = ("nobody told it what a letter is", "or which of these signs is an e", "it was only told how letters",
         "follow one another in english")  # fmt: skip
N_LETTERS = 12_000
SECONDS = 0.9  # a frame; the last stays longer
COLOURS = {"right": "#1f2430", "wrong": "#d1435b", "quiet": "#8a91a3"}
WORDS = {
    "decipher": "codes are a cipher: their pairs give the key",
    "distil": "a classifier learns from what was read",
}


@dataclass
class Watch(Callback):
    """What the shown letters are read as, whenever that has changed."""

    X: np.ndarray
    letters: np.ndarray
    moments: list[tuple[str, np.ndarray]] = field(default_factory=list)

    def keep(self, event: Event, words: str) -> None:
        if event.predict is None:
            return
        if event.codebook is not None and not self.moments:
            self.moments.append(("images that look alike get one code", event.codebook.codes(self.X)))
        read = self.letters[event.predict(self.X).argmax(axis=1)]
        if np.any(read != self.moments[-1][1]):
            self.moments.append((words, read))

    def on_step_end(self, event: Event) -> None:
        self.keep(event, WORDS.get(event.step, f"step: {event.step}"))

    def on_round(self, event: Event) -> None:
        self.keep(event, f"reading and learning, round {event.number}")


def watch_a_fit() -> tuple[vt.datasets.GlyphData, list[tuple[str, np.ndarray]]]:
    """The page, and every moment of one fit at which its first lines were read differently."""
    lm = vt.datasets.load_language("en", order=3)
    filler = "".join(lm.alphabet.decode(lm.sample(N_LETTERS, random_state=0)))
    page = vt.datasets.make_glyphs(f"{' '.join(SHOWN)} {filler}", noise=0.3, random_state=0)
    n_shown = len(" ".join(SHOWN))
    watch = Watch(page.X[:n_shown], np.array(lm.classes))
    clf = vt.SequenceClassifier(lm, random_state=0, callbacks=[watch]).fit(page.X)
    watch.moments.append(("read in sequence, with no label ever seen", clf.decode(page.X[:n_shown])))
    return page, watch.moments


def frame(page: vt.datasets.GlyphData, words: str, read: np.ndarray) -> Image.Image:
    """One moment: each line as it is printed, and below it as it is read; before that, its codes."""
    figure, lines = plt.subplots(len(SHOWN), 1, figsize=(8, 3.6), dpi=100)
    figure.subplots_adjust(left=0.02, right=0.98, top=0.87, bottom=0.02, hspace=0.1)
    are_codes, true = read.dtype.kind == "i", np.array(list(page.text[: len(read)]))
    figure.text(0.02, 0.93, words, fontsize=12, color=COLOURS["right"])
    if not are_codes:
        share = f"{100 * np.mean(read != true):.0f} % wrong"
        figure.text(0.98, 0.93, share, fontsize=12, ha="right", color=COLOURS["wrong"])
    start, width = 0, max(map(len, SHOWN)) * page.size
    for axes, line in zip(lines, SHOWN, strict=True):
        stop = start + len(line)
        axes.imshow(page.image(start, stop), cmap="Greys", vmin=0, vmax=1.4)
        axes.set(xlim=(0, width), ylim=(2.4 * page.size, 0))
        axes.axis("off")
        for k in range(start, stop):
            colour = COLOURS["quiet" if are_codes else "right" if read[k] == true[k] else "wrong"]
            style = {"fontsize": 6} if are_codes else {"fontsize": 12, "family": "monospace"}
            place = ((k - start + 0.5) * page.size, 1.75 * page.size)
            axes.text(*place, read[k], color=colour, ha="center", va="center", **style)
        start = stop + 1
    figure.canvas.draw()
    image = Image.frombuffer("RGBA", figure.canvas.get_width_height(), figure.canvas.buffer_rgba())
    plt.close(figure)
    return image.convert("RGB").quantize(palette=_palette(), dither=Image.Dither.NONE)


def _palette() -> Image.Image:
    """White to each of the colours in eight steps: what few pixels have is not lost to what many have."""
    ramps = [np.linspace([1, 1, 1], plt.matplotlib.colors.to_rgb(each), 8) for each in COLOURS.values()]
    palette = Image.new("P", (1, 1))
    palette.putpalette((255 * np.concatenate(ramps)).astype(np.uint8).tobytes())
    return palette


def main(path: Path) -> None:
    plt.switch_backend("agg")
    page, moments = watch_a_fit()
    images = [frame(page, words, read) for words, read in moments]
    durations = [2000, *[int(1000 * SECONDS)] * (len(images) - 2), 4000]
    images[0].save(path, save_all=True, append_images=images[1:], duration=durations, loop=0, optimize=True)
    print(f"{len(images)} frames, {path.stat().st_size / 1000:.0f} kB: {path}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else PICTURE)
