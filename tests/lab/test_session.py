"""One tab, without a browser: requests in, the screen out."""

import base64
import json

import numpy as np
import pytest

import rosenblatt.lab
from rosenblatt.lab.learners import LEARNERS
from rosenblatt.lab.session import Session, menu, view_of
from rosenblatt.lab.sets import own
from rosenblatt.lab.upload import proposal, read


def unpacked(text, kind):
    return np.frombuffer(base64.b64decode(text), kind)


def test_the_first_screen_is_a_run_worth_watching():
    screen = Session().screen()
    assert 20 <= screen["runs"][0]["frames"] <= 60 and not screen["message"] and not screen["trouble"]
    json.dumps(screen), json.dumps(menu())


def test_what_is_sent_is_what_was_learned():
    session = Session()
    screen = session.handle({"do": "set", "name": "overlapping", "id": 7})
    (told,), (run,) = screen["runs"], session.runs
    assert screen["id"] == 7
    assert np.array_equal(unpacked(told["weights"], "<f8").reshape(-1, 3), run.weights)
    assert np.array_equal(unpacked(screen["data"]["x"], "<f8"), session.data.X[:, 0])
    assert np.array_equal(unpacked(screen["data"]["side"], "i1"), session.data.y)


def test_undo_and_redo_walk_over_everything():
    session = Session()
    seen = [session.state]
    for request in (
        {"do": "add", "label": 1, "places": [[0, 0]]}, {"do": "learner", "which": 0, "name": "kernel"},
        {"do": "set", "name": "moons"}, {"do": "compare", "name": "svm"}, {"do": "seed", "seed": 5}, {"do": "clear"},
    ):  # fmt: skip
        session.handle(request)
        seen.append(session.state)
    for state in reversed(seen[:-1]):
        assert session.handle({"do": "undo"})["redo"] and session.state == state
    assert session.handle({"do": "undo"})["message"] == "There is nothing to undo."
    for state in seen[1:]:
        session.handle({"do": "redo"})
        assert session.state == state
    assert session.handle({"do": "redo"})["message"] == "There is nothing to redo."


def test_two_tabs_are_independent():
    one, other = Session(), Session()
    one.handle({"do": "clear"})
    assert len(one.data.y) == 0 and len(other.data.y) == 60
    assert "no points yet" in one.screen()["trouble"]


def test_one_class_keeps_the_page_alive():
    session = Session()
    session.handle({"do": "clear"})
    reply = session.handle({"do": "add", "label": -1, "places": [[1, 1], [2, 2]]})
    assert "All points are blue" in reply["trouble"] and reply["runs"] == []
    assert session.proofs()["proofs"] == []
    assert "no run to draw" in session.handle({"do": "export", "kind": "png"})["message"]
    assert session.handle({"do": "add", "label": 1, "places": [[5, 5]]})["runs"]


@pytest.mark.parametrize(
    "request_",
    [
        {"do": "dance"}, {}, {"do": "set", "name": "nowhere"}, {"do": "set", "name": "blobs", "values": {"n": -1}},
        {"do": "learner", "which": 5, "name": "svm"}, {"do": "learner", "which": 0, "name": "genius"},
        {"do": "learner", "which": 0, "name": "svm", "values": {"lam": None}}, {"do": "seed", "seed": "many"},
        {"do": "move", "row": 1000, "x": 0, "y": 0}, {"do": "delete", "rows": [-1]},
        {"do": "add", "label": 0, "places": [[0, 0]]}, {"do": "add", "label": 1, "places": [[float("nan"), 0]]},
        {"do": "export", "kind": "bmp"}, {"do": "tour", "step": 99},
        {"do": "columns", "x": "a", "y": "b", "target": "c"},
        {"do": "move"}, {"do": "add", "label": 1, "places": "here"}, {"do": "seed"},
    ],
    ids=str,
)  # fmt: skip
def test_what_cannot_be_done_is_said_and_changes_nothing(request_):
    session = Session()
    before = session.state
    reply = session.handle(request_)
    assert reply["message"] and "\n" not in reply["message"] and session.state == before
    assert session.screen()["runs"]


