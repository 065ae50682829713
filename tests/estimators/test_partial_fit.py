"""Learning on: a class that appears late is where it would be if it had been declared."""

import numpy as np
import pytest
import scipy.sparse
from reference import perceptron as reference

from rosenblatt import HalfSpace, PassiveAggressive, Perceptron
from rosenblatt.rules import RULES

rng = np.random.default_rng(0)
X = rng.normal(size=(90, 13))
LABELS = np.array(["ant", "bee", "cat", "dog"])
MODELS = [
    Perceptron(),
    Perceptron("averaged"),
    PassiveAggressive(),
    PassiveAggressive(variant="PA", answer="averaged"),
    HalfSpace("margin_perceptron", answer="averaged"),
    HalfSpace(lambda m, sqnorm, t, params: ((1.0 if m <= 0 else 0.0), 1.0 - 0.5 / t), answer="averaged"),
]
LATE = {
    "one, then one more": [[0], [0, 1]],
    "a later name first": [[3], [0, 3]],
    "one, then three at once": [[1], [0, 1, 2, 3]],
    "two, then the last": [[0, 1], [0, 1, 3]],
    "two, then one between": [[0, 3], [0, 1, 3]],
    "two, then one before": [[1, 2], [0, 1, 2]],
    "one at a time": [[2], [0, 2], [0, 1, 2], [0, 1, 2, 3]],
    "three, then a fourth": [[0, 2, 3], [1]],
}


def batches(kinds):
    """Batches whose labels are of the given kinds, each kind at least once."""
    parts = np.array_split(np.arange(90), len(kinds))
    generator = np.random.default_rng(1)
    for rows, codes in zip(parts, kinds, strict=True):
        labels = generator.choice(codes, len(rows))
        labels[: len(codes)] = codes
        yield rows, LABELS[labels]


def fresh(model):
    return type(model)(**model.get_params())


@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "csr"])
@pytest.mark.parametrize("case", LATE)
@pytest.mark.parametrize("model", MODELS, ids=lambda m: f"{type(m).__name__} {m.answer}")
def test_a_late_class_has_the_bits_of_one_declared_first(model, case, sparse):
    rows_of = scipy.sparse.csr_array if sparse else np.asarray
    kinds = LATE[case]
    classes = LABELS[sorted({code for kind in kinds for code in kind})]
    late, declared = fresh(model), fresh(model)
    for rows, labels in batches(kinds):
        late.partial_fit(rows_of(X[rows]), labels)
        declared.partial_fit(rows_of(X[rows]), labels, classes=classes)
    assert late.classes_.tolist() == declared.classes_.tolist() == classes.tolist()
    np.testing.assert_array_equal(late.decision_function(X), declared.decision_function(X))
    for name in set(late.answers_) & {"last", "averaged"}:
        np.testing.assert_array_equal(late.answers_[name].coef, declared.answers_[name].coef)
        np.testing.assert_array_equal(late.answers_[name].intercept, declared.answers_[name].intercept)


@pytest.mark.parametrize("multi", ["ovr", "coupled"])
@pytest.mark.parametrize("answer", ["last", "averaged"])
def test_batches_of_any_size_are_one_epoch_in_file_order(answer, multi):
    Y = rng.integers(-3, 4, (90, 13)).astype(float)
    y = np.arange(90) % 4
    model = Perceptron(answer, multi_class=multi)
    for part in np.split(np.arange(90), [1, 2, 40, 41]):
        model.partial_fit(Y[part], y[part], classes=range(4))
    learn = reference.coupled if multi == "coupled" else reference.one_against_rest
    spaces = learn(Y, y, 4, RULES["perceptron"].function, (1.0,))
    np.testing.assert_array_equal(model.coef_, [s.mean()[0] if answer == "averaged" else s.w for s in spaces])
    assert model.n_iter_ == 5
    assert model.mistakes_ == sum(reference.was_wrong(spaces, t, Y[t], y[t]) for t in range(90))


