"""Table 4: every quantity of the method, the function that computes it, and its value on four points."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from ventris import objective
from ventris.classifiers.loglinear import LogLinear, weight_gradient
from ventris.label_model.model import NgramModel
from ventris.paper.tables import Column, Table
from ventris.paper.units import Plain

# Four points, the weights w_a = −0.2 and w_b = 0.1, γ = 10, and the paper's example of a chain.
POINTS = np.array([[-0.5, -0.3], [1.6, 0.2], [-0.6, 0.1], [-0.4, -0.2]])
MODEL = LogLinear(np.diag([-0.2, 0.1]), np.zeros(2), 10.0)
LABELS = NgramModel.from_transition_matrix([[0.6, 0.4], [0.9, 0.1]])

_FORMULAS = {
    "P_LM": ("[p₀ p₁]", "diag(p_st) P_Trans"),
    "P̄": ("(1/T) Σ_t p_t", "(1/(T−1)) Σ_t p_{t−1} p_tᵀ"),
    "J(θ)": ("−P · ln P̄", "−⟨P, ln P̄⟩"),
    "V⁰": ("−1 / P̄", "−1 / P̄"),
    "L(θ, V)": ("(P⊙V) · P̄ + P · ln(−V)", "(1/(T−1)) Σ_t p_{t−1}ᵀ(P⊙V)p_t + ⟨P, ln(−V)⟩"),
    "∂L/∂θ": (
        "(1/T) Σ_t γ p_t(0)p_t(1) (P⊙V) X_t",
        "(1/(T−1)) Σ_t [γ p_{t−1}(0)p_{t−1}(1) X_{t−1}ᵀ A p_t + γ p_t(0)p_t(1) X_tᵀ Aᵀ p_{t−1}], A = P⊙V",
    ),
    "∂L/∂V": ("P⊙P̄ + P/V", "P⊙P̄ + P/V"),
}
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "P_LM": NgramModel.joint,
    "P̄": objective.expected_ngrams,
    "J(θ)": objective.cost,
    "V⁰": objective.optimal_dual,
    "L(θ, V)": objective.saddle,
    "∂L/∂θ": objective.logit_gradient,
    "∂L/∂V": objective.dual_gradient,
}


def compute() -> Plain:
    """All of it for both orders; L and its slopes are taken at V = −2, where no slope is zero."""
    return {
        "points": POINTS.tolist(),
        "weights": np.diag(MODEL.coef).tolist(),
        "gamma": MODEL.gamma,
        "values": {name: [_values(order)[name] for order in (1, 2)] for name in _FORMULAS},
        "functions": {name: _name(f) for name, f in FUNCTIONS.items()},
        "sources": {_name(f): inspect.getsource(f) for f in FUNCTIONS.values()},
    }


def _values(order: int) -> dict[str, Any]:
    lm_prob, posteriors = LABELS.joint(order), MODEL.posteriors(POINTS)
    expected = objective.expected_ngrams(posteriors, order)
    dual = np.full(lm_prob.shape, -2.0)
    logits = objective.logit_gradient(posteriors, lm_prob, dual)
    found = {
        "P_LM": lm_prob,
        "P̄": expected,
        "J(θ)": objective.cost(lm_prob, expected),
        "V⁰": objective.optimal_dual(expected),
        "L(θ, V)": objective.saddle(lm_prob, expected, dual),
        "∂L/∂θ": np.diag(weight_gradient(POINTS, logits, MODEL.gamma)[0]),  # the two free weights
        "∂L/∂V": objective.dual_gradient(lm_prob, expected, dual),
    }
    return {name: np.round(np.asarray(value), 6).tolist() for name, value in found.items()}


def _name(function: Callable[..., Any]) -> str:
    return f"{function.__module__}.{function.__qualname__}"


def table(data: Plain) -> Table:
    """Table 4 with one row a quantity."""
    columns = tuple(
        Column(name) for name in ("quantity", "unigram", "its value", "bigram", "its value ", "function")
    )
    rows = []
    for name, (unigram, bigram) in _FORMULAS.items():
        first, second = data["values"][name]
        rows.append([name, unigram, _show(first), bigram, _show(second), data["functions"][name]])
    note = "Four points, w_a = −0.2, w_b = 0.1, γ = 10, chain 2's label model; L and its slopes at V = −2."
    return Table("table4", "The computation, step by step", columns, rows, note)


def _show(value: Any) -> str:
    """Nested lists of numbers, rows parted by a semicolon.

    Examples
    --------
    >>> _show(0.5), _show([0.25, -1]), _show([[1, 2], [3, 4.5]])
    ('0.5000', '[0.2500 −1.0000]', '[1.0000 2.0000; 3.0000 4.5000]')
    """
    if not isinstance(value, list):
        return f"{value:.4f}".replace("-", "−")
    if isinstance(value[0], list):
        return "[" + "; ".join(_show(row)[1:-1] for row in value) + "]"
    return "[" + " ".join(_show(part) for part in value) + "]"
