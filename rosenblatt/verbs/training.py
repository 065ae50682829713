"""`train`: from a file to a fitted, tested, explained and saved model."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from rosenblatt.features.labels import distinct
from rosenblatt.features.target import check_classes
from rosenblatt.interrupts import listening
from rosenblatt.sources import Source
from rosenblatt.verbs.errors import UsageError, check_number, nearest, reading, setting
from rosenblatt.verbs.examples import Array, Examples, check_columns_policy, examples_of, read_examples
from rosenblatt.verbs.judging import FLATTERING, Judge, check_known, heard_warnings, is_interrupted
from rosenblatt.verbs.label_files import labels_beside
from rosenblatt.verbs.learners import DEFAULT, LEARNERS, check_parameter, learner_named, make_learner, read_settings
from rosenblatt.verbs.memory import too_large
from rosenblatt.verbs.models import columns_for
from rosenblatt.verbs.opening import open_data
from rosenblatt.verbs.outputs import check_outputs, files_of, identity
from rosenblatt.verbs.pipelines import (
    check_numbers,
    columns_of,
    fit_columns,
    fit_columns_parted,
    fit_learner,
    note_on_scale,
    notes_of,
    unfitted,
    with_width,
)
from rosenblatt.verbs.splits import hold_out
from rosenblatt.verbs.tables import names_data
from rosenblatt.verbs.trained import Clock, Training, about_model, keep_model
from rosenblatt.verbs.training_in_passes import InPasses, check_in_passes
from rosenblatt.wording import listed, shortened

HOLDOUT = 0.2
LARGEST_HOLDOUT = 0.95  # so that something is left to learn from
MOST_EPOCHS = 10**12
SEEDS = 2**32 - 1  # the largest, as in NumPy
SEARCHED = "passive-aggressive"  # what a search takes when no learner is named
NEEDED = ("rosenblatt.exchange.model_file",)


@listening()
def train(
    data: str | Sequence[str] | Source,
    target: str | int | None = None,
    *,
    learner: str | None = None,
    settings: Mapping[str, Any] | Iterable[str] = (),
    max_iter: int | None = None,
    time_limit: float | None = None,
    search: bool = False,
    scale: bool | None = None,
    test: str | Sequence[str] | None = None,
    holdout: float | None = None,
    cv: int | None = None,
    seed: int = 0,
    positive: Any = None,
    missing: str = "median",
    text: str = "auto",
    stream: bool | None = None,
    weights: str | None = None,
    drop: Sequence[str] = (),
    keep: Sequence[str] = (),
    header: bool | None = None,
    encoding: str | None = None,
    separator: str | None = None,
    format: str | None = None,
    zero_based: bool | None = None,
    out: str | None = None,
    report: str | None = None,
    top: int = 10,
    verbose: int = 0,
    on_epoch: Any = None,
    command: str | None = None,
) -> Training:
    """Learn to predict one column of a file from the others, and judge the model on rows that it has not seen.

    Parameters
    ----------
    data : a file, several, a pattern, or "-" for standard input; or a source that `open_source` made of them
    target : the column to predict: its name, its number from 1, or -1 for the last; for rows of numbers, also the file
        of their labels, which comes before labels of their own
    learner : a key of `rosenblatt.verbs.learners.LEARNERS`, or the name of a class of ours
    settings : parameters of the learner, as a mapping or as texts "name=value"
    max_iter, time_limit : the most epochs and seconds, where the learner counts them
    search : try several values of the learner's main parameter by cross-validation on the training rows
    scale : bring columns to one scale, but for bytes and sparse rows; None does so, and True says where it is not done
    test, holdout, cv : judge by the rows of another file, by a share of the rows that is kept aside (0.2 unless said
        otherwise), or by cross-validation
    seed : of the split and of the learner
    positive : the class that precision and recall are about
    missing : "error", "median" or "indicator", see `ColumnEncoder`
    text : "auto", "tfidf", "hashed" or "drop", see `ColumnEncoder`
    stream : learn in passes over the file instead of holding it in memory; None does so when it might not fit
    weights, drop : the column with the weights of the rows; columns to leave out
    keep : columns to learn from although they look like numbers or names of the rows
    header, encoding, separator, format, zero_based : of the file
    out, report : the model file and the page to write
    top : how many features to name
    verbose : 1 shows the epochs
    on_epoch : called with every epoch; returning something true stops
    command : how this was asked for, for the report

    Examples
    --------
    >>> import tempfile
    >>> from rosenblatt.verbs import export_dataset
    >>> path = str(Path(tempfile.mkdtemp()) / "iris.csv")
    >>> _ = export_dataset("iris", path)
    >>> found = train(path, "species")
    >>> print(found.learner, found.summary.accuracy)
    averaged 93.3% (95% interval 78.7% to 98.2%)
    """
    check_number("--max-iter", max_iter, 1, MOST_EPOCHS, usual="100 is usual")
    check_number("--time-limit", time_limit, 0, above=True, usual="give it in seconds")
    name, given = _settings(learner, settings, max_iter, time_limit, search)
    _check_ways(test, holdout, cv)
    check_number("--seed", seed, 0, SEEDS, usual="0 is usual")
    check_number("--top", top, 1, usual="8 is usual")
    check_columns_policy(missing, text)
    clock = Clock()
    numbers = LEARNERS[name].kind == "numbers"
    if numbers and positive is not None:
        raise UsageError(f"--positive must name a class, but the learner {name} answers numbers; leave it out.")
    _check_outputs(out, report, data.paths if isinstance(data, Source) else data, target, test)
    reader: dict[str, Any] = {
        "format": format,
        "header": header,
        "encoding": encoding,
        "separator": separator,
        "zero_based": zero_based,
    }
    source = data if isinstance(data, Source) else open_data(data, **reader)
    _check_files(source, test)
    if too_large(source) if stream is None else stream:
        check_in_passes(numbers, search, cv, holdout, positive)
        way = InPasses(
            source, target, name, given, seed, weights, drop, missing, text, scale is not False, keep, reader
        )
        done = way.train(test, top, out, report, verbose, on_epoch, clock, command)
        if scale:
            done.notes.extend(note_on_scale(done.model, source.name, source.kind))
        return done
    if source.is_being_read:
        _prepare()
    found = examples_of(source, target, numbers=numbers, weights=weights, drop=drop, keep=keep)
    if test is None:
        others = None
    else:
        others = read_examples(
            test, found.target or target, drop=drop, classes=1, numbers=numbers, tests=True, **reader
        )
    if positive is not None:
        positive = class_named(found.labels(), positive)
    if not numbers:
        with reading(found.name):
            check_classes(found.labels(), found.target or "label")
        if others is not None:
            check_known(others, distinct(found.labels()))
    total = len(found)
    clock.note("reading")
    estimator = _estimator(name, given, found.labels(), seed)
    with heard_warnings() as heard:
        model = unfitted(found, estimator, scale=scale is not False, missing=missing, text=text)
        learned, tested, told = _parts(found, others, holdout, cv, seed, numbers, None if report else model)
        found = replace(found, rows=None, y=None)  # what is still needed of them is in the parts
        rows = fit_columns(model, learned)
        if others is not None and tested is not None and tested.is_frame:
            tested = replace(tested, rows=columns_for(model.steps[0][1], tested))
        tries = _search(estimator, name, rows, learned, seed, verbose) if search else None
        fit_learner(model, rows, learned, tested, verbose=verbose, on_epoch=on_epoch)
        clock.note("learning")
        judge = Judge(model, learned, told, positive, seed, top)
        summary, left = judge.by_folds(cv, numbers) if cv is not None else (judge.by_rows(tested), 0)
        clock.note("judging")
    share = 0.0 if tested is None or others is not None else (HOLDOUT if holdout is None else holdout)
    about = {**about_model(found, learned, summary, name, told, seed, share, columns_of(model)), "rows": total}
    ended = []
    if tries is not None and tries.interrupted_:
        ended.append(_end_of_search(tries))
    if left and cv is not None:
        ended.append(f"Ctrl-C ended the cross-validation after {cv - left} of {cv} folds.")
    kept = keep_model(model, summary, learned, tested, about, out, report, command, judge, ended)
    notes = [*found.notes, *notes_of(model), *heard, *ended]
    if search and learner is None:
        notes.append(f"the learner is {name}, since {DEFAULT} has nothing to search for; --learner names another.")
    if scale:
        notes += note_on_scale(model, found.name, source.kind)
    searched = None if tries is None else tries.scores
    seconds, columns = clock.seconds, columns_of(model)
    interrupted = bool(ended) or is_interrupted(model)
    return Training(model, summary, name, about, columns, searched, out, kept, notes, seconds, interrupted)


# ------------------------------------------------------------------------------------------------ what to train


def _settings(
    name: str | None,
    settings: Mapping[str, Any] | Iterable[str],
    max_iter: int | None,
    time_limit: float | None,
    search: bool,
) -> tuple[str, dict[str, Any]]:
    """The learner's name and the settings that were asked for, checked."""
    known, learner = learner_named((SEARCHED if search else DEFAULT) if name is None else name)
    if search and not learner.grid:
        able = [each for each, other in LEARNERS.items() if other.grid]
        raise UsageError(f"The learner {known} has nothing to search for; use one of {listed(able)}.")
    given = dict(settings) if isinstance(settings, Mapping) else read_settings(known, settings)
    for key, value in (("max_iter", max_iter), ("time_limit", time_limit)):
        if value is not None:
            check_parameter(known, key)
            if key in given:
                option = f"--{key.replace('_', '-')}"
                raise UsageError(f"{key} must be said once, but {option} and --set {key} both came; leave one out.")
            given[key] = value
    make_learner(known, given)
    return known, given


