"""From a plain Python rule to a compiled loop that is cached on disk and notices every edit.

numba caches a function under the values that it closes over, pickled. A rule is therefore handed over as a copy that
lives in this module under a name made from its fingerprint (`fingerprint.py`). Pickled by that name it has the same key
in every process, also when it was written in a script, a notebook or a REPL; after an edit, to it or to a constant that
it reads, it has another. An edit of the engine's own sources empties the cache.
"""

from __future__ import annotations

import builtins
import functools
import hashlib
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numba
from numba.core.errors import NumbaError, UnsupportedBytecodeError
from numba.extending import register_jitable

from rosenblatt.engine.compile.fingerprint import fingerprint as fingerprint
from rosenblatt.engine.compile.fingerprint import plain, reads
from rosenblatt.engine.compile.fingerprint import reads_argument as reads_argument
from rosenblatt.engine.compile.numba_private import PIPELINES_KNOWN, LoopCompiler, PartCompiler, with_safe_cache

# What the compiler may assume: a product and a sum may be fused. Not that sums may be reordered, nor that
# there are no NaNs: a diverging run must be seen.
FLAGS: dict[str, Any] = {"fastmath": {"contract"}, "boundscheck": False, "error_model": "numpy", "_nrt": False}
LOOP: dict[str, Any] = {}
PART: dict[str, Any] = {}
if PIPELINES_KNOWN:
    LOOP, PART = {"pipeline_class": LoopCompiler}, {"pipeline_class": PartCompiler, "no_cfunc_wrapper": True}

Function = Callable[..., Any]


@functools.cache
def engine_digest() -> str:
    """A digest of the engine's sources, so that no loop outlives an edit of a function that it calls."""
    digest = hashlib.sha256(numba.__version__.encode())
    for path in sorted(Path(__file__).parents[1].rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


engine_digest()  # now, while the sources are the ones that were imported


def part(function: Any) -> Any:
    """Let compiled code call this plain function, as a part of itself: no call is left in the machine code."""
    return register_jitable(forceinline=True, **PART, **FLAGS)(function)


def named_copy(function: Any) -> Any:
    """A copy of the function that pickles under its fingerprint, and can be called from compiled code.

    The functions that it calls are replaced by such copies too: nothing in the cache may refer to a module of the
    user's, which another process may not have.
    """
    function = plain(function)
    name = f"rule_{fingerprint(function)}"
    found = globals().get(name)
    if found is not None:
        return found
    scope: dict[str, Any] = {"__builtins__": function.__globals__.get("__builtins__", builtins), "__name__": __name__}
    cells = tuple(types.CellType() for _ in function.__closure__ or ())
    copy = types.FunctionType(function.__code__, scope, name, function.__defaults__, cells)
    copy.__kwdefaults__ = function.__kwdefaults__
    copy.__module__, copy.__qualname__ = __name__, name
    globals()[name] = copy  # before its own parts are copied: a function may call itself
    for read, value in reads(function):
        if read in function.__globals__ and "." not in read:
            scope[read] = _own(value)
    for cell, original in zip(cells, function.__closure__ or (), strict=True):
        cell.cell_contents = _own(original.cell_contents)
    return part(copy)


def _own(value: Any) -> Any:
    """The value, or a named copy of a function that the user has written."""
    value = plain(value)
    if not isinstance(value, types.FunctionType):
        return value
    if (value.__module__ or "").split(".")[0] in ("numpy", "numba", "math"):  # code that was run may have no module
        return value
    return named_copy(value)


def adopt(function: Any, key: str) -> Any:
    """Let a function that was made inside another pickle under a name made from `key`."""
    name = f"made_{hashlib.sha256(key.encode()).hexdigest()[:24]}"
    function.__module__, function.__qualname__ = __name__, name
    globals()[name] = function
    return function


def jit(function: Function | None = None, *, alone: bool = False, any_order: bool = False) -> Any:
    """Compile on first use, and cache the machine code on disk wherever there is a folder to write to. A decorator.

    `alone`: keep the GIL, which calls of a fraction of a microsecond need not release.
    `any_order`: sums may be reordered, which lets the compiler use vector instructions.
    """
    if function is None:
        return functools.partial(jit, alone=alone, any_order=any_order)
    flags = FLAGS | {"fastmath": {"contract", "reassoc"}} if any_order else FLAGS
    options = {"nogil": not alone, **LOOP, **flags}
    try:
        return with_safe_cache(numba.njit(cache=True, **options)(function), engine_digest())
    except (RuntimeError, AttributeError):  # no folder to write to; another numba, with other names
        return numba.njit(**options)(function)


@contextmanager
def explained(function: Any, n_parameters: int) -> Iterator[None]:
    """Say in a sentence what of a user's function could not be compiled."""
    try:
        yield
    except (NumbaError, UnsupportedBytecodeError) as error:
        name = getattr(plain(function), "__name__", "rule")
        raise ValueError(
            f"{name} must be made of what numba compiles (numbers, comparisons, tuples, functions of math and numpy), "
            f"but it is not: {_reason(function, n_parameters) or _telling_line(error)}; write it with these."
        ) from None


def _reason(function: Any, n_parameters: int) -> str:
    """What numba says of the rule by itself, which tells more than what it says of the loop around it."""
    try:
        numba.njit((numba.float64, numba.float64, numba.int64, numba.typeof((0.0,) * n_parameters)))(plain(function))
    except Exception as error:
        return _telling_line(error)
    return ""


def _telling_line(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    told = [line for line in lines if not line.startswith("Failed in ")] or ["no reason given"]
    first = next((line for line in told if "Error: " in line), told[0])
    return first[:200].split(" Raised from")[0].rstrip(".")
