"""
Polynomial regression with growing degree
=========================================

A polynomial is a linear model on (1, x, x², …) (lecture row L21). A higher degree follows the training points ever
closer, and the curve behind them only up to a point.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures

from rosenblatt import LeastSquares

random = np.random.default_rng(3)


def truth(x):
    return np.sin(2 * np.pi * x)


x = np.sort(random.uniform(0, 1, 15))
y = truth(x) + random.normal(0, 0.2, 15)
x_test = random.uniform(0.02, 0.98, 500)
y_test = truth(x_test) + random.normal(0, 0.2, 500)


def polynomial(degree):
    return make_pipeline(PolynomialFeatures(degree, include_bias=False), LeastSquares())


degrees = range(1, 12)
fitted = {degree: polynomial(degree).fit(x[:, None], y) for degree in degrees}
train = [np.mean((fitted[d].predict(x[:, None]) - y) ** 2) for d in degrees]
test = [np.mean((fitted[d].predict(x_test[:, None]) - y_test) ** 2) for d in degrees]
print("lowest test error at degree", int(np.argmin(test)) + 1)

figure, axes = plt.subplots(1, 4, figsize=(12, 3.2), layout="constrained")
line = np.linspace(0, 1, 300)
for ax, degree in zip(axes[:3], (1, 3, 11), strict=True):
    ax.plot(line, truth(line), color="#999999", lw=1.5)
    ax.plot(line, fitted[degree].predict(line[:, None]), color="#0072B2", lw=2)
    ax.scatter(x, y, c="#D55E00", s=24, zorder=3)
    ax.set(title=f"degree {degree}", ylim=(-1.8, 1.8), xticks=[0, 1])
axes[3].semilogy(degrees, train, "s-", color="#D55E00", label="training")
axes[3].semilogy(degrees, test, "o-", color="#0072B2", label="test")
axes[3].axhline(0.04, color="#999999", lw=1)
axes[3].text(1, 0.0345, "noise", color="#777777", va="top", fontsize=9)
axes[3].set(title="mean squared error", xlabel="degree", ylim=(1e-3, 10))
axes[3].legend(frameon=False)
for ax in axes:
    ax.spines[["top", "right"]].set_visible(False)
plt.show()
