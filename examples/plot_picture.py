"""
The perceptron in one picture
=============================

Left: a run on points that a line can separate. Every mistake turns the line; the earlier ones are faint, the last one
separates. The band is the gap that the set was built with, 2γ wide, and holds no point. Right: why it had to
end. After k mistakes ‖w‖² is at least k²γ² and at most kR²; the two curves meet at k = R²/γ², and beyond that there
is no room.

Run as a script with a file name, it saves the picture there: ``python examples/plot_picture.py
docs/_static/perceptron.svg``.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

from rosenblatt import Perceptron

BLUE, ORANGE, VERMILION, GREEN, INK, SOFT = "#0072B2", "#E69F00", "#D55E00", "#009E73", "#222222", "#8a8a8a"
plt.rcParams.update({"svg.hashsalt": "rosenblatt", "font.size": 10})


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


margin = 0.3
X, y, normal = separable(90, 2, margin, radius=3.2, seed=316)
radius = np.linalg.norm(X, axis=1).max()
model = Perceptron(fit_intercept=False, shuffle=False).fit(X, y, record="updates")
log = model.trace_.updates
weights = np.cumsum(log.steps[0][:, None] * X[log.rows[0]], axis=0)
print(f"{model.mistakes_} mistakes; the theorem allows {int((radius / margin) ** 2)}")

ahead = weights / np.linalg.norm(weights, axis=1)[:, None]  # the unit normals of the lines


def slope(ax, power):
    """Find the angle at which k**power rises on these logarithmic axes, in their own drawing units."""
    (left, low), (right, high) = ax.transData.transform([(1, 1), (10, 10**power)])
    return np.degrees(np.arctan2(high - low, right - left))


figure, (plane, proof) = plt.subplots(1, 2, figsize=(10, 4.6), layout="constrained", width_ratios=[1, 1.12])

# The run: lines fading in, and the gap around the line that the set was built with.

along = 8 * np.array([-normal[1], normal[0]])
corners = [-along - margin * normal, along - margin * normal, along + margin * normal, -along + margin * normal]
plane.fill(*np.array(corners).T, color="#009E73", alpha=0.16, lw=0)
for k, n in enumerate(ahead[:-1]):
    ends = 8 * np.array([[n[1], -n[0]], [-n[1], n[0]]])
    plane.plot(*ends.T, color=SOFT, lw=1, alpha=0.15 + 0.6 * (k / len(ahead)) ** 1.5)
n = ahead[-1]
plane.plot(*(8 * np.array([[n[1], -n[0]], [-n[1], n[0]]])).T, color=INK, lw=2.6)
for side, colour, marker in ((1, BLUE, "o"), (-1, ORANGE, "s")):
    plane.scatter(*X[y == side].T, s=26, c=colour, marker=marker, edgecolors="white", linewidths=0.5, zorder=3)
plane.annotate("", 1.25 * n, (0, 0), arrowprops={"arrowstyle": "-|>", "color": INK, "lw": 2.2, "shrinkA": 0}, zorder=4)
plane.annotate("w", 1.55 * n, ha="center", va="center", weight="bold", zorder=5,
               bbox={"boxstyle": "circle,pad=0.12", "fc": "white", "ec": "none", "alpha": 0.8})  # fmt: skip
plane.set(xlim=(-3.4, 3.4), ylim=(-3.4, 3.4), aspect="equal", xticks=[], yticks=[])
plane.spines[:].set_visible(False)
plane.text(*(2.6 * along / 8), "gap 2γ", color=GREEN, weight="bold", ha="center", va="center", fontsize=9,
           rotation=(np.degrees(np.arctan2(along[1], along[0])) + 90) % 180 - 90)  # fmt: skip
plane.set_title(f"{len(weights)} mistakes, then none", loc="left", weight="bold")

# The proof: squared length against the number of mistakes.

k = np.arange(1, len(weights) + 1)
ks = np.geomspace(1, 400, 100)
most, least = ks * radius**2, ks**2 * margin**2
meet = (radius / margin) ** 2
proof.fill_between(ks, least, most, where=ks <= meet, color="#f1f1f1", lw=0)
proof.plot(ks, most, color=VERMILION, lw=2)
proof.plot(ks, least, color=GREEN, lw=2)
proof.plot(k, (weights**2).sum(axis=1), "o-", color=INK, ms=4.5, lw=1.2)
proof.plot([meet], [meet * radius**2], "o", ms=10, mfc="white", mec=INK, mew=1.8, zorder=4)
proof.set(xscale="log", yscale="log", xlim=(1, 400), ylim=(0.05, 1e4))
proof.set_xticks([1, 10, 100], ["1", "10", "100"])
proof.set(xlabel="mistakes k", yticks=[])
proof.minorticks_off()
figure.canvas.draw()  # settles the layout, which the slopes of the labels depend on
along_curve = {"rotation_mode": "anchor", "weight": "bold"}
proof.text(1.5, 1.5 * 1.25 * radius**2, "at most k R²", color=VERMILION, rotation=slope(proof, 1), **along_curve)
proof.text(6, 36 * 0.4 * margin**2, "at least k² γ²", color=GREEN, rotation=slope(proof, 2), **along_curve)
proof.text(k[-1] * 1.05, (weights[-1] ** 2).sum() * 1.35, "‖w‖²", color=INK, weight="bold", fontsize=9)
proof.annotate(f"k = R²/γ² ≈ {meet:.1f}\nno room beyond", (meet, meet * radius**2), (22, 4.2e3), ha="right",
               va="center", arrowprops={"arrowstyle": "-", "color": SOFT, "shrinkB": 6})  # fmt: skip
proof.spines[["top", "right"]].set_visible(False)
proof.set_title("why it must end", loc="left", weight="bold")
if __name__ == "__main__" and len(sys.argv) == 2 and sys.argv[1].endswith((".svg", ".png")):
    figure.savefig(sys.argv[1], metadata={"Date": None} if sys.argv[1].endswith(".svg") else None, dpi=150)
plt.show()
