"""Many models in one pass: every fold and setting of a grid.

A fold is a pass of its own, because it has its own order of rows: the one that a separate fit takes, with the fold as
sample weights. In that pass the settings that differ in nothing but the rule's parameters are half-spaces side by side
(`engine/grid/loop.py`). Everything else a grid may name is fitted one by one, so that any grid works.
"""

from __future__ import annotations

import numbers
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import ParameterGrid
from sklearn.pipeline import Pipeline

from rosenblatt.arguments import shortened
from rosenblatt.engine.threads import thread_count
from rosenblatt.estimators.half_space import HalfSpace
from rosenblatt.estimators.search_folds import last_step, problem_of
from rosenblatt.estimators.search_result import Search
from rosenblatt.estimators.search_run import Run
from rosenblatt.progress import bar
from rosenblatt.rules import Rule
from rosenblatt.seeds import random_state_of


def search(
    X: Any,
    y: Any,
    estimator: Any,
    grid: Mapping[str, Any] | Sequence[Mapping[str, Any]],
    cv: Any = 5,
    *,
    scoring: Any = None,
    groups: Any = None,
    sample_weight: Any = None,
    random_state: Any = None,
    refit: bool = True,
    n_jobs: int | None = None,
    verbose: int = 0,
    on_progress: Callable[[float], None] | None = None,
) -> Search:
    """Try every setting of a grid on every fold, as many as possible in one pass over the rows.

    The scores are those of separate fits, ``estimator.set_params(**setting).fit(X, y, sample_weight=in_fold)``, to the
    last bit. Settings of a `Perceptron`, `PassiveAggressive` or `HalfSpace` that differ in the rule's parameters (C,
    theta, lam, a learning rate) or in "auto", "last" and "averaged" answers learn together; all others are fitted one
    by one.

    Parameters
    ----------
    X, y : rows and labels
        As in `fit`.
    estimator : estimator, Pipeline or str
        It stays as it is. The name of a rule stands for ``HalfSpace(rule)``. The steps of a pipeline before the last
        are fitted on each fold's training rows.
    grid : dict of name to values, or a list of such dicts
        Names are the estimator's parameters, the last step's or the rule's.
    cv : int, splitter or iterable of (train, test)
        As in scikit-learn: a number is that of stratified folds.
    scoring : str, callable or None
        As in scikit-learn; None is the estimator's own score, which is the accuracy for classifiers. Scores are not
        weighted.
    groups : array, optional
        For splitters that keep groups together.
    sample_weight : array, optional
        For the fits.
    random_state : int, RandomState or None
        Seeds the shuffling of every fit, instead of the estimator's own. If both are None a seed is drawn, one for all
        fits: then every setting meets the rows in the same order.
    refit : bool
        Fit the best setting on all rows.
    n_jobs : int or None
        Threads over which folds and settings are spread; None is as many as the process may use, and one for little
        work. The result is the same bits for any number.
    verbose : int
        1 shows a bar.
    on_progress : callable, optional
        Called with the fraction that is done.

    Returns
    -------
    Search
        After Ctrl-C, with the settings whose folds were all done; where there are none, with the folds on which every
        setting was tried.

    Raises
    ------
    ValueError
        If the grid names a parameter that the learner does not have, a fold lacks a class, or rows cannot be used.
    KeyboardInterrupt
        If Ctrl-C comes before there is anything to compare.

    Examples
    --------
    >>> from rosenblatt import PassiveAggressive, search
    >>> from rosenblatt.sources import digits
    >>> split = digits()
    >>> learner = PassiveAggressive(max_iter=5, answer="averaged", random_state=0)
    >>> found = search(split.X_train, split.y_train, learner, {"C": [1e-5, 1e-4, 1e-3]})
    >>> found.best_params_, found.fused_
    ({'C': 0.001}, 15)
    >>> f"{found.best_score_:.1%} on the folds, {found.best_.score(split.X_test, split.y_test):.1%} on the test rows"
    '95.8% on the folds, 96.0% on the test rows'
    """
    started = time.perf_counter()
    base = _learner(estimator)
    name = type(last_step(base)).__name__
    settings = settings_of(grid)
    candidates = [with_setting(base, setting) for setting in settings]
    _seed(candidates, settings, random_state)
    problem = problem_of(X, y, base, candidates, cv, groups, sample_weight, scoring)
    jobs = thread_count(n_jobs, problem.work(len(settings)))
    run = Run(problem, candidates, settings, jobs)
    with bar(verbose, f"{name}: {len(settings)} settings on {len(problem.folds)} folds") as show:
        run.listeners = [show.progress] if on_progress is None else [show.progress, on_progress]
        run.all()
    result = Search(name, settings, run.scores, fused_=run.fused, interrupted_=run.interrupted)
    if run.interrupted:
        warnings.warn(_how_far(result), ConvergenceWarning, stacklevel=2)
    if refit:
        result.best_ = problem.refitted(candidates[result.best_index_], X, jobs)
    result.seconds_ = time.perf_counter() - started
    return result


