"""What two threads need to talk to each other in the middle of a compiled loop, without a lock.

Numbers stand in arrays of int64. A write that is *published* is seen only together with everything written before it;
a read that *looks* sees everything that was written before what it finds.
"""

from __future__ import annotations

import platform
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from rosenblatt.engine.compile.simd import pointer_to

WORD = 8  # bytes


@intrinsic
def look(typing: Any, array: Any, offset: Any) -> Any:
    """array[offset] as it is now."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = pointer_to(context, builder, signature.args[0], *arguments)
        return builder.load_atomic(pointer, "acquire", WORD)

    return types.int64(array, types.uintp), build


@intrinsic
def publish(typing: Any, array: Any, offset: Any, value: Any) -> Any:
    """array[offset] = value, after everything that was written before."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = pointer_to(context, builder, signature.args[0], arguments[0], arguments[1])
        builder.store_atomic(arguments[2], pointer, "release", WORD)
        return context.get_dummy_value()

    return types.void(array, types.uintp, types.int64), build


@intrinsic
def advance(typing: Any, array: Any, offset: Any) -> Any:
    """array[offset] += 1, with nothing written earlier put off and nothing written later done before."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = pointer_to(context, builder, signature.args[0], *arguments)
        builder.atomic_rmw("add", pointer, ir.Constant(ir.IntType(64), 1), "seq_cst")
        return context.get_dummy_value()

    return types.void(array, types.uintp), build


@intrinsic
def finish_reading(typing: Any) -> Any:
    """What was read before is read before anything that is read later."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        builder.fence("acquire")
        return context.get_dummy_value()

    return types.void(), build


@intrinsic
def rest_a_moment(typing: Any) -> Any:
    """Tell the processor that this thread only waits, where it can be told."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        machine = platform.machine().lower()
        void, int32 = ir.VoidType(), ir.IntType(32)
        if machine in ("x86_64", "amd64"):
            kind = ir.FunctionType(void, [])
            builder.call(cgutils.get_or_insert_function(builder.module, kind, "llvm.x86.sse2.pause"), [])
        elif machine in ("arm64", "aarch64"):
            kind = ir.FunctionType(void, [int32])
            hint = cgutils.get_or_insert_function(builder.module, kind, "llvm.aarch64.hint")
            builder.call(hint, [ir.Constant(int32, 1)])
        return context.get_dummy_value()

    return types.void(), build
