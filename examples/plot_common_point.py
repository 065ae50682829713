"""
A point in both hulls
=====================

That no line separates two classes can be proven too: by a point that lies in the convex hulls of both (lecture row
L8). A line with the classes on its two sides would have the two hulls on its two sides, and the point on both. A few
rows are enough to show it, at most two more than there are features, with weights that are exact fractions.

Left: points in the plane with a few labels flipped. Right: two kinds of iris, four measurements in two directions.
A projection keeps the common point common.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_iris

from rosenblatt import separability
from rosenblatt.plots import SeparabilityDisplay
from rosenblatt.sources import overlapping_blobs

toy = overlapping_blobs(120, 2, flipped=0.05, margin=0.4, radius=5, random_state=3)
flat = separability(toy.X, toy.y)
print(flat)

# %%
# The flowers were measured in tenths of a centimetre. In whole millimetres the fractions are short enough to read.

iris = load_iris()
chosen = iris.target > 0
X, y = np.rint(10 * iris.data[chosen]).astype(int), iris.target_names[iris.target[chosen]]
flowers = separability(X, y)
for row, weight in zip(flowers.rows, flowers.weights, strict=True):
    print(f"{weight!s:>8} of flower {row}, {y[row]}: {X[row]} mm")
print("all give the point", ", ".join(map(str, flowers.exact_point)))
print(flowers.verify(X, y).reason)

figure, axes = plt.subplots(1, 2, figsize=(10.6, 4.9), layout="constrained")
SeparabilityDisplay.from_certificate(flat, toy.X, toy.y, ax=axes[0])
SeparabilityDisplay.from_certificate(flowers, X, y, ax=axes[1])
plt.show()
