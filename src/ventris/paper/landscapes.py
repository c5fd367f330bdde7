"""Figures 3, 4 and 7: J and L around the supervised optimum of the paper's example, chain 2."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ventris import objective
from ventris.classifiers.fitting import distil
from ventris.classifiers.loglinear import Coordinates, LogLinear, one_hot
from ventris.datasets import PaperChain
from ventris.figures.surfaces import Surface, cost_surface, draw_surface, saddle_surface
from ventris.paper.faithful import draw_chain
from ventris.paper.readings import tuned_supervised
from ventris.paper.settings import SHOWN
from ventris.paper.units import Plain

if TYPE_CHECKING:
    from matplotlib.figure import Figure

GAMMA = 10.0
SURFACES = ("cost", "saddle_unigram", "saddle_bigram")


def compute(grid: int) -> Plain:
    """The three surfaces, and the numbers that say what they show."""
    chain = draw_chain(SHOWN, 0)
    model, X = tuned_supervised(chain, GAMMA), chain.train.X
    unigram, bigram = chain.lm.joint(1), chain.lm.joint(2)
    surfaces = {
        "cost": cost_surface(model, X, unigram, n=grid),
        "saddle_unigram": saddle_surface(model, X, unigram, n=grid),
        "saddle_bigram": saddle_surface(model, X, bigram, n=grid),
    }
    return {
        **{name: surface.to_dict() for name, surface in surfaces.items()},
        "entropy": objective.entropy(unigram),
        "excess_at_dot": surfaces["cost"].dot[2] - objective.entropy(unigram),
        "flat": {name: _spread_along_weights(surfaces[name]) for name in SURFACES[1:]},
        "steep": {name: _spread_along_dual(surfaces[name]) for name in SURFACES[1:]},
        "printed_model": _printed_model(chain, grid),
    }


def _spread_along_weights(surface: Surface) -> float:
    """Largest less smallest L at the optimal dual, over all weights drawn."""
    middle = surface.z[len(surface.y) // 2]
    return float(middle.max() - middle.min())


def _spread_along_dual(surface: Surface) -> float:
    """The same at the supervised weights, over all duals drawn."""
    middle = surface.z[:, len(surface.x) // 2]
    return float(middle.max() - middle.min())


def _printed_model(chain: PaperChain, grid: int) -> Plain:
    """The two-weight model without intercept: J − H at its supervised optimum, and the least in view."""
    X, mask = chain.train.X, np.eye(2, dtype=bool)
    units = Coordinates.of(X, 2, gamma=GAMMA, fit_intercept=False, mask=mask)
    start = LogLinear(0.1 * np.diag([-1.0, 1.0]), np.zeros(2), GAMMA)
    model = distil(X, one_hot(chain.train.y, 2), start, units)
    surface = cost_surface(model, X, chain.lm.joint(1), n=grid)
    entropy = objective.entropy(chain.lm.joint(1))
    return {"excess_at_dot": surface.dot[2] - entropy, "least_excess": float(surface.z.min()) - entropy}


def draw(plain: Plain) -> Figure:
    """One of them from six sides."""
    return draw_surface(Surface.of_dict(plain))
