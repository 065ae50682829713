"""States: edits, and the way into an address and back."""

import base64
import json
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.lab import tour
from rosenblatt.lab.learners import LEARNERS, Choice
from rosenblatt.lab.sets import SETS
from rosenblatt.lab.state import State, apply, data_of, from_address, to_address
from rosenblatt.lab.upload import take

coordinates = st.floats(-1e6, 1e6, allow_nan=False).map(lambda v: round(v, 3))
places = st.lists(st.lists(coordinates, min_size=2, max_size=2), min_size=1, max_size=3)
edits = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.sampled_from([-1, 1]), places),
        st.tuples(st.just("move"), st.integers(0, 3), coordinates, coordinates),
        st.tuples(st.just("flip"), st.integers(0, 3)),
        st.just(("clear",)),
    ),
    max_size=6,
)


def same_data(a, b):
    one, other = data_of(a), data_of(b)
    return one.X.tobytes() == other.X.tobytes() and np.array_equal(one.y, other.y)


@given(edits, st.sampled_from(sorted(LEARNERS)), st.integers(0, 2**31 - 1), st.integers(0, 10_000))
def test_an_address_holds_everything(steps, learner, seed, frame):
    state = State.of("xor", None, Choice.of(learner), Choice.of("svm"), seed=seed, frame=frame)
    for edit in steps:
        if edit[0] in ("move", "flip") and edit[1] >= len(data_of(state).y):
            continue
        state = state.edited(edit)
    back = from_address(to_address(State(**{**vars(state), "frame": frame})))
    assert back.learners == state.learners and back.seed == seed and back.frame == frame and same_data(back, state)


@pytest.mark.parametrize("name", sorted(set(SETS) - {"mnist"}))
def test_every_ready_set_in_an_address(name):
    assert from_address(to_address(State.of(name))) == State.of(name)


def test_every_step_of_the_tour_in_an_address():
    assert len(tour.STEPS) == 12
    for number in range(1, 13):
        assert from_address(to_address(tour.state_of(number))) == tour.state_of(number)
    with pytest.raises(ValueError, match="steps 1 to 12, but got 13"):
        tour.state_of(13)


def packed(told):
    return base64.urlsafe_b64encode(zlib.compress(json.dumps(told).encode())).decode().rstrip("=")


GOOD = {"v": 1, "set": "xor", "seed": 0, "frame": 0, "values": {}, "learners": [["perceptron", {}]]}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nonsense",
        "%%%",
        "é",
        packed([]),
        packed({}),
        packed({**GOOD, "v": 2}),
        packed({**GOOD, "set": "nowhere"}),
        packed({**GOOD, "seed": -1}),
        packed({**GOOD, "frame": "x"}),
        packed({**GOOD, "learners": [["genius", {}]]}),
        packed({**GOOD, "learners": [["perceptron", {"max_iter": 10**9}]]}),
        packed({**GOOD, "edits": [["explode"]]}),
        packed({**GOOD, "edits": [["move", 99, 0, 0]]}),
        packed({**GOOD, "edits": [["add", 1, [[1e999, 0]]]]}),
        packed({**GOOD, "points": [[1]]}),
        packed({**GOOD, "points": [["a", "b", "c"]], "axes": ["x", "y"], "classes": ["a", "b"]}),
        packed({**GOOD, "points": [[1, 2]], "axes": ["x", "y"], "classes": ["a", "b"]}),
        packed({**GOOD, "learners": [["perceptron"]]}),
        packed({**GOOD, "learners": [["perceptron", ["max_iter"]]]}),
        packed({**GOOD, "edits": [["add", 1, [[1]]]]}),
        packed({**GOOD, "edits": [["add", 1, [["a", "b"]]]]}),
        packed({**GOOD, "edits": [["move", "a", 0, 0]]}),
        packed({**GOOD, "edits": [["move", 0]]}),
        packed({**GOOD, "edits": ["move", [[]]]}),
        packed({**GOOD, "set": "blobs", "values": {"n": 10**12}}),
        base64.urlsafe_b64encode(zlib.compress(b"[" * 50_000_000)).decode(),
    ],
)
def test_a_bad_address_gets_a_sentence(text):
    with pytest.raises(ValueError, match="This link does not hold a screen of the lab") as told:
        from_address(text)
    assert "\n" not in str(told.value)
    for foreign in (
        "base64",
        "Expecting",
        "codec",
        "literal",
        "unpack",
        "Error",
        "character",
        "reshape",
        "could not",
        "index",
        "argument",
    ):
        assert foreign not in str(told.value)


def test_a_link_that_lost_its_end_is_told_so():
    whole = to_address(State.of("xor"))
    for text in (whole[:-1], whole[:-2], whole[:-3], whole[: len(whole) // 2], whole[1:], "nonsense", "é"):
        with pytest.raises(ValueError, match=r"\(it is cut off or mistyped: copy it whole\); here is a fresh one"):
            from_address(text)


def test_edits():
    X, y = np.zeros((0, 2)), np.zeros(0, np.int64)
    X, y = apply(X, y, ("add", 1, [[1, 2], [3, 4]]))
    X, y = apply(X, y, ("add", -1, [[5, 6]]))
    X, y = apply(X, y, ("move", 1, 7, 8))
    X, y = apply(X, y, ("flip", 2))
    assert X.tolist() == [[1, 2], [7, 8], [5, 6]] and y.tolist() == [1, 1, 1]
    X, y = apply(X, y, ("delete", [0, 2]))
    assert X.tolist() == [[7, 8]] and y.tolist() == [1]
    assert len(apply(X, y, ("clear",))[1]) == 0


def test_a_dragged_point_is_one_edit():
    state = State.of("xor").edited(("move", 1, 0.1, 0.2)).edited(("move", 1, 0.3, 0.4)).edited(("move", 2, 0, 0))
    assert [edit[1] for edit in state.edits] == [1, 2]
    assert data_of(state).X[1].tolist() == [0.3, 0.4]


def test_many_own_points_do_not_fit_into_an_address():
    rows = np.random.default_rng(0).normal(size=(3000, 2))
    state = State(points=tuple((x, y, 1 if x > 0 else -1) for x, y in rows.tolist()))
    assert to_address(state) == ""


def test_the_second_class_of_a_file_is_the_positive_one():
    state, left_out = take(State.of("xor"), ["a", "b", "kind"], [["1", "2", "yes"], ["3", "4", "no"]], "a", "b", "kind")
    assert state.points == ((1.0, 2.0, 1), (3.0, 4.0, -1)) and state.classes == ("no", "yes") and left_out == 0
