"""
All rules on one pair of axes
=============================

A rule says how far one row moves the weights, given its margin m = y (w·x + b). Since a rule sees nothing but
scalars, every rule can be drawn as a curve. The picture reads the table ``RULES``: a rule that is added there appears
here.
"""

import matplotlib.pyplot as plt
import numpy as np

from rosenblatt.rules import RULES

COLOURS = ("#D55E00", "#E69F00", "#0072B2", "#56B4E9", "#009E73", "#CC79A7", "#000000", "#999999")
STYLES = ("-", (0, (6, 2)), "-", (0, (4, 1.5)), (0, (1.5, 1.2)))
SQNORM = 1.0  # the squared length of the row, bias coordinate counted in
FIRST = 1  # the number of the example
given = {  # numbers with which no two curves hide each other
    "passive_aggressive_1": {"C": 1.2},
    "passive_aggressive_2": {"C": 0.5},
    "pegasos": {"lam": 0.625},
    "logistic": {"learning_rate": 1.0},
    "adaline": {"learning_rate": 0.25},
    "sigmoid_neuron": {"learning_rate": 2.0},
}

m = np.linspace(-1.5, 2.0, 1401)
figure, ax = plt.subplots(figsize=(8.2, 4.8), layout="constrained")
ax.axvspan(-1.5, 0, color="#f3f3f3", lw=0)
ax.text(-0.06, 2.62, "wrong", color="#777777", style="italic", ha="right")
ax.text(0.06, 2.62, "right", color="#777777", style="italic")
for n, (name, rule) in enumerate(RULES.items()):
    params = rule.values(given.get(name))
    steps = np.array([rule.function(value, SQNORM, FIRST, params)[0] for value in m])
    settings = ", ".join(f"{key} = {value:g}" for key, value in zip(rule.parameters, params, strict=True))
    label = name.replace("_", " ") + (f"   ({settings})" if settings else "")
    jumps = np.flatnonzero(np.abs(np.diff(steps)) > 0.3) + 1
    drawn = np.insert(steps, jumps, np.nan), np.insert(m, jumps, np.nan)
    width = 5 if name == "passive_aggressive" else 2.4
    colour = COLOURS[n % len(COLOURS)]
    ax.plot(drawn[1], drawn[0], color=colour, ls=STYLES[n % len(STYLES)], lw=width, label=label,
            alpha=0.45 if width > 3 else 1)  # fmt: skip
ax.set(xlabel="margin m = y (w·x + b) before the step", ylabel="step", xlim=(-1.5, 2.0), ylim=(-0.08, 2.8))
ax.set_title("w ← shrink·w + step·y·x,  for a row with ‖x‖² = 1", loc="left", fontsize=11)
ax.legend(frameon=False, loc="upper left", bbox_to_anchor=(0.43, 0.92))
ax.spines[["top", "right"]].set_visible(False)
plt.show()
