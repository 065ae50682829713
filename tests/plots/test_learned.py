"""Displays of what was learned: traces, margins, boundaries, weights."""

import matplotlib
import numpy as np
import pytest
import scipy.sparse

matplotlib.use("Agg")

import matplotlib.pyplot as plt
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from rosenblatt import (
    GaussianDiscriminant,
    KernelPerceptron,
    Layer,
    LeastSquares,
    LinearSVM,
    LogisticRegression,
    Perceptron,
)
from rosenblatt.plots import BoundaryDisplay, MarginDisplay, TraceDisplay, WeightsDisplay
from rosenblatt.trace import Epoch, Trace

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

RANDOM = np.random.default_rng(0)
Y = np.arange(90) % 2
X = RANDOM.normal(size=(90, 2)) + 4.0 * (2 * Y - 1)[:, None] * [1, 0]
Y3 = np.arange(90) % 3
X3 = RANDOM.normal(size=(90, 2)) + 5.0 * np.array([[0, 0], [1, 0], [0, 1]])[Y3]


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def drawn(display):
    display.figure_.canvas.draw()
    return display


def legend(display):
    return [text.get_text() for text in display.ax_.get_legend().get_texts()]


# ------------------------------------------------------------------ traces


def test_trace_without_errors_shows_the_mistakes():
    model = make_pipeline(StandardScaler(), Perceptron(random_state=0)).fit(X, Y)
    display = drawn(TraceDisplay.from_estimator(model))
    assert legend(display) == ["mistakes on the way"] and display.updates_ax_ is None
    assert display.ax_.get_lines()[0].get_ydata().tolist() == model[-1].trace_["mistakes"].tolist()


def test_trace_with_errors_shows_them_over_the_updates():
    model = Perceptron(max_iter=5, random_state=0).fit(X3, Y3, eval_set=(X3, Y3), record="train_error")
    display = drawn(TraceDisplay.from_estimator(model))
    assert legend(display) == ["held-out error", "training error", "updates"]
    assert display.ax_.get_lines()[1].get_ydata() == pytest.approx(model.trace_["train_error"])
    heights = [bar.get_height() for bar in display.updates_ax_.patches]
    assert heights == model.trace_["updates"].tolist()


def test_trace_of_a_loss_that_is_measured_now_and_then():
    epochs = [Epoch(k, 10 - k, 0, 1.0, 0.1, loss=1.0 / k if k % 3 == 0 else None) for k in range(1, 10)]
    display = drawn(TraceDisplay(Trace(epochs, "max_iter")).plot())
    assert display.ax_.get_lines()[0].get_xdata().tolist() == [3, 6, 9]
    once = [Epoch(k, 10 - k, 0, 1.0, 0.1, loss=1.0 if k == 9 else None) for k in range(1, 10)]
    display = drawn(TraceDisplay(Trace(once, "max_iter")).plot())
    assert display.ax_.get_lines()[0].get_ydata().tolist() == list(range(9, 0, -1))


@pytest.mark.parametrize("learner", [LinearSVM(), LogisticRegression(), KernelPerceptron()])
def test_traces_of_all_kinds(learner):
    title = drawn(TraceDisplay.from_estimator(learner.fit(X, Y))).ax_.get_title()
    assert title.startswith("stopped after ")


# ------------------------------------------------------------------ margins


def test_bars_of_one_height_are_left_out():
    steps = LogisticRegression(lam=1e-2, solver="sgd", max_iter=5, random_state=0).fit(X, Y)
    assert TraceDisplay.from_estimator(steps).updates_ax_ is None  # a step for every row, in every epoch
    counted = Perceptron(max_iter=5, random_state=0).fit(X + RANDOM.normal(0, 4, X.shape), Y, eval_set=(X, Y))
    assert TraceDisplay.from_estimator(counted).updates_ax_ is not None


