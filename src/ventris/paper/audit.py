"""The audit: each misprint of the paper, what is right, and the number that decides, computed here and now.

`docs/method/errata.md` lists the same with the tests that keep it true.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ventris import objective
from ventris.ciphers import encipher
from ventris.classifiers.loglinear import LogLinear, weight_gradient
from ventris.data.ngrams import count_ngrams
from ventris.datasets.paper_chains import TRANSITIONS
from ventris.label_model.markov import stationary_distribution
from ventris.paper import limits, printed
from ventris.paper.faithful import draw_chain
from ventris.paper.settings import CHAINS, SHOWN
from ventris.paper.tables import Column, Table
from ventris.paper.units import Plain

Array = NDArray[np.floating]
GAMMA = 10.0
_OFFSETS = tuple(float(b) for b in np.linspace(-2, 2, 41))


def compute() -> Plain:
    """The misprints with their deciding numbers, and what the printed model can reach."""
    return {"misprints": [list(row) for row in _misprints()], "limits": _limits()}


# -------------------------------------------------------------------------------------------- misprints

Row = tuple[str, str, str, str]  # place, as printed, as it should be, the number that decides


def _misprints() -> list[Row]:
    return [*_objective_rows(), *_gradient_rows(), *_text_rows(), *_data_rows()]


def _objective_rows() -> list[Row]:
    lm, expected = _joint(SHOWN), np.array([[0.4, 0.3], [0.25, 0.05]])
    v = -np.geomspace(1e-3, 1e3, 1_000_001)
    off = float(np.max(0.5 * v + np.log(-v)) + np.log(0.5))
    apart = objective.cost(lm, expected) - objective.saddle(lm, expected, objective.optimal_dual(expected))
    along = [objective.saddle(lm, expected, f * objective.optimal_dual(expected)) for f in (0.5, 1.0, 2.0)]
    return [
        ("Lemma 1", "−ln u = max_{v<0} (uv + ln(−v))", "−ln u = max_{v<0} (uv + 1 + ln(−v))",
         f"at u = ½ the printed maximum is {abs(off):.4f} too low"),
        ("the saddle problem", "min J = min max L", "J = max_V L + Σ P",
         f"J − max L = {apart:.6f} on the example"),
        ("conjugate of −ln u", "f*(v) = −1 − ln v, v < 0", "f*(v) = −1 − ln(−v)",
         "the logarithm of a negative number does not exist"),
        ("prior", "p₀ + p₁ = 0", "p₀ + p₁ = 1", f"chain 2: {_prior(SHOWN).sum():.1f}"),
        ("divergence", "D(P ‖ P)", "D(P ‖ P̄)",
         f"the printed one is always {objective.excess_cost(lm, lm):.1f}; "
         f"meant is {objective.excess_cost(lm, expected):.4f}"),
        ("surfaces", "Z = J(θ* + …, V⁰ + …)", "Z = L(θ⁰ + …, V⁰ + …)",
         "J has no V; L at ½V⁰, V⁰, 2V⁰: " + ", ".join(_minus(x) for x in along)),
    ]  # fmt: skip


def _gradient_rows() -> list[Row]:
    bigram = [_gradient_errors(seed) for seed in range(10)]
    wrong, right = max(row[0] for row in bigram), max(row[1] for row in bigram)
    least = min(row[0] for row in bigram)
    printed_slope, own_slope = _unigram_errors()
    theta, X, dual = _case(0)
    p, lm = _posteriors(theta, X), _joint(SHOWN)
    expected = objective.expected_ngrams(p, 2)
    truth = objective.dual_gradient(lm, expected, dual)
    product = _relative(lm @ expected + lm / dual, truth)
    elements = np.array([[np.mean(p[1:, i] * p[:-1, j]) for j in (0, 1)] for i in (0, 1)])
    return [
        ("bigram ∂L/∂θ", "one factor γp_{t−1}(0)p_{t−1}(1) for both terms, and (P⊙V)ᵀX_tᵀp_{t−1}",
         "γp_{t−1}(0)p_{t−1}(1) X_{t−1}ᵀAp_t + γp_t(0)p_t(1) X_tᵀAᵀp_{t−1}, A = P⊙V",
         f"against finite differences, ten draws: {100 * least:.0f}–{100 * wrong:.0f} % off; "
         f"corrected {right:.0e}"),
        ("unigram ∂L/∂θ", "factor p_{t−1}(0)p_{t−1}(1)", "factor p_t(0)p_t(1)",
         f"{100 * printed_slope:.0f} % off; corrected {own_slope:.0e}"),
        ("bigram ∂L/∂V", "P · (p_{t−1}p_tᵀ), a matrix product", "P ⊙ (p_{t−1}p_tᵀ), element by element",
         f"{100 * product:.0f} % off"),
        ("bigram P̄, element form", "entry (0, 1) = mean p_t(0)p_{t−1}(1)", "mean p_{t−1}(0)p_t(1)",
         f"the two printed forms differ by {np.abs(elements - expected).max():.3f}, by a transpose "
         f"{np.abs(elements.T - expected).max():.0e}"),
        ("bigram sums", "(1/T) Σ_{t=1…T} with p_{t−1}", "over the T − 1 windows",
         f"with T = 12 the printed table sums to {11 / 12 * expected.sum():.4f}"),
    ]  # fmt: skip


def _text_rows() -> list[Row]:
    right = encipher(printed.PLAINTEXT, printed.KEY, kind="caesar")
    matching = sum(encipher(printed.PLAINTEXT, k, kind="caesar") == printed.CIPHERTEXT for k in range(26))
    return [
        ("Caesar example", printed.CIPHERTEXT, right, f"keys that give the printed text: {matching} of 26"),
        ("Table 2, Exp1", "[0.692, 0.307], 30.7 %", "[0.692, 0.308], 30.8 %",
         f"the printed prior sums to {sum(printed.PRIORS[0]):.3f}"),
        ("unigram text", "“constantly predicts class with label 1”", "class 0, the majority",
         f"always 1 would err by {100 * _prior(SHOWN)[0]:.1f} %, not by the printed 30.8 %"),
        ("discussion of Table 3", "cites the unigram table", "the bigram table",
         "the unigram table has no unsupervised column"),
    ]  # fmt: skip


def _data_rows() -> list[Row]:
    chain = draw_chain(SHOWN, 0)
    y = np.concatenate([chain.train.y, chain.validation.y, chain.test.y])
    shuffled = np.random.default_rng(0).permutation(y)[:50_000]
    columns = TRANSITIONS[SHOWN - 1].sum(axis=0)
    flip = np.array([[0.0, 1.0], [1.0, 0.0]])
    even, odd = (np.linalg.matrix_power(flip, n)[0] for n in (1000, 1001))
    return [
        ("sampling", "p(y_t = i | y_{t−1} = j) = P_Trans(i, j)", "P_Trans(i, j) = p(y_t = j | y_{t−1} = i)",
         f"read as printed, chain 2's probabilities sum to {columns[0]:g} and {columns[1]:g}"),
        ("steady state", "e · P^∞", "solve πP = π, Σπ = 1",
         f"a chain that alternates: P¹⁰⁰⁰ gives {even.tolist()}, P¹⁰⁰¹ {odd.tolist()}; "
         f"π = {stationary_distribution(flip).tolist()}"),
        ("split", "“randomly split”", "contiguous",
         f"distance of the bigrams from the label model: contiguous {_distance(chain.train.y):.3f}, "
         f"shuffled {_distance(shuffled):.3f}"),
    ]  # fmt: skip


def _minus(value: float) -> str:
    return f"{value:.3f}".replace("-", "−")


def _distance(labels: NDArray) -> float:
    table = count_ngrams(labels, 2, 2).dense() / (len(labels) - 1)
    return float(np.abs(table - _joint(SHOWN)).sum())


def _prior(number: int) -> Array:
    return stationary_distribution(TRANSITIONS[number - 1])


def _joint(number: int) -> Array:
    return _prior(number)[:, None] * TRANSITIONS[number - 1]


# -------------------------------------------------------------------------------------------- gradients


def _case(seed: int) -> tuple[Array, Array, Array]:
    """Weights (w_a, w_b), twelve points, and a dual table."""
    rng = np.random.default_rng(seed)
    return rng.standard_normal(2) * 0.3, rng.standard_normal((12, 2)), -rng.uniform(1, 9, (2, 2))


def _posteriors(theta: Array, X: Array) -> Array:
    return LogLinear(np.diag(theta), np.zeros(2), GAMMA).posteriors(X)


def _differences(theta: Array, X: Array, lm: Array, dual: Array, step: float = 1e-6) -> Array:
    """∂L/∂θ by central differences: what any closed form must agree with."""

    def value(w: Array) -> float:
        return objective.saddle(lm, objective.expected_ngrams(_posteriors(w, X), lm.ndim), dual)

    return np.array([(value(theta + s) - value(theta - s)) / (2 * step) for s in step * np.eye(2)])


def _signs(x: Array) -> Array:
    """The paper's X of one point."""
    return np.array([[x[0], -x[1]], [-x[0], x[1]]])


