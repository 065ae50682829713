"""What the addresses take and refuse, and that the OpenAPI document says the same."""

import contextlib
import http.client
import json
import random
import re
import shutil
import subprocess
import time
import urllib.parse
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import polars
import pytest
import river.datasets
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline

from rosenblatt import (
    ColumnEncoder,
    GaussianDiscriminant,
    LogisticRegression,
    Perceptron,
    ThresholdUnit,
    progressive_error,
    save,
)
from rosenblatt.service.client import Client, ServiceError

JSON = {"Content-Type": "application/json"}


@pytest.fixture
def server(serve):
    server = serve()
    client = server.client()
    client.create()
    client.learn_many([{"a": 1.0, "b": 2.0}, {"c": 1.0}], ["x", "y"])
    rows = server.client("rows")
    rows.create("PassiveAggressive", C=0.5)
    rows.learn_many([[1.0, 0.0], [0.0, 1.0]], [True, False])
    return server


def send(server, method, path, body=b"", headers=JSON):
    """(status, answer) of a request as it is."""
    address = urllib.parse.urlsplit(server.url)
    with contextlib.closing(http.client.HTTPConnection(address.hostname, address.port, timeout=60)) as connection:
        connection.request(method, path, body, headers)
        response = connection.getresponse()
        content = response.read()
    kind = response.headers.get("Content-Type", "")
    return response.status, json.loads(content) if "json" in kind else content.decode()


LEARN, PREDICT = "/v1/models/m/learn", "/v1/models/m/predict"
TOO_MANY = json.dumps({"x": {f"f{i}": 1 for i in range(10_001)}, "y": "x"}).encode()


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "sentence"),
    [
        ("POST", LEARN, b"", 400, "not JSON"),
        ("POST", LEARN, b"{", 400, "not JSON"),
        ("POST", LEARN, b"\xff", 400, "not JSON"),
        ("POST", LEARN, b'{"x": {"a": NaN}, "y": "x"}', 400, "not JSON"),
        ("POST", LEARN, b"[" * 100_000, 422, "Expected `object`"),
        ("POST", LEARN, b'{"x": {"a": 1e999}, "y": "x"}', 422, "out of range"),
        ("POST", LEARN, b"[]", 422, "Expected `object`"),
        ("POST", LEARN, b'{"x": {"a": 1}}', 422, "missing required field `y`"),
        ("POST", LEARN, b'{"x": {"a": 1}, "y": null}', 422, "got `null` - at `$.y`"),
        ("POST", LEARN, b'{"x": {"a": 1}, "y": 1.5}', 422, "at `$.y`"),
        ("POST", LEARN, b'{"x": {"a": [1]}, "y": "x"}', 422, "at `$.x"),
        ("POST", LEARN, b'{"x": {"a": 1}, "y": "x", "w": -1}', 422, "at `$.w`"),
        ("POST", LEARN, b'{"x": {"a": 1}, "y": "x", "z": 1}', 422, "unknown field `z`"),
        ("POST", LEARN, b'{"x": {"a": 1}, "y": 3}', 422, "The labels of this model are text, but got 3"),
        ("POST", LEARN, b'{"x": [1, 2], "y": "x"}', 422, "takes named features, but got a row"),
        ("POST", "/v1/models/rows/learn", b'{"x": [1], "y": true}', 422, "rows of 2 numbers, but got 1"),
        ("POST", "/v1/models/rows/learn", b'{"x": [], "y": true}', 422, "a row without numbers"),
        ("POST", LEARN, TOO_MANY, 422, "10,001 features; at most 10,000"),
        ("POST", LEARN, b'{"examples": []}', 422, "length >= 1"),
        ("POST", LEARN, b'{"examples": [{"x": {"a": 1}, "y": "x"}, {"x": {"a": 1}, "y": 2}]}', 422, "but got 2"),
        ("POST", LEARN, b" " * 1_000_001, 413, "larger than 1,000,000 bytes"),
        ("POST", PREDICT, b'{"x": {"a": 1}, "id": ""}', 422, "at `$.id`"),
        ("POST", "/v1/models/m/labels/none", b'{"y": "x"}', 404, "no prediction with the id 'none'"),
        ("POST", "/v1/models/other/learn", b'{"x": {"a": 1}, "y": "x"}', 404, "There is no model 'other'"),
        ("POST", "/v1/models/m:rollback", b'{"to": 99}', 422, "newest entry is 1"),
        ("POST", "/v1/models/m:rollback", b'{"to": -1}', 422, "at `$.to`"),
        ("PUT", "/v1/models/m", b'{"learner": "Perceptron"}', 409, "There is a model m already"),
        ("PUT", "/v1/models/..", b'{"learner": "Perceptron"}', 422, "A model's name has 1 to 64"),
        ("PUT", "/v1/models/n", b'{"learner": "Perceptrn"}', 422, "no online learner 'Perceptrn'"),
        ("PUT", "/v1/models/n", b'{"learner": "Perceptron", "params": {"C": 1}}', 422, "has no parameter 'C'"),
        ("PUT", "/v1/models/n", b'{"learner": "Perceptron", "params": {"answer": "no"}}', 422, "answer"),
        ("GET", "/v1/nothing", b"", 404, "There is nothing at /v1/nothing"),
        ("GET", LEARN, b"", 405, "takes POST, not GET"),
        ("POST", "/v1/models/m", b"{}", 405, "takes DELETE, GET, PUT, not POST"),
        ("PUT", "/v1/models/n", b'{"learner": "Perceptron", "params": {"hash_features": 1125899906842624}}', 422,
         "hash_features is at most 16,777,216"),
        ("POST", "/v2/models/m/infer", b'{"inputs": []}', 422, "at `$.inputs`"),
    ],
)  # fmt: skip
def test_bad_requests_are_refused_in_one_sentence_and_leave_no_trace(server, method, path, body, status, sentence):
    before = server.client().describe(), server.client("rows").describe()
    found, answer = send(server, method, path, body)
    assert (found, answer["status"]) == (status, status)
    assert sentence in answer["detail"] and answer["detail"].endswith(".") and "\n" not in answer["detail"]
    assert (server.client().describe(), server.client("rows").describe()) == before


