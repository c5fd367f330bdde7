"""What the paper prints: its message, its settings, its tables."""

from __future__ import annotations

TITLE = "From Caesar Cipher to Unsupervised Learning: A New Method for Classifier Parameter Estimation"
AUTHORS = "Y. Liu, L. Deng, J. Chen, C. W. Chen"

PLAINTEXT = "THE QUICK BROWN FOX JUMPS OVER THE LAZY DOG"
CIPHERTEXT = "QEB NRFZH YOLTK CLU GRJMP LSBO IXWV ALD"  # as printed: the second THE is missing
KEY = 23  # "three letters up": T becomes Q

# Table 1: name, symbol, value.
HYPER_PARAMETERS = (
    ("learning rate of the weights", "μ_θ", 1e-6),
    ("learning rate of the dual variables", "μ_V", 1e-4),
    ("mini-batch size", "N", 10),
    ("training points", "T_trn", 50_000),
    ("test points", "T_tst", 5_000),
    ("validation points", "T_val", 5_000),
)

# Table 2: the priors as printed, and the error rates in per cent.
PRIORS = ((0.692, 0.307), (0.385, 0.615), (0.583, 0.417), (0.692, 0.308), (0.667, 0.333))
UNIGRAM_ERRORS = (30.7, 38.5, 41.6, 30.8, 33.3)

# Table 3, chain by chain, in per cent.
SUPERVISED_ERRORS = (5.38, 3.62, 2.95, 2.79, 1.06, 4.52, 5.66, 5.13, 3.89, 5.70)
UNSUPERVISED_ERRORS = (5.55, 3.63, 2.96, 2.79, 1.06, 4.54, 6.25, 5.66, 6.65, 5.70)
