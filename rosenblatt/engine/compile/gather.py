"""Vectors whose lanes come from wherever indices say, and those of the end of a sparse row, where fewer are left."""

from __future__ import annotations

import sys
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from rosenblatt.engine.compile.simd import INT32, INT64, Vector, pointer_to, vector_like


def _numbers(context: Any, builder: Any, kind: Any, array: Any, start: Any, lanes: int) -> list[Any]:
    """`lanes` unsigned integers of an array, as places. Those of 32 bits are read in pairs: half as many questions."""
    if kind.dtype.bitwidth != 32 or sys.byteorder != "little":
        places = [builder.add(start, ir.Constant(start.type, n)) for n in range(lanes)]
        numbers = [builder.load(pointer_to(context, builder, kind, array, place)) for place in places]
        return [number if number.type == INT64 else builder.zext(number, INT64) for number in numbers]
    numbers = []
    for n in range(0, lanes, 2):
        place = pointer_to(context, builder, kind, array, builder.add(start, ir.Constant(start.type, n)))
        pair = builder.load(builder.bitcast(place, INT64.as_pointer()), align=4)
        numbers += [builder.zext(builder.trunc(pair, INT32), INT64), builder.lshr(pair, ir.Constant(INT64, 32))]
    return numbers


def _first(context: Any, builder: Any, kind: Any, array: Any, start: Any, count: Any, lanes: int) -> Any:
    """The first `count` of `lanes` elements of an array, and zeros; nothing else is read, and nothing is guessed."""
    element = context.get_data_type(kind.dtype)
    vector, word = ir.VectorType(element, lanes), ir.VectorType(INT64, lanes)
    counts = ir.Constant(word, ir.Undefined)
    for n in range(lanes):
        counts = builder.insert_element(counts, count, ir.Constant(INT32, n))
    wanted = builder.icmp_unsigned("<", ir.Constant(word, list(range(lanes))), counts)
    pointer = builder.bitcast(pointer_to(context, builder, kind, array, start), vector.as_pointer())
    letter = "f" if isinstance(kind.dtype, types.Float) else "i"
    name = f"llvm.masked.load.v{lanes}{letter}{kind.dtype.bitwidth}.p0"
    signature = ir.FunctionType(vector, [vector.as_pointer(), INT32, wanted.type, vector])
    function = cgutils.get_or_insert_function(builder.module, signature, name)
    alignment = ir.Constant(INT32, kind.dtype.bitwidth // 8)
    return builder.call(function, [pointer, alignment, wanted, ir.Constant(vector, None)])


def _pick(context: Any, builder: Any, kind: Any, values: Any, numbers: list[Any], vector: Any) -> Any:
    result = ir.Constant(context.get_value_type(vector), ir.Undefined)
    for n, number in enumerate(numbers):
        value = builder.load(pointer_to(context, builder, kind, values, number))
        result = builder.insert_element(result, value, ir.Constant(INT32, n))
    return result


@intrinsic
def pick(typing: Any, array: Any, places: Any, offset: Any, like: Any) -> Any:
    """A vector as `like` with array[places[offset + n]] in lane n, for flat unsigned places."""
    vector = vector_like(like)

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        numbers = _numbers(context, builder, signature.args[1], arguments[1], arguments[2], vector.lanes)
        return _pick(context, builder, signature.args[0], arguments[0], numbers, vector)

    return vector(array, places, types.uintp, like), build


@intrinsic
def pick_first(typing: Any, array: Any, places: Any, offset: Any, count: Any, like: Any) -> Any:
    """As `pick`, for the first `count` places alone; array[0] in the lanes behind them."""
    vector = vector_like(like)

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        values, numbers, start, number, _ = arguments
        found = _first(context, builder, signature.args[1], numbers, start, number, vector.lanes)
        lanes = [builder.extract_element(found, ir.Constant(INT32, n)) for n in range(vector.lanes)]
        lanes = [each if each.type == INT64 else builder.zext(each, INT64) for each in lanes]
        return _pick(context, builder, signature.args[0], values, lanes, vector)

    return vector(array, places, types.uintp, types.uintp, like), build


@intrinsic
def load_first(typing: Any, array: Any, offset: Any, count: Any, like: Any) -> Any:
    """As `load`, of the first `count` elements alone, in the dtype that they have; zeros in the lanes behind them."""
    vector = Vector(array.dtype, vector_like(like).lanes)

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        values, start, number, _ = arguments
        return _first(context, builder, signature.args[0], values, start, number, vector.lanes)

    return vector(array, types.uintp, types.uintp, like), build
