"""
The epoch table: 0 against 1
============================

The lectures follow a perceptron epoch by epoch on handwritten zeros and ones: how many changes, how many errors on
the training rows, how many on the test rows (lecture row L4). Here is the same table for the small digits that come
with scikit-learn, zeros against ones and then a harder pair, threes against eights, in the order of the file.
"""

import matplotlib.pyplot as plt
import numpy as np

from rosenblatt import Perceptron
from rosenblatt.sources import digits

VERMILION, BLUE, GREY = "#D55E00", "#0072B2", "#c9c9c9"
split = digits()


def table(a, b):
    """Train digit a against digit b in file order, watching both errors."""
    train, test = np.isin(split.y_train, (a, b)), np.isin(split.y_test, (a, b))
    model = Perceptron(shuffle=False)
    model.fit(
        split.X_train[train],
        split.y_train[train],
        eval_set=(split.X_test[test], split.y_test[test]),
        record="train_error",
    )
    return model.trace_


easy, hard = table(0, 1), table(3, 8)
print(easy)
print(hard)

# %%
# The changes fall, not always from one epoch to the next; the first epoch without a change ends the run.

figure, axes = plt.subplots(
    2,
    2,
    figsize=(9.4, 5),
    layout="constrained",
    sharex="col",
    sharey="row",
    width_ratios=[1, 2.6],
    height_ratios=[1, 1.3],
)
for (top, below), trace, pair in zip(axes.T, (easy, hard), ("0 against 1", "3 against 8"), strict=True):
    bars = top.bar(trace["epoch"], trace["updates"], color=GREY, width=0.7)
    top.bar_label(bars, color="#444444", fontsize=9, padding=2)
    top.set_title(pair, loc="left", weight="bold")
    below.plot(trace["epoch"], 100 * trace["train_error"], "o-", color=BLUE, lw=2, label="on the training rows")
    below.plot(trace["epoch"], 100 * trace["test_error"], "s--", color=VERMILION, lw=2, label="on the test rows")
    below.set(xticks=trace["epoch"], xlabel="epoch")
    for ax in (top, below):
        ax.spines[["top", "right"]].set_visible(False)
axes[0, 0].set(ylabel="changes", ylim=(0, 30))
axes[1, 0].set(ylabel="error afterwards, %", ylim=(-0.6, 18))
axes[1, 1].legend(frameon=False, loc="upper right")
plt.show()
