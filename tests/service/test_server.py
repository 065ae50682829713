"""A server as its users meet it: learn, predict, label, roll back, restart."""

import json
import signal
import subprocess
import sys
import urllib.request

import pytest

from rosenblatt import Perceptron, save
from rosenblatt.service.client import ServiceError

HAM, SPAM = ({"hello": 1, "mum": 1}, "ham"), ({"offer": 1, "free": 2.5, "from": "shop"}, "spam")


def stream(n):
    return [
        ({f"word{(i * 7) % 31}": 1.0, f"word{(i * 3) % 17}": 0.5 + i % 3}, ("ham", "spam")[i * i % 3 % 2])
        for i in range(n)
    ]


def test_a_newcomer_learns_and_predicts(serve):
    client = serve().client()
    assert client.create()["learner"] == "Perceptron"
    assert client.predict({"offer": 1}) is None
    assert client.learn(*SPAM) == {"seq": 1, "examples": 1}
    assert client.learn_many([HAM[0], SPAM[0]], ["ham", "spam"]) == {"seq": 2, "examples": 2}
    assert client.predict({"offer": 1}) == "spam"
    assert client.predict_many([HAM[0], SPAM[0]]) == ["ham", "spam"]
    assert set(client.scores(HAM[0])) == {"ham", "spam"}
    described = client.describe()
    assert (described["seq"], described["examples"], described["takes"]) == (2, 3, "names")


def test_the_model_is_that_of_the_same_stream_in_process(serve):
    client, model = serve().client(), Perceptron(hash_features=2**18)
    client.create()
    for x, y in stream(60):
        client.learn_one(x, y)
        model.learn_one(x, y)
    for x, _ in stream(20):
        assert client.scores(x) == model.decision_function_one(x)


def test_a_key_is_carried_out_once(serve):
    server = serve()
    client = server.client()
    client.create()
    first = client.learn(*SPAM, key="one")
    client.learn(*HAM)
    server.restart(signal.SIGKILL)
    client = server.client()
    assert client.learn(*SPAM, key="one") == first
    assert client.describe()["examples"] == 2
    with pytest.raises(ServiceError, match="with another body") as refused:
        client.learn(*HAM, key="one")
    assert refused.value.status == 409


def test_a_label_arrives_after_three_restarts(serve):
    server = serve()
    client = server.client()
    client.create()
    client.learn_many([HAM[0], SPAM[0]], ["ham", "spam"])
    client.predict({"new": 3.0}, id="mail-17")
    for number in (signal.SIGTERM, signal.SIGKILL, signal.SIGKILL):
        server.restart(number)
    client = server.client()
    assert client.label("mail-17", "spam") == {"seq": 2, "examples": 1}
    assert client.predict({"new": 3.0}) == "spam"
    for id, sentence, status in (("mail-17", "used already", 409), ("mail-18", "no prediction", 404)):
        with pytest.raises(ServiceError, match=sentence) as refused:
            client.label(id, "spam")
        assert refused.value.status == status
    client.predict(HAM[0], id="mail-19")
    client.predict(HAM[0], id="mail-19")  # the same again
    for id, x, sentence in (("mail-17", HAM[0], "used already"), ("mail-19", SPAM[0], "for another example")):
        with pytest.raises(ServiceError, match=sentence):
            client.predict(x, id=id)


def test_a_rollback_equals_a_replay_to_the_entry_also_after_a_crash(serve):
    server = serve("--version-every", "20", "--versions", "3")
    client, model = server.client(), Perceptron(hash_features=2**18)
    client.create()
    examples = stream(70)
    for x, y in examples[:50]:
        client.learn_one(x, y)
    assert client.rollback(30)["seq"] == 51
    for x, y in examples[60:]:
        client.learn_one(x, y)
    for x, y in examples[:30] + examples[60:]:
        model.learn_one(x, y)
    questions = [x for x, _ in stream(20)]
    expected = [model.decision_function_one(x) for x in questions]
    assert [client.scores(x) for x in questions] == expected
    server.restart(signal.SIGKILL)
    client = server.client()
    assert [client.scores(x) for x in questions] == expected
    server.restart()
    client = server.client()
    assert [client.scores(x) for x in questions] == expected
    assert client.describe()["seq"] == 61
    with pytest.raises(ServiceError, match="newest entry is 61"):
        client.rollback(62)


def test_a_model_file_is_served_and_learns_on(serve, tmp_path):
    model = Perceptron()
    for x, y in stream(40):
        model.learn_one(x, y)
    save(model, tmp_path / "mail.safetensors")
    server = serve("--model", f"mail={tmp_path / 'mail.safetensors'}")
    client = server.client(None)
    assert client.scores(HAM[0]) == model.decision_function_one(HAM[0])
    client.learn(*SPAM)
    model.learn_one(*SPAM)
    server.restart(signal.SIGKILL)  # the model of the folder, not that of the file, goes on
    assert server.client(None).scores(SPAM[0]) == model.decision_function_one(SPAM[0])
    request = urllib.request.Request(
        f"{server.url}/v1/models/copy", (tmp_path / "mail.safetensors").read_bytes(),
        {"Content-Type": "application/octet-stream"}, method="PUT",
    )  # fmt: skip
    with urllib.request.urlopen(request) as response:
        assert response.status == 201 and json.load(response)["examples"] == 0


def test_a_second_server_on_the_folder_is_refused_and_one_that_reads_is_not(serve):
    server = serve()
    client = server.client()
    client.create()
    client.learn_many([HAM[0], SPAM[0]], ["ham", "spam"])
    command = [sys.executable, "-m", "rosenblatt", "serve", "--data", str(server.data), "--port", "0"]
    second = subprocess.run(command, capture_output=True, text=True)
    assert second.returncode == 2 and "Another server writes to" in second.stderr
    client.request("POST", "/v1/models/m/versions", {})
    reader = serve("--read-only").client()
    answer = reader.request("POST", "/v1/models/m/predict", {"x": SPAM[0]})
    assert (answer["y"], answer["seq"]) == ("spam", 1)
    with pytest.raises(ServiceError, match="only predicts") as refused:
        reader.learn(*SPAM)
    assert refused.value.status == 405


def test_sigterm_writes_a_version(serve):
    server = serve()
    client = server.client()
    client.create()
    client.learn_many([HAM[0], SPAM[0]], ["ham", "spam"])
    server.stop()
    assert (server.data / "models" / "m" / "000000000001.safetensors").exists()
    server.start()
    assert "Replayed" not in server.stop()