def _prepare() -> None:
    """While the file is being read: import what comes later.

    Not the compiler, which takes as much memory as a third of a table of a million rows: there is more room for it when
    the table is encoded.
    """
    for module in NEEDED:
        importlib.import_module(module)


def _estimator(name: str, given: dict[str, Any], y: Array, seed: int) -> Any:
    several = LEARNERS[name].several if LEARNERS[name].kind == "classes" and len(distinct(y)) > 2 else {}
    return make_learner(name, {**several, **given}, random_state=seed)


def _check_ways(test: Any, holdout: float | None, cv: int | None) -> None:
    asked = [name for name, value in (("--test", test), ("--holdout", holdout), ("--cv", cv)) if value is not None]
    if len(asked) > 1:
        raise UsageError(f"A model is tested in one way, but {' and '.join(asked)} came; choose one of them.")
    check_number("--holdout", holdout, 0, LARGEST_HOLDOUT, usual="0.2 is usual, a fifth of the rows")
    check_number("--cv", cv, 2, usual="5 folds are usual")


def _check_files(source: Source, test: Any) -> None:
    """A file that comes twice would be learned from and tested on."""
    seen: set[Any] = set()
    for path in source.paths:
        key = identity(path)
        if key in seen:
            raise UsageError(
                f"Every file must come once, but {source.name_of(path)} came twice, so that a model would be tested on "
                "rows that it has learned from; leave one of them out."
            )
        seen.add(key)
    known = [path for path in files_of(test) if identity(path) in seen]
    if known:
        source.notes.append(f"{known[0]} is learned from and tested on: on new rows the model may do worse.")


