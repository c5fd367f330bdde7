"""Data to learn from: the paper's problems, Gaussian hidden Markov models, letters, and small stories."""

from __future__ import annotations

from ventris.datasets.digits import load_digit_sequences
from ventris.datasets.floor_plan import FloorPlan, make_floor_plan
from ventris.datasets.gaussian import SequenceData, make_gaussian_hmm, make_unigram, random_hmm
from ventris.datasets.glyphs import GlyphData, available_fonts, make_glyphs
from ventris.datasets.language import available_languages, load_language
from ventris.datasets.paper_chains import PaperChain, make_paper_chain
from ventris.datasets.stories import Story, make_casino, make_cpg_islands, make_weather

__all__ = [
    "FloorPlan",
    "GlyphData",
    "PaperChain",
    "SequenceData",
    "Story",
    "available_fonts",
    "available_languages",
    "load_digit_sequences",
    "load_language",
    "make_casino",
    "make_cpg_islands",
    "make_floor_plan",
    "make_gaussian_hmm",
    "make_glyphs",
    "make_paper_chain",
    "make_unigram",
    "make_weather",
    "random_hmm",
]
