"""What `KernelPerceptron` does between checking its input and having a model."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse

from rosenblatt.arguments import shortened
from rosenblatt.engine.kernel.state import Expansion
from rosenblatt.engine.online.state import Array, weight_dtype
from rosenblatt.estimators import training
from rosenblatt.estimators.classes import half_space_count, positive_codes
from rosenblatt.estimators.validation import (
    row_weights,
)
from rosenblatt.kernels import Kernel, Polynomial, Precomputed, as_kernel, is_mercer
from rosenblatt.kernels.mercer import scale_of
from rosenblatt.progress import reporter
from rosenblatt.seeds import random_state_of
from rosenblatt.trace import Epoch, Trace

if TYPE_CHECKING:
    from rosenblatt.engine.kernel.backend import DualTask
    from rosenblatt.engine.kernel.values import Store
    from rosenblatt.estimators.kernel_perceptron import KernelPerceptron

CPU_BLOCK, GPU_BLOCK = 1024, 8192
SUPPORT_VALUES = 2**22  # kernel values of a block with the whole support, which are kept under a budget
LOOKED_AT = 200  # rows, before a fit with a kernel that is not known to be valid


class KernelWarning(UserWarning):
    """The kernel may not be an inner product."""


def kernel_of(estimator: KernelPerceptron, X: Any, *, batch: bool) -> Kernel:
    """The kernel with all its numbers; those that depend on the rows are taken from these."""
    gamma, name = estimator.gamma, estimator.kernel
    n_features = X.shape[1]
    if gamma is None and name not in ("polynomial", "poly", Polynomial):
        gamma = 1.0 / n_features if batch else "scale"
    if isinstance(gamma, str):
        if gamma != "scale":
            raise ValueError(
                f"gamma must be a number above 0, 'scale' or None, but got {shortened(gamma)}; choose one of them."
            )
        gamma = scale_of(X)
    return as_kernel(
        name,
        degree=estimator.degree,
        gamma=1.0 if gamma is None else gamma,
        coef0=estimator.coef0,
        sigma=estimator.sigma,
    )


def warn_of_kernel(kernel: Kernel, X: Any) -> None:
    """Once, in plain words, for a kernel that is not known to be an inner product.

    A matrix that is given is judged by itself: it is spoken of only where a look at some of its rows finds a violation.
    """
    if kernel.valid:
        return
    size = min(LOOKED_AT, X.shape[0])
    rows = np.linspace(0, X.shape[0] - 1, size).astype(np.intp)
    given = isinstance(kernel, Precomputed)
    report = is_mercer(kernel, X[np.ix_(rows, rows)] if given else X[rows])
    if given and not report.violation:
        return
    known, so = ("no", "So") if given else ("not known to be an", "Where it is not,")
    warnings.warn(
        f"The {kernel.name} kernel is {known} inner product (positive semi-definite): {report}. {so} a perceptron need "
        f"not come to rest, and the bound on its mistakes does not hold.",
        KernelWarning,
        stacklevel=3,
    )


def task_of(
    estimator: KernelPerceptron, kernel: Kernel, X: Any, y: Array, sample_weight: Any, *, batch: bool
) -> DualTask:
    from rosenblatt.engine.kernel.backend import DualTask

    classes, coupled = estimator.classes_, estimator._coupled
    codes = np.searchsorted(classes, y)
    dtype = np.promote_types(estimator._state.dtype, weight_dtype(X.dtype)) if batch else weight_dtype(X.dtype)
    return DualTask(
        X=X,
        codes=codes.astype(np.int32),
        sample_weight=row_weights(X, y, classes, codes, sample_weight, estimator.class_weight, batch=batch),
        positive=positive_codes(len(classes), coupled, estimator._listening),
        classes=half_space_count(len(classes), coupled),
        coupled=coupled,
        kernel=kernel,
        intercept=bool(estimator.fit_intercept),
        dtype=dtype,
        drop_after=estimator.drop_after or 0,
        budget=estimator.budget or 0,
        block=estimator.block_size or _block(estimator),
        cache_bytes=int(estimator.cache_size * 2**20),
        n_jobs=estimator.n_jobs,
    )


def _block(estimator: KernelPerceptron) -> int:
    if estimator.device == "cuda":
        return GPU_BLOCK
    return min(CPU_BLOCK, max(1, SUPPORT_VALUES // estimator.budget)) if estimator.budget else CPU_BLOCK


def run(estimator: KernelPerceptron, task: DualTask, eval_set: Any, on_epoch: Any, recorded: tuple[str, ...]) -> None:
    """Epochs until there is a reason to stop; then the estimator has its result."""
    from rosenblatt.engine.kernel.epochs import backend_for, train
    from rosenblatt.engine.online.stopping import Watch

    state = Expansion(len(task.positive), task.dtype)
    if task.budget and "updates" not in recorded:
        state.history = None
    seed = int(random_state_of(estimator.random_state).randint(2**31 - 1)) if estimator.shuffle else None
    trace = Trace()
    show = reporter(estimator.verbose, type(estimator).__name__, estimator.max_iter)

    def note(figures: dict[str, Any]) -> object:
        row = Epoch(**figures)
        trace.epochs.append(row)
        show.epoch(row)
        return on_epoch(row) if on_epoch is not None else None

    made = backend_for(task, state.count, estimator.device, fresh=bool(task.budget))
    with show, _beyond_the_range(), made as backend:
        if eval_set is not None:
            backend.add_test_rows(*training.check_eval_set(estimator, eval_set, _layout(task.X)))
        outcome = train(
            task,
            state,
            backend,
            max_iter=int(estimator.max_iter),
            watch=Watch(
                time_limit=estimator.time_limit,
                tol=estimator.tol,
                on_epoch=note,
                on_progress=show.progress if estimator.verbose else None,
            ),
            seed=seed,
            keep_pocket=not task.budget or estimator.answer == "pocket",
            train_error="train_error" in recorded,
        )
        trace.stop_reason = outcome.stop_reason
        show.finish(trace)
        store = backend.store_of(state)
    estimator._state, estimator._store, estimator._pocket = state, store, outcome.pocket
    trace.updates = state.log() if "updates" in recorded else None
    estimator.trace_, estimator.stop_reason_ = trace, trace.stop_reason
    estimator.n_iter_ = len(trace)
    estimator._mistakes = int(trace["mistakes"].sum())
    training._warn(estimator, trace, task.n_rows)


def _beyond_the_range() -> np.errstate:
    """A run that leaves the range of floats says so itself, without warnings of numpy's."""
    return np.errstate(over="ignore", invalid="ignore")


