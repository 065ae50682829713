"""One learner at many strengths of its prior, each fit starting from the last one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone

from rosenblatt.engine.online.state import Array
from rosenblatt.estimators.validation import check_not_negative


@dataclass
class Path:
    """The fitted learners, strongest prior first.

    `lams`, `coefs` (n_lams, n_half_spaces, n_features), `intercepts`, `objectives` and the fitted `models`.
    """

    models: list[Any] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.models)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.models)

    def __getitem__(self, n: int) -> Any:
        return self.models[n]

    @property
    def lams(self) -> Array:
        return np.array([model.lam for model in self.models])

    @property
    def coefs(self) -> Array:
        return np.stack([np.atleast_2d(model.coef_) for model in self.models])

    @property
    def intercepts(self) -> Array:
        return np.stack([np.atleast_1d(model.intercept_) for model in self.models])

    @property
    def objectives(self) -> Array:
        return np.array([model.objective_ for model in self.models])


def regularization_path(estimator: Any, X: Any, y: Any, lams: Any, sample_weight: Any = None) -> Path:
    """Fit a learner for every lam, from the largest to the smallest, each starting where the one before ended.

    Parameters
    ----------
    estimator : LinearSVM, LogisticRegression or LeastSquares
        It stays as it is; copies of it are fitted.
    X, y, sample_weight
        As in its `fit`.
    lams : sequence of float
        In any order.

    Returns
    -------
    Path
        The fitted copies, strongest prior first.

    Raises
    ------
    ValueError
        If the learner has no `lam`, or one of `lams` is not a finite number.

    Examples
    --------
    >>> from rosenblatt import LogisticRegression, regularization_path
    >>> from rosenblatt.sources import breast_cancer
    >>> split = breast_cancer()
    >>> path = regularization_path(LogisticRegression(), split.X_train, split.y_train, [1e-3, 10.0, 0.1])
    >>> path.lams.tolist(), path.coefs.shape
    ([10.0, 0.1, 0.001], (3, 1, 30))
    """
    known = {} if isinstance(estimator, type) or not isinstance(estimator, BaseEstimator) else estimator.get_params()
    if not known.keys() >= {"lam", "warm_start"}:
        what = f"the class {estimator.__name__}" if isinstance(estimator, type) else type(estimator).__name__
        raise ValueError(
            f"regularization_path takes a learner with lam and warm_start, but got {what}; pass a "
            f"LinearSVM, LogisticRegression or LeastSquares."
        )
    values = np.ravel(np.asarray(lams, object)).tolist()
    if not values:
        raise ValueError("lams must hold at least one number, but it is empty; pass numpy.logspace(-5, 0, 20), say.")
    for value in values:
        check_not_negative("lams", value, "pass numbers of at least 0, numpy.logspace(-5, 0, 20), say")
    path = Path()
    learner = clone(estimator).set_params(warm_start=True)
    for lam in sorted(map(float, values), reverse=True):
        learner.set_params(lam=lam).fit(X, y, sample_weight)
        kept = clone(learner).set_params(warm_start=estimator.warm_start)
        for name, value in vars(learner).items():
            if name not in vars(kept):
                vars(kept)[name] = value
        vars(kept).pop("_dual", None)
        path.models.append(kept)
    return path
