"""The defects that were reported about certificates, each with what showed it."""

import datetime
import json
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse

from rosenblatt import KernelPerceptron, Perceptron, audit, load_certificate, separability
from rosenblatt.certificates import verify as exactly
from rosenblatt.certificates.problem import digest
from rosenblatt.certificates.results import QuasiComplete, Separable
from rosenblatt.certificates.verify import CertificateError
from rosenblatt.kernels import Polynomial
from rosenblatt.verbs import separable

CORNERS = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
AND, XOR = [0, 0, 0, 1], [0, 1, 1, 0]
LARGE = 2**60


def forged(path, certificate, **changes):
    certificate.save(path)
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))
    return path


# ------------------------------------------------------------------------------------- 1: class names of other types


def test_a_list_for_a_class_does_not_choose_the_signs(tmp_path):
    """The hyperplane of *and*, with class names that would be compared row by row, proved that XOR is separable."""
    path = forged(tmp_path / "f.json", separability(CORNERS, AND), classes=[[0, 1, 1, 9], [9, 9, 9, 0]])
    with pytest.raises(CertificateError, match="name of a class"):
        load_certificate(path, CORNERS, XOR)
    path = forged(tmp_path / "f.json", separability(CORNERS, XOR), classes=[[0, 9, 9, 0], [9, 0, 0, 9]])
    with pytest.raises(CertificateError, match="name of a class"):
        load_certificate(path, CORNERS, AND)


def test_a_forged_file_on_the_command_line(tmp_path):
    (tmp_path / "xor.csv").write_text("a,b,y\n0,0,0\n0,1,1\n1,0,1\n1,1,0\n")
    path = forged(tmp_path / "f.json", separability(CORNERS, AND), classes=[[0, 1, 1, 9], [9, 9, 9, 0]])
    assert separable(str(tmp_path / "xor.csv"), "y", verify=str(path)).verdict == "not verified"


@pytest.mark.parametrize("classes", [[False, True], ["0", "1"], [0, 0], [1, 1], [0, None], [0, {}], [0, 2], [0]])
def test_classes_are_scalars_of_the_labels_own_kind(tmp_path, classes):
    path = forged(tmp_path / "f.json", separability(CORNERS, AND), classes=classes)
    with pytest.raises(CertificateError):
        load_certificate(path, CORNERS, AND)


# -------------------------------------------------------------------------------------- 2: whole numbers above 2^53

MIXED = {
    "lists": [[LARGE, 0.5], [LARGE + 1, 0.5]],
    "numpy scalars": [[np.int64(LARGE), np.float64(0.5)], [np.int64(LARGE + 1), np.float64(0.5)]],
    "objects": np.array([[LARGE, 0.5], [LARGE + 1, 0.5]], dtype=object),
    "pandas": pd.DataFrame({"a": [LARGE, LARGE + 1], "b": [0.5, 0.5]}),
    "pandas with gaps": pd.DataFrame({"a": pd.array([LARGE, LARGE + 1], dtype="Int64"), "b": [0.5, 0.5]}),
    "polars": pl.DataFrame({"a": [LARGE, LARGE + 1], "b": [0.5, 0.5]}),
    "beyond both": [[2**63, -1], [2**63 + 1, -1]],
    "beyond 64 bits": [[2**64 + 1], [2**64 + 2]],
    "fractions": [[Fraction(1, 3)], [Fraction(2, 3)]],
}
WHOLE = {
    "lists": [[LARGE, 5], [LARGE + 1, 5]],
    "objects": np.array([[LARGE, 5], [LARGE + 1, 5]], dtype=object),
    "unsigned": [[2**63, 5], [2**63 + 1, 5]],
    "pandas": pd.DataFrame({"a": [LARGE, LARGE + 1], "b": [5, 5]}),
    "pandas with gaps": pd.DataFrame({"a": pd.array([LARGE, LARGE + 1], dtype="Int64"), "b": [5, 5]}),
    "int64 beside uint64": pd.DataFrame({"a": np.array([LARGE, LARGE + 1]), "b": np.array([5, 5], dtype=np.uint64)}),
    "polars": pl.DataFrame({"a": [LARGE, LARGE + 1], "b": [5, 5]}),
    "stamps": pd.DataFrame({"a": pd.to_datetime([LARGE, LARGE + 1]).astype("int64"), "b": [5, 5]}),
    "sparse": scipy.sparse.csr_array(np.array([[LARGE, 5], [LARGE + 1, 5]])),
}


