"""
A loss with two minima
======================

It is said that steps with single rows escape a minimum in which steps with all rows stick, and flow to the lowest one
(lecture rows L17 and L19). Here is a loss on which this can be tried: a sigmoid neuron with squared loss and five
points, one of them far away. As a function of its one weight the loss has a shallow and a deep minimum.

Each of 200 runs begins at another weight. Steps with all rows end in the minimum on whose side they began, and small
steps with single rows nearly always do. Larger steps with single rows do leave a minimum; but they leave the deep one
as well as the shallow one. Nothing leads them to the lowest.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.special import expit

from rosenblatt.rules import RULES

x = np.array([-20.0, 1.0, 1.2, 1.4, 1.6])
y = np.array([1, 1, 1, 1, -1])
weights = np.linspace(-2, 6, 1601)
loss = np.mean(expit(-y * np.outer(weights, x)) ** 2, axis=1) / 2
inner = np.flatnonzero((loss[1:-1] < loss[:-2]) & (loss[1:-1] < loss[2:])) + 1
barrier = weights[inner[0] + np.argmax(loss[inner[0] : inner[1] + 1])]
print(f"minima at {weights[inner].round(2)} with losses {loss[inner].round(3)}, the barrier at {barrier:.2f}")

# %%
# The rule of the table, applied by hand: w moves by step · y · x, with one row that is drawn at random, or by the mean
# over all rows.

rule = RULES["sigmoid_neuron"]
step = np.vectorize(lambda m, rate: rule.function(m, 1.0, 1, rule.values({"learning_rate": rate}))[0])
starts = np.random.default_rng(0).uniform(-1.5, 3, 200)


def descend(single_rows, rate, steps):
    """Descend from every start, each run with rows of its own; return where the runs end."""
    random, w = np.random.default_rng(1), starts.copy()
    for _ in range(steps):
        if single_rows:
            i = random.integers(len(x), size=len(w))
            w += step(y[i] * w * x[i], rate) * y[i] * x[i]
        else:
            w += np.mean(step(y * np.outer(w, x), rate) * y * x, axis=1)
    return w


runs = {
    "all rows,\nsteps of 0.2": descend(False, 0.2, 400),
    "single rows,\nsteps of 0.02": descend(True, 0.02, 4000),
    "single rows,\nsteps of 0.2": descend(True, 0.2, 4000),
}
begun_deep = starts < barrier
moved = {"left the deep minimum": [], "came to the deep minimum": []}
for name, ends in runs.items():
    left, came = ends[begun_deep] > barrier, ends[~begun_deep] < barrier
    moved["left the deep minimum"].append(100 * left.mean())
    moved["came to the deep minimum"].append(100 * came.mean())
    words = name.replace("\n", " ")
    print(f"{words}: {left.sum()} of {len(left)} left the deep one, {came.sum()} of {len(came)} came to it")

figure, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained", width_ratios=[1.1, 1])
axes[0].plot(weights, loss, color="black", lw=2)
axes[0].plot(weights[inner], loss[inner], "o", color="#D55E00", ms=9)
axes[0].text(weights[inner[0]] + 0.25, loss[inner[0]], "deep", va="center")
axes[0].text(weights[inner[1]], loss[inner[1]] - 0.009, "shallow", ha="left")
axes[0].set(xlabel="w", ylabel="loss", title="five points, one weight, two minima")
for n, (name, shares) in enumerate(moved.items()):
    bars = axes[1].barh(np.arange(3) + 0.19 * (1 - 2 * n), shares, 0.36, color=("#D55E00", "#0072B2")[n], label=name)
    axes[1].bar_label(bars, fmt="%.0f", padding=3)
axes[1].set_yticks(range(3), list(runs))
axes[1].set(xlabel="% of the runs that could", xlim=(0, 103), ylim=(-0.6, 3.1))
axes[1].legend(frameon=False)
for ax in axes:
    ax.spines[["top", "right"]].set_visible(False)
plt.show()
