"""Bad input: one sentence each, and the earlier fit stays as it was."""

import numpy as np
import pandas
import pytest
import scipy.sparse
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import TimeSeriesSplit, cross_val_score

from rosenblatt import (
    GaussianDiscriminant,
    HalfSpace,
    KernelPerceptron,
    LeastSquares,
    LinearSVM,
    LogisticRegression,
    PassiveAggressive,
    Perceptron,
    SigmoidNeuron,
    ThresholdMachine,
)
from rosenblatt.rules import RULES

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

X = np.array([[1.0, 2.0], [2.0, -1.0], [-1.0, 1.0], [0.5, -2.0]])
y = np.array([0, 1, 0, 1])


def with_value(value):
    bad = X.copy()
    bad[1, 1] = value
    return bad


ROWS = {
    "NaN": (with_value(np.nan), y, {}, "NaN"),
    "infinity": (with_value(np.inf), y, {}, "infinity"),
    "sparse NaN": (scipy.sparse.csr_array(with_value(np.nan)), y, {}, "NaN"),
    "one dimension": (X[:, 0], y, {}, r"1D array"),
    "three dimensions": (X[None], y, {}, "dim 3"),
    "too few labels": (X, y[:3], {}, "4 and 3"),
    "a table of labels": (X, np.stack([y, y], axis=1), {}, r"1d array|shape"),
    "one class": (X, [1, 1, 1, 1], {}, "at least 2 classes, but got 1 class"),
    "mixed labels in a list": (X, [0, "a", 0, "a"], {}, "labels of one kind, but got int and str"),
    "mixed labels in an array": (X, np.array([0, "a", 0, "a"], object), {}, "one kind, but got int and str"),
    "labels and None": (X, [0, None, 0, 1], {}, "y contains None: .* but row 1 has None; leave the row out"),
    "text and NaN": (X, np.array(["a", np.nan, "b", "a"], object), {}, "y contains NaN: .* but row 1 has nan; leave"),
    "a label that pandas misses": (
        X,
        pandas.Series(["a", "b", None, "a"], dtype="string"),
        {},
        "row 2 has <NA>",
    ),
    "real-valued labels": (
        X,
        [0.0, 1.5, 0.25, 2.0],
        {},
        "Unknown label type: continuous",
    ),
    "complex labels": (
        X,
        [1j, 0, 0, 1],
        {},
        "Complex data not supported: y must hold real labels",
    ),
    "labels beyond 64 bits": (X, [2**70, 0, 0, 1], {}, "at most 64 bits, but has larger ones; use text"),
    "a set of labels": (X, {0, 1, 2, 3}, {}, "a list or an array of labels, but got set; pass one label per row"),
    "labels that run out": (X, iter([0, 1, 0, 1]), {}, "list or an array of labels, but got list_iterator; pass"),
    "NaN among labels": (X, [0.0, np.nan, 1.0, 0.0], {}, "NaN"),
    "no labels": (X, None, {}, "y"),
    "no rows": (np.empty((0, 2)), [], {}, "0 sample"),
    "no features": (np.empty((4, 0)), y, {}, "0 feature"),
    "text": ([["a", "b"]] * 4, y, {}, "could not convert string to float: 'a'"),
    "complex numbers": (X + 1j, y, {}, "Complex"),
    "negative weight": (X, y, {"sample_weight": [1, -2, 1, 1]}, "row 1 has -2"),
    "weights of another length": (
        X,
        y,
        {"sample_weight": [1.0, 2.0]},
        r"\(2,\), expected \(4,\)! Pass one weight",
    ),
    "a table of weights": (X, y, {"sample_weight": [[1.0]] * 4}, r"\(4, 1\), expected \(4,\)! Pass one weight"),
    "weights of text": (
        X,
        y,
        {"sample_weight": ["a"] * 4},
        "sample_weight must be numbers, .*'a'",
    ),
    "a word for weights": (X, y, {"sample_weight": "balanced"}, "sample_weight must be numbers, .*'balanced'"),
    "complex weights": (X, y, {"sample_weight": [1j] * 4}, "sample_weight must be numbers, .*1j"),
    "NaN among weights": (X, y, {"sample_weight": [1.0, np.nan, 1, 1]}, "NaN"),
    "only zero weights": (
        X,
        y,
        {"sample_weight": np.zeros(4)},
        "at least one non-zero number, but every row has the weight 0; give",
    ),
    "eval_set that is no pair": (X, y, {"eval_set": X}, "pair .* got ndarray"),
    "eval_set of three": (X, y, {"eval_set": (X, y, y)}, "pair"),
    "eval_set of another width": (X, y, {"eval_set": (X[:, :1], y)}, "1 features"),
    "eval_set of other labels": (X, y, {"eval_set": (X, ["a", "b", "a", "b"])}, "eval_set|one kind"),
    "eval_set of too few labels": (X, y, {"eval_set": (X, y[:2])}, "4 and 2"),
    "sparse eval_set": (X, y, {"eval_set": (scipy.sparse.csr_array(X), y)}, "sparse"),
    "eval_set with NaN": (X, y, {"eval_set": (with_value(np.nan), y)}, "NaN"),
    "unknown record": (X, y, {"record": "everything"}, "record must be one of .* but got 'everything'"),
    "one unknown record": (X, y, {"record": ("updates", "all")}, "but got 'all'"),
    "a number to record": (X, y, {"record": 5}, "record must be one of .* but got 5"),
    "on_epoch that cannot be called": (X, y, {"on_epoch": 3}, "on_epoch"),
}