def test_ten_thousand_fuzzed_bodies_are_answered(server):
    """Bodies that are nearly right, and bytes that are not: never a 5xx, and the server still learns."""
    generator = random.Random(0)
    good = [
        {"x": {"a": 1.0, "b": "red"}, "y": "x", "w": 0.5}, {"x": [1.0, 2.0], "y": True}, {"y": "x"}, {"to": 0},
        {"examples": [{"x": {"a": 1}, "y": "y"}]}, {"x": {"a": 1}, "id": "i"}, {"learner": "Perceptron"},
        {"inputs": [{"name": "a", "shape": [1], "datatype": "FP64", "data": [1.0]}]},
    ]  # fmt: skip
    odd = (None, True, 0, -1, 1e308, 10**30, "", "é\u0000", [], {}, [[]], {"x": None}, 1.5, "NaN")
    paths = (
        "/v1/models/m/learn", "/v1/models/m/predict", "/v1/models/rows/learn", "/v1/models/rows/predict",
        "/v1/models/m/labels/i", "/v1/models/m:rollback", "/v1/models/m/versions", "/v2/models/m/infer",
        "/v2/models/rows/infer",
    )  # fmt: skip

    def changed(body):
        if isinstance(body, dict) and body and generator.random() < 0.8:
            key = generator.choice(list(body))
            name = generator.choice((key, key, "x", "zz"))
            return {**body, name: changed(body[key]) if generator.random() < 0.7 else generator.choice(odd)}
        if isinstance(body, list) and body and generator.random() < 0.7:
            return [*body[1:], changed(body[0])]
        return generator.choice(odd)

    address = urllib.parse.urlsplit(server.url)
    connection = http.client.HTTPConnection(address.hostname, address.port, timeout=60)
    statuses = set()
    for _ in range(10_000):
        data = json.dumps(changed(generator.choice(good))).encode()
        if generator.random() < 0.3:
            place = generator.randrange(len(data) + 1)
            data = data[:place] + generator.randbytes(generator.randrange(3)) + data[place + generator.randrange(3) :]
        connection.request("POST", generator.choice(paths), data, JSON)
        response = connection.getresponse()
        answer = response.read()
        statuses.add(response.status)
        assert response.status < 500, (data, answer)
    connection.close()
    assert {200, 400, 409, 422} <= statuses
    assert server.client().learn({"a": 1.0}, "x")["examples"] == 1


