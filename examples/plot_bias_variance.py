"""
Bias and variance as capacity grows
===================================

E(Y - y)² = (E Y - y)² + Var Y: the mean squared error of a prediction is its squared bias and its variance (lecture row
L23). Polynomials of growing degree, each fitted to 300 training sets drawn anew, show both.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.preprocessing import PolynomialFeatures

from rosenblatt import LeastSquares

random = np.random.default_rng(0)
line = np.linspace(-0.9, 0.9, 61)
truth = np.sin(3 * line)
degrees, sets = range(0, 10), 300
predictions = {degree: np.empty((sets, len(line))) for degree in degrees}
for n in range(sets):
    x = random.uniform(-1, 1, 25)
    y = np.sin(3 * x) + random.normal(0, 0.3, 25)
    for degree in degrees:
        powers = PolynomialFeatures(max(degree, 1), include_bias=False)
        rows, wanted = powers.fit_transform(x[:, None]), powers.transform(line[:, None])
        used = slice(0, degree) if degree else slice(0, 1)
        factor = 1.0 if degree else 0.0  # degree 0: the constant alone
        predictions[degree][n] = LeastSquares().fit(factor * rows[:, used], y).predict(factor * wanted[:, used])

bias = np.array([np.mean((predictions[d].mean(axis=0) - truth) ** 2) for d in degrees])
variance = np.array([np.mean(predictions[d].var(axis=0)) for d in degrees])
error = np.array([np.mean((predictions[d] - truth) ** 2) for d in degrees])
print("error - squared bias - variance is at most", np.abs(error - bias - variance).max())

figure, axes = plt.subplots(1, 4, figsize=(12.4, 3.2), layout="constrained")
for ax, degree in zip(axes[:3], (1, 3, 9), strict=True):
    ax.plot(line, predictions[degree][:40].T, color="#56B4E9", lw=0.6, alpha=0.5)
    ax.plot(line, predictions[degree].mean(axis=0), color="#0072B2", lw=2)
    ax.plot(line, truth, color="black", lw=1.5, ls=(0, (4, 2)))
    ax.set(title=f"degree {degree}", ylim=(-2, 2))
for values, name, colour in (
    (bias, "squared bias", "#D55E00"),
    (variance, "variance", "#009E73"),
    (error, "error", "black"),
):
    axes[3].semilogy(degrees, values, "o-", color=colour, label=name, ms=4)
axes[3].set(xlabel="degree", title="of the prediction")
axes[3].legend(frameon=False)
for ax in axes:
    ax.spines[["top", "right"]].set_visible(False)
plt.show()
