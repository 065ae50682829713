"""Options that several verbs share."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rosenblatt.verbs.learners import LEARNERS

if TYPE_CHECKING:
    from rosenblatt.sources import ReadOptions

DATA = "Data"
READ = "How the data are read"
MODEL = "Model"
TEST = "Test"
OUTPUT = "Output"
PROOF = "Proof"
ANSWER = "One answer, explained"


def option(panel: str, *names: str, default: Any = False, metavar: str | None = None, help: str, **more: Any) -> Any:
    """An option in a panel of the help; `default` is what the help shows as its default, if anything."""
    return typer.Option(*names, metavar=metavar, rich_help_panel=panel, show_default=default, help=help, **more)


Data = Annotated[
    list[str],
    typer.Argument(
        metavar="DATA...",
        show_default=False,
        help="One or more files, a pattern such as 'part-*.csv', an address, or - for standard input.",
    ),
]
Model = Annotated[
    str, typer.Argument(metavar="MODEL", show_default=False, help="A model file, or - for standard input.")
]
Written = Annotated[
    str,
    typer.Argument(
        metavar="FILE",
        show_default=False,
        help="The file to write: .csv, .tsv, .parquet, .arrow, .jsonl, .libsvm, .npz, also .gz; - is standard output.",
    ),
]
Target = Annotated[
    str | None,
    option(DATA, "--target", "-t", metavar="COLUMN", help="The column to predict: name, number, or -1 for the last."),
]
Header = Annotated[
    bool | None,
    option(READ, "--header/--no-header", default="recognised", help="Whether the first line names the columns."),
]
Encoding = Annotated[
    str | None,
    option(READ, "--encoding", metavar="NAME", default="utf-8", help="The encoding of text, such as latin-1."),
]
Separator = Annotated[
    str | None,
    option(READ, "--separator", metavar="CHAR", default="recognised", help="What separates columns: a sign, or tab."),
]
Format = Annotated[
    str | None,
    option(READ, "--format", metavar="NAME", default="recognised", help="The format, such as csv or libsvm."),
]
NaValues = Annotated[
    list[str] | None,
    option(READ, "--na-values", metavar="WORDS", default="NA, N/A, ?, null, None, NaN", help="What means missing."),
]
ZeroBased = Annotated[
    bool, option(READ, "--zero-based", help="The features of LIBSVM files count from 0 (from 1 otherwise).")
]


def reading(
    header: bool | None, encoding: str | None, separator: str | None, format: str | None, na_values: list[str] | None,
    zero_based: bool,
) -> ReadOptions:  # fmt: skip
    """The options about reading, put together."""
    from rosenblatt.verbs.options import read_options

    return read_options(
        format=format, header=header, encoding=encoding, separator=separator, na_values=na_values, zero_based=zero_based
    )


Missing = Annotated[
    str,
    option(
        DATA, "--missing", metavar="POLICY", default=True,
        help="Missing values: error, median, or indicator (median, and a feature that marks them).",
    ),
]  # fmt: skip
Text = Annotated[
    str, option(DATA, "--text", metavar="HOW", default=True, help="Columns of text: tfidf, hashed, drop, or auto.")
]
Weights = Annotated[
    str | None, option(DATA, "--weights", metavar="COLUMN", help="A column with the weight of each row.")
]
Drop = Annotated[
    list[str] | None, option(DATA, "--drop", metavar="COLUMNS", help="Columns to leave out, with commas between them.")
]
Keep = Annotated[
    list[str] | None,
    option(DATA, "--keep", metavar="COLUMNS", help="Columns to use although they look like names or numbers of rows."),
]
Positive = Annotated[
    str | None, option(TEST, "--positive", metavar="CLASS", help="The class that precision and recall are about.")
]
Seed = Annotated[
    int, option(TEST, "--seed", metavar="NUMBER", default=True, help="The same seed gives the same model.")
]
Json = Annotated[bool, option(OUTPUT, "--json", help="Print one JSON object, for scripts.")]
Quiet = Annotated[bool, option(OUTPUT, "--quiet", "-q", help="Print no progress and no notes.")]
Top = Annotated[int, option(OUTPUT, "--top", metavar="N", default=True, help="How many features to show.")]
To = Annotated[
    str | None,
    option(OUTPUT, "--to", metavar="NAME", default="by the ending", help="The format to write, such as parquet."),
]
TimeLimit = Annotated[
    float | None, option(PROOF, "--time-limit", metavar="SECONDS", help="Stop looking then, with what is proven.")
]


def _learners(incomplete: str) -> list[tuple[str, str]]:
    return [(name, learner.told) for name, learner in LEARNERS.items() if name.startswith(incomplete)]


_USUAL: list[str] = [name for name, learner in LEARNERS.items() if learner.usual]
_COMPLETE: Callable[[str], list[tuple[str, str]]] = _learners
LearnerName = Annotated[
    str | None,
    option(
        MODEL, "--learner", "-l", metavar="NAME", default="averaged", autocompletion=_COMPLETE,
        help=f"One of {', '.join(_USUAL)}; also {', '.join(name for name in LEARNERS if name not in _USUAL)}.",
    ),
]  # fmt: skip
