"""Servers that are killed under load, lose power, or meet a full or damaged disk: nothing acknowledged is lost."""

import contextlib
import json
import random
import shutil
import signal
import sqlite3
import subprocess
import threading
import time

import pytest

from rosenblatt.service.bodies import unpacked
from rosenblatt.service.client import ServiceError
from rosenblatt.service.folder import JOURNAL, read_spec, state_at
from rosenblatt.service.journal import Journal
from rosenblatt.service.learner import Served, new_learner

CLIENTS = 32


class Writers:
    """Clients that learn without a pause, each its own examples; what was acknowledged to each."""

    def __init__(self, server):
        self.server, self.stop, self.acknowledged = server, threading.Event(), {}
        self.threads = [threading.Thread(target=self.run, args=(k,)) for k in range(CLIENTS)]
        self.sent = [0] * CLIENTS

    def run(self, k):
        while not self.stop.is_set():
            number = self.sent[k]
            client, key = self.server.client(), f"{k}-{number}"
            while not self.stop.is_set():
                with contextlib.suppress(OSError, ServiceError, json.JSONDecodeError):
                    x = {f"client{k}": 1.0, f"number{number % 50}": 1.0, "id": float(k * 10**6 + number)}
                    answer = client.learn(x, ("odd", "even")[number % 2], key=key)
                    self.acknowledged[key] = answer["seq"]
                    break
                time.sleep(0.02)
            self.sent[k] += 1
            client.close()

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *error):
        self.stop.set()
        for thread in self.threads:
            thread.join()


def learned_once_and_in_order(folder, acknowledged):
    """Every acknowledged example is in the journal where it was said to be, once."""
    database = sqlite3.connect(folder / JOURNAL)
    keys = dict(database.execute("select key, seq from keys"))
    assert {key: keys.get(key) for key in acknowledged} == acknowledged
    ids = [unpacked(body)[0][0]["id"] for (body,) in database.execute("select body from entries where kind = 'learn'")]
    assert len(ids) == len(set(ids))
    database.close()


def replayed(folder):
    """The model of a replay of the whole journal, from nothing."""
    journal, spec = Journal(folder / JOURNAL), read_spec(folder)
    served = Served(new_learner(spec), spec)
    for entry in journal.entries(0, journal.last):
        for x, y, w in unpacked(entry.body):
            served.learn(x, y, w)
    recovered = state_at(folder, journal, journal.last)
    journal.close()
    return served, recovered


def same(one, other, n=CLIENTS):
    questions = [{f"client{k}": 1.0, f"number{k}": 1.0} for k in range(n)]
    assert one.figures == other.figures
    for x in questions:
        assert one.learner.decision_function_one(x) == other.learner.decision_function_one(x)


@pytest.mark.parametrize("kills", [20, pytest.param(200, marks=pytest.mark.slow)])
def test_kill_9_under_32_clients_loses_nothing_and_learns_nothing_twice(serve, kills):
    # versions in between, so that recovery has both: a version and the entries after it; all entries are kept
    server = serve("--version-every", "300", "--versions", "1000000")
    client = server.client()
    client.create()
    client.close()
    generator = random.Random(0)
    with Writers(server) as writers:
        for _ in range(kills):
            time.sleep(generator.uniform(0.01, 0.4))
            server.restart(signal.SIGKILL)
    server.stop(signal.SIGKILL)
    folder = server.data / "models" / "m"
    assert len(writers.acknowledged) > kills
    learned_once_and_in_order(folder, writers.acknowledged)
    same(*replayed(folder))


def test_versions_and_cuts_of_the_journal_while_many_learn(serve):
    server = serve("--version-every", "5", "--versions", "1")
    client = server.client()
    client.create()
    with Writers(server) as writers:
        time.sleep(3.0)
    found = client.describe()
    assert found["remarks"] == [] and found["skipped"] == 0 and len(client.versions()) == 1
    assert sorted(writers.acknowledged.values()) == list(range(1, found["seq"] + 1)) and found["seq"] > 100
    scores = client.scores({"client1": 1.0, "number1": 1.0})
    server.restart(signal.SIGKILL)
    again = server.client()
    assert again.describe()["examples"] == found["examples"] == found["seq"]
    assert again.scores({"client1": 1.0, "number1": 1.0}) == scores


