"""The kernel perceptron (lecture rows L10 to L12): exact and in order, at the speed of matrix products."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import Any, Self

import numpy as np
import scipy.sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from rosenblatt.arguments import as_float, shortened
from rosenblatt.engine.dual_state import Expansion
from rosenblatt.engine.dual_values import aligned
from rosenblatt.engine.state import Array, weight_dtype
from rosenblatt.estimators import kernel_training, one_by_one, training
from rosenblatt.estimators.classes import arrange_classes, check_kind, half_space_count
from rosenblatt.estimators.committee import _tally, _tally_together
from rosenblatt.estimators.linear import ANSWERS, RECORDS
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
from rosenblatt.kernels import Function, Kernel, Precomputed, as_kernel
from rosenblatt.kernels.mercer import check_matrix
from rosenblatt.models import KernelModel, LinearModel, VotedKernelModel
from rosenblatt.models.voted import survival_counts
from rosenblatt.trace import Epoch, Trace


class KernelPerceptron(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
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
    answer : {"last", "averaged", "voted", "pocket"}
        What `predict` uses: the last weights; the mean of the weights after each example; the vote of all weight
        vectors, each with the number of examples it survived; or the weights with the fewest errors on the training
        rows, of those that an epoch ended with. One fit has them all.
    max_iter, tol, time_limit, shuffle, class_weight, random_state, verbose
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
        Threads for the matrix products; None is one for each core. The result is the same bits for any number.

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

    def __init__(
        self,
        kernel: Any = "rbf",
        *,
        degree: int = 3,
        gamma: Any = None,
        coef0: float = 1.0,
        sigma: float = 1.0,
        answer: str = "last",
        max_iter: int = 100,
        tol: float | None = None,
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
                    "sample_weight must be above 0 for at least one row, but every row weighs 0; "
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
            self._check_online()
            one_by_one.refuse_rows_after_dicts(self)
            first = not hasattr(self, "_state")
            X, y = self._check_rows_and_labels(X, y, reset=first)
            labels = np.unique(y if classes is None else with_declared(y, classes))
            self._learn_batch(X, y, labels, sample_weight)
        training.pass_on_interrupt(self)
        return self

    def _learn_batch(self, X: Any, y: Array, labels: Array, sample_weight: Any) -> None:
        first = not hasattr(self, "_state")
        if first:
            self.kernel_ = kernel_training.kernel_of(self, X, batch=True)
            self._intercept, self._together = bool(self.fit_intercept), self.multi_class == "coupled"
            kernel_training.warn_of_kernel(self.kernel_, X)
            self._start_online(weight_dtype(X.dtype))
        elif isinstance(self.kernel_, MissingFunction):
            self.kernel_ = self._usable_kernel()
        if len(self.classes_):
            check_kind(self.classes_, labels)
        if isinstance(self.kernel_, Function):  # which may fail in the middle of a batch
            self._state, self._store, self._pocket = deepcopy((self._state, self._store, self._pocket))
        self._listen()
        self._admit(labels)
        task = kernel_training.task_of(self, self.kernel_, X, y, sample_weight, batch=True)
        if task.dtype != self._state.dtype:
            self._state.dtype = task.dtype
            self._store = None if self._store is None else self._store.cast(task.dtype)
        self._models = {}
        kernel_training.pass_once(self, task)

    def _listen(self) -> None:
        """Have a shadow for late classes or none; under a budget it would take the room of support vectors."""
        wanted = not self._coupled and not self.budget
        if wanted != self._listening:
            sources = [*range(self._state.count), -1] if wanted else [*range(self._state.count - 1)]
            self._state = self._state.select(sources, [1.0] * len(sources))
            self._listening = wanted

    def _start_online(self, dtype: Any) -> None:
        from rosenblatt.engine.dual_run import DualPocket

        self.classes_ = np.empty(0, object)
        self._state = Expansion(0, dtype)
        if self.budget:
            self._state.history = None
        self._store, self._pocket = None, DualPocket()
        self._listening = False
        self.n_iter_ = self._mistakes = 0
        self.trace_, self.stop_reason_ = Trace(), ""

    def _admit(self, labels: Array) -> None:
        """Give every class among `labels` that is new a place."""
        from rosenblatt.engine.dual_run import DualPocket

        arranged = arrange_classes(self.classes_, labels, self._coupled)
        if arranged is None:
            return
        known = half_space_count(len(self.classes_), self._coupled)
        self.classes_, sources, signs = arranged
        if not self._coupled and not self._listening:  # no shadow to copy: what is new starts at zero
            sources, signs = [source if source < known else -1 for source in sources[:-1]], signs[:-1]
        self._state = self._state.select(sources, signs)
        self._pocket = DualPocket()

    def learn_one(self, x: Any, y: Any, w: float = 1.0) -> None:
        """Learn from one example: a row of numbers, or a dict of named features (names may be new)."""
        with unchanged_on_failure(self):
            self._check_parameters()
            self._check_online()
            label = check_label(y)
            if len(self.__dict__.get("classes_", ())):
                check_kind(self.classes_, label)
            weight = check_weight(w)
            row = self._check_row(x, learn=weight > 0.0)
            if weight == 0.0:
                return
            if not hasattr(self, "_state"):
                self.n_features_in_ = row.shape[1]
            self._learn_batch(row, label, label, None if weight == 1.0 else [weight])
        training.pass_on_interrupt(self)

    def predict_one(self, x: Any) -> Any:
        """The class of one example, or None before anything was learned."""
        if not hasattr(self, "_state") or len(self.classes_) == 0:
            return None
        return self._model(self.answer).predict(self._check_row(x, learn=False)).tolist()[0]

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
        kernel_training.learn_many(self, X, y, w)

    def predict_many(self, X: Any) -> Array:
        """The class of each of several examples: an array, a frame, or a list of rows or dicts."""
        examples = kernel_training.examples_of(self, X)
        if not examples:
            return np.empty(0, self.classes_.dtype if hasattr(self, "classes_") else object)
        return np.array([self.predict_one(x) for x in examples])

    def _named_row(self, x: Mapping[Any, Any], *, learn: bool) -> Any:
        """A dict as a sparse row over the names seen so far; new names are added when it is learned from."""
        names: Names = self.__dict__.get("_names") or Names(None)
        reading = names.read(x)
        if learn:
            if reading.new:
                names = deepcopy(names)  # what is refused later must leave no names behind
                names.add(reading.new)
            self._names, self.n_features_in_ = names, max(1, names.width)
        values, slots, _, _ = names.place(reading)
        shape = 1, max(1, names.width)
        return self._check_kind_of_rows(scipy.sparse.csr_array((values, slots, [0, len(slots)]), shape=shape))

    def _check_row(self, x: Any, *, learn: bool) -> Any:
        one_by_one.refuse_sparse(x)
        if isinstance(x, Mapping) and ("_names" in self.__dict__ or not hasattr(self, "_state")):
            return self._named_row(x, learn=learn)
        one_by_one.refuse_rows_after_dicts(self)
        if isinstance(x, Mapping):
            known = getattr(self, "feature_names_in_", None)
            if known is None:
                raise ValueError(
                    f"KernelPerceptron has learned from rows without feature names, but got a dict; pass a row of "
                    f"{self.n_features_in_} numbers, or start afresh with dicts."
                )
            missing = [name for name in known if name not in x]
            if missing:
                raise ValueError(
                    f"x must have the features {', '.join(known)}, but {missing[0]!r} is missing; add it to the dict."
                )
            x = [x[name] for name in known]
        try:
            row = np.asarray(x)
            if row.dtype not in (np.float64, np.float32, np.uint8):
                row = row.astype(np.float64)
        except OverflowError:
            raise ValueError(one_by_one.BEYOND_RANGE) from None
        except (TypeError, ValueError):
            raise ValueError(
                f"x must be a row of numbers, but got {type(x).__name__}; make it a one-dimensional array of numbers."
            ) from None
        if row.ndim != 1 or not len(row):
            raise ValueError(
                f"x must be one row, of shape (n_features,), but got shape {row.shape}; use partial_fit for several."
            )
        if hasattr(self, "_state") and len(row) != self.n_features_in_:
            raise ValueError(
                f"x has {len(row)} features, but KernelPerceptron is expecting {self.n_features_in_} features as "
                f"input; pass the ones it was fitted on."
            )
        if not np.isfinite(row).all():
            j = int(np.flatnonzero(~np.isfinite(row))[0])
            raise ValueError(f"x must be finite, but feature {j} is {row[j]}; leave the example out or fill it in.")
        return np.ascontiguousarray(row)[None, :]

    def _check_rows_and_labels(self, X: Any, y: Any, *, reset: bool) -> tuple[Any, Array]:
        X, y = check_rows_and_labels(self, X, y, reset=reset)
        return self._check_kind_of_rows(X), y

    def _check_kind_of_rows(self, X: Any) -> Any:
        if self._fitted_precomputed and scipy.sparse.issparse(X):
            X = X.toarray()
        if self._fitted_precomputed and X.dtype == np.uint8:
            X = X.astype(np.float64)
        if self.device == "cuda" and scipy.sparse.issparse(X):
            raise ValueError(
                "device='cuda' takes dense rows, but X is sparse; use device='cpu', or X.toarray() where it fits into "
                "memory."
            )
        return X

    def _check_online(self) -> None:
        if isinstance(self.class_weight, str):
            raise ValueError(
                f"class_weight must be a dict or None while learning online, but got {shortened(self.class_weight)}: "
                f"one batch does not tell how frequent the classes are; pass the weights as a dict."
            )
        if self._precomputed:
            raise ValueError(
                "kernel='precomputed' knows the values between the rows of one fit only, and cannot learn from rows "
                "that come later; use fit, or another kernel."
            )
        if self.answer == "voted" and hasattr(self, "_state") and self._state.history is None:
            raise ValueError(
                "answer='voted' needs every update from the start, but this estimator has learned without keeping "
                "them; fit it again with answer='voted' and budget=None."
            )

    def _check_parameters(self) -> None:
        check_choice("answer", self.answer, ANSWERS)
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
            from rosenblatt.engine.dual_cuda import require_gpu

            require_gpu()

    # ------------------------------------------------------------------ answers

    @property
    def answers_(self) -> dict[str, KernelModel | VotedKernelModel | LinearModel]:
        """The models that this one fit gives, by name."""
        check_is_fitted(self)
        return {name: self._model(name) for name in ANSWERS if self._has(name)}

    def _has(self, name: str) -> bool:
        if name == "pocket":
            return self._pocket is not None and self._pocket.coefficients is not None
        return name != "voted" or self._state.history is not None

    def _model(self, name: str) -> Any:
        stamp = (id(self._state), self._state.seen, self._state.updates, len(self.classes_))
        if self._models.get("stamp") != stamp:
            self._models.clear()
            self._models["stamp"] = stamp
        if name not in self._models:
            self._models[name] = self._build_model(name)
        return self._models[name]

    def _build_model(self, name: str) -> Any:
        if len(self.classes_) == 1:  # whatever comes, it is the one class known
            return LinearModel(np.zeros((1, self.n_features_in_)), np.full(1, -1.0), self.classes_)
        if name == "voted":
            return self._voted_model()
        slots, coefficients = self._chosen(name)
        return KernelModel(self._rows(slots), coefficients, self.classes_, self._scores)

    def _chosen(self, name: str) -> tuple[Array, Array]:
        """(slots, coefficients) of the rows that have one in this answer."""
        if not self._has(name):
            raise AttributeError(f"answer={name!r} was not kept by this fit; set answer={name!r} and fit again.")
        state = self._state
        if name == "pocket":
            coefficients = np.zeros((state.size, state.count))
            coefficients[: len(self._pocket.coefficients)] = self._pocket.coefficients
        else:
            coefficients = state.last() if name == "last" else state.averaged()
        coefficients = coefficients[:, : half_space_count(len(self.classes_), self._coupled)]
        if self._coupled and len(self.classes_) == 2:  # the two move in opposite directions: one says it all
            coefficients = coefficients[:, 1:] - coefficients[:, :1]
        slots = np.flatnonzero(coefficients.any(axis=1))
        slots = slots[np.argsort(state.numbers[slots], kind="stable")]
        return slots, np.ascontiguousarray(coefficients[slots])

    def _voted_model(self) -> VotedKernelModel:
        if not self._has("voted"):
            raise AttributeError("answer='voted' was not kept by this fit; set answer='voted' and fit again.")
        state = self._state
        log, size = state.log(), state.size
        by_number = np.argsort(state.numbers[:size])
        sorted_numbers = state.numbers[:size][by_number]
        count = half_space_count(len(self.classes_), self._coupled)
        rows = []
        for k in range(count):
            rows.append(by_number[np.searchsorted(sorted_numbers, log.rows[k])])
        return VotedKernelModel(
            support=self._rows(np.arange(size)),
            rows=rows,
            steps=log.steps[:count],
            shrinks=log.shrinks[:count],
            counts=[survival_counts(part, state.seen) for part in log.times[:count]],
            fit_intercept=False,  # the kernel values have the intercept in them
            shrink_intercept=False,
            classes=self.classes_,
            times=log.times[:count],
            seen=state.seen,
            coupled=self._coupled,
            tally=_tally_together if self._coupled else _tally,
            values=self._values,
        )

    def _rows(self, slots: Array) -> Any:
        """The rows in these slots; their numbers where the kernel is precomputed."""
        if self._fitted_precomputed:
            return self._state.numbers[slots]
        if self._store is None or self._store.size == 0:
            return np.empty((0, self.n_features_in_), self._state.dtype)
        return aligned([self._store.view().rows[slots], np.empty((0, self.n_features_in_))])[0]

    def _usable_kernel(self) -> Kernel:
        if not isinstance(self.kernel_, MissingFunction):
            return self.kernel_
        if isinstance(self.kernel, MissingFunction) or not callable(self.kernel):
            raise ValueError(
                f"kernel was the function {self.kernel_.name} when this model was saved, and a model file holds no "
                f"code; set the function again with set_params(kernel=...)."
            )
        return as_kernel(self.kernel)

    def _scores(self, X: Any, support: Any, coefficients: Array) -> Array:
        from rosenblatt.engine.dual_products import expansion_scores

        kernel, dtype = self._usable_kernel(), self._dtype_for(X)
        if self.device == "cuda":
            from rosenblatt.engine.dual_cuda import expansion_scores_on_gpu

            scores = expansion_scores_on_gpu(kernel, X, support, coefficients, self._fitted_intercept, dtype)
        else:
            with np.errstate(over="ignore", invalid="ignore"):
                scores = expansion_scores(
                    kernel, X, support, coefficients, self._fitted_intercept, dtype, self.n_jobs
                )  # fmt: skip
        if np.isnan(scores).any():
            row = int(np.argwhere(np.isnan(scores))[0][0])
            raise ValueError(
                f"Kernel values must be in the range of {dtype}, but those of row {row} are not; scale its features as "
                f"in training (StandardScaler)."
            )
        return scores

    def _values(self, X: Any, support: Any) -> Array:
        from rosenblatt.engine.dual_products import Products, cores
        from rosenblatt.engine.dual_values import values_of

        kernel = self._usable_kernel()
        source = values_of(kernel, X, self._dtype_for(X))
        with Products(source, self._fitted_intercept, cores(self.n_jobs)) as products:
            right = source.operand(support, support if kernel.name == "precomputed" else None)
            return products.values(source.operand(X), right)

    def _dtype_for(self, X: Any) -> np.dtype[Any]:
        return np.promote_types(self._state.dtype, weight_dtype(X.dtype))

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
        check_choice("answer", self.answer, ANSWERS)
        return self.answer

    def _check_new_rows(self, X: Any) -> Any:
        one_by_one.refuse_rows_after_dicts(self)
        return self._check_kind_of_rows(check_rows(self, X, reset=False))

    # ------------------------------------------------------------------ what was learned

    def _fitted(self, attribute: str) -> None:
        if not hasattr(self, "_state"):
            raise AttributeError(f"{type(self).__name__} has no {attribute} before it is fitted; call fit first.")

    def _support(self, attribute: str) -> tuple[Array, Array]:
        self._fitted(attribute)
        if self.answer == "voted":
            state = self._state
            slots = np.arange(state.size)
            return slots[np.argsort(state.numbers[slots], kind="stable")], np.empty(0)
        return self._chosen(self.answer)

    @property
    def support_(self) -> Array:
        """The numbers of the support vectors, in increasing order."""
        slots, _ = self._support("support_")
        return self._state.numbers[slots]

    @property
    def support_vectors_(self) -> Any:
        """The rows that have a coefficient; empty where the kernel is precomputed."""
        slots = self._support("support_vectors_")[0]
        return np.empty((0, 0)) if self._fitted_precomputed else self._rows(slots)

    @property
    def dual_coef_(self) -> Array:
        """The coefficients of the support vectors, one row for each half-space. The voted answer has none."""
        _, coefficients = self._support("dual_coef_")
        if self.answer == "voted":
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