def _relative(found: Array, truth: Array) -> float:
    return float(np.abs(found - truth).max() / np.abs(truth).max())


def _gradient_errors(seed: int) -> tuple[float, float]:
    """Relative errors of the printed bigram gradient and of ours (E7)."""
    theta, X, dual = _case(seed)
    lm, p = _joint(SHOWN), _posteriors(theta, X)
    truth, A, slope = _differences(theta, X, lm, dual), lm * dual, GAMMA * p.prod(axis=1)
    as_printed = np.mean(
        [slope[t - 1] * (_signs(X[t - 1]).T @ A @ p[t] + A.T @ _signs(X[t]).T @ p[t - 1])
         for t in range(1, len(X))], axis=0)  # fmt: skip
    ours = np.diag(weight_gradient(X, objective.logit_gradient(p, lm, dual), GAMMA)[0])
    return _relative(as_printed, truth), _relative(ours, truth)


def _unigram_errors() -> tuple[float, float]:
    """The same for the unigram gradient: the slope of the point before, and of the point itself."""
    theta, X, _ = _case(0)
    lm, dual = _prior(SHOWN), np.array([-1.3, -4.0])
    truth, slope = _differences(theta, X, lm, dual), GAMMA * _posteriors(theta, X).prod(axis=1)
    pull = np.array([(lm * dual) @ _signs(x) for x in X])
    as_printed = np.mean(slope[:-1, None] * pull[1:], axis=0)
    return _relative(as_printed, truth), _relative(np.mean(slope[:, None] * pull, axis=0), truth)


