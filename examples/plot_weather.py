"""
The weather behind three instruments
====================================

A thermometer, a barometer and a hygrometer were read every day for ten years. Nobody wrote down whether a
day was sunny, cloudy or rainy, but everybody knows roughly how such days follow one another. Units need no
scaling: degrees, hectopascals and per cent go in as they are.
"""

import matplotlib.pyplot as plt
import numpy as np

import ventris as vt

# %%
# Make: readings, and the label model of days.

days = vt.datasets.make_weather()
print(f"{len(days.train.X):,} days of {', '.join(days.inputs)}")

# %%
# Fit: the doctor says before any training whether it will work.

print(vt.doctor(days.train.X, days.lm).verdict)
clf = vt.SequenceClassifier(days.lm, random_state=0).fit(days.train.X)
print(clf.report_.in_words())

# %%
# Look: ten more years. A day between two rainy ones is likelier rainy, which is what ``decode`` makes use
# of.

alone, decoded = clf.predict(days.test.X), clf.decode(days.test.X)
print(f"each day alone:  {100 * np.mean(alone != days.test.y):.1f} % wrong")
print(f"in its sequence: {100 * np.mean(decoded != days.test.y):.1f} % wrong")

# %%
# Draw: six weeks, what the instruments showed and what was made of it.

week = slice(0, 42)
colours = {"sunny": "gold", "cloudy": "silver", "rainy": "steelblue"}
figure, (readings, labels) = plt.subplots(
    2, 1, figsize=(7, 4.5), height_ratios=[3, 1], sharex=True, layout="constrained"
)
standard = (days.test.X - days.test.X.mean(axis=0)) / days.test.X.std(axis=0)
for name, column in zip(days.inputs, standard[week].T, strict=True):
    readings.plot(column, label=name)
readings.set(ylabel="standard deviations")
readings.legend(ncols=3, loc="upper center", bbox_to_anchor=(0.5, 1.16), frameon=False)
for row, names in enumerate([days.test.y[week], decoded[week]]):
    labels.bar(range(42), 0.9, bottom=1 - row, width=1, color=[colours[name] for name in names])
labels.set(yticks=[1.45, 0.45], yticklabels=["true", "decoded"], xlabel="day")
labels.legend(
    [plt.Rectangle((0, 0), 1, 1, color=colour) for colour in colours.values()], colours,
    ncols=3, loc="upper center", bbox_to_anchor=(0.5, -0.5), frameon=False,
)  # fmt: skip
plt.show()
