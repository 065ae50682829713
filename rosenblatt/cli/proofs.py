"""Proofs and audits, for a person at a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rosenblatt.cli.screen import LONGEST, bullet, pair, safe, table
from rosenblatt.wording import counted, number_in_words, short

if TYPE_CHECKING:
    from rich.console import Console

    from rosenblatt.verbs.audits import AuditedRun
    from rosenblatt.verbs.proof import Proof


def print_proof(screen: Console, done: Proof) -> None:
    """The verdict with its figures; a table for several classes."""
    from rosenblatt.certificates.certify import CertifiedModel
    from rosenblatt.certificates.fewest import FewestErrors
    from rosenblatt.certificates.results import NotSeparable, Overlapping, QuasiComplete, Separable
    from rosenblatt.certificates.table import SeparabilityTable

    colour = {"separable": "green", "undecided": "yellow"}.get(done.verdict, "magenta")
    screen.print()
    title = done.verdict[:1].upper() + done.verdict[1:]
    result = done.result
    if isinstance(result, SeparabilityTable):
        _several(screen, result, _checked(done))
    else:
        through = " by a hyperplane through the origin" if done.intercept is False else ""
        screen.print(f"[bold {colour}]{title}{through}[/bold {colour}]{_checked(done)}")
    if isinstance(result, Separable):
        pair(screen, "Classes", _sides(result.about.classes))
        widest = f" [dim](the largest is at most {result.margin_upper:.6g})[/dim]"
        pair(screen, "Margin", f"{result.margin:.6g}{widest if result.margin_upper < float('inf') else ''}")
        if len(result.support_vectors):
            pair(screen, "Touching", f"{counted(len(result.support_vectors), 'row')} at the margin")
        bound = f"at most {counted(result.mistake_bound, 'mistake')}, in any order of the rows"
        pair(screen, "Perceptron", bound if result.about.intercept else f"{bound}, without an intercept")
        weights = sorted(zip(done.features, result.normal.tolist(), strict=True), key=lambda pair: -abs(pair[1]))
        plane = " ".join(f"{value:+.4g}·{short(name, 18)}" for name, value in weights[:6] if value)
        more = f" and {len(weights) - 6:,} more" if len(weights) > 6 else ""
        pair(screen, "Hyperplane", safe(f"{plane}{more} {result.offset:+.4g} = 0"))
    elif isinstance(result, NotSeparable):
        classes = result.about.classes
        pair(screen, "Classes", _sides(classes))
        named = ", ".join(map(str, done.witness_rows[:8])) + (", …" if len(result.rows) > 8 else "")
        mixture = "a mixture of rows of one class equals one of the other"
        if not result.about.intercept:
            mixture = "a mixture of rows, those of one class times -1, is 0"
        pair(screen, "Proof", f"{mixture}: {counted(len(result.rows), 'row')} take{'s' * (len(result.rows) == 1)} part")
        pair(screen, "Rows", f"{named} [dim](counted from 1)[/dim]")
    elif isinstance(result, FewestErrors | CertifiedModel):
        _errors(screen, done)
    elif isinstance(result, Overlapping | QuasiComplete):
        pair(screen, "Classes", _sides(result.about.classes))
    elif not isinstance(result, SeparabilityTable):
        pair(screen, "Reason", safe(done.reason or getattr(result, "reason", "")))
        upper = getattr(result, "margin_upper", None)
        if upper is not None and upper < float("inf"):
            pair(screen, "So far", f"if there is a margin, it is at most {upper:.3g}")
    if done.left_out:
        columns = [f"{short(name)} ({why})" for name, why in done.left_out.items()]
        told = "; ".join([*columns[:3], *([f"{len(columns) - 3:,} more"] if len(columns) > 3 else [])])
        pair(screen, "Left out", safe(f"{told}: the verdict is about the other columns"))
    if done.path and done.verified is None:
        pair(screen, "Certificate", f"{safe(done.path)} [dim](check it with --verify)[/dim]")


def _errors(screen: Console, done: Proof) -> None:
    """The fewest errors of any hyperplane, or the errors of one model."""
    result, rows = done.result, counted(done.result.about.shape[0], "row")
    named = ", ".join(map(str, done.wrong_rows[:8])) + (", …" if len(done.wrong_rows) > 8 else "")
    if hasattr(result, "lower"):
        pair(screen, "Classes", _sides(result.about.classes))
        pair(
            screen, "At least", f"no linear model can make fewer than {counted(result.lower, 'error')} on these {rows}"
        )
        pair(screen, "At most", f"a hyperplane makes {counted(result.upper, 'error')}")
    else:
        pair(screen, "Errors", f"{result.errors:,} of {rows}")
        pair(screen, "Margin", f"{result.margin:.6g}")
    if named:
        pair(screen, "Rows", f"{named} [dim](counted from 1)[/dim]")


def _sides(classes: Any) -> str:
    return safe(f"{short(classes[1], LONGEST)} against {short(classes[0], LONGEST)}")


def _checked(done: Proof) -> str:
    """What was checked, in the words for it."""
    from rosenblatt.certificates.table import SeparabilityTable

    if not done.verified:
        return ""
    if isinstance(done.result, SeparabilityTable) and done.result.proofs < len(done.result):
        holds = "1 proof holds" if done.result.proofs == 1 else f"{done.result.proofs:,} proofs hold"
        return f" [dim]({holds}, checked in exact arithmetic; nothing is proven of the undecided)[/dim]"
    return " [dim](the certificate holds, checked in exact arithmetic)[/dim]"


def _several(screen: Console, result: Any, checked: str) -> None:
    verdicts = [part.verdict for _, part in result]
    counts = {name: verdicts.count(name) for name in ("separable", "not separable", "undecided")}
    told = ", ".join(f"{count} {name}" for name, count in counts.items() if count)
    through = "" if result.intercept else " about hyperplanes through the origin"
    screen.print(f"[bold]{counted(len(verdicts), 'question')}{through}: {told}[/bold]{checked}")
    shown = table("question", "verdict", ("margin", "right"), ("at most", "right"))
    for record in result.records():
        colour = {"separable": "green", "undecided": "yellow"}.get(record["verdict"], "magenta")
        margin = f"{record['margin']:.4g}" if record.get("margin") else ""
        bound = counted(record["mistake_bound"], "mistake") if record.get("mistake_bound") is not None else ""
        shown.add_row(
            safe(short(record["question"], 2 * LONGEST + 10)),
            f"[{colour}]{record['verdict']}[/{colour}]",
            margin,
            bound,
        )
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
        bound = "no bound" if audit.bound is None else number_in_words(audit.bound)
        holds = {True: "[green]yes[/green]", False: "[red]no[/red]", None: "[dim]—[/dim]"}[audit.holds]
        figures = (f"{audit.mistakes:,}", bound, f"{audit.radius:.4g}", f"{audit.gamma:.4g}", holds)
        shown.add_row(safe(short(name, LONGEST)), *figures)
    screen.print(shown)
    for sentence in dict.fromkeys(audit.note for audit in done.audits.values()):
        bullet(screen, sentence)