def _how_far(result: Search) -> str:
    """What Ctrl-C has left of a search, in a sentence."""
    n_settings, n_folds = result.fold_scores.shape
    done = int((~np.isnan(result.fold_scores).any(axis=1)).sum())
    if done:
        return f"search was interrupted after {done} of {n_settings} settings; those are kept and can be used."
    folds = len(result.folds_compared)
    if np.isnan(result.mean_scores).all():
        raise KeyboardInterrupt("search was interrupted before there was anything to compare; nothing is kept.")
    return f"search was interrupted after {folds} of {n_folds} folds; the settings are compared by these."


# ---------------------------------------------------------------------- the settings


def _learner(estimator: Any) -> Any:
    if isinstance(estimator, str | Rule) or (callable(estimator) and not hasattr(estimator, "fit")):
        learner = HalfSpace(estimator)
        learner._learning_rule()
        return learner
    if isinstance(estimator, type) or not hasattr(estimator, "fit") or not hasattr(estimator, "get_params"):
        raise ValueError(
            f"estimator must be a learner such as PassiveAggressive() or the name of a rule, but got "
            f"{shortened(estimator)}; pass an object that has fit and get_params."
        )
    return estimator


def settings_of(grid: Any) -> list[dict[str, Any]]:
    """The settings of a grid."""
    settings = list(ParameterGrid(grid))  # which refuses what is no grid
    if not settings or not all(settings):
        raise ValueError("grid must name at least one parameter, but it is empty; pass {'C': [0.1, 1.0]}, say.")
    return settings


def with_setting(base: Any, setting: Mapping[str, Any]) -> Any:
    """A copy of the estimator with this setting: its own parameters, its last step's, or its rule's."""
    estimator = clone(base)
    known = estimator.get_params()
    prefix = f"{estimator.steps[-1][0]}__" if isinstance(estimator, Pipeline) else ""
    full = {name if name in known else prefix + name.removeprefix(prefix): value for name, value in setting.items()}
    estimator.set_params(**{name: value for name, value in full.items() if name in known})
    last, rest = last_step(estimator), {name: value for name, value in full.items() if name not in known}
    if isinstance(last, HalfSpace) and isinstance(last.rule, str | Rule):
        rule = last._learning_rule()[0].parameters
        given = {name: rest.pop(prefix + name) for name in rule if prefix + name in rest}
        if given:
            last.set_params(params={**(last.params or {}), **given})
    return estimator.set_params(**rest)  # which refuses the others


def _seed(candidates: list[Any], settings: list[dict[str, Any]], random_state: Any) -> None:
    """One seed for all fits, but where the grid itself names seeds."""
    drawn: int | None = None
    for candidate, setting in zip(candidates, settings, strict=True):
        last = last_step(candidate)
        named = any(name.rsplit("__", 1)[-1] == "random_state" for name in setting)
        if named or "random_state" not in last.get_params(deep=False):
            continue
        given = last.random_state if random_state is None else random_state
        if not isinstance(given, numbers.Integral):
            if drawn is None:
                drawn = int(random_state_of(given).randint(2**31 - 1))
            given = drawn
        last.set_params(random_state=int(given))
