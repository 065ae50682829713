"""
Bias and variance as capacity grows
===================================

E(Y - y)² = (E Y - y)² + Var Y: the mean squared error of a prediction is its squared bias and its variance (lecture row
L23). Polynomials of growing degree, each fitted to the same 25 places with 300 drawings of the noise, show both: as
the degree grows the squared bias falls (to the little that 300 drawings leave), the variance rises, and their sum is
least in between.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.preprocessing import PolynomialFeatures

from rosenblatt import LeastSquares

random = np.random.default_rng(0)
places = np.linspace(-1, 1, 25)
line = np.linspace(-1, 1, 81)
truth = np.sin(3 * line)
degrees, sets = range(1, 11), 300
noisy = np.sin(3 * places) + random.normal(0, 0.4, (sets, len(places)))
predictions = {}
for degree in degrees:
    powers = PolynomialFeatures(degree, include_bias=False)
    rows, wanted = powers.fit_transform(places[:, None]), powers.transform(line[:, None])
    predictions[degree] = LeastSquares().fit(rows, noisy.T).predict(wanted).T  # 300 targets, one fit

bias = np.array([np.mean((predictions[d].mean(axis=0) - truth) ** 2) for d in degrees])
variance = np.array([np.mean(predictions[d].var(axis=0)) for d in degrees])
error = np.array([np.mean((predictions[d] - truth) ** 2) for d in degrees])
print(f"error - squared bias - variance is at most {np.abs(error - bias - variance).max():.0e}")
print(f"the error is least for degree {degrees[int(np.argmin(error))]}")

figure, axes = plt.subplots(1, 4, figsize=(12.4, 3.6), layout="constrained")
for ax, degree in zip(axes[:3], (1, 3, 10), strict=True):
    each = ax.plot(line, predictions[degree][:40].T, color="#56B4E9", lw=0.6, alpha=0.5)
    (mean,) = ax.plot(line, predictions[degree].mean(axis=0), color="#0072B2", lw=2)
    (true,) = ax.plot(line, truth, color="black", lw=1.5, ls=(0, (4, 2)))
    ax.set(title=f"degree {degree}", ylim=(-2, 2))
figure.legend(
    [each[0], mean, true], ["40 of the 300 fits", "mean of all fits", "truth"], loc="outside lower left", ncols=3
)
for values, name, colour, marker in (
    (bias, "squared bias", "#D55E00", "s"),
    (variance, "variance", "#009E73", "^"),
    (error, "error, their sum", "black", "o"),
):
    axes[3].semilogy(degrees, values, marker=marker, color=colour, label=name, ms=4)
axes[3].set(xlabel="degree", title="mean over the line")
axes[3].legend(frameon=False)
for ax in axes:
    ax.spines[["top", "right"]].set_visible(False)
plt.show()
