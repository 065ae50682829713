"""What `train` was asked to do, as frozen values that are checked once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rosenblatt.sources import ReadOptions
from rosenblatt.sources.formats import FORMATS
from rosenblatt.verbs.errors import UsageError, check_choice, check_number
from rosenblatt.verbs.learners import DEFAULT, LEARNERS, learner_named, make_learner, read_settings
from rosenblatt.wording import listed, shortened

SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t", "space": " ", "bar": "|", r"\t": "\t"}
HOLDOUT = 0.2
LARGEST_HOLDOUT = 0.95  # so that something is left to learn from
SEEDS = 2**32 - 1  # the largest, as in NumPy
SEARCHED = "passive-aggressive"  # what a search takes when no learner is named
MISSING, TEXT = ("error", "median", "indicator"), ("auto", "tfidf", "hashed", "drop")


def read_options(
    *,
    format: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    separator: str | None = None,
    na_values: Sequence[str] | None = None,
    zero_based: bool | None = None,
) -> ReadOptions:
    """Options of the command line about reading.

    Examples
    --------
    >>> read_options(separator="tab").separator
    '\\t'
    """
    if format is not None:
        check_choice("--format", format, FORMATS)
    sign = None if separator is None else SEPARATORS.get(separator.casefold(), separator)
    if sign is not None and (len(sign) != 1 or sign in '"\r\n' or not sign.isascii()):
        raise UsageError(
            f"--separator must be one character, or one of {listed(SEPARATORS)}, but got {shortened(separator)}."
        )
    words = None if not na_values else tuple(word for text in na_values for word in text.split(","))
    try:
        return ReadOptions(format, header, sign, encoding or "utf-8", words, zero_based=bool(zero_based))
    except ValueError as error:
        raise UsageError(f"--{error}") from None


def check_columns_policy(missing: str, text: str) -> None:
    """Refuse what `ColumnEncoder` does not know, before anything is read."""
    check_choice("--missing", missing, MISSING)
    check_choice("--text", text, TEXT)


@dataclass(frozen=True)
class TrainOptions:
    """What to learn, from which columns, and how it is tested.

    Attributes
    ----------
    learner : a key of `rosenblatt.verbs.learners.LEARNERS`, or the name of a class of ours
    settings : parameters of the learner, as a mapping or as texts "name=value"
    time_limit : the most seconds for learning, and as many for testing
    search : try several values of the learner's main parameter by cross-validation on the training rows
    compare : test every learner with its usual settings
    advise : try other learners on a sample of the rows, to say what to try next
    scale : bring columns to one scale, but for bytes and sparse rows
    test, holdout, cv : test on the rows of another file, on a share of the rows that is held out (0.2 unless told
        otherwise), or by cross-validation
    time, group : columns by which rows are held out: the latest ones, or whole groups
    seed : of the split and of the learner
    positive : the class that precision and recall are about
    missing : "error", "median" or "indicator", see `ColumnEncoder`
    text : "auto", "tfidf", "hashed" or "drop", see `ColumnEncoder`
    stream : learn in passes over the file instead of holding it in memory; None does so when it might not fit
    weights, drop : the column with the weights of the rows; columns to leave out
    keep : columns to learn from although they look like numbers or names of the rows
    top : how many features to name
    """

    learner: str | None = None
    settings: Mapping[str, Any] | Sequence[str] = ()
    time_limit: float | None = None
    search: bool = False
    compare: bool = False
    advise: bool = False
    scale: bool = True
    test: str | Sequence[str] | None = None
    holdout: float | None = None
    cv: int | None = None
    time: str | None = None
    group: str | None = None
    seed: int = 0
    positive: Any = None
    missing: str = "median"
    text: str = "auto"
    stream: bool | None = None
    weights: str | None = None
    drop: Sequence[str] = ()
    keep: Sequence[str] = ()
    top: int = 10
    name: str = field(default="", init=False)
    given: Mapping[str, Any] = field(default_factory=dict, init=False)  # the settings, read

    def __post_init__(self) -> None:
        check_number("--time-limit", self.time_limit, 0, above=True)
        check_number("--holdout", self.holdout, 0, LARGEST_HOLDOUT)
        check_number("--cv", self.cv, 2)
        check_number("--seed", self.seed, 0, SEEDS)
        check_number("--top", self.top, 1)
        check_columns_policy(self.missing, self.text)
        ways = {"--test": self.test, "--holdout": self.holdout, "--cv": self.cv}
        asked = [option for option, value in ways.items() if value is not None]
        if len(asked) > 1:
            raise UsageError(f"A model is tested in one way, but {' and '.join(asked)} were given.")
        columns = [option for option, value in (("--time", self.time), ("--group", self.group)) if value is not None]
        if len(columns) > 1 or (columns and self.test is not None) or (self.time is not None and self.cv is not None):
            raise UsageError(f"{columns[0]} cannot be combined with {(asked + columns[1:])[-1]}.")
        known, learner = learner_named((SEARCHED if self.search else DEFAULT) if self.learner is None else self.learner)
        if self.search and not learner.grid:
            able = [each for each, other in LEARNERS.items() if other.grid]
            raise UsageError(f"The learner {known} has nothing to search for; use one of {listed(able)}.")
        settings = self.settings
        given = dict(settings) if isinstance(settings, Mapping) else read_settings(known, settings)
        if self.numbers and self.positive is not None:
            raise UsageError(f"--positive names a class, but the learner {known} predicts numbers.")
        object.__setattr__(self, "name", known)
        object.__setattr__(self, "given", given)
        if given:
            make_learner(known, given)

    @property
    def numbers(self) -> bool:
        """Whether numbers are predicted, and not classes."""
        return LEARNERS[learner_named(self.learner or DEFAULT)[0]].kind == "numbers"

    @property
    def share(self) -> float:
        """Of the rows, how many are held out."""
        return HOLDOUT if self.holdout is None else self.holdout

    def check_in_passes(self) -> None:
        """Refuse what needs all rows in memory."""
        if self.numbers:
            raise UsageError("Least squares needs all rows in memory, which --stream does not have; use --no-stream.")
        for name in ("search", "cv", "holdout", "positive", "time", "group", "compare"):
            if getattr(self, name) not in (None, False):
                raise UsageError(f"--{name} needs all rows in memory, which --stream does not have; use --no-stream.")
