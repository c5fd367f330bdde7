"""Moons and clouds in zigzag, over one of the paper's chains, read by a multilayer perceptron."""

from __future__ import annotations

from functools import partial

from bench.family import Family
from bench.misspecified import misspecified
from bench.networks.fits import line, measure_beside, ratio_numbers, why_not

CHAIN = 2  # names and sequence both tell enough
FAMILY = Family(
    "networks: moons and mixtures",
    tuple(partial(misspecified, shape, CHAIN) for shape in ("moons", "mixture")),
    5,
    measure=partial(measure_beside, module="mlp"),
    numbers=ratio_numbers,
    line=line,
    why_not=why_not,
)
