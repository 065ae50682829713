"""What a command does first: it begins to read its file, and imports what it needs meanwhile.

Importing scikit-learn takes longer than most files take to read. Most of that time goes into modules that no command
uses: pandas, where it is installed, `scipy.stats`, `scipy.interpolate` with `scipy.optimize`, rich's progress bars,
and parts of numpy that SciPy makes a copy of.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any

from rosenblatt.digests import digest_later
from rosenblatt.loading import collector_at_rest

if TYPE_CHECKING:
    from rosenblatt.sources import Source

#: Imported when something of them is used.
LATER = ("asyncio", "numpy.ctypeslib", "numpy.f2py", "numpy.polynomial", "numpy.testing", "scipy.stats")
ABSENT = ("pandas", "rich.progress")  # what scikit-learn does without where it is not installed
#: Modules of scikit-learn's that stand behind others, and what these others have of them.
BEHIND = {"sklearn.preprocessing._polynomial": ("PolynomialFeatures", "SplineTransformer")}
LARGE = 2**25  # bytes of a file, from which reading begins before the command is understood
SPINNING = "4"  # 2**4 turns; 2**26 unless it is said
SWITCHING = 0.0005  # seconds after which a thread that imports lets another one go on


class _Later(ModuleType):
    """Stands for a module until something of it is asked for."""

    def __getattr__(self, name: str) -> Any:
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(importlib.import_module(self.__name__), name)


def import_scikit_learn() -> None:
    """Import scikit-learn, but not what it has no need of in a command."""
    if "sklearn" in sys.modules:
        return
    for name in LATER:
        _stand_in(name)
    absent = [name for name in ABSENT if name not in sys.modules]
    try:
        sys.modules.update(dict.fromkeys(absent))  # type: ignore[arg-type]  # None: there is no such module
        for name, parts in BEHIND.items():
            sys.modules[name] = ModuleType(name)
            vars(sys.modules[name]).update(dict.fromkeys(parts))
        import sklearn.base
        import sklearn.pipeline  # noqa: F401
    finally:
        for name in (*absent, *BEHIND):
            del sys.modules[name]
        for name in BEHIND:
            _import_on_demand(name)


def _stand_in(name: str) -> None:
    spec = None if name in sys.modules else importlib.util.find_spec(name)
    if spec is None:
        return
    module = importlib.util.module_from_spec(spec)
    module.__class__ = _Later
    if hasattr(module, "__path__"):
        del module.__path__  # whoever imports a part of it needs the whole
    sys.modules[name] = module
    package, _, part = name.rpartition(".")
    if package:
        setattr(sys.modules[package], part, module)


def _import_on_demand(name: str) -> None:
    """Let a package have what is in one of its modules from the moment on that somebody asks for it."""
    package = sys.modules.get(name.rpartition(".")[0])
    if package is None:
        return
    for part in BEHIND[name]:
        vars(package).pop(part, None)

    def found(part: str) -> Any:
        if part not in BEHIND[name]:
            raise AttributeError(f"module {package.__name__!r} has no attribute {part!r}")
        value = getattr(importlib.import_module(name), part)
        setattr(package, part, value)
        return value

    package.__getattr__ = found  # type: ignore[method-assign]


_begun: Source | None = None


def begin_early(arguments: Sequence[str]) -> None:
    """Begin to read the file of `train FILE --...` where it is large; what does not look like that can wait."""
    global _begun
    first, *others = [*arguments, "-"]
    understood = first[:1] != "-" and others[0][:1] == "-" and not any(map(_about_reading, others))
    if understood and os.path.isfile(first) and os.path.getsize(first) >= LARGE:
        # BLAS has its threads spin for a while after they are made and after every product, on a core that is needed.
        os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", SPINNING)
        with collector_at_rest():
            digesting = digest_later([first])  # first of all: it needs nothing that must be imported
            source: Any = begin_to_read([first], format=None, header=None, encoding=None)
        if not isinstance(source, list):
            source.digesting = digesting
            _begun = source


def _about_reading(argument: str) -> bool:
    """Whether an option may change how, or whether, the file is read."""
    return argument.startswith(
        ("--form", "--head", "--no-h", "--enc", "--sep", "--zero", "--one", "--str", "--help", "-h", "--test")
    )


def begin_to_read(
    data: Sequence[str],
    *,
    format: str | None,
    header: bool | None,
    encoding: str | None,
    separator: str | None = None,
    zero_based: bool | None = None,
) -> Source | Sequence[str]:
    """The files, opened and being read on another thread; as they are, where that must wait.

    What is wrong with them is said later, in its turn.
    """
    global _begun
    begun, _begun = _begun, None
    asked = format, header, encoding, separator, zero_based
    if begun is not None and list(data) == list(begun.paths) and asked == (None,) * 5:
        return begun
    from rosenblatt.sources import open_source
    from rosenblatt.sources.paths import is_elsewhere
    from rosenblatt.verbs.memory import too_large

    # What is elsewhere is copied once, by who reads it; these two are understood by what is imported later.
    if separator is not None or zero_based is not None or any(map(is_elsewhere, data)):
        return data
    try:
        source = open_source(data, format=format, header=header, encoding=encoding or "utf-8")
        if source.kind == "matrix" or too_large(source):
            return data
    except (ValueError, OSError):
        return data
    sys.setswitchinterval(SWITCHING)
    source.begin()
    return source
