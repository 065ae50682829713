"""What learners that minimise a loss do between their checked input and their weights: a solver runs and is watched."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from rosenblatt.arguments import check_not_negative
from rosenblatt.engine.online.state import Array
from rosenblatt.estimators.gradient_descent import check_solver, held_out, held_out_fraction, steps_of
from rosenblatt.estimators.running import running, seed_of
from rosenblatt.estimators.validation import check_parameters
from rosenblatt.trace import Epoch, Trace

if TYPE_CHECKING:
    from rosenblatt.engine.online.task import Task

ONLINE_LAM = 1e-4  # of lam=None where the number of examples is not known


def default_lam(lam: float | None, total: float) -> float:
    """lam, or 1/(2 · sum of the sample weights): the penalty then counts as much as one row, scikit-learn's C = 1."""
    return 1.0 / (2.0 * total) if lam is None else float(lam)


def check_solved(estimator: Any, what: str, *others: str, none: bool = False) -> None:
    """The parameters of a learner that minimises a loss; `what` a lam of 0 means, `others` are solvers of its own."""
    if estimator.lam is not None or not none:
        check_not_negative("lam", estimator.lam, what)
    check_solver(estimator.solver, *others)
    check_not_negative("tol", estimator.tol, "0 never stops early")
    check_parameters(estimator)


def objectives_of(
    estimator: Any, task: Task, X: Any, eval_set: Any, objective_over: Callable[[Any, Array, Array], Any], random: Any
) -> tuple[Any, Array, tuple[Any, Callable[[Array], float]] | None]:
    """(objective, the codes of its rows, what is measured after every epoch) of a classifier.

    Codes are -1 where the sample weight is 0. Measured are the rows that are held out or, where none are, the eval_set:
    their objective, and what counts errors in their scores.
    """
    codes, weights = task.codes, task.sample_weight
    tested = None
    if eval_set is not None:
        X_test, labels = estimator._eval_set(eval_set, X)
        known = labels >= 0
        tested = objective_over(X_test[known], labels[known], np.empty(0)), lambda s: error_rate(s, labels[known])
    fraction = held_out_fraction(estimator.solver)
    if fraction is not None:
        held, kept = held_out(task.kept, codes[task.kept], fraction, random)
        watched = codes[held]
        tested = (
            objective_over(X[held], watched, weights[held] if len(weights) else weights),
            lambda scores: error_rate(scores, watched),
        )
        X, codes, weights = X[kept], codes[kept], weights[kept] if len(weights) else weights
    objective = objective_over(X, codes, weights)
    return objective, np.where(weights > 0, codes, -1) if len(weights) else codes, tested


def count_mistakes(scores: Array, codes: Array) -> int:
    """Rows whose true class is not strictly the best; codes of -1 are not counted."""
    if scores.shape[1] == 1:
        return int((np.where(codes == 1, scores[:, 0], -scores[:, 0])[codes >= 0] <= 0.0).sum())
    used = codes >= 0
    scores, codes = scores[used], codes[used]
    true = scores[np.arange(len(codes)), codes]
    others = scores.copy()
    others[np.arange(len(codes)), codes] = -np.inf
    return int((others.max(axis=1, initial=-np.inf) >= true).sum())


def error_rate(scores: Array, codes: Array) -> float:
    """The fraction of rows answered wrongly."""
    answers = (scores[:, 0] >= 0.0).astype(int) if scores.shape[1] == 1 else scores.argmax(axis=1)
    return float(np.mean(answers != codes))


