"""
A kernel that is no inner product
=================================

A kernel machine works in a space where the kernel is the inner product. Then every matrix of its values is positive
semi-definite: c'Kc is the squared length of a vector, for any weights c. The hyperbolic tangent is often used all the
same. ``is_mercer`` finds a few rows and rational weights c for which c'Kc is negative, and computes that without
rounding: a squared length below 0, so that there is no such space.

Left: the eigenvalues of the matrix of a valid and of an invalid kernel. Right: c'Kc along a circle of weights on two
rows of the witness; where it dips below 0 the kernel is refuted.
"""

import matplotlib.pyplot as plt
import numpy as np

from rosenblatt import is_mercer
from rosenblatt.kernels import RBF, Sigmoid

X = np.random.default_rng(0).normal(size=(60, 2))
sigmoid, round_ = Sigmoid(gamma=1.0, coef0=-1.0), RBF(gamma=0.5)
report = is_mercer(sigmoid, X)
print(report)
print(is_mercer(round_, X))
print("rows", report.witness_rows, "weights", ", ".join(map(str, report.witness)))
print("checked again:", report.verify(X))

figure, axes = plt.subplots(1, 2, figsize=(10.6, 4.3), layout="constrained")
for kernel, name, colour in ((round_, "RBF", "#0072B2"), (sigmoid, "hyperbolic tangent", "#D55E00")):
    axes[0].plot(np.linalg.eigvalsh(kernel(X)), ".", color=colour, label=name)
axes[0].axhline(0, color="#222222", lw=1)
axes[0].set(xlabel="number", ylabel="eigenvalue", title="eigenvalues among 60 rows")
axes[0].legend(frameon=False)
angle = np.linspace(0, 2 * np.pi, 400)
circle = np.column_stack([np.cos(angle), np.sin(angle)])
for kernel, colour in ((round_, "#0072B2"), (sigmoid, "#D55E00")):
    values = kernel(X[list(report.witness_rows[:2])])
    axes[1].plot(np.degrees(angle), np.einsum("ni,ij,nj->n", circle, values, circle), color=colour)
axes[1].axhline(0, color="#222222", lw=1)
axes[1].set(xlabel="angle of the weights c, degrees", ylabel="c'Kc", title="a squared length cannot be negative")
for ax in axes:
    ax.spines[["top", "right"]].set_visible(False)
plt.show()
