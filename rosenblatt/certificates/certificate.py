"""A verdict with its proof, and which question it answers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from rosenblatt.certificates import verify as exactly
from rosenblatt.certificates.problem import Problem, digest, read_rows
from rosenblatt.engine.state import Array
from rosenblatt.wording import counted


@dataclass(frozen=True)
class Verification:
    """Whether a certificate holds for some data; true or false by itself, with the reason."""

    holds: bool
    reason: str

    def __bool__(self) -> bool:
        return self.holds


@dataclass(frozen=True)
class About:
    """Which question a certificate answers: the classes, the shape of the data and how to know it again."""

    classes: tuple[Any, Any]
    intercept: bool
    shape: tuple[int, int]
    digest: str
    problem: Problem | None = field(default=None, repr=False, compare=False)

    @staticmethod
    def of(problem: Problem) -> About:
        return About(problem.classes, problem.intercept, (problem.n, problem.d), problem.digest(), problem)

    def read(self, X: Any, y: Any) -> tuple[exactly.Rows, Array]:
        """The rows and signs that the certificate speaks about."""
        X = read_rows(X)
        labels = np.asarray(y)
        if labels.ndim == 2 and labels.shape[1] == 1:
            labels = labels.ravel()
        if X.shape != self.shape or labels.shape != (self.shape[0],):
            raise exactly.CertificateError(
                f"This certificate is about {counted(self.shape[0], 'row')} of {counted(self.shape[1], 'feature')}, "
                f"but X has shape {X.shape} and y {labels.shape}."
            )
        negative, positive = (np.asarray(labels == name) for name in self.classes)
        if negative.shape != labels.shape or positive.shape != labels.shape or not (negative | positive).all():
            raise exactly.CertificateError(f"This certificate is about the classes {self.classes}, but y has others.")
        signs = np.where(positive, 1, -1).astype(np.int8)
        if digest(X, signs) != self.digest:
            raise exactly.CertificateError("The data is not the data that this certificate is about: digests differ.")
        return exactly.Rows(X), signs


class Certificate(ABC):
    """A verdict with its proof."""

    verdict: ClassVar[str]
    about: About

    @abstractmethod
    def check(self, rows: exactly.Rows, signs: Array) -> None:
        """Raise `CertificateError` unless the whole proof holds for these rows."""

    def verify(self, X: Any, y: Any) -> Verification:
        """Check the whole proof in exact arithmetic on these very numbers.

        The answer is true or false by itself, and its `reason` says what failed.
        """
        try:
            rows, signs = self.about.read(X, y)
        except ValueError as error:
            return Verification(False, str(error))
        try:
            self.check(rows, signs)
        except exactly.CertificateError as error:
            return Verification(False, str(error))
        except (ValueError, OverflowError, TypeError, IndexError, ZeroDivisionError) as error:
            return Verification(False, f"The certificate is not made of proper numbers ({error}).")
        return Verification(True, f"{self.verdict}: checked in exact arithmetic on all {self.about.shape[0]:,} rows")

    def save(self, path: Any) -> None:
        """Write the certificate as JSON; `load_certificate` reads and verifies it."""
        from rosenblatt.certificates.files import write

        write(self, path)

    def _title(self) -> str:
        negative, positive = self.about.classes
        through = "" if self.about.intercept else ", hyperplane through the origin"
        return f"{positive!r} against {negative!r}, {self.about.shape[0]:,} x {self.about.shape[1]:,}{through}"

    def _repr_html_(self) -> str:
        return "<pre>" + str(self).replace("&", "&amp;").replace("<", "&lt;") + "</pre>"
