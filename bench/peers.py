"""What users would pick instead, each behind one face: a fit without labels gives a reader of inputs.

A reader returns two arrays of labels: of each point alone, and of each point in its sequence. Where a method
has no answer of a kind it gives None. Bounds are shown labels: no user without labels can reach them.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.rival import hmmlearn_start
from bench.tasks import Task
from ventris import SequenceClassifier
from ventris.datasets.references import smooth
from ventris.errors import VentrisWarning

N_STARTS, N_SLOW_STARTS = 4, 2  # of hmmlearn; of torch, pomegranate and mixtures, which take long: best kept
DEGREE = 4  # of the polynomial features of the curved classifier
Labels = tuple[NDArray | None, NDArray | None]
Reader = Callable[[NDArray], Labels]

logging.getLogger("hmmlearn").setLevel(logging.CRITICAL)  # it logs each start that loses likelihood


@dataclass(frozen=True)
class Method:
    """A way to learn: its name, how it fits a task with a seed, and whether it is shown the labels."""

    name: str
    fit: Callable[[Task, int], Reader]
    is_bound: bool = False


# -------------------------------------------------------------------------------------------------- ours


def ventris(task: Task, seed: int) -> Reader:
    """The default: a log-linear classifier."""
    return _ventris(task, seed, None)


def ventris_curved(task: Task, seed: int) -> Reader:
    """The same route with a classifier that can bend: logistic regression on polynomials of the inputs."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import PolynomialFeatures, StandardScaler

    bends = (StandardScaler(), PolynomialFeatures(DEGREE), StandardScaler())
    return _ventris(task, seed, make_pipeline(*bends, LogisticRegression(max_iter=200)))


