"""
CpG islands
===========

In most of a genome a C is seldom followed by a G; in *islands*, which mark genes, it often is (Durbin,
Eddy, Krogh and Mitchison, *Biological Sequence Analysis*). Given DNA and how long islands and the sea
between them last, where are the islands?
"""

import matplotlib.pyplot as plt
import numpy as np

import ventris as vt

# %%
# Make: a point is a pair of neighbouring nucleotides, one of 16 symbols.

dna = vt.datasets.make_cpg_islands()
print("".join(dna.inputs[pair][1] for pair in dna.train.X[:60]))

# %%
# Fit: all that the label model knows is that an island lasts 500 nucleotides on average and the sea 1,000.

clf = vt.SequenceClassifier(dna.lm, random_state=0).fit(dna.train.X)
print(clf.report_)

# %%
# Look: nobody mentioned C and G.

island = list(clf.classes_).index("island")
chance = clf.predict_proba(np.arange(16))[:, island]
order = np.argsort(chance)
print("speaks most for an island:", ", ".join(dna.inputs[pair] for pair in order[::-1][:3]))
decoded = clf.decode(dna.test.X)
print(f"nucleotides put on the wrong side: {100 * np.mean(decoded != dna.test.y):.1f} %")

# %%
# Draw: the pairs, and a stretch of the genome.

figure, (pairs, along) = plt.subplots(2, 1, figsize=(7, 5), layout="constrained")
pairs.bar([dna.inputs[pair] for pair in order], chance[order])
pairs.set(ylabel="p(island | pair)")
shown = slice(0, 8000)
along.fill_between(
    range(8000), dna.test.y[shown] == "island", step="mid", color="tab:orange", alpha=0.3, label="island"
)
along.plot(clf.decode_proba(dna.test.X)[shown, island], lw=0.8, label="p(island | all of it)")
along.set(xlabel="nucleotide")
along.legend(loc="upper center", bbox_to_anchor=(0.5, 1.22), ncols=2, frameon=False)
plt.show()