@np.errstate(over="ignore", invalid="ignore")  # a run that leaves the range of floats is told as such
def minimise(
    estimator: Any,
    objective: Any,
    start: Array,
    *,
    mistakes: Callable[[Array], int],
    tested: tuple[Any, Callable[[Array], float] | None] | None = None,
    on_epoch: Callable[[Epoch], object] | None = None,
    solver: str | None = None,
    descent_type: Callable[..., Any] | None = None,
    unit: Array | float = 1.0,
    give_up: Callable[[dict[str, Any]], str] = lambda figures: "",
) -> tuple[Array, Trace]:
    """(weights, trace) of the estimator's solver on an objective, from `start`.

    `tested` is the objective over the rows of an eval_set, and what counts errors in their scores. `descent_type` makes
    the epochs of gradient descent, `unit` the units of L-BFGS. `give_up` may end the run with a reason.
    """
    from rosenblatt.engine.gradient import descent as gradient
    from rosenblatt.engine.gradient import lbfgs as quasi_newton
    from rosenblatt.engine.gradient import newton
    from rosenblatt.engine.online.stopping import interrupt_flag

    solver = estimator.solver if solver is None else solver
    steps = steps_of(solver)
    patience = int(steps.n_iter_no_change) if steps is not None and steps.validation_fraction is not None else None
    best: dict[str, Any] = {"loss": np.inf, "weights": None, "epoch": 0}
    clock, seed = time.perf_counter(), seed_of(estimator)
    assert seed is not None

    def after(figures: dict[str, Any]) -> str:
        nonlocal clock
        now = time.perf_counter()
        row = {
            "epoch": figures["epoch"],
            "updates": int(figures.get("updates", 1)),
            "mistakes": mistakes(figures["scores"]),
            "norm": float(np.linalg.norm(figures["weights"])),
            "seconds": now - clock,
            "loss": float(figures["loss"]),
        }
        if tested is not None:
            other, count = tested
            scores = other.scores(figures["weights"])
            row["test_loss"] = other.slopes(scores)[0]
            if count is not None:
                row["test_error"] = count(scores)
            if row["test_loss"] < best["loss"]:
                best.update(loss=row["test_loss"], weights=figures["weights"].copy(), epoch=row["epoch"])
        clock = now
        told = run.watch.after_epoch(row, objective.n) or run.watch.within_epoch(0.0) or give_up(figures)
        if not told and patience is not None and row["epoch"] - best["epoch"] >= patience:
            return "no_improvement"
        return told

    with running(estimator, on_epoch) as run, interrupt_flag() as run.watch.interrupted:
        if steps is not None:
            descent = (descent_type or gradient.Descent)(
                objective, start, steps.learning_rate, steps.schedule, steps.batch_size,
                bool(steps.variance_reduction), seed if steps.shuffle else None, steps.shuffle == "replacement",
            )  # fmt: skip
            reason = gradient.descend(
                descent, max_iter=int(estimator.max_iter), tol=estimator.tol or None, after_epoch=after,
                n_iter_no_change=int(steps.n_iter_no_change),
            )  # fmt: skip
            weights = descent.weights
        elif solver == "newton":
            weights, reason = newton.minimise(
                objective, start, tol=float(estimator.tol), max_iter=int(estimator.max_iter), seed=seed,
                after_step=after,
            )  # fmt: skip
        else:
            weights, reason = quasi_newton.minimise(
                objective, start, tol=float(estimator.tol), max_iter=int(estimator.max_iter), l1=solver == "l1",
                unit=unit, after_step=after,
            )  # fmt: skip
        run.trace.stop_reason = reason
    if patience is not None and best["weights"] is not None:
        weights = best["weights"]
        estimator.best_iter_ = best["epoch"]
    if not len(run.trace):  # it began at the minimum
        scores = objective.scores(weights)
        value = objective.value(weights, scores)[0]
        run.trace.epochs.append(Epoch(1, 0, mistakes(scores), float(np.linalg.norm(weights)), 0.0, loss=value))
    return weights, run.trace


def warn(estimator: Any, trace: Trace, *, separated: bool = False, note: str = "", level: int = 5) -> None:
    """About a run that did not come to its end, and what to do; `note` is what is known of its result."""
    name, reason = type(estimator).__name__, trace.stop_reason
    text = {
        "max_iter": f"{name} stopped at max_iter={estimator.max_iter} before it converged; raise max_iter or tol, or "
        f"scale the features (StandardScaler).",
        "interrupted": f"{name} was interrupted; the weights learned so far are kept and can be used.",
        "diverged": f"{name} diverged after {len(trace)} finite epochs: its loss grew, or went beyond the range "
        f"of floats; the best finite weights are kept. Lower learning_rate, or scale the features (StandardScaler).",
        "no_improvement": f"{name} found no way further down after {len(trace)} steps, but its gradient is not yet "
        f"within tol={estimator.tol:g}; scale the features (StandardScaler), or raise tol.",
    }.get(reason)
    if reason == "no_improvement" and held_out_fraction(estimator.solver) is not None:  # as asked for
        text = None
    if separated:
        text = (
            f"{name} has no prior (lam=0) and the rows can be separated, so that its weights grow without bound: there "
            f"is no best answer; set lam above 0. The weights reached so far are kept."
        )
    if text is not None:
        warnings.warn(text + note, ConvergenceWarning, stacklevel=level)
