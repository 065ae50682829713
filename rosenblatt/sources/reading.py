"""How files are read, where that should not be found out."""

from __future__ import annotations

from dataclasses import dataclass

from rosenblatt.arguments import shortened, whole_number

from .dialect import MISSING

MOST_COLUMNS = 2**62  # that sparse rows can count


@dataclass(frozen=True)
class ReadOptions:
    """How files are read; None is found out.

    Attributes
    ----------
    format : str, optional
        One of the names in `FORMATS`.
    header : bool, optional
        Whether the first line of a text table has the names of the columns. When not given: a first line with a value
        that comes again in its column is a row, and so is one with numbers, unless these count 0, 1, 2 or years.
    separator : str, optional
        What stands between the columns of a text table.
    encoding : str
        Of text. A byte order mark of UTF-16 or UTF-32 is recognised without it.
    na_values : tuple of str, optional
        Words that mean "missing" in a text table, beside empty cells. When not given: NA, N/A, ?, null, None, NaN and
        the like, in all columns but the labels, if these are words.
    n_features, zero_based
        Of LIBSVM files, as in `read_libsvm`.
    """

    format: str | None = None
    header: bool | None = None
    separator: str | None = None
    encoding: str = "utf-8"
    na_values: tuple[str, ...] | None = None
    n_features: int | None = None
    zero_based: bool = False

    @property
    def missing(self) -> tuple[str, ...]:
        """The cells of a text table that mean "missing"."""
        return MISSING if self.na_values is None else ("", *self.na_values)

    def __post_init__(self) -> None:
        from .formats import FORMATS

        if self.format is not None and (not isinstance(self.format, str) or self.format not in FORMATS):
            raise ValueError(f"format must be one of {', '.join(FORMATS)}, but got {shortened(self.format)}.")
        sign = self.separator
        if sign is not None and not (
            isinstance(sign, str) and len(sign) == 1 and sign.isascii() and sign not in '"\r\n'
        ):
            raise ValueError(f"separator must be one ASCII character, such as ';', but got {shortened(sign)}.")
        try:
            "".encode(self.encoding)
        except (LookupError, TypeError, ValueError) as error:
            raise ValueError(
                f"encoding must be one that Python knows, such as 'latin-1', but got {shortened(self.encoding)}."
            ) from error
        if self.encoding.lower().replace("_", "-") in ("utf-8", "utf8", "utf-8-sig"):
            object.__setattr__(self, "encoding", "utf-8")
        if self.na_values is not None:
            if isinstance(self.na_values, str) or not all(isinstance(word, str) for word in self.na_values):
                raise ValueError(f"na_values must be several texts, but got {shortened(self.na_values)}.")
            object.__setattr__(self, "na_values", tuple(self.na_values))
        if self.n_features is not None:
            whole_number("n_features", self.n_features, 1, "it counts columns of LIBSVM text", most=MOST_COLUMNS)
        for name in ("header", "zero_based"):
            value = getattr(self, name)
            if not (isinstance(value, bool) or (name == "header" and value is None)):
                raise ValueError(f"{name} must be True or False, but got {shortened(value)}.")
