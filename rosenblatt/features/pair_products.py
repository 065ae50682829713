"""Products of random pairs of features (lecture row L21)."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from rosenblatt.arguments import whole_number, yes_or_no
from rosenblatt.checked_rows import names_of_features, validated
from rosenblatt.models.linear import Array
from rosenblatt.seeds import random_state_of
from rosenblatt.stored import Sizes, Stored, flag, indices, kinds, number, size

MOST = 10**8  # products of a row


class PairProducts(Stored, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """The features, supplemented by products of pairs of them that are chosen at random.

    Fitted on rows of bytes (uint8), numbers are taken as fractions of 255, so that pixels and their products are on
    one scale; the same numbers in another type then are, too. Fitted on other rows, numbers are taken as they are.

    Parameters
    ----------
    n_products : int
        How many pairs; each is two features drawn independently (a feature may meet itself).
    keep : bool
        Whether the features themselves come first.
    random_state : int, RandomState, Generator or None
        Seeds the choice. For the same seed a larger number of products begins with those of a smaller one.

    Attributes
    ----------
    left_, right_ : arrays of int
        The pairs.
    scale_ : float
        What the features are multiplied by: 1/255 if fitted on bytes, otherwise 1.

    Examples
    --------
    With the product, xor is separable:

    >>> from rosenblatt import PairProducts, Perceptron
    >>> X, y = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 1, 1, 0]
    >>> Z = PairProducts(4, random_state=0).fit_transform(X)
    >>> Perceptron(shuffle=False).fit(Z, y).stop_reason_
    'converged'
    """

    left_: Array
    right_: Array
    scale_: float

    _stored = kinds({
        "n_features_in_": size("features"), "left_": indices("pairs", below="features"),
        "right_": indices("pairs", below="features"), "scale_": number,
    })  # fmt: skip
    _stored_parameters = kinds({"keep": flag})

    def __init__(self, n_products: int = 1000, *, keep: bool = True, random_state: Any = None) -> None:
        self.n_products = n_products
        self.keep = keep
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        """Choose the pairs."""
        n = whole_number("n_products", self.n_products, 0, "try 1000", MOST)
        yes_or_no(keep=self.keep)
        if n == 0 and not self.keep:
            raise ValueError("n_products=0 with keep=False leaves no features, but some are needed; raise n_products.")
        X = validated(self, X, dtype=(np.float64, np.float32, np.uint8), order="C")
        random = random_state_of(self.random_state)
        pairs = random.randint(X.shape[1], size=(n, 2))
        self.left_ = np.ascontiguousarray(pairs[:, 0], np.uint32)
        self.right_ = np.ascontiguousarray(pairs[:, 1], np.uint32)
        self.scale_ = 1.0 / 255.0 if X.dtype == np.uint8 else 1.0
        return self

    def transform(self, X: Any) -> Array:
        """(n_samples, n_features + n_products), float32 for float32 and uint8 rows."""
        from rosenblatt.engine.pair_products import pair_products

        check_is_fitted(self)
        X = validated(self, X, dtype=(np.float64, np.float32, np.uint8), order="C", reset=False)
        if X.dtype == np.uint8 and self.scale_ == 1.0:
            X = X.astype(np.float32)
        elif X.dtype != np.uint8 and self.scale_ != 1.0:
            X = X * X.dtype.type(self.scale_)
        return pair_products(X, self.left_, self.right_, keep=bool(self.keep))

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """Names like "x3" and "x3 x17"; a pair that was drawn again is numbered, "x3 x17 #2"."""
        check_is_fitted(self)
        names = list(names_of_features(self, input_features))
        result, taken = (names if self.keep else []), set(names)
        counts: dict[str, int] = {}
        for left, right in zip(self.left_, self.right_, strict=True):
            name = pair = f"{names[left]} {names[right]}"
            while name in taken:
                counts[pair] = counts.get(pair, 1) + 1
                name = f"{pair} #{counts[pair]}"
            taken.add(name)
            result.append(name)
        return np.array(result, dtype=object)

    def _check_fitted(self, sizes: Sizes) -> None:
        if not self.left_.dtype == self.right_.dtype == np.uint32:
            raise ValueError("PairProducts: its pairs have another dtype")
