"""`train` where the file is not held in memory: learned from in passes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from rosenblatt.verbs.errors import UsageError, reading, with_keep
from rosenblatt.verbs.examples import Examples, read_examples
from rosenblatt.verbs.judging import Judge, check_known, heard_warnings, is_interrupted
from rosenblatt.verbs.label_files import is_file_of_labels, is_number
from rosenblatt.verbs.learners import LEARNERS, make_learner
from rosenblatt.verbs.models import columns_for
from rosenblatt.verbs.named_columns import check_kept, check_left, find_column, find_columns, no_target
from rosenblatt.verbs.pipelines import check_numbers, columns_of, notes_of, with_width
from rosenblatt.verbs.trained import Clock, Training, about_model, keep_model
from rosenblatt.wording import listed


def check_in_passes(numbers: bool, search: bool, cv: int | None, holdout: float | None, positive: Any) -> None:
    asked = (
        ("--learner least-squares", numbers),
        ("--search", search),
        ("--cv", cv is not None),
        ("--holdout", holdout is not None),
        ("--positive", positive is not None),
    )
    for option, given in asked:
        if given:
            raise UsageError(
                f"{option} needs all rows in memory, but the file is learned from in passes; leave it out, "
                f"or use --no-stream."
            )


@dataclass(frozen=True, eq=False)
class InPasses:
    """Learning in passes over a file that is not held in memory."""

    source: Any
    target: str | int | None
    name: str
    given: dict[str, Any]
    seed: int
    weights: str | None
    drop: Sequence[str]
    missing: str
    text: str
    scale: bool
    keep: Sequence[str] = ()
    written: Mapping[str, Any] = field(default_factory=dict)  # how the files are written, as far as it was said

    def train(
        self,
        test: str | Sequence[str] | None,
        top: int,
        out: str | None,
        report: str | None,
        verbose: int,
        on_epoch: Any,
        clock: Clock,
        command: str | None,
    ) -> Training:
        from rosenblatt.features.column_kinds import KEPT
        from rosenblatt.features.columns import ColumnEncoder
        from rosenblatt.verbs.streaming import EPOCHS, TESTED_ROWS, learns_in_passes, train_streamed

        source = self.source
        learner = make_learner(self.name, self.given, random_state=self.seed, max_iter=EPOCHS)
        if not learns_in_passes(learner):
            able = [each for each in LEARNERS if learns_in_passes(make_learner(each))]
            raise UsageError(
                f"A file is learned from in passes by a learner with partial_fit, but {self.name} has none; "
                f"use one of {listed(able)}, or --no-stream."
            )
        target, weights, away, kept = self._columns()
        as_tests = {"drop": self.drop, "classes": 1, "tests": True, **self.written}
        others = None if test is None else read_examples(test, target, **as_tests)
        scale, kinds = "standard" if self.scale else None, dict.fromkeys(kept, KEPT) or None
        encoder = ColumnEncoder(text=self.text, missing=self.missing, scale=scale, kinds=kinds)
        with heard_warnings() as heard, reading(source.name):
            done = train_streamed(
                source,
                target,
                learner,
                encoder=encoder if source.kind == "frame" else None,
                max_iter=self.given.get("max_iter", EPOCHS),
                time_limit=self.given.get("time_limit"),
                tested_rows=TESTED_ROWS if others is None else 0,
                weights=weights,
                drop=away,
                scale=self.scale,
                missing=self.missing,
                seed=self.seed,
                verbose=verbose,
                on_epoch=on_epoch,
                on_classes=None if others is None else partial(check_known, others),
            )
            clock.note("learning")
        name, digesting = source.name, source.digest_later()
        if source.is_copy:
            digesting.result()
            source.close()
        tested = Examples(
            done.X_test, done.y_test, None, done.target, name, source.format, zero_based=source.zero_based
        )
        seen = replace(tested, rows=done.X_seen, y=done.y_seen, digesting=digesting)
        told = f"a random {done.rows - done.learned_rows:,} of {done.rows:,} rows"
        if others is not None:
            if others.is_frame:
                tested = replace(others, rows=columns_for(done.model.steps[0][1], others))
            else:
                check_numbers(others.rows, others.name)
                width = done.model.steps[0][1].n_features_in_
                tested = replace(others, rows=with_width(others.rows, width, others.name)[0])
            told = f"the rows of {tested.name}"
        with heard_warnings() as more:
            judge = Judge(done.model, seen, told, None, self.seed, top, rows_train=done.learned_rows)
            summary = judge.by_rows(tested)
            clock.note("judging")
        about = about_model(seen, seen, summary, self.name, told, self.seed, 0.0, columns_of(done.model))
        about |= {"rows": done.rows, "learned_rows": done.learned_rows, "split": None, "left_out": away}
        ended: list[str] = []
        kept_page = keep_model(done.model, summary, seen, tested, about, out, report, command, judge, ended)
        notes = [f"{name} is learned from in passes, {done.rows:,} rows.", *done.notes, *notes_of(done.model)]
        notes = [*dict.fromkeys(map(with_keep, [*notes, *heard, *more])), *ended]
        columns, interrupted = columns_of(done.model), bool(ended) or is_interrupted(done.model)
        return Training(
            done.model, summary, self.name, about, columns, None, out, kept_page, notes, clock.seconds, interrupted
        )

    def _columns(self) -> tuple[str | None, str | None, list[str], list[str]]:
        """The names of the target, of the weights, and of the columns to drop and to keep."""
        if self.source.kind == "matrix":
            if is_file_of_labels(self.target):
                raise UsageError(
                    f"A file of labels needs all rows in memory, but {self.source.name} is learned from in passes; "
                    f"use --no-stream, or write both into one file (rosenblatt convert {self.source.name} FILE.npz "
                    f"--target {self.target})."
                )
            number = is_number(self.target) and self.source.format in ("npy", "npz")
            if (self.target is not None and not number) or self.weights is not None or self.drop or self.keep:
                raise UsageError(f"Only a table has columns to name, but {self.source.name} is {self.source.format}.")
            return (str(self.target) if number else None), None, [], []
        with reading(self.source.name):
            columns = list(self.source.columns)
        if self.target is None:
            raise no_target(columns, self.source.name)
        where = self.source.name
        weights = None if self.weights is None else find_column(columns, self.weights, where, "The weights")
        away = find_columns(columns, self.drop, where, "A column to drop")
        kept = find_columns(columns, self.keep, where, "A column to keep")
        target = find_column(columns, self.target, where, "The target")
        check_left(columns, target, weights, away, where)
        check_kept(kept, target, weights, away)
        return target, weights, away, kept
