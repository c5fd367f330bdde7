"""
Two labels that nobody gave
===========================

The paper's second data set: points in the plane, each of one of two labels, and a Markov chain that says
how labels follow one another. ``fit`` gets the points and the chain. The classifier it finds is held
against one that was shown all labels.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import LogisticRegression

import ventris as vt

# %%
# Make: 50,000 points in their order of time, and the chain. After a 1 there is nearly always a 0.

chain = vt.datasets.make_paper_chain(2)
print(chain.lm.conditional(2))

# %%
# Fit: no label goes in. What the answer is worth can be told all the same.

clf = vt.SequenceClassifier(chain.lm, random_state=0).fit(chain.train.X)
print(clf.report_.in_words())

# %%
# Look: beside a classifier that was told every label.

taught = LogisticRegression().fit(chain.train.X, chain.train.y)
for name, labels in {
    "without labels, each point alone": clf.predict(chain.test.X),
    "without labels, in its sequence": clf.decode(chain.test.X),
    "with every label, each point alone": taught.predict(chain.test.X),
}.items():
    print(f"{name}: {100 * np.mean(labels != chain.test.y):.2f} % wrong")

# %%
# Draw: the two lines lie on top of one another.

weights, intercept = clf.coef_[1] - clf.coef_[0], clf.intercept_[1] - clf.intercept_[0]
lines = {
    "without labels": (weights, intercept, {"color": "black", "lw": 3}),
    "with labels": (taught.coef_[0], taught.intercept_[0], {"color": "white", "ls": "--", "lw": 1}),
}
figure, axes = plt.subplots(figsize=(6, 4.5), layout="constrained")
X, y = chain.test.X[:2000], chain.test.y[:2000]
axes.scatter(*X.T, c=np.where(y == 0, "tab:blue", "tab:orange"), s=6, alpha=0.6)
across = np.array([X[:, 0].min(), X[:, 0].max()])
for name, (w, b, style) in lines.items():
    axes.plot(across, -(w[0] * across + b) / w[1], label=name, **style)
axes.set(ylim=(X[:, 1].min(), X[:, 1].max()), title="Coloured by labels that nobody used")
axes.legend(facecolor="lightgrey")
plt.show()
