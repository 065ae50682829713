"""Prefetching: ask for a cache line before it is read, without waiting for it."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from rosenblatt.engine.compile.simd import INT32, pointer_to

AHEAD = 4  # rows, in loops that prefetch a whole row at once


def _prefetch(context: Any, builder: Any, signature: Any, arguments: Any, nearness: int) -> Any:
    """Ask for a cache line: `nearness` 3 is the first level of caches, 2 the second."""
    pointer = pointer_to(context, builder, signature.args[0], arguments[0], arguments[1])
    byte = ir.IntType(8).as_pointer()
    kind = ir.FunctionType(ir.VoidType(), [byte, INT32, INT32, INT32])
    function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
    read, level, data = (ir.Constant(INT32, n) for n in (0, nearness, 1))
    builder.call(function, [builder.bitcast(pointer, byte), read, level, data])
    return context.get_dummy_value()


@intrinsic
def prefetch(typing: Any, array: Any, offset: Any) -> Any:
    """Ask for the cache line of a flat `offset` to be brought near, to the second level, without waiting for it."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _prefetch(context, builder, signature, arguments, 2)

    return types.void(array, types.uintp), build


@intrinsic
def prefetch_close(typing: Any, array: Any, offset: Any) -> Any:
    """As `prefetch`, to the first level: for what is near already and used next."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _prefetch(context, builder, signature, arguments, 3)

    return types.void(array, types.uintp), build
