"""Model files of kernel machines: the same bits after a round trip, and learning goes on."""

import numpy as np
import pytest
import scipy.sparse

from rosenblatt import KernelPerceptron, load, save
from rosenblatt.kernels import Function, Gaussian, Polynomial
from rosenblatt.models.file import read_file, write_file
from rosenblatt.sources import overlapping_blobs

TOY = overlapping_blobs(120, 5, random_state=0)
MODELS = {
    "rbf": KernelPerceptron(max_iter=5, random_state=0),
    "averaged": KernelPerceptron(Polynomial(2), answer="averaged", max_iter=5, random_state=0),
    "voted": KernelPerceptron(Gaussian(2.0), answer="voted", max_iter=5, random_state=0, drop_after=4),
    "pocket": KernelPerceptron(answer="pocket", max_iter=5, random_state=0, class_weight={-1: 2.0}),
    "coupled": KernelPerceptron(multi_class="coupled", max_iter=5, random_state=0),
    "budget": KernelPerceptron(budget=9, max_iter=5, random_state=0),
}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("kind", ["float64", "float32", "csr"])
def test_decisions_are_the_same_bits_after_a_round_trip(name, kind, tmp_path):
    X = scipy.sparse.csr_array(TOY.X) if kind == "csr" else TOY.X.astype(kind)
    fitted = MODELS[name].fit(X, TOY.y)
    save(fitted, tmp_path / "model.safetensors")
    loaded = load(tmp_path / "model.safetensors")
    assert loaded.kernel_ == fitted.kernel_ and loaded.get_params() == fitted.get_params()
    assert set(loaded.answers_) == set(fitted.answers_)
    for answer in fitted.answers_:
        scores = [model.answers_[answer].decision_function(X).tobytes() for model in (fitted, loaded)]
        assert scores[0] == scores[1]
    np.testing.assert_array_equal(loaded.mistake_counts_, fitted.mistake_counts_)
    np.testing.assert_array_equal(loaded.dropped_, fitted.dropped_)
    for model in (fitted, loaded):
        model.set_params(answer="auto").partial_fit(X[:50], TOY.y[:50] * 2)  # classes that are new to both
    assert loaded.decision_function(X).tobytes() == fitted.decision_function(X).tobytes()


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_function_is_not_in_the_file_and_can_be_set_again(tmp_path):
    def square(A, B):
        return (1 + A @ B.T) ** 2

    fitted = KernelPerceptron(Function(square, known_valid=True), max_iter=5, random_state=0).fit(TOY.X, TOY.y)
    save(fitted, tmp_path / "model.safetensors")
    loaded = load(tmp_path / "model.safetensors")
    with pytest.raises(ValueError, match="kernel was the function square"):
        loaded.predict(TOY.X)
    with pytest.raises(ValueError, match="kernel was the function square"):
        loaded.partial_fit(TOY.X, TOY.y)
    loaded.set_params(kernel=Function(square, known_valid=True))
    assert loaded.decision_function(TOY.X).tobytes() == fitted.decision_function(TOY.X).tobytes()
    loaded.partial_fit(TOY.X, TOY.y)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("damage", ["_rows", "_state.coefficients", "_state.squared", "_state.numbers"])
def test_a_file_that_does_not_fit_together_is_refused(damage, tmp_path):
    save(MODELS["rbf"].fit(TOY.X, TOY.y), tmp_path / "model.safetensors")
    header, arrays = read_file(tmp_path / "model.safetensors")
    header.pop("protocol")
    write_file(
        tmp_path / "model.safetensors",
        header,
        {**arrays, f"model.fitted.{damage}": arrays[f"model.fitted.{damage}"][:-1]},
    )
    with pytest.raises(ValueError, match="does not hold a valid model"):
        load(tmp_path / "model.safetensors")


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore:The precomputed kernel is not known")
def test_precomputed(tmp_path):
    matrix = (1 + TOY.X @ TOY.X.T) ** 2
    fitted = KernelPerceptron("precomputed", max_iter=5, random_state=0).fit(matrix, TOY.y)
    save(fitted, tmp_path / "model.safetensors")
    scores = load(tmp_path / "model.safetensors").decision_function(matrix)
    assert scores.tobytes() == fitted.decision_function(matrix).tobytes()
