"""river's own checks on the river classes."""

import pytest

river = pytest.importorskip("river", reason="river is not installed: pip install 'rosenblatt[river]'")

from river.checks import yield_checks  # noqa: E402

from rosenblatt.river import HalfSpace, PassiveAggressive, Perceptron  # noqa: E402

MODELS = [
    Perceptron(),
    Perceptron(answer="averaged"),
    Perceptron(multi_class="coupled"),
    Perceptron(hash_features=256),
    PassiveAggressive(),
    HalfSpace(rule="margin_perceptron"),
]


def cases():
    """Every check on every model. That memory does not grow is shown on one stream for each, on all of them if slow."""
    for number, model in enumerate(MODELS):
        streams = 0
        for check in yield_checks(model):
            name = check.__name__
            if name.startswith("check_bounded_memory_growth"):
                streams += 1
            again = name.startswith("check_bounded_memory_growth") and streams % 3 != number % 3
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
