"""Radial features: how far a row is from chosen centres (lecture rows L21 and L22)."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import scipy  # scipy.spatial is imported when it is used
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from rosenblatt.arguments import check_choice, check_positive, numbers_in, shortened, yes_or_no
from rosenblatt.checked_rows import names_of_features, validated
from rosenblatt.models.linear import Array
from rosenblatt.stored import Stored, array, choice, kinds, number, size

KINDS = ("distance", "squared", "gaussian")


class RadialFeatures(Stored, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """The features, supplemented by the distance of the row to each centre.

    Parameters
    ----------
    centres : array of shape (n_centres, n_features) or None
        None is the mean of the training rows.
    kind : {"distance", "squared", "gaussian"}
        ‖x - c‖, its square, or exp(-gamma ‖x - c‖²).
    gamma : float
        Of the gaussian.
    keep : bool
        Whether the features themselves come first.

    Attributes
    ----------
    centres_ : array

    Examples
    --------
    Circles around each other are separable by their radius:

    >>> from rosenblatt import Perceptron, RadialFeatures
    >>> from rosenblatt.sources import circles
    >>> toy = circles(200, random_state=0)
    >>> Z = RadialFeatures("distance", centres=[[0.0, 0.0]]).fit_transform(toy.X)
    >>> Perceptron(random_state=0, max_iter=1000).fit(Z, toy.y).stop_reason_
    'converged'
    """

    centres_: Array

    _stored = kinds({"n_features_in_": size("features"), "centres_": array("f", "centres", "features")})
    _stored_parameters = kinds({"kind": choice(*KINDS), "gamma": number})

    def __init__(self, kind: str = "distance", centres: Any = None, gamma: float = 1.0, keep: bool = True) -> None:
        self.kind = kind
        self.centres = centres
        self.gamma = gamma
        self.keep = keep

    def fit(self, X: Any, y: Any = None) -> Self:
        """Take the centres, or the mean of the rows."""
        check_choice("kind", self.kind, KINDS)
        check_positive("gamma", self.gamma, "1.0 is a start")
        yes_or_no(keep=self.keep)
        X = validated(self, X, dtype=np.float64)
        centres = X.mean(axis=0, keepdims=True)
        if self.centres is not None:
            centres = np.atleast_2d(numbers_in("centres", self.centres, "rows"))
        if centres.ndim != 2 or not len(centres) or centres.shape[1] != X.shape[1] or not np.isfinite(centres).all():
            raise ValueError(
                f"centres must be finite and have as many features as X ({X.shape[1]}), but {shortened(self.centres)} "
                f"came; pass (n_centres, n_features)."
            )
        self.centres_ = centres
        return self

    def transform(self, X: Any) -> Array:
        """(n_samples, n_features + n_centres)."""
        check_is_fitted(self)
        X = validated(self, X, dtype=np.float64, reset=False)
        # Differences first: ‖x‖² - 2 x·c + ‖c‖² loses all digits where rows are far from the origin.
        far = scipy.spatial.distance.cdist(X, self.centres_, "euclidean" if self.kind == "distance" else "sqeuclidean")
        if self.kind == "gaussian":
            far = np.exp(-float(self.gamma) * far)
        return np.column_stack([X, far]) if self.keep else far

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """Names like "x0" and "radial0"."""
        check_is_fitted(self)
        input_features = names_of_features(self, input_features)
        far = [f"radial{n}" for n in range(len(self.centres_))]
        return np.array([*(list(input_features) if self.keep else []), *far], dtype=object)
