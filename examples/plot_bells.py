"""
Bells, probabilities and the widest street
==========================================

Two bell-shaped classes with one common spread (lecture row L14): the probability of a class, given x, is a sigmoid of a
linear score, and `GaussianDiscriminant` has its weights in closed form. Logistic regression (L15) looks for the same
sigmoid without asking for bells. A support vector machine (L13) asks only for the side, and only a few rows matter
to it.

A few rows far out on their own side show what each of them minds: the bells grow wider and the discriminant's line
turns, while the others hardly notice rows that are right by far.
"""

import matplotlib.pyplot as plt
import numpy as np

from rosenblatt import GaussianDiscriminant, LinearSVM, LogisticRegression

BLUE, ORANGE, GREEN, BLACK = "#0072B2", "#D55E00", "#009E73", "#222222"
random = np.random.default_rng(3)
figure, axes = plt.subplots(1, 3, figsize=(13, 4.2), layout="constrained")

# One feature: what is estimated from 200 rows of either class, beside the truth.
x = np.concatenate([random.normal(-1, 1, 200), random.normal(1.5, 1, 200)])
y = np.repeat([0, 1], 200)
bells, logistic = GaussianDiscriminant().fit(x[:, None], y), LogisticRegression(lam=0).fit(x[:, None], y)
line = np.linspace(-4, 5, 300)
for mean, colour in ((-1.0, BLUE), (1.5, ORANGE)):
    axes[0].fill_between(line, np.exp(-((line - mean) ** 2) / 2) / np.sqrt(2 * np.pi), color=colour, alpha=0.2, lw=0)
truth = 1 / (1 + np.exp(-2.5 * (line - 0.25)))  # w = m1 - m0, b = (m0² - m1²)/2
axes[0].plot(line, truth, color=BLACK, lw=2.5, label="true probability of orange")
axes[0].plot(line, bells.predict_proba(line[:, None])[:, 1], color=GREEN, ls=(0, (4, 2)), lw=2, label="discriminant")
axes[0].plot(
    line, logistic.predict_proba(line[:, None])[:, 1], color="#CC79A7", ls=(0, (1, 1.2)), lw=2.5, label="logistic"
)
axes[0].set(title="two bells, one sigmoid", xlabel="x", ylim=(0, 1.3))
axes[0].legend(frameon=False, loc="upper left")
print("true w and b: 2.5 and -0.625")
for name, model in (("discriminant", bells), ("logistic", logistic)):
    print(f"{name}: {model.coef_[0, 0]:.2f} and {model.intercept_[0]:.2f}")

# Two features, without and with rows far out on their own side.
rows = np.concatenate([random.normal((-1, 0), (0.7, 1.0), (40, 2)), random.normal((1, 0), (0.7, 1.0), (40, 2))])
labels = np.repeat([0, 1], 40)
far = np.array([[6.0, 7.0], [6.5, 8.0], [7.0, 7.5], [6.0, 8.5], [7.0, 8.5], [6.5, 7.0]])
for ax, more in ((axes[1], far[:0]), (axes[2], far)):
    X, c = np.concatenate([rows, more]), np.concatenate([labels, np.ones(len(more), int)])
    svm = LinearSVM(lam=0.01, random_state=0).fit(X, c)
    for k, (colour, marker) in enumerate(((BLUE, "o"), (ORANGE, "s"))):
        ax.scatter(*X[c == k].T, c=colour, marker=marker, s=18, lw=0, alpha=0.8)
    ax.scatter(*X[svm.support_].T, s=60, facecolors="none", edgecolors=BLACK, lw=0.8, label="support vectors")
    up = np.linspace(-3.5, 9, 2)
    for model, name, colour, style in (
        (GaussianDiscriminant().fit(X, c), "discriminant", GREEN, (0, (4, 2))),
        (LogisticRegression(lam=0.01).fit(X, c), "logistic", "#CC79A7", (0, (1, 1.2))),
        (svm, "support vector machine", BLACK, "-"),
    ):
        (w,), b = model.coef_, model.intercept_[0]
        ax.plot(-(w[1] * up + b) / w[0], up, color=colour, ls=style, lw=2, label=name)
        wrong = round(len(rows) * (1 - model.score(rows, labels)))
        print(f"{len(more)} rows far out, {name}: {wrong} of the {len(rows)} others wrong")
    ax.set(xlim=(-4, 8), ylim=(-3.5, 9), title=f"{len(more) or 'no'} rows far out")
axes[1].legend(frameon=False, loc="upper right")
for ax in axes:
    ax.spines[["top", "right"]].set_visible(False)
plt.show()
