"""`make demo`: what this library does, on scikit-learn's handwritten digits, in a few seconds.

One fit of ten half-spaces, the epochs shown as they happen; the four answers that the one fit gives; and whether there
is a hyperplane at all, proven. Everything fits a terminal of 80 columns.
"""

from __future__ import annotations

import os
import shutil
import sys
import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

    from rosenblatt.estimators.perceptron import Perceptron

MEANING = {
    "last": "the weights at the end",
    "averaged": "the mean of all weights on the way",
    "voted": "all weights on the way, voting",
    "pocket": "the best on the training rows",
}
WIDEST = 88  # columns that a line of words may have


def run(console: Console | None = None) -> dict[str, tuple[float, float]]:
    """Train, print, and return (training error, test error) of every answer."""
    from rich.console import Console

    from rosenblatt.sources import digits

    console = console or Console()
    data = digits(random_state=0)
    started = time.perf_counter()
    console.print("\n[bold]Rosenblatt[/bold]: the perceptron and its family\n")
    _say(
        console,
        f"{len(data.y_train):,} handwritten digits to learn from, {len(data.y_test):,} to be tested on. Ten "
        "half-spaces, one for each digit, learn together in a pass over the rows, an epoch. [bold]updates[/bold] "
        "counts the moves of the ten, [bold]mistakes[/bold] the digits answered wrongly when they came by, and "
        "[bold]norm[/bold] is the length of all weights.\n",
    )
    model = _train(data)
    _say(console, f"\n{explain(model)}\n")
    errors = _answers(console, model, data)
    _prove(console, model, data)
    seconds, trained = time.perf_counter() - started, model.trace_["seconds"].sum()
    console.print(f"\n[dim]{seconds:.1f} s in all, {trained:.2f} s of it in the epochs.[/dim]\n")
    _next(console)
    return errors


def _say(console: Console, words: str) -> None:
    console.print(words, width=min(console.width, WIDEST), highlight=False)


def _train(data: Any) -> Perceptron:
    from sklearn.exceptions import ConvergenceWarning

    from rosenblatt.estimators.perceptron import Perceptron

    model = Perceptron(answer="voted", max_iter=12, random_state=0, verbose=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the stop reason is explained
        tested = (data.X_test, data.y_test)
        recorded = ("train_error", "updates")
        return model.fit(data.X_train, data.y_train, eval_set=tested, record=recorded, keep="pocket")


def _answers(console: Console, model: Perceptron, data: Any) -> dict[str, tuple[float, float]]:
    """A table of the four answers, and their errors."""
    from rich.table import Table

    table = Table(title="One fit, four answers", title_justify="left", title_style="bold", box=None, padding=(0, 2))
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
    return errors


def _prove(console: Console, model: Perceptron, data: Any) -> None:
    """Whether each digit can be separated from the rest, and what the theorem promises where it can."""
    from rosenblatt.certificates.results import Separable
    from rosenblatt.certificates.separability import separability

    proofs = {digit: separability(data.X_train, data.y_train == digit) for digit in range(10)}
    apart = [digit for digit, proof in proofs.items() if isinstance(proof, Separable)]
    mixed = [digit for digit in proofs if digit not in apart]
    console.print("\n[bold]Is there a hyperplane at all?[/bold] Proven in exact arithmetic, not guessed from a run\n")
    between = [
        (apart, "yes, each: a hyperplane has its rows on one side and all others on the other"),
        (mixed, "no: a point lies in both convex hulls; the few rows around it are the proof"),
    ]
    for digits, words in between:
        if digits:
            console.print(f"  [bold]{' '.join(map(str, digits))}[/bold]", highlight=False)
            console.print(f"    {words}", highlight=False)
    easiest = max(apart, key=lambda digit: proofs[digit].margin)
    made = len(model.trace_.updates.rows[easiest])
    _say(
        console,
        f"\nFor {easiest} Novikoff's theorem allows at most {proofs[easiest].mistake_bound:,} updates, in whichever "
        f"order the rows come; this run made {made:,}.",
    )


def _next(console: Console) -> None:
    from rich.markup import escape
    from rich.table import Table

    console.print("[bold]What to try next[/bold]")
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column()
    for command, comment in next_steps():
        table.add_row(f"  [cyan]{escape(command)}[/cyan]", f"[dim]{escape(comment)}[/dim]")
    console.print(table, highlight=False)
    console.print()


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
    return [
        (f"{ours} datasets export iris iris.csv", "a file to begin with"),
        (f"{ours} train iris.csv -t species", "to a tested model"),
        (f"{ours} lab", "watch it learn"),
        ('Perceptron(answer="averaged").fit(X, y)', "dense or sparse, no copy"),
        ('PassiveAggressive().learn_one({"age": 41}, "yes")', "one example at a time"),
        ("HalfSpace(rule=my_rule).fit(X, y)", "your own rule, compiled"),
    ]


def demo() -> None:
    """Train on handwritten digits and show what one fit gives, in seconds."""
    run()


if __name__ == "__main__":
    run()
