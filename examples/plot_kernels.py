"""
Shapes that no line separates
=============================

A perceptron draws a line. With a kernel it draws the line in another space, and what one sees here is its shadow
(lecture rows L10 and L12): exclusive or and two rings with (1 + x·y)², two spirals with a radial kernel. Rows that
have a coefficient, the support vectors, are ringed; the shade is the score.
"""

import matplotlib.pyplot as plt
import numpy as np

from rosenblatt import KernelPerceptron
from rosenblatt.kernels import RBF, Polynomial
from rosenblatt.sources import circles, spirals, xor

POSITIVE, NEGATIVE = "#0072B2", "#D55E00"
corners = xor()
SETS = {
    "exclusive or: (1 + x·y)²": (corners, Polynomial(2)),
    "two rings: (1 + x·y)²": (circles(160, noise=0.25, random_state=1), Polynomial(2)),
    "two spirals: exp(-2‖x - y‖²)": (spirals(240, random_state=1), RBF(2.0)),
}

# %%
# Each run ends by itself: an epoch without a mistake.

figure, axes = plt.subplots(1, 3, figsize=(11, 4.6), layout="constrained")
for ax, (title, (toy, kernel)) in zip(axes, SETS.items(), strict=True):
    model = KernelPerceptron(kernel, max_iter=1000, random_state=0).fit(toy.X, toy.y)
    print(f"{title}: {model.stop_reason_} after {model.n_iter_} epochs and {model.mistakes_} mistakes")
    low, high = toy.X.min(axis=0), toy.X.max(axis=0)
    half = 0.72 * (high - low).max()  # a square, whatever the shape of the rows
    across, up = (np.linspace(middle - half, middle + half, 240) for middle in (low + high) / 2)
    mesh = np.stack(np.meshgrid(across, up), axis=-1).reshape(-1, 2)
    scores = model.decision_function(mesh).reshape(240, 240)
    # The scores of a polynomial grow without bound; the shade shows their sign and order, not their size.
    shade = np.sign(scores) * np.log1p(np.abs(scores) / np.median(np.abs(scores)))
    largest = np.abs(shade).max()
    ax.contourf(across, up, shade, np.linspace(-largest, largest, 17), cmap="RdBu", alpha=0.45)
    ax.contour(across, up, scores, [0], colors="#222222", linewidths=1.6)
    for side, colour, marker in ((1, POSITIVE, "o"), (-1, NEGATIVE, "s")):
        ax.scatter(*toy.X[toy.y == side].T, s=22, c=colour, marker=marker, linewidths=0, label=f"class {side:+d}")
    ringed = {"s": 70, "facecolors": "none", "edgecolors": "#222222", "linewidths": 0.8}
    ax.scatter(*model.support_vectors_.T, label="support vector", **ringed)
    ax.set(aspect="equal", xticks=[], yticks=[])
    ax.set_title(f"{title}\n{len(model.support_)} support vectors of {len(toy.X)} rows", loc="left", fontsize=10)
figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=3, frameon=False, fontsize=9)
plt.show()
