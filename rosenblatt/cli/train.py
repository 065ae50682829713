"""`rosenblatt train`."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable
from functools import partial
from typing import Annotated, Any

import typer

from rosenblatt.cli import options as o
from rosenblatt.cli.failures import Failure


def train(
    context: typer.Context,
    data: o.Data,
    target: o.Target = None,
    learner: o.LearnerName = None,
    settings: Annotated[
        list[str] | None,
        o.option(
            o.MODEL, "--set", "-s", metavar="NAME=VALUE", help="A parameter of the learner, such as max_iter=50."
        ),
    ] = None,
    time_limit: Annotated[
        float | None,
        o.option(
            o.MODEL, "--time-limit", metavar="SECONDS", help="Stop learning then, with what is learned; also the test."
        ),
    ] = None,
    search: Annotated[
        bool, o.option(o.MODEL, "--search", help="Choose the learner's main parameter by cross-validation.")
    ] = False,
    compare: Annotated[
        bool, o.option(o.MODEL, "--compare", help="Also score every other learner on the held-out rows.")
    ] = False,
    advise: Annotated[
        bool, o.option(o.MODEL, "--advise", help="Also try other learners for a few seconds, and say what to try next.")
    ] = False,
    scale: Annotated[
        bool, o.option(o.MODEL, "--scale/--no-scale", default=True, help="Scale columns (not bytes or sparse rows).")
    ] = True,
    test: Annotated[
        list[str] | None, o.option(o.TEST, "--test", metavar="FILE", help="Test on the rows of this file.")
    ] = None,
    holdout: Annotated[
        float | None,
        o.option(o.TEST, "--holdout", metavar="SHARE", default="0.2", help="Hold out this share of the rows; 0 none."),
    ] = None,
    time: Annotated[
        str | None, o.option(o.TEST, "--time", metavar="COLUMN", help="Hold out the latest rows by this column.")
    ] = None,
    group: Annotated[
        str | None,
        o.option(o.TEST, "--group", metavar="COLUMN", help="Hold out whole groups by this column, not learned from."),
    ] = None,
    cv: Annotated[
        int | None,
        o.option(o.TEST, "--cv", metavar="FOLDS", help="Test by cross-validation; the model learns from all rows."),
    ] = None,
    seed: o.Seed = 0,
    positive: o.Positive = None,
    missing: o.Missing = "median",
    text: o.Text = "auto",
    stream: Annotated[
        bool | None,
        o.option(
            o.DATA, "--stream/--no-stream", default="when it might not fit", help="Learn in passes, in bounded memory."
        ),
    ] = None,
    cluster: Annotated[
        str | None,
        o.option(
            o.DATA, "--cluster", metavar="ADDRESS",
            help="Learn at the workers of this Dask scheduler, such as tcp://host:8786; local starts some here.",
        ),
    ] = None,
    weights: o.Weights = None,
    drop: o.Drop = None,
    keep: o.Keep = None,
    header: o.Header = None,
    encoding: o.Encoding = None,
    separator: o.Separator = None,
    format: o.Format = None,
    na_values: o.NaValues = None,
    zero_based: o.ZeroBased = False,
    out: Annotated[
        str | None,
        o.option(
            o.OUTPUT, "--out", "-o", metavar="FILE", default="NAME-OF-DATA.safetensors",
            help="The model file to write, or - for standard output.",
        ),
    ] = None,
    force: Annotated[bool, o.option(o.OUTPUT, "--force", "-f", help="Replace a model file that exists.")] = False,
    report: Annotated[
        str | None, o.option(o.OUTPUT, "--report", metavar="FILE", help="Also write a page with pictures: report.html.")
    ] = None,
    top: o.Top = 8,
    quiet: o.Quiet = False,
    as_json: o.Json = False,
) -> None:  # fmt: skip
    """Learn to predict one column of a file from the others; test, explain and save the model.

    The columns are recognised (numbers, categories, yes and no, text), brought to one scale, and learned from by an
    averaged perceptron unless another learner is named. A fifth of the rows is held out to test on. Ctrl-C stops early
    and keeps what is learned.
    """
    from rosenblatt.cli.screen import console, notes, print_json, watching
    from rosenblatt.verbs import TrainOptions
    from rosenblatt.verbs.training import default_path

    path = default_path(data) if out is None else None if out == os.devnull else out
    command = None if context.obj is None else shlex.join(["rosenblatt", *context.obj])
    options = TrainOptions(
        learner, settings or (), time_limit, search, compare, advise, scale, test, holdout, cv, time, group, seed,
        positive, missing, text, stream, weights, drop or (), keep or (), top,
    )  # fmt: skip
    done = _learning(cluster)(
        data,
        target,
        options,
        o.reading(header, encoding, separator, format, na_values, zero_based),
        out=path,
        report=report,
        force=force,
        verbose=watching(quiet or as_json or path == "-"),
        command=command,
    )
    from rosenblatt.cli.summary import print_briefly, print_training  # which need scikit-learn

    if as_json:
        print_json(done.to_dict(), to_stderr=path == "-")
    elif quiet and path != "-":
        print_briefly(done.summary, done.path)
    elif not quiet:
        print_training(console(stderr=path == "-"), done)
    notes(done.notes, quiet or as_json)
    if done.interrupted:
        raise typer.Exit(Failure.INTERRUPTED)


def _learning(cluster: str | None) -> Callable[..., Any]:
    """The function that learns, here or on a cluster."""
    if cluster is None:
        from rosenblatt.verbs import train

        return train
    from rosenblatt.cluster.training import train as train_there

    return partial(train_there, cluster=cluster)
