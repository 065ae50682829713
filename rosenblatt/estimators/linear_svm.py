"""The linear support vector machine, with a proven duality gap."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from rosenblatt.arguments import check_choice, check_positive
from rosenblatt.engine.layouts.rows import rows_of
from rosenblatt.engine.online.state import Array, HalfSpaces
from rosenblatt.engine.threads import thread_count
from rosenblatt.estimators.linear import LinearClassifier
from rosenblatt.estimators.minimising import ONLINE_LAM, default_lam, warn
from rosenblatt.estimators.running import running, seed_of
from rosenblatt.estimators.validation import check_finite
from rosenblatt.rules import RULES, Rule
from rosenblatt.stored import array, kinds, maybe, number, optional, row_of


@dataclass(eq=False, repr=False, kw_only=True)
class LinearSVM(LinearClassifier):
    """The linear support vector machine (lecture row L13).

    Minimises, for every class against the rest,

        lam ‖w‖² + mean of max(0, 1 - y (w·x + b))          ("squared_hinge": its square)

    by dual coordinate descent, and where that is slow, as on columns of very different scale, by Newton's method. It
    stops when the duality gap proves that the objective is within `tol` of the least possible, as a fraction of it.
    `partial_fit` and `learn_one` take a step per example on the same objective, with the hinge (Pegasos).

    Parameters
    ----------
    lam : float or None
        The weight of ‖w‖². None is 1/(2 n_samples), which is C = 1 in scikit-learn: its C is 1/(2 lam n_samples).
        Online, where the number of examples is not known, None is 1e-4.
    loss : {"hinge", "squared_hinge"}
        What a row that is too close or on the wrong side costs.
    regularize_intercept : bool
        Whether the penalty is lam (‖w‖² + b²), as in LIBLINEAR, or leaves b free, as in the lecture.
    tol : float
        How far the objective of each half-space may be above the least possible, as a fraction of it.
    max_iter : int
        The limit on passes.
    time_limit, shuffle, fit_intercept, class_weight, warm_start, random_state, n_jobs, verbose
        As in `Perceptron`. Classes are spread over `n_jobs` threads; the result is the same for any number.

    Attributes
    ----------
    classes_, coef_, intercept_, n_features_in_, n_iter_, trace_, stop_reason_
        As in `Perceptron`.
    lam_ : float
        The weight of ‖w‖² that was used.
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
    Y. Yan, Q. Li (2020). An efficient augmented Lagrangian method for support vector machine. Optimization Methods and
    Software 35(4).
    S. Shalev-Shwartz, Y. Singer, N. Srebro, A. Cotter (2011). Pegasos. Mathematical Programming 127(1).
    """

    _stored = kinds({
        **LinearClassifier._stored,
        "lam_": maybe(number), "duality_gap_": maybe(number), "support_": maybe(array("i", "support")),
        "dual_coef_": maybe(array("f", "half_spaces", "support")),
        "_dual": maybe(optional(
            row_of(array("f", "half_spaces", "rows"), array("f", "rows"), array("f", "half_spaces")))),
    })  # fmt: skip

    lam: float | None = None
    loss: str = "hinge"
    regularize_intercept: bool = False
    tol: float = 1e-4
    max_iter: int = 1000
    time_limit: float | None = None
    shuffle: bool = True
    fit_intercept: bool = True
    class_weight: Any = None
    warm_start: bool = False
    random_state: Any = None
    n_jobs: int | None = None
    verbose: int = 0

    def _learning_rule(self) -> tuple[Rule, tuple[float, ...]]:
        return RULES["pegasos"], (ONLINE_LAM if self.lam is None else float(self.lam),)

    def _check_parameters(self) -> None:
        check_positive("lam", self.lam, "it weighs ‖w‖²; use None for 1/(2 n_samples)", none=True)
        check_choice("loss", self.loss, ("hinge", "squared_hinge"))
        check_positive("tol", self.tol, "it is the duality gap that ends the run, relative to the objective")
        super()._check_parameters()

    def _train(
        self, task: Any, state: HalfSpaces, X: Any, eval_set: Any, on_epoch: Any, recorded: tuple[str, ...]
    ) -> None:
        from rosenblatt.engine.online.stopping import interrupt_flag
        from rosenblatt.engine.svm.dual import Machine, Problem
        from rosenblatt.engine.svm.epochs import solve
        from rosenblatt.engine.svm.loops import MISTAKES, SQUARE, STEPS

        if task.layout == "columns" and not X.has_canonical_format:  # a coordinate step needs true squared norms
            X = X.copy()
            X.sum_duplicates()
            task.rows = rows_of(X, squared_norms=True)[1]
        check_finite(self, X)
        weights = task.sample_weight if len(task.sample_weight) else np.ones(task.n_rows)
        lam = default_lam(self.lam, float(weights.sum()))
        costs, scale = weights / (2.0 * lam * weights.sum()), 2.0 * lam
        threads = thread_count(self.n_jobs, len(task.positive) * X.size)
        inner = 1 if threads > 1 else self.n_jobs  # either classes are spread over threads, or rows
        problem = Problem(
            X, task.rows, task.layout, state.dtype, costs, squared=self.loss == "squared_hinge", n_jobs=inner,
            intercept="none" if not self.fit_intercept else "regularized" if self.regularize_intercept else "free",
        )  # fmt: skip
        seed = seed_of(self)
        alpha, bias = self._earlier_dual(costs, task)
        machines = [
            Machine(problem, np.where(task.codes == code, 1.0, -1.0), seed, alpha[k], float(bias[k]))
            for k, code in enumerate(task.positive)
        ]
        measure = self._measures(task, state, X, eval_set, recorded)
        clock = time.perf_counter()

        def after_pass(number: int) -> str:
            nonlocal clock
            now, notes = time.perf_counter(), np.array([one.notes for one in machines])
            biases = np.array([one.bias if one.proved else one.running_bias for one in machines])
            proved = all(one.proved for one in machines)
            if measure is not None:
                coefs = [one.coef if one.proved else one.state.last()[0][0] for one in machines]
                state.set_weights(np.stack(coefs), biases)
            figures: dict[str, Any] = {
                "epoch": number,
                "updates": int(notes[:, STEPS].sum()),
                "mistakes": int(notes[:, MISTAKES].sum()),
                "norm": float(np.sqrt(np.maximum(notes[:, SQUARE], 0.0).sum() + np.vdot(biases, biases))),
                "seconds": now - clock,
                "loss": scale * sum(one.primal for one in machines) if proved else None,
                "gap": scale * sum(one.gap for one in machines) if proved else None,
                **({} if measure is None else measure()),
            }
            clock = now
            return run.watch.after_epoch(figures, task.n_rows)

        quiet = np.errstate(over="ignore", invalid="ignore")
        with running(self, on_epoch) as run, interrupt_flag() as run.watch.interrupted, quiet:
            run.trace.stop_reason = solve(
                machines, tol=float(self.tol or 0.0), max_iter=int(self.max_iter), n_threads=threads,
                asked=lambda: run.watch.within_epoch(0.0), after_pass=after_pass,
            )  # fmt: skip
        for one in machines:
            one.shorten()
        self.lam_ = lam
        coef, bias = np.stack([one.coef for one in machines]), np.array([one.bias for one in machines])
        self._keep(state, run.trace, coef, bias, len(task.kept))
        self.objective_ = scale * float(sum(one.primal for one in machines))
        self.duality_gap_ = scale * float(sum(one.gap for one in machines))
        alpha = np.stack([one.alpha for one in machines])
        self.support_ = np.flatnonzero(alpha.any(axis=0))
        self.dual_coef_ = np.stack([(one.alpha * one.signs)[self.support_] for one in machines])
        self._dual = (alpha, costs, bias) if self.warm_start else None
        gap = f"at most {self.duality_gap_:.2g} above the least possible"
        warn(self, run.trace, note=f" The objective is {self.objective_:.6g}, {gap}.")

    def _earlier_dual(self, costs: Array, task: Any) -> tuple[Any, Array]:
        """Where a warm start begins: the dual variables of the earlier fit, at the costs of this one."""
        kept, count = vars(self).get("_dual") if self.warm_start else None, len(task.positive)
        if kept is None or kept[0].shape != (count, task.n_rows):
            return [None] * count, np.zeros(count)
        alpha, earlier, bias = kept
        return alpha * np.divide(costs, earlier, out=np.zeros_like(costs), where=earlier > 0.0), bias
