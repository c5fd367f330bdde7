"""What correcting gives: the text, every change with its probability, and the noise that was learnt."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ventris.spelling.channel import Channel
from ventris.spelling.mending import Change

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Correction:
    """A corrected text.

    Attributes
    ----------
    text : str
    changes : tuple of Change
        In the order of the text: `start`, `before`, `after`, `probability`.
    channel : Channel
        The noise, learnt or given: `rates`, `confusions()`, `figure()`, `save(path)`.
    confidence : float
        Share of letters and spaces expected to be right now.
    language : str
    original : str
        The text as it was written.
    doubts : tuple of str
        Why nothing was changed, or should be looked at twice.

    Examples
    --------
    >>> import ventris as vt
    >>> fixed = vt.correct("I saw thr old man and thr sea, and thr boat wss gone; he asked me fot the nrws.")
    >>> fixed.changes[0].before, fixed.changes[0].after
    ('thr', 'the')
    """

    text: str
    changes: tuple[Change, ...]
    channel: Channel
    confidence: float
    language: str
    original: str = field(repr=False)
    doubts: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.text

    def diff(self, name: str = "text") -> str:
        """The changes as a unified diff.

        Parameters
        ----------
        name : str, default "text"
            What the text is called in the diff's first two lines.

        Returns
        -------
        str

        Examples
        --------
        >>> import ventris as vt
        >>> print(vt.correct("I saw thr old man and thr sea\\n").diff("letter"), end="")
        --- letter
        +++ letter, corrected
        @@ -1 +1 @@
        -I saw thr old man and thr sea
        +I saw the old man and the sea
        """
        before, after = (text.splitlines(keepends=True) for text in (self.original, self.text))
        lines = difflib.unified_diff(before, after, name, f"{name}, corrected", n=0)
        return "".join(
            line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
        )

    def as_dict(self) -> dict[str, Any]:
        """Everything, ready for JSON."""
        changes = [vars(change) | {"probability": round(change.probability, 4)} for change in self.changes]
        return {
            "text": self.text,
            "language": self.language,
            "confidence": round(self.confidence, 4),
            "changes": changes,
            "channel": self.channel.as_dict(),
            "doubts": list(self.doubts),
        }

    def figure(self) -> Figure:
        """The learnt confusions on a keyboard."""
        return self.channel.figure()
