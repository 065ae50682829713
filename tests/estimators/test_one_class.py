"""A target of one class is refused in words, with the class as the caller wrote it."""

import numpy as np
import pytest

from rosenblatt import GaussianDiscriminant, KernelPerceptron, Layer, Perceptron, search


@pytest.mark.parametrize("learner", [Perceptron(), KernelPerceptron(), GaussianDiscriminant(), Layer()])
@pytest.mark.parametrize(("labels", "told"), [(np.zeros(4, np.int64), "(0)"), (np.array(["a"] * 4), "('a')")])
def test_the_one_class_is_named(learner, labels, told):
    with pytest.raises(ValueError, match="got 1 class") as refused:
        learner.fit(np.arange(8.0).reshape(4, 2), labels)
    assert told in str(refused.value) and "np." not in str(refused.value)


def test_a_search_names_it_too():
    with pytest.raises(ValueError, match=r"got 1 class \(0\)"):
        search(np.arange(8.0).reshape(4, 2), np.zeros(4, np.int64), Perceptron(), {"max_iter": [1, 2]})
