"""
Pedestrians: gradients against pixels
=====================================

Histograms of oriented gradients (8 x 8 pixels, 9 bins) and a linear support vector machine on 64 x 128 windows of the
INRIA Person set (lecture row L22), beside the same learner on raw pixels. Where the set is not at hand, scikit-learn's
small digits, 8 against the rest, stand in for it.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import roc_auc_score, roc_curve

from rosenblatt import HOGFeatures, LinearSVM
from rosenblatt.sources import digits, pedestrians

try:
    data, hog = pedestrians(), HOGFeatures(n_jobs=2)
    X, X_test, y, y_test = data.X_train, data.X_test, data.y_train, data.y_test
except (ConnectionError, FileNotFoundError):
    data, hog = digits(random_state=0), HOGFeatures(pixels_per_cell=(2, 2))
    X, X_test = (part.reshape(-1, 8, 8) for part in (data.X_train, data.X_test))
    y, y_test = (data.y_train == 8).astype(int), (data.y_test == 8).astype(int)

maps = {
    "HOG": (hog.fit_transform(X), hog.transform(X_test)),
    "raw pixels": tuple(part.reshape(len(part), -1) / part.max() for part in (X, X_test)),
}
figure, (left, right) = plt.subplots(1, 2, figsize=(9.6, 4.4), layout="constrained", width_ratios=[1.5, 1])
for (name, (Z, Z_test)), colour in zip(maps.items(), ("#0072B2", "#D55E00"), strict=True):
    model = LinearSVM(lam=1e-2, tol=1e-3, random_state=0).fit(Z, y)
    scores = model.decision_function(Z_test)
    area, accuracy = roc_auc_score(y_test, scores), model.score(Z_test, y_test)
    print(f"{name}: area {area:.4f}, accuracy {accuracy:.4f}, {len(model.support_)} support vectors")
    false, true, _ = roc_curve(y_test, scores)
    left.plot(false, true, color=colour, lw=2, label=f"{name}: area {area:.3f}, accuracy {accuracy:.3f}")
left.set(
    xlabel="windows without a person that are taken for one", ylabel="persons found", title="ROC on the test windows"
)
left.legend(frameon=False, loc="lower right")
left.spines[["top", "right"]].set_visible(False)
shown = [*np.flatnonzero(y == 1)[:4], *np.flatnonzero(y == 0)[:4]]
right.imshow(np.hstack([np.vstack([X[i] for i in shown[n : n + 2]]) for n in range(0, 8, 2)]), cmap="gray")
right.set(xticks=[], yticks=[], title="with and without")
plt.show()