def test_power_loss_between_two_syncs(serve, tmp_path):
    """Copies of the files at any moment, without some of what was not synced, hold what was acknowledged before.

    A power cut leaves any part of what was written since the last sync. Of the write-ahead log's blocks after its
    length when the last acknowledgement came, some are zeros in the copy, and it ends anywhere.
    """
    server = serve("--version-every", "1000000000")
    client = server.client()
    client.create()
    folder, generator = server.data / "models" / "m", random.Random(1)
    log = folder / (JOURNAL + "-wal")
    copies = []
    with Writers(server) as writers:
        for number in range(12):
            time.sleep(0.15)
            acknowledged, synced = dict(writers.acknowledged), log.stat().st_size
            copy = tmp_path / f"copy{number}"
            shutil.copytree(folder, copy)
            written = (copy / log.name).stat().st_size
            with open(copy / log.name, "r+b") as file:
                for block in range(synced, written, 4096):
                    if generator.random() < 0.5:
                        file.seek(block)
                        file.write(bytes(min(4096, written - block)))
                file.truncate(generator.randint(min(synced, written), written))
            copies.append((copy, acknowledged))
    for copy, acknowledged in copies:
        learned_once_and_in_order(copy, acknowledged)
        same(*replayed(copy))


def test_a_damaged_version_is_passed_over_and_a_damaged_journal_stops_learning_only(serve):
    server = serve("--version-every", "10")
    client = server.client()
    client.create()
    for i in range(25):
        client.learn({"a": 1.0, f"b{i % 5}": 2.0}, "xy"[i % 2])
    scores = client.scores({"a": 1.0})
    server.stop()
    folder = server.data / "models" / "m"
    newest = max(folder.glob("*.safetensors"))
    newest.write_bytes(newest.read_bytes()[:-7])
    server.start()
    client = server.client()
    assert client.scores({"a": 1.0}) == scores
    server.stop(signal.SIGKILL)
    journal = folder / JOURNAL
    for log in (folder / (JOURNAL + "-wal"), folder / (JOURNAL + "-shm")):
        log.unlink(missing_ok=True)
    journal.write_bytes(journal.read_bytes()[: 4096 * 2] + bytes(4096) * 4)
    server.start()
    client = server.client()
    assert client.predict({"a": 1.0}) in ("x", "y")
    with pytest.raises(ServiceError, match="is damaged") as refused:
        client.learn({"a": 1.0}, "x")
    assert refused.value.status == 503
    assert "is damaged" in client.describe()["remarks"][-1]


def test_a_clock_that_is_set_back_is_reported_and_harmless(serve):
    server = serve()
    client = server.client()
    client.create()
    client.learn({"a": 1.0}, "x", key="one")
    server.stop()
    database = sqlite3.connect(server.data / "models" / "m" / JOURNAL)
    database.execute("update entries set at = at + 7200")
    database.commit()
    database.close()
    server.start()
    client = server.client()
    assert client.learn({"a": 1.0}, "x", key="one")["seq"] == 1
    assert client.learn({"a": 2.0}, "y")["seq"] == 2
    assert "The clock of this machine is 7" in client.describe()["remarks"][0]


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 16 MB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", str(folder)], capture_output=True)
    if made.returncode:
        pytest.skip("a file system of a given size can only be mounted by root")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_full_disk_refuses_to_learn_and_goes_on_predicting(serve, small_disk):
    server = serve(data=small_disk / "data")
    client = server.client()
    client.request("PUT", "/v1/models/m", {"learner": "Perceptron", "params": {"hash_features": 1024}})
    client.learn_many([{"a": 1.0}, {"b": 1.0}], ["x", "y"])
    with open(small_disk / "filler", "wb") as filler, contextlib.suppress(OSError):
        while True:
            filler.write(bytes(2**16))
            filler.flush()
    once, acknowledged = server.client(tries=1), 0
    with contextlib.suppress(ServiceError):
        for _ in range(10_000):  # what SQLite has reserved already is used first
            once.learn({"c": 1.0}, "x")
            acknowledged += 1
    with pytest.raises(ServiceError, match="cannot be written") as refused:
        once.learn({"c": 1.0}, "x")
    assert refused.value.status == 503
    assert client.predict({"a": 1.0}) == "x"
    (small_disk / "filler").unlink()
    assert client.learn({"d": 1.0}, "y")["seq"] == acknowledged + 2
    scores = client.scores({"c": 1.0})
    server.restart(signal.SIGKILL)
    assert server.client().scores({"c": 1.0}) == scores
