"""
The first updates, one by one
=============================

Points in a disc, with a gap of known width between the classes. A perceptron starts at w = 0 and moves only when it
is wrong (lecture row L4). Each panel is one update: the row that was answered wrongly (ringed), the line before it
(dashed) and after it (solid), and w, which always stands at a right angle to the line and points to the positive
side. The row is added to w if it is positive and taken away if it is negative; nothing else happens.
"""

import matplotlib.pyplot as plt
import numpy as np

from rosenblatt import Perceptron

BLUE, ORANGE, GREY, INK = "#0072B2", "#E69F00", "#9a9a9a", "#222222"


def separable(n_samples, n_features, margin, radius, seed):
    """Rows in a ball, separated by a hyperplane through its centre: rows of both sides are moved away from it."""
    random = np.random.default_rng(seed)
    normal = random.standard_normal(n_features)
    normal /= np.linalg.norm(normal)
    X = random.standard_normal((n_samples, n_features))
    lengths = (radius - margin) * random.uniform(size=n_samples) ** (1 / n_features)
    X *= (lengths / np.linalg.norm(X, axis=1))[:, None]
    y = np.where(X @ normal >= 0, 1, -1)
    return X + margin * np.outer(y, normal), y, normal


X, y, _ = separable(90, 2, margin=0.3, radius=3.2, seed=316)
model = Perceptron(fit_intercept=False, shuffle=False).fit(X, y, record="updates")
log = model.trace_.updates
changes = log.steps[0][:, None] * X[log.rows[0]]
weights = np.vstack([np.zeros(2), np.cumsum(changes, axis=0)])  # w after 0, 1, 2, … updates
print(f"{len(changes)} updates, {model.stop_reason_}")

# %%
# Replaying the recorded updates gives the weights of the fit, bit for bit.

print(bool((weights[-1] == model.coef_[0]).all()))


def line(ax, w, **style):
    """Draw the line on which w·x = 0."""
    if np.any(w):
        along = 8 * np.array([-w[1], w[0]]) / np.linalg.norm(w)
        ax.plot(*np.array([-along, along]).T, **style)


shown = min(6, len(changes))
figure, axes = plt.subplots(2, 3, figsize=(9.6, 6.7), sharex=True, sharey=True, layout="constrained")
for k, ax in enumerate(axes.flat[:shown]):
    before, after, row = weights[k], weights[k + 1], log.rows[0][k]
    scores = X @ after
    wrong = int(np.sum(y * scores <= 0))
    for side, colour, marker in ((1, BLUE, "o"), (-1, ORANGE, "s")):
        chosen = y == side
        ax.scatter(*X[chosen].T, s=17, c=colour, marker=marker, linewidths=0, alpha=0.85)
    line(ax, before, color=GREY, lw=1.4, ls=(0, (4, 3)))
    line(ax, after, color=INK, lw=2)
    ax.scatter(*X[row], s=170, facecolors="none", edgecolors="#D55E00", linewidths=2.2, zorder=4)
    tip = 1.5 * after / np.linalg.norm(after)
    ax.annotate("", tip, (0, 0), arrowprops={"arrowstyle": "-|>", "color": INK, "lw": 2, "shrinkA": 0, "shrinkB": 0})
    ax.annotate("w", tip * 1.2, ha="center", va="center", color=INK, weight="bold")
    sign = "+" if y[row] > 0 else "−"
    ax.set_title(f"update {k + 1}: w {sign} x    ({wrong} of {len(y)} wrong now)", fontsize=10, loc="left")
    ax.set(xlim=(-3.6, 3.6), ylim=(-3.6, 3.6), aspect="equal", xticks=[], yticks=[])
    ax.spines[:].set_color("#cccccc")
axes[0, 0].plot([], [], color=GREY, lw=1.4, ls=(0, (4, 3)), label="line before")
axes[0, 0].plot([], [], color=INK, lw=2, label="line after")
axes[0, 0].plot([], [], "o", mfc="none", mec="#D55E00", mew=2.2, ms=10, label="the row that was wrong")
figure.legend(loc="outside lower center", ncols=3, frameon=False)
plt.show()