@pytest.mark.parametrize("case", ROWS)
def test_bad_rows_are_refused_in_a_sentence_and_the_fit_stays(case):
    rows, labels, options, words = ROWS[case]
    model = Perceptron(random_state=0).fit(X * 3, y)
    before, attributes = model.coef_.copy(), sorted(vars(model))
    with pytest.raises(ValueError, match=words):
        model.fit(rows, labels, **options)
    np.testing.assert_array_equal(model.coef_, before)
    assert sorted(vars(model)) == attributes and model.predict(X).shape == (4,)


OURS = [
    *(case for case in ROWS if "label" in case or "weight" in case),
    "one class", "mixed labels in a list", "mixed labels in an array", "negative weight",
    "eval_set that is no pair", "eval_set of other labels", "sparse eval_set", "unknown record",
    "on_epoch that cannot be called",
]  # fmt: skip


@pytest.mark.parametrize("case", OURS)
def test_our_own_complaints_are_one_line(case):
    rows, labels, options, _ = ROWS[case]
    with pytest.raises(ValueError) as caught:
        Perceptron().fit(rows, labels, **options)
    assert "\n" not in str(caught.value) and str(caught.value).endswith(".")


PARAMETERS = [
    (Perceptron(learning_rate=0), "learning_rate must be .* got 0"),
    (Perceptron(learning_rate=-1.0), "learning_rate must be .* got -1.0"),
    (Perceptron(learning_rate=float("nan")), "got nan"),
    (Perceptron(learning_rate=float("inf")), "got inf"),
    (Perceptron(learning_rate="fast"), "got 'fast'"),
    (Perceptron(learning_rate=True), "got True"),
    (Perceptron(answer="best"), "answer must be one of 'auto', 'last', .* got 'best'"),
    (Perceptron(answer=["last"]), "answer must be one of"),
    (Perceptron(multi_class="ovo"), "multi_class must be one of .* got 'ovo'"),
    (Perceptron(max_iter=0), "max_iter must be a whole number above 0, but got 0"),
    (Perceptron(max_iter=2.5), "max_iter must be a whole number above 0, but got 2.5"),
    (Perceptron(max_iter=None), "max_iter .* got None"),
    (Perceptron(time_limit=0), "time_limit must be .* got 0"),
    (Perceptron(time_limit="soon"), "time_limit must be .* got 'soon'"),
    (Perceptron(tol=-1.0), "tol must be .* got -1.0"),
    (Perceptron(tol="small"), "tol must be .* got 'small'"),
    (Perceptron(fit_intercept="no"), "fit_intercept must be True or False, but got 'no'"),
    (Perceptron(shuffle=None), "shuffle must be True or False, but got None"),
    (Perceptron(warm_start=2), "warm_start must be True or False, but got 2"),
    (HalfSpace(regularize_intercept="yes"), "regularize_intercept must be True or False, but got 'yes'"),
    (Perceptron(verbose="yes"), "verbose must be 0 or 1, but got 'yes'"),
    (Perceptron(verbose=-1), "verbose must be 0 or 1, but got -1"),
    (Perceptron(hash_features=0), "hash_features must be .* got 0"),
    (Perceptron(class_weight={0: -1.0, 1: 1.0}), "negative|class_weight"),
    (Perceptron(class_weight={0: float("nan"), 1: 1.0}), "class_weight"),
    (Perceptron(class_weight="even"), "class_weight"),
    (Perceptron(random_state="seed"), "seed"),
    (Perceptron(random_state=-1), r"random_state must be .* from 0 to 2\*\*32 - 1 .* got -1"),
    (Perceptron(random_state=2**32), "random_state must be .* got 4294967296"),
    (PassiveAggressive(C=0.0), "C must be a finite number above 0, but got 0.0"),
    (PassiveAggressive(C=float("inf")), "C must be a finite number above 0, but got inf"),
    (PassiveAggressive(variant="PA-III"), "variant must be one of .* got 'PA-III'"),
    (HalfSpace("delta"), "rule must be one of .* got 'delta'"),
    (HalfSpace("perceptron", {"C": 1.0}), "but got 'C'"),
    (HalfSpace("perceptron", [1.0]), r"params must be a dict .* got \[1.0\]"),
    (HalfSpace("perceptron", {"learning_rate": "fast"}), "fast"),
    (HalfSpace(RULES["perceptron"], [1.0]), r"params must be a dict .* got \[1.0\]"),
    (HalfSpace(RULES["perceptron"], {"learning_rate": -1.0}), "learning_rate"),
    (HalfSpace("perceptron", {"learning_rate": -1.0}), "learning_rate"),
    (HalfSpace(3), "rule must be a name in RULES or a Python function, but got 3"),
    (HalfSpace(lambda m, s, t, p: 1.0), r"return \(step, shrink\)"),
    (HalfSpace(lambda m, s, t, p: (1.0, 1.0), ["a"]), r"params must be numbers, but \['a'\] came"),
]


