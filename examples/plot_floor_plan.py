"""
Which room? Radio readings on a floor plan
==========================================

A phone hears ten access points in every room, and nobody wrote down where it was. What is known is the plan:
which rooms have a door between them, and that people stay for a while. The walk is a label sequence, and the
plan its label model.
"""

import matplotlib.pyplot as plt
import numpy as np

import ventris as vt

# %%
# Make: twelve rooms in rows, some doors walled up, and a walk of 8,000 frames.

plan = vt.datasets.make_floor_plan("walled", 12, frames=8_000, n_test=4_000, random_state=101)
print(f"{len(plan.train.X):,} frames, {plan.doors.sum() // 2} doors")

# %%
# Ask the plan alone, before any data: could two rooms be mistaken for each other whatever comes in?

print(vt.doctor(plan.lm))
corridor = vt.datasets.make_floor_plan("corridor", 12, frames=10)
print(vt.doctor(corridor.lm))

# %%
# Fit: frames that belong together by dwell become states without names; their moves, laid upon the plan, give
# the names.

clf = vt.SequenceClassifier(plan.lm, random_state=0).fit(plan.train.X)
found = clf.history_[1]
print(f"{found['found_by']}: {found['recurrence']} of {found['n_starts']} starts agree")

# %%
# Look: frames that follow, alone and in their sequence.

alone, decoded = clf.predict(plan.test.X), clf.decode(plan.test.X)
print(f"each frame alone: {100 * np.mean(alone != plan.test.y):.1f} % in a wrong room")
print(f"in its sequence:  {100 * np.mean(decoded != plan.test.y):.1f} %")

# %%
# Draw: where it errs, which takes true rooms to know, and where it doubts, which does not.

vt.figures.floor_plan(clf, plan)
plt.show()