def test_rows_are_counted_in_whole_numbers():
    display = MarginDisplay.from_estimator(Perceptron(random_state=0).fit(X, Y), X[:6], Y[:6])
    assert all(float(tick).is_integer() for tick in display.ax_.get_yticks())


def test_margins_of_two_classes_are_distances():
    model = Perceptron(random_state=0).fit(X, Y)
    display = drawn(MarginDisplay.from_estimator(model, X, Y))
    signs = 2 * Y - 1
    assert display.geometric
    assert display.margins == pytest.approx(signs * model.decision_function(X) / np.linalg.norm(model.coef_))
    heights = sum(bar.get_height() for bar in display.ax_.patches if bar.get_width() < np.ptp(display.margins) / 2)
    assert heights == len(X)


def test_margins_do_not_change_with_the_length_of_the_weights():
    small, large = (Perceptron(learning_rate=eta, random_state=0).fit(X3, Y3) for eta in (1.0, 64.0))
    first, second = (MarginDisplay.from_estimator(model, X3, Y3).margins for model in (small, large))
    assert first == pytest.approx(second)


def test_margins_of_several_classes_are_to_the_nearest_boundary():
    model = Perceptron(random_state=0, max_iter=5).fit(X3, Y3)
    scores, weights = model.decision_function(X3), model.coef_
    expected = []
    for row, truth in zip(scores, Y3, strict=True):
        other = max((k for k in range(3) if k != truth), key=lambda k: row[k])
        expected.append((row[truth] - row[other]) / np.linalg.norm(weights[truth] - weights[other]))
    display = MarginDisplay.from_estimator(model, X3, Y3)
    assert display.margins == pytest.approx(expected)
    assert ((display.margins < 0) == (model.predict(X3) != Y3)).all()


def test_linear_kernel_has_the_margins_of_the_perceptron():
    plain = Perceptron(shuffle=False, fit_intercept=False).fit(X, Y)
    dual = KernelPerceptron("linear", shuffle=False).fit(X, Y)
    first, second = (MarginDisplay.from_estimator(model, X, Y) for model in (plain, dual))
    assert first.margins == pytest.approx(second.margins, rel=1e-5) and second.geometric


def test_margins_without_length_are_scores():
    model = Perceptron(answer="voted", random_state=0).fit(X, Y)
    display = drawn(MarginDisplay.from_estimator(model, X, Y))
    assert not display.geometric and "no unit of length" in display.ax_.get_xlabel()


def test_no_bar_mixes_right_and_wrong():
    for margins in ([-1.0, 2.0, 0.3], [0.5], [-0.5], [0.0, 0.0]):
        edges = MarginDisplay._edges(np.array(margins), 7)
        assert np.isclose(edges, 0).any() and edges[0] <= min(margins) and edges[-1] >= max(margins)


def test_unknown_class_is_on_the_wrong_side():
    display = drawn(MarginDisplay.from_estimator(Perceptron(random_state=0).fit(X, Y), X, np.where(Y == 1, 7, 0)))
    assert display.ax_.get_title().startswith("45 of 90 rows on the wrong side")


# ------------------------------------------------------------------ boundaries


@pytest.mark.parametrize(
    "learner",
    [Perceptron(answer="averaged"), Perceptron(answer="voted"), KernelPerceptron(), GaussianDiscriminant(), Layer()],
)
@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize("scaled", [False, True])
def test_regions_are_the_answers(learner, several, scaled):
    rows, labels = (X3, np.array(["a", "b", "c"])[Y3]) if several else (X, np.array(["no", "yes"])[Y])
    model = (make_pipeline(StandardScaler(), learner) if scaled else learner).fit(rows, labels)
    display = drawn(BoundaryDisplay.from_estimator(model, rows, labels, grid_resolution=20))
    place = [display.grid_x[3], display.grid_y[7]]
    assert model.predict([place])[0] == display.classes[display.regions[7, 3]]
    assert legend(display)[: len(display.classes)] == list(display.classes)


