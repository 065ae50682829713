"""
How far from the minimum?
=========================

A fit of a support vector machine or a logistic regression minimises a number. Where does it stand when it stops? Any
weights bound the least value from above, any dual point bounds it from below (weak duality), and ``certify`` states
both without rounding: in rationals for the hinge loss, in balls for the logistic loss.

The interval closes while the fit goes on. Both ends are proven at every point; the fit's own estimate of the gap, in
float64, is not needed for it.
"""

import warnings

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler

from rosenblatt import LinearSVM, LogisticRegression, certify

warnings.filterwarnings("ignore")  # fits that are cut short on purpose
data = load_breast_cancer()
X, y = StandardScaler().fit_transform(data.data), data.target

figure, axes = plt.subplots(1, 2, figsize=(10.6, 4.4), layout="constrained")
for ax, kind, limits, name in (
    (axes[0], LinearSVM, (1, 2, 3, 4, 6, 8, 12, 16, 24, 32), "passes over the rows"),
    (axes[1], LogisticRegression, (1, 2, 3, 4, 5, 6, 7), "Newton steps"),
):
    found = [
        certify(kind(lam=0.01, tol=1e-12, max_iter=limit, random_state=0).fit(X, y), X, y).objective for limit in limits
    ]
    ax.fill_between(limits, [max(0, each.lower) for each in found], [each.upper for each in found], alpha=0.25)
    ax.plot(limits, [each.upper for each in found], "o-", ms=4, label="objective of the weights, at most")
    ax.plot(limits, [max(0, each.lower) for each in found], "s-", ms=4, label="least objective, at least")
    ax.set(xlabel=name, ylabel="objective", title=f"{kind.__name__}: {found[-1].lower:.6g} to {found[-1].upper:.6g}")
    ax.legend(frameon=False)
    ax.spines[["top", "right"]].set_visible(False)
    print(kind.__name__, found[-1])
plt.show()
