"""What nobody should pass gets one sentence of ours, also where a library below would speak first."""

import functools
import inspect

import numpy as np
import pytest

import rosenblatt
from rosenblatt import (
    GaussianDiscriminant,
    KernelPerceptron,
    LinearSVM,
    Perceptron,
    describe,
    export_onnx,
    is_mercer,
    load,
    margin,
    save,
    separability,
)

X, y = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 0, 0, 1]
TABLE = np.zeros((2, 2, 2))
WRONG = [
    (lambda: load(None), "A path must be a str or a path-like object, but None came"),
    (lambda: describe(3), "A path must be a str or a path-like object, but 3 came"),
    (lambda: save(model(), b"a"), "A path must be a str or a path-like object, but b'a' came"),
    (lambda: save(model(), "a\0b"), "A path must have no NUL in it"),
    (lambda: export_onnx(model(), 3), "A path must be a str or a path-like object, but 3 came"),
    (lambda: export_onnx(model(), "m.onnx", input_dtype=TABLE), "must be one of"),
    (lambda: separability(X, y, fit_intercept="no"), "fit_intercept must be True or False, but 'no' came"),
    (lambda: margin(X, y, fit_intercept=TABLE), "fit_intercept must be True or False"),
    (
        lambda: separability(X, y, time_limit=10**400),
        "time_limit must be a number of seconds above 0 or None, but got 10",
    ),
    (lambda: separability(X, y, tolerance=10**400), "tolerance must be above 0 and at most 1, but got 10"),
    (lambda: separability(X, y, tolerance=TABLE), "tolerance must be above 0 and at most 1"),
    (lambda: is_mercer(TABLE, X), "kernel must be a name, a kernel object"),
    (lambda: is_mercer("rbf", np.array([["a", "b"]])), "Rows must be numbers"),
    (lambda: Perceptron(max_iter=10**400).fit(X, y), "max_iter must be a whole number above 0, at most 9,2"),
    (lambda: Perceptron(learning_rate=10**400).fit(X, y), "learning_rate must be a finite number above 0"),
    (lambda: Perceptron(tol={}).fit(X, y), "tol must be None or at least 0, but got {}"),
    (lambda: Perceptron(tol=10**400).fit(X, y), "tol must be None or at least 0, but got 10"),
    (lambda: KernelPerceptron(tol=TABLE).fit(X, y), "tol must be None or at least 0"),
    (lambda: KernelPerceptron(gamma=10**400).fit(X, y), "gamma must be a finite number above 0"),
    (lambda: GaussianDiscriminant(shrinkage=TABLE).fit(X, y), "shrinkage must be None, 'auto' or a number"),
    (lambda: LinearSVM().fit(X, y, sample_weight=float("nan")), "Input sample_weight contains NaN"),
    (lambda: Perceptron().fit(X, y, sample_weight=10**400), "sample_weight must be numbers"),
]


@functools.cache
def model():
    return Perceptron().fit(X, y)


@pytest.mark.parametrize(("call", "said"), WRONG)
def test_wrong_calls(call, said):
    with pytest.raises((ValueError, TypeError), match=said) as raised:
        call()
    told = str(raised.value)
    assert told.endswith(".") and "\n" not in told and ";" in told


class Odd:
    def __repr__(self):
        return "odd,\n" * 100


LEARNERS = [
    getattr(rosenblatt, name)
    for name in rosenblatt.__all__
    if hasattr(getattr(rosenblatt, name), "predict")
    and name not in ("Client", "Streamed")  # a server's, and made by learn_from_stream
]
OF_KERNELS = {"degree": "polynomial", "coef0": "polynomial", "sigma": "gaussian"}  # others do not read them
TOO_LONG = {"table": np.ones((3, 3, 3)), "list": list(range(1000)), "odd": Odd(), "text": "a\nb" * 100}


@pytest.mark.parametrize("value", TOO_LONG.values(), ids=TOO_LONG)
@pytest.mark.parametrize(
    ("learner", "name"), [(learner, name) for learner in LEARNERS for name in inspect.signature(learner).parameters]
)
def test_long_values_are_shortened(learner, name, value):
    others = {"kernel": OF_KERNELS[name]} if name in OF_KERNELS else {}
    with pytest.raises((ValueError, TypeError)) as raised:
        learner(**others, **{name: value}).fit(X, y)
    told = str(raised.value)
    assert told.endswith(".") and "\n" not in told and len(told) < 330


@pytest.mark.parametrize("value", TOO_LONG.values(), ids=TOO_LONG)
@pytest.mark.parametrize(
    "call",
    [
        lambda value: Perceptron().fit(X, y, on_epoch=value),
        lambda value: Perceptron().fit(X, y, sample_weight=value),
        lambda value: model().learn_one({"a": 1.0}, 1, w=value),
        lambda value: rosenblatt.search("perceptron", value, X, y),
        lambda value: separability(X, y, time_limit=value),
        lambda value: rosenblatt.ThresholdUnit([value], 0),
    ],
    ids=["on_epoch", "sample_weight", "w", "grid", "time_limit", "weight of a unit"],
)
def test_long_arguments_are_shortened(call, value):
    with pytest.raises((ValueError, TypeError)) as raised:
        call(value)
    told = str(raised.value)
    assert told.endswith(".") and "\n" not in told and len(told) < 330
