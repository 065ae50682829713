"""`separable`: whether a hyperplane separates the classes of a file, with a proof."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from rosenblatt.certificates.certify import CertifiedModel
from rosenblatt.certificates.fewest import FewestErrors, fewest_errors
from rosenblatt.certificates.reading import read_rows
from rosenblatt.certificates.results import NotSeparable, Separable, Undecided
from rosenblatt.certificates.table import SeparabilityTable
from rosenblatt.features.column import GUESSED, KEPT, keep_option, notes_on
from rosenblatt.features.column_figures import holds_numbers
from rosenblatt.features.columns import ColumnEncoder
from rosenblatt.sources import ReadOptions
from rosenblatt.verbs.errors import InputError, UsageError, check_number, reading, writing
from rosenblatt.verbs.examples import Examples, open_data, read_examples
from rosenblatt.verbs.gaps import fill_gaps
from rosenblatt.verbs.options import check_columns_policy
from rosenblatt.verbs.outputs import check_outputs, files_of
from rosenblatt.verbs.pipelines import in_the_file
from rosenblatt.verbs.tables import column_names
from rosenblatt.wording import shortened

TOLERANCE = 0.01  # share of the largest margin that the proven one may lack


@dataclass(frozen=True, eq=False)
class Proof:
    """A verdict on the rows of a file.

    Attributes
    ----------
    verdict : "separable", "not separable", "undecided"; with several classes "separable" if every question is;
        "certified" for a file that is about a model
    result : the certificate, or a table of them, see `rosenblatt.separability`
    features : the names of the features, which columns of text and categories were turned into
    intercept : whether the verdict is about any hyperplane; if not, it is about those through the origin
    verified : whether the proof was checked again in exact arithmetic, and what came of it; of a table, every proof
    path : where the certificate was written to, or read from
    left_out : columns that the verdict is not about, which are no numbers, and why
    """

    verdict: str
    result: Any
    data: str
    target: str | None
    features: list[str]
    verified: bool | None = None
    reason: str = ""
    path: str | None = None
    notes: list[str] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)
    places: Any = None  # of the rows in the file, from 0; None where they are all of them

    @property
    def intercept(self) -> bool | None:
        """Whether the verdict is about any hyperplane, or only about those through the origin; None without one."""
        if self.result is None:
            return None
        question = self.result if isinstance(self.result, SeparabilityTable) else self.result.about
        return bool(question.intercept)

    @property
    def witness_rows(self) -> list[int]:
        """The rows of the file that prove a no, counted from 1 as everywhere on the command line."""
        return self._in_the_file(getattr(self.result, "rows", ()))

    @property
    def wrong_rows(self) -> list[int]:
        """The rows of the file that the best hyperplane, or the model, has wrong, counted from 1."""
        return self._in_the_file(getattr(self.result, "wrong", ()))

    def _in_the_file(self, rows: Any) -> list[int]:
        return [1 + int(row if self.places is None else self.places[row]) for row in rows]

    def to_dict(self) -> dict[str, Any]:
        result = self.result
        found: dict[str, Any] = {"verdict": self.verdict, "intercept": self.intercept, "certificate": self.path}
        found |= {key: getattr(self, key) for key in ("left_out", "data", "target", "verified", "notes")}
        if isinstance(result, SeparabilityTable):
            return found | {"classes": result.classes, "questions": result.records()}
        if isinstance(result, Separable):
            weights = dict(zip(self.features, result.normal.tolist(), strict=True))
            found |= {key: getattr(result, key) for key in ("margin", "margin_upper", "mistake_bound")}
            return found | {"hyperplane": {"weights": weights, "offset": result.offset}}
        if isinstance(result, NotSeparable):
            return found | {"witness_rows": self.witness_rows}
        if isinstance(result, FewestErrors):
            return found | {"fewest_errors": {"lower": result.lower, "upper": result.upper, "rows": self.wrong_rows}}
        if isinstance(result, CertifiedModel):
            return found | {"errors": result.errors, "margin": result.margin, "rows": self.wrong_rows}
        return found | {"reason": self.reason or getattr(result, "reason", "")}


def separable(
    data: str | Sequence[str],
    target: str | int | None = None,
    *,
    intercept: bool = True,
    time_limit: float | None = None,
    tolerance: float | None = None,
    fewest: bool = False,
    certificate: str | None = None,
    verify: str | None = None,
    missing: str = "error",
    text: str = "auto",
    drop: Sequence[str] = (),
    keep: Sequence[str] = (),
    reading_options: ReadOptions | None = None,
    verbose: int = 0,
) -> Proof:
    """Decide whether a hyperplane separates the classes of a file, and prove it.

    Parameters
    ----------
    data, target, drop, reading_options : as for `train`
    keep : columns of text to use although they look like names of the rows; numbers are never left out
    intercept : whether the hyperplane may leave the origin; a certificate to check must answer the same question
    time_limit : seconds, after which the verdict may be "undecided"
    tolerance : how close to the largest margin the margin must be proven, 0.01 when not given
    fewest : enclose the fewest errors of any hyperplane instead, for two classes, in 10 seconds or `time_limit`
    certificate : where to write the proof, a JSON file
    verify : a certificate to check against the data instead of looking for a new one
    missing, text : how columns become numbers, see `ColumnEncoder`; numbers stay as they are

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> path = Path(tempfile.mkdtemp()) / "and.csv"
    >>> _ = path.write_text("a,b,both\\n0,0,no\\n0,1,no\\n1,0,no\\n1,1,yes\\n")
    >>> separable(str(path), "both").result
    Separable ('yes' against 'no', 4 x 2)
      margin         0.353553, the largest to the last digit
      support        3 rows
      theorem        R' = 1.73205, gamma' = 0.242536: at most 51 mistakes
    """
    looking = {"--tolerance": tolerance, "--time-limit": time_limit, "--certificate": certificate}
    for option, value in (looking | {"--fewest-errors": fewest or None}).items():
        if value is not None and verify is not None:
            raise UsageError(f"{option} is about the search for a proof, and --verify checks one; leave one out.")
    if fewest and tolerance is not None:
        raise UsageError("--tolerance is about margins, which --fewest-errors does not look for; leave one out.")
    check_columns_policy(missing, text)
    check_number("--time-limit", time_limit, 0, above=True)
    check_number("--tolerance", tolerance, 0, 1, above=True)
    check_outputs({"The certificate": certificate}, files_of(data, verify))
    found = read_examples(open_data(data, reading_options), target, drop=drop, keep=keep)
    rows, features, left_out = _numbers(found, missing, text)
    common: dict[str, Any] = {"data": found.name, "target": found.target, "features": features, "notes": found.notes}
    common |= {"left_out": left_out, "places": found.places}
    if verify is not None:
        return _verified(verify, rows, found, intercept, common)
    from rosenblatt.certificates.separability import separability

    with reading(found.name):
        close = TOLERANCE if tolerance is None else tolerance
        if fewest:
            result = fewest_errors(rows, found.labels(), intercept, 10.0 if time_limit is None else time_limit)
        else:
            result = separability(rows, found.labels(), intercept, time_limit, tolerance=close, verbose=verbose)
    if certificate is not None:
        if isinstance(result, Undecided) or (isinstance(result, SeparabilityTable) and not result.proofs):
            raise InputError("There is no proof to write: every question is undecided; give it more time.")
        with writing(certificate):
            result.save(certificate)
    return Proof(_verdict(result), result, path=certificate, **common)


def _verdict(result: Any) -> str:
    if isinstance(result, FewestErrors):
        return "separable" if not result.upper else "not separable" if result.lower else "undecided"
    if isinstance(result, CertifiedModel):
        return "certified"
    if not isinstance(result, SeparabilityTable):
        return str(result.verdict)
    verdicts = {part.verdict for _, part in result}
    return next((name for name in ("not separable", "undecided") if name in verdicts), "separable")


def _numbers(found: Examples, missing: str, text: str) -> tuple[Any, list[str], dict[str, str]]:
    """Rows of numbers that are not scaled, since a margin is in the units of the data; columns that are left out.

    A proof is about the columns that are given, so that no number is left out for what it looks like.
    """
    if not found.is_frame:
        rows, filled = fill_gaps(found.rows, "error" if missing == "error" else "median", found.name)
        found.notes.extend(filled)
        return rows, column_names(rows.shape[1], found.zero_based), {}
    encoder = ColumnEncoder(text=text, missing=missing, scale=None, dtype="float64")
    with reading(found.name), in_the_file(found):
        numbers = [column.name for column in found.rows if holds_numbers(column, encoder.max_categories)]
        encoder.set_params(kinds=dict.fromkeys([*numbers, *found.keep], KEPT))
        rows = encoder.fit_transform(found.rows)
        rows = _not_rounded(found.rows, rows, [str(name) for name in encoder.get_feature_names_out()])
    left_out = {
        column.name: f"{column.why}; {keep_option(column.name)} keeps it" if column.reason in GUESSED else column.why
        for column in encoder.columns_
        if column.kind == "dropped"
    }
    found.notes.extend(notes_on([column for column in encoder.columns_ if column.kind != "dropped"], keep_option))
    return rows, [str(name) for name in encoder.get_feature_names_out()], left_out


def _not_rounded(frame: Any, rows: Any, features: list[str]) -> Any:
    """The rows as encoded, unless float64 rounded whole numbers above 2^53: then the columns as they were read."""
    whole = [column for column in frame if column.dtype.is_integer() and column.name in features]
    if not any(column.cast(float).cast(column.dtype, strict=False).ne_missing(column).any() for column in whole):
        return rows
    if not set(features) <= set(frame.columns):
        raise InputError(
            f"A proof is about the numbers of the file, but the column {shortened(whole[0].name)} has whole numbers "
            f"above 2^53, which columns made of text cannot stand beside; drop that column, or the columns of text."
        )
    return read_rows(frame.select(features))


def _verified(path: str, rows: Any, found: Examples, intercept: bool, common: dict[str, Any]) -> Proof:
    from rosenblatt.certificates.files import load_certificate
    from rosenblatt.certificates.verify import CertificateError

    try:
        with reading(path):
            result = load_certificate(path, rows, found.labels())
    except InputError as error:
        if not isinstance(error.__cause__, CertificateError):
            raise
        return Proof("not verified", None, verified=False, reason=str(error), path=path, **common)
    proof = Proof(_verdict(result), result, verified=True, path=path, **common)
    if proof.intercept != intercept:
        proven = "any hyperplane" if proof.intercept else "hyperplanes through the origin only"
        mend = "leave --no-intercept out" if proof.intercept else "add --no-intercept"
        raise UsageError(f"{path} is about {proven}; {mend} to verify it.")
    return proof