@pytest.mark.parametrize("name", MIXED)
def test_numbers_that_no_dtype_holds_are_refused(name):
    with pytest.raises(ValueError, match=r"^No 64-bit type holds every number of X exactly"):
        separability(MIXED[name], [0, 1])


@pytest.mark.parametrize("name", WHOLE)
def test_whole_numbers_keep_their_last_digit(name, tmp_path):
    found = separability(WHOLE[name], [0, 1])
    assert found.verdict == "separable" and found.verify(WHOLE[name], [0, 1])
    found.save(tmp_path / "f.json")
    assert load_certificate(tmp_path / "f.json", WHOLE[name], [0, 1])


def test_a_file_with_a_column_of_whole_numbers(tmp_path):
    path = tmp_path / "stamps.csv"
    path.write_text(f"t,y\n{LARGE},a\n{LARGE + 1},b\n")
    assert separable(str(path), "y").verdict == "separable"
    path.write_text(f"t,f,y\n{LARGE},0.5,a\n{LARGE + 1},0.5,b\n")
    with pytest.raises(ValueError, match="No 64-bit type holds every number"):
        separable(str(path), "y")


def test_the_digest_tells_signed_from_unsigned_numbers():
    signs = np.array([1, -1], dtype=np.int8)
    negative = np.array([[-(2**60) - 1], [1]], dtype=np.int64)
    assert digest(negative, signs) != digest(negative.view(np.uint64), signs)
    for value in (2**53, 2**60, -(2**62), 3):
        whole = np.array([[value], [1]], dtype=np.int64)
        assert digest(whole, signs) == digest(whole.astype(np.float64), signs)


# ------------------------------------------------------------------------------------------------------- 3, 4: audits


@pytest.mark.filterwarnings("ignore")
def test_no_theorem_for_a_kernel_that_is_no_inner_product():
    X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), [0, 1, 0, 1]
    run = KernelPerceptron(Polynomial(2, coef0=-1.0), shuffle=False, max_iter=50).fit(X, y, record="updates")
    found = audit(run, X, y)
    assert found.applies is False and found.holds is None and found.bound is None
    assert "positive semi-definite" in found.note


@pytest.mark.filterwarnings("ignore")
def test_a_start_at_another_intercept_is_outside_the_theorem():
    model = Perceptron("last", warm_start=True, max_iter=1, tol=None, shuffle=False)
    model.fit([[0.0], [0.0], [0.0]], [1, 0, 0])
    assert not model.coef_.any() and model.intercept_.any()
    X, y = np.array([[1.0], [-1.0]]), [1, 0]
    model.set_params(max_iter=100).fit(X, y, record="updates")
    assert not audit(model, X, y).applies
    assert audit(Perceptron(shuffle=False, tol=None).fit(X, y, record="updates"), X, y).holds


@pytest.mark.filterwarnings("ignore")
def test_a_start_at_small_weights_is_outside_the_theorem():
    model = Perceptron("last", warm_start=True, max_iter=5, tol=None, shuffle=False, learning_rate=1e-3)
    model.fit([[1.0], [-1.0]], [1, 0])
    X = np.random.default_rng(0).normal(size=(200, 1)) + 5
    y = (X[:, 0] > 5.3).astype(int)
    model.set_params(max_iter=3000, learning_rate=1.0).fit(X, y, record="updates")
    found = audit(model, X, y)
    assert found.mistakes > 100 and not found.applies and "start other than zero" in found.note


# ----------------------------------------------------------------------------------- 5, 6: floats and tolerances


