"""`rosenblatt audit`."""

from __future__ import annotations

import typer

from rosenblatt.cli import options as o
from rosenblatt.cli.failures import Failure


def audit(
    model: o.Model,
    data: o.Data,
    time_limit: o.TimeLimit = None,
    header: o.Header = None,
    encoding: o.Encoding = None,
    separator: o.Separator = None,
    format: o.Format = None,
    na_values: o.NaValues = None,
    zero_based: o.ZeroBased = False,
    quiet: o.Quiet = False,
    as_json: o.Json = False,
) -> None:
    """Hold the run behind a perceptron against the convergence theorem, update by update.

    The run is made again from the data that it was trained on and must end at the very weights in the file. Exit code
    0: the theorem holds, as it must. 1: it does not, which would be a bug. 5: it is not about this run, since the
    classes are not separable for one.
    """
    from rosenblatt.cli.proofs import print_audit
    from rosenblatt.cli.screen import console, notes, print_json
    from rosenblatt.verbs import audit as check

    done = check(
        model,
        data,
        time_limit=time_limit,
        reading_options=o.reading(header, encoding, separator, format, na_values, zero_based),
    )
    if as_json:
        print_json(done.to_dict())
    else:
        print_audit(console(), done)
    notes(done.notes, quiet or as_json)
    raise typer.Exit({True: 0, False: Failure.NO, None: Failure.UNDECIDED}[done.holds])
