"""The classes that a model file may name, and where they are. No other name in a file is ever looked up."""

from __future__ import annotations

import importlib
from typing import Any

ESTIMATORS = {
    "GaussianDiscriminant": "gaussian_discriminant", "HalfSpace": "half_space", "KernelPerceptron": "kernel_perceptron",
    "Layer": "layer", "LeastSquares": "least_squares", "LinearSVM": "linear_svm",
    "LogisticRegression": "logistic_regression", "PassiveAggressive": "passive_aggressive", "Perceptron": "perceptron",
    "SigmoidNeuron": "sigmoid_neuron", "Streamed": "streamed",
}  # fmt: skip
FEATURES = {"ColumnEncoder": "columns", "HOGFeatures": "hog", "PairProducts": "pair_products",
            "RadialFeatures": "radial"}  # fmt: skip
LOGIC = {"RuleNetwork": "rules", "ThresholdMachine": "machine", "ThresholdNetwork": "network", "ThresholdUnit": "unit"}
OURS = {
    **{name: f"rosenblatt.estimators.{module}" for name, module in ESTIMATORS.items()},
    **{name: f"rosenblatt.features.{module}" for name, module in FEATURES.items()},
    **{name: f"rosenblatt.logic.{module}" for name, module in LOGIC.items()},
}
PARTS = {  # of models, and no models themselves
    "Column": "rosenblatt.features.column", "Committee": "rosenblatt.estimators.committee",
    "Expansion": "rosenblatt.engine.kernel.state",
    "GradientDescent": "rosenblatt.estimators.gradient_descent",
    "HalfSpaces": "rosenblatt.engine.online.state", "Names": "rosenblatt.features.named_features",
    "Pocket": "rosenblatt.engine.online.pocket", "Trace": "rosenblatt.trace",
    "WordColumns": "rosenblatt.features.words",
}  # fmt: skip
SCIKIT = (
    "Binarizer", "ColumnTransformer", "CountVectorizer", "FunctionTransformer", "HashingVectorizer", "MaxAbsScaler",
    "MinMaxScaler", "MissingIndicator", "Normalizer", "Nystroem", "OneHotEncoder", "OrdinalEncoder", "PCA", "Pipeline",
    "PolynomialFeatures", "RBFSampler", "RobustScaler", "SimpleImputer", "StandardScaler", "TfidfTransformer",
    "TfidfVectorizer", "TruncatedSVD",
)  # fmt: skip
NAMES = (*OURS, *PARTS, *SCIKIT)
MODELS = tuple(sorted({*OURS, *SCIKIT} - {"MissingIndicator", "FunctionTransformer"}))


def _ours(name: str) -> Any:
    return getattr(importlib.import_module((OURS | PARTS)[name]), name)


def _form(name: str) -> Any:
    from rosenblatt.exchange.scikit import FORMS

    return FORMS[name]


def is_known(thing: Any) -> bool:
    """Whether a thing's class is in the table; a subclass or a namesake is not."""
    name = type(thing).__name__
    return name in NAMES and (_form(name).kind if name in SCIKIT else _ours(name)) is type(thing)


def state_of(thing: Any) -> dict[str, Any]:
    """What a file keeps of a thing whose class is known."""
    name = type(thing).__name__
    state: dict[str, Any] = _form(name).take(thing) if name in SCIKIT else thing.to_state()
    return state


def thing_of(name: str, state: dict[str, Any]) -> Any:
    """A thing of the table, built of its state after every value was checked."""
    if name not in NAMES:
        raise ValueError(f"unknown class {name[:60]!r}")
    if name in SCIKIT:
        return _form(name).make(state)
    return _ours(name).from_state(state)
