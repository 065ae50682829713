"""What a training or a test has found, for a person at a terminal."""

from __future__ import annotations

import math
import os
from typing import TYPE_CHECKING, Any

from rosenblatt.cli.screen import LONGEST, bullet, pair, safe, table
from rosenblatt.report.scores import percent
from rosenblatt.wording import LONGEST as LONGEST_NAME
from rosenblatt.wording import counted, short, visible

if TYPE_CHECKING:
    from rich.console import Console

    from rosenblatt.report import Summary
    from rosenblatt.verbs.learning import Training

MOST_CLASSES = 10  # of which a confusion matrix is shown
NARROWEST = 5  # characters of a column of answers


def print_training(screen: Console, done: Training) -> None:
    """The summary, the settings that were tried, and what was written."""
    if done.searched is not None:
        _searched(screen, done.searched, regression=done.summary.kind == "regression")
    if done.compared is not None:
        _compared(screen, done.compared, regression=done.summary.kind == "regression")
    print_summary(screen, done.summary, learner=done.learner)
    spent = ", ".join(f"{name} {seconds:.1f} s" for name, seconds in done.seconds.items())
    if done.summary.stop_reason == "interrupted":
        screen.print("\n[yellow]Interrupted[/yellow]: the model is what was learned until then.")
    screen.print()
    if done.path and done.path != "-":
        pair(screen, "Model", f"[bold]{safe(done.path)}[/bold] [dim]({os.path.getsize(done.path):,} bytes)[/dim]")
    if done.report:
        pair(screen, "Report", f"[bold]{safe(done.report)}[/bold] [dim](open it in a browser)[/dim]")
    if done.path and done.path != "-":
        pair(screen, "Use it", f"[cyan]rosenblatt predict {safe(done.path)} NEW-DATA[/cyan]")
    screen.print(f"[dim]{spent[:1].upper()}{spent[1:]}.[/dim]")


def print_briefly(summary: Summary, path: str | None) -> None:
    """One line: which model, and how good."""
    if summary.accuracy is not None:
        share = summary.accuracy
        told = f"accuracy {percent(share.value)}, {share.count:,} of {counted(share.total, 'row')}"
    else:
        assert summary.regression is not None
        told = f"mean error {summary.regression.mean_error:.4g} on {counted(summary.rows_test, 'row')}"
    print(f"{path}: {told}" if path else told[:1].upper() + told[1:])


def print_summary(screen: Console, summary: Summary, learner: str | None = None) -> None:
    """How good, against what, which mistakes, what drives it, what to try next."""
    screen.print()
    what = safe(short(summary.target, LONGEST_NAME)) if summary.target else "the label"
    of = f" by [bold]{learner}[/bold]" if learner else ""
    title = f"[bold]{what}[/bold]{of} [dim]({summary.learner})[/dim]"
    screen.print(title)
    screen.print()
    _figures(screen, summary)
    if summary.confusion is not None:
        _confusion(screen, summary)
    _drivers(screen, summary)
    if summary.advice:
        screen.print("\n[bold]What to try next[/bold]")
        for advice in summary.advice:
            bullet(screen, advice.sentence)
            command = command_of(advice)
            if command:
                screen.print(f"    [cyan]{safe(command)}[/cyan]", soft_wrap=True)


def command_of(advice: Any) -> str | None:
    """The options that a piece of advice stands for, if it names a learner.

    Of several learners of one class, it is the one that needs the fewest settings.

    Examples
    --------
    >>> from rosenblatt.report.advice import Advice
    >>> command_of(Advice("answer", "...", "Perceptron", {"answer": "pocket"}))
    '--learner pocket'
    >>> command_of(Advice("kernel", "...", "KernelPerceptron", {"kernel": "rbf", "answer": "averaged", "max_iter": 20}))
    '--learner kernel'
    """
    from rosenblatt.verbs.learners import LEARNERS, make_learner

    ways: list[list[str]] = []
    for name, learner in LEARNERS.items():
        if learner.estimator == advice.learner:
            usual = make_learner(name).get_params(deep=False)
            changed = {key: value for key, value in advice.settings.items() if usual.get(key, "none") != value}
            ways.append([f"--learner {name}", *(f"--set {key}={value}" for key, value in changed.items())])
    best = min(ways, key=len, default=None)
    return None if best is None else " ".join(best)


