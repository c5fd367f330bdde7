"""
A label model that is only roughly right, and the report that says so
=====================================================================

Transitions are rarely known to two digits. Here the label model is a guess. The data insist on other
transitions, the label model moves towards them, and the report says which pairs were off and what the
answer is worth.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np

import ventris as vt

# %%
# Make: five states, and a guess of how they follow one another: the truth mixed with another chain.

true_lm, means = vt.datasets.random_hmm(5, n_features=4, random_state=0)
other = vt.datasets.random_hmm(5, random_state=1)[0].conditional(2)
guess = vt.NgramModel.from_transition_matrix(0.7 * true_lm.conditional(2) + 0.3 * other)
data = vt.datasets.make_gaussian_hmm(true_lm, means, n_samples=20_000, random_state=2)
train, test = data.part(0, 15_000), data.part(15_000, 20_000)

# %%
# Fit: the doubt is a warning by name, so that a program can listen to it.

with warnings.catch_warnings(record=True) as doubts:
    warnings.simplefilter("always")
    clf = vt.SequenceClassifier(guess, random_state=0).fit(train.X)
for doubt in doubts:
    print(f"{doubt.category.__name__}: {doubt.message}")

# %%
# Look: the whole report, and what believing the guess to the end (``adapt=False``) would have cost.

print(clf.report_)
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    stubborn = vt.SequenceClassifier(guess, adapt=False, random_state=0).fit(train.X)
for name, each in {"adapted": clf, "as guessed": stubborn}.items():
    print(f"label model {name}: {100 * np.mean(each.decode(test.X) != test.y):.2f} % wrong in sequence")

# %%
# Draw: the guess, what became of it, and the truth.

figure, places = plt.subplots(1, 3, figsize=(8, 3), layout="constrained")
for place, (name, lm) in zip(
    places, {"guessed": guess, "adapted": clf.lm_, "true": true_lm}.items(), strict=True
):
    place.imshow(lm.conditional(2), vmin=0, vmax=1, cmap="Blues")
    for (row, column), value in np.ndenumerate(lm.conditional(2)):
        place.text(column, row, f"{value:.2f}", ha="center", va="center", fontsize=7)
    place.set(title=name, xlabel="label", ylabel="label before" if name == "guessed" else None)
plt.show()
