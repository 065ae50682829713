"""Columns of a table by name or number: which is the target, which has weights, which are dropped or kept."""

from __future__ import annotations

from collections.abc import Sequence

from rosenblatt.verbs.errors import UsageError
from rosenblatt.wording import listed, shortened


def find_column(columns: Sequence[str], wanted: str | int, where: str, what: str) -> str:
    """A column by its name, by its number from 1, or by -1 for the last.

    Examples
    --------
    >>> find_column(["a", "b", "c"], "-1", "x.csv", "The target"), find_column(["a", "b"], 1, "x.csv", "The target")
    ('c', 'a')
    >>> find_column(["age", "species"], "specis", "x.csv", "The target")
    Traceback (most recent call last):
    rosenblatt.verbs.errors.UsageError: The target must be a column of x.csv, but ... 'specis'; did you mean 'species'?
    """
    from rosenblatt.features import target

    try:
        return target.find_column(columns, wanted, where, what)
    except ValueError as error:
        raise UsageError(str(error)) from None


def no_target(columns: Sequence[str], where: str) -> UsageError:
    """What to say where nobody has named the target.

    Examples
    --------
    >>> print(no_target(["age", "species"], "x.csv"))
    The target must be named with --target, but none came; x.csv has the columns age, species (-1 is the last).
    """
    return UsageError(
        f"The target must be named with --target, but none came; {where} has the columns {listed(columns, 20)} "
        f"(-1 is the last)."
    )


def find_columns(columns: Sequence[str], wanted: Sequence[str], where: str, what: str) -> list[str]:
    """Several columns, with commas between them or one by one.

    Examples
    --------
    >>> find_columns(["a", "b", "c"], ["a,-1", "2"], "x.csv", "A column to drop")
    ['a', 'c', 'b']
    """
    return [
        find_column(columns, name, where, what)
        for text in wanted
        for name in ([text] if text in columns else text.split(","))
    ]


def check_kept(kept: Sequence[str], target: str | None, weights: str | None, away: Sequence[str]) -> None:
    """Refuse to keep a column that is something else already.

    Examples
    --------
    >>> check_kept(["a"], "y", None, ["a"])
    Traceback (most recent call last):
    rosenblatt.verbs.errors.UsageError: A column to keep must be one to learn from, but 'a' was dropped; ...
    """
    roles = [(target, "is the target"), (weights, "has the weights"), *((name, "was dropped") for name in away)]
    for name, role in roles:
        if name is not None and name in kept:
            raise UsageError(
                f"A column to keep must be one to learn from, but {shortened(name)} {role}; leave it out of --keep."
            )


def check_left(
    columns: Sequence[str], target: str | None, weights: str | None, away: Sequence[str], where: str
) -> None:
    """Refuse to drop the target or the weights, and to leave no column to learn from.

    Examples
    --------
    >>> check_left(["a", "y"], "y", None, ["y"], "x.csv")
    Traceback (most recent call last):
    rosenblatt.verbs.errors.UsageError: The target 'y' cannot be dropped; leave it out of --drop, or choose ...
    """
    for what, column in (("target", target), ("weights", weights)):
        if column is not None and column in away:
            raise UsageError(
                f"The {what} {shortened(column)} cannot be dropped; leave it out of --drop, or choose another."
            )
    if target is not None and target == weights:
        raise UsageError(
            f"The weights must be another column than the target, but both are {shortened(target)}; choose one."
        )
    roles = [(target, "is the target"), (weights, "has the weights"), *((name, "was dropped") for name in away)]
    taken = {name: role for name, role in roles if name is not None}
    if all(name in taken for name in columns):
        told = "; ".join(f"{shortened(name)} {taken[name]}" for name in list(columns)[:12])
        raise UsageError(f"There must be a column to learn from, but {where} has none left: {told}; add one.")
