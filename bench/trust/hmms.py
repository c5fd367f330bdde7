"""hmmlearn beside us: symbols with transitions fixed, or Gaussians whose transitions are free."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ventris import NgramModel

N_STARTS, N_ITER = 4, 100  # the likeliest of so many starts is kept

logging.getLogger("hmmlearn").setLevel(logging.CRITICAL)  # it logs each start that loses likelihood


def categorical_fixed(lm: NgramModel, X: NDArray, n_symbols: int, seed: int) -> Any:
    """A hidden Markov model over symbols, its transitions those of the label model."""
    from hmmlearn.hmm import CategoricalHMM

    def start(number: int) -> Any:
        model = CategoricalHMM(
            lm.n_classes,
            n_features=n_symbols,
            params="e",
            init_params="e",
            implementation="scaling",
            n_iter=N_ITER,
            random_state=number,
        )
        model.startprob_, model.transmat_ = lm.stationary(), lm.conditional(2)
        return model.fit(X[:, None])

    return _likeliest(start, seed)


def gaussian_free(lm: NgramModel, X: NDArray, seed: int) -> Any:
    """A Gaussian hidden Markov model that begins with the label model's transitions and leaves them."""
    from hmmlearn.hmm import GaussianHMM

    def start(number: int) -> Any:
        model = GaussianHMM(lm.n_classes, params="stmc", init_params="mc", n_iter=N_ITER, random_state=number)
        model.startprob_, model.transmat_ = lm.stationary(), lm.conditional(2)
        return model.fit(X)

    return _likeliest(start, seed)


def read_alone(model: Any, X: NDArray) -> NDArray:
    """The likeliest state of each point alone."""
    long_run = np.linalg.matrix_power(model.transmat_, 1000)[0]
    return (model._compute_log_likelihood(X) + np.log(long_run + 1e-12)).argmax(axis=1)


def _likeliest(start: Callable[[int], Any], seed: int) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        models = [start(number) for number in range(N_STARTS * seed, N_STARTS * (seed + 1))]
    return max(models, key=lambda model: model.monitor_.history[-1])