def test_a_mistake_of_the_labs_is_answered_too(monkeypatch, caplog):
    session = Session()

    def broken(*_):
        raise RuntimeError("out of order")

    monkeypatch.setattr("rosenblatt.lab.session.script", broken)
    assert "RuntimeError: out of order" in session.handle({"do": "script", "id": 3})["message"]
    assert "could not answer" in caplog.text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "at least two rows"), ("a,b,c\n1,2,x\n", "at least two rows"), ("a\n1\n2\n", "at least three columns"),
        ("a,b,c\n1,2,x\n1,2\n", "line 3 has 2"), ("PK\x03\x04\x00\x00", "text in UTF-8"),
        ("\ufffd\ufffd", "text in UTF-8"),
    ],
)  # fmt: skip
def test_a_file_that_is_no_table(text, said):
    session = Session()
    assert said in session.handle({"do": "upload", "text": text})["message"]


def test_own_data():
    session = Session()
    text = "name;height;weight;kind\nA;1.5;50;cat\nB;1.75;82;dog\nC;1.6;61;cat\nD;1.9;99;dog\n"
    reply = session.handle({"do": "upload", "text": text})
    assert reply["columns"] == ["name", "height", "weight", "kind"] and reply["count"] == 4
    assert reply["proposal"] == {"x": "height", "y": "weight", "target": "kind"}
    assert "numbers, but row 1 has 'A'" in session.handle(
        {"do": "columns", "x": "name", "y": "weight", "target": "kind"})["message"]  # fmt: skip
    assert "exactly two values, but 'weight' has 4" in session.handle(
        {"do": "columns", "x": "height", "y": "kind", "target": "weight"})["message"]  # fmt: skip
    assert (
        "three different"
        in session.handle({"do": "columns", "x": "height", "y": "height", "target": "kind"})["message"]
    )
    reply = session.handle({"do": "columns", "x": "height", "y": "weight", "target": "kind"})
    assert reply["data"]["classes"] == ("cat", "dog") and reply["data"]["axes"] == ("height", "weight")
    assert session.data.X.tolist() == [[1.5, 50], [1.75, 82], [1.6, 61], [1.9, 99]]
    again = Session(reply["address"])
    assert again.data.X.tobytes() == session.data.X.tobytes() and again.data.classes == ("cat", "dog")


def test_rows_with_empty_cells_are_left_out_and_counted():
    session = Session()
    text = "x,y,kind\n1,2,a\n,3,b\n4,NA,a\n5,6,b\n7,8,\n9,1,a\n"
    reply = session.handle({"do": "upload", "text": text})
    assert reply["count"] == 6 and reply["proposal"] == {"x": "x", "y": "y", "target": "kind"}
    reply = session.handle({"do": "columns", "x": "x", "y": "y", "target": "kind"})
    assert reply["message"] == "3 rows have empty cells and are left out."
    assert session.data.X.tolist() == [[1, 2], [5, 6], [9, 1]] and reply["data"]["classes"] == ("a", "b")
    session.handle({"do": "upload", "text": "x,y,kind\n1,2,a\n,3,b\n4,5,b\n"})
    reply = session.handle({"do": "columns", "x": "x", "y": "y", "target": "kind"})
    assert reply["message"] == "1 row has an empty cell and is left out."
    session.handle({"do": "upload", "text": "x,y,kind\n1,,a\n,3,b\n4,,b\n"})
    reply = session.handle({"do": "columns", "x": "x", "y": "y", "target": "kind"})
    assert reply["message"] == "Every row has an empty cell in 'x', 'y' or 'kind'; choose other columns."
    session.handle({"do": "upload", "text": "x,y,kind\n,2,a\n?,3,b\nz,5,b\n1,5,a\n"})
    assert "row 3 has 'z'" in session.handle({"do": "columns", "x": "x", "y": "y", "target": "kind"})["message"]


