"""`rosenblatt train`."""

from __future__ import annotations

import shlex
from typing import Annotated

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
        typer.Option(
            "--set",
            "-s",
            metavar="NAME=VALUE",
            rich_help_panel=o.MODEL,
            show_default=False,
            help="A parameter of the learner, such as max_iter=50; may be given several times.",
        ),
    ] = None,
    max_iter: Annotated[
        int | None,
        typer.Option(
            "--max-iter",
            metavar="N",
            rich_help_panel=o.MODEL,
            show_default="the learner's",
            help="The most epochs.",
        ),
    ] = None,
    time_limit: Annotated[
        float | None,
        typer.Option(
            "--time-limit",
            metavar="SECONDS",
            rich_help_panel=o.MODEL,
            show_default=False,
            help="Stop learning then, with what is learned.",
        ),
    ] = None,
    search: Annotated[
        bool,
        typer.Option(
            "--search",
            rich_help_panel=o.MODEL,
            help="Try several values of the learner's main parameter and keep the best by cross-validation.",
        ),
    ] = False,
    scale: Annotated[
        bool | None,
        typer.Option(
            "--scale/--no-scale",
            rich_help_panel=o.MODEL,
            show_default="--scale",
            help="Whether to bring columns to one scale first; bytes and sparse rows stay as they are.",
        ),
    ] = None,
    test: Annotated[
        list[str] | None,
        typer.Option(
            "--test", metavar="FILE", rich_help_panel=o.TEST, show_default=False, help="Test on the rows of this file."
        ),
    ] = None,
    holdout: Annotated[
        float | None,
        typer.Option(
            "--holdout",
            metavar="SHARE",
            rich_help_panel=o.TEST,
            show_default="0.2",
            help="Test on this share of the rows, kept aside; 0 keeps none.",
        ),
    ] = None,
    cv: Annotated[
        int | None,
        typer.Option(
            "--cv",
            metavar="FOLDS",
            rich_help_panel=o.TEST,
            show_default=False,
            help="Test by cross-validation; the model itself is trained on all rows.",
        ),
    ] = None,
    seed: o.Seed = 0,
    positive: o.Positive = None,
    missing: o.Missing = "median",
    text: o.Text = "auto",
    stream: Annotated[
        bool | None,
        typer.Option(
            "--stream/--no-stream",
            rich_help_panel=o.DATA,
            show_default="when it might not fit into memory",
            help="Learn in passes over the file, in bounded memory.",
        ),
    ] = None,
    weights: o.Weights = None,
    drop: o.Drop = None,
    keep: o.Keep = None,
    header: o.Header = None,
    encoding: o.Encoding = None,
    separator: o.Separator = None,
    format: o.Format = None,
    zero_based: o.ZeroBased = None,
    out: Annotated[
        str | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            rich_help_panel=o.OUTPUT,
            show_default="NAME-OF-DATA.safetensors",
            help="The model file to write, or - for standard output.",
        ),
    ] = None,
    save: Annotated[
        bool,
        typer.Option(
            "--save/--no-save",
            rich_help_panel=o.OUTPUT,
            show_default="--save",
            help="Whether to write the model.",
        ),
    ] = True,
    report: Annotated[
        str | None,
        typer.Option(
            "--report",
            metavar="FILE",
            rich_help_panel=o.OUTPUT,
            show_default=False,
            help="Also write a page with pictures, for people: report.html.",
        ),
    ] = None,
    top: o.Top = 8,
    quiet: Annotated[
        bool,
        typer.Option(
            "--quiet",
            "-q",
            rich_help_panel=o.OUTPUT,
            help="Print one line: no table, no progress and no remarks.",
        ),
    ] = False,
    as_json: o.Json = False,
) -> None:
    """Learn to predict one column of a file from the others; test, explain and save the model.

    The columns are recognised (numbers, categories, yes and no, text), brought to one scale, and learned from by an
    averaged perceptron unless another learner is named. A fifth of the rows is kept aside to test on. Ctrl-C stops
    early and keeps what is learned.
    """
    from rosenblatt.cli.starting import begin_to_read, import_scikit_learn
    from rosenblatt.loading import collector_at_rest

    source = (
        data
        if stream
        else begin_to_read(
            data, format=format, header=header, encoding=encoding, separator=separator, zero_based=zero_based
        )
    )
    with collector_at_rest():
        import_scikit_learn()

        from rosenblatt.cli.screen import console, notes, print_json, watching
        from rosenblatt.cli.summary import print_briefly, print_training
        from rosenblatt.verbs import train as learn
        from rosenblatt.verbs.training import default_path

    path = (default_path(data) if out is None else out) if save else None
    command = None if context.obj is None else shlex.join(["rosenblatt", *context.obj])
    try:
        done = learn(
            source,
            target,
            learner=learner,
            settings=settings or (),
            max_iter=max_iter,
            time_limit=time_limit,
            search=search,
            scale=scale,
            test=test,
            holdout=holdout,
            cv=cv,
            seed=seed,
            positive=positive,
            missing=missing,
            text=text,
            stream=stream,
            weights=weights,
            drop=drop or (),
            keep=keep or (),
            header=header,
            encoding=encoding,
            separator=separator,
            format=format,
            zero_based=zero_based,
            out=path,
            report=report,
            top=top,
            verbose=watching(quiet or as_json or path == "-"),
            command=command,
        )
    except KeyboardInterrupt as error:  # what was learned would have been kept
        raise KeyboardInterrupt(
            str(error) or "interrupted before the model was learned; nothing is written."
        ) from error
    if as_json and path != "-":
        print_json(done.to_dict())
    elif quiet and path != "-":
        print_briefly(done)
    elif not quiet:
        print_training(console(stderr=path == "-"), done)
    notes(done.notes, quiet or as_json)
    if done.interrupted:
        raise typer.Exit(Failure.INTERRUPTED)
