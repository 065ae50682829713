"""
Losses and steps of all rules
=============================

Every rule that descends a loss, on one pair of axes: the loss of a row against its margin, and the step that the rule
takes, which is minus the loss's slope (lecture rows L13, L15, L17, L18). With these numbers the margin perceptron's
curves are the hinge's: θ = 1 asks for the same margin.
"""

import matplotlib.pyplot as plt
import numpy as np

from rosenblatt.rules import RULES

given = {
    "pegasos": {"lam": 0.5},
    "logistic": {"learning_rate": 1.0},
    "adaline": {"learning_rate": 1.0},
    "sigmoid_neuron": {"learning_rate": 1.0},
}
COLOURS = ("#555555", "#E69F00", "#D55E00", "#0072B2", "#009E73", "#CC79A7")
# Where curves lie on each other, the narrow one is seen on the broad one.
STYLES = ((0, (1, 1)), "-", (0, (4, 2)), "-", "-", "-")
WIDTHS = (2.2, 6.0, 2.2, 2.2, 2.2, 2.2)
m = np.linspace(-2.5, 3, 1101)
figure, (left, right) = plt.subplots(1, 2, figsize=(10.4, 4.3), layout="constrained", sharex=True)
rules = [rule for rule in RULES.values() if rule.loss is not None]
for rule, colour, style, width in zip(rules, COLOURS, STYLES, WIDTHS, strict=False):
    params = rule.values(given.get(rule.name))
    name = {"pegasos": "hinge (Pegasos)", "adaline": "squares (Adaline)"}.get(rule.name, rule.name.replace("_", " "))
    loss = np.array([rule.loss(value, 1.0, params) for value in m])
    step = np.array([rule.function(value, 1.0, 1, params)[0] for value in m])
    step[1:][np.abs(np.diff(step)) > 0.3] = np.nan
    left.plot(m, loss, color=colour, ls=style, lw=width, label=name, zorder=3 - width / 6)
    right.plot(m, step, color=colour, ls=style, lw=width, zorder=3 - width / 6)
left.set(ylim=(-0.1, 3.5), ylabel="loss", xlabel="margin m = y (w·x + b)")
right.set(ylim=(-1.6, 2.6), ylabel="step = minus the slope", xlabel="margin m = y (w·x + b)")
left.legend(frameon=False)
for ax in (left, right):
    ax.axvline(0, color="#cccccc", lw=1, zorder=0)
    ax.spines[["top", "right"]].set_visible(False)
plt.show()
