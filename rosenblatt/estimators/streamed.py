"""Feature maps on the way into a learner: a block of rows at a time, so that the mapped rows never stand in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from rosenblatt.arguments import check_positive
from rosenblatt.checked_labels import check_labels
from rosenblatt.engine.online.state import Array
from rosenblatt.estimators.validation import check_rows, check_weights, unchanged_on_failure
from rosenblatt.seeds import random_state_of
from rosenblatt.stored import Sizes, Stored, instance, kinds, labels, maybe, whole

BLOCK_BYTES = 2**23  # of mapped rows


def _seeded(part: Any, random: np.random.RandomState) -> Any:
    """Equal seeds give equal fits, also where a part draws random numbers."""
    if part.get_params().get("random_state", 0) is None:
        part.set_params(random_state=random.randint(2**31 - 1))
    return part


class Streamed(Stored, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A learner on mapped features, which are computed block by block whenever they are needed.

    The rows of an epoch are shuffled, mapped in blocks of a few megabytes, and given to the learner's `partial_fit` one
    block after another: 60,000 rows with 20,000 products each take the memory of one block.

    Parameters
    ----------
    features : transformer
        For instance `PairProducts`. It is fitted on the rows first.
    learner : classifier with `partial_fit`
        For instance ``Perceptron(answer="averaged")``.
    max_iter : int
        Epochs.
    shuffle : bool
        Visit the rows in a new random order in every epoch.
    random_state : int, RandomState or None
        Seeds the shuffling, and the copies of `features` and `learner` that have no random_state of their own.

    Attributes
    ----------
    features_, learner_ : the fitted copies
    classes_ : array

    Examples
    --------
    >>> from rosenblatt import PairProducts, Perceptron, Streamed
    >>> from rosenblatt.sources import digits
    >>> split = digits()
    >>> model = Streamed(PairProducts(2000, random_state=0), Perceptron("averaged"), max_iter=5, random_state=0)
    >>> print(f"{model.fit(split.X_train / 16, split.y_train).score(split.X_test / 16, split.y_test):.1%}")
    97.8%
    """

    _stored = kinds({
        "features_": instance(BaseEstimator), "learner_": instance(BaseEstimator), "classes_": labels,
        "n_iter_": maybe(whole),
    })  # fmt: skip
    _stored_parameters = kinds({"features": instance(BaseEstimator), "learner": instance(BaseEstimator)})

    def __init__(
        self, features: Any, learner: Any, max_iter: int = 10, shuffle: bool = True, random_state: Any = None
    ) -> None:
        self.features = features
        self.learner = learner
        self.max_iter = max_iter
        self.shuffle = shuffle
        self.random_state = random_state

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, on_epoch: Callable[[int, Any], object] | None = None
    ) -> Self:
        """Learn for `max_iter` epochs; `on_epoch(number, self)` is called after each and may return True to stop."""
        with unchanged_on_failure(self):
            check_positive("max_iter", self.max_iter, "it is the number of epochs", whole=True)
            X = self._rows(X, reset=True)
            n_rows = X.shape[0]
            labels = check_labels(y, n_rows)
            weights = None
            if sample_weight is not None:
                weights = check_weights(sample_weight, n_rows, allow_all_zero=False)
            random = random_state_of(self.random_state)
            seeds = deepcopy(random)  # so that the order of the rows does not depend on which parts are seeded
            self.features_ = _seeded(clone(self.features), seeds).fit(X)
            self.learner_ = _seeded(clone(self.learner), seeds)
            self.classes_ = np.unique(labels)
            order = np.arange(n_rows)
            for number in range(1, int(self.max_iter) + 1):
                if self.shuffle:
                    order = random.permutation(n_rows)
                self.n_iter_ = number
                for block in self._blocks(X, order):
                    mapped, own = self.features_.transform(X[block]), None if weights is None else weights[block]
                    self.learner_.partial_fit(mapped, labels[block], classes=self.classes_, sample_weight=own)
                if on_epoch is not None and on_epoch(number, self):
                    break
            return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = get_tags(self.features).input_tags.sparse
        return tags

    def _rows(self, X: Any, *, reset: bool) -> Any:
        """Rows, as every learner of ours takes them; images, which some features take, as they are."""
        if getattr(X, "ndim", 2) == 3:
            return X
        return check_rows(self, X, reset=reset)

    def _blocks(self, X: Any, order: Array) -> Iterator[Array]:
        """Rows in `order`, as many at a time as make a block."""
        one = self.features_.transform(X[order[:1]])
        height = max(1, BLOCK_BYTES // max(1, one.shape[1] * one.dtype.itemsize))
        for start in range(0, len(order), height):
            yield order[start : start + height]

    def decision_function(self, X: Any) -> Array:
        """The learner's scores."""
        return self._answer(X, "decision_function")

    def predict(self, X: Any) -> Array:
        """The class of every row."""
        return self._answer(X, "predict")

    @available_if(lambda self: hasattr(getattr(self, "learner_", self.learner), "predict_proba"))
    def predict_proba(self, X: Any) -> Array:
        """The learner's probabilities, where it has them."""
        return self._answer(X, "predict_proba")

    def _answer(self, X: Any, name: str) -> Array:
        check_is_fitted(self)
        return self.apply(X, getattr(self.learner_, name))

    def apply(self, X: Any, function: Any) -> Array:
        """`function` of the mapped rows, block by block, for instance ``model.learner_.answers_["last"].predict``."""
        check_is_fitted(self)
        X = self._rows(X, reset=False)
        blocks = self._blocks(X, np.arange(X.shape[0]))
        return np.concatenate([function(self.features_.transform(X[block])) for block in blocks])

    def _check_fitted(self, sizes: Sizes) -> None:
        if not hasattr(self.learner_, "predict") or not hasattr(self.features_, "transform"):
            raise ValueError("Streamed: it has no learner, or no features")
        known = getattr(self.learner_, "classes_", None)
        if known is not None and not np.array_equal(known, self.classes_):
            raise ValueError("Streamed: its learner has other classes")
