"""The perceptron: last, averaged, voted and pocket answers from one run."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from rosenblatt.arguments import check_positive
from rosenblatt.estimators.linear import RuleLearner
from rosenblatt.estimators.missing import MissingFunction
from rosenblatt.estimators.validation import check_schedule
from rosenblatt.rules import RULES, Rule
from rosenblatt.rules.schedules import scheduled


@dataclass(eq=False, repr=False, kw_only=True)
class Perceptron(RuleLearner):
    """Rosenblatt's perceptron.

    Starting at w = 0, the rows are visited in turn; on a mistake, y (w·x + b) <= 0,

        w <- w + eta y x,      b <- b + eta y,

    and an epoch that changes nothing ends the run. If the rows are separable with margin gamma inside a ball of
    radius R, that happens after at most R²/gamma² mistakes, in whatever order the rows come.

    Parameters
    ----------
    answer : {"auto", "last", "averaged", "voted", "pocket"}
        What `predict` uses: the last weights; the mean of the weights after each example; the vote of all weight
        vectors, each with the number of examples it survived; or the weights with the fewest errors on the training
        rows. "auto" is the last weights if a pass without a mistake ended the run, and while learning online, and the
        mean otherwise. "voted" and "pocket" need all rows of a fit and are refused online.
    learning_rate : float or callable
        eta, or a function of the number of the example t = 1, 2, …. A constant changes nothing but the scale.
    max_iter : int
        The limit on epochs.
    tol : float or None
        Stop when 5 epochs, of at least 20,000 examples together, have not made fewer mistakes than the best epoch
        before them, by a fraction of more than `tol`. None, or fewer than 1,000 rows, go on until `max_iter`.
    time_limit : float or None
        Seconds after which the run stops with the weights that it has.
    shuffle : bool
        Visit the rows in a new random order in every epoch, or in the order in which they came.
    fit_intercept : bool
        Learn a bias: a coordinate of every row that is always 1.
    multi_class : {"ovr", "coupled"}
        One half-space for each class against the rest, or all classes together: on a mistake the true class
        moves towards the row and the best other class away from it.
    class_weight : dict, "balanced" or None
        Multiplies the weights of the rows of each class.
    warm_start : bool
        Start from the weights of the earlier fit.
    random_state : int, RandomState or None
        Seeds the shuffling.
    n_jobs : int or None
        Threads over which the half-spaces are spread; None is as many as the process may use. The result is the same
        bits for any number.
    verbose : int
        1 shows the epochs while they happen.
    hash_features : int or None
        For dicts of named features: hash the names into this many slots, which bounds the memory.

    Attributes
    ----------
    classes_, coef_, intercept_, n_features_in_, feature_names_in_, n_iter_
        As in scikit-learn, for the chosen answer; the voted answer has no coef_.
    answers_ : dict
        Every answer of this fit by name, each with ``predict``, ``decision_function`` and ``score``: "last",
        "averaged", and "pocket" and "voted" where ``answer`` or ``fit(..., keep=...)`` asks for them.
    trace_ : Trace
        One row per epoch.
    stop_reason_ : str
        "converged", "max_iter", "no_improvement", "time_limit", "callback", "interrupted" or "diverged".
    mistakes_ : int
        Rows that were answered wrongly when they were visited.

    Examples
    --------
    >>> from rosenblatt import Perceptron
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> model = Perceptron(shuffle=False).fit(X, [False, False, False, True])
    >>> model.predict(X).tolist(), model.stop_reason_, model.mistakes_
    ([False, False, False, True], 'converged', 18)

    References
    ----------
    F. Rosenblatt (1958). The perceptron: a probabilistic model for information storage and organization in
    the brain. Psychological Review 65(6).
    Y. Freund, R. E. Schapire (1999). Large margin classification using the perceptron algorithm. Machine
    Learning 37(3). (averaged and voted)
    S. I. Gallant (1990). Perceptron-based learning algorithms. IEEE Transactions on Neural Networks 1(2).
    (pocket with ratchet)
    """

    answer: str = field(default="auto", kw_only=False)
    learning_rate: Any = 1.0
    warm_start: bool = False
    hash_features: int | None = None

    def _learning_rule(self) -> tuple[Rule, tuple[float, ...]]:
        rule = RULES["perceptron"]
        eta = self.learning_rate
        if isinstance(eta, MissingFunction):
            eta.refuse("learning_rate")
        if callable(eta):
            check_schedule("learning_rate", eta)
            function = scheduled(rule.function, eta)
            return Rule(rule.name, function, rule.parameters), (1.0,)
        check_positive("learning_rate", eta, "1.0 is usual; it may also be a function of t")
        return rule, (float(eta),)
