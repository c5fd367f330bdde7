"""What noise does to letters: which are written for which, which are added, which are lost."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ventris.errors import FileFormatError
from ventris.kernels.pair_chains import Expected, Operations
from ventris.settings import Settings, setting
from ventris.spelling.signs import DIGITS, unmarked
from ventris.storage.persistence import load_state, save_state

if TYPE_CHECKING:
    from matplotlib.figure import Figure

KIND = "spelling-channel"


@dataclass(frozen=True)
class ChannelSettings(Settings):
    """Where a channel begins, and what it is drawn towards where a text says little."""

    changed: float = setting(0.1, "share of letters changed before anything is known; EM leaves it at once")
    dropped: float = setting(0.005, "unmeasured: the same for letters dropped")
    added: float = setting(0.005, "unmeasured: the same for letters added")
    spaces: float = setting(0.003, "unmeasured: the same for spaces lost and added")
    across: float = setting(
        1e-4, "unmeasured: the same for a letter in place of a space, or a space of a letter"
    )
    strength: float = setting(
        30.0, "pseudo-counts of each letter towards the noise of all: 2,000 letters suffice"
    )
    strength_edits: float = setting(100.0, "unmeasured: the same for what is dropped, and added after it")
    accent: float = setting(
        0.5, "unmeasured: share of a marked letter's noise that is the letter without its mark"
    )
    feigned: float = setting(
        5e-4,
        "share of a letter below which unknown words feign a confusion: 40,000 letters with 10 % noise, "
        "0.93 % of symbols wrong without it, 0.87 % with it",
    )
    least: float = setting(1e-7, "unmeasured: no rate falls below it")


@dataclass(frozen=True, eq=False)
class Channel:
    """Probabilities of a noisy channel over letters and the space (confusion matrix).

    Attributes
    ----------
    alphabet : str
        What is meant, the space last: C labels.
    symbols : str
        What is written: the same, and digits that stand in words: V symbols.
    substitute : array of shape (C, V)
        Probability of each symbol for each label that is written at all.
    drop, drop_again : arrays of shape (C,)
        That a label is lost; and where it repeats the one before.
    insert : array of shape (C, V)
        Of each symbol added after a label.
    usage : array of shape (C,)
        How often each label was meant: what rates and confusions are weighed with.

    Examples
    --------
    >>> channel = Channel.uniform("ab ")
    >>> round(channel.rates["changed"], 3)
    0.1
    """

    alphabet: str
    symbols: str
    substitute: NDArray[np.float64]
    drop: NDArray[np.float64]
    drop_again: NDArray[np.float64]
    insert: NDArray[np.float64]
    usage: NDArray[np.float64] = field(repr=False)

    @classmethod
    def uniform(
        cls, alphabet: str, settings: ChannelSettings | None = None, *, edits: bool = True
    ) -> Channel:
        """The channel before anything is known: any letter for any other.

        Parameters
        ----------
        alphabet : str
            What is meant, the space last.
        settings : ChannelSettings, optional
            The rates that it begins with.
        edits : bool, default True
            Whether letters and spaces may be added and lost, or only changed.

        Returns
        -------
        Channel

        Examples
        --------
        >>> Channel.uniform("ab ", edits=False).rates["dropped"]
        0.0
        """
        settings = settings or ChannelSettings()
        n = len(alphabet)
        rates = _Rates.initial(settings, edits)
        nothing = Expected(np.zeros((n + len(DIGITS), n)), np.zeros((n + len(DIGITS), n)), *np.zeros((4, n)))
        return _channel(alphabet, nothing, rates, settings)

    @classmethod
    def learnt(
        cls, alphabet: str, expected: Expected, settings: ChannelSettings | None = None, *, edits: bool = True
    ) -> Channel:
        """The channel that expected events speak for (maximum a posteriori, Dirichlet prior).

        Parameters
        ----------
        alphabet : str
            What is meant, the space last: C labels.
        expected : Expected
            Numbers of each event, of symbols in rows and labels in columns.
        settings : ChannelSettings, optional
            How strongly each letter's noise is drawn towards that of all.
        edits : bool, default True
            Whether letters and spaces may be added and lost, or only changed.

        Returns
        -------
        Channel

        Examples
        --------
        A thousand times each label, a hundred times b for a:

        >>> seen = np.zeros((13, 3))
        >>> seen[:3] = np.diag([900.0, 1000.0, 1000.0])
        >>> seen[1, 0] = 100.0
        >>> nothing = np.zeros(3)
        >>> expected = Expected(seen, np.zeros((13, 3)), np.full(3, 1000.0), nothing, nothing, nothing)
        >>> [(meant, written, round(share, 2)) for meant, written, share in
        ...  Channel.learnt("ab ", expected).confusions(1)]
        [('a', 'b', 0.1)]
        """
        settings = settings or ChannelSettings()
        size = len(alphabet) + len(DIGITS)  # what is written beyond doubt says nothing about the noise
        substituted = _less_feigned(expected.substituted[:size], settings.feigned)
        free = expected._replace(substituted=substituted, inserted=expected.inserted[:size])
        return _channel(alphabet, free, _Rates.of(free, settings, edits), settings)

    @property
    def operations(self) -> Operations:
        """As the kernels want it, over symbols written in doubt and, after them, the same beyond doubt."""
        n, size = len(self.alphabet), len(self.symbols)
        substitute = np.zeros((size + n, n))
        substitute[:size] = (self.substitute * (1.0 - self.drop)[:, None]).T
        substitute[size:] = np.eye(n)
        insert = np.zeros((size + n, n))
        insert[:size] = self.insert.T
        return Operations(substitute, insert, 1.0 - self.insert.sum(axis=1), self.drop, self.drop_again)

    @property
    def rates(self) -> dict[str, float]:
        """Shares of letters changed, dropped and added, and of spaces lost, and added after a letter."""
        letters = self.usage[:-1] / max(self.usage[:-1].sum(), 1e-300)
        own = np.diag(self.substitute[:, : len(self.alphabet)])[:-1]
        found = {
            "changed": 1.0 - letters @ own,
            "dropped": letters @ self.drop[:-1],
            "added": letters @ np.delete(self.insert[:-1], len(self.alphabet) - 1, axis=1).sum(axis=1),
            "spaces lost": self.drop[-1],
            "spaces added": letters @ self.insert[:-1, len(self.alphabet) - 1],
        }
        return {name: round(float(rate), 9) for name, rate in found.items()}

    def confusions(self, top: int = 20) -> list[tuple[str, str, float]]:
        """What is most often written for what: (meant, written, share of the letter meant).

        A letter written is "" where the one meant was dropped.

        Parameters
        ----------
        top : int, default 20
            How many, those first that the text holds most of.

        Returns
        -------
        list of (str, str, float)

        Examples
        --------
        >>> [(meant, written) for meant, written, _ in Channel.uniform("eé ").confusions(1)]
        [('é', 'e')]
        """
        n = len(self.alphabet)
        found = [
            (self.alphabet[y], self.symbols[x], self.substitute[y, x] * self.usage[y])
            for y in range(n)
            for x in range(len(self.symbols))
            if x != y
        ]
        found += [(self.alphabet[y], "", self.drop[y] * self.usage[y]) for y in range(n)]
        found.sort(key=lambda each: -each[2])
        use = dict(zip(self.alphabet, self.usage, strict=True))
        return [(meant, written, float(n / max(use[meant], 1e-300))) for meant, written, n in found[:top]]

    def as_dict(self) -> dict[str, Any]:
        """Rates and the commonest confusions, JSON-able."""
        confusions = [
            {"meant": meant, "written": written, "share": round(share, 6)}
            for meant, written, share in self.confusions()
        ]
        return {
            "rates": {name: round(rate, 6) for name, rate in self.rates.items()},
            "confusions": confusions,
        }

    def save(self, path: str | os.PathLike[str], *, force: bool = True) -> None:
        """Keep it for the next text of the same source, as one file.

        Parameters
        ----------
        path : path
        force : bool, default True
            Whether an existing file may be replaced.

        Examples
        --------
        >>> import tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "noise.ventris")
        >>> Channel.uniform("ab ").save(path)
        >>> os.path.isfile(path)
        True
        """
        arrays = {
            "substitute": self.substitute,
            "drop": self.drop,
            "drop_again": self.drop_again,
            "insert": self.insert,
            "usage": self.usage,
        }
        header = {"kind": KIND, "alphabet": self.alphabet, "symbols": self.symbols}
        save_state(path, arrays, header, force=force)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Channel:
        """A channel that `save` wrote.

        Parameters
        ----------
        path : path

        Returns
        -------
        Channel

        Examples
        --------
        >>> import tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "noise.ventris")
        >>> Channel.uniform("ab ").save(path)
        >>> Channel.load(path).alphabet
        'ab '
        """
        arrays, header = load_state(path)
        if header.get("kind") != KIND:
            raise FileFormatError(
                f"{path} must hold the noise of a text",
                "it holds something else",
                "Write one with `ventris correct --save`",
            )
        n, size = len(header["alphabet"]), len(header["symbols"])
        shapes = {
            "substitute": (n, size),
            "insert": (n, size),
            "drop": (n,),
            "drop_again": (n,),
            "usage": (n,),
        }
        if {name: array.shape for name, array in arrays.items()} != shapes:
            raise FileFormatError(
                f"{path} must hold the noise of {n} letters",
                "its tables are of another size",
                "Write it anew",
            )
        return cls(header["alphabet"], header["symbols"], **arrays)

    def figure(self) -> Figure:
        """The confusions on a keyboard, and the rates."""
        from ventris.spelling.keyboard import draw_channel

        return draw_channel(self)


# ------------------------------------------------------------------------------------------------ rates


def _less_feigned(counts: NDArray[np.float64], feigned: float) -> NDArray[np.float64]:
    """Confusions less what unknown words feign; it goes back to the letters themselves."""
    n = counts.shape[1]
    out = np.maximum(counts - feigned * counts.sum(axis=0), 0.0)
    out[np.arange(n), np.arange(n)] = 0.0
    out[np.arange(n), np.arange(n)] = counts.sum(axis=0) - out.sum(axis=0)
    return out


@dataclass(frozen=True)
class _Rates:
    """Noise of all letters together, which the noise of each is drawn towards."""

    changed: float
    across: float
    dropped: float
    dropped_again: float
    space_lost: float
    space_changed: float
    added: float
    space_added: float

    @classmethod
    def initial(cls, s: ChannelSettings, edits: bool) -> _Rates:
        on = float(edits)
        return cls(
            s.changed,
            s.across,
            on * s.dropped,
            on * s.dropped,
            on * s.spaces,
            s.across,
            on * s.added,
            on * s.spaces,
        )

    @classmethod
    def of(cls, expected: Expected, s: ChannelSettings, edits: bool) -> _Rates:
        """Shares of all letters; one letter's worth of doubt is added to each."""
        n = expected.substituted.shape[1]
        letters = expected.substituted[:, :-1]
        seen, own = letters.sum(), np.trace(letters[:n])
        as_space = letters[n - 1].sum()
        places = expected.went_on.sum() + expected.inserted.sum()
        spaces = expected.substituted[:, -1].sum()

        def rate(events: float, of: float, feigned: float = 0.0) -> float:
            return max(s.least, float(events / max(of, 1.0)) - feigned)

        again = expected.dropped_again[:-1].sum()
        dropped = rate(expected.dropped[:-1].sum(), seen, s.feigned) * edits
        again = (again + s.strength_edits * dropped) / (
            again + expected.kept_again[:-1].sum() + s.strength_edits
        )
        return cls(
            changed=rate(seen - own - as_space, seen),
            across=rate(as_space, seen),
            dropped=dropped,
            dropped_again=again * edits,
            space_lost=rate(expected.dropped[-1], spaces, s.feigned) * edits,
            space_changed=rate(spaces - expected.substituted[n - 1, -1], spaces),
            added=rate(expected.inserted.sum() - expected.inserted[n - 1].sum(), places, s.feigned) * edits,
            space_added=rate(expected.inserted[n - 1].sum(), places, s.feigned) * edits,
        )


