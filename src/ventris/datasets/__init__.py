"""Data to learn from: the paper's problems, Gaussian hidden Markov models, letter statistics."""

from __future__ import annotations

from ventris.datasets.gaussian import SequenceData, make_gaussian_hmm, make_unigram, random_hmm
from ventris.datasets.glyphs import GlyphData, available_fonts, make_glyphs
from ventris.datasets.language import available_languages, load_language
from ventris.datasets.paper_chains import PaperChain, make_paper_chain

__all__ = [
    "GlyphData",
    "PaperChain",
    "SequenceData",
    "available_fonts",
    "available_languages",
    "load_language",
    "make_gaussian_hmm",
    "make_glyphs",
    "make_paper_chain",
    "make_unigram",
    "random_hmm",
]
