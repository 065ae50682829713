"""Logistic regression: probabilities from half-spaces."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rosenblatt.arguments import check_choice
from rosenblatt.engine.online.state import Array, HalfSpaces
from rosenblatt.estimators import minimising
from rosenblatt.estimators.gradient_descent import held_out_fraction, stored_solver
from rosenblatt.estimators.linear import LinearClassifier
from rosenblatt.estimators.probabilities import Probabilities
from rosenblatt.estimators.validation import check_finite
from rosenblatt.rules import RULES, Rule
from rosenblatt.seeds import random_state_of
from rosenblatt.stored import flag, kinds, maybe, number


@dataclass(eq=False, repr=False, kw_only=True)
class LogisticRegression(Probabilities, LinearClassifier):
    """Logistic regression, by maximum likelihood or with a prior (lecture row L15).

    Minimises

        lam ‖w‖² + mean of log(1 + exp(-y (w·x + b)))        (two classes, or one against the rest)
        lam ‖W‖² + mean of log sum_k exp(s_k) - s_true       (multinomial, s = W x + b)

    which is maximum likelihood for lam = 0, and otherwise the maximum a posteriori with a Gaussian prior of variance
    1/(2 lam n_samples) on every weight; with penalty="l1", lam ‖w‖₁, a Laplace prior. The probability of the second
    of two classes is sigmoid(w·x + b).

    Parameters
    ----------
    lam : float or None
        The weight of the penalty; 0 is maximum likelihood. None is 1/(2 n_samples), which is C = 1 in scikit-learn: its
        C is 1/(2 lam n_samples), and 1/(lam n_samples) for an L1 penalty. Online, where the number of examples is not
        known, None is 1e-4.
    penalty : {"l2", "l1"}
        A Gaussian or a Laplace prior.
    multi_class : {"multinomial", "ovr"}
        More than two classes together, or each against the rest. Two classes are one half-space in either. Online,
        also after a multinomial `fit`, it is each against the rest.
    solver : {"newton", "sgd", "batch", "svrg"} or GradientDescent
        Newton's method, which reaches `tol`; stochastic steps, steps with all rows, or stochastic steps with variance
        reduction; or a `GradientDescent` with settings of its own. An L1 penalty has its own solver (L-BFGS with
        bounds) and ignores this.
    regularize_intercept : bool
        Whether the prior is on b as well.
    tol : float
        How far the objective may be above the least possible, as a fraction of it: Newton's method estimates it by its
        own next step, and makes that step. Gradient descent stops when the objective falls by less than this
        fraction for five epochs, the L1 solver when no entry of the gradient is larger.
    max_iter : int
        The limit on Newton steps or epochs.
    fit_intercept, class_weight, warm_start, random_state, time_limit, n_jobs, verbose
        As in `Perceptron`.

    Attributes
    ----------
    classes_, coef_, intercept_, n_features_in_, n_iter_, trace_, stop_reason_
        As in `Perceptron`. ``trace_`` has the objective, its penalty included, as "loss".
    lam_ : float
        The weight of the penalty that was used.
    objective_ : float
        The objective at these weights; one against the rest, the sum over the half-spaces.
    best_iter_ : int
        Where `GradientDescent` holds rows out, the epoch whose weights these are.

    Examples
    --------
    >>> from rosenblatt import LogisticRegression
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["cold", "warm", "cold", "warm"]
    >>> model = LogisticRegression(lam=1e-3).fit(X, y)
    >>> model.predict_proba([[0.0], [3.0]]).round(3).tolist()
    [[0.794, 0.206], [0.206, 0.794]]
    """

    _ways_of_several = ("multinomial", "ovr")
    _multinomial = False  # whether the scores were learned together

    _stored = kinds({**LinearClassifier._stored, "_multinomial": maybe(flag), "lam_": maybe(number)})
    _stored_parameters = kinds({**LinearClassifier._stored_parameters, "solver": stored_solver("newton")})

    lam: float | None = None
    penalty: str = "l2"
    multi_class: str = "multinomial"
    solver: Any = "newton"
    regularize_intercept: bool = False
    tol: float = 1e-4
    max_iter: int = 200
    time_limit: float | None = None
    fit_intercept: bool = True
    class_weight: Any = None
    warm_start: bool = False
    random_state: Any = None
    n_jobs: int | None = None
    verbose: int = 0

    @property
    def _coupled(self) -> bool:
        return False

    def _learning_rule(self) -> tuple[Rule, tuple[float, ...]]:
        """One example at a time it learns by the rule, one class against the rest."""
        lam = minimising.ONLINE_LAM if self.lam is None else float(self.lam)
        rate = getattr(self.solver, "learning_rate", None)
        return RULES["logistic"], (0.1 if rate is None else float(rate), lam)

    def _check_parameters(self) -> None:
        minimising.check_solved(self, "0 is maximum likelihood, None is 1/(2 n_samples)", "newton", none=True)
        check_choice("penalty", self.penalty, ("l2", "l1"))
        super()._check_parameters()

    def _train(
        self, task: Any, state: HalfSpaces, X: Any, eval_set: Any, on_epoch: Any, recorded: tuple[str, ...]
    ) -> None:
        from rosenblatt.engine.gradient.objective import Objective

        check_finite(self, X)
        self._multinomial = self.multi_class == "multinomial" and len(self.classes_) > 2
        loss = "multinomial" if self._multinomial else "logistic"
        total = float(task.sample_weight.sum()) if len(task.sample_weight) else float(task.n_rows)
        strength = self.lam_ = minimising.default_lam(self.lam, total)

        def objective_over(rows: Any, codes: Array, weights: Array) -> Objective:
            own = codes[:, None] == task.positive[None, :]
            targets = own.astype(np.float64) if self._multinomial else np.where(own, 1.0, -1.0)
            lam = strength if self.penalty == "l2" else 0.0
            result = Objective(
                rows, targets, weights, loss, lam, fit_intercept=bool(self.fit_intercept),
                penalize_intercept=bool(self.regularize_intercept), n_jobs=self.n_jobs,
            )  # fmt: skip
            if self.penalty == "l1":
                result.l1 = strength
                result.l1_intercept = strength if self.regularize_intercept else 0.0
            return result

        objective, counted, tested = minimising.objectives_of(
            self, task, X, eval_set, objective_over, random_state_of(self.random_state)
        )
        coefficients, bias = state.last()
        start = np.column_stack([coefficients, bias]).astype(np.float64)
        likelihood_alone = self.lam == 0.0 and held_out_fraction(self.solver) is None
        separated = False

        def separates(scores: Array) -> Array:
            """For every problem that is solved, whether all rows are strictly on their side."""
            if self._multinomial:
                return np.array([minimising.count_mistakes(scores, counted) == 0])
            return np.asarray(((objective.targets * scores)[counted >= 0] > 0.0).all(axis=0))

        def give_up(figures: dict[str, Any]) -> str:
            nonlocal separated
            if likelihood_alone:
                separated = bool(separates(figures["scores"]).all())
            return "diverged" if separated else ""

        weights, trace = minimising.minimise(
            self, objective, start, mistakes=lambda scores: minimising.count_mistakes(scores, counted),
            tested=tested, on_epoch=on_epoch, solver="l1" if self.penalty == "l1" else None, give_up=give_up,
        )  # fmt: skip
        if self._multinomial:  # what all scores have in common changes nothing
            if not self.regularize_intercept or self.lam == 0.0:
                weights[:, -1] -= weights[:, -1].mean()
            if self.lam == 0.0:
                weights[:, :-1] -= weights[:, :-1].mean(axis=0)
        scores = objective.scores(weights)
        ended = trace.stop_reason in ("converged", "no_improvement", "max_iter")
        if likelihood_alone and ended:
            separated = bool(separates(scores).any())
            trace.stop_reason = "diverged" if separated else trace.stop_reason
        self._keep(state, trace, weights[:, :-1], weights[:, -1], len(task.kept))
        self.objective_ = objective.value(weights, scores)[0]
        if self.penalty == "l1":
            self.objective_ += strength * float(np.abs(weights[:, :-1]).sum())
            self.objective_ += objective.l1_intercept * float(np.abs(weights[:, -1]).sum())
        minimising.warn(self, trace, separated=separated)

    def _prepare_online(self, n_features: int, dtype: Any, layout: str) -> None:
        super()._prepare_online(n_features, dtype, layout)
        self._multinomial = False

    def predict_proba_one(self, x: Any) -> dict[Any, float]:
        """The probability of every class for one example, a row or a dict; nothing before anything was learned."""
        scores = self._scores(x)
        if scores is None:
            return {}
        if len(self.classes_) == 1:
            return {self.classes_.item(0): 1.0}
        chances = self._chances(np.array(scores if len(scores) == 1 else [scores]))[0]
        return dict(zip(self.classes_.tolist(), chances.tolist(), strict=True))
