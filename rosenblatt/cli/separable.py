"""`rosenblatt separable`."""

from __future__ import annotations

from typing import Annotated

import typer

from rosenblatt.cli import options as o
from rosenblatt.cli.failures import Failure

CODES = {"separable": 0, "certified": 0, "undecided": Failure.UNDECIDED}


def separable(
    data: o.Data,
    target: o.Target = None,
    certificate: Annotated[
        str | None, o.option(o.OUTPUT, "--certificate", metavar="FILE", help="Write the proof as JSON.")
    ] = None,
    verify: Annotated[
        str | None,
        o.option(o.PROOF, "--verify", metavar="FILE", help="Check this certificate in exact arithmetic instead."),
    ] = None,
    intercept: Annotated[
        bool, o.option(o.PROOF, "--intercept/--no-intercept", default=True, help="Whether the hyperplane may leave 0.")
    ] = True,
    tolerance: Annotated[
        float | None,
        o.option(o.PROOF, "--tolerance", metavar="SHARE", default="0.01", help="How close to the largest margin."),
    ] = None,
    fewest: Annotated[
        bool, o.option(o.PROOF, "--fewest-errors", help="Prove how many rows any hyperplane has wrong at least.")
    ] = False,
    time_limit: o.TimeLimit = None,
    missing: o.Missing = "error",
    text: o.Text = "auto",
    drop: o.Drop = None,
    keep: o.Keep = None,
    header: o.Header = None,
    encoding: o.Encoding = None,
    separator: o.Separator = None,
    format: o.Format = None,
    na_values: o.NaValues = None,
    zero_based: o.ZeroBased = False,
    quiet: o.Quiet = False,
    as_json: o.Json = False,
) -> None:
    """Say whether a hyperplane separates the classes, and prove it.

    A yes comes with the hyperplane of the widest margin and the bound on a perceptron's mistakes, a no with a point
    that lies in the hulls of both classes. Exit code 0 is yes, 1 no (or a certificate that does not hold), 5 undecided.
    """
    from rosenblatt.cli.proofs import print_proof
    from rosenblatt.cli.screen import console, notes, print_json, watching
    from rosenblatt.verbs import separable as decide

    done = decide(
        data,
        target,
        intercept=intercept,
        time_limit=time_limit,
        tolerance=tolerance,
        fewest=fewest,
        certificate=certificate,
        verify=verify,
        missing=missing,
        text=text,
        drop=drop or (),
        keep=keep or (),
        reading_options=o.reading(header, encoding, separator, format, na_values, zero_based),
        verbose=watching(quiet or as_json),
    )
    if as_json:
        print_json(done.to_dict())
    else:
        print_proof(console(), done)
    notes(done.notes, quiet or as_json)
    raise typer.Exit(CODES.get(done.verdict, Failure.NO))