def test_adaline_steps_as_its_formula_says():
    for rate in (0.05, 1.0):
        session = Session()
        session.handle({"do": "learner", "which": 0, "name": "adaline", "values": {"learning_rate": rate}})
        run, X = session.runs[0], session.data.X
        assert "min(η, 1/(‖x‖² + 1)) (1 − m)" in run.choice.learner.formula
        sides = np.where(session.data.y > 0, 1.0, -1.0)
        w, b = np.zeros(2), 0.0
        bounded = 0
        for i, step in zip(run.rows[:50], run.steps[:50], strict=True):
            x, y = X[i], sides[i]
            longest = 1 / (x @ x + 1)
            bounded += longest < rate
            tau = min(rate, longest) * (1 - y * (w @ x + b))
            assert step == pytest.approx(tau * y, rel=1e-9, abs=1e-12)
            w, b = w + tau * y * x, b + tau * y
        assert bounded > 0 or rate < 1


def test_a_table_without_names_and_with_tabs():
    names, rows = read("1\t2\tx\n3\t4\ty\n5\t6\ty\n")
    assert names == ["column 1", "column 2", "column 3"] and len(rows) == 3
    assert proposal(names, rows)["target"] == "column 3"


def test_a_hundred_thousand_points_are_sampled_for_display_and_learned_from_in_full():
    rows = np.random.default_rng(0).normal(size=(100_000, 2)).round(4)
    text = "x,y,c\n" + "".join(f"{x},{y},{'a' if x + y > 0 else 'b'}\n" for x, y in rows.tolist())
    session = Session()
    session.handle({"do": "upload", "text": text})
    session.handle({"do": "learner", "which": 0, "name": "perceptron", "values": {"max_iter": 2}})
    reply = session.handle({"do": "columns", "x": "x", "y": "y", "target": "c"})
    assert reply["data"]["total"] == 100_000 == len(session.data.y)
    assert len(unpacked(reply["data"]["x"], "<f8")) == 2000
    assert reply["message"] == "100,000 points: 2,000 of them are drawn, and all are learned from."
    assert session.runs[0].model.trace_.epochs[0].updates > 0 and len(json.dumps(reply)) < 3_000_000
    assert reply["address"] == ""


def test_exports():
    session = Session()
    session.handle({"do": "compare", "name": "kernel"})
    starts = {"svg": b"<?xml", "png": b"\x89PNG", "csv": b"x,y,class\n"}
    for kind, start in starts.items():
        file = session.handle({"do": "export", "kind": kind, "frame": 3, "dark": True})["file"]
        content = base64.b64decode(file["content"])
        assert content.startswith(start) and file["name"].endswith(kind)
    table = np.loadtxt(content.decode().splitlines(), delimiter=",", skiprows=1)
    assert table[:, :2].tobytes() == session.data.X.tobytes() and np.array_equal(table[:, 2], session.data.y)


def test_animation_has_a_frame_for_every_update():
    from io import BytesIO

    from PIL import Image

    session = Session()
    session.handle({"do": "set", "name": "or"})
    file = session.handle({"do": "export", "kind": "gif"})["file"]
    image = Image.open(BytesIO(base64.b64decode(file["content"])))
    assert image.n_frames == min(40, session.runs[0].frames)


@pytest.mark.parametrize("name", LEARNERS)
def test_every_learner_tells_its_screen(name):
    session = Session()
    reply = session.handle({"do": "learner", "which": 0, "name": name, "values": {}})
    (told,) = reply["runs"]
    assert told["paragraph"] and told["formula"] and told["links"]["row"].startswith("L")
    assert ("weights" in told) != ("field" in told)
    json.dumps(reply), json.dumps(session.proofs())


def test_the_view_is_square_where_units_are_alike():
    left, right, bottom, top = view_of(own([(0, 0, 1), (2, 1, -1)]))
    assert right - left == pytest.approx(top - bottom)
    left, right, bottom, top = view_of(own([(0, 0, 1), (2, 1000, -1)]))
    assert top - bottom > 100 * (right - left)
    assert view_of(own([])) == (-5, 5, -5, 5)
    assert view_of(own([(3, 3, 1)]))[0] < 3


def test_the_lab_is_reached_by_its_name():
    import subprocess
    import sys

    code = "import rosenblatt, sys; assert 'bokeh' not in sys.modules; print(callable(rosenblatt.lab.show))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "True\n"


def test_a_notebook_cell_is_a_frame_with_the_page():
    frame = rosenblatt.lab.Frame("http://localhost:1/", 900)
    assert 'src="http://localhost:1/"' in frame._repr_html_() and "http://localhost:1/" in repr(frame)


