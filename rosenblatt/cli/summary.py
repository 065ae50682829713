"""What the verbs found, for a person at a terminal."""

from __future__ import annotations

import math
import os
import re
import textwrap
from typing import TYPE_CHECKING, Any

from rosenblatt.cli.notes import FEW
from rosenblatt.cli.screen import table
from rosenblatt.cli.words import in_options
from rosenblatt.report.scores import percent
from rosenblatt.wording import counted, listed

if TYPE_CHECKING:
    from rich.console import Console

    from rosenblatt.report import Summary
    from rosenblatt.verbs.inspection import DataCard, Explanation, ModelCard
    from rosenblatt.verbs.proof import AuditedRun, Proof
    from rosenblatt.verbs.trained import Training

MOST_CLASSES = 10  # of which a confusion matrix is shown
NARROWEST = 5  # characters of a column of answers
LONGEST = 28  # characters of a name


def print_training(screen: Console, done: Training) -> None:
    """The summary, the settings that were tried, and what was written."""
    if done.searched is not None:
        _searched(screen, done.searched, regression=done.summary.kind == "regression")
    print_summary(screen, done.summary, learner=done.learner)
    spent = ", ".join(f"{name} {seconds:.1f} s" for name, seconds in done.seconds.items())
    if done.learned_in_part:
        screen.print("\n[yellow]Interrupted[/yellow]: the model is what was learned until then.")
    written = [path for path in (done.path, done.report) if path and path != "-"]
    if written:
        screen.print()
    if done.path and done.path != "-":
        _pair(screen, "Model", f"[bold]{_safe(done.path)}[/bold] [dim]({os.path.getsize(done.path):,} bytes)[/dim]")
    if done.report:
        _pair(screen, "Report", f"[bold]{_safe(done.report)}[/bold] [dim](open it in a browser)[/dim]")
    if done.path and done.path != "-":
        _pair(screen, "Use it", f"[cyan]rosenblatt predict {_safe(done.path)} NEW-DATA[/cyan]")
    screen.print(f"[dim]{spent[:1].upper()}{spent[1:]}.[/dim]")


def print_briefly(done: Training) -> None:
    """One line: where the model is, and how good."""
    summary = done.summary
    if summary.accuracy is not None:
        share = summary.accuracy
        told = f"{percent(share.value)} right, {share.count:,} of {counted(share.total, 'row')}"
    else:
        assert summary.regression is not None
        told = f"mean error {summary.regression.mean_error:.4g} on {counted(summary.rows_test, 'row')}"
    print(f"{done.path}: {told}" if done.path else told[:1].upper() + told[1:])


def print_summary(screen: Console, summary: Summary, learner: str | None = None) -> None:
    """How good, against what, which mistakes, what drives it, what to try next."""
    screen.print()
    what = _safe(str(summary.target)) if summary.target else "the label"
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
            _bullet(screen, in_options(advice.sentence))
            command = command_of(advice)
            if command:
                screen.print(f"    [cyan]{_safe(command)}[/cyan]", soft_wrap=True)


def command_of(advice: Any) -> str | None:
    """The options that a piece of advice stands for, if it names a learner.

    Of several learners of one class, it is the one with which the fewest settings have to be said.

    Examples
    --------
    >>> from rosenblatt.report.advice import Advice
    >>> command_of(Advice("answer", "...", "Perceptron", {"answer": "pocket"}))
    '--learner pocket'
    >>> command_of(Advice("kernel", "...", "KernelPerceptron", {"kernel": "rbf", "answer": "averaged", "max_iter": 20}))
    '--learner kernel --max-iter 20'
    """
    from rosenblatt.verbs.learners import LEARNERS, make_learner

    best: list[str] | None = None
    for name, learner in LEARNERS.items():
        if learner.estimator != advice.learner:
            continue
        usual = make_learner(name).get_params(deep=False)
        said = [
            f"--max-iter {value}" if key == "max_iter" else f"--set {key}={_text(value)}"
            for key, value in advice.settings.items()
            if key not in usual or usual[key] != value
        ]
        if best is None or len(said) < len(best) - 1:
            best = [f"--learner {name}", *said]
    return None if best is None else " ".join(best)


def _text(value: Any) -> str:
    return {True: "true", False: "false", None: "none"}.get(value, str(value)) if not isinstance(value, str) else value


