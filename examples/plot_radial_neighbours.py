"""
Nearest neighbours with a radial feature
========================================

Eleven neighbours vote (lecture row L22). Where the classes are rings, neighbours in the plane see little of the shape;
with the distance to the centre as the feature, neighbours are rows of the same radius.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from rosenblatt import RadialFeatures

random = np.random.default_rng(0)


def rings(n):
    radius, angle = random.uniform(0, 3, n), random.uniform(0, 2 * np.pi, n)
    y = (np.floor(radius) % 2 == 1) ^ (random.random(n) < 0.05)
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]), y.astype(int)


(X, y), (X_test, y_test) = rings(250), rings(5000)
learners = {
    "plain coordinates": KNeighborsClassifier(11),
    "radial feature": make_pipeline(RadialFeatures(centres=[[0.0, 0.0]], keep=False), KNeighborsClassifier(11)),
}
ticks = np.linspace(-3.2, 3.2, 161)
mesh = np.stack(np.meshgrid(ticks, ticks), axis=-1).reshape(-1, 2)
figure, axes = plt.subplots(2, 2, figsize=(8, 7.8), layout="constrained", sharex=True, sharey=True)
for row, (name, learner) in zip(axes, learners.items(), strict=True):
    learner.fit(X, y)
    error = 1 - learner.score(X_test, y_test)
    print(f"{name}: {100 * error:.1f} % test error")
    votes = learner.predict_proba(mesh)[:, 1].reshape(161, 161)
    row[0].pcolormesh(ticks, ticks, votes, cmap="RdBu", vmin=0, vmax=1, alpha=0.7)
    row[0].set_title(f"{name}: votes of 11", loc="left", fontsize=10)
    row[1].contourf(ticks, ticks, votes >= 0.5, levels=[-0.5, 0.5, 1.5], colors=["#f4b9a7", "#a9cfe5"])
    row[1].set_title(f"answers, {100 * error:.1f} % test error", loc="left", fontsize=10)
    for ax in row:
        for side, colour in ((1, "#08306b"), (0, "#67000d")):
            ax.scatter(*X[y == side].T, s=7, c=colour)
        ax.set(aspect="equal", xticks=[], yticks=[])
plt.show()
