"""`rosenblatt demo`: what this library does, on scikit-learn's handwritten digits, in a few seconds.

One fit of ten half-spaces, the epochs shown as they happen; the four answers that the one fit gives; and whether there
is a hyperplane at all, proven. Everything fits a terminal of 80 columns.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from rosenblatt.cli.screen import console, table

if TYPE_CHECKING:
    from rich.console import Console

    from rosenblatt.estimators.perceptron import Perceptron

MEANING = {
    "last": "the weights at the end",
    "averaged": "the mean of all weights on the way",
    "voted": "all weights on the way, voting",
    "pocket": "the best on the training rows",
}
NEXT = """
[bold]What to try next[/bold]
  [cyan]rosenblatt datasets export iris iris.csv[/cyan]   a file to begin with
  [cyan]rosenblatt train iris.csv -t species[/cyan]       to a tested model
  [cyan]rosenblatt lab[/cyan]                             watch it learn
"""


def demo() -> None:
    """Train on handwritten digits and show what one fit gives, in seconds."""
    run(console())


def run(screen: Console) -> dict[str, tuple[float, float]]:
    """Train, print, and return (training error, test error) of every answer."""
    from rosenblatt.sources import digits

    data = digits(random_state=0)
    screen.print(
        f"\n[bold]Rosenblatt[/bold]: the perceptron and its family\n\n{len(data.y_train):,} handwritten digits to "
        f"learn from, {len(data.y_test):,} to be tested on. Ten half-spaces, one for each digit, learn together in a "
        "pass over the rows, an epoch.\n"
    )
    model = _train(data)
    screen.print()
    errors = _answers(screen, model, data)
    _prove(screen, model, data)
    screen.print(NEXT)
    return errors


def _train(data: Any) -> Perceptron:
    from sklearn.exceptions import ConvergenceWarning

    from rosenblatt.estimators.perceptron import Perceptron

    model = Perceptron(answer="voted", max_iter=12, random_state=0, verbose=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # how it ended is printed
        tested = (data.X_test, data.y_test)
        recorded = ("train_error", "updates")
        return model.fit(data.X_train, data.y_train, eval_set=tested, record=recorded, keep="pocket")


def _answers(screen: Console, model: Perceptron, data: Any) -> dict[str, tuple[float, float]]:
    """A table of the four answers, and their errors."""
    shown = table(
        "answer", ("train error", "right"), ("test error", "right"), "what it is", title="One fit, four answers"
    )
    errors = {}
    for name, told in MEANING.items():
        answer = model.answers_[name]
        train, test = (1 - answer.score(*rows) for rows in ((data.X_train, data.y_train), (data.X_test, data.y_test)))
        errors[name] = train, test
        shown.add_row(name, f"{train:.2%}", f"{test:.2%}", told)
    screen.print(shown)
    return errors


def _prove(screen: Console, model: Perceptron, data: Any) -> None:
    """Whether each digit can be separated from the rest, and what the theorem promises where it can."""
    from rosenblatt.certificates.results import Separable
    from rosenblatt.certificates.separability import separability

    proofs = {digit: separability(data.X_train, data.y_train == digit) for digit in range(10)}
    apart = [digit for digit, proof in proofs.items() if isinstance(proof, Separable)]
    mixed = [digit for digit in proofs if digit not in apart]
    easiest = max(apart, key=lambda digit: proofs[digit].margin)
    made = len(model.trace_.updates.rows[easiest])
    screen.print(
        "\n[bold]Does a hyperplane separate a digit from all others?[/bold] Proven in exact arithmetic\n"
        f"  yes: {' '.join(map(str, apart))}\n  no:  {' '.join(map(str, mixed))}\n\n"
        f"For {easiest} Novikoff's theorem allows at most {proofs[easiest].mistake_bound:,} updates, in whichever "
        f"order the rows come; this run made {made:,}."
    )
