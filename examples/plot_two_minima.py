"""
A loss with two minima
======================

One lecture claims that steps with single rows leave a minimum in which steps with all rows stick, and flow to the
lowest one (lecture rows L17 and L19). Here is a loss on which this can be tried: a `SigmoidNeuron` and five points, one
of them far away. As a function of its one weight the loss has a shallow and a deep minimum.

Each run starts at another weight, given as `coef_init`. Steps with all rows end in the minimum on whose side they
started, and so do small steps with single rows. Larger steps with single rows, drawn with replacement, do leave a
minimum; but they leave the deep one as well as the shallow one. Nothing leads them to the lowest. If every epoch visits
each row once instead, the runs stay: the pulls of the five rows cancel within an epoch.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from scipy.special import expit
from sklearn.exceptions import ConvergenceWarning

from rosenblatt import GradientDescent, SigmoidNeuron

x = np.array([-20.0, 1.0, 1.2, 1.4, 1.6])
y = np.array([1, 1, 1, 1, 0])
weights = np.linspace(-2, 6, 1601)
loss = np.mean((expit(np.outer(weights, x)) - y) ** 2, axis=1) / 2
inner = np.flatnonzero((loss[1:-1] < loss[:-2]) & (loss[1:-1] < loss[2:])) + 1
barrier = weights[inner[0] + np.argmax(loss[inner[0] : inner[1] + 1])]
print(f"minima at {weights[inner].round(2)} with losses {loss[inner].round(3)}, the barrier at {barrier:.2f}")

# %%
# The runs: 60 starts, each with the same settings and a seed of its own.

starts = np.random.default_rng(0).uniform(-1.5, 3, 60)


def descend(**steps):
    """Descend from every start; return where the runs end."""
    ends = []
    settings = {"lam": 0, "tol": 0, "max_iter": 400, "fit_intercept": False}
    for seed, start in enumerate(starts):
        neuron = SigmoidNeuron(solver=GradientDescent(**steps), random_state=seed, **settings)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # all 400 epochs are wanted
            ends.append(neuron.fit(x[:, None], y, coef_init=[[start]]).coef_[0, 0])
    return np.array(ends)


runs = {
    "all rows,\nsteps of 0.2": descend(batch_size=None, learning_rate=0.2),
    "drawn rows,\nsteps of 0.02": descend(learning_rate=0.02, shuffle="replacement"),
    "each row once,\nsteps of 0.2": descend(learning_rate=0.2),
    "drawn rows,\nsteps of 0.2": descend(learning_rate=0.2, shuffle="replacement"),
}
began_deep = starts < barrier
moved = {"left the deep minimum": [], "came to the deep minimum": []}
for name, ends in runs.items():
    left, came = ends[began_deep] > barrier, ends[~began_deep] < barrier
    moved["left the deep minimum"].append(100 * left.mean())
    moved["came to the deep minimum"].append(100 * came.mean())
    words = name.replace("\n", " ")
    print(f"{words}: {left.sum()} of {len(left)} left the deep one, {came.sum()} of {len(came)} came to it")

# %%

figure, axes = plt.subplots(1, 2, figsize=(10, 4.4), layout="constrained", width_ratios=[1.1, 1])
axes[0].plot(weights, loss, color="black", lw=2)
axes[0].plot(weights[inner], loss[inner], "o", color="#D55E00", ms=9)
axes[0].text(weights[inner[0]] + 0.25, loss[inner[0]], "deep", va="center")
axes[0].text(weights[inner[1]], loss[inner[1]] - 0.009, "shallow", ha="left")
axes[0].set(xlabel="w", ylabel="loss", title="five points, one weight, two minima")
for n, (name, shares) in enumerate(moved.items()):
    places = np.arange(len(runs)) + 0.19 * (1 - 2 * n)
    bars = axes[1].barh(places, shares, 0.36, color=("#D55E00", "#0072B2")[n], label=name)
    axes[1].bar_label(bars, fmt="%.0f", padding=3)
axes[1].set_yticks(range(len(runs)), list(runs))
axes[1].set(xlabel="% of the runs that could", xlim=(0, 103), ylim=(-0.6, len(runs) + 0.3))
axes[1].legend(frameon=False)
for ax in axes:
    ax.spines[["top", "right"]].set_visible(False)
plt.show()
