"""What wrote the files in protocol_1/, run with commit 4903e55, the last whose `save` wrote that protocol."""

import json
import pathlib
import sys
import warnings

import numpy as np
import scipy.sparse

import rosenblatt
from rosenblatt import (
    HalfSpace,
    KernelPerceptron,
    LinearSVM,
    LogisticRegression,
    PassiveAggressive,
    Perceptron,
    SigmoidNeuron,
)  # fmt: skip
from rosenblatt.kernels import Gaussian

warnings.simplefilter("ignore")
random = np.random.default_rng(0)
X = random.normal(size=(60, 4))
binary = np.where(X @ [1.0, -2.0, 0.5, 0.0] + random.normal(size=60) > 0, "yes", "no")
several = np.argmax(X[:, :3] + random.normal(size=(60, 3)), axis=1) * 10


def own_rule(m, sqnorm, t, params):
    return (params[0] if m <= 0 else 0.0), 1.0 - 0.1 / t


MODELS = {
    "perceptron": (Perceptron(max_iter=5, random_state=0), X, binary),
    "perceptron_pocket_float32": (Perceptron("pocket", max_iter=5, random_state=0), X.astype(np.float32), several),
    "perceptron_voted": (Perceptron("voted", max_iter=3, random_state=0), X, several),
    "perceptron_voted_csr": (Perceptron("voted", max_iter=3, random_state=0), scipy.sparse.csr_array(X), binary),
    "passive_aggressive_csr": (
        PassiveAggressive(variant="PA-II", multi_class="coupled", max_iter=3, random_state=0),
        scipy.sparse.csr_array(X), several,
    ),
    "kernel_perceptron": (KernelPerceptron(max_iter=3, random_state=0), X, binary),
    "kernel_perceptron_voted": (
        KernelPerceptron(Gaussian(2.0), answer="voted", max_iter=3, random_state=0), X, several,
    ),
    "kernel_perceptron_csr": (
        KernelPerceptron("polynomial", degree=2, answer="averaged", max_iter=3, random_state=0),
        scipy.sparse.csr_array(X), several,
    ),
    "linear_svm": (LinearSVM(lam=1e-2, random_state=0), X, several),
    "logistic_regression": (LogisticRegression(lam=1e-2), X, several),
    "sigmoid_neuron": (SigmoidNeuron(lam=1e-2, random_state=0), X, binary),
    "half_space_own_rule": (HalfSpace(rule=own_rule, params=[0.5], max_iter=3, random_state=0), X, binary),
}  # fmt: skip

if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1])
    expected = {"X": [[value.hex() for value in row] for row in X.tolist()], "models": {}}
    for name, (model, rows, labels) in MODELS.items():
        model.fit(rows, labels)
        rosenblatt.save(model, folder / f"{name}.safetensors")
        kind = "csr" if scipy.sparse.issparse(rows) else rows.dtype.name
        scores = np.asarray(model.decision_function(rows), np.float64)
        expected["models"][name] = {
            "rows": kind, "shape": scores.shape, "scores": [value.hex() for value in scores.ravel().tolist()],
            "labels": model.predict(rows).tolist(),
        }  # fmt: skip
        model.partial_fit(rows[:30], labels[:30]) if name != "half_space_own_rule" else None
        scores = np.asarray(model.decision_function(rows), np.float64)
        expected["models"][name]["scores_after_partial_fit"] = [value.hex() for value in scores.ravel().tolist()]
    (folder / "expected.json").write_text(json.dumps(expected))
