"""The fingerprint of a function: a digest of its bytecode and of everything it reads.

That is constants, globals, closed-over values, defaults, attributes of modules, and the functions it calls, and so on.
Two functions with the same fingerprint compile to the same machine code.
"""

from __future__ import annotations

import dis
import hashlib
import types
from collections.abc import Iterator
from typing import Any

import numpy as np
from numba.core.registry import CPUDispatcher


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


def reads_argument(function: Any, position: int) -> bool:
    """Whether the function's bytecode reads its argument number `position`."""
    code = plain(function).__code__
    name = code.co_varnames[position]
    for instruction in dis.get_instructions(code):
        read = instruction.argval if isinstance(instruction.argval, tuple) else (instruction.argval,)
        if "LOAD" in instruction.opname and name in read:
            return True
    return False
