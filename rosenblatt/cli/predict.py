"""`rosenblatt predict`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from rosenblatt.cli import options as o

if TYPE_CHECKING:
    from rosenblatt.verbs.prediction import Predictions


def predict(
    model: o.Model,
    data: o.Data,
    out: Annotated[
        str,
        o.option(
            o.OUTPUT,
            "--out",
            "-o",
            metavar="FILE",
            default="standard output",
            help="The file to write: .csv, .parquet, ...",
        ),
    ] = "-",
    to: o.To = None,
    only: Annotated[bool, o.option(o.OUTPUT, "--only", help="Write the predictions without the rows.")] = False,
    scores: Annotated[bool, o.option(o.OUTPUT, "--scores", help="Add the score of every class.")] = False,
    probabilities: Annotated[
        bool, o.option(o.OUTPUT, "--probabilities", help="Add those of every class (logistic, discriminant, ...).")
    ] = False,
    threshold: Annotated[
        float | None,
        o.option(
            o.OUTPUT, "--threshold", metavar="VALUE", help="Answer the second of two classes from this probability on."
        ),
    ] = None,
    header: o.Header = None,
    encoding: o.Encoding = None,
    separator: o.Separator = None,
    format: o.Format = None,
    na_values: o.NaValues = None,
    zero_based: o.ZeroBased = False,
    quiet: o.Quiet = False,
    as_json: o.Json = False,
) -> None:
    """Answer every row of a file with a model.

    The rows come out in their order with a column `prediction` added. Columns may come in any order; those that the
    model does not know are ignored, with a note.
    """
    from rosenblatt.cli.screen import notes, print_json
    from rosenblatt.verbs import predict as answer
    from rosenblatt.wording import counted, short, visible

    def asked(out: str | None, to: str | None) -> Predictions:
        return answer(
            model, data, out=out, only=only, scores=scores, probabilities=probabilities, threshold=threshold, to=to,
            reading_options=o.reading(header, encoding, separator, format, na_values, zero_based),
        )  # fmt: skip

    if as_json and out == "-":
        done = asked(None, None)
        print_json({**done.to_dict(), "predictions": done.answers})
    else:
        done = asked(out, to)
        if as_json:
            print_json(done.to_dict())
        elif out != "-" and not quiet:
            told = ", ".join(f"{visible(short(name))} {count:,}" for name, count in done.counts.items())
            print(f"{out}: {counted(done.rows, 'row')}" + (f" ({told})" if 0 < len(done.counts) <= 12 else ""))
    notes(done.notes, quiet or as_json)
