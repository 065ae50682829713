"""Bits of a word: how many are set, which is the lowest, and a word that tells where bytes are not zero."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from rosenblatt.engine.compile.simd import INT32, INT64, pointer_to


@intrinsic
def count_ones(typing: Any, bits: Any) -> Any:
    """How many bits of an unsigned number are set."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), build


@intrinsic
def lowest_one(typing: Any, bits: Any) -> Any:
    """The number of the lowest bit that is set, of an unsigned number that is not zero."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.uint64(types.uint64), build


@intrinsic
def occupied(typing: Any, array: Any, offset: Any) -> Any:
    """A bit for each of eight chunks of 16 bytes from a flat `offset` on: whether it is anything but zeros."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        words = ir.VectorType(INT64, 8)
        start = pointer_to(context, builder, signature.args[0], *arguments)
        start = builder.bitcast(start, words.as_pointer())
        near, far = (builder.load(builder.gep(start, [ir.Constant(INT32, n)]), align=1) for n in range(2))
        halves = []  # of all eight chunks
        for half in range(2):
            mask = ir.Constant(ir.VectorType(INT32, 8), list(range(half, 16, 2)))
            halves.append(builder.shuffle_vector(near, far, mask))
        bits = builder.icmp_unsigned("!=", builder.or_(*halves), ir.Constant(words, None))
        return builder.zext(builder.bitcast(bits, ir.IntType(8)), INT64)

    return types.uint64(array, types.uintp), build
