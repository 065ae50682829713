"""From the rows of a file to a model that is fitted, tested, explained and saved."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sklearn.pipeline import Pipeline

from rosenblatt.estimators.classes import classes_of
from rosenblatt.interrupts import postponed, pressed
from rosenblatt.report import Summary
from rosenblatt.report.summary import class_named
from rosenblatt.sources import Source
from rosenblatt.verbs.errors import UsageError, setting, writing
from rosenblatt.verbs.examples import Examples, open_data, read_examples
from rosenblatt.verbs.gaps import count_gaps, note_on_gaps
from rosenblatt.verbs.learners import DEFAULT, LEARNERS, make_learner
from rosenblatt.verbs.models import columns_for, save_model
from rosenblatt.verbs.options import TrainOptions
from rosenblatt.verbs.pipelines import columns_of, fit_columns, fit_learner, notes_of, unfitted, with_width
from rosenblatt.verbs.splits import hold_out
from rosenblatt.verbs.testing import ON_TRAINING_ROWS, Learned, caught_warnings, check_known, compared, summary_of
from rosenblatt.verbs.training import Clock

KEPT = ("accuracy", "baseline", "regression", "classes", "rows_test", "positive")  # figures for the model file


@dataclass(frozen=True, eq=False)
class Training:
    """What `train` did.

    Attributes
    ----------
    model : a fitted scikit-learn Pipeline, from the columns of the file to the answer
    summary : how good it is, against what, what drives it, and what to try next
    learner : the name of the learner, as the command line knows it
    about : what the model file says about where the model comes from
    searched : a frame of the settings that were tried, or None
    compared : what every learner scored, or None
    path, report : the files that were written, or None
    notes : sentences about what was assumed
    seconds : how long reading, learning and testing took
    interrupted : whether Ctrl-C was pressed; the notes say what it ended
    """

    model: Pipeline
    summary: Summary
    learner: str
    about: dict[str, Any]
    searched: Any = None
    compared: list[dict[str, Any]] | None = None
    path: str | None = None
    report: str | None = None
    notes: list[str] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)
    interrupted: bool = False

    def to_dict(self) -> dict[str, Any]:
        return {
            "model": self.path,
            "report": self.report,
            "learner": self.learner,
            "summary": self.summary.to_dict(),
            "searched": None if self.searched is None else self.searched.to_dicts(),
            "compared": self.compared,
            "columns": columns_of(self.model),
            "data": {key: self.about[key] for key in ("source", "digest", "target", "rows")},
            "notes": self.notes,
            "seconds": {name: round(value, 4) for name, value in self.seconds.items()},
        }


def completed(
    learn: Callable[[], Learned],
    options: TrainOptions,
    clock: Clock,
    *,
    na_values: Sequence[str] | None = None,
    out: str | None = None,
    report: str | None = None,
    command: str | None = None,
) -> Training:
    """Learn, save, test, save again with the result, and write the report."""
    with caught_warnings() as caught:
        with clock.running("learning"):
            done = learn()
        about = about_model(done, options, na_values)
        save(done.model, out, about)
        with clock.running("testing"):
            summary = summary_of(done, options)
            others = compared(done, options) if options.compare and done.tested is not None else None
        save(done.model, out, about | _figures(summary))
    page = _write_report(report, done, summary, about | {"model": out, "command": command})
    if pressed() and not done.interrupted:
        done.ended.append("Ctrl-C came when the learning was done; the model is whole.")
    notes = [*done.notes, *caught, *done.ended]
    return Training(
        done.model, summary, options.name, about, None if done.searched is None else done.searched.scores, others, out,
        page, [*dict.fromkeys(notes)], clock.seconds, done.interrupted,
    )  # fmt: skip


def learn(rows: Examples, source: Source, target: Any, options: TrainOptions, clock: Clock) -> Learned:
    """Split the rows, and fit a pipeline."""
    total, positive = len(rows), options.positive
    if positive is not None:  # refused before anything is learned
        with setting(True):
            class_named(positive, classes_of(rows.labels()).tolist())
    model = unfitted(rows, _learner(options, rows), options)
    gaps = 0 if rows.is_frame else count_gaps(rows.rows)
    learned, tested, told = _split(rows, source, target, options)
    del rows
    fitted = fit_columns(model, learned)
    if options.test is not None and tested is not None:
        tested = fitting_tests(tested, learned, model)
    tries = _search(model[-1], fitted, learned, options, clock.verbose) if options.search else None
    fit_learner(model, fitted, learned, tested, settings=options.given, verbose=clock.verbose)
    notes = [*learned.notes, *([note_on_gaps(gaps)] if gaps else []), *notes_of(model, learned)]
    if options.search and options.learner is None:
        notes.append(f"The learner is {options.name}, since {DEFAULT} has nothing to search for.")
    split = None if options.time or options.group else {"share": 0.0 if options.cv or options.test else options.share}
    done = Learned(model, learned, tested, told, total, len(learned), notes, positive, tries, split)
    if tries is not None and tries.interrupted_:
        done.ended.append("Ctrl-C ended the search; the best setting so far is taken.")
    return done


def _learner(options: TrainOptions, rows: Examples) -> Any:
    known = LEARNERS[options.name]
    several = known.several if known.several and len(classes_of(rows.labels())) > 2 else {}
    return make_learner(
        options.name, {**several, **options.given}, random_state=options.seed, time_limit=options.time_limit
    )


def _split(rows: Examples, source: Source, target: Any, options: TrainOptions) -> tuple[Examples, Examples | None, str]:
    """Rows to learn from, rows to test on, and how these came about in words."""
    others = read_tests(source, rows.target or target, options)
    if others is not None:
        if not options.numbers:
            check_known(others, classes_of(rows.labels()))
        return rows, others, f"the rows of {others.name}"
    share, by = options.share, {}
    if options.cv is not None:
        return rows, None, f"each row by a model that was trained on the other {options.cv - 1} of {options.cv} folds"
    if share == 0:
        return rows, None, ON_TRAINING_ROWS
    told = f"a random {share:.0%} of the rows"
    if options.time:
        by, told = {"time": rows.apart}, f"the latest {share:.0%} of the rows by {options.time}"
    elif options.group:
        by, told = {"groups": rows.apart}, f"rows of other groups by {options.group}"
    learned, tested = hold_out(rows.labels(), share, options.seed, numbers=options.numbers, **by)
    return rows.take(learned), rows.take(tested), told


def read_tests(source: Source, target: Any, options: TrainOptions) -> Examples | None:
    """The rows of the file to test on, if there is one, read as the others are."""
    if options.test is None:
        return None
    others = open_data(options.test, replace(source.reading, header=None))
    if others.kind != source.kind:
        raise UsageError(f"{others.name} and {source.name} must both be tables, or neither.")
    away = (*options.drop, *([options.weights] if options.weights else []))
    return read_examples(others, target, drop=away, least=1, numbers=options.numbers, tests=True)


def fitting_tests(others: Examples, rows: Examples, model: Pipeline) -> Examples:
    """Rows of another file with the columns of those that are learned from."""
    if others.is_frame:
        return replace(others, rows=columns_for(model.steps[0][1], others))
    return replace(others, rows=with_width(others.rows, rows.rows.shape[1], others.name)[0])


def _search(estimator: Any, fitted: Any, learned: Examples, options: TrainOptions, verbose: int) -> Any:
    """Set the learner's main parameter to the best value by cross-validation on the training rows."""
    from rosenblatt import search

    with setting(options.given):
        found = search(
            fitted, learned.labels(), estimator, dict(LEARNERS[options.name].grid), sample_weight=learned.weights,
            random_state=options.seed, refit=False, verbose=verbose,
        )  # fmt: skip
    estimator.set_params(**found.best_params_)
    return found