@pytest.mark.parametrize(("model", "words"), PARAMETERS, ids=[words for _, words in PARAMETERS])
@pytest.mark.parametrize("method", ["fit", "partial_fit", "learn_one"])
def test_bad_parameters_are_refused_in_a_sentence(model, words, method):
    if method != "fit" and ("random_state" in str(model) or "Negative" in words or "class_weight" in words):
        pytest.skip("shuffling and class weights are matters of fit; online they are tested elsewhere")
    model = type(model)(**model.get_params())
    with pytest.raises(ValueError, match=words) as caught:
        model.learn_one(X[0], 0) if method == "learn_one" else getattr(model, method)(X, y)
    assert "\n" not in str(caught.value)
    assert not hasattr(model, "classes_") and not hasattr(model, "_state")


@pytest.mark.parametrize("model", [Perceptron(), PassiveAggressive(), HalfSpace()], ids=str)
def test_a_refused_parameter_leaves_the_earlier_fit_usable(model):
    model = type(model)(random_state=0).fit(X, y)
    before = model.predict(X).tolist()
    model.set_params(max_iter=-3)
    with pytest.raises(ValueError, match="max_iter"):
        model.fit(X * 2, y)
    with pytest.raises(ValueError, match="max_iter"):
        model.partial_fit(X * 2, y)
    assert model.predict(X).tolist() == before


def test_a_rule_that_cannot_be_compiled_leaves_the_earlier_fit_usable():
    model = HalfSpace(random_state=0).fit(X, y)
    before = model.predict(X).tolist()
    model.set_params(rule=lambda m, sqnorm, t, params: ({"no": m}, "no"))
    with pytest.raises(Exception):  # noqa: B017  numba's own report on what it could not compile
        model.fit(X, y)
    assert model.predict(X).tolist() == before


@pytest.mark.parametrize("method", ["predict", "decision_function"])
def test_answers_before_a_fit(method):
    with pytest.raises(NotFittedError):
        getattr(Perceptron(), method)(X)
    with pytest.raises(NotFittedError):
        Perceptron().answers_  # noqa: B018
    assert not hasattr(Perceptron(), "coef_")