# ------------------------------------------------------------------------------ what the model can reach


def _limits() -> list[Plain]:
    return [
        {
            "chain": number,
            "through_origin": limits.best_through_origin(_prior(number)),
            "bayes": limits.bayes_error(_prior(number)),
            "least_cost_printed": limits.error_at_least_cost(_joint(number), (0.0,)),
            "least_cost": limits.error_at_least_cost(_joint(number), _OFFSETS),
        }
        for number in CHAINS
    ]


def misprint_table(data: Plain) -> Table:
    """Every misprint, one row each."""
    columns = tuple(Column(name) for name in ("place", "printed", "correct", "the number that decides"))
    return Table("audit", "Misprints, and what decides them", columns, data["misprints"])


def limit_table(data: Plain) -> Table:
    """What the printed model can reach, beside what was printed."""
    columns = (
        Column("chain"),
        Column("best line through the origin", "%", 2),
        Column("Bayes, with an intercept", "%", 2),
        Column("paper: supervised", "%", 2),
        Column("paper: unsupervised", "%", 2),
        Column("least J without intercept: error", "%", 1),
        Column("least J with intercept: error", "%", 2),
    )
    rows: list[list[Any]] = [
        [
            row["chain"],
            100 * row["through_origin"],
            100 * row["bayes"],
            printed.SUPERVISED_ERRORS[row["chain"] - 1],
            printed.UNSUPERVISED_ERRORS[row["chain"] - 1],
            100 * row["least_cost_printed"],
            100 * row["least_cost"],
        ]
        for row in data["limits"]
    ]
    note = "In closed form, for the printed means and covariance and endless data."
    return Table("limits", "The printed model cannot produce the printed table", columns, rows, note)
