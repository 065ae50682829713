"""The work of a search: which settings learn together, and the passes that fill the table of scores."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import Pipeline

from rosenblatt.engine.online.state import Array, weight_dtype
from rosenblatt.estimators.linear import LinearClassifier
from rosenblatt.estimators.running import seed_of
from rosenblatt.estimators.search_folds import Problem, last_step, share_threads
from rosenblatt.estimators.validation import check_rows_and_labels
from rosenblatt.interrupts import listening, pressed
from rosenblatt.scikit_private import rows_at
from rosenblatt.trace import Epoch, Trace

TILE_BYTES = 640 * 2**10  # of weights that stay near one core
LEAST_LANES = 64  # side by side, however many features there are
FEW_DENSE, FEW_SPARSE = 8, 4  # half-spaces; with fewer, separate fits are faster


@dataclass
class Group:
    """Settings that can learn together, by their numbers."""

    numbers: list[int]
    members: list[Any]  # the learners: last steps of pipelines
    front: Any = None  # the steps before the last, not fitted


class Run:
    """Fills the table of scores, on several threads, until done or interrupted."""

    def __init__(self, problem: Problem, candidates: list[Any], settings: list[dict[str, Any]], jobs: int) -> None:
        self.problem, self.candidates, self.settings, self.jobs = problem, candidates, settings, jobs
        self.scores = np.full((len(candidates), len(problem.folds)), np.nan)
        self.fused = 0
        self.inner = 1  # threads of a single fit
        self.interrupted = False
        self.stopped: Callable[[], bool] = lambda: False
        self.lock = threading.Lock()
        self.done = self.total = 0  # passes
        self.listeners: list[Callable[[float], None]] = []

    def all(self) -> None:
        from rosenblatt.engine.online.stopping import interrupt_flag
        from rosenblatt.engine.threads import one_blas_thread

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
        self.total = len(tasks)
        self.inner = max(1, self.jobs // max(1, len(tasks)))
        with interrupt_flag() as flagged, listening(), one_blas_thread(), warnings.catch_warnings():
            # A fit inside has a flag of its own, and may forget what came in its last moment.
            self.stopped = lambda: flagged() or pressed()
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
        from rosenblatt.engine.grid.epochs import SearchInterrupted

        if self.stopped() or self.interrupted:
            self.interrupted = True
            return
        try:
            task()
        except SearchInterrupted:
            self.interrupted = True
        with self.lock:
            self.done += not self.interrupted
            for listener in self.listeners:
                listener(self.done / self.total)

    def _alone(self, number: int, fold: int) -> None:
        estimator = clone(self.candidates[number])
        last = last_step(estimator)
        share_threads(last, self.inner)
        score = self.problem.fit_alone(estimator, fold)
        if getattr(last, "stop_reason_", "") == "interrupted":
            self.interrupted = True
            return
        self.scores[number, fold] = score

    def _lanes(self) -> int:
        """The half-spaces of one setting."""
        n_classes = len(np.unique(self.problem.y))
        return 1 if n_classes == 2 else n_classes

    def _pays(self, group: Group) -> bool:
        """Whether the group learns faster together. Where steps come before the learner, they are fitted only once.

        Laying a row out for all costs as much as a few half-spaces that read it: measured, 10 to 784 features.
        """
        count, few = len(group.members), FEW_SPARSE if issparse(self.problem.X) else FEW_DENSE
        return group.front is not None or (count > 1 and count * self._lanes() >= few)

    def _shares(self, group: Group) -> list[tuple[list[int], int]]:
        """(members, fold) of every pass: as many members as fit, part after part, each on all folds."""
        members, n_folds = list(range(len(group.members))), len(self.problem.folds)
        if group.front is not None:
            return [(members, fold) for fold in range(n_folds)]
        X, lanes = self.problem.X, self._lanes()
        weights = X.shape[1] * weight_dtype(X.dtype).itemsize
        weights *= 1 + any(member.answer != "last" for member in group.members)
        most = max(1, max(LEAST_LANES, TILE_BYTES // weights) // lanes)
        dense = 0 if issparse(X) else FEW_DENSE

        def time(parts: int) -> int:
            """Of the busiest thread, in half-spaces: laying rows out for a pass costs as much as a few of them."""
            passes = -(-parts * n_folds // self.jobs)
            return passes * (lanes * -(-len(members) // parts) + dense)

        parts = min(range(-(-len(members) // most), len(members) + 1), key=time)
        return [(part.tolist(), fold) for part in np.array_split(members, parts) for fold in range(n_folds)]

    def _together(self, group: Group, part: list[int], number: int) -> None:
        from rosenblatt.engine.compile.jit import explained
        from rosenblatt.engine.grid.epochs import train_together

        problem, fold = self.problem, self.problem.folds[number]
        leader = clone(group.members[part[0]])
        weights: Array | None
        if group.front is None:
            X, y, weights, (X_test, y_test) = problem.X, problem.y, problem.row_weights(fold), problem.test(number)
        else:
            front = clone(group.front)
            y, y_test = problem.y[fold.train], problem.y[fold.test]
            X = front.fit_transform(rows_at(problem.X, fold.train), y)
            X_test = front.transform(rows_at(problem.X, fold.test))
            weights = None if problem.weights is None else problem.weights[fold.train]
        X, y = check_rows_and_labels(leader, X, y, reset=True, finite=group.front is not None)
        leader.classes_ = np.unique(y)
        task = leader._task(X, y, weights, listening=False)
        # Settings that differ in the answer alone are the same half-spaces.
        params, places = np.unique(
            np.array([group.members[n]._learning_rule()[1] for n in part], np.float64).reshape(len(part), -1),
            axis=0,
            return_inverse=True,
        )
        with explained(task.rule, task.params.shape[1]):
            endings = train_together(
                task, X.shape[1], weight_dtype(X.dtype), params, max_iter=int(leader.max_iter),
                seed=seed_of(leader), tol=leader.tol,
                averages=any(group.members[n].answer != "last" for n in part),
                interrupted=self.stopped,
            )  # fmt: skip
        for n, place in zip(part, places.ravel(), strict=True):
            ending = endings[place]
            if ending.state is None:
                self._alone(group.numbers[n], number)
                continue
            fitted = _fitted(clone(group.members[n]), leader, ending)
            self.scores[group.numbers[n], number] = problem.score(fitted, X_test, y_test)
            with self.lock:
                self.fused += 1


def _groups(candidates: list[Any], settings: list[dict[str, Any]]) -> tuple[list[Group], list[int]]:
    """(groups of settings that can learn together, the settings that cannot)."""
    groups: dict[Any, Group] = {}
    alone: list[int] = []
    for number, candidate in enumerate(candidates):
        learner = last_step(candidate)
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
        group = groups.setdefault(key, Group([], [], front))
        group.numbers.append(number)
        group.members.append(learner)
    return list(groups.values()), alone


def _company(learner: Any) -> Any:
    """What learners must have in common to learn together, or None for one that has to learn alone."""
    from rosenblatt.engine.compile.jit import fingerprint

    if not isinstance(learner, LinearClassifier) or type(learner)._train is not LinearClassifier._train:
        return None
    learner._check_parameters()
    if learner.multi_class != "ovr" or learner.answer in ("voted", "pocket") or learner.time_limit is not None:
        return None
    rule, params = learner._learning_rule()
    return (
        type(learner), fingerprint(rule.function), rule.weighted_index, len(params), int(learner.max_iter), learner.tol,
        bool(learner.shuffle), learner.random_state, bool(learner.fit_intercept), learner._shrinks_intercept(),
        repr(learner.class_weight),
    )  # fmt: skip


def _fitted(learner: Any, leader: Any, ending: Any) -> Any:
    """The learner as its own `fit` would have left it, but for answers that were not asked for."""
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