@pytest.mark.parametrize("method", ["predict", "decision_function"])
def test_other_features_than_at_the_fit(method):
    model = Perceptron().fit(X, y)
    with pytest.raises(ValueError, match="X has 1 features, but Perceptron is expecting 2 features"):
        getattr(model, method)(X[:, :1])
    with pytest.raises(ValueError, match="NaN"):
        getattr(model, method)(with_value(np.nan))


PARTIAL = {
    "NaN": (with_value(np.nan), y, {}, "NaN"),
    "other features": (X[:, :1], y, {}, "1 features"),
    "labels of another kind": (X, ["a", "b", "a", "b"], {}, "one kind"),
    "mixed labels": (X, [0, "a", 0, "a"], {}, "one kind"),
    "classes of another kind": (X, y, {"classes": ["a", "b"]}, "one kind"),
    "negative weights": (X, y, {"sample_weight": [-1.0, 1, 1, 1]}, "Negative"),
    "too few labels": (X, y[:2], {}, "4 and 2"),
    "no rows": (np.empty((0, 2)), [], {}, "0 sample"),
}


@pytest.mark.parametrize("case", PARTIAL)
@pytest.mark.parametrize("answer", ["last", "averaged"])
def test_a_refused_batch_leaves_what_was_learned(case, answer):
    rows, labels, options, words = PARTIAL[case]
    model, plain = Perceptron(answer).partial_fit(X, y), Perceptron(answer).partial_fit(X, y)
    with pytest.raises(ValueError, match=words) as caught:
        model.partial_fit(rows, labels, **options)
    assert "\n" not in str(caught.value) or case in ("NaN", "no rows")  # scikit-learn's own words
    np.testing.assert_array_equal(model.decision_function(X), plain.decision_function(X))
    assert model.classes_.tolist() == [0, 1]
    for one in (model, plain):
        one.partial_fit(X[::-1], y[::-1])
    np.testing.assert_array_equal(model.decision_function(X), plain.decision_function(X))


def test_rows_that_all_weigh_nothing_are_a_batch_left_out():
    model = Perceptron("averaged").partial_fit(X, y)
    before = model.coef_.copy()
    model.partial_fit(X * 9, y, sample_weight=np.zeros(4))
    np.testing.assert_array_equal(model.coef_, before)