@pytest.mark.parametrize("multi", ["ovr", "coupled"])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("before", [np.asarray, scipy.sparse.csr_array])
@pytest.mark.parametrize("after", [np.asarray, scipy.sparse.csr_array])
@pytest.mark.parametrize("seed", range(4))
def test_averaging_goes_on_after_a_fit(multi, n_classes, before, after, seed):
    generator = np.random.default_rng(seed)
    Y, y = generator.integers(-3, 4, (60, 5)).astype(float), np.arange(60) % n_classes
    Y[:, 0] += 2 * y  # some rows are answered rightly
    model = Perceptron("averaged", shuffle=False, max_iter=1, multi_class=multi).fit(before(Y), y)
    model.partial_fit(after(Y), y)
    learn = reference.coupled if multi == "coupled" else reference.one_against_rest
    spaces = learn(Y, y, n_classes, RULES["perceptron"].function, (1.0,), epochs=2)
    w = np.array([space.mean()[0] for space in spaces])
    np.testing.assert_array_equal(model.coef_, w[1:] - w[:1] if multi == "coupled" and n_classes == 2 else w)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_class_may_appear_after_a_fit():
    y = LABELS[np.arange(90) % 2]
    model = Perceptron(random_state=0, max_iter=3).fit(X, y)
    model.partial_fit(X[:10], np.repeat("cat", 10))
    assert model.classes_.tolist() == ["ant", "bee", "cat"] and model.coef_.shape == (3, 13)


@pytest.mark.parametrize("answer", ["last", "averaged"])
@pytest.mark.parametrize("multi", ["ovr", "coupled"])
def test_one_class_is_legal_and_is_all_there_is_to_answer(answer, multi):
    model = Perceptron(answer, multi_class=multi).partial_fit(X[:5], ["ant"] * 5)
    assert set(model.predict(X)) == {"ant"} and model.predict_one(X[0]) == "ant"
    model.partial_fit(X[5:10], ["bee"] * 5)
    assert model.decision_function(X).shape == (90,)


def test_a_weight_of_zero_is_the_row_left_out():
    y, weights = np.arange(90) % 3, (np.arange(90) % 2).astype(float)
    with_zeros = Perceptron("averaged").partial_fit(X, y, sample_weight=weights)
    without = Perceptron("averaged").partial_fit(X[1::2], y[1::2])
    np.testing.assert_array_equal(with_zeros.coef_, without.coef_)


def test_layouts_and_dtypes_may_change_between_batches():
    Y = rng.integers(0, 4, (60, 5))
    y = np.arange(60) % 3
    mixed, plain = Perceptron("averaged"), Perceptron("averaged")
    csr = scipy.sparse.csr_array
    kinds = [("uint8", np.asarray), ("float32", csr), (float, np.asarray), (float, csr)]
    for n, (dtype, convert) in enumerate(kinds):
        part = slice(15 * n, 15 * n + 15)
        mixed.partial_fit(convert(Y[part].astype(dtype)), y[part])
        plain.partial_fit(Y[part].astype(float), y[part])
    assert mixed.coef_.dtype == np.float64
    np.testing.assert_allclose(mixed.coef_, plain.coef_, rtol=1e-6)
    np.testing.assert_array_equal(mixed.answers_["last"].coef, plain.answers_["last"].coef)


def test_class_weights_may_name_classes_that_come_later():
    y = np.arange(90) % 2
    weights = {0: 2.0, 5: 3.0}
    model = Perceptron(class_weight=weights).partial_fit(X, y)
    plain = Perceptron().partial_fit(X, y, sample_weight=np.where(y == 0, 2.0, 1.0))
    np.testing.assert_array_equal(model.coef_, plain.coef_)
    model.partial_fit(X[:3], [5, 5, 5])
    assert model.classes_.tolist() == [0, 1, 5]


def test_balanced_needs_all_rows_and_says_so():
    with pytest.raises(
        ValueError, match="class_weight must be a dict or None while learning online, but got 'balanced'"
    ):
        Perceptron(class_weight="balanced").partial_fit(X, np.arange(90) % 2)