def _ventris(task: Task, seed: int, classifier: Any) -> Reader:
    clf = SequenceClassifier(task.lm, classifier=classifier, n_jobs=1, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", VentrisWarning)
        clf.fit(task.X_train, lengths=task.lengths)
    numbers = {name: number for number, name in enumerate(clf.classes_)}

    def read(X: NDArray) -> Labels:
        found = (clf.predict(X), clf.decode(X))
        alone, decoded = (np.array([numbers[label] for label in labels]) for labels in found)
        return alone, decoded

    return read


# ---------------------------------------------------------------------------------- hidden Markov models


def hmmlearn_kmeans(task: Task, seed: int) -> Reader:
    """Gaussian HMM, transitions fixed, means from k-means, the likeliest of four starts."""
    return _hmmlearn(task, seed, by_kmeans=True)


def hmmlearn_random(task: Task, seed: int) -> Reader:
    """The same, its means started from random points."""
    return _hmmlearn(task, seed, by_kmeans=False)


def hmmlearn_once(task: Task, seed: int) -> Reader:
    """One start from k-means, where each takes long."""
    return _hmm_reader(_start(task, seed, by_kmeans=True), task)


def _hmmlearn(task: Task, seed: int, *, by_kmeans: bool) -> Reader:
    numbers = range(N_STARTS * seed, N_STARTS * (seed + 1))
    return _hmm_reader(max((_start(task, n, by_kmeans=by_kmeans) for n in numbers), key=_likelihood), task)


def _start(task: Task, number: int, *, by_kmeans: bool) -> Any:
    """By the faster implementation; where densities underflow and it raises, by the default one."""
    try:
        return hmmlearn_start(task, number, by_kmeans=by_kmeans)
    except ValueError:
        return hmmlearn_start(task, number, by_kmeans=by_kmeans, implementation="log")


def hmmlearn_mixture(task: Task, seed: int) -> Reader:
    """hmmlearn's HMM whose states are mixtures of three Gaussians: not wrong for the mixture data."""
    from hmmlearn.hmm import GMMHMM

    def start(number: int) -> Any:
        model = GMMHMM(task.lm.n_classes, n_mix=3, params="mcw", init_params="mcw", random_state=number)
        model.startprob_, model.transmat_ = task.lm.stationary(), task.lm.conditional(2)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return model.fit(task.X_train)

    numbers = range(N_SLOW_STARTS * seed, N_SLOW_STARTS * (seed + 1))
    best = max((start(number) for number in numbers), key=_likelihood)
    return _hmm_reader(best, task)


def _likelihood(model: Any) -> float:
    last = model.monitor_.history[-1]
    return float(last) if np.isfinite(last) else -np.inf


def _hmm_reader(model: Any, task: Task) -> Reader:
    log_prior = np.log(task.lm.stationary())

    def read(X: NDArray) -> Labels:
        alone = (model._compute_log_likelihood(X) + log_prior).argmax(axis=1)
        model.implementation = "log"  # which never underflows
        return alone, model.predict_proba(X).argmax(axis=1)

    return read


def pomegranate(task: Task, seed: int) -> Reader:
    """pomegranate's dense HMM on pieces of 500 points, transitions frozen, the likeliest of two starts."""
    import torch
    from pomegranate.distributions import Normal
    from pomegranate.hmm import DenseHMM

    torch.set_num_threads(1)
    length = 500
    whole = task.X_train[: len(task.X_train) // length * length]
    pieces = torch.tensor(whole.reshape(-1, length, whole.shape[1]), dtype=torch.float32)
    transition, start = (a.astype(np.float32) for a in (task.lm.conditional(2), task.lm.stationary()))

    def attempt(number: int) -> tuple[float, Any]:
        rows = np.random.default_rng(number).choice(len(whole), task.lm.n_classes, replace=False)
        spread = whole.var(axis=0).astype(np.float32)
        states = [Normal(whole[row].astype(np.float32), spread, covariance_type="diag") for row in rows]
        model = DenseHMM(states, edges=transition, starts=start, max_iter=10)
        model.edges.frozen = model.starts.frozen = True
        model.fit(pieces)
        return float(model.log_probability(pieces).sum()), model

    numbers = range(N_SLOW_STARTS * seed, N_SLOW_STARTS * (seed + 1))
    _, best = max((attempt(number) for number in numbers), key=lambda found: found[0])

    def read(X: NDArray) -> Labels:
        log_likelihood = best._emission_matrix(torch.tensor(X[None], dtype=torch.float32))[0].numpy()
        alone = (log_likelihood + np.log(start)).argmax(axis=1)
        likelihood = np.exp(log_likelihood - log_likelihood.max(axis=1, keepdims=True))
        return alone, smooth(likelihood.astype(float), task.lm)

    return read


# -------------------------------------------------------------------------------------------- SPDG in torch


def torch_spdg(task: Task, seed: int) -> Reader:
    """Algorithm 1 as one writes it in torch: a linear layer and ln(−V), Adam on both, 1,000 points a batch.

    The lowest full-pass J of two starts is kept. Rates and batch were set once and not tuned.
    """
    import torch

    torch.set_num_threads(1)
    torch.manual_seed(seed)
    X = torch.tensor((task.X_train - task.X_train.mean(0)) / task.X_train.std(0), dtype=torch.float32)
    wanted = torch.tensor(task.lm.joint(2), dtype=torch.float32)
    size, n_updates = 1000, 1500

    def expected(points: Any, layer: Any) -> Any:
        p = torch.softmax(layer(points), dim=1)
        return p[:-1].T @ p[1:] / (len(p) - 1)

    def attempt() -> tuple[float, Any]:
        layer = torch.nn.Linear(X.shape[1], task.lm.n_classes)
        log_dual = torch.zeros_like(wanted, requires_grad=True)
        primal, dual = torch.optim.Adam(layer.parameters(), 0.03), torch.optim.Adam([log_dual], 0.03)
        for _ in range(n_updates):
            begin = int(torch.randint(len(X) - size, (1,)))
            seen = expected(X[begin : begin + size], layer)
            primal.zero_grad()
            dual.zero_grad()
            (wanted * (-torch.exp(log_dual) * seen + log_dual)).sum().backward()
            log_dual.grad.neg_()  # V ascends
            primal.step()
            dual.step()
        with torch.no_grad():
            return float(-(wanted * torch.log(expected(X, layer) + 1e-12)).sum()), layer

    _, best = min((attempt() for _ in range(N_SLOW_STARTS)), key=lambda found: found[0])
    centre, scale = task.X_train.mean(0), task.X_train.std(0)

    def read(new: NDArray) -> Labels:
        with torch.no_grad():
            logits = best(torch.tensor((new - centre) / scale, dtype=torch.float32))
            p, usage = torch.softmax(logits, 1).numpy(), torch.softmax(best(X), 1).mean(0).numpy()
        return p.argmax(axis=1), smooth((p / usage).astype(float), task.lm)

    return read


# ------------------------------------------------------------------------------------------------- bounds


def mixture_renamed(task: Task, seed: int) -> Reader:
    """A Gaussian mixture whose components are then renamed with the help of the test labels."""
    from scipy.optimize import linear_sum_assignment
    from sklearn.mixture import GaussianMixture

    n_classes = task.lm.n_classes
    found = GaussianMixture(n_classes, covariance_type="diag", random_state=seed).fit(task.X_train)
    pairs = np.bincount(task.y_test * n_classes + found.predict(task.X_test), minlength=n_classes**2)
    labels, components = linear_sum_assignment(pairs.reshape(n_classes, n_classes), maximize=True)
    names = labels[np.argsort(components)]
    return lambda X: (names[found.predict(X)], None)


def supervised(task: Task, seed: int) -> Reader:
    """Logistic regression with all the labels, decoded under the label model like the others."""
    from sklearn.linear_model import LogisticRegression

    found = LogisticRegression(max_iter=300, random_state=seed).fit(task.X_train, task.y_train)
    usage = found.predict_proba(task.X_train).mean(axis=0)

    def read(X: NDArray) -> Labels:
        p = found.predict_proba(X)
        return p.argmax(axis=1), smooth((p / usage).astype(float), task.lm)

    return read


OURS = Method("Ventris", ventris)
CURVED = Method(f"Ventris, degree-{DEGREE} features", ventris_curved)
BOUNDS = (
    Method("Gaussian mixture, best permutation", mixture_renamed, is_bound=True),
    Method("supervised logistic regression", supervised, is_bound=True),
)
HMMS = (
    Method(f"hmmlearn, k-means, best of {N_STARTS}", hmmlearn_kmeans),
    Method(f"hmmlearn, random, best of {N_STARTS}", hmmlearn_random),
)
ONE_HMM = Method("hmmlearn, k-means, one start", hmmlearn_once)
MIXTURE_HMM = Method(f"hmmlearn GMMHMM, best of {N_SLOW_STARTS}", hmmlearn_mixture)
TORCH = (Method(f"torch SPDG, best of {N_SLOW_STARTS}", torch_spdg),) if find_spec("torch") else ()
POMEGRANATE = (
    (Method(f"pomegranate, random, best of {N_SLOW_STARTS}", pomegranate),)
    if find_spec("pomegranate")
    else ()
)
