"""
Xor: no single unit, but three
==============================

The true rows of xor and its false rows share their middle, so that no line can part them. Two hidden units and an
output compute it (row L24). Boxes hold the biases, wires the weights; orange is positive, blue negative.
"""

import matplotlib.pyplot as plt
import numpy as np

from rosenblatt import Layer, ThresholdNetwork, as_threshold_unit
from rosenblatt.logic.function import assignments
from rosenblatt.plots import NetworkDisplay, SeparabilityDisplay

proof = as_threshold_unit("a ^ b")
print(proof)

network = ThresholdNetwork.from_function("a ^ b")
print(network)

# %%
# The proof, what the two hidden units see, and the network.

figure, axes = plt.subplots(1, 3, figsize=(12, 3.8), layout="constrained")
SeparabilityDisplay.from_certificate(proof, assignments(2), proof.function.table, ax=axes[0])
axes[0].set(title="both hulls share (1/2, 1/2)", xlabel="a", ylabel="b", aspect="equal")

hidden = network.activity(assignments(2))
seen = np.column_stack([hidden["h1"], hidden["h2"]])
for row, (x, y), answer in zip(assignments(2).tolist(), seen, network.table, strict=True):
    axes[1].scatter(x, y, s=90, c="#D55E00" if answer else "#0072B2", marker="s" if answer else "o")
    axes[1].annotate(f"{row[0]}{row[1]}", (x, y), xytext=(8, -14 if row == [1, 0] else 6), textcoords="offset points")
axes[1].plot([0.2, 1.7], [-0.3, 1.2], color="#222222")
axes[1].set(title="after the hidden layer a line is enough", xlabel="h1: a or b", ylabel="h2: a and b", aspect="equal")
axes[1].set(xlim=(-0.4, 1.6), ylim=(-0.4, 1.4), xticks=[0, 1], yticks=[0, 1])
NetworkDisplay.from_network(network, ax=axes[2])
plt.show()

# %%
# The same by training: two layers that start at random and learn by back-propagation come to a network of their own.

X, y = np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), [0, 1, 1, 0]
learned = Layer("sigmoid", below=Layer("tanh", units=2), lam=1e-4, random_state=0).fit(X, y)
print("answers", learned.predict(X).tolist(), "activations", learned.activate(X).ravel().round(2).tolist())
NetworkDisplay.from_network(learned)
plt.show()
