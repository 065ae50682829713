"""
Products of pairs of pixels
===========================

MNIST "8" against the rest (lecture row L21): the 784 pixels, supplemented by products of pairs of pixels that are
chosen at random. The perceptron, ten epochs. The products are made block by block on the way into the engine, so that
60,000 rows with 20,000 products each never stand in memory. Where MNIST is not at hand the picture shows
scikit-learn's small digits.
"""

import matplotlib.pyplot as plt
import numpy as np

from rosenblatt import PairProducts, Perceptron, Streamed
from rosenblatt.sources import digits, mnist

try:
    data, name, numbers = mnist(), "MNIST", [0, 100, 300, 1000, 3000, 10_000, 20_000]
except (ConnectionError, FileNotFoundError):
    data, name, numbers = digits(random_state=0), "small digits", [0, 30, 100, 300, 1000, 3000]
scale = 1.0 if name == "MNIST" else 16.0  # rows of bytes are taken as fractions of 255
X, X_test = (part if scale == 1.0 else part / scale for part in (data.X_train, data.X_test))
y, y_test = data.y_train == 8, data.y_test == 8
some = np.arange(0, len(y), max(1, len(y) // 10_000))  # training error, on every sixth row

errors = {(answer, on): [] for answer in ("last", "averaged") for on in ("train", "test")}
for n in numbers:
    model = Streamed(PairProducts(n, random_state=0), Perceptron("averaged"), max_iter=10, random_state=0).fit(X, y)
    for answer, on in errors:
        rows, labels = (X[some], y[some]) if on == "train" else (X_test, y_test)
        wrong = model.apply(rows, model.learner_.answers_[answer].predict) != labels
        errors[answer, on].append(100 * wrong.mean())
    print(f"{n:6} products: " + ", ".join(f"{a} {o} {values[-1]:.2f} %" for (a, o), values in errors.items()))

figure, ax = plt.subplots(figsize=(7.6, 4.4), layout="constrained")
for (answer, on), values in errors.items():
    ax.plot(numbers, values, "o-" if on == "test" else "s--", label=f"{answer}, {on}",
            color="#0072B2" if answer == "averaged" else "#D55E00", alpha=1 if on == "test" else 0.55)  # fmt: skip
ax.set_xscale("symlog", linthresh=numbers[1], linscale=0.5)
ax.set_xticks(numbers, [f"{n:,}" for n in numbers])
ax.minorticks_off()
ax.set(xlabel="products of pairs of pixels", ylabel="error, %", ylim=(0, None))
ax.set_title(f"{name}, 8 against the rest, ten epochs", loc="left", fontsize=11)
ax.legend(frameon=False)
ax.spines[["top", "right"]].set_visible(False)
plt.show()
