"""Noises, and the channel that each truly is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from string import ascii_lowercase

import numpy as np
from numpy.typing import NDArray

from ventris.spelling.channel import Channel
from ventris.spelling.keyboard import places

LETTERS = len(ascii_lowercase)
NEAR = 1.3  # widths of a key: the six keys around one, fewer at the edge
IMPOSSIBLE = 1e-9  # of what the noise never does; zero would leave nothing to read where words are unknown


@dataclass(frozen=True, eq=False)
class Noise:
    """What is done to each letter.

    Attributes
    ----------
    substitute : array of shape (26, 26)
    inserted, dropped : float
        Share of letters after which any letter is put, and that are left out.
    spaces : float
        Share of spaces left out; as many are put inside words.
    """

    substitute: NDArray[np.float64]
    inserted: float = 0.0
    dropped: float = 0.0
    spaces: float = 0.0

    def apply(self, text: str, seed: int) -> str:
        """A noisy text."""
        rng = np.random.default_rng([seed, 24])
        cumulated = self.substitute.cumsum(axis=1)
        into_words = self.spaces * text.count(" ") / max(1, len(text) - text.count(" "))
        draws, out = rng.random((len(text), 5)), []
        for char, (change, drop, add, which, part) in zip(text, draws, strict=True):
            if char == " ":
                out.append("" if drop < self.spaces else char)
                continue
            if drop >= self.dropped:
                row = cumulated[ord(char) - ord("a")]
                out.append(ascii_lowercase[min(int(np.searchsorted(row, change, "right")), LETTERS - 1)])
            if add < self.inserted:
                out.append(ascii_lowercase[int(which * LETTERS)])
            if part < into_words:
                out.append(" ")
        return " ".join("".join(out).split())

    def channel(self, text: str) -> Channel:
        """The same as a channel. A doubled letter can be left out in two ways, and made by adding in two."""
        plain = Channel.uniform(ascii_lowercase + " ", edits=False)
        substitute = np.full_like(plain.substitute, IMPOSSIBLE)
        substitute[:LETTERS, :LETTERS] = np.maximum(self.substitute, IMPOSSIBLE)
        substitute[LETTERS, LETTERS] = 1.0
        insert = np.zeros_like(substitute)
        insert[:LETTERS, :LETTERS] = self.inserted / LETTERS * (1.0 + np.eye(LETTERS))
        insert[:LETTERS, LETTERS] = self.spaces * text.count(" ") / max(1, len(text) - text.count(" "))
        drop = np.append(np.full(LETTERS, self.dropped), self.spaces)
        again = np.append(np.full(LETTERS, 2.0 * self.dropped), 0.0)
        return replace(plain, substitute=substitute, insert=insert, drop=drop, drop_again=again)


def keyboard(rate: float, **more: float) -> Noise:
    """A key beside the one that was meant, each as likely."""
    where = np.array([places(ascii_lowercase)[letter] for letter in ascii_lowercase])
    near = np.hypot(*(where[:, None] - where[None]).transpose(2, 0, 1)) < NEAR
    np.fill_diagonal(near, False)
    table = rate * near / near.sum(axis=1, keepdims=True)
    return Noise(table + (1.0 - rate) * np.eye(LETTERS), **more)


def confusions(rate: float, seed: int, n_others: int = 3) -> Noise:
    """Each letter is written as one of three others, which the seed has drawn, each as likely."""
    rng = np.random.default_rng([seed, 25])
    table = (1.0 - rate) * np.eye(LETTERS)
    for letter in range(LETTERS):
        others = rng.choice(np.delete(np.arange(LETTERS), letter), n_others, replace=False)
        table[letter, others] = rate / n_others
    return Noise(table)
