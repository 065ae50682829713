"""
Mistakes against the theorem's bound
====================================

If every row has ‖x‖ ≤ R and some unit vector gives each of them a margin of at least γ, a perceptron makes at most
R²/γ² mistakes, in whatever order the rows come (lecture row L7). These rows fill a ball with a gap of known
width through its centre, so R and γ are known and the bound can be drawn beside what happens.

Such rows are far easier than the theorem fears. Rows at right angles to each other
are as hard as can be: they meet the bound exactly.
"""

import matplotlib.pyplot as plt
import numpy as np

from rosenblatt import Perceptron

BLUE, SKY, GREEN, VERMILION, INK = "#0072B2", "#56B4E9", "#009E73", "#D55E00", "#222222"
RADIUS = 5.0
margins = np.geomspace(2.0, 0.05, 9)


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


def mistakes(X, y):
    model = Perceptron(fit_intercept=False, max_iter=100_000, tol=None, random_state=0).fit(X, y)
    assert model.stop_reason_ == "converged"
    return model.mistakes_


# %%
# Balls in 2, 20 and 200 dimensions: the middle and the range over ten sets for each margin. No intercept, so that
# the rows the theorem speaks of are the rows themselves.

dimensions = {2: (SKY, "o"), 20: (BLUE, "s"), 200: (GREEN, "^")}
counts = {
    d: np.array([[mistakes(*separable(1000, d, g, RADIUS, seed)[:2]) for seed in range(10)] for g in margins])
    for d in dimensions
}

# %%
# The worst case: n rows of length R at right angles. The best margin is R/√n, so the bound is n.

worst = np.unique(np.geomspace(7, 2000, 9).astype(int))
hard = [mistakes(RADIUS * np.eye(n), np.where(np.arange(n) % 2, 1, -1)) for n in worst]
print(f"rows at right angles: {hard[-1]} mistakes, bound {worst[-1]}")

figure, ax = plt.subplots(figsize=(7.2, 5.2), layout="constrained")
bound = (RADIUS / margins) ** 2
ax.fill_between(bound, bound, 1e6, color="#f1f1f1", lw=0)
ax.plot(bound, bound, color=INK, lw=2)
ax.text(60, 85, "the bound: mistakes = R²/γ²", rotation=38.5, rotation_mode="anchor", color=INK)
ax.text(12, 6e3, "no run can be here", color="#777777", style="italic")
ax.plot(worst, hard, "D", color=VERMILION, ms=7, label="rows at right angles")
for d, (colour, marker) in reversed(dimensions.items()):
    ax.plot(bound, np.median(counts[d], axis=1), marker + "-", color=colour, label=f"a ball in {d} dimensions")
    ax.fill_between(bound, counts[d].min(axis=1), counts[d].max(axis=1), color=colour, alpha=0.18, lw=0)
ax.set(xscale="log", yscale="log", xlim=(bound[0], bound[-1]), ylim=(0.8, 2e4))
ax.set(xlabel="R²/γ²   (the margin shrinks to the right)", ylabel="mistakes until the first clean epoch")
ax.legend(loc="upper left", bbox_to_anchor=(0.0, 0.8), frameon=False)
ax.spines[["top", "right"]].set_visible(False)
plt.show()
