"""Which things a model file may describe, and where their forms are. A form is loaded when it is first needed.

The names on the left are the only ones that mean anything in a file.
"""

from __future__ import annotations

import importlib
from typing import Any

from rosenblatt.exchange.forms import Form

OURS = ("GaussianDiscriminant", "HOGFeatures", "HalfSpace", "KernelPerceptron", "Layer", "LeastSquares", "LinearSVM",
        "LogisticRegression", "PairProducts", "PassiveAggressive", "Perceptron", "RadialFeatures", "SigmoidNeuron",
        "Streamed")  # fmt: skip
LOGIC = ("RuleNetwork", "ThresholdMachine", "ThresholdNetwork", "ThresholdUnit")
SCIKIT = ("Binarizer", "ColumnTransformer", "CountVectorizer", "FunctionTransformer", "HashingVectorizer",
          "MaxAbsScaler", "MinMaxScaler", "MissingIndicator", "Normalizer", "Nystroem", "OneHotEncoder",
          "OrdinalEncoder", "PCA", "Pipeline", "PolynomialFeatures", "RBFSampler", "RobustScaler", "SimpleImputer",
          "StandardScaler", "TfidfTransformer", "TfidfVectorizer", "TruncatedSVD")  # fmt: skip
PARTS = ("Committee", "Expansion", "HalfSpaces", "Names", "Pocket", "Trace")  # of models, and no models themselves
MODELS = tuple(sorted({"ColumnEncoder", *OURS, *LOGIC, *SCIKIT} - {"MissingIndicator", "FunctionTransformer"}))
HOMES = {
    **dict.fromkeys(OURS, "our_forms"),
    **dict.fromkeys(LOGIC, "logic_forms"),
    **dict.fromkeys(SCIKIT, "scikit_forms"),
    **dict.fromkeys(PARTS, "engine_forms"),
    "ColumnEncoder": "column_forms",
    "Pipeline": "pipeline_form",
}
_loaded: dict[str, Form] = {}


def form_of(name: Any) -> Form | None:
    """The form of that name, or None if there is none."""
    home = HOMES.get(name) if isinstance(name, str) else None
    if home is None:
        return None
    if name not in _loaded:
        module = importlib.import_module(f"rosenblatt.exchange.{home}")
        _loaded.update({form.name: form for form in module.FORMS})
    return _loaded[name]


def form_for(thing: Any) -> Form | None:
    """The form of a thing's class; a subclass or a namesake has none."""
    form = form_of(type(thing).__name__)
    return form if form is not None and form.kind is type(thing) else None