def _figures(screen: Console, summary: Summary) -> None:
    rows = [] if summary.rows_train is None else [("Trained on", counted(summary.rows_train, "row"))]
    rows += [("Tested on", f"{counted(summary.rows_test, 'row')}: {safe(summary.held_out)}")]
    rows += _accuracy(summary) if summary.accuracy is not None else _mean_error(summary)
    if summary.separation is not None:
        rows.append(("Separable", safe(summary.separation.sentence)))
    if summary.stop_reason:
        from rosenblatt.trace import STOP_REASONS

        rows.append(("Training", f"{counted(summary.epochs or 0, 'epoch')}, {STOP_REASONS[summary.stop_reason]}"))
    shown = table("", "")
    shown.show_header = False
    for name, told in rows:
        shown.add_row(f"[dim]{name}[/dim]", told)
    screen.print(shown)


def _accuracy(summary: Summary) -> list[tuple[str, str]]:
    share, always = summary.accuracy, summary.baseline.accuracy
    assert share is not None and always is not None
    between = f"between {percent(share.low)} and {percent(share.high)}, {share.count:,} of {share.total:,} right"
    answer = safe(short(summary.baseline.answer, LONGEST))
    rows = [
        ("Accuracy", f"{_coloured(percent(share.value), summary)}  [dim]{between}[/dim]"),
        ("Largest class", f"{percent(always.value)}  [dim]always predicting {answer}[/dim]"),
    ]
    if not summary.beats_baseline:
        rows.append(("", f"[yellow]{safe(summary.against_baseline())}[/yellow]"))
    if summary.train_accuracy is not None:
        rows.append(("On training rows", percent(summary.train_accuracy.value)))
    return rows


def _mean_error(summary: Summary) -> list[tuple[str, str]]:
    figures, always = summary.regression, summary.baseline
    assert figures is not None
    error = _coloured(f"{figures.mean_error:.4g}", summary)
    rows = [("Mean error", f"{error}  [dim]between {figures.low:.4g} and {figures.high:.4g}[/dim]")]
    if figures.r2 is not None:
        rows.append(("R²", f"{figures.r2:.3f}  [dim]the share of the variance that is explained[/dim]"))
    told = f"{always.mean_error:.4g}  [dim]always predicting {always.answer:.4g}[/dim]"
    return [*rows, ("Always the mean", told)]


def _coloured(text: str, summary: Summary) -> str:
    colour = "green" if summary.beats_baseline else "yellow"
    return f"[bold {colour}]{text}[/bold {colour}]"


def _confusion(screen: Console, summary: Summary) -> None:
    """Truth in rows, answers in columns; the most frequent mix-ups where there are many classes."""
    confusion = summary.confusion
    assert confusion is not None
    names = [visible(short(name, LONGEST)) for name in confusion.classes]
    # What is left for each column of answers, beside the names on the left and the two shares on the right.
    room = (screen.width - max(len(name) for name in names) - 22) // len(names) - 2
    screen.print("\n[bold]Confusion[/bold] [dim](rows: truth, columns: predictions)[/dim]")
    if len(names) > MOST_CLASSES or room < NARROWEST:
        worst = [(truth, answer, count) for truth, answer, count in confusion.worst(6) if count]
        shown = table("truth", "predicted", ("rows", "right"))
        for truth, answer, count in worst:
            shown.add_row(safe(short(truth, LONGEST)), safe(short(answer, LONGEST)), f"{count:,}")
        screen.print(shown if worst else "[green]no errors[/green]")
        return
    shown = table(
        "", *((safe(short(name, room)), "right") for name in names), ("recall", "right"), ("precision", "right")
    )
    for k, (name, figures) in enumerate(zip(names, confusion.per_class, strict=True)):
        cells = [_count(count, right=j == k) for j, count in enumerate(confusion.counts[k])]
        shown.add_row(safe(name), *cells, _percent(figures.recall), _percent(figures.precision))
    screen.print(shown)
    found = summary.positive_figures
    if found is not None and summary.roc_auc is not None:
        name = safe(short(summary.positive, LONGEST))
        told = f"precision {_percent(found.precision)}, recall {_percent(found.recall)}, F1 {_percent(found.f1)}"
        screen.print(f"[dim]For {name}: {told}, area under the ROC curve {summary.roc_auc:.3f}[/dim]")


