"""
One run, four answers
=====================

On classes that overlap, a perceptron never comes to rest: its last weights are whatever the last mistake left behind
(lecture row L9). One fit keeps more than the last weights. The *averaged* answer is the mean of all weights it passed
through, the *voted* answer lets all of them vote, and the *pocket* keeps those with the fewest training errors.
"""

import matplotlib.pyplot as plt
import numpy as np

from rosenblatt import Perceptron
from rosenblatt.sources import overlapping_blobs

COLOURS = {"last": "#D55E00", "averaged": "#0072B2", "voted": "#009E73", "pocket": "#CC79A7"}
STYLES = {"last": "-", "averaged": "-", "voted": (0, (2, 1.5)), "pocket": (0, (6, 2))}
POSITIVE, NEGATIVE = "#56B4E9", "#E69F00"

both = overlapping_blobs(3000, 2, flipped=0.12, margin=0.05, radius=5, random_state=4)
X, y, X_test, y_test = both.X[:600], both.y[:600], both.X[600:], both.y[600:]
least = np.isin(np.arange(600, 3000), both.flipped).mean()  # the errors that the true line makes on the test rows

# %%
# Each fit repeats the same run (same seed) and stops one epoch later, so that all four can be followed.

epochs = np.arange(1, 21)
errors = {name: [] for name in COLOURS}
train = {name: [] for name in COLOURS}
for n in epochs:
    model = Perceptron(answer="voted", max_iter=int(n), random_state=1).fit(X, y, keep="pocket")
    for name, answer in model.answers_.items():
        errors[name].append(1 - answer.score(X_test, y_test))
        train[name].append(1 - answer.score(X, y))
print({name: f"{100 * values[-1]:.1f} %" for name, values in errors.items()}, f"true line {100 * least:.1f} %")

figure = plt.figure(figsize=(10.4, 4.9), layout="constrained")
grid = figure.add_gridspec(2, 2, width_ratios=[1, 1.08])
plane = figure.add_subplot(grid[:, 0])
for side, colour, marker in ((1, POSITIVE, "o"), (-1, NEGATIVE, "s")):
    plane.scatter(*X[y == side].T, s=11, c=colour, marker=marker, linewidths=0, alpha=0.7)
across = np.linspace(-6, 6, 2)
for name in ("averaged", "pocket", "last"):
    answer = model.answers_[name]
    w, b = answer.coef[0], answer.intercept[0]
    foot, along = -b * w / (w @ w), 9 * np.array([-w[1], w[0]]) / np.linalg.norm(w)
    plane.plot(*np.array([foot - along, foot + along]).T, color=COLOURS[name], ls=STYLES[name], lw=2.4, label=name)
ticks = np.linspace(-5.5, 5.5, 221)
mesh = np.stack(np.meshgrid(ticks, ticks), axis=-1).reshape(-1, 2)
votes = model.answers_["voted"].decision_function(mesh).reshape(221, 221)
plane.contour(ticks, ticks, votes, [0], colors=COLOURS["voted"], linewidths=2.4, linestyles=[STYLES["voted"]])
plane.plot([], [], color=COLOURS["voted"], ls=STYLES["voted"], lw=2.4, label="voted")
plane.set(xlim=(-5.5, 5.5), ylim=(-5.5, 5.5), aspect="equal", xticks=[], yticks=[])
plane.set_title(f"after {epochs[-1]} epochs, 12 % of the labels flipped", loc="left", fontsize=10)
plane.legend(loc="lower left", fontsize=9, framealpha=0.9)
top = figure.add_subplot(grid[0, 1])
below = figure.add_subplot(grid[1, 1], sharex=top, sharey=top)
for ax, table, what in ((top, train, "training error"), (below, errors, "test error")):
    for name, values in table.items():
        ax.plot(epochs, 100 * np.array(values), color=COLOURS[name], ls=STYLES[name], lw=2)
    ax.set_title(what + ", %", loc="left", fontsize=10)
    ax.spines[["top", "right"]].set_visible(False)
below.axhline(100 * least, color="#777777", lw=1)
below.text(20, 100 * least - 1, "the true line", color="#777777", ha="right", va="top", fontsize=9)
below.set(xlabel="epochs", ylim=(5, 55), xticks=[1, 5, 10, 15, 20])
plt.show()
