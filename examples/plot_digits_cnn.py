"""
Handwritten digits, read by a network that was never told one
=============================================================

scikit-learn's digits come in the order of a Markov chain: which digit follows which is all that is known. A
small convolutional network learns to read them without a label, and is held against the same network with
all labels. Networks are an extra: ``pip install 'ventris[torch]'``.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

import ventris as vt

rng = np.random.default_rng(0)
images, classes = load_digits(return_X_y=True)
learnt, fresh = np.split(rng.permutation(len(images)), [1_200])  # no image is in both

# %%
# Make: labels of a chain, and for each label any image of that digit.
lm = vt.NgramModel.from_transition_matrix(0.9 * rng.dirichlet(np.full(10, 0.3), size=10) + 0.01)
y = lm.sample(20_000, rng)
shown = np.array([rng.choice(learnt[classes[learnt] == label]) for label in y])
X = images[shown] / 16

# %%
# Fit: 64 numbers a point, and no label.
clf = vt.SequenceClassifier(lm, classifier="cnn", random_state=0).fit(X)
supervised = vt.TorchLearner("cnn", random_state=0).fit(X, np.eye(10)[y])

# %%
# Read images that neither has seen.
X_fresh, y_fresh = images[fresh] / 16, classes[fresh]
read, told = clf.predict(X_fresh), supervised.predict_proba(X_fresh).argmax(axis=1)
errors = {"no label": np.mean(read != y_fresh), "20,000 labels": np.mean(told != y_fresh)}
print({name: f"{100 * error:.1f} % wrong" for name, error in errors.items()})

# %%
# What it reads as each digit, and what it gets wrong.
fig, axes = plt.subplots(6, 10, figsize=(8, 5.2), layout="constrained")
wrong = np.flatnonzero(read != y_fresh)
for column, label in enumerate(range(10)):
    rows = [*np.flatnonzero((read == label) & (read == y_fresh))[:4], *wrong[2 * column : 2 * column + 2]]
    for axis, row in zip(axes[:, column], [*rows, *[None] * 6], strict=False):
        axis.set_axis_off()
        if row is not None:
            axis.imshow(X_fresh[row].reshape(8, 8), cmap="Greys")
            axis.set_title(
                str(read[row]), fontsize=9, color="black" if read[row] == y_fresh[row] else "crimson"
            )
fig.suptitle(f"Read without a label: {100 * errors['no label']:.1f} % of fresh images wrong (red)")
plt.show()
