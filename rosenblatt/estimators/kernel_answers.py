"""What a fitted `KernelPerceptron` answers with: one model for each answer, and the scores of new rows."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.engine.kernel.values import aligned
from rosenblatt.engine.online.state import Array, weight_dtype
from rosenblatt.estimators.classes import half_space_count
from rosenblatt.estimators.committee import _tally, _tally_together
from rosenblatt.estimators.missing import MissingFunction
from rosenblatt.kernels import Kernel, as_kernel
from rosenblatt.models import KernelModel, LinearModel, VotedKernelModel
from rosenblatt.models.voted import survival_counts

if TYPE_CHECKING:
    from rosenblatt.estimators.kernel_perceptron import KernelPerceptron


def has(estimator: KernelPerceptron, name: str) -> bool:
    """Whether this fit kept what the answer needs."""
    if name == "pocket":
        return estimator._pocket is not None and estimator._pocket.coefficients is not None
    return name != "voted" or estimator._state.history is not None


def model_of(estimator: KernelPerceptron, name: str) -> Any:
    """The model behind an answer."""
    if len(estimator.classes_) == 1:  # whatever comes, it is the one class known
        return LinearModel(np.zeros((1, estimator.n_features_in_)), np.full(1, -1.0), estimator.classes_)
    if name == "voted":
        return _voted(estimator)
    slots, coefficients = chosen(estimator, name)
    return KernelModel(rows_in(estimator, slots), coefficients, estimator.classes_, partial(_scores, estimator))


def chosen(estimator: KernelPerceptron, name: str) -> tuple[Array, Array]:
    """(slots, coefficients) of the rows that have one in this answer."""
    if not has(estimator, name):
        raise AttributeError(f"answer={name!r} was not kept by this fit; set answer={name!r} and fit again.")
    state = estimator._state
    if name == "pocket":
        coefficients = np.zeros((state.size, state.count))
        coefficients[: len(estimator._pocket.coefficients)] = estimator._pocket.coefficients
    else:
        coefficients = state.last() if name == "last" else state.averaged()
    coefficients = coefficients[:, : half_space_count(len(estimator.classes_), estimator._coupled)]
    if estimator._coupled and len(estimator.classes_) == 2:  # the two move in opposite directions: one says it all
        coefficients = coefficients[:, 1:] - coefficients[:, :1]
    slots = np.flatnonzero(coefficients.any(axis=1))
    slots = slots[np.argsort(state.numbers[slots], kind="stable")]
    return slots, np.ascontiguousarray(coefficients[slots])


def _voted(estimator: KernelPerceptron) -> VotedKernelModel:
    if not has(estimator, "voted"):
        raise AttributeError("answer='voted' was not kept by this fit; set answer='voted' and fit again.")
    state = estimator._state
    log, size = state.log(), state.size
    by_number = np.argsort(state.numbers[:size])
    sorted_numbers = state.numbers[:size][by_number]
    count = half_space_count(len(estimator.classes_), estimator._coupled)
    rows = []
    for k in range(count):
        rows.append(by_number[np.searchsorted(sorted_numbers, log.rows[k])])
    return VotedKernelModel(
        support=rows_in(estimator, np.arange(size)),
        rows=rows,
        steps=log.steps[:count],
        shrinks=log.shrinks[:count],
        counts=[survival_counts(part, state.seen) for part in log.times[:count]],
        fit_intercept=False,  # the kernel values have the intercept in them
        shrink_intercept=False,
        classes=estimator.classes_,
        times=log.times[:count],
        seen=state.seen,
        coupled=estimator._coupled,
        tally=_tally_together if estimator._coupled else partial(_tally, n_jobs=estimator.n_jobs),
        values=partial(_values, estimator),
    )


def rows_in(estimator: KernelPerceptron, slots: Array) -> Any:
    """The rows in these slots; their numbers where the kernel is precomputed."""
    if estimator._fitted_precomputed:
        return estimator._state.numbers[slots]
    if estimator._store is None or estimator._store.size == 0:
        return np.empty((0, estimator.n_features_in_), estimator._state.dtype)
    return aligned([estimator._store.view().rows[slots], np.empty((0, estimator.n_features_in_))])[0]


def usable_kernel(estimator: KernelPerceptron) -> Kernel:
    """The kernel; a function that a model file could not hold must have been set again."""
    if not isinstance(estimator.kernel_, MissingFunction):
        return estimator.kernel_
    if isinstance(estimator.kernel, MissingFunction) or not callable(estimator.kernel):
        raise ValueError(
            f"kernel was the function {estimator.kernel_.name} when this model was saved, and a model file holds no "
            f"code; set the function again with set_params(kernel=...)."
        )
    return as_kernel(estimator.kernel)


def _scores(estimator: KernelPerceptron, X: Any, support: Any, coefficients: Array) -> Array:
    from rosenblatt.engine.kernel.products import expansion_scores

    kernel, dtype = usable_kernel(estimator), _dtype_for(estimator, X)
    if estimator.device == "cuda":
        from rosenblatt.engine.kernel.cuda import expansion_scores_on_gpu

        scores = expansion_scores_on_gpu(kernel, X, support, coefficients, estimator._fitted_intercept, dtype)
    else:
        with np.errstate(over="ignore", invalid="ignore"):
            scores = expansion_scores(
                kernel, X, support, coefficients, estimator._fitted_intercept, dtype, estimator.n_jobs
            )  # fmt: skip
    if np.isnan(scores).any():
        row = int(np.argwhere(np.isnan(scores))[0][0])
        raise ValueError(
            f"Kernel values must be in the range of {dtype}, but those of row {row} are not; scale its features as "
            f"in training (StandardScaler)."
        )
    return scores


def _values(estimator: KernelPerceptron, X: Any, support: Any) -> Array:
    from rosenblatt.engine.kernel.products import Products
    from rosenblatt.engine.kernel.values import values_of

    kernel = usable_kernel(estimator)
    source = values_of(kernel, X, _dtype_for(estimator, X))
    with Products(source, estimator._fitted_intercept, estimator.n_jobs) as products:
        right = source.operand(support, support if kernel.name == "precomputed" else None)
        return products.values(source.operand(X), right)


def _dtype_for(estimator: KernelPerceptron, X: Any) -> np.dtype[Any]:
    return np.promote_types(estimator._state.dtype, weight_dtype(X.dtype))
