"""
Spelling: the noise learnt from the text itself
===============================================

A typist hits the key beside the one that was meant. Nobody says which keys those are: ``vt.correct`` learns
it from the noisy text alone, because what was meant has the statistics of English and what was typed has not.
"""

import matplotlib.pyplot as plt
import numpy as np

import ventris as vt

# %%
# Make: letters of a story, one in ten typed on a key beside its own.

english = (
    "it was the best of times and it was the worst of times for those who lived in the great house upon "
    "the hill where every morning the old man would open the window and look down upon the river and the "
    "town below and think of the years that had gone by since his brother went away to sea "
) * 12
keys = ["qwertyuiop", "asdfghjkl", "zxcvbnm"]
place = {letter: (x + 0.45 * y, y) for y, row in enumerate(keys) for x, letter in enumerate(row)}
rng = np.random.default_rng(0)


def beside(letter):
    """A neighbouring key."""
    near = [k for k in place if 0 < np.hypot(*np.subtract(place[k], place[letter])) < 1.3]
    return near[rng.integers(len(near))]


typed = "".join(beside(c) if c != " " and rng.random() < 0.1 else c for c in english)
print(typed[:105])

# %%
# Fit: read it, count what happened, read it again.

fixed = vt.correct(typed, edits=False)
print(fixed.text[:105])

# %%
# Look: how many letters are wrong now, and what the noise is said to be.

wrong = [sum(a != b for a, b in zip(english, text, strict=True)) for text in (typed, fixed.text)]
print(f"{wrong[0]} letters wrong, {wrong[1]} after correcting; expected right: {fixed.confidence:.2%}")
print({name: round(rate, 3) for name, rate in fixed.channel.rates.items()})

# %%
# Draw: the keyboard that nobody showed it.

fixed.figure()
plt.show()