def test_margin_lines_and_rings_of_an_svm():
    model = make_pipeline(StandardScaler(), LinearSVM(lam=0.01, random_state=0)).fit(X, Y)
    display = drawn(BoundaryDisplay.from_estimator(model, X, Y))
    inside = (2 * Y - 1) * model.decision_function(X) <= 1 + 1e-3
    assert display.margin == 1.0 and np.array_equal(display.rings, X[inside])
    assert legend(display)[-1] == "support vectors"


def test_margin_of_a_separating_line_goes_through_the_nearest_row():
    model = Perceptron(random_state=0).fit(X, Y)
    display = drawn(BoundaryDisplay.from_estimator(model, X, Y))
    assert len(display.rings) == 1 and legend(display)[-1] == "nearest row"  # a perceptron has no support vectors
    assert abs(model.decision_function(display.rings)[0]) == pytest.approx(display.margin)


def test_rings_of_a_kernel_find_the_way_back_through_scalers():
    model = make_pipeline(StandardScaler(), KernelPerceptron(random_state=0)).fit(X3, Y3)
    display = drawn(BoundaryDisplay.from_estimator(model, X3, Y3))
    assert display.rings == pytest.approx(X3[model[-1].support_])


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_keep_their_names(library):
    frames = pytest.importorskip(library, reason=f"{library} is not installed")
    frame = frames.DataFrame({"age": X[:, 0], "income": X[:, 1]})
    model = make_pipeline(StandardScaler(), Perceptron(random_state=0)).fit(frame, Y)
    display = drawn(BoundaryDisplay.from_estimator(model, frame, Y, grid_resolution=20))
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == ("age", "income")


def test_one_region_and_rows_on_a_line():
    flat = np.column_stack([X[:, 0], np.zeros(len(X))])
    drawn(BoundaryDisplay.from_estimator(Perceptron(random_state=0).fit(flat, Y), flat, Y))
    model = Perceptron(random_state=0).fit(X, Y)
    display = drawn(BoundaryDisplay.from_estimator(model, X[Y == 1][:5], Y[Y == 1][:5]))
    assert len(np.unique(display.regions)) == 1


# ------------------------------------------------------------------ weights


def test_bars_of_two_classes():
    model = make_pipeline(StandardScaler(), Perceptron(random_state=0)).fit(X, Y)
    display = drawn(WeightsDisplay.from_estimator(model, feature_names=["east", "north"]))
    assert display.weights == pytest.approx(model[-1].coef_)
    assert display.ax_.get_title() == "for 1, against 0"
    assert {tick.get_text() for tick in display.ax_.get_yticklabels()} == {"east", "north"}


def test_bars_with_rows_do_not_depend_on_units():
    model = make_pipeline(StandardScaler(), Perceptron(random_state=0))
    first = WeightsDisplay.from_estimator(model.fit(X, Y), X).weights
    scaled = X * [1000.0, 0.01]
    assert WeightsDisplay.from_estimator(model.fit(scaled, Y), scaled).weights == pytest.approx(first)


def test_panel_for_each_class_also_in_given_axes():
    model = Perceptron(random_state=0, max_iter=5).fit(X3, Y3)
    assert len(drawn(WeightsDisplay.from_estimator(model)).axes_) == 3
    _, (left, right) = plt.subplots(1, 2)
    display = drawn(WeightsDisplay.from_estimator(model, ax=left))
    assert len(display.axes_) == 3 and display.figure_ is right.figure
    assert [panel.get_title() for panel in display.axes_] == ["0", "1", "2"]


def test_images():
    rows = np.random.default_rng(1).normal(size=(60, 12))
    model = Perceptron(random_state=0, max_iter=3).fit(rows, np.arange(60) % 3)
    display = drawn(WeightsDisplay.from_estimator(model, image_shape=(3, 4)))
    shown = display.axes_[2].get_images()[0].get_array()
    assert np.array_equal(np.asarray(shown), model.coef_[2].reshape(3, 4))


