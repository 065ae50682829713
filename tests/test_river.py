"""river's own checks on the river classes."""

from collections import Counter

import pytest

river = pytest.importorskip("river", reason="river is not installed: pip install 'rosenblatt[river]'")

from river.checks import yield_checks  # noqa: E402

from rosenblatt.river import HalfSpace, LinearSVM, LogisticRegression, PassiveAggressive, Perceptron  # noqa: E402

MODELS = [
    Perceptron(),
    Perceptron(answer="averaged"),
    Perceptron(multi_class="coupled"),
    Perceptron(hash_features=256),
    PassiveAggressive(),
    HalfSpace(rule="margin_perceptron"),
    LinearSVM(),
    LogisticRegression(),
]


HASHED = 3


def cases():
    """Every check on every model, on one of river's streams for each, another for the next; on all of them if slow.

    The first model meets all streams every day. That memory does not grow takes long to see: every day one stream for
    those that keep features in ways of their own.
    """
    for number, model in enumerate(MODELS):
        checks = list(yield_checks(model))
        on_streams, met = Counter(check.__name__ for check in checks), Counter()
        for check in checks:
            name = check.__name__
            met[name] += 1
            grows = name == "check_bounded_memory_growth"
            again = on_streams[name] > 1 and met[name] % 3 != number % 3 and (grows or number > 0)
            again = again or (grows and number not in (0, HASHED, len(MODELS) - 1))
            yield pytest.param(
                model, check, id=f"{type(model).__name__}-{number}-{name}", marks=[pytest.mark.slow] if again else []
            )


CASES = list(cases())


@pytest.mark.parametrize(("model", "check"), CASES)
def test_river_check(model, check):
    check(model.clone())


def test_the_river_class_and_the_estimator_say_the_same():
    import rosenblatt

    ours, theirs = rosenblatt.Perceptron(), Perceptron()
    for x, y in river.datasets.Phishing().take(300):
        assert ours.predict_one(x) == theirs.predict_one(x)
        ours.learn_one(x, y)
        theirs.learn_one(x, y)


def test_rows_of_a_frame_are_learned_one_after_another():
    import pandas

    stream = list(river.datasets.Phishing().take(100))
    one, many = Perceptron(), Perceptron()
    for x, y in stream:
        one.learn_one(x, y)
    frame, labels = pandas.DataFrame([x for x, _ in stream], index=range(5, 105)), pandas.Series([y for _, y in stream])
    many.learn_many(frame, labels)
    answers = many.predict_many(frame)
    assert answers.tolist() == [one.predict_one(x) for x, _ in stream] and answers.index.equals(frame.index)


@pytest.mark.parametrize("model", [Perceptron(), PassiveAggressive(), LinearSVM(), LogisticRegression()], ids=str)
def test_rivers_ensembles_metrics_and_wrappers_take_the_classes(model):
    """Bagging and ROC curves ask for probabilities, one against the rest for those of Boolean labels."""
    from river import ensemble, evaluate, metrics, multiclass, preprocessing

    def score(learner, metric, stream):
        return evaluate.progressive_val_score(stream, preprocessing.StandardScaler() | learner, metric).get()

    phishing, images = river.datasets.Phishing, river.datasets.ImageSegments
    assert score(model.clone(), metrics.ROCAUC(), phishing().take(300)) > 0.8
    assert (
        score(ensemble.BaggingClassifier(model.clone(), n_models=2, seed=0), metrics.Accuracy(), phishing().take(200))
        > 0.7
    )
    assert score(multiclass.OneVsRestClassifier(model.clone()), metrics.Accuracy(), images().take(200)) > 0.5


def test_probabilities_before_and_after_the_first_class():
    model = Perceptron()
    assert model.predict_proba_one({"a": 1.0}) == {}
    model.learn_one({"a": 1.0}, "x")
    assert model.predict_proba_one({"a": 1.0}) == {"x": 1.0}
    model.learn_one({"a": -1.0}, "y")
    found = model.predict_proba_one({"a": 5.0})
    assert list(found) == ["x", "y"] and sum(found.values()) == pytest.approx(1.0) and found["x"] > found["y"]


def test_the_memory_that_river_measures_is_the_models_own():
    """Not that of the compiled functions, from which everything that numba holds can be reached."""
    model = Perceptron()
    for x, y in river.datasets.Phishing().take(50):
        model.predict_one(x)
        model.learn_one(x, y)
    assert model._raw_memory_usage < 200_000
