"""
No line can do better
=====================

A classifier makes errors. Is that the learner's fault, or can no line do better? ``fewest_errors`` answers with a
proof of both ends. From above: a line, and the rows that it has wrong. From below: small sets of rows of which no line
has all right, so that each costs every line at least one error. Shaded are sets that have no row in common; a search
through all sets, overlapping ones too, closes the interval.

Left: flipped labels. Right: two kinds of iris by their petals. No linear model of any kind, with any loss and any
amount of training, has fewer of these rows wrong.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_iris

from rosenblatt import fewest_errors
from rosenblatt.plots import ErrorsDisplay
from rosenblatt.sources import overlapping_blobs

toy = overlapping_blobs(80, 2, flipped=0.06, margin=0.4, radius=5, random_state=3)
flat = fewest_errors(toy.X, toy.y)
print(flat)

# %%
# Petal length and width, in centimetres.

iris = load_iris()
chosen = iris.target > 0
X, y = iris.data[chosen, 2:], iris.target_names[iris.target[chosen]]
flowers = fewest_errors(X, y)
print(flowers)
print(flowers.verify(X, y).reason)

figure, axes = plt.subplots(1, 2, figsize=(11.2, 4.9), layout="constrained")
ErrorsDisplay.from_certificate(flat, toy.X, toy.y, ax=axes[0])
ErrorsDisplay.from_certificate(flowers, X, y, ax=axes[1])
plt.show()
