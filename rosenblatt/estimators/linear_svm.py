"""The linear support vector machine, with a proven duality gap."""

from __future__ import annotations

import time
import warnings
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.exceptions import ConvergenceWarning

from rosenblatt.engine.layouts.rows import rows_of
from rosenblatt.engine.online.state import BIAS, MARK, SEEN, Array, HalfSpaces
from rosenblatt.estimators import training
from rosenblatt.estimators.linear import LinearClassifier
from rosenblatt.estimators.validation import check_choice, check_finite, check_positive
from rosenblatt.models.linear import product
from rosenblatt.progress import reporter
from rosenblatt.rules import RULES, Rule
from rosenblatt.seeds import random_state_of
from rosenblatt.stored import array, kinds, maybe, number, optional, row_of
from rosenblatt.trace import Epoch, Trace

FAR = 1e12  # no count of examples begins beyond it


class LinearSVM(LinearClassifier):
    """The linear support vector machine (lecture row L13).

    Minimises, for every class against the rest,

        lam ‖w‖² + mean of max(0, 1 - y (w·x + b))          ("squared_hinge": its square)

    by dual coordinate descent, all classes in one pass over the rows. It stops when the duality gap proves that the
    objective is within `tol` of the least possible, as a fraction of it.

    Parameters
    ----------
    lam : float
        The weight of ‖w‖². scikit-learn's C is 1/(2 lam n_samples).
    loss : {"hinge", "squared_hinge"}
        What a row that is too close or on the wrong side costs.
    solver : {"dual", "pegasos"}
        Dual coordinate descent, with a proof; or Pegasos, stochastic steps 1/(2 lam t) on the objective itself,
        `max_iter` epochs of them, without one (hinge only). Its t begins at (mean ‖x‖² + 1)/(2 lam).
    regularize_intercept : bool
        Whether the penalty is lam (‖w‖² + b²), as in LIBLINEAR, or leaves b free, as in the lecture.
    tol : float
        The duality gap that ends the run, relative to the objective of each half-space.
    max_iter : int
        The limit on passes.
    answer : {"last", "averaged"}
        With Pegasos: the last weights, or the mean of the weights after each example. The dual solver has one answer.
    time_limit, shuffle, fit_intercept, class_weight, warm_start, random_state, n_jobs, verbose
        As in `Perceptron`.

    Attributes
    ----------
    classes_, coef_, intercept_, n_features_in_, n_iter_, trace_, stop_reason_
        As in `Perceptron`.
    objective_ : float
        What is minimised, at the weights of this fit; with several classes the sum over the half-spaces.
    duality_gap_ : float
        `objective_` is at most this far above the least possible. Computed in float64, for the weights as they are.
    support_ : array of int
        The rows that matter: those with a dual variable above 0.
    dual_coef_ : array of shape (n_half_spaces, n_support)
        coef_ = dual_coef_ @ X[support_].

    Examples
    --------
    >>> from rosenblatt import LinearSVM
    >>> X, y = [[0.0], [1.0], [3.0], [4.0]], ["low", "low", "high", "high"]
    >>> model = LinearSVM(lam=1e-3, tol=1e-6).fit(X, y)
    >>> model.coef_.round(3).tolist(), model.intercept_.round(3).tolist(), model.support_.tolist()
    ([[-1.0]], [2.0], [1, 2])

    References
    ----------
    C.-J. Hsieh, K.-W. Chang, C.-J. Lin, S. S. Keerthi, S. Sundararajan (2008). A dual coordinate descent method for
    large-scale linear SVM. ICML.
    S. Shalev-Shwartz, Y. Singer, N. Srebro, A. Cotter (2011). Pegasos. Mathematical Programming 127(1).
    """

    multi_class = "ovr"
    pocket_check = "run"
    hash_features = None

    _stored = kinds({
        **LinearClassifier._stored,
        "duality_gap_": maybe(number), "support_": maybe(array("i", "support")),
        "dual_coef_": maybe(array("f", "half_spaces", "support")),
        "_dual": maybe(optional(
            row_of(array("f", "rows", "half_spaces"), array("f", "rows"), array("f", "half_spaces")))),
    })  # fmt: skip

    def __init__(
        self,
        lam: float = 1e-4,
        loss: str = "hinge",
        solver: str = "dual",
        regularize_intercept: bool = False,
        tol: float = 1e-4,
        max_iter: int = 1000,
        answer: str = "last",
        time_limit: float | None = None,
        shuffle: bool = True,
        fit_intercept: bool = True,
        class_weight: Any = None,
        warm_start: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.lam = lam
        self.loss = loss
        self.solver = solver
        self.regularize_intercept = regularize_intercept
        self.tol = tol
        self.max_iter = max_iter
        self.answer = answer
        self.time_limit = time_limit
        self.shuffle = shuffle
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _shrinks_intercept(self) -> bool:
        return bool(self.regularize_intercept)

    def _learning_rule(self) -> tuple[Rule, tuple[float, ...]]:
        return RULES["pegasos"], (float(self.lam),)

    def _check_parameters(self) -> None:
        check_positive("lam", self.lam, "it weighs ‖w‖²; without it the dual problem has no bounds")
        check_choice("loss", self.loss, ("hinge", "squared_hinge"))
        check_choice("solver", self.solver, ("dual", "pegasos"))
        check_choice("answer", self.answer, ("last", "averaged"))
        check_positive("tol", self.tol, "it is the duality gap that ends the run, relative to the objective")
        if self.solver == "pegasos" and self.loss != "hinge":
            raise ValueError(
                f"solver='pegasos' needs loss='hinge', but got {self.loss!r}; use solver='dual' for the squared hinge."
            )
        if self.solver == "dual" and self.answer != "last":
            raise ValueError(
                f"answer must be 'last' with solver='dual', which has one answer, but got {self.answer!r}; use "
                f"solver='pegasos' for averaged weights."
            )
        super()._check_parameters()

    def _train(
        self, task: Any, state: HalfSpaces, X: Any, eval_set: Any, on_epoch: Any, recorded: tuple[str, ...]
    ) -> None:
        if self.solver == "pegasos":
            # A free intercept is never shrunk: the huge first steps of 1/(2 lam t) would throw it far off. So the
            # count begins where a step is as long as a typical row allows.
            square = float(X.multiply(X).sum() if issparse(X) else np.einsum("ij,ij->", X, X, dtype=np.float64))
            start = np.ceil((min(square / X.shape[0], FAR) + 1.0) / (2.0 * self.lam))
            state.ledger[: state.count, [SEEN, MARK]] = start
            tol, self.tol = self.tol, None  # the gap is not known here
            try:
                training.run(self, task, state, X, eval_set, on_epoch, recorded)
            finally:
                self.tol = tol
            for name in ("duality_gap_", "support_", "dual_coef_"):
                self.__dict__.pop(name, None)
            self.objective_ = self._objective(task, state, X)
            return
        self._solve_dual(task, state, X, eval_set, on_epoch, recorded)

    def _objective(self, task: Any, state: HalfSpaces, X: Any) -> float:
        """lam ‖w‖² + mean hinge, added up over the half-spaces, for the weights that answer."""
        coef, bias = state.last() if self.answer == "last" else state.averaged()
        weights = task.sample_weight if len(task.sample_weight) else np.ones(task.n_rows)
        signs = np.where(task.codes[:, None] == task.positive[None, :], 1.0, -1.0)
        short = np.maximum(0.0, 1.0 - signs * (product(X, coef) + bias))
        squares = float(np.vdot(coef, coef)) + (float(np.vdot(bias, bias)) if self.regularize_intercept else 0.0)
        return float(self.lam) * squares + float(weights @ short.sum(axis=1)) / float(weights.sum())

    def _solve_dual(
        self, task: Any, state: HalfSpaces, X: Any, eval_set: Any, on_epoch: Any, recorded: tuple[str, ...]
    ) -> None:
        from rosenblatt.engine.online.stopping import Watch, interrupt_flag
        from rosenblatt.engine.svm.dual import Machine
        from rosenblatt.engine.svm.epochs import solve
        from rosenblatt.engine.svm.loops import BIAS_SUM, CENTRE, MISTAKES, STEPS

        if task.layout == "columns" and not X.has_canonical_format:  # a coordinate's step needs true squared norms
            task.rows = rows_of(X, squared_norms=True)[1]
        weights = task.sample_weight if len(task.sample_weight) else np.ones(task.n_rows)
        costs = weights / (2.0 * float(self.lam) * weights.sum())
        intercept = "none" if not self.fit_intercept else "regularized" if self.regularize_intercept else "free"
        alpha, bias = self._earlier_dual(costs, task)
        places = {int(code): k for k, code in enumerate(task.positive)}

        def make(positive: Array, like: Machine | None = None) -> Machine:
            own = [places[int(code)] for code in positive]
            return Machine(
                task.rows, task.layout, state.n_features, state.dtype, task.codes, positive, costs,
                squared=self.loss == "squared_hinge", intercept=intercept,
                n_jobs=task.n_jobs if len(positive) > 1 else 1,
                alpha=None if alpha is None else np.ascontiguousarray(alpha[:, own]),
                bias=None if bias is None else bias[own],
                like=like,
            )  # fmt: skip

        watched = eval_set is not None or on_epoch is not None or bool(recorded) or bool(self.verbose)
        if task.layout == "columns" and len(task.positive) > 1 and not watched:
            self._solve_apart(task, state, X, make, costs)
            return
        machine = make(task.positive)
        measure = training.measures_of(self, task, machine.state, eval_set, recorded)
        scale = 2.0 * float(self.lam)
        seed = int(random_state_of(self.random_state).randint(2**31 - 1)) if self.shuffle else None
        trace, show = Trace(), reporter(self.verbose, type(self).__name__, self.max_iter)
        clock = time.perf_counter()

        def note(figures: dict[str, Any]) -> object:
            row = Epoch(**figures)
            trace.epochs.append(row)
            show.epoch(row)
            return on_epoch(row) if on_epoch is not None else None

        watch = Watch(time_limit=self.time_limit, on_epoch=note, on_progress=show.progress if self.verbose else None)

        def after_pass(told: dict[str, Any]) -> str:
            nonlocal clock
            now = time.perf_counter()
            notes = machine.notes
            machine.state.ledger[: machine.count, BIAS] = (
                machine.bias if told["proved"] else notes[:, CENTRE] + machine.pull * notes[:, BIAS_SUM]
            )
            figures: dict[str, Any] = {
                "epoch": told["epoch"],
                "updates": int(notes[:, STEPS].sum()),
                "mistakes": int(notes[:, MISTAKES].sum()),
                "norm": machine.norm(),
                "seconds": now - clock,
                "loss": scale * float(machine.primal.sum()) if told["proved"] else None,
                "gap": scale * float(machine.gap.sum()) if told["proved"] else None,
                **({} if measure is None else measure()),
            }
            clock = now
            return watch.after_epoch(figures, task.n_rows) or watch.within_epoch(0.0)

        try:
            with show, interrupt_flag() as watch.interrupted:
                reason = solve(
                    machine, tol=float(self.tol or 0.0), max_iter=int(self.max_iter), seed=seed, after_pass=after_pass
                )
                trace.stop_reason = reason
                show.finish(trace)
        finally:
            machine.close()
        self._keep([machine], task, state, X, trace, costs)

    def _solve_apart(self, task: Any, state: HalfSpaces, X: Any, make: Any, costs: Array) -> None:
        from rosenblatt.engine.online.stopping import Watch, interrupt_flag
        from rosenblatt.engine.svm.epochs import solve_apart

        seed = int(random_state_of(self.random_state).randint(2**31 - 1)) if self.shuffle else None
        watch, clock = Watch(time_limit=self.time_limit), time.perf_counter()
        with interrupt_flag() as watch.interrupted:
            machines, reason, passes = solve_apart(
                make, task.positive, tol=float(self.tol or 0.0), max_iter=int(self.max_iter), seed=seed,
                threads=task.n_jobs, asked=lambda: watch.within_epoch(0.0),
            )  # fmt: skip
        each = (time.perf_counter() - clock) / max(1, len(passes))
        norm = float(
            np.sqrt(sum(np.einsum("kj,kj->", one.coef, one.coef) + np.vdot(one.bias, one.bias) for one in machines))
        )
        rows = [Epoch(n + 1, steps, mistakes, norm, each) for n, (steps, mistakes) in enumerate(passes)]
        trace = Trace(rows, reason)
        scale = 2.0 * float(self.lam)
        last = trace.epochs[-1]
        trace.epochs[-1] = replace(
            last,
            loss=scale * float(sum(one.primal.sum() for one in machines)),
            gap=scale * float(sum(one.gap.sum() for one in machines)),
        )
        self._keep(machines, task, state, X, trace, costs)

    def _keep(self, machines: list[Any], task: Any, state: HalfSpaces, X: Any, trace: Trace, costs: Array) -> None:
        """Have the result of one machine for all half-spaces, or of one for each."""
        primal, gap = (np.concatenate([getattr(one, name) for one in machines]) for name in ("primal", "gap"))
        coef, bias = (np.concatenate([getattr(one, name) for one in machines]) for name in ("coef", "bias"))
        alpha = np.hstack([one.alpha for one in machines])
        scale, reason = 2.0 * float(self.lam), trace.stop_reason
        if reason == "diverged" or not np.isfinite(primal).all():
            check_finite(self, X)
        early = np.isfinite(primal) & (primal > costs.sum()) & (reason != "diverged")
        for k in np.flatnonzero(early):  # worse than no weights at all: the run ended too early
            share, better = self._shortened(coef[k], float(bias[k]), task, int(k), X, costs)
            coef[k], bias[k], alpha[:, k] = share * coef[k], share * bias[k], share * alpha[:, k]
            gap[k] += better - primal[k]  # what the dual variables prove is still proven
            primal[k] = better
        training.keep(self, state, trace, coef, bias, len(task.kept))
        typical = min(machines[0].typical_square(), FAR)
        state.ledger[: state.count, SEEN] = max(task.n_rows, np.ceil((typical + 1.0) / scale))
        self.objective_ = scale * float(primal.sum())
        self.duality_gap_ = scale * float(gap.sum())
        self.support_ = np.flatnonzero(alpha.any(axis=1))
        signs = np.where(task.codes[self.support_, None] == task.positive[None, :], 1.0, -1.0)
        self.dual_coef_ = np.ascontiguousarray((alpha[self.support_] * signs).T)
        self._dual = (alpha, costs, bias) if self.warm_start else None
        self._warn(reason, len(machines) > 1)

    def _shortened(self, coef: Array, bias: float, task: Any, k: int, X: Any, costs: Array) -> tuple[float, float]:
        """(t, objective) of the best t (w, b) with t between 0 and 1; 0 is no weights."""
        signs = np.where(task.codes == task.positive[k], 1.0, -1.0)
        margins = signs * (product(X, coef[None, :])[:, 0] + bias)
        square = float(np.vdot(coef, coef)) + (bias**2 if self.regularize_intercept else 0.0)

        def objective(t: float) -> float:
            short = np.maximum(0.0, 1.0 - t * margins)
            return 0.5 * t * t * square + float(costs @ (short if self.loss == "hinge" else short * short))

        low, high = 0.0, 1.0
        for _ in range(60):  # convex in t
            first, second = low + (high - low) / 3, high - (high - low) / 3
            low, high = (low, second) if objective(first) <= objective(second) else (first, high)
        best = min((0.0, low, high), key=objective)
        return best, objective(best)

    def _earlier_dual(self, costs: Array, task: Any) -> tuple[Array | None, Array | None]:
        """Where a warm start begins: the dual variables of the earlier fit, at the costs of this one."""
        kept = vars(self).get("_dual") if self.warm_start else None
        if kept is None or kept[0].shape != (task.n_rows, len(task.positive)):
            return None, None
        alpha, earlier, bias = kept
        ratio = np.divide(costs, earlier, out=np.zeros_like(costs), where=earlier > 0.0)
        return alpha * ratio[:, None], bias

    def _warn(self, reason: str, apart: bool) -> None:
        if reason == "converged":
            return
        proved = f"the objective is {self.objective_:.6g} and at most {self.duality_gap_:.2g} above the least possible"
        text = {
            "max_iter": f"LinearSVM stopped at max_iter={self.max_iter}: {proved}. Raise max_iter or tol, scale the "
            f"features (StandardScaler), or raise lam.",
            "interrupted": f"LinearSVM was interrupted; {proved}.",
            "diverged": "LinearSVM met numbers beyond the range of its floats; scale the features (StandardScaler).",
        }.get(reason)
        if text is not None:
            warnings.warn(text, ConvergenceWarning, stacklevel=6 + apart)