def _layout(X: Any) -> str:
    return "columns" if scipy.sparse.issparse(X) else "rows"


def pass_once(estimator: KernelPerceptron, task: DualTask) -> None:
    """One pass over one batch, in the order of its rows, by an estimator that goes on learning."""
    from rosenblatt.engine.kernel.epochs import backend_for, train
    from rosenblatt.engine.online.stopping import Watch

    state: Expansion = estimator._state
    counted: list[Epoch] = []
    made = backend_for(task, state.count, estimator.device, fresh=True, store=estimator._store)
    with _beyond_the_range(), made as backend:
        outcome = train(
            task,
            state,
            backend,
            max_iter=1,
            pocket=estimator._pocket,
            keep_pocket=estimator.answer == "pocket",
            watch=Watch(on_epoch=lambda figures: counted.append(Epoch(**figures))),
            stream=True,
        )
        store: Store = backend.store_of(state)
    estimator._store, estimator._pocket = store, outcome.pocket
    estimator.n_iter_ += 1
    estimator._mistakes += counted[0].mistakes
    estimator.stop_reason_ = ""
    if outcome.stop_reason in ("diverged", "interrupted"):
        estimator.stop_reason_ = outcome.stop_reason
    if outcome.stop_reason == "diverged":
        training._warn(estimator, Trace(counted, outcome.stop_reason), task.n_rows)