def test_a_class_that_weighs_nothing_stays_a_class_and_is_never_answered():
    """As in scikit-learn, `classes_` are those of y; so the columns of scores keep their places."""
    rng = np.random.default_rng(0)
    rows = np.concatenate([rng.normal(centre, 1, size=(30, 2)) for centre in ((0, 0), (4, 0), (0, 4))])
    labels = np.repeat([0, 1, 2], 30)
    weights = np.where(labels == 2, 0.0, 1.0)
    for learner in (Perceptron(), PassiveAggressive(), LogisticRegression(), LinearSVM()):
        fitted = learner.fit(rows, labels, sample_weight=weights)
        assert fitted.classes_.tolist() == [0, 1, 2] and set(fitted.predict(rows)) == {0, 1}
    with pytest.raises(ValueError, match="but 2 has none"):
        GaussianDiscriminant().fit(rows, labels, sample_weight=weights)


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
def test_another_width_is_told_with_the_columns():
    model = Perceptron().fit(X, y)
    with pytest.raises(ValueError, match=r"3 features, .* expecting 2 .* columns that it was fitted on\.$"):
        model.predict(np.ones((1, 3)))
    named = Perceptron().fit(pandas.DataFrame(X, columns=["age", "income"]), y)
    with pytest.raises(ValueError, match=r"columns that it was fitted on: age, income\.$"):
        named.predict(np.ones((1, 3)))
    wide = pandas.DataFrame(np.tile(X, 6), columns=[f"c{j}" for j in range(12)])
    with pytest.raises(ValueError, match=r"c0, c1, .*, c7 and 4 more\.$"):
        Perceptron().fit(wide, y).predict(np.ones((1, 3)))


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: LeastSquares().fit(X, ["a", "b", "a", "b"]), ValueError, "numbers, but has text; use a classifier"),
        (lambda: GaussianDiscriminant().fit([["a"], ["b"]], [0, 1]), ValueError, "could not convert string to float"),
        (lambda: ThresholdMachine(3, {}), TypeError, "made of a ThresholdNetwork, but got int; pass"),
    ],
)
def test_what_cannot_be_used_is_refused_in_a_sentence(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_classes_of_another_kind_than_the_labels_are_refused():
    for model in (Perceptron(), Perceptron().partial_fit(X, y)):
        with pytest.raises(ValueError, match="labels of one kind, but got 'a' after 0; convert"):
            model.partial_fit(X, y, classes=["a", "b"])
    assert Perceptron().partial_fit(X, y, classes=[]).classes_.tolist() == [0, 1]


def test_a_warning_where_every_second_row_has_a_class_of_its_own():
    X = np.arange(60.0).reshape(30, 2)
    with pytest.warns(UserWarning, match="unique classes is greater than 50%"):
        Perceptron(max_iter=1).fit(X, np.arange(30))
    y = np.arange(30) % 15 * 1000  # far apart, but few
    for labels in (y, y // 1000, y > 3000):  # any warning would be an error
        model = Perceptron(max_iter=1).fit(X, labels)
        assert model.classes_.tolist() == sorted(set(labels.tolist()))


@pytest.mark.parametrize("seed", [0, 7, 2**32 - 1])
def test_a_seed_is_a_whole_number_of_any_kind(seed):
    X, y = np.random.default_rng(0).normal(size=(50, 3)), np.arange(50) % 2
    kinds = seed, np.int64(seed), np.random.RandomState(seed), seed  # the last time it is remembered
    one, *others = [Perceptron(max_iter=3, random_state=kind).fit(X, y) for kind in kinds]
    for other in others:
        np.testing.assert_array_equal(one.coef_, other.coef_)


def test_kinds_of_labels_that_are_one():
    text = [np.str_("a"), "b", "a", np.str_("b")]
    assert Perceptron().fit(X, text).classes_.tolist() == ["a", "b"]
    assert Perceptron().fit(X, np.array([3, 4, 3, 4], object)).classes_.dtype == np.int64
    for dtype, classes in (("Int64", [0, 1]), ("boolean", [False, True])):
        fitted = Perceptron().fit(X, pandas.Series([0, 1, 0, 1], dtype=dtype))
        assert fitted.classes_.tolist() == classes and fitted.classes_.dtype.kind in "ib"


@pytest.mark.parametrize("learner", [KernelPerceptron, LeastSquares, LinearSVM, LogisticRegression])
def test_every_learner_refuses_text_for_yes_or_no(learner):
    values = {"fit_intercept": "no", "shuffle": "yes", "verbose": "much"}
    given = [(name, values[name]) for name in learner().get_params() if name in values]
    assert given
    for name, value in given:
        with pytest.raises(ValueError, match=f"{name} must be .*, but got '{value}'"):
            learner(**{name: value}).fit(X, y)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("kind", [Perceptron, LinearSVM, LogisticRegression, SigmoidNeuron, KernelPerceptron])
def test_class_weight_may_name_a_class_that_a_fold_lacks(kind):
    rows, y = np.random.default_rng(0).normal(size=(60, 3)), np.append(np.arange(40) % 2, [2] * 20)
    scores = cross_val_score(kind(class_weight={0: 1.0, 1: 2.0, 2: 3.0}), rows, y, cv=TimeSeriesSplit(2))
    assert np.isfinite(scores).all()
    with pytest.raises(ValueError, match="class_weight names 9, which is not among the classes"):
        kind(class_weight={0: 1.0, 1: 2.0, 9: 3.0}).fit(rows, y)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("kind", [Perceptron, LinearSVM, LogisticRegression, SigmoidNeuron, KernelPerceptron])
def test_a_generator_is_a_random_state(kind):
    rows, y = np.random.default_rng(0).normal(size=(60, 3)), np.arange(60) % 2
    fits = [kind(random_state=np.random.default_rng(seed)).fit(rows, y).predict(rows) for seed in (0, 0)]
    np.testing.assert_array_equal(*fits)
