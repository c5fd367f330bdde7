"""Algorithm 1, stochastic primal-dual gradient (SPDG), readable as in the paper: one update, pure functions.

    repeat   draw a batch of subsequences, compute P̄ on it
             θ ← θ − μ_θ ∂L/∂θ        V ← V + μ_V ∂L/∂V, V < 0                                        (E8)

The compiled twins are in `ventris.kernels`; `spdg_loop` repeats the update and decides when to stop.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ventris.classifiers.loglinear import LogLinear, weight_gradient
from ventris.data.sequences import check_lengths
from ventris.errors import DataError, ParameterError
from ventris.kernels.spdg import MAX_LOG_STEP
from ventris.objective import dual_gradient, expected_ngrams, logit_gradient, optimal_dual
from ventris.solvers import defaults
from ventris.solvers.problem import Problem
from ventris.solvers.starts import starting_dual

Array = NDArray[np.floating]
DualForm = Literal["direct", "log", "naive"]
Features = Literal["full", "diagonal"]


@dataclass(frozen=True)
class SPDGSettings:
    """Everything about an update that does not change from one to the next.

    Parameters
    ----------
    gamma : float
        γ of the classifier (E9).
    primal_lr, dual_lr : float
        μ_θ and μ_V.
    decay : float
        Update τ uses rate / (1 + decay τ); 0 keeps the rates fixed, as the paper does.
    batch_size : int
        Subsequences in a minibatch.
    subsequence_length : int
        Points in a subsequence: 10 points hold 9 bigram windows, or 8 trigram windows.
    dual_form : {"log", "direct", "naive"}
        "log" ascends a, V = −exp(a), with the gradient divided by P_LM: rare n-grams then learn as fast as
        common ones. "direct" ascends V itself, as printed, projected onto V ≤ −floor; its V starts far from
        the optimum and must outrun θ, so it needs slower primal rates than the default (1e-3 at γ = 10).
        "naive" has no running dual: it descends the J of each small batch, the bias the paper warns of.
    floor : float
        Least magnitude of a dual variable in the direct form.
    features : {"full", "diagonal"}
        "diagonal" keeps the paper's two-weight form: class c sees feature c alone.
    fit_intercept : bool

    Examples
    --------
    >>> SPDGSettings.as_printed().primal_lr
    1e-06
    """

    gamma: float = 1.0
    primal_lr: float = defaults.PRIMAL_LR
    dual_lr: float = defaults.DUAL_LR
    decay: float = 0.0
    batch_size: int = defaults.BATCH_SIZE
    subsequence_length: int = defaults.SUBSEQUENCE_LENGTH
    dual_form: DualForm = defaults.DUAL_FORM
    floor: float = 1e-8
    features: Features = "full"
    fit_intercept: bool = True

    @classmethod
    def as_printed(cls) -> SPDGSettings:
        """The paper's Table 1 and two-weight classifier."""
        return cls(10.0, 1e-6, 1e-4, 0.0, 1, 10, "direct", features="diagonal", fit_intercept=False)

    def __post_init__(self) -> None:
        for name in ("gamma", "primal_lr", "dual_lr", "floor", "batch_size", "subsequence_length"):
            _require(getattr(self, name) > 0, f"{name} must be positive", getattr(self, name))
        _require(self.decay >= 0, "decay must not be negative", self.decay)
        for name, options in (("dual_form", get_args(DualForm)), ("features", get_args(Features))):
            _require(getattr(self, name) in options, f"{name} must be one of {options}", getattr(self, name))

    def rates(self, update: int) -> tuple[float, float]:
        """μ_θ and μ_V at one update."""
        slowing = 1.0 / (1.0 + self.decay * update)
        return slowing * self.primal_lr, slowing * self.dual_lr


def _require(truth: bool, expected: str, got: object) -> None:
    if not truth:
        raise ParameterError(expected, f"it is {got!r}", "Choose a value in that domain")


@dataclass(frozen=True, eq=False)  # arrays have no single truth value to compare by
class SPDGState:
    """What an update changes: θ = (coef, intercept) and V = dual.

    Attributes
    ----------
    coef : array of shape (C, D)
    intercept : array of shape (C,)
    dual : array of shape (C,) * order
        Always negative.
    """

    coef: Array
    intercept: Array
    dual: Array

    def model(self, gamma: float) -> LogLinear:
        """The classifier p_θ."""
        return LogLinear(self.coef, self.intercept, gamma)