def test_the_floats_of_a_quasi_complete_answer_are_whole_numbers_or_flagged():
    random = np.random.default_rng(1)
    rounded = 0
    for _ in range(60):
        X = random.integers(-3, 4, (8, 3)) * np.array([1, 1, 10 ** int(random.integers(0, 17))])
        y = random.integers(0, 2, 8)
        if len(set(y.tolist())) < 2:
            continue
        found = separability(X, y)
        found = found if found else found.refine()
        if not isinstance(found, Separable | QuasiComplete):
            continue
        signs = np.where(y > 0, 1, -1)
        floats = exactly.Plane(found.normal, found.offset)
        scores = [floats.score(exactly.Rows(X), row) * int(signs[row]) for row in range(8)]
        holds = min(scores) > 0 if found else min(scores) >= 0
        assert found.floats_separate == holds
        exact = exactly.Plane(found.exact_normal, found.exact_offset)
        scores = [exact.score(exactly.Rows(X), row) * int(signs[row]) for row in range(8)]
        assert min(scores) > 0 if found else min(scores) >= 0 and max(scores) > 0
        rounded += not holds
    assert rounded < 5


def test_a_plane_that_floats_misplace_is_flagged():
    """A normal of more than 53 bits: the rounded one does not contain the rows that the exact one contains."""
    large = 2**60 + 1
    X = np.array([[0, 0], [0, 0], [large, large + 2], [large, large + 2], [0, 1]], dtype=np.int64)
    y = [0, 1, 0, 1, 1]
    found = separability(X, y).refine()
    assert isinstance(found, QuasiComplete) and found.verify(X, y)
    assert not found.floats_separate
    assert exactly.Plane(found.exact_normal, found.exact_offset).score(exactly.Rows(X), 2) == 0


def test_a_tolerance_that_was_not_reached_is_reported():
    X, y = np.array([[0.0], [1.0], [3.0], [4.0]]), [0, 0, 1, 1]
    assert separability(X, y).tolerance_reached is True
    random = np.random.default_rng(0)
    X = random.normal(size=(3000, 30))
    y = (X[:, 0] > 0).astype(int)
    X[:, 0] += np.where(y, 1e-3, -1e-3)
    for tolerance in (0.5, 0.01, 1e-6):
        found = separability(X, y, tolerance=tolerance)
        assert found.tolerance_reached == (
            found.margin >= (1 - tolerance) * found.margin_upper and found.gamma >= (1 - tolerance) * found.gamma_upper
        )
        assert found.tolerance_reached
    late = separability(X, y, candidate=(np.eye(30)[0], 0.0), time_limit=1e-9)
    assert late.tolerance_reached is False and late.verify(X, y)


# ---------------------------------------------------------------------------------------- 7: budgets by time


def test_refining_a_large_problem_needs_no_time_limit():
    random = np.random.default_rng(0)
    X = random.integers(-9, 10, (60_000, 6))
    y = random.integers(0, 2, 60_000)
    X[y == 1, 0] = np.abs(X[y == 1, 0])
    X[y == 0, 0] = -np.abs(X[y == 0, 0])
    X = X @ np.array(np.triu(np.ones((6, 6))), dtype=np.int64)
    found = separability(X, y)
    assert found.verdict == "not separable" and found.refine().verdict == "quasi-complete"


def test_a_perceptron_that_converges_is_a_proof_for_wide_rows():
    X = scipy.sparse.random_array((3000, 20_000), density=0.002, random_state=np.random.default_rng(0), format="csr")
    direction = np.random.default_rng(1).normal(size=20_000)
    y = (X @ direction > 0).astype(int)
    found = separability(X, y, tolerance=1.0)
    assert found.verdict == "separable" and found.verify(X, y)


# ----------------------------------------------------------------------------------------------------------- 9


def test_a_witness_of_rows_that_a_prime_divides(tmp_path):
    prime = 2**61 - 1
    X = np.array([[0, 0], [0, prime], [prime, 0], [prime, prime]], dtype=np.int64)
    separability(X, XOR).save(tmp_path / "f.json")
    assert load_certificate(tmp_path / "f.json", X, XOR).verdict == "not separable"


