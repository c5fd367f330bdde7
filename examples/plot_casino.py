"""
The occasionally dishonest casino
=================================

A casino throws a fair die most of the time and a loaded one now and then (Durbin, Eddy, Krogh and
Mitchison, *Biological Sequence Analysis*). We see the rolls, and guess how often dice are exchanged. A
single roll hardly tells anything, so here reading in sequence is everything.
"""

import matplotlib.pyplot as plt
import numpy as np

import ventris as vt

# %%
# Make: rolls are symbols, 0 to 5 for the faces 1 to 6.

rolls = vt.datasets.make_casino()
print("faces:", rolls.train.X[:20] + 1)
print(rolls.lm.conditional(2))

# %%
# Fit: integers are read as symbols, and the label model says which die is which: the fair one stays longer.

clf = vt.SequenceClassifier(rolls.lm, random_state=0).fit(rolls.train.X)
print(clf.report_)

# %%
# Look: what each face says about the die, by Bayes' rule p(face | die) = p(die | face) p(face) / p(die).

share = np.bincount(rolls.train.X, minlength=6) / len(rolls.train.X)
joint = clf.predict_proba(np.arange(6)) * share[:, None]
for name, faces in zip(clf.classes_, (joint / joint.sum(axis=0)).T, strict=True):
    print(f"{name:>6} die: " + " ".join(f"{chance:.2f}" for chance in faces))
decoded = clf.decode(rolls.test.X)
print(f"wrong about the die: {100 * np.mean(decoded != rolls.test.y):.1f} %, "
      f"and {100 * np.mean(rolls.test.y == 'loaded'):.1f} % for saying 'fair' always")  # fmt: skip

# %%
# Draw: how sure it is of the loaded die, and when it was really on the table.

loaded = clf.decode_proba(rolls.test.X)[:, list(clf.classes_).index("loaded")]
shown = slice(0, 400)
figure, axes = plt.subplots(figsize=(7, 3), layout="constrained")
truth = rolls.test.y[shown] == "loaded"
axes.fill_between(range(400), truth, step="mid", color="tab:orange", alpha=0.3, label="loaded die thrown")
axes.plot(loaded[shown], label="p(loaded | all rolls)")
axes.set(xlabel="roll", ylim=(0, 1.02))
axes.legend(loc="upper center", bbox_to_anchor=(0.5, 1.2), ncols=2, frameon=False)
plt.show()
