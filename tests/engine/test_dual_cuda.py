"""The code for a GPU: on a GPU where there is one, and with a stand-in for CuPy everywhere."""

import sys

import numpy as np
import pytest
from reference.blocks import blocks
from sklearn.datasets import load_digits

from engine import fake_cupy
from rosenblatt import KernelPerceptron
from rosenblatt.engine.kernel import cuda as dual_cuda
from rosenblatt.kernels import RBF, Function, Gaussian, Linear, Polynomial, Sigmoid

quiet = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore:The .* kernel is not known"),
]
digits = load_digits()
KERNELS = [Polynomial(2), Polynomial(3, gamma=0.5), RBF(0.05), Gaussian(3.0), Sigmoid(0.01, 0.1), Linear()]


def gpu_is_there():
    try:
        dual_cuda.require_gpu()
    except (ImportError, RuntimeError):
        return False
    return True


def forget_kernels():
    dual_cuda._scan_kernel.cache_clear()
    dual_cuda._values_kernel.cache_clear()


@pytest.fixture(params=["gpu", "stand-in", "stand-in, little memory"])
def device(request, monkeypatch):
    if request.param == "gpu":
        if not gpu_is_there():
            pytest.skip("there is no GPU on this machine, or CuPy is not installed")
        yield request.param
        return
    if fake_cupy.COMPILER is None:
        pytest.skip("no C++ compiler to run the CUDA source on the CPU with")
    free = 2**30 if request.param == "stand-in" else 1000  # rows are sent block by block
    monkeypatch.setitem(sys.modules, "cupy", fake_cupy.module(free))
    forget_kernels()
    yield request.param
    forget_kernels()


def integers(seed, n_classes, n=70, d=4):
    generator = np.random.default_rng(seed)
    X, y = generator.integers(-3, 4, (n, d)).astype(float), generator.integers(0, n_classes, n)
    y[:n_classes] = range(n_classes)
    return X, y


def pair(X, y, weights=None, block=None, **parameters):
    """The same fit on the device and on the CPU."""
    both = []
    for device in ("cuda", "cpu"):
        model = KernelPerceptron(**{"kernel": Polynomial(2), "max_iter": 4, "random_state": 0, **parameters})
        with blocks(block):
            both.append(model.set_params(device=device).fit(X, y, weights, record=("updates", "train_error")))
    return both


def assert_same_run(on_device, on_cpu):
    np.testing.assert_array_equal(on_device.mistake_counts_, on_cpu.mistake_counts_)
    for column in ("updates", "mistakes"):
        assert on_device.trace_[column].tolist() == on_cpu.trace_[column].tolist()
    np.testing.assert_allclose(on_device.trace_["train_error"], on_cpu.trace_["train_error"])
    np.testing.assert_allclose(on_device.trace_["norm"], on_cpu.trace_["norm"], rtol=1e-6)
    assert on_device.dropped_.tolist() == on_cpu.dropped_.tolist()
    for k in range(on_cpu.trace_.updates.count):
        for name in ("rows", "steps", "times"):
            ours, theirs = (getattr(model.trace_.updates, name)[k] for model in (on_device, on_cpu))
            np.testing.assert_array_equal(ours, theirs)


