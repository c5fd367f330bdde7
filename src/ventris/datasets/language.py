"""Languages as label models: the shipped letter statistics, ready to use."""

from __future__ import annotations

from ventris.data.ngrams import NgramCounts
from ventris.datasets.letters import N_LAGS, available_languages, load_counts
from ventris.label_model import defaults
from ventris.label_model.model import NgramModel
from ventris.label_model.smoothing import Smoothing

__all__ = ["available_languages", "load_language"]


def load_language(
    language: str = "en",
    order: int = defaults.ORDER,
    *,
    space: bool = True,
    books: bool = False,
    smoothing: Smoothing = "witten-bell",
) -> NgramModel:
    """The letters of a language as an `NgramModel`.

    Parameters
    ----------
    language : str, default "en"
        ISO code; `available_languages()` lists them.
    order : int, default 3
        1 to 5.
    space : bool, default True
        Whether the space is a label (the last one), or words run together.
    books : bool, default False
        Whether to add the n-grams of books, where a language has them and words run together.
    smoothing : {"witten-bell", "kneser-ney", "additive"}

    Examples
    --------
    >>> english = load_language("en", order=2)
    >>> follows_q = english.conditional(2)[english.classes.index("q")]
    >>> english.classes[follows_q.argmax()]
    'u'
    """
    letters = load_counts(language, order=order, space=space, books=books)
    size = len(letters.alphabet)
    counts = [NgramCounts(k, size, *letters.counts(k)) for k in range(1, order + 1)]
    pairs = {lag: letters.pairs(lag) for lag in range(2, N_LAGS + 1)}
    return NgramModel.from_counts(counts, classes=letters.alphabet, pairs=pairs, smoothing=smoothing)
