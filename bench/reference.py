"""The supervised reference: the same log-linear classifier, given the true labels and tuned.

An undertrained reference flatters whatever is compared with it: L-BFGS (Newton for two classes) runs to
convergence, at three strengths of regularisation of which validation data choose one.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bench.metrics import error_rate
from bench.tasks import Task
from ventris.coordinates import Coordinates
from ventris.distillation import distil
from ventris.language_model import NgramModel
from ventris.loglinear import LogLinear, one_hot

STRENGTHS = (1e-5, 1e-4, 1e-3)
MAX_ITER, TOLERANCE = 1000, 1e-5


@dataclass(frozen=True)
class Reference:
    """The best of the supervised fits.

    Attributes
    ----------
    model : LogLinear
        On the raw inputs.
    l2 : float
        The strength that validation chose.
    error_rate, decoded_error : float
        On the test data: each point alone, and each in its sequence under the label model's full order.
    cpu_seconds : float
        Of the chosen fit alone.
    total_cpu_seconds : float
        Of all the fits and of the choice.
    """

    model: LogLinear
    l2: float
    error_rate: float
    decoded_error: float
    cpu_seconds: float
    total_cpu_seconds: float


def supervised_reference(task: Task, strengths: tuple[float, ...] = STRENGTHS) -> Reference:
    """Fit at each strength, keep the one with the lowest validation error."""
    began = time.process_time()
    fits = [(*timed_fit(task, l2), l2) for l2 in strengths]
    errors = [error_rate(task.y_validation, predict(model, task.X_validation)) for model, _, _ in fits]
    model, seconds, l2 = fits[int(np.argmin(errors))]
    total = time.process_time() - began
    decoded = decode(model, task.X_test, task.lm, model.posteriors(task.X_train).mean(axis=0, dtype=float))
    return Reference(
        model,
        l2,
        error_rate(task.y_test, predict(model, task.X_test)),
        error_rate(task.y_test, decoded),
        seconds,
        total,
    )


def timed_fit(task: Task, l2: float) -> tuple[LogLinear, float]:
    """One fit to convergence, and its CPU seconds."""
    began = time.process_time()
    model = fit_supervised(task.X_train, task.y_train, task.lm.n_classes, l2)
    return model, time.process_time() - began


def fit_supervised(X: NDArray, y: NDArray, n_classes: int, l2: float) -> LogLinear:
    """To convergence, the penalty on weights in the units of each feature."""
    units = Coordinates.of(X, n_classes)
    start, targets = LogLinear.zeros(n_classes, X.shape[1]), one_hot(y, n_classes, X.dtype.type)
    return distil(X, targets, start, units, l2=l2, max_iter=MAX_ITER, tol=TOLERANCE)


def predict(model: LogLinear, X: NDArray) -> NDArray:
    """The most probable label of each point alone."""
    return model.logits(X).argmax(axis=1)


def decode(model: LogLinear, X: NDArray, lm: NgramModel, mean_output: NDArray) -> NDArray:
    """The most probable label of each point of one sequence, under the label model's full order."""
    return smooth(model.posteriors(X) / mean_output, lm)


def smooth(scores: NDArray, lm: NgramModel) -> NDArray:
    """Labels from scores b_t(y) = p(y | x_t) / p̄(y), or from likelihoods: then no decoder does better."""
    from ventris.decoding import label_posteriors

    joints = [lm.joint(k) for k in range(1, lm.order)]
    posteriors, _ = label_posteriors(scores, None, joints, lm.conditional())
    return posteriors.argmax(axis=1)


def bayes_error(task: Task) -> float:
    """Test error of the decoder that knows the emissions; not a number where they are unknown."""
    if task.test_likelihood is None:
        return float("nan")
    return error_rate(task.y_test, smooth(task.test_likelihood, task.lm))
