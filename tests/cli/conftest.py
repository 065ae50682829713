"""Small files that the verbs are run on."""

import json

import numpy as np
import pytest

from rosenblatt.cli.main import main
from rosenblatt.verbs import export_dataset, testing


class Shell:
    """Runs a command in a folder of its own; what it printed and its exit code are kept."""

    def __init__(self, capsys):
        self.capsys = capsys

    def __call__(self, *arguments, code=0, force=True):
        more = ["--force"] if arguments[:1] == ("train",) and force else []
        found = main([str(argument) for argument in arguments] + more)
        captured = self.capsys.readouterr()
        self.out, self.err = captured.out, captured.err
        assert found == code, (found, self.out, self.err)
        return self.out

    def json(self, *arguments, code=0):
        return json.loads(self(*arguments, "--json", code=code))

    def refused(self, *arguments, code):
        """The one sentence of a failure."""
        self(*arguments, code=code)
        assert self.out == "" and self.err.count("\n") == 1 and self.err.startswith("rosenblatt: "), self.err
        assert "Traceback" not in self.err and self.err.rstrip().endswith((".", "?", "?)"))
        return self.err.removeprefix("rosenblatt: ").strip()


@pytest.fixture
def shell(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setattr(testing, "ADVISING", 0.1)  # seconds in which other learners are tried
    return Shell(capsys)


@pytest.fixture
def iris(tmp_path):
    path = tmp_path / "iris.csv"
    export_dataset("iris", str(path))
    return path


@pytest.fixture
def people(tmp_path):
    """Columns of every kind, some values missing; who is older than 40 or reads mostly says yes."""
    random = np.random.default_rng(0)
    lines = ["id,age,city,member,note,answer"]
    for n in range(200):
        age, city = int(random.integers(18, 80)), ["Rome", "Oslo", "Lima"][n % 3]
        member = "yes" if random.random() < 0.5 else "no"
        note = " ".join(random.choice(["likes", "books", "plays", "chess", "has", "a", "garden", "runs", "far"], 5))
        answer = "yes" if (age > 40 or "books" in note) != (n % 17 == 3) else "no"
        lines.append(f"p{n},{'' if n % 20 == 7 else age},{city},{member},{note},{answer}")
    path = tmp_path / "people.csv"
    path.write_text("\n".join(lines) + "\n")
    return path
