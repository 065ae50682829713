"""
Four looks at a model
=====================

How it learned, how clear the cases are, where the boundary runs, and what drives the decision: four displays that take
any fitted learner, alone or at the end of a pipeline. Dashed lines are the margin, rings are the support vectors, and
hatched bars are rows on the wrong side.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from rosenblatt import KernelPerceptron, LinearSVM, Perceptron
from rosenblatt.plots import BoundaryDisplay, MarginDisplay, TraceDisplay, WeightsDisplay

warnings.simplefilter("ignore", ConvergenceWarning)
data = load_breast_cancer()
labels = data.target_names[data.target]
X_train, X_test, y_train, y_test = train_test_split(data.data, labels, random_state=0)
scaler = StandardScaler().fit(X_train)
rows, held_out = scaler.transform(X_train), scaler.transform(X_test)
model = Perceptron(answer="averaged", max_iter=15, random_state=0)
model.fit(rows, y_train, eval_set=(held_out, y_test), record="train_error")
plane = data.data[:, [27, 20]]  # worst concave points, worst radius
curved = make_pipeline(StandardScaler(), KernelPerceptron(answer="averaged", max_iter=5, random_state=0))
curved.fit(plane, labels)

figure, axes = plt.subplots(2, 2, figsize=(11.4, 8.4), layout="constrained")
TraceDisplay.from_estimator(model, ax=axes[0, 0])
MarginDisplay.from_estimator(model, held_out, y_test, ax=axes[0, 1])
BoundaryDisplay.from_estimator(curved, plane, labels, ax=axes[1, 0])
axes[1, 0].set(xlabel=data.feature_names[27], ylabel=data.feature_names[20])
axes[1, 0].legend(loc="upper left", frameon=False)
WeightsDisplay.from_estimator(model, held_out, feature_names=data.feature_names, most=12, ax=axes[1, 1])
plt.show()

# %%
# A linear support vector machine keeps its rows out of a band as wide as it can afford. Rows that touch the band or
# lie in it are its support vectors.

random = np.random.default_rng(0)
side = np.arange(120) % 2
points = random.normal(size=(120, 2)) * [1.0, 12.0] + np.where(side[:, None] == 1, [2.2, 30.0], [-2.2, -30.0])
machine = make_pipeline(StandardScaler(), LinearSVM(lam=0.01)).fit(points, side)
BoundaryDisplay.from_estimator(machine, points, side)
plt.show()
