"""Linear regression by least squares: exact, or by gradient descent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, MultiOutputMixin, RegressorMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from rosenblatt.closed_form.least_squares import MOST_COLUMNS, Moments, exact
from rosenblatt.engine.online.state import Array, weight_dtype
from rosenblatt.estimators import minimising
from rosenblatt.estimators.gradient_descent import held_out, held_out_fraction, steps_of, stored_solver
from rosenblatt.estimators.validation import check_rows, check_rows_and_targets, check_weights, unchanged_on_failure
from rosenblatt.models.linear import product
from rosenblatt.seeds import random_state_of
from rosenblatt.stored import Sizes, Stored, array, either, kinds, maybe, number, size
from rosenblatt.trace import RUN, Epoch, Trace


@dataclass(eq=False, repr=False, kw_only=True)
class LeastSquares(Stored, MultiOutputMixin, RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """Linear regression with squared loss (lecture row L18).

    Minimises lam ‖w‖² + mean of (w·x + b - y)²/2. `partial_fit` does so over all batches so far.

    Parameters
    ----------
    lam : float
        The weight of ‖w‖². scikit-learn's Ridge has alpha = 2 lam n_samples.
    solver : {"exact", "sgd", "batch", "svrg"} or GradientDescent
        A direct solution (the shortest w where there are several), or steps as in `LogisticRegression`.
    tol : float
        Gradient descent stops when the objective falls by less than this fraction for five epochs.
    max_iter, time_limit, fit_intercept, warm_start, random_state, verbose
        As in `LogisticRegression`.

    Attributes
    ----------
    coef_, intercept_
        (n_features,) and a number, or (n_targets, n_features) and (n_targets,).
    objective_, trace_, stop_reason_, n_iter_, n_features_in_
        As in `LogisticRegression`.

    Examples
    --------
    >>> from rosenblatt import LeastSquares
    >>> model = LeastSquares().fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0])
    >>> model.coef_.round(6).tolist(), round(float(model.intercept_), 6)
    ([2.0], 1.0)
    """

    _stored = kinds({
        "n_features_in_": size("features"), "_weights": array("f", "targets", "one_more"),
        "coef_": either(array("f", "features"), array("f", "targets", "features")),
        "intercept_": either(number, array("f", "targets")), "_total": maybe(number),
        "_center": maybe(array("f", "moments")), "_scatter": maybe(array("f", "moments", "moments")),
        **{name: maybe(kind) for name, kind in RUN.items()},
    })  # fmt: skip
    _stored_parameters = kinds({"solver": stored_solver("exact")})

    lam: float = 0.0
    solver: Any = "exact"
    tol: float = 1e-8
    max_iter: int = 1000
    time_limit: float | None = None
    fit_intercept: bool = True
    warm_start: bool = False
    random_state: Any = None
    verbose: int = 0

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        eval_set: tuple[Any, Any] | None = None,
        on_epoch: Callable[[Epoch], object] | None = None,
    ) -> Self:
        """Find the weights.

        Parameters
        ----------
        X : array or CSR matrix of shape (n_samples, n_features)
        y : array of shape (n_samples,) or (n_samples, n_targets)
        sample_weight : array of shape (n_samples,), optional
        eval_set, on_epoch
            As in `Perceptron.fit`; ``trace_`` has the mean loss on these rows.

        Returns
        -------
        self
        """
        with unchanged_on_failure(self):
            minimising.check_solved(self, "0 leaves the loss alone", "exact")
            earlier = vars(self).get("_weights") if self.warm_start else None
            X, y = check_rows_and_targets(self, X, y, reset=True)
            flat, targets = y.ndim == 1, y.reshape(len(y), -1)
            weights = np.empty(0)
            if sample_weight is not None:
                weights = check_weights(sample_weight, len(y), allow_all_zero=False)
            found, trace = self._solve(X, targets, weights, earlier, eval_set, on_epoch)
            if hasattr(self, "_scatter"):
                del self._total, self._center, self._scatter
            self._keep(found, X.dtype, flat, trace)
            minimising.warn(self, trace, level=3)
            return self

    def _keep(self, found: Array, dtype: Any, flat: bool, trace: Trace) -> None:
        self._weights = found
        kind = weight_dtype(dtype)
        coef, intercept = found[:, :-1].astype(kind), found[:, -1].astype(kind)
        self.coef_ = coef[0] if flat else coef
        self.intercept_ = intercept[0] if flat else intercept
        self.trace_, self.stop_reason_, self.n_iter_ = trace, trace.stop_reason, len(trace)

    @available_if(lambda self: self.solver == "exact")
    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Add a batch of rows; the weights then are those of one fit on all rows so far.

        Of z = (x, y) the total weight n, the mean m and the scatter Z = sum of c (z - m)(z - m)ᵀ are kept. A batch with
        n', m' and Z' is added by (Chan, Golub and LeVeque 1979)

            Z <- Z + Z' + n n'/(n + n') (m' - m)(m' - m)ᵀ,   m <- m + n'/(n + n') (m' - m),   n <- n + n'

        and w solves (Z_xx + 2 lam n I) w = Z_xy. Memory is (d + 1)² numbers, however many rows there are. Squares lose
        digits: weights agree with those of `fit` to about 1e-16 times the condition number of Z_xx.

        After `fit` it begins again with its own first batch: `fit` keeps no sums.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If there are more than 4,096 features. With another solver than "exact" there is no `partial_fit`.

        Examples
        --------
        >>> from rosenblatt import LeastSquares
        >>> model = LeastSquares().partial_fit([[0.0], [1.0]], [1.0, 3.0]).partial_fit([[2.0]], [2.0])
        >>> model.coef_.round(6).tolist(), round(float(model.intercept_), 6)
        ([0.5], 1.5)
        """
        with unchanged_on_failure(self):
            minimising.check_solved(self, "0 leaves the loss alone", "exact")
            first = not hasattr(self, "_scatter")
            X, y = check_rows_and_targets(self, X, y, reset=first)
            flat, targets = y.ndim == 1, y.reshape(len(y), -1)
            width = X.shape[1]
            if width > MOST_COLUMNS:
                raise ValueError(
                    f"partial_fit keeps a square matrix of the features, at most {MOST_COLUMNS:,}, but X has "
                    f"{width:,}; use fit with solver='sgd'."
                )
            if not first and len(self._center) != width + targets.shape[1]:
                raise ValueError(
                    f"y must have {len(self._center) - width} targets as before, but has {targets.shape[1]}; pass one "
                    f"column for each."
                )
            weights = check_weights(sample_weight, len(y))
            moments = Moments.of(X, targets, weights, centred=bool(self.fit_intercept))
            if not first:
                moments = Moments(self._total, self._center, self._scatter) + moments
            self._total: float = moments.total
            self._center: Array = moments.center
            self._scatter: Array = moments.scatter
            found = moments.solved(width, float(self.lam))
            earlier = [] if first else list(self.trace_)
            value = moments.objective(found[:, :-1], float(self.lam))
            epoch = Epoch(len(earlier) + 1, 1, 0, float(np.linalg.norm(found)), 0.0, loss=value)
            self._keep(found, X.dtype, flat, Trace([*earlier, epoch], "converged"))
            self.objective_ = value
            return self

    @np.errstate(over="ignore", invalid="ignore")  # what is not finite is reported
    def _solve(
        self, X: Any, targets: Array, weights: Array, earlier: Array | None, eval_set: Any, on_epoch: Any
    ) -> tuple[Array, Trace]:
        from rosenblatt.engine.gradient.objective import Objective

        def objective_over(rows: Any, wanted: Array, weighing: Array) -> Objective:
            return Objective(rows, wanted, weighing, "squared", float(self.lam), fit_intercept=bool(self.fit_intercept))

        steps, tested, fraction = steps_of(self.solver), None, held_out_fraction(self.solver)
        if fraction is not None:
            held, kept = held_out(np.arange(X.shape[0]), None, fraction, random_state_of(self.random_state))
            tested = objective_over(X[held], targets[held], weights[held] if len(weights) else weights), None
            X, targets, weights = X[kept], targets[kept], weights[kept] if len(weights) else weights
        objective = objective_over(X, targets, weights)
        if steps is None:
            found = exact(objective)
            value = objective.value(found, objective.scores(found))[0]
            self.objective_ = value
            trace = Trace([Epoch(1, 1, 0, float(np.linalg.norm(found)), 0.0, loss=value)], "converged")
            return found, trace
        if eval_set is not None:
            X_test, wanted = check_rows_and_targets(self, *eval_set, reset=False)
            wanted = wanted.reshape(len(wanted), -1)
            if wanted.shape[1] != targets.shape[1]:
                raise ValueError(
                    f"eval_set must have as many targets as y, {targets.shape[1]}, but has {wanted.shape[1]}."
                )
            tested = tested or (objective_over(X_test, wanted, np.empty(0)), None)
        start = np.zeros((targets.shape[1], X.shape[1] + 1))
        if earlier is not None and earlier.shape == start.shape:
            start = earlier.copy()
        found, trace = minimising.minimise(
            self, objective, start, mistakes=lambda scores: 0, tested=tested, on_epoch=on_epoch
        )
        self.objective_ = objective.value(found, objective.scores(found))[0]
        return found, trace

    def _check_fitted(self, sizes: Sizes) -> None:
        flat = self.coef_.ndim == 1
        if np.ndim(self.intercept_) != self.coef_.ndim - 1 or (flat and sizes["targets"] != 1):
            raise ValueError("LeastSquares: weights and intercept do not belong together")

    def predict(self, X: Any) -> Array:
        """w·x + b of every row."""
        check_is_fitted(self)
        X = check_rows(self, X, reset=False)
        result = product(X, np.atleast_2d(self.coef_)) + self.intercept_
        return result[:, 0] if np.ndim(self.intercept_) == 0 else result
