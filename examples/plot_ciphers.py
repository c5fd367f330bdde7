"""
Ciphers: the same engine, the table is a key
============================================

A classifier turns inputs into labels; a decipherer turns symbols into letters. Both are right when what
comes out has the statistics of the language. ``vt.decipher`` needs to be told neither the kind of cipher
nor the language.
"""

import matplotlib.pyplot as plt
import numpy as np

import ventris as vt

# %%
# Make: one text, enciphered in four ways.

text = (
    "The use of ciphers is as old as writing. Whoever wants to read a message that was not meant for him "
    "must count its signs, and hold what he counts against the language that he believes it is written in."
)
rng = np.random.default_rng(0)
letters = list("abcdefghijklmnopqrstuvwxyz")
secrets = {
    "caesar": vt.encipher(text, 23, kind="caesar"),
    "affine": vt.encipher(text, (5, 8), kind="affine"),
    "vigenere": vt.encipher(text, "linear", kind="vigenere"),
    "substitution": vt.encipher(text, "".join(rng.permutation(letters)), kind="substitution"),
}
print(secrets["substitution"][:70])

# %%
# Fit: read each, kind and language unknown.

found = {kind: vt.decipher(secret, random_state=0) for kind, secret in secrets.items()}
for kind, answer in found.items():
    print(f"{kind:>12}: read as {answer.kind} in {answer.language}, confidence {answer.confidence:.3f}")

# %%
# Look: the plaintexts, and how many letters are wrong.

for kind, answer in found.items():
    wrong = sum(one != other for one, other in zip(answer.plaintext, text, strict=True))
    print(f"{kind:>12}: {wrong} wrong, {answer.plaintext[:52]} …")

# %%
# Draw: how a shift is found. The message's histogram is slid along the language's until the two match.

english = vt.datasets.load_language("en", order=1, space=False).stationary()
places = [letters.index(letter) for letter in secrets["caesar"].lower() if letter in letters]
message = np.bincount(places, minlength=26) / len(places)
figure, rows = plt.subplots(2, 1, figsize=(7, 4), sharex=True, layout="constrained")
for axes, shift in zip(rows, [0, found["caesar"].key], strict=True):
    axes.bar(range(26), english, color="lightgrey", label="English")
    axes.bar(range(26), np.roll(message, -shift), width=0.4, color="tab:blue", label="the message")
    axes.set_title(f"shifted back by {shift}", loc="left")
    axes.set(xticks=range(26), xticklabels=letters)
rows[0].legend(frameon=False, ncols=2, loc="lower right", bbox_to_anchor=(1, 1))
plt.show()
