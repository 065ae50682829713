"""What happened, as arrays, frames and tables."""

import numpy as np
import pytest

from rosenblatt import Perceptron
from rosenblatt.sources import blobs
from rosenblatt.trace import STOP_REASONS, Epoch, Trace

toy = blobs(40, 2, random_state=1)


@pytest.fixture(scope="module")
def trace():
    return Perceptron(random_state=0).fit(toy.X, toy.y, eval_set=(toy.X, toy.y)).trace_


def test_columns(trace):
    assert trace.columns == ("epoch", "updates", "mistakes", "norm", "seconds", "test_error")
    assert trace["epoch"].tolist() == list(range(1, len(trace) + 1))
    assert set(trace.as_arrays()) == set(trace.columns)
    assert (trace["seconds"] >= 0).all() and trace["test_error"][-1] == 0.0
    assert [row.updates for row in trace] == trace["updates"].tolist()


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_have_the_same_numbers(trace, library):
    frame = trace.to_frame(library)
    assert tuple(frame.columns) == trace.columns
    for name in trace.columns:
        np.testing.assert_array_equal(frame[name].to_numpy(), trace[name])


def test_unknown_names_are_refused_in_a_sentence(trace):
    with pytest.raises(ValueError, match="'pandas' or 'polars', but got 'arrow'"):
        trace.to_frame("arrow")
    with pytest.raises(KeyError, match="not 'accuracy'"):
        trace["accuracy"]


def test_repr_is_a_table_that_ends_with_the_reason(trace):
    lines = repr(trace).splitlines()
    assert lines[0].split() == ["epoch", "updates", "mistakes", "norm", "seconds", "test", "error"]
    assert lines[-1] == "stopped: converged"
    assert len(lines) == len(trace) + 2


def test_a_long_table_is_shortened():
    long = Trace([Epoch(n, n, n, 1.0, 0.1) for n in range(1, 101)], "max_iter")
    text = repr(long)
    assert "80 epochs not shown" in text and len(text.splitlines()) < 30


def test_html_has_a_row_for_every_epoch_and_the_reason(trace):
    html = trace._repr_html_()
    assert html.count("<tr>") == len(trace) + 1 and "converged" in html and "<th>test error</th>" in html


def test_an_empty_trace_can_be_shown():
    assert repr(Trace()) and Trace()._repr_html_() and len(Trace().to_frame()) == 0


def test_every_reason_has_its_words():
    assert all(Trace([], reason).ending() == f"stopped: {words}" for reason, words in STOP_REASONS.items())
