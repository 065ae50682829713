"""The parts of a fitted model: the learner, what stands in front of it, and the names of its features."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse
from sklearn.base import is_regressor
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler
from sklearn.utils.validation import check_is_fitted

from rosenblatt.arguments import numbers_in, shortened
from rosenblatt.checked_labels import array_of, check_length
from rosenblatt.scikit_private import count_samples, rows_at

Array = npt.NDArray[Any]

SCALERS = (MinMaxScaler, StandardScaler, MaxAbsScaler, RobustScaler)


@dataclass(frozen=True)
class Anatomy:
    """A fitted estimator, or a pipeline taken apart: encoders, then scalers, then the learner."""

    model: Any
    feature_names: list[str] | None = None

    def __post_init__(self) -> None:
        if not hasattr(self.model, "predict"):
            raise TypeError(
                f"The model must be a fitted estimator or a pipeline that ends with one, but got "
                f"{type(self.model).__name__}; pass what fit returned."
            )
        check_is_fitted(self.model)

    @cached_property
    def steps(self) -> list[tuple[str, Any]]:
        if not isinstance(self.model, Pipeline):
            return []
        return [(n, step) for n, step in self.model.steps[:-1] if step is not None and step != "passthrough"]

    @cached_property
    def learner(self) -> Any:
        return learner_of(self.model)

    @property
    def name(self) -> str:
        return type(self.learner).__name__

    @cached_property
    def settings(self) -> dict[str, Any]:
        """The parameters of the learner that are not its defaults."""
        if not hasattr(self.learner, "get_params"):
            return {}
        chosen = self.learner.get_params(deep=False)
        try:
            usual = type(self.learner)().get_params(deep=False)
        except TypeError:  # a parameter that has no default
            usual = {}
        return {name: value for name, value in chosen.items() if repr(value) != repr(usual.get(name))}

    @property
    def regression(self) -> bool:
        return bool(is_regressor(self.learner))

    @cached_property
    def scalers(self) -> list[tuple[str, Any]]:
        """The scalers right in front of the learner: those whose units have a way back."""
        count = 0
        while count < len(self.steps) and isinstance(self.steps[-1 - count][1], SCALERS):
            count += 1
        return self.steps[len(self.steps) - count :]

    @cached_property
    def encoders(self) -> list[tuple[str, Any]]:
        return self.steps[: len(self.steps) - len(self.scalers)]

    def scaling_of_encoder(self, count: int) -> Array | None:
        """By how much the last encoder multiplies the columns, one factor per feature; None where it does not say."""
        scaling = getattr(self.encoders[-1][1], "scaling_", None) if self.encoders else None
        if scaling is None or len(scaling[0]) != count:
            return None
        return np.asarray(scaling[0], np.float64)

    def units(self, count: int) -> dict[int, str]:
        """What 1 more of a feature is, for the features of which the last encoder knows it: a day of dates."""
        columns = getattr(self.encoders[-1][1], "columns_", []) if self.encoders else []
        if sum(getattr(column, "width", 0) for column in columns) != count:
            return {}
        return {column.start: column.unit for column in columns if column.unit}

    def encoded(self, X: Any) -> Any:
        """The rows before the scalers: numbers in the units of the data."""
        return _through(self.encoders, X)

    def answers(self, X: Any) -> Array:
        """What the model predicts."""
        return np.asarray(self.learner.predict(self.seen(X)))

    def seen(self, X: Any) -> Any:
        """The rows as the learner sees them."""
        return _through(self.steps, X)

    @cached_property
    def coefficients(self) -> Array | None:
        """The weights of a linear learner, one row per half-space; None for others."""
        coefficients = getattr(self.learner, "coef_", None)
        return None if coefficients is None else np.atleast_2d(np.asarray(coefficients, np.float64))

    def names(self, count: int) -> list[str] | None:
        """The names of the features before the scalers, or None where they have none."""
        if self.feature_names is not None and not self.encoders and len(self.feature_names) == count:
            return [str(name) for name in self.feature_names]
        try:
            names = self._names_out()
        except (AttributeError, ValueError, TypeError, NotImplementedError):
            return None
        if names is None or len(names) != count:
            return None
        return [re.sub(r"^missingindicator_(.*)", r"\1 is missing", str(name)) for name in names]

    def _names_out(self) -> Any:
        if self.encoders:
            return Pipeline(self.encoders).get_feature_names_out(self.feature_names)
        first = self.steps[0][1] if self.steps else self.learner
        return getattr(first, "feature_names_in_", None)


def _through(steps: list[tuple[str, Any]], X: Any) -> Any:
    for _, step in steps:
        X = step.transform(X)
    return X


def learner_of(model: Any) -> Any:
    """The last step of a pipeline, or the estimator itself."""
    return model.steps[-1][1] if isinstance(model, Pipeline) else model


def count_rows(X: Any) -> int:
    try:
        return int(count_samples(X))
    except TypeError:
        raise TypeError(
            f"X must be rows of features, but {shortened(X)} came; pass an array of rows by features."
        ) from None


def take(X: Any, rows: Array) -> Any:
    """These rows of an array, a sparse matrix, a frame or a list."""
    if hasattr(X, "tocsr"):
        return X.tocsr()[rows]
    return rows_at(X, rows)


def labels_of(X: Any, y: Any, which: str = "") -> Array:
    """One label per row, as a flat array; the messages name y with `which` behind it."""
    labels = array_of(y, "label")
    labels = labels.ravel() if labels.ndim == 2 and labels.shape[1] == 1 else labels
    if labels.ndim != 1 or not len(labels):
        raise ValueError(f"y{which} must have one label per row, at least one label, but its shape is {labels.shape}.")
    return check_length(labels, count_rows(X), "label")


def spread(rows: Any) -> Array:
    """The standard deviation of every column."""
    if scipy.sparse.issparse(rows):
        rows = rows.astype(np.float64)
        mean = np.asarray(rows.mean(axis=0)).ravel()
        squares = np.asarray(rows.multiply(rows).mean(axis=0)).ravel()
        return np.sqrt(np.maximum(squares - mean**2, 0.0))
    found = numbers_in("X", rows, "rows")
    if found.ndim != 2 or not len(found):
        raise ValueError(f"X must be rows by features, at least one, but its shape is {found.shape}; pass rows.")
    return found.std(axis=0)