def _figures(screen: Console, summary: Summary) -> None:
    rows = [] if summary.rows_train is None else [("Rows", f"{summary.rows_train:,} to learn from")]
    rows += [("Tested on", f"{counted(summary.rows_test, 'row')}: {_safe(summary.held_out)}")]
    rows += _accuracy(summary) if summary.accuracy is not None else _mean_error(summary)
    if summary.separation is not None:
        rows.append(("Separable", _safe(summary.separation.sentence)))
    if summary.stop_reason:
        from rosenblatt.trace import STOP_REASONS

        rows.append(("Training", f"{counted(summary.epochs or 0, 'epoch')}, then {STOP_REASONS[summary.stop_reason]}"))
    shown = table("", "")
    shown.show_header = False
    for name, told in rows:
        shown.add_row(f"[dim]{name}[/dim]", told)
    screen.print(shown)


def _accuracy(summary: Summary) -> list[tuple[str, str]]:
    share, always = summary.accuracy, summary.baseline.accuracy
    assert share is not None and always is not None
    between = f"between {percent(share.low)} and {percent(share.high)}, {share.count:,} of {share.total:,} right"
    answer = _safe(str(summary.baseline.answer))
    rows = [
        ("Accuracy", f"{_coloured(percent(share.value), summary)}  [dim]{between}[/dim]"),
        ("Largest class", f"{percent(always.value)}  [dim]always answering {answer}[/dim]"),
    ]
    if not summary.beats_baseline:
        rows.append(("", f"[yellow]{_safe(summary.against_baseline())}[/yellow]"))
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
    told = f"{always.mean_error:.4g}  [dim]always answering {always.answer:.4g}[/dim]"
    return [*rows, ("Always the mean", told)]


def _coloured(text: str, summary: Summary) -> str:
    colour = "green" if summary.beats_baseline else "yellow"
    return f"[bold {colour}]{text}[/bold {colour}]"


def _confusion(screen: Console, summary: Summary) -> None:
    """Truth in rows, answers in columns; the most frequent mix-ups where there are many classes."""
    confusion = summary.confusion
    assert confusion is not None
    names = [_short(str(name)) for name in confusion.classes]
    # What is left for each column of answers, beside the names on the left and the two shares on the right.
    room = (screen.width - max(len(name) for name in names) - 22) // len(names) - 2
    screen.print("\n[bold]Confusion[/bold] [dim](rows: what it is, columns: what was answered)[/dim]")
    if len(names) > MOST_CLASSES or room < NARROWEST:
        worst = [(truth, answer, count) for truth, answer, count in confusion.worst(6) if count]
        shown = table("is", "answered", ("rows", "right"))
        for truth, answer, count in worst:
            shown.add_row(_safe(_short(str(truth))), _safe(_short(str(answer))), f"{count:,}")
        screen.print(shown if worst else "[green]no row was mixed up[/green]")
        return
    shown = table(
        "", *((_safe(_short(name, room)), "right") for name in names), ("found", "right"), ("precise", "right")
    )
    for k, (name, figures) in enumerate(zip(names, confusion.per_class, strict=True)):
        cells = [_count(count, right=j == k) for j, count in enumerate(confusion.counts[k])]
        shown.add_row(_safe(name), *cells, _percent(figures.recall), _percent(figures.precision))
    screen.print(shown)
    found = summary.positive_figures
    if found is not None and summary.roc_auc is not None:
        name = _safe(str(summary.positive))
        precise = f"no row was called {name}" if found.precision is None else f"precise {_percent(found.precision)}"
        told = f"found {_percent(found.recall)}, {precise}"
        screen.print(f"[dim]For {name}: {told}, area under the ROC curve {summary.roc_auc:.3f}[/dim]")


def _count(count: int, *, right: bool) -> str:
    if right:
        return f"[bold green]{count:,}[/bold green]"
    return f"[yellow]{count:,}[/yellow]" if count else "[dim]·[/dim]"


def _drivers(screen: Console, summary: Summary) -> None:
    drivers = summary.drivers
    if not drivers.top:
        return
    print_drivers(screen, [driver.to_dict() for driver in drivers.top], weights=drivers.kind == "weights")


