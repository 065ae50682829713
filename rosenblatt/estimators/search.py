"""Many models in one pass: every fold and setting of a grid.

A fold is a pass of its own, because it has its own order of rows: the one that a separate fit takes, with the fold as
sample weights. In that pass the settings that differ in nothing but the rule's parameters are half-spaces side by side
(`engine/tile.py`). Everything else a grid may name is fitted one by one, so that any grid works.
"""

from __future__ import annotations

import difflib
import numbers
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from scipy.sparse import issparse
from sklearn.base import clone, is_classifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import check_scoring
from sklearn.model_selection import ParameterGrid, check_cv
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing, check_random_state, get_tags
from sklearn.utils.metaestimators import _safe_split
from sklearn.utils.validation import _num_samples, has_fit_parameter

from rosenblatt.engine.state import Array, weight_dtype
from rosenblatt.estimators import training
from rosenblatt.estimators.half_space import HalfSpace
from rosenblatt.estimators.linear import LinearClassifier
from rosenblatt.estimators.search_result import Search
from rosenblatt.estimators.validation import check_labels, check_rows, check_rows_and_labels, check_weights
from rosenblatt.progress import bar
from rosenblatt.rules import RULES, Rule
from rosenblatt.trace import Epoch, Trace

TILE_BYTES = 640 * 2**10  # of weights that stay near one core
LEAST_LANES = 64  # side by side, however many features there are
FEW_DENSE, FEW_SPARSE = 8, 4  # half-spaces; with fewer, separate fits are faster


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
    theta, lam, a learning rate) or in "last" and "averaged" answers learn together; all others are fitted one by one.

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
        Threads. The result is the same bits for any number.
    verbose : int
        1 shows a bar.
    on_progress : callable, optional
        Called with the fraction that is done.

    Returns
    -------
    Search
        After Ctrl-C, with the settings whose folds were all done, if there are any.

    Raises
    ------
    ValueError
        If the grid names a parameter that the learner does not have, a fold lacks a class, or rows cannot be used.

    Examples
    --------
    >>> from rosenblatt import PassiveAggressive, search
    >>> from rosenblatt.sources import digits
    >>> split = digits()
    >>> learner = PassiveAggressive(max_iter=5, answer="averaged", random_state=0)
    >>> found = search(split.X_train, split.y_train, learner, {"C": [1e-5, 1e-4, 1e-3]})
    >>> found.best_params_, found.fused_
    ({'C': 0.001}, 15)
    >>> print(f"{found.best_score_:.1%} on the folds, {found.score(split.X_test, split.y_test):.1%} on the test rows")
    95.8% on the folds, 96.0% on the test rows
    """
    started = time.perf_counter()
    base = _learner(estimator)
    settings = _settings(grid)
    candidates = [_with(base, setting) for setting in settings]
    _seed(candidates, settings, random_state)
    _warn_of_scale(candidates, settings)
    problem = _problem(X, y, base, candidates, cv, groups, sample_weight, scoring)
    jobs = max(1, effective_n_jobs(n_jobs))
    run = _Run(problem, candidates, settings, jobs)
    with bar(verbose, f"{_name(base)}: {len(settings)} settings on {len(problem.folds)} folds") as show:
        run.watch(show.progress, on_progress)
        run.all()
    result = Search(_name(base), settings, run.scores, fused_=run.fused, interrupted_=run.interrupted)
    if run.interrupted:
        done = int((~np.isnan(run.scores).any(axis=1)).sum())
        if not done:
            raise KeyboardInterrupt
        warnings.warn(
            f"search was interrupted after {done} of {len(settings)} settings; those are kept and can be used.",
            ConvergenceWarning,
            stacklevel=2,
        )
    if refit:
        result.best_ = problem.refitted(candidates[result.best_index_], X, jobs)
    result.seconds_ = time.perf_counter() - started
    return result


# ---------------------------------------------------------------------- the settings


def _learner(estimator: Any) -> Any:
    if isinstance(estimator, str | Rule) or (callable(estimator) and not hasattr(estimator, "fit")):
        learner = HalfSpace(estimator)
        learner._learning_rule()
        return learner
    if isinstance(estimator, type) or not hasattr(estimator, "fit") or not hasattr(estimator, "get_params"):
        raise ValueError(
            f"estimator must be a learner such as PassiveAggressive() or the name of a rule, but got {estimator!r}; "
            f"pass an object that has fit and get_params."
        )
    return estimator


def _name(estimator: Any) -> str:
    return type(_last(estimator)).__name__


def _last(estimator: Any) -> Any:
    return estimator.steps[-1][1] if isinstance(estimator, Pipeline) else estimator


def _settings(grid: Any) -> list[dict[str, Any]]:
    parts = [grid] if isinstance(grid, Mapping) else grid
    if (
        not isinstance(parts, Sequence)
        or isinstance(parts, str)
        or not all(isinstance(part, Mapping) for part in parts)
    ):
        raise ValueError(
            f"grid must be a dict of names and lists of values, or a list of such dicts, but got {grid!r}; pass "
            f"{{'C': [0.1, 1.0]}}, say."
        )
    for part in parts:
        for name, values in part.items():
            if isinstance(values, str) or not hasattr(values, "__iter__"):
                raise ValueError(
                    f"grid must hold a list of values for {name!r}, but got {values!r}; write [{values!r}]."
                )
            if len(list(values)) == 0:
                raise ValueError(f"grid must hold at least one value for {name!r}, but it has none; add one.")
    if not parts or not all(parts):
        raise ValueError("grid must name at least one parameter, but it is empty; pass {'C': [0.1, 1.0]}, say.")
    return list(ParameterGrid([dict(part) for part in parts]))


def _with(base: Any, setting: Mapping[str, Any]) -> Any:
    """A copy of the estimator with this setting: its own parameters, its last step's, or its rule's."""
    estimator = clone(base)
    prefix = f"{estimator.steps[-1][0]}__" if isinstance(estimator, Pipeline) else ""
    known = estimator.get_params()
    own: dict[str, Any] = {}
    rest: dict[str, Any] = {}
    for name, value in setting.items():
        if name in known:
            own[name] = value
        elif prefix + name in known:
            own[prefix + name] = value
        else:
            rest[name.removeprefix(prefix)] = value
    estimator.set_params(**own)
    if not rest:
        return estimator
    last = _last(estimator)
    rule_names: list[str] = []
    if isinstance(last, HalfSpace):
        rule_names = list(last._learning_rule()[0].parameters) if isinstance(last.rule, str | Rule) else []
        if set(rest) <= set(rule_names):
            last.set_params(params={**(last.params or {}), **rest})
            return estimator
    unknown = next(name for name in rest if name not in rule_names)
    offered = {name.lower(): name for name in [*(name.removeprefix(prefix) for name in known), *rule_names]}
    near = [offered[name] for name in difflib.get_close_matches(unknown.lower(), offered, 1)]
    raise ValueError(
        f"grid must name parameters of {type(last).__name__}, but got {unknown!r}; "
        + (f"did you mean {near[0]!r}?" if near else f"it has {', '.join(sorted(last.get_params(deep=False)))}.")
    )


def _seed(candidates: list[Any], settings: list[dict[str, Any]], random_state: Any) -> None:
    """One seed for all fits, but where the grid itself names seeds."""
    drawn: int | None = None
    for candidate, setting in zip(candidates, settings, strict=True):
        last = _last(candidate)
        named = any(name.rsplit("__", 1)[-1] == "random_state" for name in setting)
        if named or "random_state" not in last.get_params(deep=False):
            continue
        given = last.random_state if random_state is None else random_state
        if not isinstance(given, numbers.Integral):
            if drawn is None:
                drawn = int(check_random_state(given).randint(2**31 - 1))
            given = drawn
        last.set_params(random_state=int(given))


def _warn_of_scale(candidates: list[Any], settings: list[dict[str, Any]]) -> None:
    """A perceptron that starts at zero does the same at any constant rate, on another scale."""
    if not any(name.endswith("learning_rate") for setting in settings for name in setting):
        return
    rates = set()
    for candidate in candidates:
        last = _last(candidate)
        if isinstance(last, LinearClassifier) and type(last)._train is LinearClassifier._train:
            rule, params = last._learning_rule()
            if rule is RULES["perceptron"]:
                rates.add(params)
    if len(rates) > 1:
        warnings.warn(
            "A grid over the perceptron's learning_rate changes nothing but the scale of the weights, since they start "
            "at zero; try C of PassiveAggressive, theta of the margin perceptron or lam of Pegasos instead.",
            UserWarning,
            stacklevel=3,
        )


# ---------------------------------------------------------------------- the folds


@dataclass
class _Fold:
    """Which rows are learned from and which are judged."""

    train: Array
    test: Array


@dataclass
class _Problem:
    """Rows, labels and folds, checked."""

    X: Any
    y: Array
    folds: list[_Fold]
    weights: Array | None
    scoring: Any
    _tests: dict[int, tuple[Any, Array]] = field(default_factory=dict)

    def test(self, number: int) -> tuple[Any, Array]:
        """The rows and labels that fold `number` is judged by."""
        if number not in self._tests:
            fold = self.folds[number]
            self._tests[number] = _safe_indexing(self.X, fold.test), self.y[fold.test]
        return self._tests[number]

    def row_weights(self, fold: _Fold) -> Array:
        """The fold as sample weights: 0 for the rows that it leaves out."""
        weights = np.zeros(len(self.y))
        weights[fold.train] = 1.0 if self.weights is None else self.weights[fold.train]
        return weights

    def fit_parameters(self, estimator: Any, weights: Array | None) -> dict[str, Any]:
        if weights is None:
            return {}
        if isinstance(estimator, Pipeline):
            return {f"{estimator.steps[-1][0]}__sample_weight": weights}
        return {"sample_weight": weights}

    def fit_alone(self, estimator: Any, number: int) -> float:
        """Fit on the rows of a fold and judge on its others."""
        fold = self.folds[number]
        if _masks(estimator):
            estimator.fit(self.X, self.y, sample_weight=self.row_weights(fold))
        else:
            own = None if self.weights is None else self.weights[fold.train]
            rows, labels = _safe_split(estimator, self.X, self.y, fold.train)
            estimator.fit(rows, labels, **self.fit_parameters(estimator, own))
            if get_tags(estimator).input_tags.pairwise:
                return self.judge(estimator, *_safe_split(estimator, self.X, self.y, fold.test, fold.train))
        return self.judge(estimator, *self.test(number))

    def judge(self, estimator: Any, X: Any, y: Array) -> float:
        if self.scoring is None:
            if isinstance(estimator, LinearClassifier):  # the rows have been checked
                return float(estimator._model(estimator.answer).score(X, y))
            return float(estimator.score(X, y))
        return float(check_scoring(estimator, self.scoring)(estimator, X, y))

    def refitted(self, candidate: Any, X: Any, jobs: int) -> Any:
        """The setting fitted on all rows, as they came."""
        best = clone(candidate)
        with _threads(_last(best), jobs):
            return best.fit(X, self.y, **self.fit_parameters(best, self.weights))


def _masks(estimator: Any) -> bool:
    """Whether a row that weighs 0 is a row left out for this estimator; it is for ours."""
    return type(estimator).__module__.startswith("rosenblatt.") and has_fit_parameter(estimator, "sample_weight")


@contextmanager
def _threads(learner: Any, jobs: int) -> Iterator[None]:
    """Let a learner that was not told how many threads to use have these."""
    if jobs == 1 or getattr(learner, "n_jobs", 1) is not None:
        yield
        return
    learner.set_params(n_jobs=jobs)
    try:
        yield
    finally:
        learner.set_params(n_jobs=None)


def _problem(
    X: Any, y: Any, base: Any, candidates: list[Any], cv: Any, groups: Any, sample_weight: Any, scoring: Any
) -> _Problem:
    classifier = is_classifier(base)
    if isinstance(base, LinearClassifier):
        X = check_rows(clone(base), X, reset=True)
    elif issparse(X):
        X = X.tocsr()
    n_rows = _num_samples(X)
    y = check_labels(y, n_rows) if classifier else np.asarray(y)
    if classifier and len(np.unique(y)) < 2:
        raise ValueError(f"y must hold at least 2 classes, but got 1 class ({y.item(0)!r}); add rows of another class.")
    if sample_weight is not None:
        sample_weight = check_weights(sample_weight, np.empty((n_rows, 1)))
    check_scoring(base, scoring)
    return _Problem(X, y, _folds(cv, y, groups, n_rows, classifier), sample_weight, scoring)


def _folds(cv: Any, y: Array, groups: Any, n_rows: int, classifier: bool) -> list[_Fold]:
    if isinstance(cv, numbers.Integral) and not 2 <= int(cv) <= n_rows:
        raise ValueError(
            f"cv must be at least 2 and at most the number of rows, {n_rows}, but got {cv}; choose fewer folds."
        )
    folds = [
        _Fold(np.asarray(train), np.asarray(test))
        for train, test in check_cv(cv, y, classifier=classifier).split(np.zeros((n_rows, 1)), y, groups)
    ]
    if not folds:
        raise ValueError("cv must give at least one fold, but it gave none; pass 5, say.")
    for number, fold in enumerate(folds, 1):
        fold.train, fold.test = (np.flatnonzero(p) if p.dtype == bool else p for p in (fold.train, fold.test))
        if len(np.unique(fold.train)) < len(fold.train):
            raise ValueError(
                f"cv must name every training row of a fold once, but fold {number} repeats some; use sample_weight "
                f"for rows that count more."
            )
        if len(fold.train) == 0 or len(fold.test) == 0:
            raise ValueError(
                f"cv must give every fold rows to learn from and rows to judge, but fold {number} has "
                f"{len(fold.train)} and {len(fold.test)}; choose fewer folds."
            )
        classes = np.unique(y[fold.train])
        if classifier and len(classes) < 2:
            raise ValueError(
                f"cv must leave every fold at least 2 classes to learn from, but fold {number} has only "
                f"{classes[0]!r}; use fewer folds, or stratified ones."
            )
    return folds


# ---------------------------------------------------------------------- the work


@dataclass
class _Group:
    """Settings that can learn together, by their numbers."""

    numbers: list[int]
    members: list[Any]  # the learners: last steps of pipelines
    front: Any = None  # the steps before the last, not fitted


class _Run:
    """Fills the table of scores, on several threads, until done or interrupted."""

    def __init__(self, problem: _Problem, candidates: list[Any], settings: list[dict[str, Any]], jobs: int) -> None:
        self.problem, self.candidates, self.settings, self.jobs = problem, candidates, settings, jobs
        self.scores = np.full((len(candidates), len(problem.folds)), np.nan)
        self.fused = 0
        self.interrupted = False
        self.stopped: Callable[[], bool] = lambda: False
        self.lock = threading.Lock()
        self.done = 0.0
        self.total = float(self.scores.size)
        self.listeners: list[Callable[[float], None]] = []

    def watch(self, *listeners: Callable[[float], None] | None) -> None:
        self.listeners = [listener for listener in listeners if listener is not None]

    def _advance(self, share: float) -> None:
        """`share` more fits are done."""
        with self.lock:
            self.done += share
            for listener in self.listeners:
                listener(min(1.0, self.done / self.total))

    def all(self) -> None:
        from rosenblatt.engine.run import interrupt_flag

        together, alone = _groups(self.candidates, self.settings)
        tasks: list[Callable[[], None]] = []
        for group in together:
            if not self._pays(group):
                alone += group.numbers
                continue
            for part, fold in self._shares(group):
                tasks.append(lambda group=group, part=part, fold=fold: self._together(group, part, fold))  # type: ignore[misc]
        for number in sorted(alone):
            for fold in range(len(self.problem.folds)):
                tasks.append(lambda number=number, fold=fold: self._alone(number, fold))  # type: ignore[misc]
        with interrupt_flag() as self.stopped, warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # every fit would say the same
            if self.jobs == 1 or len(tasks) == 1:
                for task in tasks:
                    self._unless_stopped(task)
            else:
                pool = ThreadPoolExecutor(self.jobs)
                try:
                    waiting = {pool.submit(self._unless_stopped, task) for task in tasks}
                    while waiting:  # awake now and then, to hear Ctrl-C
                        finished, waiting = wait(waiting, timeout=0.1, return_when=FIRST_EXCEPTION)
                        for future in finished:
                            future.result()
                finally:
                    pool.shutdown(cancel_futures=True)

    def _unless_stopped(self, task: Callable[[], None]) -> None:
        from rosenblatt.engine.tile_run import SearchInterrupted

        if self.stopped() or self.interrupted:
            self.interrupted = True
            return
        try:
            task()
        except SearchInterrupted:
            self.interrupted = True

    def _alone(self, number: int, fold: int, share: float = 1.0) -> None:
        estimator = clone(self.candidates[number])
        last = _last(estimator)
        if self.jobs > 1 and getattr(last, "n_jobs", 1) is None:
            last.set_params(n_jobs=1)
        score = self.problem.fit_alone(estimator, fold)
        if getattr(last, "stop_reason_", "") == "interrupted":
            self.interrupted = True
            return
        self.scores[number, fold] = score
        self._advance(share)

    def _lanes(self) -> int:
        """The half-spaces of one setting."""
        n_classes = len(np.unique(self.problem.y))
        return 1 if n_classes == 2 else n_classes

    def _pays(self, group: _Group) -> bool:
        """Whether the group learns faster together. Where steps come before the learner, they are fitted only once."""
        return group.front is not None or pays(self.problem.X, len(group.members), self._lanes() * len(group.members))

    def _shares(self, group: _Group) -> list[tuple[list[int], int]]:
        """(members, fold) of every pass: as many members as fit, part after part, each on all folds."""
        members, n_folds = list(range(len(group.members))), len(self.problem.folds)
        if group.front is not None:
            return [(members, fold) for fold in range(n_folds)]
        X, lanes = self.problem.X, self._lanes()
        weights = X.shape[1] * weight_dtype(X.dtype).itemsize
        weights *= 1 + any(member.answer == "averaged" for member in group.members)
        most = max(1, max(LEAST_LANES, TILE_BYTES // weights) // lanes)
        parts = np.array_split(members, -(-len(members) // most))
        shares = [(part.tolist(), fold) for part in parts for fold in range(n_folds)]
        over = len(shares) % self.jobs
        if over:  # the last passes are cut, so that no thread waits for another
            cut = [
                (piece.tolist(), fold)
                for part, fold in shares[-over:]
                for piece in np.array_split(part, min(self.jobs, len(part)))
            ]
            shares[-over:] = cut
        return shares

    def _together(self, group: _Group, part: list[int], number: int) -> None:
        from rosenblatt.engine.compiled import explained
        from rosenblatt.engine.tile_run import train_together

        problem, fold = self.problem, self.problem.folds[number]
        leader = clone(group.members[part[0]])
        weights: Array | None
        if group.front is None:
            X, y, weights, (X_test, y_test) = problem.X, problem.y, problem.row_weights(fold), problem.test(number)
        else:
            front = clone(group.front)
            y, y_test = problem.y[fold.train], problem.y[fold.test]
            X = front.fit_transform(_safe_indexing(problem.X, fold.train), y)
            X_test = front.transform(_safe_indexing(problem.X, fold.test))
            weights = None if problem.weights is None else problem.weights[fold.train]
        X, y = check_rows_and_labels(leader, X, y, reset=True, finite=group.front is not None)
        leader.classes_ = np.unique(y)
        task = training.task_of(leader, X, y, weights, listening=False)
        # Settings that differ in the answer alone are the same half-spaces.
        params, places = np.unique(
            np.array([group.members[n]._learning_rule()[1] for n in part], np.float64).reshape(len(part), -1),
            axis=0,
            return_inverse=True,
        )
        told = 0.0

        def tell(done: float) -> None:
            nonlocal told
            self._advance(0.9 * (done - told) * len(part))
            told = done

        with explained(task.rule, task.params.shape[1]):
            endings = train_together(
                task, X.shape[1], weight_dtype(X.dtype), params, max_iter=int(leader.max_iter),
                seed=training.seed_of(leader), tol=leader.tol,
                averages=any(group.members[n].answer == "averaged" for n in part),
                interrupted=self.stopped, on_progress=tell,
            )  # fmt: skip
        for n, place in zip(part, places.ravel(), strict=True):
            ending = endings[place]
            if ending.state is None:
                self._alone(group.numbers[n], number, share=0.0)
                continue
            fitted = _fitted(clone(group.members[n]), leader, ending)
            self.scores[group.numbers[n], number] = problem.judge(fitted, X_test, y_test)
            with self.lock:
                self.fused += 1
        self._advance((1.0 - 0.9 * told) * len(part))


def _groups(candidates: list[Any], settings: list[dict[str, Any]]) -> tuple[list[_Group], list[int]]:
    """(groups of settings that can learn together, the settings that cannot)."""
    groups: dict[Any, _Group] = {}
    alone: list[int] = []
    for number, candidate in enumerate(candidates):
        learner = _last(candidate)
        key = _company(learner)
        if key is None:
            alone.append(number)
            continue
        front = candidate[:-1] if isinstance(candidate, Pipeline) and len(candidate) > 1 else None
        if front is not None:  # the grid's own objects tell settings of the steps in front apart
            last = f"{candidate.steps[-1][0]}__"
            known = candidate.get_params()
            own = [name for name in settings[number] if name in known and not name.startswith(last)]
            key = (*key, *((name, id(settings[number][name])) for name in own))
        group = groups.setdefault(key, _Group([], [], front))
        group.numbers.append(number)
        group.members.append(learner)
    return list(groups.values()), alone


def _company(learner: Any) -> Any:
    """What learners must have in common to learn together, or None for one that has to learn alone."""
    from rosenblatt.engine.compiled import fingerprint

    if not isinstance(learner, LinearClassifier) or type(learner)._train is not LinearClassifier._train:
        return None
    learner._check_parameters()
    if learner.multi_class != "ovr" or learner.answer not in ("last", "averaged") or learner.time_limit is not None:
        return None
    rule, params = learner._learning_rule()
    return (
        type(learner), fingerprint(rule.function), rule.weighted_index, len(params), int(learner.max_iter), learner.tol,
        bool(learner.shuffle), learner.random_state, bool(learner.fit_intercept), learner._shrinks_intercept(),
        repr(learner.class_weight),
    )  # fmt: skip


def pays(X: Any, settings: int, lanes: int) -> bool:
    """Whether so many settings, of so many half-spaces together, learn faster side by side than each alone.

    Laying a row out for all costs as much as a few half-spaces that read it themselves: measured, 10 to 784 features.
    """
    return settings > 1 and lanes >= (FEW_SPARSE if issparse(X) else FEW_DENSE)


def _fitted(learner: Any, leader: Any, ending: Any) -> Any:
    """The learner as its own `fit` would have left it, but for answers that nobody asked for."""
    for name in ("classes_", "n_features_in_", "feature_names_in_"):
        if hasattr(leader, name):
            setattr(learner, name, getattr(leader, name))
    learner._state = ending.state
    learner._pocket = learner._committee = None
    learner._models = {}
    learner._listening = False
    epochs = [Epoch(n, 0, mistakes, 0.0, 0.0) for n, mistakes in enumerate(ending.mistakes, 1)]
    learner.trace_, learner.stop_reason_ = Trace(epochs, ending.stop_reason), ending.stop_reason
    learner.n_iter_, learner._mistakes = len(epochs), sum(ending.mistakes)
    return learner