def _count(count: int, *, right: bool) -> str:
    if right:
        return f"[bold green]{count:,}[/bold green]"
    return f"[yellow]{count:,}[/yellow]" if count else "[dim]·[/dim]"


def _percent(value: float | None) -> str:
    return "–" if value is None or value != value else percent(value, 0)


def _drivers(screen: Console, summary: Summary) -> None:
    drivers = summary.drivers
    if not drivers.top:
        return
    print_drivers(screen, [driver.to_dict() for driver in drivers.top], weights=drivers.kind == "weights")


def print_drivers(screen: Console, drivers: list[dict[str, Any]], *, weights: bool = True) -> None:
    """Features with their weights in the units of the data, a bar for their importance, and for whom they speak."""
    told = "weights in the units of the data" if weights else "accuracy lost without them"
    screen.print(f"\n[bold]Most important features[/bold] [dim]({told})[/dim]")
    largest = max((abs(driver.get("effect") or driver.get("weight") or 0) for driver in drivers), default=0) or 1.0
    shown = table("feature", ("weight" if weights else "lost", "right"), "", "more of it is")
    for driver in drivers:
        effect = driver.get("effect") or driver.get("weight") or 0.0
        value = driver.get("weight") if weights else effect
        number = f"{value:+.3g}" if weights else f"{value:.1%}"
        side = f"for {short(driver['towards'], LONGEST)}" if driver.get("towards") is not None else ""
        if not side and driver.get("against") is not None:
            side = f"against {short(driver['against'], LONGEST)}"
        colour = "blue" if effect >= 0 else "magenta"
        bar = "█" * max(1, round(12 * abs(effect) / largest))
        name = short(str(driver["feature"]), LONGEST) + (
            f" (per {driver['unit']})" if weights and driver.get("unit") else ""
        )
        shown.add_row(safe(name), number, f"[{colour}]{bar}[/{colour}]", safe(side))
    if all(driver.get("towards") is None and driver.get("against") is None for driver in drivers):
        shown.columns[3].header = ""
    screen.print(shown)


def _compared(screen: Console, rows: list[dict[str, Any]], *, regression: bool) -> None:
    """What every learner scored on the held-out rows, best first."""
    shown = table("learner", ("R²" if regression else "accuracy", "right"), ("seconds", "right"), "", title="Compared")
    for row in rows:
        score = "–" if row["score"] is None else f"{row['score']:.4f}" if regression else f"{row['score']:.2%}"
        shown.add_row(row["learner"], score, f"{row['seconds']:.1f}", f"[dim]{safe(short(row['told'], 60))}[/dim]")
    screen.print()
    screen.print(shown)


def _searched(screen: Console, scores: Any, *, regression: bool) -> None:
    """The settings that were tried, best first."""
    columns = [name for name in scores.columns if name not in ("mean", "std", "rank") and not name.startswith("fold_")]
    shown = table(*columns, ("R²" if regression else "accuracy", "right"), ("±", "right"), "", title="Settings tried")
    best = scores["rank"].min()
    for row in scores.to_dicts():
        style, mark = ("bold green", "taken") if row["rank"] == best else ("", "")
        figures = [f"{row[name]:.4f}" if regression else f"{row[name]:.2%}" for name in ("mean", "std")]
        if math.isnan(row["mean"]):  # Ctrl-C came before
            figures, style, mark = ["", ""], "dim", "not tried to its end"
        shown.add_row(*(str(row[name]) for name in columns), *figures, mark, style=style)
        best = None if mark == "taken" else best  # of equals, the first
    screen.print()
    screen.print(shown)