# ------------------------------------------------------------------------------------------------ what is written


def about_model(done: Learned, options: TrainOptions, na_values: Sequence[str] | None) -> dict[str, Any]:
    """What the model file says about where the model comes from."""
    rows = done.rows
    return {
        "target": rows.target,
        "learner": options.name,
        "source": rows.name,
        "format": rows.format,
        "zero_based": rows.zero_based,
        "na_values": None if na_values is None else list(na_values),
        "digest": rows.digest,
        "rows": done.total,
        "learned_rows": done.count,
        "held_out": done.told,
        "seed": options.seed,
        "split": done.split,
        "weighted": rows.weights is not None,
        "left_out": list(rows.left_out),
        "columns": columns_of(done.model),
    }


def _figures(summary: Summary) -> dict[str, Any]:
    """What the model file says about how good it is."""
    found = summary.to_dict()
    return {"summary": {key: found[key] for key in KEPT}, "drivers": found["drivers"]["top"]}


def save(model: Pipeline, out: str | None, about: dict[str, Any]) -> None:
    """Write the model whatever Ctrl-C ended before: first as soon as it has learned, then with what the test found."""
    if out is not None and (out != "-" or "summary" in about):
        with postponed():
            save_model(model, out, about)


def _write_report(report: str | None, done: Learned, summary: Summary, about: dict[str, Any]) -> Any:
    """Write the page about the model; where it is, if it was written."""
    if report is None:
        return None
    from rosenblatt.report import write_report

    rows, found = done.rows, done.tested or done.rows
    try:
        with writing(report):
            write_report(
                report, done.model, summary, found.rows, found.labels(), about=about, image_shape=rows.image_shape
            )  # fmt: skip
    except KeyboardInterrupt:
        done.ended.append("Ctrl-C ended the report, which is not written; the model itself is whole.")
        return None
    return report
