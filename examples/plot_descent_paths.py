"""
Descent paths on the loss of a sigmoid neuron
=============================================

One weight and one bias, so that the loss is a landscape (lecture rows L17, L19 and L20). Steps with all rows follow the
slope; steps with single rows wander around it. On an unscaled feature the landscape is a narrow ravine, slow for both.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.special import expit

from rosenblatt import GradientDescent, SigmoidNeuron

random = np.random.default_rng(0)
raw = random.normal(4.0, 2.0, 80)
y = (raw + random.normal(0, 1.5, 80) > 4.0).astype(int)
scaled = (raw - raw.min()) / (raw.max() - raw.min())

figure, axes = plt.subplots(1, 2, figsize=(10.4, 4.5), layout="constrained")
for ax, x, name, rate, span in (
    (axes[0], raw, "unscaled feature", 0.5, ((-1.5, 4), (-9, 2))),
    (axes[1], scaled, "scaled to 0 … 1", 4.0, ((-4, 16), (-9, 2))),
):
    w, b = np.meshgrid(np.linspace(*span[0], 120), np.linspace(*span[1], 120))
    loss = np.mean((expit(w[..., None] * x + b[..., None]) - y) ** 2, axis=-1) / 2
    ax.contourf(w, b, loss, 30, cmap="Greys")
    for size, colour, label in ((None, "#0072B2", "all rows"), (1, "#D55E00", "single rows")):
        path = [(0.0, 0.0)]
        steps = GradientDescent(batch_size=size, learning_rate=rate if size is None else rate / 8)
        model = SigmoidNeuron(lam=0, solver=steps, max_iter=1, tol=0, random_state=random)
        for _ in range(150):
            model.fit(x[:, None], y, coef_init=[[path[-1][0]]], intercept_init=[path[-1][1]])
            path.append((model.coef_[0, 0], model.intercept_[0]))
        ax.plot(*np.array(path).T, ".-", color=colour, lw=1, ms=3, label=f"{label}: {model.objective_:.3f}")
        print(f"{name}, {label}: loss {model.objective_:.4f} after 150 epochs")
    ax.set(xlabel="w", ylabel="b", xlim=span[0], ylim=span[1])
    ax.set_title(name, loc="left", fontsize=11)
    ax.legend(loc="lower left", title="loss after 150 epochs", fontsize=9)
plt.show()
