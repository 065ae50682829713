"""Options that several verbs share."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from rosenblatt.verbs.learners import LEARNERS

DATA = "The data"
MODEL = "The model"
TEST = "How it is tested"
OUTPUT = "What comes out"
PROOF = "The proof"
ANSWER = "One answer, explained"

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
Target = Annotated[
    str | None,
    typer.Option(
        "--target",
        "-t",
        metavar="COLUMN",
        rich_help_panel=DATA,
        show_default=False,
        help="The column to predict: its name, its number, or -1 for the last one.",
    ),
]
Header = Annotated[
    bool | None,
    typer.Option(
        "--header/--no-header",
        rich_help_panel=DATA,
        show_default="recognised",
        help="Whether the first line names the columns.",
    ),
]
Encoding = Annotated[
    str | None,
    typer.Option(
        "--encoding",
        metavar="NAME",
        rich_help_panel=DATA,
        show_default="utf-8",
        help="How text is encoded, such as latin-1.",
    ),
]
Separator = Annotated[
    str | None,
    typer.Option(
        "--separator",
        metavar="CHAR",
        rich_help_panel=DATA,
        show_default="recognised",
        help="What parts the columns of a text table: one character, or tab.",
    ),
]
Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="NAME",
        rich_help_panel=DATA,
        show_default="by the ending",
        help="The format of the data: csv, tsv, parquet, arrow, jsonl, keel, libsvm, vw, idx, npy, npz.",
    ),
]


def _zero_based(default: str) -> Any:
    return typer.Option(
        "--zero-based/--one-based",
        rich_help_panel=DATA,
        show_default=default,
        help="Whether the first feature of LIBSVM files is number 0, or 1.",
    )


ZeroBased = Annotated[bool | None, _zero_based("--one-based")]
ZeroBasedForModel = Annotated[bool | None, _zero_based("as in training")]
ZeroBasedWithModel = Annotated[bool | None, _zero_based("as in training with a model, otherwise --one-based")]
Missing = Annotated[
    str,
    typer.Option(
        "--missing",
        metavar="POLICY",
        rich_help_panel=DATA,
        help="Missing values: error, median, or indicator (median, and a feature that says so).",
    ),
]
Text = Annotated[
    str,
    typer.Option(
        "--text",
        metavar="HOW",
        rich_help_panel=DATA,
        help="Columns of text: tfidf, hashed, drop, or auto, which takes one of the first two.",
    ),
]
Weights = Annotated[
    str | None,
    typer.Option(
        "--weights",
        metavar="COLUMN",
        rich_help_panel=DATA,
        show_default=False,
        help="A column with the weight of each row.",
    ),
]
Drop = Annotated[
    list[str] | None,
    typer.Option(
        "--drop",
        metavar="COLUMNS",
        rich_help_panel=DATA,
        show_default=False,
        help="Columns to leave out, with commas between them; may be given several times.",
    ),
]
Keep = Annotated[
    list[str] | None,
    typer.Option(
        "--keep",
        metavar="COLUMNS",
        rich_help_panel=DATA,
        show_default=False,
        help="Columns to use although they look like names or numbers of the rows; written as for --drop.",
    ),
]
Positive = Annotated[
    str | None,
    typer.Option(
        "--positive",
        metavar="CLASS",
        rich_help_panel=TEST,
        show_default=False,
        help="The class that is looked for, of two: precision and recall are about it.",
    ),
]
Seed = Annotated[
    int, typer.Option("--seed", metavar="NUMBER", rich_help_panel=TEST, help="The same seed gives the same model.")
]
Json = Annotated[bool, typer.Option("--json", rich_help_panel=OUTPUT, help="Print one JSON object, for scripts.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", rich_help_panel=OUTPUT, help="Print no progress and no remarks.")]


def _learners(incomplete: str) -> list[tuple[str, str]]:
    return [(name, learner.told) for name, learner in LEARNERS.items() if name.startswith(incomplete)]


LearnerName = Annotated[
    str | None,
    typer.Option(
        "--learner",
        "-l",
        metavar="NAME",
        rich_help_panel=MODEL,
        autocompletion=_learners,
        show_default="averaged",
        help=f"One of {', '.join(LEARNERS)}.",
    ),
]

To = Annotated[
    str | None,
    typer.Option(
        "--to",
        metavar="NAME",
        rich_help_panel=OUTPUT,
        show_default="by the ending",
        help="The format to write: csv, tsv, parquet, arrow, jsonl, libsvm, npz.",
    ),
]
Top = Annotated[int, typer.Option("--top", metavar="N", rich_help_panel=OUTPUT, help="How many features to show.")]
TimeLimit = Annotated[
    float | None,
    typer.Option(
        "--time-limit",
        metavar="SECONDS",
        rich_help_panel=PROOF,
        show_default=False,
        help="Stop looking then, with what is proven.",
    ),
]
