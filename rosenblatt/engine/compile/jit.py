"""From a plain Python rule to a compiled loop that is cached on disk and notices every edit.

numba caches a function under the values that it closes over, pickled. A rule is therefore handed over as a
copy that lives in this module under a name made from its *fingerprint*: a digest of its bytecode and of
everything it reads (constants, globals, closed-over values, defaults, attributes of modules, and the
functions it calls, and so on). Pickled by that name it has the same key in every process, also when it was
written in a script, a notebook or a REPL; after an edit, to it or to a constant that it reads, it has another.
The engine's own sources are part of every key as well.
"""

from __future__ import annotations

import builtins
import dis
import functools
import hashlib
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from rosenblatt.loading import collector_at_rest

with collector_at_rest():
    import numba
    from numba.core.errors import NumbaError, UnsupportedBytecodeError
    from numba.core.registry import CPUDispatcher
    from numba.extending import register_jitable
# What the compiler may assume: a product and a sum may be fused. Not that sums may be reordered, nor that
# there are no NaNs: a diverging run must be seen.
FLAGS: dict[str, Any] = {"fastmath": {"contract"}, "boundscheck": False, "error_model": "numpy", "_nrt": False}
LOOP: dict[str, Any] = {}
PART: dict[str, Any] = {}
if numba.__version__.startswith("0.68."):  # whose inner ways `parts` knows; with any other, numba's usual way is taken
    from rosenblatt.engine.compile.numba_private import LoopCompiler, PartCompiler

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


def plain(function: Any) -> Any:
    """The Python function behind a function that the user has already compiled with numba."""
    return function.py_func if isinstance(function, CPUDispatcher) else function


def _code_objects(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _code_objects(constant)


def _attributes(name: str, value: Any, names: set[str], known: set[int]) -> Iterator[tuple[str, Any]]:
    """What may be read as name.attribute, name.attribute.attribute and so on, where these are modules."""
    if isinstance(value, types.ModuleType) and id(value) not in known:
        known.add(id(value))
        for attribute in sorted(names & vars(value).keys()):
            inner = getattr(value, attribute)
            yield f"{name}.{attribute}", inner
            yield from _attributes(f"{name}.{attribute}", inner, names, known)


def names_of(function: types.FunctionType) -> set[str]:
    """What the function names that is not its own: globals, what Python has built in, and attributes."""
    return {name for code in _code_objects(function.__code__) for name in code.co_names}


def reads(function: types.FunctionType) -> Iterator[tuple[str, Any]]:
    """What the function reads from outside: names and values."""
    names = names_of(function)
    for name in sorted(names & function.__globals__.keys()):
        value = function.__globals__[name]
        yield name, value
        yield from _attributes(name, value, names, set())
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        yield name, cell.cell_contents


def _describe(value: Any, known: set[int]) -> str:
    """Everything that the compiled form of `value` can depend on, as text."""
    value = plain(value)
    if isinstance(value, types.FunctionType):
        if id(value) in known:
            return value.__qualname__
        known.add(id(value))
        parts = [repr((value.__defaults__, value.__kwdefaults__))]
        for code in _code_objects(value.__code__):
            constants = [c for c in code.co_consts if not isinstance(c, types.CodeType)]
            parts.append(repr((code.co_code, constants, code.co_names, code.co_varnames)))
        parts += [f"{name}={_describe(read, known)}" for name, read in reads(value)]
        return "\n".join(parts)
    if isinstance(value, tuple | list):
        return f"{type(value).__qualname__}({', '.join(_describe(item, known) for item in value)})"
    if isinstance(value, type):
        members = sorted((name, repr(member)) for name, member in vars(value).items() if not name.startswith("__"))
        return f"{value.__qualname__} {members}"
    if isinstance(value, np.ndarray):
        return f"{value.dtype}{value.shape}{hashlib.sha256(value.tobytes()).hexdigest()}"
    if isinstance(value, types.ModuleType | types.BuiltinFunctionType | np.ufunc):
        return f"{value.__name__} {getattr(value, '__version__', '')}"
    return f"{type(value).__qualname__} {value!r}"


def fingerprint(function: Any) -> str:
    """A digest of the function and of everything it reads."""
    text = _describe(function, set())
    return hashlib.sha256(text.encode()).hexdigest()[:24]


def part(function: Any) -> Any:
    """Let compiled code call this plain function, as a part of itself: no call is left in the machine code."""
    return register_jitable(forceinline=True, **PART, **FLAGS)(function)


def reads_argument(function: Any, position: int) -> bool:
    """Whether the function's bytecode reads its argument number `position`."""
    code = plain(function).__code__
    name = code.co_varnames[position]
    for instruction in dis.get_instructions(code):
        read = instruction.argval if isinstance(instruction.argval, tuple) else (instruction.argval,)
        if "LOAD" in instruction.opname and name in read:
            return True
    return False


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


def jit(function: Function, *, alone: bool = False, any_order: bool = False) -> Any:
    """Compile on first use, and keep the machine code on disk wherever there is a folder to write to.

    `alone`: no other Python thread runs meanwhile. A call of a fraction of a microsecond is safe so, and needs no lock.
    `any_order`: sums may be taken in any order, which lets the compiler use whole vectors.
    """
    flags = FLAGS | {"fastmath": {"contract", "reassoc"}} if any_order else FLAGS
    options = {"nogil": not alone, **LOOP, **flags}
    try:
        return _quick_to_load(numba.njit(cache=True, **options)(function))
    except RuntimeError:  # numba found no folder it may write to
        return numba.njit(**options)(function)


def _quick_to_load(function: Any) -> Any:
    """Let kept machine code be loaded without all that numba knows to compile.

    Before it loads anything, numba takes note of every function that it could compile a call of, in a tenth of a
    second. What is loaded is compiled already, and before it compiles numba does the same once more.
    """
    cache: Any = getattr(function, "_cache", None)
    if hasattr(cache, "_load_overload") and hasattr(cache, "_guard_against_spurious_io_errors"):

        def load(signature: Any, target: Any) -> Any:
            try:
                with cache._guard_against_spurious_io_errors():
                    return cache._load_overload(signature, target)
            except Exception:  # a file that was cut or altered, of which pickle may say anything
                cache.flush()  # begins its index anew
                return None

        cache.load_overload = load
    return function


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