def test_a_missing_extra_is_one_sentence(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "bokeh", None)
    with pytest.raises(ImportError, match=r'pip install "rosenblatt\[lab\]"'):
        rosenblatt.lab.serve()


def test_a_port_that_is_taken_is_said():
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(ValueError, match="cannot be had"):
            rosenblatt.lab.serve(port=taken.getsockname()[1], open_browser=False)
    with pytest.raises(ValueError, match="port must be a whole number"):
        rosenblatt.lab.serve(port=-1, open_browser=False)


def test_the_class_of_an_update_is_that_of_its_point():
    session = Session()
    (told,) = session.handle({"do": "learner", "which": 0, "name": "adaline"})["runs"]
    sides, rows = unpacked(told["sides"], "i1"), unpacked(told["rows"], "<i4")
    assert np.array_equal(sides, session.data.y[rows])
    assert (np.sign(unpacked(told["steps"], "<f8")) != sides).any()  # the sign of a step says something else


def test_a_click_on_an_older_screen_changes_nothing():
    session = Session()
    old = session.generation
    session.handle({"do": "delete", "rows": [3], "generation": old})
    state = session.state
    for request in ({"do": "delete", "rows": [3]}, {"do": "flip", "row": 3}, {"do": "move", "row": 3, "x": 0, "y": 0}):
        reply = session.handle({**request, "generation": old})
        assert session.state == state and not reply["message"]
    assert len(session.data.y) == 59


def test_what_is_refused_leaves_the_generation():
    session = Session()
    before = session.generation
    for request in ({"do": "undo"}, {"do": "seed", "seed": -3}, {"do": "seed", "seed": 1.5}):
        reply = session.handle(request)
        assert reply["message"] and reply["generation"] == before


def test_the_exported_file_is_what_a_long_script_reads(tmp_path, monkeypatch):
    session, rng = Session(), np.random.default_rng(0)
    rows = "".join(f"{x!r},{y!r},{'dog, big' if x > y else 'cat'}\n".replace("dog, big", '"dog, big"')
                   for x, y in rng.normal(size=(2500, 2)).tolist())  # fmt: skip
    session.handle({"do": "upload", "text": "height,weight,kind\n" + rows})
    session.handle({"do": "columns", "x": "height", "y": "weight", "target": "kind"})
    content = base64.b64decode(session.handle({"do": "export", "kind": "csv"})["file"]["content"])
    assert content.startswith(b"height,weight,class\n") and b'"dog, big"' in content
    (tmp_path / "rosenblatt-data.csv").write_bytes(content)
    monkeypatch.chdir(tmp_path)
    names = {}
    exec(session.data.code, names)
    assert names["X"].tobytes() == session.data.X.tobytes() and np.array_equal(names["y"], session.data.y)


def test_a_picture_has_what_the_screen_has():
    from matplotlib.figure import Figure

    from rosenblatt.lab.picture import Screen, support_at

    session = Session()
    session.handle({"do": "set", "name": "xor"})
    session.handle({"do": "compare", "name": "svm"})
    session.proofs()
    screen = Screen(session.data, session.runs, session.view, session.proven[1])
    plain, proven = (Figure().add_subplot() for _ in range(2))
    screen.draw(plain, session.runs[0], 2)
    screen.draw(proven, session.runs[0], 2, session.proven[1][0])
    assert len(proven.collections) == len(plain.collections) + 2  # diamonds and the star
    assert len(proven.patches) == 2 and not plain.patches  # the hulls
    assert len(proven.texts) == 1  # the arrow
    assert [text.get_text() for text in proven.get_legend().get_texts()] == ["false", "true"]
    assert support_at(session.runs[1], session.runs[1].frames - 1).tolist() == [0, 1, 2, 3]


def test_columns_of_one_name_can_be_told_apart_and_far_numbers_are_refused():
    session = Session()
    reply = session.handle({"do": "upload", "text": "a,a,kind\n1,20,x\n3,1e200,y\n"})
    assert reply["columns"] == ["a", "a (2)", "kind"]
    said = session.handle({"do": "columns", "x": "a", "y": "a (2)", "target": "kind"})["message"]
    assert "up to 1e+100" in said and "'1e200' in row 2" in said
    session.handle({"do": "upload", "text": "a,a,kind\n1,20,x\n3,40,y\n"})
    session.handle({"do": "columns", "x": "a", "y": "a (2)", "target": "kind"})
    assert session.data.X.tolist() == [[1, 20], [3, 40]]