def test_the_gate(serve, tmp_path):
    (tmp_path / "token").write_text("0123456789abcdef0123\n")
    server = serve("--token-file", str(tmp_path / "token"), "--allow-host", "learn.example.org")
    assert send(server, "GET", "/v1/models")[0] == 401
    assert send(server, "GET", "/metrics", headers={"Authorization": "Bearer 0123456789abcdef0124"})[0] == 401
    for path in ("/", "/docs", "/openapi.json", "/v2/health/live", "/v2/health/ready"):
        assert send(server, "GET", path)[0] == 200
    right = {"Authorization": "Bearer 0123456789abcdef0123", **JSON}
    for host, status in (("learn.example.org", 200), ("evil.example.org", 421), ("localhost:99", 200)):
        assert send(server, "GET", "/v1/models", headers={**right, "Host": host})[0] == status
    assert send(server, "GET", "/v1/models", headers={**right, "Origin": "https://evil.example.org"})[0] == 403
    body = b'{"learner": "Perceptron"}'
    assert send(server, "PUT", "/v1/models/m", body, {**right, "Content-Type": "text/plain"})[0] == 415
    assert send(server, "PUT", "/v1/models/m", body, right)[0] == 201
    assert send(server, "GET", "/v1/models", headers={"Authorization": "bearer 0123456789abcdef0123"})[0] == 200
    with Client(server.url, "m", token="0123456789abcdef0123") as client:
        assert client.learn({"a": 1}, "x")["seq"] == 1
    with Client(server.url, "m") as client, pytest.raises(ServiceError, match="Authorization: Bearer TOKEN"):
        client.learn({"a": 1}, "x")


def test_the_open_inference_protocol(server):
    assert send(server, "GET", "/v2/health/ready") == (200, {"ready": True})
    metadata = send(server, "GET", "/v2/models/rows")[1]
    assert metadata["inputs"] == [{"name": "x", "datatype": "FP64", "shape": [-1, 2]}]
    assert metadata["outputs"][0] == {"name": "predict", "datatype": "BOOL", "shape": [-1]}
    tensor = {"name": "x", "shape": [2, 2], "datatype": "FP32", "data": [[1.0, 0.0], [0.0, 1.0]]}
    flat = {**tensor, "data": [1.0, 0.0, 0.0, 1.0]}
    for one in (tensor, flat):
        body = json.dumps({"id": "7", "inputs": [one]}).encode()
        status, answer = send(server, "POST", "/v2/models/rows/infer", body)
        assert (status, answer["id"], answer["model_name"]) == (200, "7", "rows")
        assert answer["outputs"][0] == {"name": "predict", "datatype": "BOOL", "shape": [2], "data": [True, False]}
        assert answer["outputs"][1]["shape"] == [2, 2]
    named = [
        {"name": "a", "shape": [2], "datatype": "FP64", "data": [1.0, 0.0]},
        {"name": "c", "shape": [2, 1], "datatype": "FP64", "data": [0.0, 1.0]},
    ]
    status, answer = send(server, "POST", "/v2/models/m/infer", json.dumps({"inputs": named}).encode())
    assert (status, answer["outputs"][0]["data"], answer["outputs"][0]["datatype"]) == (200, ["x", "y"], "BYTES")
    for wrong in ([{**tensor, "shape": [3, 2]}], [tensor, tensor], [{**tensor, "data": ["a", "b", "c", "d"]}], named):
        status, answer = send(server, "POST", "/v2/models/rows/infer", json.dumps({"inputs": wrong}).encode())
        assert status == 422, answer


