"""What classifiers share that learn row by row: `fit` and `partial_fit`, between checked input and a model.

A subclass says how rows become a task of its engine, and what a fresh state is.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, Self

import numpy as np
import scipy.sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.metaestimators import available_if

from rosenblatt.arguments import shortened
from rosenblatt.checked_labels import check_labels
from rosenblatt.engine.online.state import Array, weight_dtype
from rosenblatt.estimators.classes import arrange_classes, check_kind, classes_to_fit, code_dtype, codes_of
from rosenblatt.estimators.one_example import OneExample
from rosenblatt.estimators.validation import (
    ANSWERS,
    built_aside,
    check_callback,
    check_rows,
    check_rows_and_labels,
    unchanged_on_failure,
    with_declared,
)
from rosenblatt.features.named_features import Names
from rosenblatt.stored import Stored, choice, flag, instance, kinds, labels, maybe, size, threads, whole
from rosenblatt.trace import RUN, Epoch, Trace


class Online(Stored, OneExample):
    """Not for users: the shared part of the linear classifiers and `KernelPerceptron`."""

    _stored = kinds({
        "n_features_in_": size("features"), "classes_": labels, **RUN, "_mistakes": whole, "_listening": flag,
        "_names": maybe(instance(Names)),
    })  # fmt: skip
    _stored_parameters = kinds({"answer": choice("auto", *ANSWERS), "n_jobs": threads})

    answer: str
    max_iter: int
    trace_: Trace
    n_iter_: int
    _pocket: Any
    _listening: bool  # whether the last half-space is the shadow that a late class starts from

    # What a subclass has
    _task: Callable[..., Any]  # (X, y, sample_weight, listening): what is to be learned from rows of known classes
    _fresh_state: Callable[..., Any]  # (task, X, before): what a fit of an estimator that was `before` starts from
    _train: Callable[..., None]  # (task, state, X, eval_set, on_epoch, recorded): learn from rows, starting at `state`
    _prepare_online: Callable[[int, Any, str], None]  # (n_features, dtype, layout): listen for late classes
    _select: Callable[[list[int], list[float]], None]  # copies of these half-spaces, turned around where a sign is -1
    _pass: Callable[[Any, Any, Any], str]  # (task, X, watch): go through a batch once; why it stopped

    def _check_online(self) -> None:
        """Refuse parameters with which nothing can be learned online."""
        self._check_parameters()
        if getattr(self, "answer", "last") in ("voted", "pocket"):
            raise ValueError(
                f"answer={self.answer!r} needs all rows of a fit and is not there while learning online; use "
                f"answer='auto', 'last' or 'averaged'."
            )
        class_weight = getattr(self, "class_weight", None)
        if isinstance(class_weight, str):
            raise ValueError(
                f"class_weight must be a dict or None while learning online, but got {shortened(class_weight)}: one "
                f"batch does not tell how frequent the classes are; pass the weights as a dict."
            )

    def _checked(self, X: Any) -> Any:
        """Rows that scikit-learn's check has passed, as the engine wants them."""
        return X

    def _set_fitted(self, fitted: dict[str, Any]) -> None:
        super()._set_fitted(fitted | {"_models": {}})

    # ------------------------------------------------------------------ training

    def _fit(self, X: Any, y: Any, sample_weight: Any, eval_set: Any, on_epoch: Any, recorded: tuple[str, ...]) -> Self:
        with built_aside(self) as new:
            new._check_parameters()
            check_callback("on_epoch", on_epoch)
            for name in ("_names", "kernel_"):
                vars(new).pop(name, None)
            X, y = check_rows_and_labels(new, X, y, reset=True, finite=False)
            X = new._checked(X)
            new.classes_ = classes_to_fit(y)
            new._listening = False
            task = new._task(X, y, sample_weight, listening=False)
            state = new._fresh_state(task, X, vars(self))
            new._models = {}
            new._train(task, state, X, eval_set, on_epoch, recorded)
        return self

    def _keep_trace(self, trace: Trace) -> None:
        self.trace_, self.stop_reason_, self.n_iter_ = trace, trace.stop_reason, len(trace)
        self._mistakes = int(trace["mistakes"].sum())
        self._models = {}

    @available_if(lambda self: getattr(self, "answer", "last") not in ("voted", "pocket"))
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn on from one batch, in the order of its rows. Classes may appear in any batch.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`, but a batch may hold a single class.
        classes : array, optional
            Classes that are known to exist, in any call. Not needed: one against the rest, a class that appears late
            is given a half-space that has seen every earlier row as negative, the same as if it had been declared.
            Coupled, it starts at zero.

        Returns
        -------
        self

        Raises
        ------
        KeyboardInterrupt
            After Ctrl-C, so that a loop over batches ends. What was learned of the batch until then is kept.
        """
        with unchanged_on_failure(self):
            self._check_online()
            self._refuse_other(named=False)
            first = not hasattr(self, "_state")
            X, y = check_rows_and_labels(self, X, y, reset=first, known=None if first else self.classes_)
            self._learn_batch(self._checked(X), y, sample_weight, y if classes is None else with_declared(y, classes))
        self._pass_on_interrupt()
        return self

    def _learn_batch(self, X: Any, y: Array, sample_weight: Any, labels: Array) -> None:
        """One pass over rows; `labels` are those of the batch and what is declared beside them."""
        self._prepare_online(X.shape[1], weight_dtype(X.dtype), "columns" if scipy.sparse.issparse(X) else "rows")
        self._admit(labels)
        self._pass_once(self._task(X, y, sample_weight, listening=True), X)

    def _admit(self, labels: Array) -> None:
        """Give every class among `labels` that is new a place."""
        if codes_of(self.classes_, labels) is not None:
            return
        arranged = arrange_classes(self.classes_, np.unique(labels), self._coupled)
        if arranged is not None:
            classes, sources, signs = arranged
            self._select(sources, signs)
            self.classes_ = classes

    def _pass_once(self, task: Any, X: Any) -> None:
        from rosenblatt.engine.online.stopping import Watch

        counted: list[Epoch] = []
        reason = self._pass(task, X, Watch(on_epoch=lambda figures: counted.append(Epoch(**figures))))
        self.n_iter_ += 1
        self._mistakes += counted[0].mistakes
        self.stop_reason_ = reason if reason in ("diverged", "interrupted") else ""
        if reason == "diverged":
            self._warn(Trace(counted, reason), task.n_rows)

    def _pass_on_interrupt(self) -> None:
        """After Ctrl-C in a batch: it keeps what it has learned, and the loop over batches around it ends."""
        if self.stop_reason_ == "interrupted":
            raise KeyboardInterrupt

    def _eval_set(self, eval_set: Any, X: Any) -> tuple[Any, Array]:
        """(rows, codes) to test on; a code of -1 is a class that the fit does not know."""
        if not isinstance(eval_set, tuple | list) or len(eval_set) != 2:
            raise ValueError(
                f"eval_set must be a pair (X_test, y_test), but got {type(eval_set).__name__}; pass the two together."
            )
        X_test = check_rows(self, eval_set[0], reset=False)
        y_test = check_labels(eval_set[1], X_test.shape[0])
        check_kind(self.classes_, y_test)
        if scipy.sparse.issparse(X) != scipy.sparse.issparse(X_test):
            raise ValueError(
                "The rows of eval_set must be sparse where X is sparse and dense where X is dense, but they "
                "differ; convert one of them."
            )
        places = np.searchsorted(self.classes_, y_test).clip(max=len(self.classes_) - 1)
        known = self.classes_[places] == y_test
        return X_test, np.where(known, places, -1).astype(code_dtype(len(self.classes_)))

    def _warn(self, trace: Trace, n_rows: int) -> None:
        """One sentence about a run that did not come to its end, and what to do."""
        name, epochs = type(self).__name__, len(trace)
        if trace.stop_reason == "diverged":
            text = (
                f"{name} diverged in epoch {epochs}: the weights grew beyond the range of {self._state.dtype}; the "
                f"last finite ones are kept. Scale the features (StandardScaler), or lower the learning rate."
            )
        elif trace.stop_reason == "interrupted":
            text = f"{name} was interrupted in epoch {epochs}; the weights learned so far are kept and can be used."
        elif trace.stop_reason == "max_iter" and self._chosen == "last" and trace.epochs[-1].mistakes:
            text = (
                f"{name} stopped at max_iter={epochs}; its last epoch made {trace.epochs[-1].mistakes:,} mistakes on "
                f"{n_rows:,} rows. If the rows are separable, raise max_iter; if not, no number of epochs is enough: "
                f"use answer='auto' or 'averaged'."
            )
        else:
            return
        warnings.warn(text, ConvergenceWarning, stacklevel=5)
