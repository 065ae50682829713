"""
Xor with the product of its inputs
==================================

No line separates xor in (u, v). With the product uv as a third feature a plane does (lecture row L21), and the
perceptron finds it.
"""

import matplotlib.pyplot as plt
import numpy as np

from rosenblatt import Perceptron

X, y = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], float), np.array([0, 1, 1, 0])
product = np.column_stack([X, X[:, 0] * X[:, 1]])
plain = Perceptron(max_iter=100, shuffle=False).fit(X, y)
model = Perceptron(max_iter=1000, shuffle=False).fit(product, y)
print("without the product:", plain.stop_reason_, "- with it:", model.stop_reason_, model.coef_, model.intercept_)

ticks = np.linspace(-0.4, 1.4, 201)
mesh = np.stack(np.meshgrid(ticks, ticks), axis=-1).reshape(-1, 2)
figure, axes = plt.subplots(1, 2, figsize=(8.6, 4.1), layout="constrained", sharey=True)
maps = {"(u, v): no line will do": (plain, mesh), "(u, v, uv)": (model, np.column_stack([mesh, mesh.prod(axis=1)]))}
for ax, (name, (learner, rows)) in zip(axes, maps.items(), strict=True):
    scores = learner.decision_function(rows).reshape(201, 201)
    ax.contourf(ticks, ticks, scores >= 0, levels=[-0.5, 0.5, 1.5], colors=["#fbe3c3", "#cfe7f5"])
    ax.contour(ticks, ticks, scores, [0], colors="#444444", linewidths=1.5)
    for side, colour, marker in ((1, "#0072B2", "o"), (0, "#D55E00", "s")):
        ax.scatter(*X[y == side].T, s=120, c=colour, marker=marker, edgecolors="white", zorder=3)
    ax.set(xlabel="u", title=name, xticks=[0, 1], yticks=[0, 1], aspect="equal")
axes[0].set_ylabel("v")
plt.show()