def test_a_pipeline_of_columns_learns_on_and_what_cannot_learn_says_so(serve, tmp_path):
    table = load_iris()
    X, y = table.data, table.target_names[table.target]
    frame = {name: X[:, j] for j, name in enumerate(table.feature_names)}
    model = make_pipeline(ColumnEncoder(), Perceptron()).fit(polars.DataFrame(frame), y)
    save(model, tmp_path / "flowers.safetensors")
    save(GaussianDiscriminant().fit(X, y), tmp_path / "bells.safetensors")
    server = serve(*(f"--model={name}={tmp_path / name}.safetensors" for name in ("flowers", "bells")))
    flowers, bells = server.client("flowers"), server.client("bells")
    x = {name: float(values[0]) for name, values in frame.items()}
    assert flowers.predict(x) == model.predict(polars.DataFrame(frame)[:1])[0]
    assert flowers.learn(x, "a new one")["seq"] == 1
    model[-1].partial_fit(model[:-1].transform(polars.DataFrame([x])), ["a new one"])
    expected = model.decision_function(polars.DataFrame([x]))[0]
    assert list(flowers.scores(x).values()) == expected.tolist()
    assert flowers.describe()["skipped"] == 0
    with pytest.raises(ServiceError, match="has no column 'petals'"):
        flowers.predict({"petals": 1.0})
    seq = flowers.describe()["seq"]
    for wrong in ("abc", [1.0]):
        with pytest.raises(ServiceError):
            flowers.learn({**x, "petal width (cm)": wrong}, "a new one")
    with pytest.raises(ServiceError, match="has numbers and text in one request"):
        flowers.predict_many([x, {**x, "petal width (cm)": "abc"}])
    assert (flowers.describe()["seq"], flowers.describe()["skipped"]) == (seq, 0)
    assert bells.predict(X[0]) == y[0]
    with pytest.raises(ServiceError, match="only predicts"):
        bells.learn(X[0], y[0])


def test_a_file_that_cannot_be_served_stops_the_start(serve, tmp_path):
    save(ThresholdUnit([1, 1], 1.5), tmp_path / "and.safetensors")
    (tmp_path / "text.safetensors").write_text("text")
    for name, file, sentence in (
        ("and", "and.safetensors", "holds a ThresholdUnit, which does not predict"),
        ("text", "text.safetensors", "--model text="),
        ("none", "none.safetensors", "--model none="),
        ("a/b", "and.safetensors", "A model's name has 1 to 64"),
    ):
        with pytest.raises(RuntimeError, match=sentence) as refused:
            serve(f"--model={name}={tmp_path / file}")
        assert "Traceback" not in str(refused.value)


def test_models_are_created_and_deleted_by_many_at_once(server):
    def change(number):
        method = "PUT" if number % 3 else "DELETE"
        return send(server, method, "/v1/models/same", b'{"learner": "Perceptron"}' if number % 3 else b"")[0]

    with ThreadPoolExecutor(12) as threads:
        statuses = list(threads.map(change, range(60)))
    assert set(statuses) <= {201, 204, 404, 409} and 201 in statuses and 409 in statuses
    assert [path.name for path in (server.data / "models").iterdir() if path.name.startswith(".")] == []


def test_an_id_is_any_text(server):
    client = server.client()
    for name in ("a/b", "ключ", "a b?c#d%", "x" * 200):
        client.predict({"a": 1.0}, id=name)
        assert client.label(name, "x")["examples"] == 1
        with pytest.raises(ServiceError, match="was used already"):
            client.label(name, "x")


def test_a_version_is_written_or_the_answer_says_why_not(server):
    fresh = server.client("fresh")
    fresh.create()
    with pytest.raises(ServiceError, match="has learned nothing yet"):
        fresh.request("POST", "/v1/models/fresh/versions", {})
    assert fresh.versions() == []
    fresh.learn({"a": 1.0}, "x")
    assert fresh.request("POST", "/v1/models/fresh/versions", {}) == {"version": 1} and fresh.versions() == [1]


def test_a_reader_follows_the_models_and_changes_nothing(serve, server, tmp_path):
    server.client().request("POST", "/v1/models/m/versions", {})
    reader = serve("--read-only", data=server.data)
    client = reader.client()
    assert client.predict({"a": 1.0}) == "x"
    for method, path in (("POST", LEARN), ("POST", "/v1/models/m/versions"), ("DELETE", "/v1/models/m")):
        assert send(reader, method, path, b'{"x": {"a": 1}, "y": "x"}')[0] == 405
    assert 'rosenblatt_read_only{model="m"} 1' in send(reader, "GET", "/metrics")[1]
    server.client("later").create()
    server.client("rows").request("DELETE", "/v1/models/rows")
    until = time.monotonic() + 60
    while time.monotonic() < until:
        if {one["model"] for one in client.request("GET", "/v1/models")["models"]} == {"later", "m"}:
            break
        time.sleep(0.1)
    else:
        raise AssertionError("the reader does not follow")
    for options, data, sentence in (
        (["--read-only"], tmp_path / "none", "There is no folder"),
        (["--read-only", "--model=a=b"], server.data, "takes no --model"),
        ([], Path(__file__), "must be a folder"),
    ):
        with pytest.raises(RuntimeError, match=sentence):
            serve(*options, data=data)


