"""What `fit` and `partial_fit` do between checking their input and having a model."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from rosenblatt.engine.layouts.rows import rows_of
from rosenblatt.engine.online.pocket import Pocket
from rosenblatt.engine.online.state import SEEN, Array, HalfSpaces
from rosenblatt.engine.threads import thread_count
from rosenblatt.estimators.classes import check_kind, code_dtype, codes_of, half_space_count, positive_codes
from rosenblatt.estimators.committee import Committee
from rosenblatt.estimators.validation import check_finite, check_labels, check_rows, row_weights
from rosenblatt.progress import reporter
from rosenblatt.seeds import random_state_of
from rosenblatt.trace import Epoch, Trace

FIRST_NUMBERS = 2**31 - 1

if TYPE_CHECKING:
    from rosenblatt.engine.online.task import Task
    from rosenblatt.estimators.linear import LinearClassifier


def task_of(estimator: LinearClassifier, X: Any, y: Array, sample_weight: Any, *, listening: bool) -> Task:
    """What is to be learned from these rows by an estimator that knows their classes."""
    from rosenblatt.engine.compile.jit import reads_argument
    from rosenblatt.engine.online.task import Task

    rule, params = estimator._learning_rule()
    layout, rows = rows_of(X, squared_norms=reads_argument(rule.function, 1))
    classes, coupled = estimator.classes_, estimator._coupled
    codes = codes_of(classes, y)
    assert codes is not None  # the classes are those of y, or more
    positive = positive_codes(len(classes), coupled, listening)
    return Task(
        rows=rows,
        codes=codes,
        sample_weight=row_weights(X, y, classes, codes, sample_weight, estimator.class_weight, batch=listening),
        layout=layout,
        rule=rule.function,
        params=np.tile(np.array(params, np.float64), (max(1, len(positive)), 1)),
        weighted=rule.weighted_index,
        positive=positive,
        classes=half_space_count(len(classes), coupled),
        coupled=coupled,
        intercept=bool(estimator.fit_intercept),
        shrink_intercept=estimator._shrinks_intercept(),
        n_jobs=thread_count(estimator.n_jobs),
    )


def seed_of(estimator: LinearClassifier) -> int | None:
    """What the orders of the rows are made from; None for the order in which they came."""
    if not estimator.shuffle:
        return None
    seed = estimator.random_state
    return _first_number(seed) if type(seed) is int else int(random_state_of(seed).randint(FIRST_NUMBERS))


@functools.lru_cache(maxsize=64)
def _first_number(seed: int) -> int:
    """What a generator with this seed says first. To make one takes longer than to train on a small set."""
    return int(np.random.RandomState(seed).randint(FIRST_NUMBERS))


def run(
    estimator: LinearClassifier,
    task: Task,
    state: HalfSpaces,
    X: Any,
    eval_set: Any,
    on_epoch: Any,
    recorded: tuple[str, ...],
) -> None:
    """Epochs until there is a reason to stop; then the estimator has its result.

    `recorded` may name "updates", "train_error", "voted", and "pocket" or "pocket_update".
    """
    from rosenblatt.engine.compile.jit import explained
    from rosenblatt.engine.online.epochs import train
    from rosenblatt.engine.online.stopping import Watch

    measures = measures_of(estimator, task, state, eval_set, recorded)
    seed = seed_of(estimator)
    trace = Trace()
    show = reporter(estimator.verbose, type(estimator).__name__, estimator.max_iter)
    checks = {"pocket": "run", "pocket_update": "update"}
    pocket = next((Pocket(check) for name, check in checks.items() if name in recorded), None)

    def note(figures: dict[str, Any]) -> object:
        row = Epoch(**figures)
        trace.epochs.append(row)
        show.epoch(row)
        return on_epoch(row) if on_epoch is not None else None

    with show, explained(task.rule, task.params.shape[1]):
        outcome = train(
            task,
            state,
            max_iter=int(estimator.max_iter),
            watch=Watch(
                time_limit=estimator.time_limit,
                tol=estimator.tol,
                on_epoch=note,
                on_progress=show.progress if estimator.verbose else None,
            ),
            seed=seed,
            pocket=pocket,
            record="updates" in recorded or "voted" in recorded,
            measure=measures,
        )
        if outcome.stop_reason == "diverged" or (len(trace) == 1 and outcome.stop_reason != "converged"):
            # The first epoch looks at every number; if it was cut short, nobody has seen that all rows are finite.
            check_finite(estimator, X)
        trace.stop_reason = outcome.stop_reason
        show.finish(trace)
    estimator._state = state
    estimator._pocket = pocket
    estimator._models = {}
    estimator._committee = None
    if "voted" in recorded and outcome.log is not None:
        estimator._committee = Committee(state.count)
        estimator._committee.add(X, outcome.log)
    trace.updates = outcome.log if "updates" in recorded else None
    estimator.trace_, estimator.stop_reason_ = trace, trace.stop_reason
    estimator.n_iter_ = len(trace)
    estimator._mistakes = int(trace["mistakes"].sum())
    _warn(estimator, trace, task.n_rows, level=5)


def keep(estimator: Any, state: HalfSpaces, trace: Trace, coef: Array, bias: Array, n_rows: int) -> None:
    """The estimator has a result that was not reached row by row: it counts as what `n_rows` examples taught."""
    state.set_weights(coef, bias)
    state.ledger[: state.count, SEEN] = n_rows
    estimator._state = state
    estimator._pocket = estimator._committee = None
    estimator._models = {}
    estimator.trace_, estimator.stop_reason_ = trace, trace.stop_reason
    estimator.n_iter_ = len(trace)
    estimator._mistakes = int(trace["mistakes"].sum())


def pass_once(estimator: LinearClassifier, task: Task, X: Any) -> None:
    """One pass over one batch, in the order of its rows, by an estimator that goes on learning."""
    from rosenblatt.engine.compile.jit import explained
    from rosenblatt.engine.online.epochs import train
    from rosenblatt.engine.online.stopping import Watch

    counted: list[Epoch] = []
    with explained(task.rule, task.params.shape[1]):
        outcome = train(
            task,
            estimator._state,
            max_iter=1,
            pocket=estimator._pocket,
            record=estimator._committee is not None,
            watch=Watch(on_epoch=lambda figures: counted.append(Epoch(**figures))),
            stop_when_clean=False,
        )
    if estimator._committee is not None and outcome.log is not None:
        estimator._committee.add(X, outcome.log)
    estimator.n_iter_ += 1
    estimator._mistakes += counted[0].mistakes
    estimator.stop_reason_ = ""
    if outcome.stop_reason in ("diverged", "interrupted"):
        estimator.stop_reason_ = outcome.stop_reason
    if outcome.stop_reason == "diverged":
        _warn(estimator, Trace(counted, outcome.stop_reason), task.n_rows)


def pass_on_interrupt(estimator: Any) -> None:
    """After Ctrl-C in a batch: it keeps what it has learned, and the loop over batches around it ends."""
    if estimator.stop_reason_ == "interrupted":
        raise KeyboardInterrupt


def measures_of(
    estimator: LinearClassifier, task: Task, state: HalfSpaces, eval_set: Any, recorded: tuple[str, ...]
) -> Callable[[], dict[str, float]] | None:
    """What is measured after every epoch: the training error if asked for, the test error if there is a set."""
    from rosenblatt.engine.online.errors import count_errors

    sets: dict[str, tuple[Any, int, Array, Array]] = {}
    if "train_error" in recorded:
        sets["train_error"] = (task.rows, task.n_rows, task.codes, task.sample_weight)
    if eval_set is not None:
        X_test, codes = check_eval_set(estimator, eval_set, task.layout)
        sets["test_error"] = (rows_of(X_test)[1], len(codes), codes, np.empty(0))
    if not sets:
        return None

    def measure() -> dict[str, float]:
        figures = {}
        for name, (rows, n_rows, codes, weights) in sets.items():
            errors = count_errors(rows, n_rows, codes, weights, state, task.classes)
            figures[name] = errors / (weights.sum() if len(weights) else n_rows)
        return figures

    return measure


def check_eval_set(estimator: LinearClassifier, eval_set: Any, layout: str) -> tuple[Any, Array]:
    if not isinstance(eval_set, tuple | list) or len(eval_set) != 2:
        raise ValueError(
            f"eval_set must be a pair (X_test, y_test), but got {type(eval_set).__name__}; pass the two together."
        )
    X_test = check_rows(estimator, eval_set[0], reset=False)
    y_test = check_labels(eval_set[1], X_test.shape[0])
    check_kind(estimator.classes_, y_test)
    if (layout == "columns") != hasattr(X_test, "indptr"):
        raise ValueError(
            "The rows of eval_set must be sparse where X is sparse and dense where X is dense, but they "
            "differ; convert one of them."
        )
    classes = estimator.classes_
    places = np.searchsorted(classes, y_test).clip(max=len(classes) - 1)
    return X_test, np.where(classes[places] == y_test, places, -1).astype(code_dtype(len(classes)))


def start_from(
    estimator: LinearClassifier, state: HalfSpaces, earlier: HalfSpaces, earlier_classes: Array | None
) -> None:
    """Warm start: the last weights of the earlier fit, with every counter at zero."""
    same = earlier_classes is not None and np.array_equal(earlier_classes, estimator.classes_)
    if not same or earlier.n_features != state.n_features:
        raise ValueError(
            "warm_start=True needs the classes and the number of features of the earlier fit, but they have "
            "changed; set warm_start=False to start afresh."
        )
    coefficients, bias = earlier.last()
    state.set_weights(coefficients[: state.count], bias[: state.count])


def _warn(estimator: LinearClassifier, trace: Trace, n_rows: int, *, level: int = 4) -> None:
    name, epochs = type(estimator).__name__, len(trace)
    if trace.stop_reason == "diverged":
        text = (
            f"{name} diverged in epoch {epochs}: the weights grew beyond the range of {estimator._state.dtype}; the "
            f"last finite ones are kept. Scale the features (StandardScaler), or lower the learning rate."
        )
    elif trace.stop_reason == "interrupted":
        text = f"{name} was interrupted in epoch {epochs}; the weights learned so far are kept and can be used."
    elif trace.stop_reason == "max_iter" and trace.epochs[-1].mistakes and not trace["updates"].any():
        text = (
            f"{name} learned nothing in {epochs} epochs: it met mistakes, but every step was 0. If the numbers are "
            f"very large or very small, scale the features (StandardScaler); if the rule is your own, let it return "
            f"a step above 0 for a margin of 0."
        )
    elif trace.stop_reason == "max_iter" and estimator.answer == "last" and trace.epochs[-1].mistakes:
        text = (
            f"{name} stopped at max_iter={epochs}; its last epoch made {trace.epochs[-1].mistakes:,} mistakes on "
            f"{n_rows:,} rows. If the rows are separable, raise max_iter; if not, no number of epochs is enough: use "
            f"answer='auto' or 'averaged'."
        )
    else:
        return
    warnings.warn(text, ConvergenceWarning, stacklevel=level)