def print_drivers(screen: Console, drivers: list[dict[str, Any]], *, weights: bool = True) -> None:
    """Features with their weights in the units of the data, a bar for their importance, and for whom they speak."""
    told = "weights in the units of the data" if weights else "accuracy lost without them"
    screen.print(f"\n[bold]What drives it[/bold] [dim]({told})[/dim]")
    largest = max((abs(driver.get("effect") or driver.get("weight") or 0) for driver in drivers), default=0) or 1.0
    shown = table("feature", ("weight" if weights else "lost", "right"), "", "more of it speaks")
    for driver in drivers:
        effect = driver.get("effect") or driver.get("weight") or 0.0
        value = driver.get("weight") if weights else effect
        number = f"{value:+.3g}" if weights else f"{value:.1%}"
        side = f"for {driver['towards']}" if driver.get("towards") is not None else ""
        if not side and driver.get("against") is not None:
            side = f"against {driver['against']}"
        colour = "blue" if effect >= 0 else "magenta"
        bar = "█" * max(1, round(12 * abs(effect) / largest))
        name = _short(str(driver["feature"])) + (f" (per {driver['unit']})" if weights and driver.get("unit") else "")
        shown.add_row(_safe(name), number, f"[{colour}]{bar}[/{colour}]", _safe(side))
    if all(driver.get("towards") is None and driver.get("against") is None for driver in drivers):
        shown.columns[3].header = ""
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


# ------------------------------------------------------------------------------------------------ proofs


def print_proof(screen: Console, done: Proof) -> None:
    """The verdict with its figures; a table for several classes."""
    from rosenblatt.certificates.results import NotSeparable, Separable
    from rosenblatt.certificates.table import SeparabilityTable

    colour = {"separable": "green", "undecided": "yellow"}.get(done.verdict, "magenta")
    screen.print()
    title = done.verdict[:1].upper() + done.verdict[1:]
    checked = " [dim](the certificate holds, checked in exact arithmetic)[/dim]" if done.verified else ""
    if not isinstance(done.result, SeparabilityTable):
        screen.print(f"[bold {colour}]{title}[/bold {colour}]{checked}")
    result = done.result
    if isinstance(result, Separable):
        _pair(screen, "Classes", _safe(f"{result.about.classes[1]} against {result.about.classes[0]}"))
        _pair(screen, "Margin", f"{result.margin:.6g} [dim](the largest is at most {result.margin_upper:.6g})[/dim]")
        _pair(screen, "Touching", f"{len(result.support_vectors):,} rows lie at the margin")
        _pair(screen, "Perceptron", f"at most {result.mistake_bound:,} mistakes, in any order of the rows")
        weights = sorted(zip(done.features, result.normal.tolist(), strict=True), key=lambda pair: -abs(pair[1]))
        plane = " ".join(f"{value:+.4g}·{_short(name, 18)}" for name, value in weights[:6] if value)
        more = f" and {len(weights) - 6:,} more" if len(weights) > 6 else ""
        _pair(screen, "Hyperplane", _safe(f"{plane}{more} {result.offset:+.4g} = 0"))
    elif isinstance(result, NotSeparable):
        classes = result.about.classes
        _pair(screen, "Classes", _safe(f"{classes[1]} against {classes[0]}"))
        named = ", ".join(map(str, done.witness_rows[:8])) + (", …" if len(result.rows) > 8 else "")
        _pair(
            screen,
            "Proof",
            f"a mixture of rows of one class equals one of the other: {len(result.rows)} rows take part",
        )
        _pair(screen, "Rows", f"{named} [dim](counted from 1)[/dim]")
    elif isinstance(result, SeparabilityTable):
        _several(screen, result, checked)
    else:
        _pair(screen, "Reason", _safe(done.reason or getattr(result, "reason", "")))
        upper = getattr(result, "margin_upper", None)
        if upper is not None and upper < float("inf"):
            _pair(screen, "So far", f"if there is a margin, it is at most {upper:.3g}")
    if done.left_out:
        told = _left_out(done.left_out)
        _pair(screen, "Left out", _safe(f"{told}: the verdict is about the other columns"))
    if done.path and done.verified is None:
        _pair(screen, "Certificate", f"{_safe(done.path)} [dim](check it with --verify)[/dim]")


