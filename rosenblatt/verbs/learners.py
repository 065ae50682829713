"""Learners by the names that the command line knows, and their parameters from text.

Nothing is imported before a learner is made.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from rosenblatt.verbs.errors import UsageError, nearest
from rosenblatt.wording import listed, shortened


@dataclass(frozen=True)
class Learner:
    """An estimator with the parameters that differ from its own defaults here.

    `settings` are for rows of a table that a person waits for: a run ends when the mistakes no longer fall.
    """

    estimator: str
    told: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    grid: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    kind: str = "classes"  # or "numbers"
    several: Mapping[str, Any] = field(default_factory=dict)  # settings for more than two classes
    usual: bool = True  # whether the first screen of the help names it


_PATIENT = {"tol": 1e-3}
_AVERAGED = {"answer": "averaged", **_PATIENT}
_COUPLED = {"multi_class": "coupled"}
_LAM = {"lam": (1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1)}
_C = {"C": (1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0)}
_GAMMA = {"gamma": (0.001, 0.01, 0.1, 1.0)}
_LAST, _POCKET, _VOTED = ({"answer": answer, **_PATIENT} for answer in ("last", "pocket", "voted"))
_MARGIN = {"rule": "margin_perceptron", **_AVERAGED}

#: Every learner that `--learner` knows, the default first.
LEARNERS = {
    "averaged": Learner("Perceptron", "perceptron, the mean of all weights on the way", _AVERAGED, several=_COUPLED),
    "perceptron": Learner("Perceptron", "Rosenblatt's perceptron, the weights at the end", _LAST),
    "pocket": Learner("Perceptron", "perceptron, the best weights on the training rows", _POCKET),
    "voted": Learner("Perceptron", "perceptron, all weights on the way vote", _VOTED, usual=False),
    "margin": Learner("HalfSpace", "perceptron that also learns from rows right by a hair", _MARGIN),
    "passive-aggressive": Learner("PassiveAggressive", "smallest step that repairs the row", _AVERAGED, _C),
    "kernel": Learner("KernelPerceptron", "perceptron on curved boundaries (RBF)", _AVERAGED, _GAMMA),
    "svm": Learner("LinearSVM", "the widest margin, with a proven gap", {}, _LAM),
    "logistic": Learner("LogisticRegression", "probabilities", {}, _LAM),
    "discriminant": Learner("GaussianDiscriminant", "bell-shaped classes, probabilities", {"shrinkage": "auto"}),
    "sigmoid": Learner("SigmoidNeuron", "one sigmoid unit, squared loss", {}, _LAM, usual=False),
    "layer": Learner("Layer", "sigmoid units side by side", usual=False),
    "half-space": Learner("HalfSpace", "any learning rule: --set rule=pegasos, ...", _AVERAGED, usual=False),
    "least-squares": Learner("LeastSquares", "numbers instead of classes", {}, _LAM, kind="numbers"),
}
DEFAULT = "averaged"

ALIASES = {"pa": "passive-aggressive", "lda": "discriminant", "rbf": "kernel"}


def learner_named(name: str) -> tuple[str, Learner]:
    """The learner of a name, or the sentence that lists them.

    Examples
    --------
    >>> learner_named("LinearSVM")[0], learner_named("pa")[0]
    ('svm', 'passive-aggressive')
    >>> learner_named("perceptrn")
    Traceback (most recent call last):
    rosenblatt.verbs.errors.UsageError: There is no learner 'perceptrn' (did you mean 'perceptron'?); there are ...
    """
    key = name.casefold().replace("_", "-").replace(" ", "-")
    by_class = {learner.estimator.casefold(): known for known, learner in reversed(LEARNERS.items())}
    by_class["perceptron"] = "perceptron"
    known = key if key in LEARNERS else ALIASES.get(key) or by_class.get(key.replace("-", ""))
    if known is None:
        near = nearest(name, [*LEARNERS, *ALIASES])
        raise UsageError(f"There is no learner {shortened(name)}{near}; there are {listed(LEARNERS, 99)}.")
    return known, LEARNERS[known]


def make_learner(name: str, settings: Mapping[str, Any] | Iterable[str] = (), **others: Any) -> Any:
    """An estimator that is not fitted yet, with its settings checked.

    Parameters
    ----------
    name : str
        A key of `LEARNERS`, another name, or the name of the class.
    settings : mapping, or texts of the form "name=value"
        Parameters of the estimator. Texts are read by the kind of the parameter.
    **others
        Parameters that are set where the estimator has them and `settings` does not, such as the seed.

    Examples
    --------
    >>> make_learner("pa", ["C=0.1", "max_iter=20"])
    PassiveAggressive(C=0.1, answer='averaged', max_iter=20)
    >>> make_learner("perceptron").answer
    'last'
    >>> make_learner("pa", ["CC=0.1"])
    Traceback (most recent call last):
    rosenblatt.verbs.errors.UsageError: The learner passive-aggressive has no parameter 'CC' (did you mean 'C'?).
    """
    import rosenblatt

    known, learner = learner_named(name)
    kind = getattr(rosenblatt, learner.estimator)
    given = settings if isinstance(settings, Mapping) else read_settings(known, settings)
    for key in given:
        check_parameter(known, key)
    parameters = inspect.signature(kind).parameters
    usual = {key: value for key, value in others.items() if key in parameters and value is not None}
    return kind(**{**learner.settings, **usual, **given})


def check_parameter(name: str, key: str) -> inspect.Parameter:
    """The parameter of a learner that `--set` may name, or the sentence that suggests the nearest."""
    import rosenblatt

    parameters = inspect.signature(getattr(rosenblatt, learner_named(name)[1].estimator)).parameters
    known = [each for each in parameters if each not in ("verbose", "below", "time_limit")]
    if key not in known:
        near = nearest(key, known)
        raise UsageError(f"The learner {name} has no parameter {key!r}{near or f'; it has {listed(known, 99)}'}.")
    return parameters[key]


def read_settings(name: str, texts: Iterable[str]) -> dict[str, Any]:
    """Parameters from "name=value", each of the kind that the estimator asks for.

    Examples
    --------
    >>> read_settings("averaged", ["tol=none", "shuffle=no", 'class_weight={"spam": 5}'])
    {'tol': None, 'shuffle': False, 'class_weight': {'spam': 5}}
    >>> read_settings("averaged", ["max_iter=many"])
    Traceback (most recent call last):
    rosenblatt.verbs.errors.UsageError: max_iter must be a whole number, such as 100, but got 'many'.
    """
    found: dict[str, Any] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        key = key.strip().replace("-", "_")
        if not equals or not key:
            raise UsageError(f"--set takes name=value, such as max_iter=50, but got {shortened(text)}.")
        found[key] = _value(key, value.strip(), check_parameter(name, key))
    return found


_WORDS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False, "none": None, "null": None}


def _value(key: str, text: str, parameter: inspect.Parameter) -> Any:
    """A number, a truth value, none, JSON, or else the text itself; refused where the parameter takes numbers only."""
    kinds = {part.strip() for part in str(parameter.annotation).split("|")}
    word = text.casefold()
    if kinds == {"str"}:
        return text
    if word in _WORDS:
        return _WORDS[word]
    try:
        found = json.loads(text)
    except ValueError:
        found = text
    whole = "float" not in kinds
    if kinds <= {"int", "float", "None"} and isinstance(found, str | float if whole else str):
        like = 10 if parameter.default in (None, parameter.empty) else parameter.default
        told = "a whole number" if whole else "a number"
        raise UsageError(f"{key} must be {told}, such as {like}, but got {shortened(text)}.")
    return found
