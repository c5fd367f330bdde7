"""One chain read by everyone: with labels, without, knowing the truth, and by hmmlearn."""

from __future__ import annotations

import warnings
from importlib.util import find_spec
from typing import Any

import numpy as np

from ventris import objective
from ventris.classifier import SequenceClassifier
from ventris.classifiers.loglinear import LogLinear
from ventris.datasets import PaperChain
from ventris.datasets.paper_chains import MEANS
from ventris.datasets.references import STRENGTHS, fit_supervised, gaussian_likelihood, smooth
from ventris.errors import VentrisWarning
from ventris.label_model.identifiability import identifiability
from ventris.paper.faithful import draw_chain, error_rate
from ventris.paper.limits import VARIANCE, bayes_error, best_through_origin
from ventris.paper.units import Plain

NO_HMMLEARN = "hmmlearn is not installed (pip install 'ventris[paper]')"
_HMM_ITERATIONS = 100


def read_chain(number: int, seeds: int, hmm_starts: int) -> Plain:
    """Test errors of each reader on `seeds` draws of one chain, and what the label model alone says."""
    chain = draw_chain(number, 0)
    judged = identifiability(chain.lm)
    return {
        "chain": number,
        "transition": chain.transition.tolist(),
        "mutual_information": judged.mutual_information,
        "divergence": judged.divergence,
        "verdict": judged.verdict,
        "bayes": bayes_error(chain.lm.stationary()),
        "through_origin": best_through_origin(chain.lm.stationary()),
        "seeds": [_read_draw(draw_chain(number, seed), seed, hmm_starts) for seed in range(seeds)],
    }


def _read_draw(chain: PaperChain, seed: int, hmm_starts: int) -> dict[str, float | None]:
    learnt = learn_without_labels(chain, seed)
    return {
        "supervised": error_rate(tuned_supervised(chain), chain),
        "unsupervised": float(np.mean(learnt.predict(chain.test.X) != chain.test.y)),
        "decoded": float(np.mean(learnt.decode(chain.test.X) != chain.test.y)),
        "smoother": smoother_error(chain),
        "hmmlearn": hmmlearn_error(chain, seed, hmm_starts),
    }


def learn_without_labels(chain: PaperChain, seed: int, **parameters: Any) -> SequenceClassifier:
    """Our default, or `SequenceClassifier` with other parameters; doubts stay in its report."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", VentrisWarning)
        return SequenceClassifier(chain.lm, random_state=seed, **parameters).fit(chain.train.X)


def tuned_supervised(chain: PaperChain, gamma: float = 1.0) -> LogLinear:
    """The same classifier with the true labels, to convergence, its penalty chosen on validation data."""
    X, y = chain.train.X, chain.train.y
    fits = [fit_supervised(X, y, 2, gamma=gamma, l2=l2, max_iter=1000) for l2 in STRENGTHS]
    held_out = chain.validation
    return min(fits, key=lambda m: np.mean(m.posteriors(held_out.X).argmax(axis=1) != held_out.y))


def cost_of(model: LogLinear, chain: PaperChain, order: int = 2) -> float:
    """J − H of a classifier on a chain's training data (E1)."""
    expected = objective.expected_ngrams(model.posteriors(chain.train.X), order)
    return objective.excess_cost(chain.lm.joint(order), expected)


def smoother_error(chain: PaperChain) -> float:
    """Error of the decoder that knows means, covariance and chain: no reader of sequences has less."""
    likelihood = gaussian_likelihood(chain.test.X, MEANS, VARIANCE)
    return float(np.mean(smooth(likelihood, chain.lm) != chain.test.y))


def hmmlearn_error(chain: PaperChain, seed: int, starts: int) -> float | None:
    """Test error of hmmlearn's Gaussian HMM with the transitions fixed; None where it is not installed."""
    if find_spec("hmmlearn") is None:
        return None
    from hmmlearn.hmm import GaussianHMM

    found = []
    for start in range(starts):
        hmm = GaussianHMM(2, n_iter=_HMM_ITERATIONS, params="mc", init_params="mc",
                          random_state=1000 * seed + start)  # fmt: skip
        hmm.startprob_, hmm.transmat_ = chain.lm.stationary(), chain.transition
        hmm.fit(chain.train.X)
        found.append((hmm.score(chain.train.X), start, hmm))
    best = max(found)[2]
    return float(np.mean(best.predict_proba(chain.test.X).argmax(axis=1) != chain.test.y))
