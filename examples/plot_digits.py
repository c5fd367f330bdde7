"""
Handwritten digits, none of them named
======================================

Images of handwritten digits follow one another as a label model says: think of numbers on forms whose
statistics are known. No image comes with a name. The classifier learnt from images and order is held
against one taught with every label.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import LogisticRegression

import ventris as vt

# %%
# Make: 10,000 images of 8 × 8 pixels; those to test with are of other digits than those to learn from.

digits = vt.datasets.load_digit_sequences(10_000, n_test=3_000)
print(digits.train.X.shape, "images of", digits.lm.classes)

# %%
# Fit.

clf = vt.SequenceClassifier(digits.lm, random_state=0).fit(digits.train.X)
print(clf.report_.in_words())

# %%
# Look: beside logistic regression on all labels.

taught = LogisticRegression(max_iter=500).fit(digits.train.X, digits.train.y)
alone, decoded = clf.predict(digits.test.X), clf.decode(digits.test.X)
for name, labels in {
    "without labels, each image alone": alone,
    "without labels, in its sequence": decoded,
    "with every label, each image alone": taught.predict(digits.test.X),
}.items():
    print(f"{name}: {100 * np.mean(labels != digits.test.y):.1f} % wrong")

# %%
# Draw: the first images of the test, as read alone (above each) and in sequence (below); wrong readings are
# red.

figure, places = plt.subplots(3, 12, figsize=(8, 3), layout="constrained")
for place, image, true, one, other in zip(
    places.flat, digits.test.X, digits.test.y, alone, decoded, strict=False
):
    place.imshow(image.reshape(8, 8), cmap="Greys")
    place.set(xticks=[], yticks=[])
    place.set_title(one, color="black" if one == true else "red", fontsize=9, pad=2)
    place.set_xlabel(other, color="black" if other == true else "red", fontsize=9, labelpad=2)
plt.show()
