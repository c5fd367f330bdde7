"""
A page of letters that were never named
=======================================

Images of printed letters with noise, cut apart, none of them labelled; and a model of how English letters
follow one another. Letters come out.
"""

import matplotlib.pyplot as plt
import numpy as np

import ventris as vt

# %%
# Make: a text that the letter statistics write, and a picture of each letter. The space is a picture too.

lm = vt.datasets.load_language("en", order=3)
text = "".join(lm.alphabet.decode(lm.sample(15_000, random_state=0)))
page = vt.datasets.make_glyphs(text, noise=0.25, random_state=0)
print(page.X.shape, "pictures of", page.size, "×", page.size, "pixels")

# %%
# Fit.

clf = vt.SequenceClassifier(lm, random_state=0).fit(page.X)
print(clf.report_.in_words())

# %%
# Look: what it reads, alone and in sequence.

true = np.array(list(page.text))
alone, decoded = clf.predict(page.X), clf.decode(page.X)
print(f"each letter alone: {100 * np.mean(alone != true):.2f} % wrong")
print(f"in its sequence:   {100 * np.mean(decoded != true):.2f} % wrong")
print("".join(decoded[:100]))

# %%
# Draw: five lines of the page and their reading; wrong letters are red.

figure, lines = plt.subplots(5, 1, figsize=(8, 4), layout="constrained")
for k, line in enumerate(lines):
    start, stop = 30 * k, 30 * k + 30
    line.imshow(page.image(start, stop), cmap="Greys")
    line.axis("off")
    for place in range(start, stop):
        colour = "black" if decoded[place] == true[place] else "red"
        line.text(
            (place - start + 0.5) * page.size, 1.5 * page.size, decoded[place], color=colour, ha="center"
        )
plt.show()
