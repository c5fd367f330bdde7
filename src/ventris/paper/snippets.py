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
message = "THE QUICK BROWN FOX JUMPS OVER THE LAZY DOG"
secret = vt.encipher(message, 23, kind="caesar")
found = vt.decipher(secret, kind="caesar")
print(secret)
print(found.plaintext, found.key)
""",
    "unigram": """\
import numpy as np
from ventris import objective
chain = vt.datasets.make_paper_chain(2, random_state=np.random.default_rng([0, 2]))
blind = np.tile(chain.lm.joint(1), (50_000, 1))  # the same output everywhere
for n in (1, 2):
    expected = objective.expected_ngrams(blind, n)
    print(f"{n}: {abs(objective.excess_cost(chain.lm.joint(n), expected)):.4f}")
""",
    "bigram": """\
X, test = chain.train.X, chain.test
print(chain.lm.joint(2).round(4))
clf = vt.SequenceClassifier(chain.lm, method="full-batch", n_init=3, random_state=0)
clf.fit(X)
print(f"J − H = {clf.excess_cost_:.4f}")
print(f"error = {np.mean(clf.predict(test.X) != test.y):.2%}")
""",
    "spdg": """\
clf = vt.SequenceClassifier(
    chain.lm, method="spdg", gamma=10, features="diagonal", dual_form="direct",
    batch_size=1, primal_lr=1e-3, dual_lr=1e-2, max_iter=100_000, n_init=4,
    random_state=0)
clf.fit(X)
print(f"J − H = {clf.excess_cost_:.4f}")
print(f"error = {np.mean(clf.predict(test.X) != test.y):.2%}")
""",
    "default": """\
clf = vt.SequenceClassifier(chain.lm, random_state=0).fit(X)
print(f"each point alone  {np.mean(clf.predict(test.X) != test.y):.2%}")
print(f"in its sequence   {np.mean(clf.decode(test.X) != test.y):.2%}")
""",
    "identifiability": """\
from ventris.label_model.identifiability import identifiability
for number in (2, 9):
    lm = vt.datasets.make_paper_chain(number, n_samples=12).lm
    print(f"{number}:", identifiability(lm).sentence)
""",
    "figures": """\
figure = vt.figures.surface(clf, X, kind="saddle", n=21)
figure = vt.figures.boundaries(clf, test.X)
print(figure)  # a matplotlib figure, to be kept with savefig
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
