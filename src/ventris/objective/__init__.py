"""J, its saddle form L and their gradients (E1–E7): arrays in, numbers out.

>>> from ventris import objective
>>> round(objective.cost([0.5, 0.5], [0.25, 0.75]), 4)
0.837
"""

from ventris.objective.dense import (
    TINY,
    cost,
    cost_and_logit_gradient,
    dual_gradient,
    dual_weights,
    entropy,
    excess_cost,
    expected_ngrams,
    floored_cost,
    khatri_rao,
    logit_gradient,
    optimal_dual,
    saddle,
)

__all__ = [
    "TINY",
    "cost",
    "cost_and_logit_gradient",
    "dual_gradient",
    "dual_weights",
    "entropy",
    "excess_cost",
    "expected_ngrams",
    "floored_cost",
    "khatri_rao",
    "logit_gradient",
    "optimal_dual",
    "saddle",
]