@pytest.mark.parametrize("there", [True, False])
def test_every_link_leads_to_a_page(there, monkeypatch, tmp_path):
    from rosenblatt.lab import reading, tour
    from rosenblatt.lab.explanations import links

    if not there:
        monkeypatch.setattr(reading, "DOCS", tmp_path)
    for learner in LEARNERS.values():
        told = links(learner)
        assert learner.title in reading.lecture(told["lecture"].split("/")[1])
        assert bool(told["docs"]) == there
        assert not there or "<h1>" in reading.documentation(told["docs"].split("/")[1])
    for step in tour.STEPS:
        assert step.title in reading.lecture(step.row)
        assert ("In the documentation" in reading.lecture(step.row)) == there
    for name in ("../README", "nowhere", ""):
        assert reading.documentation(name) is None and reading.lecture(name) is None


def test_a_learner_comes_back_as_it_was_left():
    session = Session()
    first = session.screen()["runs"][0]["frames"]
    for name in ("svm", "discriminant"):
        assert (
            session.handle({"do": "learner", "which": 0, "name": name})["learners"][0][1].get("order") != "as they are"
        )
    reply = session.handle({"do": "learner", "which": 0, "name": "perceptron"})
    assert reply["runs"][0]["frames"] == first and reply["learners"][0][1]["order"] == "as they are"


def test_the_picture_stays_still_under_the_hand():
    session = Session()
    view = session.view
    left, right, bottom, top = view
    session.handle({"do": "delete", "rows": list(range(40))})
    session.handle({"do": "add", "label": 1, "places": [[left + 0.01, bottom + 0.01]]})
    assert session.view == view and view != view_of(session.data)
    assert "changed it by hand" in session.screen()["data"]["about"]
    session.handle({"do": "add", "label": 1, "places": [[right + 1, top]]})
    assert session.view == view_of(session.data) != view
    assert "Your own data" in session.handle({"do": "clear"})["data"]["about"]


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0", "192.0.2.7"])
def test_a_page_may_talk_to_the_server_it_came_from(host):
    from bokeh.server.util import check_allowlist, create_hosts_allowlist

    from rosenblatt.lab.server import origins

    came_from = "localhost:8000" if host == "127.0.0.1" else "192.0.2.7:8000"
    assert check_allowlist(came_from, create_hosts_allowlist(origins(host, 8000), 8000))
    assert check_allowlist("example.org:8000", create_hosts_allowlist(origins(host, 8000), 8000)) == (host == "0.0.0.0")


def test_the_points_of_a_proof_are_drawn_though_they_are_not_in_the_sample():
    from matplotlib.figure import Figure

    from rosenblatt.lab.picture import Screen

    session, rng = Session(), np.random.default_rng(0)
    rows = "".join(f"{x!r},{y!r},{'ab'[j % 2]}\n" for j, (x, y) in enumerate(rng.normal(size=(5000, 2)).tolist()))
    session.handle({"do": "upload", "text": "height,weight,kind\n" + rows})
    session.handle({"do": "columns", "x": "height", "y": "weight", "target": "kind"})
    (proof,), data = session.proofs()["proofs"], session.data
    assert f"a mix of the {len(proof['rows'])} points in diamonds" in proof["sentence"]
    assert len(proof["places"]) + len(proof["apart"]) == len(proof["rows"]) and proof["apart"]
    hidden = [row for row in proof["rows"] if row not in data.sample()]
    assert proof["apart"] == [[*data.X[row].tolist(), data.y[row]] for row in hidden]
    screen, axes = Screen(data, session.runs, session.view, session.proven[1]), Figure().add_subplot()
    screen.draw(axes, session.runs[0], 2, session.proven[1][0])
    drawn = np.vstack([points.get_offsets() for points in axes.collections if len(points.get_offsets()) > 100])
    assert len(drawn) == len(data.sample()) + len(hidden)  # circles and squares, without the diamonds
    assert all((drawn == data.X[row]).all(axis=1).any() for row in hidden)
