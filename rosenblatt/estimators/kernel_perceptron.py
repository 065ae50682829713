"""The kernel perceptron (lecture rows L10 to L12): exact and in order, at the speed of matrix products."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
import scipy.sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from rosenblatt.arguments import as_float, shortened
from rosenblatt.engine.kernel.state import Expansion
from rosenblatt.engine.online.state import Array
from rosenblatt.estimators import kernel_answers, kernel_online, kernel_stored, kernel_training, one_by_one, training
from rosenblatt.estimators.classes import check_kind, half_space_count
from rosenblatt.estimators.linear import ANSWERS, CHOICES, RECORDS
from rosenblatt.estimators.missing import MissingFunction
from rosenblatt.estimators.named_features import Names
from rosenblatt.estimators.scoring import accuracy
from rosenblatt.estimators.validation import (
    as_before,
    check_choice,
    check_common,
    check_label,
    check_positive,
    check_rows,
    check_rows_and_labels,
    check_weight,
    unchanged_on_failure,
    with_declared,
)
from rosenblatt.kernels import Precomputed, as_kernel
from rosenblatt.kernels.mercer import check_matrix
from rosenblatt.models import KernelModel, LinearModel, VotedKernelModel
from rosenblatt.stored import Sizes, Stored
from rosenblatt.trace import Epoch


class KernelPerceptron(Stored, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """The perceptron in the space of a kernel's features.

    The weights are a sum over rows, w = sum_i alpha_i y_i φ(x_i), and only inner products K(x, x') = φ(x)·φ(x') are
    ever needed. Starting at alpha = 0, the rows are visited in turn; on a mistake,

        y_i sum_j alpha_j y_j K(x_j, x_i) <= 0:      alpha_i <- alpha_i + 1,

    and an epoch that changes nothing ends the run. Rows are taken in blocks: inside a block one by one, outside it by
    matrix products, so that the updates are the sequential algorithm's own.

    Parameters
    ----------
    kernel : str, kernel object or callable
        "linear" x·y; "polynomial" (gamma x·y + coef0)^degree; "rbf" exp(-gamma ‖x - y‖²); "gaussian"
        exp(-‖x - y‖² / 2 sigma²); "sigmoid" tanh(gamma x·y + coef0); "precomputed": X is the square matrix of
        values, and `predict` takes K(new rows, training rows); an object of `rosenblatt.kernels`; or a function of
        two blocks of rows that returns the matrix of values.
    degree, gamma, coef0, sigma
        The numbers in the formulas. `gamma` is a number, "scale" (1 / (n_features X.var()), as in scikit-learn), or
        None: 1 for the polynomial kernel, "scale" for the others; on a stream 1 / n_features, since the rows are not
        known yet.
    answer : {"auto", "last", "averaged", "voted", "pocket"}
        What `predict` uses: the last weights; the mean of the weights after each example; the vote of all weight
        vectors, each with the number of examples it survived; or the weights with the fewest errors on the training
        rows, of those that an epoch ended with. "auto" is the average if `fit` ended without a clean pass, else the
        last weights, which then separate the rows (online, the last weights). One fit has them all in ``answers_``.
    max_iter : int
        The limit on epochs.
    tol : float or None
        Stop when the mistakes of an epoch have not fallen by this fraction for 5 epochs, of at least 20,000 examples
        together. None, or fewer than 1,000 rows, go on until a clean pass or `max_iter`.
    time_limit, shuffle, class_weight, random_state, verbose
        As in `Perceptron`.
    fit_intercept : bool
        Adds 1 to the kernel, which is a bias. Usual kernels need none.
    multi_class : {"ovr", "coupled"}
        One half-space for each class against the rest, all with the same kernel values; or all classes together.
    drop_after : int or None
        A row whose counter in any half-space reaches this number is taken for an outlier: its whole contribution is
        subtracted, and it is not visited again. See ``dropped_``. The average and the vote are still those of all
        weights that the run has passed through.
    budget : int or None
        At most this many support vectors. When there is one too many, the one whose last mistake is longest ago is
        forgotten. The voted answer needs every update and is not there under a budget.
    device : {"cpu", "cuda"}
        Where to compute; "cuda" needs a GPU and CuPy.
    cache_size : float
        Megabytes of kernel columns that are remembered during a fit on the CPU, for rows that err more than once.
    block_size : int or None
        Rows that are visited at a time. The updates are the same for any number.
    n_jobs : int or None
        Threads over which blocks of kernel values are spread; None is as many as the process may use. The result is
        the same bits for any number.

    Attributes
    ----------
    support_ : array of shape (n_support,)
        The numbers of the rows with a coefficient in the chosen answer. While learning online, rows are numbered in
        the order in which they came.
    support_vectors_ : array of shape (n_support, n_features)
    dual_coef_ : array of shape (1 or n_classes, n_support)
        Their coefficients, as in scikit-learn: a score is ``dual_coef_ @ K(support_vectors_, x)``.
    mistake_counts_ : array of shape (n_samples,) or (n_samples, n_classes)
        alpha: how often each row was a mistake, for each half-space; 0 for rows that were dropped or forgotten.
    dropped_ : array
        The rows that `drop_after` took out, in the order in which they left.
    kernel_ : kernel object
        The kernel with its numbers.
    classes_, n_features_in_, feature_names_in_, n_iter_, answers_, trace_, stop_reason_, mistakes_
        As in `Perceptron`.

    Examples
    --------
    >>> from rosenblatt import KernelPerceptron
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> model = KernelPerceptron("polynomial", degree=2, shuffle=False).fit(X, [0, 1, 1, 0])  # exclusive or
    >>> model.predict(X).tolist(), model.stop_reason_
    ([0, 1, 1, 0], 'converged')
    >>> model.mistake_counts_.tolist()
    [7, 5, 5, 4]

    References
    ----------
    M. A. Aizerman, E. M. Braverman, L. I. Rozonoer (1964). Theoretical foundations of the potential function method
    in pattern recognition learning. Automation and Remote Control 25.
    Y. Freund, R. E. Schapire (1999). Large margin classification using the perceptron algorithm. Machine
    Learning 37(3).
    """

    _state: Expansion
    _store: Any
    _pocket: Any
    _models: dict[str, Any]
    _mistakes: int
    _listening: bool
    _names: Names  # of features, where examples are dicts

    _stored = kernel_stored.FITTED
    _stored_parameters = kernel_stored.PARAMETERS
    _stored_codes = ("kernel",)
    _not_stored = ("_models", "_store")

    def __init__(
        self,
        kernel: Any = "rbf",
        *,
        degree: int = 3,
        gamma: Any = None,
        coef0: float = 1.0,
        sigma: float = 1.0,
        answer: str = "auto",
        max_iter: int = 20,
        tol: float | None = 1e-3,
        time_limit: float | None = None,
        shuffle: bool = True,
        fit_intercept: bool = False,
        multi_class: str = "ovr",
        class_weight: Any = None,
        drop_after: int | None = None,
        budget: int | None = None,
        random_state: Any = None,
        device: str = "cpu",
        cache_size: float = 200,
        block_size: int | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.sigma = sigma
        self.answer = answer
        self.max_iter = max_iter
        self.tol = tol
        self.time_limit = time_limit
        self.shuffle = shuffle
        self.fit_intercept = fit_intercept
        self.multi_class = multi_class
        self.class_weight = class_weight
        self.drop_after = drop_after
        self.budget = budget
        self.random_state = random_state
        self.device = device
        self.cache_size = cache_size
        self.block_size = block_size
        self.n_jobs = n_jobs
        self.verbose = verbose

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = not self._precomputed
        tags.input_tags.pairwise = self._precomputed
        return tags

    @property
    def _precomputed(self) -> bool:
        if isinstance(self.kernel, str):
            return self.kernel == "precomputed"
        return self.kernel is Precomputed or isinstance(self.kernel, Precomputed)

    @property
    def _fitted_precomputed(self) -> bool:
        """What the fit used; `set_params` speaks about the next one."""
        return isinstance(self.kernel_, Precomputed) if hasattr(self, "kernel_") else self._precomputed

    @property
    def _fitted_intercept(self) -> bool:
        """What the fit used; `set_params` speaks about the next one."""
        return bool(self.__dict__.get("_intercept", self.fit_intercept))

    @property
    def _coupled(self) -> bool:
        """What the fit used; `set_params` speaks about the next one."""
        return bool(self.__dict__.get("_together", self.multi_class == "coupled"))

    # ------------------------------------------------------------------ training

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        eval_set: tuple[Any, Any] | None = None,
        on_epoch: Callable[[Epoch], object] | None = None,
        record: str | tuple[str, ...] | None = None,
    ) -> Self:
        """Learn from rows until a clean pass, or until another reason to stop; see `Perceptron.fit`.

        Parameters
        ----------
        X : array or CSR matrix of shape (n_samples, n_features)
            For a precomputed kernel the square matrix of its values.
        y : array of shape (n_samples,)
        sample_weight : array of shape (n_samples,), optional
            Multiplies the step. A weight of 0 is the row left out.
        eval_set : (X_test, y_test), optional
            Records the test error of the last weights after every epoch in ``trace_``.
        on_epoch : callable, optional
            Called with the `Epoch` row after every epoch; returning something true stops the run.
        record : "updates", "train_error" or both, optional
            "train_error" adds the training error after every epoch; "updates" keeps every update in
            ``trace_.updates``.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If rows or labels cannot be used (another number of them, NaN, text, one class only) or a parameter is out
            of its range. The sentence says what to do, and an earlier fit stays as it was.
        """
        with unchanged_on_failure(self) as before:
            self._check_parameters()
            recorded = tuple(record or ()) if isinstance(record, tuple | list | type(None)) else (record,)
            for name in recorded:
                check_choice("record", name, RECORDS)
            if on_epoch is not None and not callable(on_epoch):
                raise ValueError(
                    f"on_epoch must be a function of an epoch's row, but got {shortened(on_epoch)}; pass a function."
                )
            watched = None if on_epoch is None else as_before(self, before, on_epoch)
            one_by_one.forget_names(self)
            self.__dict__.pop("kernel_", None)
            X, y = self._check_rows_and_labels(X, y, reset=True)
            if self._precomputed:
                check_matrix(X)
            self.classes_ = np.unique(y)
            if len(self.classes_) < 2:
                raise ValueError(
                    f"y must hold at least 2 classes, but got 1 class ({self.classes_.item(0)!r}); add rows of another "
                    f"class, or use partial_fit, where classes may appear later."
                )
            self.kernel_ = kernel_training.kernel_of(self, X, batch=False)
            self._intercept, self._together = bool(self.fit_intercept), self.multi_class == "coupled"
            self._listening = False
            task = kernel_training.task_of(self, self.kernel_, X, y, sample_weight, batch=False)
            if len(task.kept) == 0:
                raise ValueError(
                    "Sample weights must contain at least one non-zero number, but every row has the weight 0; "
                    "give the rows to learn from a weight."
                )
            kernel_training.warn_of_kernel(self.kernel_, X)
            self._models = {}
            kernel_training.run(self, task, eval_set, watched, recorded)
            return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn on from one batch, in the order of its rows. Classes may appear in any batch.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`, but a batch may hold a single class.
        classes : array, optional
            Classes that are known to exist. Not needed; see `Perceptron.partial_fit`.

        Returns
        -------
        self
        """
        with unchanged_on_failure(self):
            self._check_parameters()
            kernel_online.check_online(self)
            one_by_one.refuse_rows_after_dicts(self)
            first = not hasattr(self, "_state")
            X, y = self._check_rows_and_labels(X, y, reset=first)
            labels = np.unique(y if classes is None else with_declared(y, classes))
            kernel_online.learn_batch(self, X, y, labels, sample_weight)
        training.pass_on_interrupt(self)
        return self

    def learn_one(self, x: Any, y: Any, w: float = 1.0) -> None:
        """Learn from one example: a row of numbers, or a dict of named features (names may be new)."""
        with unchanged_on_failure(self):
            self._check_parameters()
            kernel_online.check_online(self)
            label = check_label(y)
            if len(self.__dict__.get("classes_", ())):
                check_kind(self.classes_, label)
            weight = check_weight(w)
            row = kernel_online.checked_row(self, x, learn=weight > 0.0)
            if weight == 0.0:
                return
            if not hasattr(self, "_state"):
                self.n_features_in_ = row.shape[1]
            kernel_online.learn_batch(self, row, label, label, None if weight == 1.0 else [weight])
        training.pass_on_interrupt(self)

    def predict_one(self, x: Any) -> Any:
        """The class of one example, or None before anything was learned."""
        if not hasattr(self, "_state") or len(self.classes_) == 0:
            return None
        return self._model(self._chosen).predict(kernel_online.checked_row(self, x, learn=False)).tolist()[0]

    def learn_many(self, X: Any, y: Any, w: Any = None) -> None:
        """Learn from several examples, exactly as from one after another; all are looked at before the first.

        `partial_fit` is quicker for many rows. It takes gamma='scale' from all rows of its first batch, this from the
        first row alone.

        Parameters
        ----------
        X : array, frame, or list of rows or dicts
        y : a label for each
        w : a weight for each, optional

        Examples
        --------
        >>> model = KernelPerceptron(gamma=1.0)
        >>> model.learn_many([{"x": 0.0}, {"x": 1.0}, {"x": 2.0}] * 5, ["no", "yes", "no"] * 5)
        >>> model.predict_many([{"x": 0.9}, {"x": 2.2}]).tolist()
        ['yes', 'no']
        """
        kernel_online.learn_many(self, X, y, w)

    def predict_many(self, X: Any) -> Array:
        """The class of each of several examples: an array, a frame, or a list of rows or dicts."""
        examples = kernel_online.examples_of(self, X)
        if not examples:
            return np.empty(0, self.classes_.dtype if hasattr(self, "classes_") else object)
        return np.array([self.predict_one(x) for x in examples])

    def _check_rows_and_labels(self, X: Any, y: Any, *, reset: bool) -> tuple[Any, Array]:
        X, y = check_rows_and_labels(self, X, y, reset=reset)
        return self._check_kind_of_rows(X), y

    def _check_kind_of_rows(self, X: Any) -> Any:
        if self._fitted_precomputed and scipy.sparse.issparse(X):
            X = X.toarray()
        if scipy.sparse.issparse(X) and not X.has_canonical_format:
            X = X.copy()  # the caller's matrix stays as it is
            X.sum_duplicates()
        if self._fitted_precomputed and X.dtype == np.uint8:
            X = X.astype(np.float64)
        if self.device == "cuda" and scipy.sparse.issparse(X):
            raise ValueError(
                "device='cuda' takes dense rows, but X is sparse; use device='cpu', or X.toarray() where it fits into "
                "memory."
            )
        return X

    def _check_parameters(self) -> None:
        check_choice("answer", self.answer, CHOICES)
        check_choice("multi_class", self.multi_class, ("ovr", "coupled"))
        check_choice("device", self.device, ("cpu", "cuda"))
        check_positive("max_iter", self.max_iter, "it limits the number of epochs", whole=True)
        check_positive("time_limit", self.time_limit, "it is in seconds; use None for no limit", none=True)
        check_positive("drop_after", self.drop_after, "use None to keep every row", whole=True, none=True)
        check_positive("budget", self.budget, "use None for as many support vectors as it takes", whole=True, none=True)
        check_positive("block_size", self.block_size, "use None for the engine's choice", whole=True, none=True)
        if not 0 <= as_float(self.cache_size) < np.inf:
            raise ValueError(
                f"cache_size must be a number of megabytes of at least 0, but got {shortened(self.cache_size)}; 0 "
                f"remembers nothing."
            )
        if self.tol is not None and not as_float(self.tol) >= 0:
            raise ValueError(f"tol must be None or at least 0, but got {shortened(self.tol)}; use None to go on.")
        if self.answer == "voted" and self.budget:
            raise ValueError(
                "answer='voted' needs every update, but budget forgets them; use another answer or budget=None."
            )
        check_common(self)
        if isinstance(self.kernel, MissingFunction):
            self.kernel.refuse("kernel")
        gamma = 1.0 if self.gamma is None or isinstance(self.gamma, str) else self.gamma
        as_kernel(self.kernel, degree=self.degree, gamma=gamma, coef0=self.coef0, sigma=self.sigma)
        if self.device == "cuda":
            from rosenblatt.engine.kernel.cuda import require_gpu

            require_gpu()

    # ------------------------------------------------------------------ answers

    @property
    def answers_(self) -> dict[str, KernelModel | VotedKernelModel | LinearModel]:
        """The models that this one fit gives, by name."""
        check_is_fitted(self)
        return {name: self._model(name) for name in ANSWERS if kernel_answers.has(self, name)}

    @property
    def _chosen(self) -> str:
        """What `predict` uses: "auto" is the last weights after a clean pass and online, else the average."""
        check_choice("answer", self.answer, CHOICES)
        if self.answer != "auto":
            return self.answer
        return "last" if self.stop_reason_ in ("converged", "") else "averaged"

    def _model(self, name: str) -> Any:
        stamp = (id(self._state), self._state.seen, self._state.updates, len(self.classes_))
        if self._models.get("stamp") != stamp:
            self._models.clear()
            self._models["stamp"] = stamp
        if name not in self._models:
            self._models[name] = kernel_answers.model_of(self, name)
        return self._models[name]

    def decision_function(self, X: Any) -> Array:
        """The scores: (n_samples,) for two classes, (n_samples, n_classes) for more."""
        return self._model(self._ready_to_answer()).decision_function(self._check_new_rows(X))

    def predict(self, X: Any) -> Array:
        """The class of every row; a score of 0 is the second class."""
        return self._model(self._ready_to_answer()).predict(self._check_new_rows(X))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The fraction of rows that are answered correctly."""
        return accuracy(self, X, y, sample_weight)

    def _ready_to_answer(self) -> str:
        check_is_fitted(self)
        return self._chosen

    def _check_new_rows(self, X: Any) -> Any:
        one_by_one.refuse_rows_after_dicts(self)
        return self._check_kind_of_rows(check_rows(self, X, reset=False))

    # ------------------------------------------------------------------ what was learned

    def _fitted(self, attribute: str) -> None:
        if not hasattr(self, "_state"):
            raise AttributeError(f"{type(self).__name__} has no {attribute} before it is fitted; call fit first.")

    def _support(self, attribute: str) -> tuple[Array, Array]:
        self._fitted(attribute)
        if self._chosen == "voted":
            state = self._state
            slots = np.arange(state.size)
            return slots[np.argsort(state.numbers[slots], kind="stable")], np.empty(0)
        return kernel_answers.chosen(self, self._chosen)

    @property
    def support_(self) -> Array:
        """The numbers of the support vectors, in increasing order."""
        slots, _ = self._support("support_")
        return self._state.numbers[slots]

    @property
    def support_vectors_(self) -> Any:
        """The rows that have a coefficient; empty where the kernel is precomputed."""
        slots = self._support("support_vectors_")[0]
        return np.empty((0, 0)) if self._fitted_precomputed else kernel_answers.rows_in(self, slots)

    @property
    def dual_coef_(self) -> Array:
        """The coefficients of the support vectors, one row for each half-space. The voted answer has none."""
        _, coefficients = self._support("dual_coef_")
        if self._chosen == "voted":
            raise AttributeError(
                "The voted answer is a committee of weight vectors and has no dual_coef_; use answers_['last'] or "
                "answers_['averaged']."
            )
        return np.ascontiguousarray(coefficients.T)

    @property
    def mistake_counts_(self) -> Array:
        """How often each row was a mistake, one column for each half-space; a vector where there is one."""
        self._fitted("mistake_counts_")
        state = self._state
        count = half_space_count(len(self.classes_), self._coupled)
        counts = np.zeros((state.shown, state.count), np.int64)
        counts[state.numbers[: state.size]] = state.counts[: state.size]
        return counts[:, 0] if count == 1 else counts[:, :count]

    @property
    def dropped_(self) -> Array:
        """The numbers of the rows that were taken for outliers, in the order in which they left."""
        self._fitted("dropped_")
        return np.array(self._state.dropped, np.int64)

    @property
    def mistakes_(self) -> int:
        """Rows that were answered wrongly, or with a score of 0, when they were visited."""
        self._fitted("mistakes_")
        return self._mistakes

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = dict(super().__getstate__())
        if "_models" in state:
            state["_models"] = {}
        return state

    def _to_fitted(self) -> dict[str, Any]:
        return kernel_stored.to_fitted(self, super()._to_fitted())

    def _set_fitted(self, fitted: dict[str, Any]) -> None:
        super()._set_fitted(kernel_stored.from_fitted(fitted))

    def _check_fitted(self, sizes: Sizes) -> None:
        kernel_stored.check(self)