def test_a_witness_of_rows_of_which_primes_divide_the_columns(tmp_path):
    """Each column vanishes modulo a prime of its own, and the witness needs them all."""
    X = np.array([[-1, -1, -1], [3, -1, -1], [-1, 3, -1], [-1, -1, 3], [0, 0, 0]])
    X *= np.array([2**61 - 1, 2**61 - 31, 2**61 - 45])
    separability(X, [0, 0, 0, 0, 1]).save(tmp_path / "f.json")
    assert len(load_certificate(tmp_path / "f.json", X, [0, 0, 0, 0, 1]).rows) == 5


def test_rows_that_determine_no_weights():
    one, two = np.array([[0.0], [0.0], [1.0]]), np.array([1, 1, -1])
    assert exactly.solve_weights(one, two, [0, 1, 2], intercept=True) is None  # two equal rows, and no solution
    assert exactly.solve_weights(one, two, [0, 2], intercept=True) is None  # no solution
    assert exactly.solve_weights(np.zeros((3, 1)), two, [0, 1, 2], intercept=True) is None  # many
    assert exactly.solve_weights(np.zeros((3, 1)), two, [0, 2], intercept=True) == [1, 1]


def test_the_least_beside_the_largest_float(tmp_path):
    X = [[5e-324, 0.0], [0.0, 1e308]]
    found = separability(X, [0, 1])
    assert found.verdict == "separable" and found.verify(X, [0, 1])
    assert np.isfinite(found.normal).all() and np.isfinite(found.offset)
    found.save(tmp_path / "f.json")
    assert load_certificate(tmp_path / "f.json", X, [0, 1]).plane == found.plane


def test_a_number_of_many_digits_is_refused_at_once(tmp_path):
    path = forged(tmp_path / "f.json", separability(CORNERS, AND))
    content = json.loads(path.read_text())
    for number in ("1e30000000", "1/0", "1/00", "0x", "1e5", " 1", "1_0/3", "nan", "-", "1/-2", "٣/4"):
        content["plane"]["normal"] = [number, number]
        path.write_text(json.dumps(content))
        with pytest.raises(CertificateError, match="fraction"):
            load_certificate(path, CORNERS, AND)


@pytest.mark.parametrize("labels", [[b"a", b"b"], [datetime.date(2020, 1, 1), datetime.date(2021, 1, 1)]])
def test_labels_that_json_has_no_word_for(labels, tmp_path):
    y = np.array(labels)[[0, 0, 0, 1]]
    found = separability(CORNERS, y)
    assert found.verify(CORNERS, y)
    with pytest.raises(ValueError, match="convert them to text"):
        found.save(tmp_path / "f.json")


def test_a_refinement_is_no_yes():
    overlapping = separability(CORNERS, XOR).refine()
    touching = separability([[0.0], [1.0], [1.0], [2.0]], [0, 0, 1, 1]).refine()
    assert bool(overlapping) is False and bool(touching) is False
    assert not hasattr(separability(CORNERS, XOR), "refinement")


# ------------------------------------------------------------------- L7: the bound does not depend on repetitions


@pytest.mark.parametrize("times", [2, 3, 200])
def test_repeated_rows_change_no_bound(times):
    random = np.random.default_rng(3)
    X = random.normal(size=(40, 4))
    y = (X @ [1, 2, -1, 0.5] > 0.1).astype(int)
    once = separability(X, y)
    for rows in (np.tile(np.arange(40), times), np.repeat(np.arange(40), times)):
        again = separability(X[rows], y[rows])
        assert again.verify(X[rows], y[rows])
        names = ("mistake_bound", "margin", "margin_upper", "gamma", "gamma_upper", "radius", "plane", "theorem_plane")
        assert all(getattr(again, name) == getattr(once, name) for name in names)
    sparse = scipy.sparse.csr_array(X[rows])
    assert separability(sparse, y[rows]).mistake_bound == separability(scipy.sparse.csr_array(X), y).mistake_bound
