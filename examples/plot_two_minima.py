"""
A loss with two minima
======================

A sigmoid neuron with squared loss on five points, one of them far away: the loss as a function of the weight has a
shallow and a deep minimum (lecture rows L17 and L19). It is said that steps with single rows escape a minimum in which
steps with all rows stick. The experiment counts where each of them ends, from 200 random starts. Single rows with large
steps do leave a minimum, and here they all leave the deeper one: nothing leads them to the lowest.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.special import expit

from rosenblatt import SigmoidNeuron

x = np.array([-20.0, 1.0, 1.2, 1.4, 1.6])
y = np.array([1, 1, 1, 1, 0])
weights = np.linspace(-2, 6, 1601)
loss = np.mean((expit(np.outer(weights, x)) - y) ** 2, axis=1) / 2
inner = np.flatnonzero((loss[1:-1] < loss[:-2]) & (loss[1:-1] < loss[2:])) + 1
barrier = inner[0] + np.argmax(loss[inner[0] : inner[-1] + 1])
print(
    "minima at", weights[inner].round(2), "with losses", loss[inner].round(4), "barrier at", weights[barrier].round(2)
)

starts = np.random.default_rng(0).uniform(-1.5, 3, 200)
ends = {}
for name, solver, rate in (("all rows", "batch", 0.05), ("single rows, small steps", "sgd", 0.05),
                           ("single rows, large steps", "sgd", 2.0)):  # fmt: skip
    ends[name] = []
    for n, start in enumerate(starts):
        model = SigmoidNeuron(solver=solver, learning_rate=rate, max_iter=1, fit_intercept=False, warm_start=True,
                              tol=0, random_state=n)  # fmt: skip
        model.fit(x[:, None], y)
        model._state.set_weights(np.array([[start]]), np.zeros(1))
        model.set_params(max_iter=400).fit(x[:, None], y)
        ends[name].append(model.coef_[0, 0])
deeper = min(inner, key=lambda j: loss[j])
right = deeper > barrier
share = {name: np.mean((np.array(w) > weights[barrier]) == right) for name, w in ends.items()}
print({name: f"{100 * value:.0f} % in the deeper one" for name, value in share.items()})

figure, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained", width_ratios=[1.2, 1])
axes[0].plot(weights, loss, color="black", lw=2)
axes[0].plot(weights[inner], loss[inner], "o", color="#D55E00", ms=9)
axes[0].set(xlabel="w", ylabel="loss", title="five points, one weight, two minima")
begins = np.mean((starts > weights[barrier]) == right)
axes[1].barh(list(share), [100 * value for value in share.values()], color=["#0072B2", "#E69F00", "#D55E00"])
axes[1].axvline(100 * begins, color="#777777", ls=(0, (4, 2)))
axes[1].text(100 * begins, 2.55, "starts on its side", color="#777777", ha="center", fontsize=9)
axes[1].set(xlabel="% of 200 runs that end at the deeper one", xlim=(0, 100))
for ax in axes:
    ax.spines[["top", "right"]].set_visible(False)
plt.show()
