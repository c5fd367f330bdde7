"""
An unknown syllabary
====================

Linear B writes a sign for each open syllable: *ka*, *ta*, *lo*. Here Italian, as its letter statistics
write it, is spelt that way in signs nobody knows. One text with known values gives the label model, another
gives the signs to be read. The key has as many entries as there are syllables.
"""

import re

import matplotlib.pyplot as plt
import numpy as np

import ventris as vt

# %%
# Make: words cut into open syllables; what does not fit is dropped, as the scribes did.

italian = vt.datasets.load_language("it", order=5)


def spelt(seed, n_letters):
    text = "".join(italian.alphabet.decode(italian.sample(n_letters, random_state=seed)))
    words = [re.findall(r"[bcdfglmnprstv]?[aeiou]", word) for word in text.split()]
    return [syllable for word in words for syllable in [*word, "·"]]


lm = vt.NgramModel.from_sequences([spelt(1, 400_000)], order=2)
unknown = np.array([syllable for syllable in spelt(2, 20_000) if syllable in lm.classes])
signs = np.random.default_rng(0).permutation(lm.n_classes)  # which sign is written for which syllable
written = signs[lm.alphabet.encode(unknown)]
print(f"{len(written):,} signs of {lm.n_classes} kinds:", *written[:12])

# %%
# Fit: signs in, syllables out. Beside it, what counting alone would say: the most frequent sign is the most
# frequent syllable, and so on.

clf = vt.SequenceClassifier(lm, random_state=0).fit(written)
print(clf.report_.in_words())
ranked = np.empty(lm.n_classes, dtype=int)
ranked[np.bincount(written, minlength=lm.n_classes).argsort()] = lm.stationary().argsort()
by_rank = np.array(lm.classes)[ranked[written]]

# %%
# Look.

read = clf.predict(written)
print(f"read right: {100 * np.mean(read == unknown):.1f} % of the signs on the tablet")
print(f"by frequency alone: {100 * np.mean(by_rank == unknown):.1f} %")
print("".join(read[:60]))

# %%
# Draw: sign by sign, the share that is read as each syllable. One dot in each row and column is a key.

key = clf.predict_proba(signs)  # rows in the order of the true syllables
figure, axes = plt.subplots(figsize=(6, 6), layout="constrained")
axes.imshow(key, cmap="Greys", vmin=0, vmax=1)
axes.set(xlabel="read as, by number", ylabel="sign, by the number of its true syllable")
plt.show()