def _channel(alphabet: str, expected: Expected, rates: _Rates, s: ChannelSettings) -> Channel:
    """Counts and what they are drawn towards, put together."""
    symbols = alphabet + DIGITS
    n, size = len(alphabet), len(symbols)
    prior = _prior(alphabet, symbols, rates, s)
    counts = expected.substituted.T
    seen = counts.sum(axis=1)
    substitute = (counts + s.strength * prior) / (seen + s.strength)[:, None]
    towards = np.append(np.full(n - 1, rates.dropped), rates.space_lost)
    strength = s.strength_edits * (towards > 0)
    drop = (expected.dropped + strength * towards) / np.maximum(
        expected.dropped + seen + s.strength_edits, 1.0
    )
    drop[towards == 0] = 0.0
    insert = _insert(expected, rates, s, n, size)
    again = np.append(np.full(n - 1, rates.dropped_again), 0.0)  # two spaces in a row are one
    usage = seen + expected.dropped
    if not usage.any():
        usage = np.ones(n)
    return Channel(alphabet, symbols, substitute, drop, again, insert, usage)


def _prior(alphabet: str, symbols: str, rates: _Rates, s: ChannelSettings) -> NDArray[np.float64]:
    """What each label's noise would be if all letters were alike: shape (C, V)."""
    n, size = len(alphabet), len(symbols)
    prior = np.full((n, size), rates.changed / (size - 2))
    prior[:, n - 1] = rates.across
    prior[n - 1] = rates.space_changed / (size - 1)
    for letter, plain in _unmarked(alphabet).items():
        prior[letter, : n - 1] *= 1.0 - s.accent
        prior[letter, n:] *= 1.0 - s.accent
        prior[letter, plain] += s.accent * rates.changed
    prior[np.arange(n), np.arange(n)] = 0.0
    prior[np.arange(n), np.arange(n)] = 1.0 - prior.sum(axis=1)
    return prior


def _unmarked(alphabet: str) -> dict[int, int]:
    """Letters with a mark, and the same without it, by number."""
    number = {letter: i for i, letter in enumerate(alphabet)}
    plain = {i: number.get(unmarked(letter)) for i, letter in enumerate(alphabet)}
    return {i: j for i, j in plain.items() if j is not None and j != i}


def _insert(expected: Expected, rates: _Rates, s: ChannelSettings, n: int, size: int) -> NDArray[np.float64]:
    """Of each symbol added after each label: the rate of all, shared out as symbols were added anywhere."""
    added = expected.inserted.sum(axis=1)
    letters = np.delete(added, n - 1) + 1.0 / size
    of_all = np.insert(rates.added * letters / letters.sum(), n - 1, rates.space_added)
    strength = 10.0 * s.strength_edits
    places = expected.went_on + expected.inserted.sum(axis=0)
    insert = (expected.inserted.T + strength * of_all) / (places + strength)[:, None]
    insert[:, of_all == 0] = 0.0
    insert[n - 1, n - 1] = 0.0  # a space after a space is the same one
    return insert
