"""
What ten half-spaces look like
==============================

Ten half-spaces over the 64 pixels of scikit-learn's digits, trained in one pass per epoch: one against the rest. The
weights of each are an image again. Ink on a blue pixel speaks for the digit, ink on a red pixel against it. The last
weights carry the marks of the last few mistakes; the averaged ones are calmer and answer better.
"""

import matplotlib.pyplot as plt
import numpy as np

from rosenblatt import Perceptron
from rosenblatt.sources import digits

split = digits()
model = Perceptron(answer="averaged", max_iter=20, random_state=0).fit(split.X_train, split.y_train)
accuracy = {name: answer.score(split.X_test, split.y_test) for name, answer in model.answers_.items()}
print({name: f"{value:.1%}" for name, value in accuracy.items()})

figure, axes = plt.subplots(3, 10, figsize=(10.2, 3.7), layout="constrained")
for digit in range(10):
    mean = split.X_train[split.y_train == digit].mean(axis=0)
    axes[0, digit].imshow(mean.reshape(8, 8), cmap="Greys")
    axes[0, digit].set_title(str(digit), weight="bold")
    for row, name in ((1, "last"), (2, "averaged")):
        coef = model.answers_[name].coef
        limit = np.quantile(np.abs(coef), 0.98)
        picture = axes[row, digit].imshow(coef[digit].reshape(8, 8), cmap="RdBu", vmin=-limit, vmax=limit)
names = ["mean image", f"last\n{accuracy['last']:.1%} right", f"averaged\n{accuracy['averaged']:.1%} right"]
for ax, name in zip(axes[:, 0], names, strict=True):
    ax.set_ylabel(name, rotation=0, ha="right", va="center", fontsize=10)
for ax in axes.flat:
    ax.set(xticks=[], yticks=[])
    ax.spines[:].set_color("#cccccc")
bar = figure.colorbar(picture, ax=axes[1:], shrink=0.85, aspect=14, ticks=[-limit, 0, limit], pad=0.015)
bar.ax.set_yticklabels(["against", "0", "for"])
plt.show()
