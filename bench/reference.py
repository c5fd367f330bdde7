"""The supervised reference: the same log-linear classifier, given the true labels and tuned.

An undertrained reference flatters whatever is compared with it: L-BFGS (Newton for two classes) runs to
convergence, at three strengths of regularisation of which validation data choose one.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from numpy.typing import NDArray

from bench.metrics import error_rate
from bench.tasks import Task
from ventris.classifiers.loglinear import LogLinear
from ventris.datasets.references import STRENGTHS, fit_supervised, smooth

MAX_ITER, TOLERANCE = 1000, 1e-5


@dataclass(frozen=True)
class Fit:
    """One strength: its model on the raw inputs, its validation errors and the CPU seconds it took."""

    l2: float
    model: LogLinear
    validation_error: float
    decoded_validation_error: float
    cpu_seconds: float


@dataclass(frozen=True)
class Reference:
    """The best of the supervised fits, chosen apart for each of two uses.

    What reads single points best is often too timid to be decoded: strong regularisation flattens its
    probabilities. So each error is that of the strength with the lowest validation error of its kind.

    Attributes
    ----------
    model : LogLinear
        On the raw inputs, the best for single points.
    l2, decoding_l2 : float
        The strengths that validation chose.
    error_rate, decoded_error : float
        On the test data: each point alone, and each in its sequence under the label model's full order.
    cpu_seconds : float
        Of the fit of `model` alone.
    total_cpu_seconds : float
        Of all the fits.
    """

    model: LogLinear
    l2: float
    decoding_l2: float
    error_rate: float
    decoded_error: float
    cpu_seconds: float
    total_cpu_seconds: float


def supervised_reference(task: Task, strengths: tuple[float, ...] = STRENGTHS) -> Reference:
    """Fit at each strength, keep what validation prefers, measure it on the test data."""
    fits = [_validated_fit(task, l2) for l2 in strengths]
    alone = min(fits, key=lambda fit: fit.validation_error)
    decoded = min(fits, key=lambda fit: fit.decoded_validation_error)
    return Reference(
        model=alone.model,
        l2=alone.l2,
        decoding_l2=decoded.l2,
        error_rate=error_rate(task.y_test, predict(alone.model, task.X_test)),
        decoded_error=error_rate(task.y_test, decode(decoded.model, task, task.X_test)),
        cpu_seconds=alone.cpu_seconds,
        total_cpu_seconds=sum(fit.cpu_seconds for fit in fits),
    )


def _validated_fit(task: Task, l2: float) -> Fit:
    model, seconds = timed_fit(task, l2)
    X, y = task.X_validation, task.y_validation
    return Fit(l2, model, error_rate(y, predict(model, X)), error_rate(y, decode(model, task, X)), seconds)


def timed_fit(task: Task, l2: float) -> tuple[LogLinear, float]:
    """One fit to convergence, and its CPU seconds."""
    began = time.process_time()
    X, y, n_classes = task.X_train, task.y_train, task.lm.n_classes
    model = fit_supervised(X, y, n_classes, l2=l2, max_iter=MAX_ITER, tol=TOLERANCE)
    return model, time.process_time() - began


def predict(model: LogLinear, X: NDArray) -> NDArray:
    """The most probable label of each point alone."""
    return model.logits(X).argmax(axis=1)


def decode(model: LogLinear, task: Task, X: NDArray) -> NDArray:
    """The most probable label of each point of the sequence X, under the label model's full order."""
    mean_output = model.posteriors(task.X_train).mean(axis=0, dtype=float)
    return smooth(model.posteriors(X) / mean_output, task.lm)


def bayes_error(task: Task) -> float:
    """Test error of the decoder that knows the emissions; not a number where they are unknown."""
    if task.test_likelihood is None:
        return float("nan")
    return error_rate(task.y_test, smooth(task.test_likelihood, task.lm))