def test_a_model_that_cannot_be_read_does_not_stop_the_others(serve, server):
    server.client("rows").request("POST", "/v1/models/rows/versions", {})
    server.stop()
    (server.data / "models" / "rows" / "model.json").write_text('{"learner')
    again = serve(data=server.data)
    assert again.client().predict({"a": 1.0}) == "x"
    with pytest.raises(ServiceError, match=r"cannot be served: .*model\.json is damaged") as refused:
        again.client("rows").predict([1.0, 0.0])
    assert refused.value.status == 503
    again.client("rows").request("DELETE", "/v1/models/rows")
    assert not (server.data / "models" / "rows").exists()


@pytest.mark.skipif(shutil.which("sqlite3") is None, reason="there is no sqlite3 program on this machine")
def test_the_backup_of_the_page_is_a_folder_like_any_other(serve, server, tmp_path):
    page = (Path(__file__).parents[2] / "docs" / "service.md").read_text("utf-8")
    client = server.client()
    client.request("POST", "/v1/models/m/versions", {})
    client.learn({"a": 1.0}, "y")
    lines = re.findall(r"^    ((?:mkdir|cp|sqlite3) .*backup.*)$", page, re.MULTILINE)
    script = "\n".join(lines).replace("models/models/mail", f"{server.data}/models/m").replace("/mail", "/m")
    subprocess.run(["sh", "-ec", script], cwd=tmp_path, check=True)
    client.learn({"a": 1.0}, "y")
    copy = serve(data=tmp_path / "backup").client()
    assert len(lines) == 3 and copy.describe()["seq"] == 2 and copy.describe()["remarks"]
    assert copy.learn({"a": 1.0}, "y")["seq"] == 3 and copy.scores({"a": 1.0}) == client.scores({"a": 1.0})


def test_connections_that_the_server_has_closed_are_not_used(server):
    client = server.client()
    with ThreadPoolExecutor(9) as threads:
        list(threads.map(lambda _: client.predict({"a": 1.0}), range(90)))
    time.sleep(6.0)  # uvicorn closes what is idle for five seconds
    once = server.client("n", tries=1)
    once.request("GET", "/v2")
    assert client.describe()["model"] == "m"
    time.sleep(6.0)
    assert once.create()["model"] == "n"  # which is sent once only
    for wrong in (lambda: Client(server.url, token="ключ"), lambda: client.learn({"a": 1.0}, "x", key="ключ")):
        with pytest.raises(ValueError, match="must be ASCII text"):
            wrong()


def test_an_answer_that_is_not_json_is_shown(server):
    with Client(server.url + "/docs?", "m") as client, pytest.raises(ServiceError, match="not in JSON: <!doctype"):
        client.request("GET", "")


def test_the_progressive_error_is_that_of_the_process(serve):
    """Against the same learner in process, on a stream that drifts."""
    generator = np.random.default_rng(0)
    stream = []
    for i in range(400):
        x = generator.standard_normal(6)
        turned = 1.0 if i < 200 else -1.0
        stream.append(({f"f{j}": float(v) for j, v in enumerate(x)}, bool(turned * x[0] + x[1] > 0)))
    client = serve().client()
    client.create("LogisticRegression")
    here, there = progressive_error(LogisticRegression(), stream), progressive_error(client, stream)
    assert (here.mistakes, here.examples) == (there.mistakes, there.examples)
    described = client.describe()
    assert (described["mistakes"], described["examples"]) == (here.mistakes, here.examples)


@pytest.mark.skipif(shutil.which("curl") is None, reason="there is no curl on this machine")
def test_the_lines_of_the_page_answer_as_it_says(serve):
    page = (Path(__file__).parents[2] / "docs" / "service.md").read_text("utf-8")
    lines = re.findall(r"^    (curl .*)$", page, re.MULTILINE)
    address = serve().url.removeprefix("http://")
    answers = [
        subprocess.run(line.replace("localhost:8080", address), shell=True, capture_output=True, text=True).stdout
        for line in lines
    ]
    assert len(lines) == 4 and f"\n    {answers[-1]}\n" in page


