"""The command line as such: help, version, failures in one sentence, exit codes."""

import os
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

from rosenblatt.cli.app import app
from rosenblatt.cli.main import main

ROOT = Path(__file__).parents[2]


def test_the_installed_command_is_the_one_tested():
    entry = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]["rosenblatt"]
    module, name = entry.split(":")
    assert callable(getattr(import_module(module), name))


def test_help_loads_nothing_heavy():
    script = (
        "import sys\n"
        "from rosenblatt.cli.main import main\n"
        "assert main(['--help']) == 0 and main(['datasets', 'export', '--help']) == 0\n"
        "heavy = {'numpy', 'sklearn', 'scipy', 'polars', 'numba', 'matplotlib'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert "Usage: rosenblatt [OPTIONS] COMMAND" in done.stdout


def test_without_a_verb_there_is_help(capsys):
    assert main([]) == 0
    assert "datasets" in capsys.readouterr().out


def test_version(capsys):
    import rosenblatt

    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"rosenblatt {rosenblatt.__version__}\n"


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize(
    "verb",
    [[], *([verb] for verb in sorted(c.name or c.callback.__name__ for c in app.registered_commands))],
    ids=" ".join,
)
def test_help_fits_the_terminal_and_has_an_example(verb, width, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(width))
    assert main([*verb, "--help"]) == 0
    shown = capsys.readouterr().out
    assert "rosenblatt" in shown.partition("Example" if verb else "Begin with")[2]
    assert all(len(line) <= width for line in shown.splitlines())


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["datset"], "No such command 'datset'"),
        (["datset"], "Did you mean 'datasets'?"),
        (["datasets", "exprt", "iris", "-"], "Did you mean 'export'?"),
        (["datasets", "export", "minst", "-"], "did you mean 'mnist'?"),
        (["datasets", "export", "iris", "iris.sql"], "does not end like a format"),
        (
            ["datasets", "export", "iris", "-", "--part", "dev"],
            "--part must be one of all, train, test, but got 'dev'",
        ),
        (["datasets", "--jsn"], "--jsn"),
        (["datasets", "export", "iris"], "Missing argument"),
    ],
)
def test_wrong_usage_is_one_sentence_and_exit_code_2(arguments, sentence, capsys):
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert sentence in captured.err
    assert captured.err.startswith("rosenblatt: ") and captured.err.count("\n") == 1


def test_a_mistake_of_ours_is_said_to_be_one(capsys, monkeypatch):
    import rosenblatt.verbs.known_sets

    def broken():
        return 1 / 0

    monkeypatch.setattr(rosenblatt.verbs.known_sets, "list_datasets", broken)
    assert main(["datasets"]) == 70
    error = capsys.readouterr().err
    assert "ZeroDivisionError" in error and "--traceback" in error and "Traceback" not in error
    assert main(["--traceback", "datasets"]) == 70
    assert "Traceback" in capsys.readouterr().err
    assert main(["datasets"]) == 70
    assert "Traceback" not in capsys.readouterr().err  # the option is for its own command
    monkeypatch.setenv("ROSENBLATT_TRACEBACK", "1")
    assert main(["datasets"]) == 70
    assert "Traceback" in capsys.readouterr().err


def test_a_type_error_of_ours_is_no_input_error(capsys, monkeypatch):
    import rosenblatt.verbs.known_sets

    monkeypatch.setattr(rosenblatt.verbs.known_sets, "list_datasets", lambda: len(None))
    assert main(["datasets"]) == 70
    assert "a bug in rosenblatt (TypeError" in capsys.readouterr().err


def written_to(place, command):
    """The exit code of a command whose output goes to a place that takes none of it, and what it said."""
    done = subprocess.run(
        [sys.executable, "-m", "rosenblatt", *command.split()], stdout=place, stderr=subprocess.PIPE, text=True,
        timeout=100,
    )  # fmt: skip
    return done.returncode, done.stderr


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A file of a megabyte, more than a pipe holds, and a model of it."""
    folder = tmp_path_factory.mktemp("piped")
    data, model = str(folder / "big.csv"), str(folder / "m.safetensors")
    rows = [f"{i % 97},{i * 7919 % 101},{'ab'[i % 97 > 40]}\n" for i in range(100_000)]
    (folder / "big.csv").write_text("u,v,y\n" + "".join(rows))
    assert main(["train", data, "-t", "y", "-o", model, "-q", "--force", "--set", "max_iter=2"]) == 0
    return data, model


COMMANDS = [
    "predict {model} {data}",
    "inspect {data}",
    *(
        pytest.param(command, marks=pytest.mark.slow)
        for command in (
            "convert {data} - --to csv",
            "inspect {data} --json",
            "train {data} -t y --set max_iter=1 -o /dev/null",
            "train {data} -t y --set max_iter=1 -o - --quiet",
            "--version",
        )
    ),
]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_reader_that_goes_away_is_no_failure(command, trained):
    reader, writer = os.pipe()
    os.close(reader)
    code, said = written_to(writer, command.format(data=trained[0], model=trained[1]))
    os.close(writer)
    assert code == 141 and not [line for line in said.splitlines() if not line.startswith("note: ")]


def test_a_reader_that_takes_one_line_is_given_it(trained):
    command = f"{sys.executable} -m rosenblatt predict {trained[1]} {trained[0]} | head -1; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=100)
    assert (done.returncode, done.stdout, done.stderr) == (141, "u,v,y,prediction\n", "")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="the system has no /dev/full")
@pytest.mark.parametrize("command", COMMANDS)
def test_an_output_without_room_is_a_failure_to_write(command, trained):
    with open("/dev/full", "w") as place:
        code, said = written_to(place, command.format(data=trained[0], model=trained[1]))
    assert code == 4 and said.count("rosenblatt: ") == 1 and "Exception ignored" not in said
    assert "Standard output could not be written: No space left on device" in said


def test_ctrl_c_is_130(capsys, monkeypatch):
    import rosenblatt.verbs.known_sets

    def interrupted():
        raise KeyboardInterrupt

    monkeypatch.setattr(rosenblatt.verbs.known_sets, "list_datasets", interrupted)
    assert main(["datasets"]) == 130