def test_only_the_largest_bars_and_names_that_are_long_or_formulas():
    rows = np.random.default_rng(1).normal(size=(60, 30))
    model = LeastSquares().fit(rows, rows[:, 4])
    names = [f"$price_{j}$ " + "x" * 60 for j in range(30)]
    display = drawn(WeightsDisplay.from_estimator(model, feature_names=names, most=5))
    assert len(display.ax_.get_yticklabels()) == 5 and "25 smaller not shown" in display.ax_.get_title()


def test_sparse_rows():
    rows = scipy.sparse.csr_matrix(X)
    model = Perceptron(random_state=0).fit(rows, Y)
    assert WeightsDisplay.from_estimator(model, rows).weights == pytest.approx(model.coef_ * X.std(axis=0))
    drawn(MarginDisplay.from_estimator(model, rows, Y))


# ------------------------------------------------------------------ bad input


@pytest.mark.parametrize(
    ("call", "error", "sentence"),
    [
        (lambda m: TraceDisplay(3), TypeError, "picture of a Trace"),
        (lambda m: TraceDisplay(Trace()), ValueError, "must have an epoch"),
        (lambda m: TraceDisplay.from_estimator(GaussianDiscriminant().fit(X, Y)), TypeError, "keep a trace_"),
        (lambda m: MarginDisplay.from_estimator(LeastSquares().fit(X, Y), X, Y), TypeError, "classifier"),
        (lambda m: MarginDisplay.from_estimator(m, X, Y[:3]), ValueError, "same number of rows"),
        (lambda m: MarginDisplay.from_estimator(m, X, Y, bins=0), ValueError, "bins must be"),
        (lambda m: MarginDisplay([]), ValueError, "one margin for each row"),
        (lambda m: BoundaryDisplay.from_estimator(m, np.zeros((90, 3)), Y), ValueError, "rows of 2 features"),
        (lambda m: BoundaryDisplay.from_estimator(LeastSquares().fit(X, Y), X, Y), TypeError, "no classes"),
        (lambda m: BoundaryDisplay.from_estimator(m, X, Y, grid_resolution=1), ValueError, "grid_resolution"),
        (lambda m: WeightsDisplay.from_estimator(KernelPerceptron().fit(X, Y)), TypeError, "no coef_"),
        (lambda m: WeightsDisplay.from_estimator(m, image_shape=(3, 4)), ValueError, "2 pixels in all"),
        (lambda m: WeightsDisplay.from_estimator(m, feature_names=["one"]), ValueError, "one for each feature"),
        (lambda m: WeightsDisplay.from_estimator(m, most=0), ValueError, "most must be"),
        (lambda m: WeightsDisplay.from_estimator(Perceptron()), NotFittedError, "not fitted"),
        (lambda m: MarginDisplay.from_estimator("model", X, Y), TypeError, "fitted estimator"),
    ],
)
def test_bad_input(call, error, sentence):
    with pytest.raises(error, match=sentence):
        call(Perceptron(random_state=0).fit(X, Y))


def test_a_few_far_rows_do_not_squeeze_the_histogram():
    """Most rows within 3, a handful a million away on either side: not two bars."""
    margins = np.append(np.random.default_rng(0).normal(1.0, 1.0, 50_000), [1e6, 2e6, -1e6])
    display = MarginDisplay(margins).plot()
    heights = np.array([bar.get_height() for bar in display.ax_.patches if hasattr(bar, "get_height")])
    assert (heights > 100).sum() > 8 and "rows beyond at the ends" in display.ax_.get_xlabel()
    counts = sum(container.datavalues.sum() for container in display.ax_.containers)
    assert counts == len(margins)
    wrong = display.ax_.containers[1]
    assert wrong.datavalues.sum() == (margins < 0).sum()
    one = MarginDisplay(np.append(np.full(999, 5.0), -0.001)).plot()
    assert one.ax_.containers[1].datavalues.sum() == 1
