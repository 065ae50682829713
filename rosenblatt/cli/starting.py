"""What a command does first: it begins to read its file, and imports what it needs meanwhile.

Importing scikit-learn takes longer than most files take to read. Half of that time goes into two modules that
`sklearn.utils.fixes` asks for and no command uses: pandas, where it is installed, and `scipy.stats`.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rosenblatt.sources import Source

LATER = ("scipy.stats",)  # imported when something of it is used
ABSENT = ("pandas",)  # what scikit-learn does without where it is not installed
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
        import sklearn.base  # noqa: F401
    finally:
        for name in absent:
            del sys.modules[name]


def _stand_in(name: str) -> None:
    spec = None if name in sys.modules else importlib.util.find_spec(name)
    if spec is None:
        return
    module = importlib.util.module_from_spec(spec)
    module.__class__ = _Later
    del module.__path__  # whoever imports a part of it needs the whole
    sys.modules[name] = module


def begin_to_read(
    data: Sequence[str], *, format: str | None, header: bool | None, encoding: str | None, separator: str | None = None
) -> Source | Sequence[str]:
    """The files, opened and being read on another thread; as they are, where that must wait.

    What is wrong with them is said later, in its turn.
    """
    from rosenblatt.sources import open_source
    from rosenblatt.sources.source import is_elsewhere
    from rosenblatt.verbs.memory import too_large

    # What is elsewhere is copied once, by who reads it; a separator is understood by what is imported later.
    if separator is not None or any(map(is_elsewhere, data)):
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