def _left_out(reasons: dict[str, str]) -> str:
    """Columns and why they are left out; many of the same reason are counted."""
    alike: dict[str, list[str]] = {}
    for name, why in reasons.items():
        alike.setdefault(re.sub(r"--keep .*(?= keeps it)", "--keep", why), []).append(name)
    told = []
    for names in alike.values():
        if len(names) <= FEW:
            told += [f"{name} ({reasons[name]})" for name in names]
        else:
            named, more = ", ".join(names[:FEW]), len(names) - FEW
            told.append(f"{named} and {more:,} more ({reasons[names[0]]})")
    return "; ".join(told)


def _several(screen: Console, result: Any, checked: str) -> None:
    verdicts = [part.verdict for _, part in result]
    counts = {name: verdicts.count(name) for name in ("separable", "not separable", "undecided")}
    told = ", ".join(f"{count} {name}" for name, count in counts.items() if count)
    screen.print(f"[bold]{len(verdicts)} questions: {told}[/bold]{checked}")
    shown = table("question", "verdict", ("margin", "right"), ("at most", "right"))
    for record in result.records():
        colour = {"separable": "green", "undecided": "yellow"}.get(record["verdict"], "magenta")
        margin = f"{record['margin']:.4g}" if record.get("margin") else ""
        bound = f"{record['mistake_bound']:,} mistakes" if record.get("mistake_bound") is not None else ""
        shown.add_row(_safe(record["question"]), f"[{colour}]{record['verdict']}[/{colour}]", margin, bound)
    screen.print(shown)


def print_audit(screen: Console, done: AuditedRun) -> None:
    """Each half-space's mistakes beside the theorem's bound."""
    colour, told = {
        True: ("green", "The theorem holds at every update"),
        False: ("red", "The theorem does not hold"),
        None: ("yellow", "The theorem is not about this run"),
    }[done.holds]
    held = sum(audit.holds is True for audit in done.audits.values())
    if done.holds is None and held:
        told = f"The theorem holds for {held} of {len(done.audits)} half-spaces; it is not about the others"
    screen.print(f"\n[bold {colour}]{told}[/bold {colour}]")
    shown = table(
        "half-space", ("mistakes", "right"), ("at most", "right"), ("R'", "right"), ("gamma'", "right"), "holds"
    )
    for name, audit in done.audits.items():
        bound = "no bound" if audit.bound is None else f"{audit.bound:,}"
        holds = {True: "[green]yes[/green]", False: "[red]no[/red]", None: "[dim]—[/dim]"}[audit.holds]
        figures = (f"{audit.mistakes:,}", bound, f"{audit.radius:.4g}", f"{audit.gamma:.4g}", holds)
        shown.add_row(_safe(_short(name)), *figures)
    screen.print(shown)
    for sentence in dict.fromkeys(audit.note for audit in done.audits.values()):
        _bullet(screen, sentence)


# ------------------------------------------------------------------------------------------------ cards


def print_card(screen: Console, card: ModelCard | DataCard) -> None:
    """A model or a file of data."""
    if card.kind == "model":
        _model_card(screen, card)  # type: ignore[arg-type]
    else:
        _data_card(screen, card)  # type: ignore[arg-type]


def _model_card(screen: Console, card: ModelCard) -> None:
    found, about = card.description, card.description.get("about") or {}
    size = f"{found.get('n_bytes', 0):,} bytes, rosenblatt {found.get('version')}"
    screen.print(f"\n[bold]{_safe(card.path)}[/bold] [dim]({size})[/dim]\n")
    names = " → ".join(map(_step, found.get("steps") or [])) or found.get("kind")
    _pair(screen, "Model", _safe(str(names)))
    if about.get("target"):
        _pair(screen, "Predicts", f"[bold]{_safe(str(about['target']))}[/bold]")
    classes = found.get("classes") or []
    if len(classes):
        _pair(screen, "Classes", _safe(listed(classes, 8)))
    if about.get("source"):
        rows = f"{about.get('learned_rows', 0):,} of {about.get('rows', 0):,} rows"
        _pair(screen, "Trained on", _safe(f"{about['source']}, {rows}"))
    accuracy = (about.get("summary") or {}).get("accuracy")
    if accuracy:
        between = f"between {percent(accuracy['low'])} and {percent(accuracy['high'])} on {about.get('held_out', '')}"
        _pair(screen, "Accuracy", f"{percent(accuracy['value'])} [dim]{_safe(between)}[/dim]")
    if found.get("stop_reason"):
        _pair(screen, "Training", f"{counted(len(found.get('trace') or []), 'epoch')}, {found['stop_reason']}")
    if about.get("digest"):
        _pair(screen, "Data", f"[dim]sha256 {about['digest'][:16]}…[/dim]")
    _columns(screen, card.columns)
    if card.explained is not None:
        _explanation(screen, card.explained)
    elif card.drivers:
        print_drivers(screen, card.drivers)


