"""The way back from scaled features: the same decision as a half-space on the original rows (lecture row L20).

A scaler computes z_j = factor_j x_j + shift_j. A half-space w·z + b on its output is the half-space on x with weights
w_j factor_j and intercept b + sum_j w_j shift_j. Columns may be chosen, reordered, scaled by several scalers in turn,
or left alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer, MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler
from sklearn.utils.validation import check_is_fitted

from rosenblatt.models.linear import Array, LinearModel
from rosenblatt.scikit_private import columns_of_part

KNOWN = "MinMaxScaler, StandardScaler, MaxAbsScaler, RobustScaler, ColumnTransformer of these, or 'passthrough'"


@dataclass(frozen=True, eq=False)
class OriginalSpace(LinearModel):
    """Half-spaces on the original features; `coef`, `intercept`, `classes`, `predict`, `decision_function`."""

    def predict(self, X: Any) -> Array:
        """The class of every row; for a learner without classes, its scores."""
        return super().predict(X) if len(self.classes) else self.decision_function(X)


@dataclass
class _Affine:
    """z = factors · x[sources] + shifts."""

    sources: Array
    factors: Array
    shifts: Array

    def then(self, factors: Array, shifts: Array) -> _Affine:
        return _Affine(self.sources, self.factors * factors, self.shifts * factors + shifts)

    def chosen(self, places: Array) -> _Affine:
        return _Affine(self.sources[places], self.factors[places], self.shifts[places])


def to_original_space(fitted_pipeline: Any) -> OriginalSpace:
    """The decision of a fitted pipeline of scalers and a linear learner, as half-spaces on unscaled rows.

    Parameters
    ----------
    fitted_pipeline : Pipeline
        Scalers (MinMaxScaler, StandardScaler, MaxAbsScaler, RobustScaler), ColumnTransformers of these that may leave
        columns alone or drop them, and at the end a learner with ``coef_`` and ``intercept_``.

    Returns
    -------
    OriginalSpace
        With ``coef``, ``intercept``, ``decision_function`` and ``predict``.

    Raises
    ------
    TypeError
        If it is no Pipeline, or a step is no scaler or not linear.
    NotFittedError
        If the pipeline is not fitted.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import MinMaxScaler
    >>> from rosenblatt import Perceptron, to_original_space
    >>> X, y = np.array([[150.0, 50.0], [160.0, 55.0], [180.0, 80.0], [190.0, 95.0]]), [0, 0, 1, 1]
    >>> pipeline = make_pipeline(MinMaxScaler(), Perceptron(random_state=0)).fit(X, y)
    >>> plain = to_original_space(pipeline)
    >>> plain.predict(X).tolist(), bool(np.allclose(plain.decision_function(X), pipeline.decision_function(X)))
    ([0, 0, 1, 1], True)
    """
    if not isinstance(fitted_pipeline, Pipeline):
        raise TypeError(
            f"to_original_space takes a fitted Pipeline, but got {type(fitted_pipeline).__name__}; put the scaler and "
            f"the learner together with make_pipeline."
        )
    check_is_fitted(fitted_pipeline)
    *steps, (name, learner) = fitted_pipeline.steps
    if not hasattr(learner, "coef_") or not hasattr(learner, "intercept_"):
        raise TypeError(
            f"The last step of the pipeline must be linear, with coef_ and intercept_, but {name!r} is "
            f"{type(learner).__name__}; use a linear learner."
        )
    coef = np.atleast_2d(np.asarray(learner.coef_, np.float64))
    intercept = np.atleast_1d(np.asarray(learner.intercept_, np.float64))
    classes = np.asarray(getattr(learner, "classes_", np.empty(0)))
    _check_one_row_per_class(learner, classes, len(coef))
    width = coef.shape[1]
    for _, step in steps:
        if step not in (None, "passthrough"):
            width = step.n_features_in_
            break
    affine = _Affine(np.arange(width), np.ones(width), np.zeros(width))
    for _, step in steps:
        affine = _through(affine, step)
    if len(affine.sources) != coef.shape[1]:
        raise ValueError(
            f"The learner must have a weight for each of the {len(affine.sources)} scaled features, but it has "
            f"{coef.shape[1]}; fit the pipeline again."
        )
    original = np.zeros((len(coef), width))
    for k in range(len(coef)):
        np.add.at(original[k], affine.sources, coef[k] * affine.factors)
    return OriginalSpace(original, intercept + coef @ affine.shifts, classes)


def _check_one_row_per_class(learner: Any, classes: Array, rows: int) -> None:
    """Three classes have three pairs too, so that one-against-one must be known by its kind."""
    from sklearn.svm import SVC, NuSVC  # here, since it loads most of scikit-learn

    in_pairs = isinstance(learner, SVC | NuSVC) and len(classes) > 2
    if in_pairs or (len(classes) and rows != len(classes) and (rows, len(classes)) != (1, 2)):
        what = f"{rows} rows for pairs of the {len(classes)} classes" if in_pairs else f"{rows} for {len(classes)}"
        raise TypeError(
            f"The learner must have one row of coef_ per class, or one for two classes, but {type(learner).__name__} "
            f"has {what}; use a learner of one class against the rest, like LinearSVM."
        )


def _through(affine: _Affine, step: Any) -> _Affine:
    """What one more step of the pipeline makes of the features."""
    from sklearn.compose import ColumnTransformer  # here, since it loads most of scikit-learn

    if step is None or (isinstance(step, str) and step == "passthrough"):
        return affine
    if isinstance(step, FunctionTransformer) and step.func is None:  # what a fitted "passthrough" has become
        return affine
    if isinstance(step, Pipeline):
        for _, inner in step.steps:
            affine = _through(affine, inner)
        return affine
    if isinstance(step, ColumnTransformer):
        return _through_columns(affine, step)
    if isinstance(step, MinMaxScaler):
        if step.clip:
            raise TypeError(
                "MinMaxScaler(clip=True) is not a linear map, so there is no half-space on the original rows; use "
                "clip=False."
            )
        return affine.then(step.scale_, step.min_)
    if isinstance(step, MaxAbsScaler):
        return affine.then(1.0 / step.scale_, np.zeros(len(step.scale_)))
    if isinstance(step, StandardScaler | RobustScaler):
        middle = step.mean_ if isinstance(step, StandardScaler) else step.center_
        centred = step.with_mean if isinstance(step, StandardScaler) else step.with_centering
        width = step.n_features_in_
        factors = np.ones(width) if step.scale_ is None else 1.0 / np.asarray(step.scale_, np.float64)
        shifts = -np.asarray(middle, np.float64) * factors if centred else np.zeros(width)
        return affine.then(factors, shifts)
    raise TypeError(
        f"Every step before the learner must be one of {KNOWN}, but got {type(step).__name__}, which has no way back "
        f"to the original features; leave it out, or apply it before the pipeline."
    )


def _through_columns(affine: _Affine, step: Any) -> _Affine:
    parts = []
    for name, transformer, _ in step.transformers_:
        columns = columns_of_part(step, name)
        if columns and not (isinstance(transformer, str) and transformer == "drop"):
            parts.append(_through(affine.chosen(np.array(columns)), transformer))
    return _Affine(*(np.concatenate([getattr(part, f) for part in parts]) for f in _Affine.__dataclass_fields__))
