"""scikit-learn's digits in the order of a Markov chain, read by a small convolutional network."""

from __future__ import annotations

from functools import partial

from bench.family import Family
from bench.networks.fits import line, measure_beside, ratio_numbers, why_not
from bench.tasks import digits

FAMILY = Family(
    "networks: digits",
    (digits,),
    5,
    measure=partial(measure_beside, module="cnn"),
    numbers=ratio_numbers,
    line=line,
    why_not=why_not,
)
