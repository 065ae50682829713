"""Text in data that would command a terminal, and classes with very long names."""

from pathlib import Path

import pytest

CLEAR = "\x1b[2J\x1b]0;title\x07"
STRANGE = f"{CLEAR}bad\x7f\x9b31m\u202e"
PLAIN = set("\n")


def obedient(text):
    """The characters that a terminal would obey."""
    return {sign for sign in text if not sign.isprintable()} - PLAIN


@pytest.fixture
def strange(shell):
    lines = [f"a{STRANGE},b,{STRANGE}x,y"]
    lines += [f"{n % 7},{n % 5},{'u' if n % 3 else STRANGE},{'ok' if n % 7 > 3 else STRANGE}" for n in range(60)]
    Path("strange.csv").write_text("\n".join(lines) + "\n")
    return "strange.csv"


def test_no_text_of_data_commands_the_terminal(shell, strange):
    """Every verb, its remarks and its failures."""
    commands = [
        (["train", strange, "-t", "y", "-o", "m.safetensors"], 0),
        (["train", strange, "-t", "y", "-q", "-o", "/dev/null"], 0),
        (["inspect", strange], 0),
        (["inspect", "m.safetensors"], 0),
        (["inspect", "m.safetensors", "--data", strange, "--row", 1], 0),
        (["evaluate", "m.safetensors", strange], 0),
        (["predict", "m.safetensors", strange, "-o", "p.csv"], 0),
        (["separable", strange, "-t", "y"], 0),
        (["convert", strange, "s.libsvm", "-t", "y"], 0),
        (["train", strange, "-t", f"a{CLEAR}"], 2),
        (["train", f"{CLEAR}.csv", "-t", "y"], 3),
        (["inspect", f"{CLEAR}.csv"], 3),
    ]
    for command, code in commands:
        shell(*command, code=code)
        assert not obedient(shell.out) and not obedient(shell.err), (command, shell.out, shell.err)
    assert r"\x1b[2J\x1b]0;title" in shell("train", strange, "-t", "y", "-o", "/dev/null")


def test_json_holds_the_text_and_no_command(shell, strange):
    found = shell.json("train", strange, "-t", "y", "-o", "/dev/null", "--positive", STRANGE)
    assert found["summary"]["positive"] == STRANGE
    assert not obedient(shell.out) - {"\u202e"}


def test_answers_hold_the_text_as_it_is(shell, strange):
    shell("train", strange, "-t", "y", "-o", "m.safetensors", "-l", "svm")
    assert STRANGE in shell("predict", "m.safetensors", strange, "--only")


def test_long_names_of_classes_are_shortened(shell):
    long, other = "d" * 3000, "e" * 3000
    lines = [f"{n % 7},{n % 5},{long if n % 7 > 3 else other}" for n in range(120)]
    Path("long.csv").write_text("a,b,y\n" + "\n".join(lines) + "\n")
    Path("mixed.csv").write_text(
        "a,b,y\n" + "\n".join(f"{n % 2},1,{[long, other][n % 3 == 0]}" for n in range(90)) + "\n"
    )
    for name in ("long.csv", "mixed.csv"):
        for verb in (
            ["train", name, "-t", "y", "-o", "m.safetensors"],
            ["evaluate", "m.safetensors", name],
            ["inspect", "m.safetensors"],
            ["inspect", "m.safetensors", "--data", name, "--row", 1],
            ["predict", "m.safetensors", name, "-o", "p.csv"],
            ["convert", name, "p.libsvm", "-t", "y"],
        ):
            told = shell(*verb)
            assert "d" * 61 not in told and "e" * 61 not in told and told.count("\n") < 60, (verb, told)
        told = shell("separable", name, "-t", "y", code=0 if name == "long.csv" else 1)
        assert "d" * 61 not in told and "e" * 61 not in told
