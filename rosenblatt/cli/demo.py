"""`make demo`: what this library does, on scikit-learn's handwritten digits, in a few seconds.

One fit of ten half-spaces, the epochs shown as they happen, then the four answers that the one fit gives.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

    from rosenblatt.estimators.perceptron import Perceptron

MEANING = {
    "last": "the weights at the end",
    "averaged": "the mean of all weights on the way",
    "voted": "all weights on the way, voting",
    "pocket": "the best on the training rows",
}


def run(console: Console | None = None) -> dict[str, tuple[float, float]]:
    """Train, print, and return (training error, test error) of every answer."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table
    from sklearn.exceptions import ConvergenceWarning

    from rosenblatt.estimators.perceptron import Perceptron
    from rosenblatt.sources import digits

    console = console or Console()
    data = digits(random_state=0)
    console.print("\n[bold]Rosenblatt[/bold]: the perceptron and its family, fast and certain\n")
    console.print(
        f"{len(data.y_train):,} handwritten digits to learn from, {len(data.y_test):,} to be tested on.\n"
        "Ten half-spaces, one per digit, learn together in each pass over the rows, an epoch. In the table\n"
        "[bold]updates[/bold] counts the moves of the ten, [bold]mistakes[/bold] the digits answered wrongly when they "
        "came by,\nand [bold]norm[/bold] is the length of all weights.\n"
    )
    started = time.perf_counter()
    model = Perceptron(answer="voted", max_iter=12, random_state=0, verbose=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the stop reason is explained below
        model.fit(data.X_train, data.y_train, eval_set=(data.X_test, data.y_test), record="train_error")
    seconds = time.perf_counter() - started
    trained = model.trace_["seconds"].sum()

    table = Table(title="\nOne fit, four answers", title_justify="left", title_style="bold", box=None, padding=(0, 2))
    for name, side in (("answer", "left"), ("train error", "right"), ("test error", "right"), ("what it is", "left")):
        table.add_column(name, justify=side)  # type: ignore[arg-type]
    errors = {}
    for name in MEANING:
        answer = model.answers_[name]
        errors[name] = 1 - answer.score(data.X_train, data.y_train), 1 - answer.score(data.X_test, data.y_test)
    best = min(test for _, test in errors.values())
    for name, (train, test) in errors.items():
        style = "bold green" if test == best else ""
        table.add_row(name, f"{train:.2%}", f"{test:.2%}", MEANING[name], style=style)
    console.print(table)
    console.print(f"\n{explain(model)}\n[dim]{seconds:.1f} s in all, {trained:.2f} s of it in the epochs.[/dim]\n")
    console.print("[bold]What to try next[/bold]")
    steps = next_steps()
    width = max(len(command) for command, _ in steps) + 2
    for command, comment in steps:
        console.print(f"  [cyan]{escape(command.ljust(width))}[/cyan][dim]{escape(comment)}[/dim]", highlight=False)
    console.print()
    return errors


def explain(model: Perceptron) -> str:
    """The stop reason in a sentence."""
    if model.stop_reason_ == "converged":
        return (
            f"It stopped because epoch {model.n_iter_} changed nothing: every training row is on the right side of "
            "every half-space."
        )
    return (
        f"It stopped after {model.n_iter_} epochs, as asked, still with {model.trace_.epochs[-1].mistakes} mistakes in "
        "the last one: where the last weights never settle, the averaged ones do."
    )


def next_steps() -> list[tuple[str, str]]:
    """Commands that work from here, and lines of Python."""
    ours = "rosenblatt" if shutil.which("rosenblatt") else os.path.relpath(Path(sys.executable).with_name("rosenblatt"))
    lab = "" if importlib.util.find_spec("panel") else "; first: pip install '.[lab]'"
    return [
        (f"{ours} datasets export iris iris.csv", "a file to begin with, or take your own"),
        (f"{ours} train iris.csv --target species", "from a file to a judged model"),
        (f"{ours} lab", f"watch it learn in the browser{lab}"),
        ('Perceptron(answer="averaged").fit(X, y)', "in Python: dense or sparse, no copy"),
        ('PassiveAggressive().learn_one({"age": 41}, "yes")', "one example at a time"),
        ("HalfSpace(rule=my_rule).fit(X, y)", "a rule of your own, compiled"),
        ("make bench", "beside its peers"),
    ]


def demo() -> None:
    """Train on handwritten digits and show what one fit gives, in seconds."""
    run()


if __name__ == "__main__":
    run()
