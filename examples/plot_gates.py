"""
The gates of the lectures
=========================

A unit fires when w·x + b >= 0 (row L1). Squares are rows where it does, circles rows where it does not; the line, or
the plane in a cube, is where w·x + b = 0. The half in the bias keeps every row off the line.
"""

import matplotlib.pyplot as plt

from rosenblatt import ThresholdUnit
from rosenblatt.plots import UnitDisplay

gates = {
    "or": ThresholdUnit.or_(),
    "and": ThresholdUnit.and_(),
    "implies": ThresholdUnit.implies(),
    "nor": ThresholdUnit.nor(),
    "nand": ThresholdUnit.nand(),
    "not": ThresholdUnit.not_(),
    "majority of 3": ThresholdUnit.majority(3),
    "and of 3": ThresholdUnit.and_(3),
}
figure, axes = plt.subplots(2, 4, figsize=(11, 6.9), layout="constrained")
for (name, unit), ax in zip(gates.items(), axes.flat, strict=True):
    UnitDisplay.from_unit(unit, ax=ax)
    ax.set_title(f"{name}:  {unit}", fontsize=10)
figure.legend(*axes.flat[0].get_legend_handles_labels(), loc="outside lower center", ncols=2, frameon=False)
plt.show()