def project_negative(dual: Array, floor: float) -> Array:
    """The nearest V whose every entry is at most −floor.

    V must stay negative for ln(−V) to exist. The paper has no projection, and needs none at its rates: a
    direct step can cross zero only when μ_V P P̄² ≥ 4.

    Examples
    --------
    >>> project_negative(np.array([-2.0, 0.5]), floor=0.1)
    array([-2. , -0.1])
    """
    return np.minimum(dual, -floor)


def direct_ascent(dual: Array, lm_prob: Array, expected_prob: Array, rate: float, floor: float) -> Array:
    """V + μ_V ∂L/∂V, kept negative by `project_negative` (E6, E8; projected gradient).

    Examples
    --------
    >>> direct_ascent(np.array([-4.0]), np.array([1.0]), np.array([0.5]), rate=1.0, floor=1e-8)
    array([-3.75])
    """
    return project_negative(dual + rate * dual_gradient(lm_prob, expected_prob, dual), floor)


def log_ascent(dual: Array, lm_prob: Array, expected_prob: Array, rate: float) -> Array:
    """Ascent on a, where V = −exp(a), with the gradient divided by P_LM (E8; exponentiated gradient).

    ∂L/∂a = ∂L/∂V · V = P (V P̄ + 1) by (E6), so the preconditioned step is a + μ_V (1 + V P̄), which
    multiplies V by exp(μ_V (1 + V P̄)). The exponent is bounded by ±1: a rare n-gram (V = −1e6) met once in a
    small batch would otherwise send its V to zero. N-grams of no probability do not pull on θ and stay.

    References
    ----------
    J. Kivinen and M. K. Warmuth, "Exponentiated Gradient versus Gradient Descent for Linear Predictors",
    Information and Computation 132 (1), 1997, 1–63.

    Examples
    --------
    >>> log_ascent(np.array([-2.0, -4.0]), np.array([0.5, 0.5]), np.array([0.5, 0.5]), rate=0.1).round(4)
    array([-2.    , -3.6193])
    """
    step = np.clip(rate * (1.0 + dual * expected_prob), -MAX_LOG_STEP, MAX_LOG_STEP)
    return np.where(lm_prob > 0, dual * np.exp(step), dual)


def free_weights(n_classes: int, n_features: int, settings: SPDGSettings) -> Array:
    """1 for each weight that may move, 0 for the others: (C, D + 1), the intercept last.

    Examples
    --------
    >>> free_weights(2, 2, SPDGSettings(features="diagonal", fit_intercept=False))
    array([[1., 0., 0.],
           [0., 1., 0.]])
    """
    if settings.features == "diagonal" and n_classes != n_features:
        raise ParameterError(
            "Diagonal features need one feature to a class",
            f"there are {n_features} features and {n_classes} classes",
            'Use features="full"',
        )
    coef = np.eye(n_classes) if settings.features == "diagonal" else np.ones((n_classes, n_features))
    return np.column_stack([coef, np.full(n_classes, float(settings.fit_intercept))])


def spdg_step(
    state: SPDGState, X: Array, lm_prob: Array, settings: SPDGSettings, update: int = 0
) -> SPDGState:
    """One synchronous update of Algorithm 1, both gradients at the old point (E8; primal–dual gradient).

    Parameters
    ----------
    state : SPDGState
    X : array of shape (B, subsequence_length, D)
        The minibatch. A subsequence of 10 points holds 9 bigram windows.
    lm_prob : array of shape (C,) * order
    settings : SPDGSettings
    update : int
        τ, for decaying rates.

    Returns
    -------
    SPDGState

    References
    ----------
    Y. Liu, L. Deng, J. Chen and C. W. Chen, "From Caesar Cipher to Unsupervised Learning: A New Method for
    Classifier Parameter Estimation", 2019.

    Examples
    --------
    >>> state = SPDGState(np.eye(2), np.zeros(2), np.full((2, 2), -4.0))
    >>> after = spdg_step(state, np.ones((1, 10, 2)), np.full((2, 2), 0.25), SPDGSettings(dual_form="direct"))
    >>> bool(np.all(after.dual == -4.0))  # all outputs are even, so V = −1/P̄ is already optimal
    True
    """
    posteriors, expected_prob, lengths = _outputs(state, X, lm_prob, settings)
    _, dual_lr = settings.rates(update)
    if settings.dual_form == "direct":
        dual = direct_ascent(state.dual, lm_prob, expected_prob, dual_lr, settings.floor)
    else:
        dual = log_ascent(state.dual, lm_prob, expected_prob, dual_lr)
    gradient = logit_gradient(posteriors, lm_prob, state.dual, lengths)  # (B L, C), at the old V
    return _descended(state, X, gradient, dual, settings, update)


