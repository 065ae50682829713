"""
Learning online, with a class that appears late
===============================================

A stream of digits, one at a time: look, answer, be told the truth, learn (lecture row L6). The nines stay away for
the first half of the stream and then arrive unannounced. The model was not told that there would be ten classes; the
new one starts as a half-space that has seen every earlier row as "not a nine".

The averaged answer is usually the better one, but here the last weights find the nines sooner: the average goes back to
the time before there were any.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from rosenblatt import Perceptron

BLUE, VERMILION, GREY = "#0072B2", "#D55E00", "#777777"
X, y = load_digits(return_X_y=True)
order = np.random.default_rng(0).permutation(len(y))
nines = order[y[order] == 9]
others = order[y[order] != 9]
half = len(others) // 2
second = np.random.default_rng(1).permutation(np.concatenate([others[half:], nines]))
stream = np.concatenate([others[:half], second])


def follow(answer):
    """Answer, then learn, along the whole stream; return which answers were wrong, and the model."""
    model = Perceptron(answer=answer)
    wrong = []
    for i in stream:
        wrong.append(model.predict_one(X[i]) != y[i])
        model.learn_one(X[i], int(y[i]))
    return np.array(wrong), model


is_nine = y[stream] == 9
last, model = follow("last")
averaged, _ = follow("averaged")
for name, wrong in (("last", last), ("averaged", averaged)):
    print(f"{name}: {wrong.sum()} of {len(stream)} answered wrongly, {wrong[is_nine].sum()} of them nines")

# %%
# The same weights come out when all ten classes are declared before the first row.

declared = Perceptron().partial_fit(X[stream[:1]], y[stream[:1]], classes=np.arange(10))
for i in stream[1:]:
    declared.learn_one(X[i], int(y[i]))
print("same bits as declared in advance:", bool((declared.coef_ == model.coef_).all()))


def running(mistakes, width):
    """Take the mean of the last `width` answers, in percent."""
    sums = np.cumsum(np.concatenate([np.zeros(1), mistakes]))
    ends = np.arange(1, len(mistakes) + 1)
    starts = np.maximum(ends - width, 0)
    return 100 * (sums[ends] - sums[starts]) / (ends - starts)


figure, ax = plt.subplots(figsize=(8.6, 4.4), layout="constrained")
place = np.arange(1, len(stream) + 1)
ax.axvspan(half, len(stream), color="#f3f3f3", lw=0)
ax.text(half + 12, 101, "nines arrive", va="bottom", color=GREY, style="italic")
for wrong, style, name in ((last, "-", "last"), (averaged, (0, (4, 2)), "averaged")):
    ax.plot(
        place[~is_nine], running(wrong[~is_nine], 150), color=BLUE, lw=2.2, ls=style, label=f"digits 0 to 8, {name}"
    )
    ax.plot(place[is_nine], running(wrong[is_nine], 30), color=VERMILION, lw=2.2, ls=style, label=f"nines, {name}")
ax.set(xlim=(1, len(stream)), ylim=(0, 101), xlabel="examples seen")
ax.set_ylabel("wrong, % of the last 150 (0 to 8) or 30 (nines)")
ax.legend(frameon=False, loc="upper right", bbox_to_anchor=(0.44, 1.0))
ax.spines[["top", "right"]].set_visible(False)
plt.show()