def _columns(screen: Console, columns: list[tuple[str, str, str]]) -> None:
    """The columns that a model takes, by what they are; those left out with the reason."""
    kinds = {"number": "Numbers", "date": "Dates", "boolean": "Yes or no", "category": "Categories"}
    for kind, told in (kinds | {"hashed": "Hashed", "text": "Text"}).items():
        names = [name for name, found, why in columns if _called(found, why) == kind]
        if names:
            _pair(screen, told, _safe(listed(names, 12)))
    for name, kind, why in columns:
        if kind == "dropped":
            _pair(screen, "Left out", f"{_safe(name)} [dim]({_safe(why)})[/dim]")


def _called(kind: str, why: str) -> str:
    from rosenblatt.features.column import Column

    return Column("", kind, why).called


def _step(step: Any) -> str:
    return str(step.get("kind", step) if isinstance(step, dict) else step)


def _explanation(screen: Console, found: Explanation) -> None:
    instead = f" rather than {_safe(str(found.instead))}" if found.instead is not None else ""
    screen.print(f"\n[bold]Row {found.row}: {_safe(str(found.answer))}[/bold]{instead}, score {found.score:+.4g}")
    largest = max((abs(adds) for _, _, adds in found.parts), default=1.0) or 1.0
    shown = table("feature", ("value", "right"), ("adds", "right"), "")
    for name, value, adds in found.parts:
        colour = "blue" if adds >= 0 else "magenta"
        bar = "█" * max(1, round(12 * abs(adds) / largest))
        told = value if isinstance(value, str) else f"{value:.4g}"
        shown.add_row(_safe(_short(name)), told, f"{adds:+.4g}", f"[{colour}]{bar}[/{colour}]")
    if found.rest:
        shown.add_row("[dim]all others[/dim]", "", f"{found.rest:+.4g}", "")
    shown.add_row("[dim]intercept[/dim]", "", f"{found.intercept:+.4g}", "")
    screen.print(shown)


def _data_card(screen: Console, card: DataCard) -> None:
    screen.print(f"\n[bold]{_safe(card.path)}[/bold] [dim]({card.format})[/dim]\n")
    _pair(screen, "Rows", f"{card.rows:,}")
    screen.print()
    shown = table("#", "column", "kind", ("values", "right"), ("missing", "right"), "such as")
    for number, column in enumerate(card.columns, 1):
        values = "" if column["values"] is None else f"{column['values']:,}"
        missing = f"[yellow]{column['missing']:,}[/yellow]" if column["missing"] else ""
        examples = _short(", ".join(column["examples"]), 36)
        name = _safe(_short(column["name"]))
        shown.add_row(f"[dim]{number}[/dim]", name, column["kind"], values, missing, _safe(examples))
    screen.print(shown)
    target = " --target COLUMN" if card.needs_target else ""
    screen.print("\n[dim]Train with[/dim]  [cyan]rosenblatt train " + _safe(card.path) + target + "[/cyan]")


# ------------------------------------------------------------------------------------------------ small things


def _pair(screen: Console, name: str, told: str) -> None:
    shown = table("", "")
    shown.show_header = False
    shown.columns[0].min_width = 12
    shown.add_row(f"[dim]{name}[/dim]", told)
    screen.print(shown)


def _bullet(screen: Console, sentence: str) -> None:
    for n, line in enumerate(textwrap.wrap(sentence, screen.width - 4)):
        screen.print(f"  {'•' if n == 0 else ' '} {_safe(line)}")


def _percent(value: float | None) -> str:
    return "–" if value is None or value != value else percent(value, 0)


def _short(name: str, longest: int = LONGEST) -> str:
    name = " ".join(name.split())
    return name if len(name) <= longest else name[: longest - 1] + "…"


def _safe(text: str) -> str:
    """Text from data or paths, which must not be taken for markup."""
    from rich.markup import escape

    return escape(text)
