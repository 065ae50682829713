"""Linear discriminant analysis: the half-spaces of Gaussian classes that share one covariance, in closed form."""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from rosenblatt.arguments import as_float, numbers_in, shortened
from rosenblatt.checked_labels import check_labels
from rosenblatt.checked_rows import validated
from rosenblatt.closed_form.discriminant import ledoit_wolf_of_classes, moments, solve
from rosenblatt.engine.online.state import Array
from rosenblatt.estimators.classes import classes_to_fit
from rosenblatt.estimators.probabilities import Probabilities
from rosenblatt.estimators.validation import row_weights, unchanged_on_failure
from rosenblatt.models import LinearModel
from rosenblatt.stored import Sizes, Stored, array, instance, kinds, labels, maybe, size, whole
from rosenblatt.trace import Trace


class GaussianDiscriminant(Probabilities, Stored, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Gaussian classes with one covariance (lecture row L14).

    If the rows of class k are normal with mean m_k and the same covariance S for all classes, the posterior of two
    classes is a sigmoid of a half-space:

        P(Y = 1 given x) = sigmoid(w·x + b),   w = S⁻¹ (m_1 - m_0),
        b = (m_0·S⁻¹ m_0 - m_1·S⁻¹ m_1)/2 + log P(1)/P(0)

    and of more classes a softmax of the scores w_k·x + b_k, w_k = S⁻¹ m_k. Means and S are those of the training rows,
    S the mean square deviation from the means of the classes.

    Where features depend on each other (a feature twice, one-hot columns, more features than rows) S has no inverse,
    and its pseudo-inverse S⁺ takes the place of S⁻¹, with features in units of their standard deviation: of all weights
    that solve S w = m_1 - m_0 these are the shortest. Directions in which no class varies have no weight, even if the
    classes differ there; a warning names such a feature.

    Parameters
    ----------
    shrinkage : float, "auto" or None
        S is mixed with its mean variance on the diagonal: (1 - shrinkage) S + shrinkage · mean variance · I. "auto" is
        Ledoit and Wolf's choice for each class, features in units of their standard deviation there.
    priors : array or None
        The probabilities of the classes, in the order of ``classes_``; None takes their frequencies.

    Attributes
    ----------
    classes_, coef_, intercept_, n_features_in_
        As in scikit-learn: one half-space for two classes.
    means_, covariance_, priors_
        What was estimated.
    rank_ : int
        The number of independent directions within the classes; below n_features_in_ the pseudo-inverse was used.

    Examples
    --------
    >>> from rosenblatt import GaussianDiscriminant
    >>> model = GaussianDiscriminant().fit([[0.0], [2.0], [4.0], [6.0]], ["a", "a", "b", "b"])
    >>> model.coef_.tolist(), model.intercept_.tolist()
    ([[4.0]], [-12.0])
    >>> model.predict_proba([[3.0]]).tolist()
    [[0.5, 0.5]]

    References
    ----------
    R. A. Fisher (1936). The use of multiple measurements in taxonomic problems. Annals of Eugenics 7(2).
    O. Ledoit, M. Wolf (2004). A well-conditioned estimator for large-dimensional covariance matrices. Journal of
    Multivariate Analysis 88(2).
    """

    _stored = kinds({
        "n_features_in_": size("features"), "classes_": labels, "means_": array("f", "classes", "features"),
        "priors_": array("f", "classes"), "covariance_": array("f", "features", "features"),
        "coef_": array("f", "half_spaces", "features"), "intercept_": array("f", "half_spaces"), "rank_": whole,
        "trace_": maybe(instance(Trace)),  # of a cluster
    })  # fmt: skip

    def __init__(self, *, shrinkage: Any = None, priors: Any = None) -> None:
        self.shrinkage = shrinkage
        self.priors = priors

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Estimate means, covariance and priors, and with them the half-spaces."""
        with unchanged_on_failure(self):
            self._check_shrinkage()
            X = self._rows(X, reset=True)
            y = check_labels(y, X.shape[0])
            classes = classes_to_fit(y)
            codes = np.searchsorted(classes, y)
            weights = row_weights(y, classes, codes, sample_weight, None, batch=False)
            weights = weights if len(weights) else np.ones(len(y))
            totals = np.bincount(codes, weights, len(classes))
            with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
                parts = [moments(X[codes == k], weights[codes == k]) for k in range(len(classes))]
                means = np.stack([mean for mean, _ in parts])
                covariance = sum(t * S for t, (_, S) in zip(totals / totals.sum(), parts, strict=True))
            if isinstance(self.shrinkage, str) and np.isfinite(covariance).all():
                covariance = ledoit_wolf_of_classes(X, codes, weights, means)
            self._settle(classes, totals, means, covariance)
            return self

    def _check_shrinkage(self) -> None:
        shrinkage = self.shrinkage
        named = shrinkage is None or (isinstance(shrinkage, str) and shrinkage == "auto")
        if not named and not 0 <= as_float(shrinkage) <= 1:
            raise ValueError(
                f"shrinkage must be None, 'auto' or a number from 0 to 1, but got {shortened(shrinkage)}; "
                f"'auto' is a good start."
            )

    def _settle(self, classes: Array, totals: Array, means: Array, covariance: Array) -> None:
        """The half-spaces of classes with these total weights, means and common covariance."""
        if not (totals > 0).all():
            label = classes.item(int(totals.argmin()))
            raise ValueError(
                f"Every class needs a row with a weight above 0, but {label!r} has none; leave its rows out "
                f"or give them a weight."
            )
        if not np.isfinite(covariance).all():
            raise ValueError(
                "The covariance of the features must be in the range of float64, but X has larger numbers; scale "
                "the features (StandardScaler)."
            )
        priors = self._check_priors(totals / totals.sum(), len(classes))
        if self.shrinkage is not None and not isinstance(self.shrinkage, str):
            level = float(self.shrinkage) * float(np.trace(covariance)) / len(covariance)
            covariance = (1.0 - float(self.shrinkage)) * covariance + level * np.eye(len(covariance))
        middle = priors @ means  # scores relative to the middle, where rounding is least
        size = np.sqrt(np.diag(covariance)) + np.abs(means).max(axis=0)
        coef, self.rank_, unseen = solve(covariance, means - middle, size)
        intercept = np.log(priors) - 0.5 * np.einsum("kj,kj->k", coef, means - middle) - coef @ middle
        self.classes_, self.means_, self.covariance_, self.priors_ = classes, means, covariance, priors
        self.coef_, self.intercept_ = coef, intercept
        if len(classes) == 2:
            self.coef_, self.intercept_ = coef[1:] - coef[:1], intercept[1:] - intercept[:1]
        if unseen is not None:
            warnings.warn(
                f"Classes differ in a direction in which no class varies, most of all in feature {unseen}: the "
                f"pseudo-inverse gives it no weight, though it may tell classes apart by itself. Set "
                f"shrinkage='auto' to use it.",
                UserWarning,
                stacklevel=3,
            )

    def _check_priors(self, frequencies: Array, n_classes: int) -> Array:
        if self.priors is None:
            return frequencies
        priors = numbers_in("priors", self.priors, "a vector")
        if priors.shape != (n_classes,) or not (priors > 0).all() or not np.isclose(priors.sum(), 1.0):
            raise ValueError(
                f"priors must be {n_classes} probabilities above 0 that sum to 1, but got {shortened(self.priors)}; "
                f"use None for the frequencies of the classes."
            )
        return priors / priors.sum()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def decision_function(self, X: Any) -> Array:
        """The scores: (n_samples,) for two classes, (n_samples, n_classes) for more."""
        check_is_fitted(self)
        return self._model().decision_function(self._rows(X, reset=False))

    def _rows(self, X: Any, *, reset: bool) -> Any:
        return validated(self, X, accept_sparse="csr", dtype=np.float64, reset=reset)

    def _model(self) -> LinearModel:
        return LinearModel(self.coef_, self.intercept_, self.classes_)

    def predict(self, X: Any) -> Array:
        """The most probable class of every row."""
        check_is_fitted(self)
        return self._model().predict(self._rows(X, reset=False))

    def _check_fitted(self, sizes: Sizes) -> None:
        if sizes["half_spaces"] != (1 if sizes["classes"] == 2 else sizes["classes"]):
            raise ValueError("GaussianDiscriminant: its half-spaces do not belong to its classes")
