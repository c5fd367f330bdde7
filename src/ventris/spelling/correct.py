"""The front door: a noisy text in, what was meant out; nobody says what the noise is."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np

from ventris.callbacks import Callback, Event
from ventris.errors import DataTypeError, LanguageModelError, NothingCorrectedWarning, ParameterError
from ventris.inference.pair_chains import BeamSettings
from ventris.spelling.channel import Channel
from ventris.spelling.cut import Cut, cut_text
from ventris.spelling.judging import why_not_after, why_not_before
from ventris.spelling.language import Language, language_of
from ventris.spelling.learning import LearningSettings, adapted, learn_channel, read
from ventris.spelling.mending import decide, mend
from ventris.spelling.nearly_clean import is_nearly_clean, slips_alone, with_changes
from ventris.spelling.own_words import written_words
from ventris.spelling.result import Correction

THRESHOLD = 0.5  # a change that is likelier wrong than right is none
_SHOWN_EVERY = 20_000  # symbols


def correct(
    text: str,
    language: str = "en",
    *,
    lm: Any = None,
    corpus: Any = None,
    channel: Channel | str | os.PathLike[str] | None = None,
    edits: bool = True,
    threshold: float = THRESHOLD,
    keep: str | None = None,
    names: bool = True,
    callbacks: Iterable[Callback] = (),
    learning: LearningSettings | None = None,
    reading: BeamSettings | None = None,
) -> Correction:
    """Correct a text: its noise is learnt from the text itself (noisy channel, pair HMM, EM).

    Parameters
    ----------
    text : str
        Typed, scanned or old; case, line breaks, punctuation and markup stay as they are.
    language : str, default "en"
        ISO code. English, German, French, Spanish, Italian and Portuguese know words and accents; Greek,
        Latin, Dutch and Russian letters alone.
    lm : NgramModel or path, optional
        Letters and the space, in place of a language.
    corpus : str or path, optional
        A text in the language, in place of it: old spelling, a dialect, a trade.
    channel : Channel or path, optional
        Noise that another text of the same source has taught; then none is learnt.
    edits : bool, default True
        Whether letters and spaces may have been added and lost, or only changed.
    threshold : float, default 0.5
        Probability that a change must have.
    keep : str, optional
        A regular expression: words it is found in are left alone.
    names : bool, default True
        Whether words with a capital or a digit that the language does not know are left alone.
    callbacks : iterable of Callback
        `on_step_end` after every round of learning and stretch of reading.
    learning : LearningSettings, optional
        How long the noise is learnt, and from how much of the text.
    reading : BeamSettings, optional
        How many readings are followed at a time, once the noise is known.

    Returns
    -------
    Correction
        The text, every change with its probability, and the noise.

    References
    ----------
    M. D. Kernighan, K. W. Church, W. A. Gale, A spelling correction program based on a noisy channel model
    (1990).

    Examples
    --------
    >>> import ventris as vt
    >>> fixed = vt.correct("The wimd blew all nignt, and the raim beat upon the windpws of the old housr.")
    >>> print(fixed.text)
    The wind blew all night, and the rain beat upon the windows of the old house.
    """
    _check(text, threshold, keep)
    spoken = language_of(language, lm, corpus)
    known = _given(channel, spoken)
    cut = cut_text(text, spoken, keep=keep, names=names)
    reason = why_not_before(text, cut, spoken)
    if reason:
        return _unchanged(text, known or Channel.uniform(spoken.alphabet + " "), spoken, reason)
    watchers, learnt = list(callbacks), known is None
    if known is None:
        known, spoken = learn_channel(
            cut, spoken, edits=edits, settings=learning, watch=lambda words: _tell(watchers, "learn", words)
        )
    else:
        spoken = adapted(cut, spoken, known)
    return _read(text, cut, spoken, known, threshold, watchers, reading, learnt)


def _read(
    text: str,
    cut: Cut,
    language: Language,
    channel: Channel,
    threshold: float,
    watchers: list[Callback],
    settings: BeamSettings | None,
    learnt: bool,
) -> Correction:
    n = len(cut.symbols.codes)

    def watch(done: int) -> None:
        if done % _SHOWN_EVERY == 0:
            _tell(watchers, "read", f"{done:,} of {n:,} symbols", done, n)

    through = read(cut.symbols, language, channel, settings, watch)
    decision = decide(cut, through.reading, threshold)
    mended, changes = mend(cut, decision, language.alphabet)
    if learnt and language.words is not None and is_nearly_clean(channel):
        changes = slips_alone(changes, written_words(cut, language.alphabet), language.words)
        mended = with_changes(text, changes)
    reason = why_not_after(cut, language, channel, through, decision)
    if reason:
        return _unchanged(text, channel, language, reason)
    sure = float(np.mean(decision.probability[~cut.fixed])) if (~cut.fixed).any() else 1.0
    return Correction(mended, tuple(changes), channel, min(1.0, sure), language.code, text)


def _check(text: Any, threshold: float, keep: str | None) -> None:
    if not isinstance(text, str):
        raise DataTypeError("text must be a str", f"it is a {type(text).__name__}", "Decode it first")
    if not 0.0 <= threshold <= 1.0:
        raise ParameterError(
            "threshold must be between 0 and 1", f"it is {threshold}", "Choose a probability"
        )
    try:
        re.compile(keep or "")
    except re.error as error:
        raise ParameterError(
            "keep must be a regular expression", f"{keep!r}: {error}", "Correct it"
        ) from None


def _given(channel: Any, language: Language) -> Channel | None:
    if channel is None:
        return None
    found = channel if isinstance(channel, Channel) else Channel.load(channel)
    if found.alphabet != language.alphabet + " ":
        raise LanguageModelError(
            f"the noise must be over the letters of the language ({language.alphabet})",
            f"it is over {found.alphabet.strip()}",
            "Use it with the language that it was learnt in",
        )
    return found


def _unchanged(text: str, channel: Channel, language: Language, reason: str) -> Correction:
    doubt = NothingCorrectedWarning(reason)
    warnings.warn(doubt, stacklevel=4)
    return Correction(text, (), channel, 0.0, language.code, text, (str(doubt),))


def _tell(watchers: list[Callback], step: str, words: str, done: float = 0, total: float = 0) -> None:
    for watcher in watchers:
        watcher.on_step_end(Event(step, words, done, total))
