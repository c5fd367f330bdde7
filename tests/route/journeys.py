"""Journeys of a small chain, taken as far as a test wants."""

from __future__ import annotations

import numpy as np

from ventris.classifiers.loglinear import Coordinates
from ventris.classifiers.loglinear_learner import LogLinearLearner
from ventris.data.sequences import Sequences
from ventris.datasets import make_gaussian_hmm, random_hmm
from ventris.route.build import take_steps
from ventris.route.journey import Journey
from ventris.route.settings import RouteSettings
from ventris.route.steps import steps_of

LM, MEANS = random_hmm(4, 3, random_state=0)
DATA = make_gaussian_hmm(LM, MEANS, n_samples=3_000, random_state=1)
QUICK = RouteSettings(n_starts=8, n_jobs=1)


def make_journey(settings=QUICK, lm=LM, known=None, learner=None, seed=0, X=DATA.X):
    train, held_out = Sequences.of(X).split(0.1)
    learner = learner or LogLinearLearner(Coordinates.of(X, lm.n_classes))
    return Journey(train, held_out, lm, learner, settings, np.random.default_rng(seed), known)


def take(journey, *steps):
    """Take these steps, those that apply."""
    for step in steps:
        if step.applies(journey):
            with journey.step(step.name, step.words, 0, 1) as row:
                step.run(journey, row)
    return journey


def up_to(journey, last):
    """Take the steps up to the first of this kind, and that."""
    steps = steps_of(journey)
    return take(journey, *steps[: 1 + next(n for n, step in enumerate(steps) if isinstance(step, last))])


def taken_to_the_end(journey):
    take_steps(journey)
    return journey
