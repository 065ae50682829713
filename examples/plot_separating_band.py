"""
The widest band between two classes
===================================

``separability`` finds the hyperplane that stays as far as possible from both classes, and proves that no other stays
further away (lecture row L8). Left: points in the plane. The shaded band holds no point; the circled *support vectors*
touch it and are the reason why it cannot be wider.

Right: handwritten threes and eights, 64 pixels each, seen edge-on. Across is the distance from the hyperplane in the
space of all pixels, so that the band is again a band; upwards is the direction in which the images differ most beside
it.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from rosenblatt import separability
from rosenblatt.plots import SeparabilityDisplay

points = np.random.default_rng(5).uniform(-4, 4, (150, 2))
scores = points @ [0.6, 0.8] + 0.5
points, scores = points[np.abs(scores) > 0.3], scores[np.abs(scores) > 0.3]
sides = np.where(scores > 0, 1, -1)
flat = separability(points, sides)
print(flat)

# %%
# The points were kept 0.3 away from one line, and the best line is further away than that. Images of bytes are used
# as they are.

print(f"made with 0.3, found {flat.margin:.4f}, and no line has more than {flat.margin_upper:.4f}")
images = load_digits()
chosen = np.isin(images.target, (3, 8))
X, y = images.data[chosen].astype(np.uint8), images.target[chosen]
high = separability(X, y)
print(high, high.verify(X, y).reason, sep="\n")

figure, axes = plt.subplots(1, 2, figsize=(10.6, 4.9), layout="constrained")
SeparabilityDisplay.from_certificate(flat, points, sides, ax=axes[0])
axes[0].legend(loc="upper center", bbox_to_anchor=(0.5, -0.12), ncols=3, frameon=False)
SeparabilityDisplay.from_certificate(high, X, y, ax=axes[1])
plt.show()
