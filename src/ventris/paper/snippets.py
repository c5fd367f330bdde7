"""The code that the page shows, run one piece after another, with what it printed."""

from __future__ import annotations

import contextlib
import io
import warnings
from typing import Any

from ventris.errors import VentrisWarning
from ventris.paper.units import Plain

SNIPPETS = {
    "caesar": """\
import ventris as vt
secret = vt.encipher("THE QUICK BROWN FOX JUMPS OVER THE LAZY DOG", 23, kind="caesar")
found = vt.decipher(secret, kind="caesar")
print(secret)
print(found.plaintext, found.key)
""",
    "unigram": """\
import numpy as np
from ventris.loglinear import LogLinear
from ventris.objective import excess_cost, expected_ngrams
chain = vt.datasets.make_paper_chain(2, random_state=np.random.default_rng([0, 2]))
blind = LogLinear(np.zeros((2, 2)), np.log(chain.lm.joint(1))).posteriors(chain.train.X)
for n in (1, 2):
    print(n, round(excess_cost(chain.lm.joint(n), expected_ngrams(blind, n)), 4))
""",
    "bigram": """\
print(chain.lm.joint(2).round(4))
clf = vt.SequenceClassifier(chain.lm, method="full-batch", random_state=0).fit(chain.train.X)
print(f"J − H = {clf.excess_cost_:.4f}, error {np.mean(clf.predict(chain.test.X) != chain.test.y):.2%}")
""",
    "spdg": """\
clf = vt.SequenceClassifier(
    chain.lm, method="spdg", gamma=10, features="diagonal", dual_form="direct", batch_size=1,
    primal_lr=1e-3, dual_lr=1e-2, max_iter=100_000, random_state=0).fit(chain.train.X)
print(f"J − H = {clf.excess_cost_:.4f}, error {np.mean(clf.predict(chain.test.X) != chain.test.y):.2%}")
""",
    "default": """\
clf = vt.SequenceClassifier(chain.lm, random_state=0).fit(chain.train.X)
print(f"alone       {np.mean(clf.predict(chain.test.X) != chain.test.y):.2%}")
print(f"in sequence {np.mean(clf.decode(chain.test.X) != chain.test.y):.2%}")
""",
    "identifiability": """\
from ventris.identifiability import identifiability
for number in (2, 9):
    print(number, identifiability(vt.datasets.make_paper_chain(number, n_samples=12).lm).sentence)
""",
    "figures": """\
figure = vt.figures.surface(clf, chain.train.X, kind="saddle", n=21)
figure = vt.figures.boundaries(clf, chain.test.X)
print("figure.savefig('boundaries.png') writes it")
""",
}


def compute() -> Plain:
    """Run every snippet in one namespace, in order; doubts are silenced here and told in the text."""
    space: dict[str, Any] = {}
    return {name: {"code": code, "printed": _run(code, space)} for name, code in SNIPPETS.items()}


def _run(code: str, space: dict[str, Any]) -> str:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), warnings.catch_warnings():
        warnings.simplefilter("ignore", VentrisWarning)
        exec(code, space)
    return printed.getvalue()
