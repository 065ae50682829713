"""Writes the table of what `rosenblatt train` reaches on public files, docs/command_line/accuracies_table.md.

    python -m docs.command_line.accuracies

The files are read from the folder that the environment variable ROSENBLATT_DATA names. Each is trained on with no
option but the target, by the command itself; 20 Newsgroups is exported to a table first, by the command too.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rosenblatt.cli.main import main
from rosenblatt.cli.summary import command_of
from rosenblatt.report.advice import Advice

TABLE = Path(__file__).with_name("accuracies_table.md")
FILES = {  # file: target, or None where the file has its labels
    "small/banana.keel.dat": "-1",
    "small/banknote_authentication.csv": "-1",
    "small/breast-cancer-wisconsin.csv": "-1",
    "small/iris.csv": "-1",
    "small/pima-indians-diabetes.csv": "-1",
    "small/sonar.csv": "-1",
    "small/titanic.keel.dat": "-1",
    "small/wdbc.keel.dat": "-1",
    "small/wine.csv": "-1",
    "streams/phishing.csv.gz": "is_phishing",
    "sms-spam/SMSSpamCollection.xz": "1",
    "libsvm/a9a.xz": None,
    "libsvm/mushrooms-agaricus.train.xz": None,
    "libsvm/reuters-lasvm.xz": None,
    "mnist/train-images-idx3-ubyte.gz": None,
    "newsgroups.parquet": "group",  # rosenblatt datasets export newsgroups newsgroups.parquet
}
HEAD = ("file", "target", "rows", "features", "accuracy", "between", "largest class", "better, as tried by the summary")


@dataclass(frozen=True)
class Line:
    """One line of the table: a file, and what its summary says."""

    file: str
    target: str
    found: dict[str, Any]

    def cells(self) -> list[str]:
        summary = self.found["summary"]
        accuracy, always = summary["accuracy"], summary["baseline"]["accuracy"]
        beaten = "" if summary["beats_baseline"] else " (not beaten)"
        return [
            f"`{self.file}`",
            self.target,
            f"{self.found['data']['rows']:,}",
            f"{summary['n_features']:,}",
            f"{accuracy['value']:.1%}",
            f"{accuracy['low']:.1%} and {accuracy['high']:.1%}",
            f"{always['value']:.1%}{beaten}",
            self.better(),
        ]

    def better(self) -> str:
        """The learners that were tried and found better, with what they reached."""
        told = []
        for advice in self.found["summary"]["advice"]:
            trial = advice["trial"]
            if trial is not None and trial["accuracy"]["value"] > self.found["summary"]["accuracy"]["value"]:
                named = command_of(Advice(advice["topic"], "", advice["learner"], advice["settings"]))
                told.append(f"`{named}` {advice['trial']['accuracy']['value']:.1%}")
        return ", ".join(told)


def run(*arguments: str) -> dict[str, Any]:
    """A command's JSON."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        code = main([*arguments, "--json"])
    assert code == 0, (arguments, code)
    found: dict[str, Any] = json.loads(printed.getvalue())
    return found


def line_of(file: str, folder: Path) -> Line:
    """Train on one file, with no option but the target."""
    target = FILES[file]
    with tempfile.TemporaryDirectory() as place:
        path = folder / file
        if file == "newsgroups.parquet":
            path = Path(place) / file
            run("datasets", "export", "newsgroups", str(path))
        options = [] if target is None else ["--target", target]
        found = run("train", str(path), *options, "--advise", "--out", os.devnull)
    return Line(Path(file).name, "" if target is None else f"`{target}`", found)


def table(lines: list[Line]) -> str:
    rows = [
        list(HEAD),
        ["---", "---", "---:", "---:", "---:", "---:", "---:", "---"],
        *(line.cells() for line in lines),
    ]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


if __name__ == "__main__":
    where = Path(os.environ["ROSENBLATT_DATA"])
    TABLE.write_text(table([line_of(file, where) for file in FILES]), encoding="utf-8")
    print(TABLE.read_text(encoding="utf-8"))
