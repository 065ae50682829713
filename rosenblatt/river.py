"""The perceptron family as river classifiers: the same learners behind river's own base class.

river's pipelines, metrics and evaluation ask for instances of `river.base.Classifier`. These classes are that, and
hand every example to the estimator of the same name.
"""

from __future__ import annotations

from typing import Any

from scipy.special import expit

try:
    from river import base
except ImportError as error:
    raise ImportError(
        "The river classes need river, which is not installed; run: pip install 'rosenblatt[river]'"
    ) from error

import rosenblatt
from rosenblatt.estimators.one_by_one import ONE


class _Online(base.MiniBatchClassifier):  # type: ignore[misc]
    """What the classes share: an estimator that learns from dicts."""

    _estimator: Any

    @property
    def _multiclass(self) -> bool:
        return True

    def learn_one(self, x: dict[Any, Any], y: Any, w: float = ONE) -> None:
        """Learn from one example: a dict of named features and its label."""
        self._estimator.learn_one(x, y, w)

    def predict_one(self, x: dict[Any, Any]) -> Any:
        """The label of one example, or None before anything was learned."""
        return self._estimator.predict_one(x)

    def learn_many(self, X: Any, y: Any) -> None:
        """Learn from the rows of a pandas frame, one after another, and their labels."""
        for x, label in zip(X.to_dict("records"), y.tolist(), strict=True):
            self._estimator.learn_one(x, label)

    def predict_many(self, X: Any) -> Any:
        """The label of every row of a pandas frame, as a series."""
        import pandas

        return pandas.Series([self.predict_one(x) for x in X.to_dict("records")], index=X.index)

    def predict_proba_one(self, x: dict[Any, Any]) -> dict[Any, float]:
        """The sigmoids of the scores, divided by their sum; nothing before anything was learned.

        They order examples as the scores do, which ROC curves and ensembles need, as those of river's own `Perceptron`
        do. They are not calibrated: `rosenblatt.OnlineCalibrator` is.
        """
        chances = {label: float(expit(score)) for label, score in self._estimator.decision_function_one(x).items()}
        if len(chances) == 1:
            return dict.fromkeys(chances, 1.0)
        total = sum(chances.values())
        return {label: chance / total if total > 0.0 else 1.0 / len(chances) for label, chance in chances.items()}


class Perceptron(_Online):
    """The perceptron, for river. See `rosenblatt.Perceptron` for the parameters.

    Examples
    --------
    >>> from rosenblatt.river import Perceptron
    >>> model = Perceptron()
    >>> for x, y in [({"rain": 1}, "stay"), ({"rain": 0, "sun": 1}, "go"), ({"rain": 1}, "stay")]:
    ...     model.learn_one(x, y)
    >>> model.predict_one({"sun": 1})
    'go'
    """

    def __init__(
        self,
        answer: str = "last",
        learning_rate: float = 1.0,
        multi_class: str = "ovr",
        fit_intercept: bool = True,
        hash_features: int | None = None,
    ) -> None:
        self.answer = answer
        self.learning_rate = learning_rate
        self.multi_class = multi_class
        self.fit_intercept = fit_intercept
        self.hash_features = hash_features
        self._estimator = rosenblatt.Perceptron(
            answer=answer,
            learning_rate=learning_rate,
            multi_class=multi_class,
            fit_intercept=fit_intercept,
            hash_features=hash_features,
        )


class PassiveAggressive(_Online):
    """Passive-aggressive learning, for river. See `rosenblatt.PassiveAggressive` for the parameters."""

    def __init__(
        self,
        C: float = 1.0,
        variant: str = "PA-I",
        answer: str = "last",
        multi_class: str = "ovr",
        fit_intercept: bool = True,
        hash_features: int | None = None,
    ) -> None:
        self.C = C
        self.variant = variant
        self.answer = answer
        self.multi_class = multi_class
        self.fit_intercept = fit_intercept
        self.hash_features = hash_features
        self._estimator = rosenblatt.PassiveAggressive(
            C=C,
            variant=variant,
            answer=answer,
            multi_class=multi_class,
            fit_intercept=fit_intercept,
            hash_features=hash_features,
        )


class HalfSpace(_Online):
    """Any rule, for river. See `rosenblatt.HalfSpace` for the parameters."""

    def __init__(
        self,
        rule: Any = "perceptron",
        params: Any = None,
        answer: str = "last",
        multi_class: str = "ovr",
        fit_intercept: bool = True,
    ) -> None:
        self.rule = rule
        self.params = params
        self.answer = answer
        self.multi_class = multi_class
        self.fit_intercept = fit_intercept
        self._estimator = rosenblatt.HalfSpace(
            rule=rule,
            params=params,
            answer=answer,
            multi_class=multi_class,
            fit_intercept=fit_intercept,
        )


class LinearSVM(_Online):
    """The linear support vector machine by Pegasos steps, for river. See `rosenblatt.LinearSVM` for the parameters."""

    def __init__(self, lam: float | None = None, fit_intercept: bool = True) -> None:
        self.lam = lam
        self.fit_intercept = fit_intercept
        self._estimator = rosenblatt.LinearSVM(lam=lam, fit_intercept=fit_intercept)


class LogisticRegression(_Online):
    """Logistic regression by its rule, for river, with probabilities. See `rosenblatt.LogisticRegression`.

    Examples
    --------
    >>> from rosenblatt.river import LogisticRegression
    >>> model = LogisticRegression(learning_rate=1.0)
    >>> for x, y in [({"rain": 1}, "stay"), ({"sun": 1}, "go"), ({"rain": 1}, "stay")]:
    ...     model.learn_one(x, y)
    >>> {label: round(chance, 2) for label, chance in model.predict_proba_one({"sun": 1}).items()}
    {'go': 0.58, 'stay': 0.42}
    """

    def __init__(
        self, lam: float | None = None, learning_rate: float | None = None, fit_intercept: bool = True
    ) -> None:
        self.lam = lam
        self.learning_rate = learning_rate
        self.fit_intercept = fit_intercept
        self._estimator = rosenblatt.LogisticRegression(
            lam=lam, solver=rosenblatt.GradientDescent(learning_rate=learning_rate), fit_intercept=fit_intercept
        )

    def predict_proba_one(self, x: dict[Any, Any]) -> dict[Any, float]:
        """The probability of every label for one example; nothing before anything was learned."""
        chances: dict[Any, float] = self._estimator.predict_proba_one(x)
        return chances