class TestOnTheDevice:
    pytestmark = quiet

    @pytest.mark.parametrize("seed", range(2))
    @pytest.mark.parametrize("n_classes", [2, 5])
    @pytest.mark.parametrize("multi", ["ovr", "coupled"])
    def test_the_updates_are_those_of_the_cpu(self, device, seed, n_classes, multi):
        X, y = integers(seed, n_classes)
        for block in (1, 7, 500) if seed == 0 else (33, 70):
            on_device, on_cpu = pair(X, y, block=block, multi_class=multi, shuffle=bool(seed % 2))
            assert_same_run(on_device, on_cpu)
            X_new = integers(seed + 9, n_classes)[0]
            for name in ("last", "averaged", "voted", "pocket"):
                scores = [model.answers_[name].decision_function(X_new) for model in (on_device, on_cpu)]
                np.testing.assert_allclose(*scores, rtol=1e-12, atol=1e-9)

    @pytest.mark.parametrize("options", [{"drop_after": 2}, {"budget": 5}, {"budget": 1}])
    def test_outliers_and_budget(self, device, options):
        X, y = integers(3, 3)
        on_device, on_cpu = pair(X, y, block=16, **options)
        assert_same_run(on_device, on_cpu)

    def test_a_support_that_was_left_by_all_scores_0(self, device):
        X, y = np.array([[5.0], [1.0], [0.0]]), np.array([2, 0, 1])
        assert_same_run(*pair(X, y, kernel="rbf", gamma=0.3, max_iter=2, budget=1, shuffle=False))

    def test_weights(self, device):
        X, y = integers(4, 3)
        weights = np.random.default_rng(0).integers(0, 3, len(X)).astype(float)
        assert_same_run(*pair(X, y, weights, block=16))

    @pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.name)
    @pytest.mark.parametrize("kind", ["float64", "float32", "uint8"])
    def test_every_kernel(self, device, kernel, kind):
        X = digits.data[:200].astype(kind) if kind == "uint8" else (digits.data[:200] / 16).astype(kind)
        if kind == "uint8" and kernel.name in ("rbf", "gaussian", "sigmoid"):
            X = X // 8
        on_device, on_cpu = pair(X, digits.target[:200], kernel=kernel, max_iter=2, block=64)
        if kind == "float64":
            assert_same_run(on_device, on_cpu)
        scores = [model.decision_function(X) for model in (on_device, on_cpu)]
        same = np.mean(on_device.predict(X) == on_cpu.predict(X))
        assert same > 0.95 and scores[0].shape == scores[1].shape

    @pytest.mark.parametrize(("dtype", "offset"), [(np.float32, 1e4), (np.float64, 1e9)])
    @pytest.mark.parametrize("kernel", [RBF(1.0), Gaussian(0.7), RBF(1e200)], ids=["rbf", "gaussian", "narrowest"])
    def test_radial_kernels_far_from_the_origin(self, device, kernel, dtype, offset):
        generator = np.random.default_rng(0)
        X = (generator.integers(-64, 64, (150, 3)) / 16 + offset).astype(dtype)
        y = generator.integers(0, 2, 150)
        on_device, on_cpu = pair(X, y, kernel=kernel, max_iter=4, block=64)
        near = KernelPerceptron(kernel, random_state=0, max_iter=4).fit(X.astype(float) - offset, y)
        assert np.array_equal(on_device.mistake_counts_, near.mistake_counts_)
        assert np.array_equal(on_cpu.mistake_counts_, near.mistake_counts_)

    def test_precomputed_and_functions(self, device):
        X, y = integers(5, 3)
        matrix = (1 + X @ X.T) ** 2
        assert_same_run(*pair(matrix, y, kernel="precomputed", block=16))
        square = Function(lambda A, B: (1 + A @ B.T) ** 2, known_valid=True)
        assert_same_run(*pair(X, y, kernel=square, block=16))

    @pytest.mark.parametrize("budget", [None, 7])
    def test_learning_online(self, device, budget):
        X, y = integers(6, 3)
        models = [KernelPerceptron(Polynomial(2), budget=budget, device=d) for d in ("cuda", "cpu")]
        for model in models:
            for start in range(0, 70, 20):
                model.partial_fit(X[start : start + 20], y[start : start + 20])
        np.testing.assert_array_equal(models[0].mistake_counts_, models[1].mistake_counts_)
        np.testing.assert_allclose(models[0].decision_function(X), models[1].decision_function(X))

    def test_test_error_and_pocket(self, device):
        X, y = integers(7, 3, n=120)
        errors = []
        for d in ("cuda", "cpu"):
            model = KernelPerceptron(Polynomial(2), max_iter=5, device=d, random_state=0)
            with blocks(32):
                model.fit(X[:80], y[:80], eval_set=(X[80:], y[80:]))
            errors.append((model.trace_["test_error"].tolist(), model.answers_["pocket"].score(X[:80], y[:80])))
        assert errors[0] == errors[1]

    def test_a_run_that_leaves_the_range_of_floats(self, device):
        X, y = integers(8, 2)
        model = KernelPerceptron(Polynomial(4), device="cuda", shuffle=False).fit((X * 1e10).astype("f4"), y)
        assert model.stop_reason_ == "diverged" and np.isfinite(model.dual_coef_).all()

    def test_sparse_rows_are_refused_in_a_sentence(self, device):
        import scipy.sparse

        X, y = integers(9, 2)
        with pytest.raises(ValueError, match="takes dense rows"):
            KernelPerceptron(device="cuda").fit(scipy.sparse.csr_array(X), y)


@pytest.mark.skipif(
    fake_cupy.COMPILER is None, reason="there is no C++ compiler to run the CUDA source on the CPU with"
)
def test_too_little_memory_is_said_in_a_sentence(monkeypatch):
    X, y = integers(1, 2)
    cupy = fake_cupy.module()
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    forget_kernels()

    def refuse(*arguments, **named):
        raise fake_cupy.OutOfMemoryError("out of memory to allocate 8 bytes")

    monkeypatch.setattr(cupy, "zeros", refuse)
    with pytest.raises(MemoryError, match="more GPU memory than is free"):
        KernelPerceptron(device="cuda").fit(X, y)
    forget_kernels()


def test_no_cupy_is_said_in_a_sentence(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)
    X, y = integers(1, 2)
    with pytest.raises(ImportError, match=r"pip install 'rosenblatt\[gpu\]'"):
        KernelPerceptron(device="cuda").fit(X, y)


def test_no_gpu_is_said_in_a_sentence(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", fake_cupy.module(devices=0))
    X, y = integers(1, 2)
    with pytest.raises(RuntimeError, match="needs an NVIDIA GPU"):
        KernelPerceptron(device="cuda").fit(X, y)