def naive_minibatch_step(
    state: SPDGState, X: Array, lm_prob: Array, settings: SPDGSettings, update: int = 0
) -> SPDGState:
    """One step down the minibatch's own J: its dual is the batch's −1/P̄ (E5), forgotten afterwards.

    The logarithm of a small average is biased, so this does not descend the J of all data. The arguments are
    those of `spdg_step`; the dual is handed on untouched.
    """
    posteriors, expected_prob, lengths = _outputs(state, X, lm_prob, settings)
    gradient = logit_gradient(posteriors, lm_prob, optimal_dual(expected_prob), lengths)
    return _descended(state, X, gradient, state.dual, settings, update)


def _outputs(
    state: SPDGState, X: Array, lm_prob: Array, settings: SPDGSettings
) -> tuple[Array, Array, NDArray]:
    """Posteriors (B L, C), their expected n-grams (E2), and the subsequences' lengths."""
    lengths = np.full(X.shape[0], X.shape[1])
    posteriors = state.model(settings.gamma).posteriors(X.reshape(-1, X.shape[2]))
    return posteriors, expected_ngrams(posteriors, lm_prob.ndim, lengths), lengths


def _descended(
    state: SPDGState, X: Array, gradient: Array, dual: Array, settings: SPDGSettings, update: int
) -> SPDGState:
    """θ − μ_θ ∂L/∂θ for the weights that may move, beside the new dual."""
    n_classes, n_features = state.coef.shape
    free = free_weights(n_classes, n_features, settings)
    coef, intercept = weight_gradient(X.reshape(-1, X.shape[2]), gradient, settings.gamma)
    primal_lr, _ = settings.rates(update)
    return SPDGState(
        state.coef - primal_lr * free[:, :-1] * coef,
        state.intercept - primal_lr * free[:, -1] * intercept,
        dual,
    )


def draw_batches(
    rng: np.random.Generator,
    lengths: ArrayLike,
    subsequence_length: int,
    batch_size: int,
    n_updates: int,
) -> NDArray[np.int64]:
    """First points of the subsequences of many minibatches, uniform over those inside one sequence.

    Sequences shorter than `subsequence_length` hold none and are never drawn.

    Returns
    -------
    int array of shape (n_updates, batch_size)

    Examples
    --------
    >>> draw_batches(np.random.default_rng(0), [3, 4, 9], 4, 2, 3).tolist()
    [[11, 10], [9, 7], [8, 3]]
    """
    lengths = np.asarray(lengths, dtype=np.int64)
    room = np.maximum(lengths - subsequence_length + 1, 0)  # starts in each sequence
    if not room.any():
        raise DataError(
            f"At least one sequence must hold {subsequence_length} points, the subsequence length",
            f"the longest has {int(lengths.max())}",
            "Lower subsequence_length or give longer sequences",
        )
    drawn = rng.integers(room.sum(), size=(n_updates, batch_size))
    if len(lengths) == 1:
        return drawn
    ends = np.cumsum(room)
    owner = np.searchsorted(ends, drawn, side="right")
    return drawn + (np.cumsum(lengths) - lengths - (ends - room))[owner]


def initial_state(
    rng: np.random.Generator,
    X: Array,
    lengths: ArrayLike | None,
    lm_prob: Array,
    settings: SPDGSettings,
    scale: float = 0.1,
) -> SPDGState:
    """A random start: weights N(0, scale²), no intercept, and the dual of `starting_dual`."""
    n_classes, n_features = lm_prob.shape[0], X.shape[1]
    free = free_weights(n_classes, n_features, settings)
    coef = scale * free[:, :-1] * rng.standard_normal((n_classes, n_features))
    start = LogLinear(coef, np.zeros(n_classes), settings.gamma)
    problem = Problem(X, check_lengths(lengths, len(X)), lm_prob, settings.gamma)
    return SPDGState(coef, start.intercept, starting_dual(problem, start, settings.dual_form, rng))