@pytest.mark.parametrize("name", ["Perceptron", "LogisticRegression"])
def test_the_phishing_stream_has_the_progressive_error_of_the_process(serve, name):
    stream = [({n: float(v) for n, v in x.items()}, bool(y)) for x, y in river.datasets.Phishing()]
    client = serve().client()
    client.create(name)
    learner = Perceptron(hash_features=2**18) if name == "Perceptron" else LogisticRegression()
    here, there = progressive_error(learner, stream), progressive_error(client, stream)
    assert (here.mistakes, here.examples) == (there.mistakes, there.examples) == (client.describe()["mistakes"], 1250)
    x = stream[0][0]
    assert list(client.scores(x).values()) == list(learner.decision_function_one(x).values())


def test_metrics_are_counted(server):
    server.client().predict_many([{"a": 1.0}] * 3)
    send(server, "GET", "/nothing")
    status, text = send(server, "GET", "/metrics")
    assert status == 200
    assert 'rosenblatt_examples_total{model="m"} 2' in text
    assert 'rosenblatt_predictions_total{model="m"} 3' in text
    assert 'rosenblatt_refused_total{status="404"} 1' in text


def test_a_model_is_deleted_with_everything(server):
    client = server.client()
    client.request("DELETE", "/v1/models/m")
    assert not (server.data / "models" / "m").exists()
    with pytest.raises(ServiceError, match="There is no model"):
        client.predict({"a": 1.0})
    client.create("HalfSpace", rule="pegasos")
    assert client.describe()["examples"] == 0


def test_names_of_a_learner_that_does_not_hash_are_bounded(server):
    client = server.client("few")
    client.request("PUT", "/v1/models/few", {"learner": "LinearSVM", "max_names": 5})
    for _ in range(10):  # names that are known cost nothing
        client.learn({"a": 1, "b": 1, "c": "red"}, "x")
    assert client.describe()["features"] == 3
    with pytest.raises(ServiceError, match="at most 5"):
        client.learn({"d": 1, "e": 1, "f": 1}, "y")


def test_an_update_beyond_the_floats_changes_nothing(server):
    client = server.client()
    scores = client.scores({"a": 1.0})
    for label in ("x", "y", "x", "y"):
        client.learn({"huge": 1e300}, label)
    assert all(np.isfinite(score) for score in client.scores({"a": 1.0}).values())
    assert client.predict({"huge": 1e308}) in ("x", "y")
    assert scores.keys() == client.scores({"a": 1.0}).keys()


def test_the_document_has_every_address(server):
    document = send(server, "GET", "/openapi.json")[1]
    from rosenblatt.service.app import application
    from rosenblatt.service.limits import Limits
    from rosenblatt.service.models import Models

    app = application(Models(server.data, Limits()), Limits(), (), None).app
    pages = {"/", "/docs", "/openapi.json"}
    served = {(route.path, method) for route in app.routes for method in route.methods - {"HEAD"}}
    served = {(path.replace(":path", ""), method) for path, method in served if path not in pages}
    assert served == {(path, method.upper()) for path, does in document["paths"].items() for method in does}


def test_what_the_document_allows_is_taken_and_nothing_breaks(server):
    """schemathesis makes requests from the document: right ones and wrong ones."""
    schemathesis = pytest.importorskip("schemathesis", reason="pip install schemathesis")
    from hypothesis import HealthCheck, given, settings

    schema = schemathesis.openapi.from_url(f"{server.url}/openapi.json")
    for operation in schema.get_all_operations():
        case = operation.ok()

        @settings(max_examples=15, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
        @given(case.as_strategy())
        def call(one):
            response = one.call(timeout=60)
            assert response.status_code < 500, (one, response.text)
            if response.status_code >= 400:
                assert response.json()["detail"]

        call()


def test_the_pages_show_the_models_without_errors(server, browser):
    for width in (1280, 390):
        for scheme in ("light", "dark"):
            page = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
            problems = []
            page.on("console", lambda message, problems=problems: problems.append(message.text))
            page.on("pageerror", lambda error, problems=problems: problems.append(str(error)))
            for path, wanted in (("/", "progressive error"), ("/docs", "/v1/models/{model}/learn")):
                page.goto(server.url + path)
                page.get_by_text(wanted).first.wait_for()
                assert page.evaluate("document.documentElement.scrollWidth") <= width
            assert problems == []
            page.close()
