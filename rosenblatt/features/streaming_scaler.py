"""Standard scores of a stream: every feature minus its mean so far, in units of its standard deviation so far."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from rosenblatt.features.named_features import number_of

Array = npt.NDArray[Any]


class StreamingScaler(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Scale features by the mean and the standard deviation of what was seen so far, rows or dicts.

    Welford's recurrence keeps, for every feature, the count n, the mean m and the sum q of squared deviations:

        m <- m + (x - m)/n,     q <- q + (x - m_before)(x - m),     variance = q/n

    without ever subtracting two large sums. A batch is merged in one step (Chan, Golub and LeVeque). In dicts every
    name has a count of its own: an example without it leaves it as it is. Text in a dict is passed on unchanged. A
    feature that has not varied yet is 0.

    Attributes
    ----------
    mean_, var_ : array of shape (n_features,), of rows; dict by name, of dicts
    n_samples_seen_ : int
    n_features_in_ : int

    Examples
    --------
    >>> from rosenblatt import StreamingScaler
    >>> scaler = StreamingScaler()
    >>> for x in ({"age": 20.0}, {"age": 30.0, "town": "Ulm"}, {"age": 40.0}):
    ...     scaler.learn_one(x)
    >>> scaler.mean_["age"], {name: round(value, 3) for name, value in scaler.transform_one({"age": 40.0}).items()}
    (30.0, {'age': 1.225})
    >>> StreamingScaler().partial_fit([[1.0], [3.0]]).transform([[3.0], [5.0]]).tolist()
    [[1.0], [3.0]]

    References
    ----------
    B. P. Welford (1962), Note on a method for calculating corrected sums of squares and products. Technometrics 4.

    T. F. Chan, G. H. Golub and R. J. LeVeque (1983), Algorithms for computing the sample variance. The American
    Statistician 37.
    """

    def fit(self, X: Any, y: Any = None) -> Self:
        """Start over with these rows."""
        for name in ("_by_name", "_mean", "_squares", "n_samples_seen_"):
            self.__dict__.pop(name, None)
        return self.partial_fit(X)

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Count a batch of rows in."""
        self._refuse("_by_name", "dicts", "rows")
        first = "_mean" not in vars(self)
        X = validate_data(self, X, reset=first, dtype=np.float64)
        count, mean = len(X), X.mean(axis=0)
        squares = ((X - mean) ** 2).sum(axis=0)
        if first:
            self._mean, self._squares, self.n_samples_seen_ = mean, squares, count
        else:
            total, apart = self.n_samples_seen_ + count, mean - self._mean
            self._squares = self._squares + squares + apart**2 * (self.n_samples_seen_ * count / total)
            self._mean = self._mean + apart * (count / total)
            self.n_samples_seen_ = total
        return self

    def learn_one(self, x: Any) -> None:
        """Count one example in, a row or a dict."""
        if not isinstance(x, Mapping):
            self.partial_fit(np.asarray(x)[None] if np.ndim(x) == 1 else x)
            return
        self._refuse("_mean", "rows", "a dict")
        numbers = {name: number_of(name, value) for name, value in x.items() if not isinstance(value, str)}
        books: dict[Any, tuple[int, float, float]] = self.__dict__.setdefault("_by_name", {})
        for name, value in numbers.items():
            count, mean, squares = books.get(name, (0, 0.0, 0.0))
            count += 1
            moved = mean + (value - mean) / count
            books[name] = count, moved, squares + (value - mean) * (value - moved)
        self.n_samples_seen_ = getattr(self, "n_samples_seen_", 0) + 1
        self.n_features_in_ = len(books)

    def transform_one(self, x: Any) -> Any:
        """One example in standard scores: an array of a row, a dict of a dict."""
        if not isinstance(x, Mapping):
            return self.transform(np.asarray(x)[None] if np.ndim(x) == 1 else x)[0]
        self._refuse("_mean", "rows", "a dict")
        books = vars(self).get("_by_name", {})
        found: dict[Any, Any] = {}
        for name, value in x.items():
            if isinstance(value, str):
                found[name] = value
                continue
            count, mean, squares = books.get(name, (1, 0.0, 0.0))
            number = number_of(name, value)
            found[name] = (number - mean) / math.sqrt(squares / count) if squares > 0.0 else 0.0
        return found

    def transform(self, X: Any) -> Array:
        """Rows in standard scores."""
        check_is_fitted(self, "n_samples_seen_")
        self._refuse("_by_name", "dicts", "rows")
        X = validate_data(self, X, reset=False, dtype=np.float64)
        scale = np.sqrt(self.var_)
        return np.asarray(np.where(scale > 0.0, (X - self._mean) / np.where(scale > 0.0, scale, 1.0), 0.0))

    @property
    def mean_(self) -> Any:
        if "_by_name" in vars(self):
            return {name: mean for name, (_, mean, _) in self._by_name.items()}
        check_is_fitted(self, "n_samples_seen_")
        return self._mean

    @property
    def var_(self) -> Any:
        if "_by_name" in vars(self):
            return {name: squares / count for name, (count, _, squares) in self._by_name.items()}
        check_is_fitted(self, "n_samples_seen_")
        return self._squares / self.n_samples_seen_

    def _refuse(self, attribute: str, before: str, now: str) -> None:
        if attribute in vars(self):
            raise ValueError(f"StreamingScaler has seen {before}, but got {now}; use one scaler for each.")
