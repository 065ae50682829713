"""What learners that minimise a loss do between their checked input and their weights: a solver, watched and noted."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from rosenblatt.arguments import as_float, shortened
from rosenblatt.engine.online.state import Array
from rosenblatt.estimators.missing import MissingFunction
from rosenblatt.estimators.validation import check_choice, check_flags, check_positive
from rosenblatt.progress import reporter
from rosenblatt.seeds import check_seed, random_state_of
from rosenblatt.trace import Epoch, Trace

STEPWISE = ("sgd", "batch", "svrg")
ONLINE_LAM = 1e-4  # of lam=None where the number of examples is not known
SCHEDULES = ("constant", "1/t", "1/sqrt(t)", "step")


def default_lam(lam: float | None, total: float) -> float:
    """lam, or 1/(2 · sum of the sample weights): the penalty then counts as much as one row, scikit-learn's C = 1."""
    return 1.0 / (2.0 * total) if lam is None else float(lam)


def check_not_negative(name: str, value: Any, why: str) -> None:
    """A finite number of at least 0."""
    if not 0 <= as_float(value) < np.inf:
        raise ValueError(f"{name} must be a finite number of at least 0, but got {shortened(value)}; {why}.")


def check_descent(estimator: Any) -> None:
    """The parameters that stepwise solvers share."""
    check_positive("max_iter", estimator.max_iter, "it limits the number of passes", whole=True)
    check_flags(estimator)
    check_seed(estimator.random_state)
    check_positive("time_limit", estimator.time_limit, "it is in seconds; use None for no limit", none=True)
    check_positive("learning_rate", estimator.learning_rate, "use None for a safe one", none=True)
    check_positive("batch_size", estimator.batch_size, "it is the number of rows in a step", whole=True)
    check_positive("patience", estimator.patience, "it is a number of epochs; use None to go on", whole=True, none=True)
    check_not_negative("tol", estimator.tol, "0 never stops early")
    if isinstance(estimator.schedule, MissingFunction):
        estimator.schedule.refuse("schedule")
    if not callable(estimator.schedule):
        check_choice("schedule", estimator.schedule, SCHEDULES)
        return
    for t in (1, 2, 1000):
        try:
            rate = float(estimator.schedule(t))
        except Exception as error:
            raise ValueError(
                f"schedule must be a function of the step t that returns a learning rate, but for t={t} it raised "
                f"{type(error).__name__} ({error}); write it like lambda t: 1 / t."
            ) from error
        if not 0 < rate < np.inf:
            raise ValueError(
                f"schedule must return finite rates above 0, but for t={t} it returned {rate:g}; write it like "
                f"lambda t: 1 / t."
            )


def seed_of(estimator: Any) -> int:
    return int(random_state_of(estimator.random_state).randint(2**31 - 1))


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
    give_up: Callable[[dict[str, Any]], str] = lambda figures: "",
) -> tuple[Array, Trace]:
    """(weights, trace) of the estimator's solver on an objective, from `start`.

    `tested` is the objective over the rows of an eval_set, and what counts errors in their scores. `give_up` may end
    the run with a reason.
    """
    from rosenblatt.engine.gradient import descent as gradient
    from rosenblatt.engine.gradient import lbfgs as quasi_newton
    from rosenblatt.engine.gradient import newton
    from rosenblatt.engine.online.stopping import Watch, interrupt_flag

    solver = estimator.solver if solver is None else solver
    patience = estimator.patience
    if patience is not None and tested is None:
        raise ValueError(
            f"patience={patience} needs rows to judge by, but there is no eval_set; pass eval_set=(X_test, y_test) to "
            f"fit, or patience=None."
        )
    if patience is not None and solver not in STEPWISE:
        raise ValueError(
            f"patience={patience} is for the solvers {', '.join(STEPWISE)}, but solver is {solver!r}; choose one of "
            f"them, or patience=None."
        )
    trace, show = Trace(), reporter(estimator.verbose, type(estimator).__name__, estimator.max_iter)
    best: dict[str, Any] = {"loss": np.inf, "weights": None, "epoch": 0}
    clock = time.perf_counter()

    def note(figures: dict[str, Any]) -> object:
        row = Epoch(**figures)
        trace.epochs.append(row)
        show.epoch(row)
        return on_epoch(row) if on_epoch is not None else None

    watch = Watch(time_limit=estimator.time_limit, on_epoch=note)

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
        told = watch.after_epoch(row, objective.n) or watch.within_epoch(0.0) or give_up(figures)
        if not told and patience is not None and row["epoch"] - best["epoch"] >= patience:
            return "no_improvement"
        return told

    with show, interrupt_flag() as watch.interrupted:
        watch.started = time.perf_counter()
        if solver in STEPWISE:
            rate = estimator.learning_rate
            if rate is None:
                rate = gradient.safe_batch_rate(objective) if solver == "batch" else gradient.safe_rate(objective)
            descent = gradient.Descent(
                objective, start, float(rate), estimator.schedule,
                objective.n if solver == "batch" else int(estimator.batch_size), solver == "svrg",
                seed_of(estimator) if estimator.shuffle else None, estimator.shuffle == "replacement",
            )  # fmt: skip
            reason = gradient.descend(
                descent,
                max_iter=int(estimator.max_iter),
                tol=estimator.tol or None,
                after_epoch=after,
                n_iter_no_change=int(getattr(estimator, "n_iter_no_change", gradient.WAIT)),
            )
            weights = descent.weights
        elif solver == "newton":
            weights, reason = newton.minimise(
                objective, start, tol=float(estimator.tol), max_iter=int(estimator.max_iter), seed=seed_of(estimator),
                after_step=after,
            )  # fmt: skip
        else:
            weights, reason = quasi_newton.minimise(
                objective, start, tol=float(estimator.tol), max_iter=int(estimator.max_iter), l1=solver == "l1",
                after_step=after,
            )  # fmt: skip
        trace.stop_reason = reason
        show.finish(trace)
    if patience is not None and best["weights"] is not None:
        weights = best["weights"]
        estimator.best_iter_ = best["epoch"]
    if not len(trace):  # it began at the minimum
        scores = objective.scores(weights)
        value = objective.value(weights, scores)[0]
        trace.epochs.append(Epoch(1, 0, mistakes(scores), float(np.linalg.norm(weights)), 0.0, loss=value))
    return weights, trace


def warn(estimator: Any, trace: Trace, *, separated: bool = False, level: int = 5) -> None:
    """One sentence about a run that did not come to its end, and what to do."""
    name, reason = type(estimator).__name__, trace.stop_reason
    text = {
        "max_iter": f"{name} stopped at max_iter={estimator.max_iter} before it converged; raise max_iter or tol, or "
        f"scale the features (StandardScaler).",
        "interrupted": f"{name} was interrupted; the weights learned so far are kept and can be used.",
        "diverged": f"{name} diverged after {len(trace)} finite epochs: its loss grew instead of falling; the best "
        f"finite weights are kept. Lower learning_rate, or scale the features (StandardScaler).",
        "no_improvement": f"{name} found no way further down after {len(trace)} steps, but its gradient is not yet "
        f"within tol={estimator.tol:g}; scale the features (StandardScaler), or raise tol.",
    }.get(reason)
    if reason == "no_improvement" and estimator.patience is not None:  # that is what patience is for
        text = None
    if separated:
        text = (
            f"{name} has no prior (lam=0) and the rows can be separated, so that its weights grow without bound: there "
            f"is no best answer; set lam above 0. The weights reached so far are kept."
        )
    if text is not None:
        warnings.warn(text, ConvergenceWarning, stacklevel=level)
