"""
The proof of a real run, in two curves
======================================

Why a perceptron stops on separable rows (lecture row L7): every mistake adds at least γ' to w·v, where v is the best
unit vector, and at most R'² to ‖w‖². So ‖w‖² grows at least like k² and at most like k, and there is no room beyond
k = R'²/γ'². ``audit`` goes through the recorded updates of a run and checks both after each of them, in exact
arithmetic.

Left: handwritten threes against eights. Right: only two rows, x = 100 and x = 102, which need 20,303 mistakes,
because the threshold lies so far from where the run begins.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from rosenblatt import Perceptron, audit
from rosenblatt.plots import ProofDisplay
from rosenblatt.sources import two_points

images = load_digits()
chosen = np.isin(images.target, (3, 8))
X, y = images.data[chosen].astype(np.uint8), images.target[chosen]
digits = audit(Perceptron(random_state=0).fit(X, y, record="updates"), X, y)
print(digits)

# %%
# The geometric margin of the two points is 1, and with it the theorem would promise 10,405. The theorem speaks of the
# coordinates in which the run lives, (x, 1) with the bias as a weight, and there the margin is much smaller.

toy = two_points()
model = Perceptron(shuffle=False, max_iter=100_000).fit(toy.X, toy.y, record="updates")
far = audit(model, toy.X, toy.y)
print(far)

figure, axes = plt.subplots(1, 2, figsize=(11, 4.9), layout="constrained")
ProofDisplay.from_audit(digits, ax=axes[0])
ProofDisplay.from_audit(far, ax=axes[1])
for ax in axes:
    ax.title.set_fontsize(10)
plt.show()