def _check_outputs(out: str | None, report: str | None, data: Any, target: Any, test: Any) -> None:
    read = files_of(data, test)
    labels = [path for path in (target, *map(labels_beside, read)) if isinstance(path, str)]
    check_outputs({"The model": out, "The report": report}, [*read, *labels])
    if out is not None and names_data(out):
        raise UsageError(
            f"A model must go to a file that does not look like data, but got {out}; "
            f"call it {Path(out).stem}.safetensors."
        )


def class_named(y: Array, wanted: Any) -> Any:
    """The class that is written like this.

    Examples
    --------
    >>> class_named(np.array([0, 1, 1]), "1")
    1
    """
    classes = distinct(y).tolist()
    for label in classes:
        if str(label) == str(wanted):
            return label
    near = nearest(str(wanted), map(str, classes)) or "choose one of them."
    raise UsageError(f"The positive class must be one of {listed(classes)}, but got {shortened(wanted)}; {near}")


# ------------------------------------------------------------------------------------------------ which rows


def _parts(
    found: Examples,
    others: Examples | None,
    holdout: float | None,
    cv: int | None,
    seed: int,
    numbers: bool,
    model: Pipeline | None,
) -> tuple[Examples, Examples | None, str]:
    """Rows to learn from, rows to test on, and how these came about in words.

    With a model, nobody needs the columns of a table any more: it is encoded and given up.
    """
    if others is not None:
        if others.is_frame != found.is_frame:
            raise UsageError(f"{others.name} must be of the same kind as {found.name}, but one is a table.")
        if not found.is_frame:
            check_numbers(others.rows, others.name)
            others = replace(others, rows=with_width(others.rows, found.rows.shape[1], others.name)[0])
        return found, others, f"the rows of {others.name}"
    if cv is not None:
        return found, None, f"each row by a model that was trained on the other {cv - 1} of {cv} folds"
    share = HOLDOUT if holdout is None else holdout
    if share == 0:
        return found, None, FLATTERING
    learned, tested = hold_out(found.labels(), share, seed, numbers=numbers)
    told = f"a random {share:.0%} of the rows"
    if found.is_frame and model is not None:
        return *fit_columns_parted(model, found, learned, tested), told
    return *found.parted(learned, tested), told


# ------------------------------------------------------------------------------------------------ searching


def _search(estimator: Any, name: str, rows: Any, learned: Examples, seed: int, verbose: int) -> Any:
    """Set the learner's main parameter to the best value by cross-validation on the training rows."""
    from rosenblatt import search

    with reading(learned.name), setting(estimator, learned.labels()):
        found = search(
            rows,
            learned.labels(),
            estimator,
            dict(LEARNERS[name].grid),
            sample_weight=learned.weights,
            random_state=seed,
            refit=False,
            verbose=verbose,
        )
    estimator.set_params(**found.best_params_)
    return found


def _end_of_search(found: Any) -> str:
    """What Ctrl-C has left of a search."""
    n_settings, n_folds = found.fold_scores.shape
    done, folds = int(np.isfinite(found.mean_scores).sum()), len(found.folds_compared)
    if folds < n_folds:
        return f"Ctrl-C ended the search after {folds} of {n_folds} folds; the setting that is best on these is taken."
    return f"Ctrl-C ended the search after {done} of {n_settings} settings; the best of these is taken."


def default_path(data: str | Sequence[str]) -> str:
    """Where a model goes when nobody says: the name of the data, in the present folder.

    Examples
    --------
    >>> default_path("data/iris.csv.gz"), default_path("-"), default_path(["part-*.csv"])
    ('iris.safetensors', 'model.safetensors', 'model.safetensors')
    """
    first = data if isinstance(data, str) else data[0]
    name = Path(first.split("?")[0]).name
    stem = name.split(".")[0]
    plain = (stem and not set(stem) & set("*?[]-")) or stem.replace("-", "").isalnum()
    return f"{stem}.safetensors" if plain and first != "-" else "model.safetensors"
