"""The defaults of Algorithm 1, in one place for settings, solver, classifier and command line.

Plain numbers and nothing imported: the command line shows them before it loads anything.
"""

from __future__ import annotations

from typing import Literal

BATCH_SIZE = 10  # subsequences in a minibatch. Unmeasured; the paper's ten points make one of them.
SUBSEQUENCE_LENGTH = 10  # points in each: the paper's batch
# At these rates SPDG reads 30 chains of 30 (docs/proof/acceptance.md); the rest unmeasured. Paper: 1e-6
# and 1e-4, with γ = 10 and V itself moved.
PRIMAL_LR, DUAL_LR = 0.1, 0.05
DUAL_FORM: Literal["log"] = "log"  # rare n-grams then learn as fast as common ones
