"""
Certified accuracy
==================

How far may a row move before a linear model changes its mind? The distance to the boundary answers for the Euclidean
length of a move, its sum (l1) and its largest part (l∞) with one formula: the score, divided by the dual norm of the
weights. ``certify`` computes it without rounding. A point of a curve below is a statement: that share of the rows stays
right wherever they are moved by at most that radius.

Left: the distances of the rows from the boundary, those of wrong rows below 0. Right: the certified accuracy of a
support vector machine, which was made to keep rows away from its boundary, and of a perceptron, which was not.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler

from rosenblatt import LinearSVM, Perceptron, certify
from rosenblatt.plots import MarginDisplay, RobustnessDisplay

data = load_breast_cancer()
X, y = StandardScaler().fit_transform(data.data), data.target_names[data.target]
machine = certify(LinearSVM(lam=0.01).fit(X, y), X, y)
perceptron = certify(Perceptron(answer="averaged", max_iter=20, tol=None, random_state=0).fit(X, y), X, y)
print(machine)
print(f"certified within 0.3 (l2): {machine.at(0.3).accuracy:.1%}, perceptron {perceptron.at(0.3).accuracy:.1%}")
print(f"every feature off by 0.05: {machine.at(0.05, 'linf').accuracy:.1%}, "
      f"perceptron {perceptron.at(0.05, 'linf').accuracy:.1%}")  # fmt: skip

figure, axes = plt.subplots(1, 2, figsize=(11.2, 4.6), layout="constrained")
MarginDisplay(machine.distances()).plot(ax=axes[0])
RobustnessDisplay.from_certificate(machine, norms=("linf", "l2"), ax=axes[1])
for line in RobustnessDisplay.from_certificate(perceptron, norms=("linf", "l2"), ax=axes[1]).ax_.lines[-2:]:
    line.set(linestyle=":", label="the same, perceptron")
axes[1].legend(frameon=False)
axes[1].set_title("support vectors (solid) and perceptron (dotted)")
plt.show()
