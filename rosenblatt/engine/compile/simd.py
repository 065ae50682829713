"""Vectors of 64 bytes or less, for sums whose order of additions is written down rather than left to the compiler.

A compiler that may reorder a sum chooses another order for every loop it is in; then the same half-space
gets other last bits when it is trained beside four others than when it is trained alone. Here every dot
product adds in one fixed order, so the bits of a half-space depend on nothing but its rows, and the loops
still run at the width of the machine. On a narrower machine one vector becomes several registers.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.datamodel import models
from numba.core.errors import RequireLiteralValue
from numba.extending import intrinsic, register_model
from numba.np.arrayobj import make_array

BYTES = 64
INT32, INT64 = ir.IntType(32), ir.IntType(64)


class Vector(types.Type):
    """`lanes` floats side by side."""

    def __init__(self, dtype: Any, lanes: int | None = None) -> None:
        self.dtype = dtype
        self.lanes = lanes or BYTES * 8 // dtype.bitwidth
        super().__init__(name=f"Vector({dtype}, {self.lanes})")


@register_model(Vector)
class VectorModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, vector: Any) -> None:
        element = ir.FloatType() if vector.dtype == types.float32 else ir.DoubleType()
        super().__init__(manager, vector, ir.VectorType(element, vector.lanes))


def vector_like(like: Any) -> Vector:
    """The vector type itself, or the widest one of an array's floats."""
    return like if isinstance(like, Vector) else Vector(like.dtype)


def pointer_to(context: Any, builder: Any, array_type: Any, array: Any, offset: Any) -> Any:
    """To the number at a flat offset of an array, while code is being made."""
    data = make_array(array_type)(context, builder, array).data
    return builder.gep(data, [offset])


def _read(context: Any, builder: Any, array_type: Any, array: Any, offset: Any, vector: Any) -> Any:
    """`vector.lanes` elements of the array from a flat offset, converted to the vector's floats."""
    pointer = pointer_to(context, builder, array_type, array, offset)
    stored = ir.VectorType(context.get_data_type(array_type.dtype), vector.lanes)
    value = builder.load(builder.bitcast(pointer, stored.as_pointer()), align=array_type.dtype.bitwidth // 8)
    target = context.get_value_type(vector)
    if array_type.dtype == vector.dtype:
        return value
    if isinstance(array_type.dtype, types.Integer):
        return builder.uitofp(value, target)
    narrower = array_type.dtype.bitwidth < vector.dtype.bitwidth
    return builder.fpext(value, target) if narrower else builder.fptrunc(value, target)


def _place(builder: Any, start: Any, step: Any, n: int) -> Any:
    return builder.add(start, builder.mul(step, ir.Constant(step.type, n)))


def _write_double(context: Any, builder: Any, kind: Any, array: Any, place: Any, value: Any) -> None:
    if isinstance(value.type, ir.FloatType):
        value = builder.fpext(value, ir.DoubleType())
    builder.store(value, pointer_to(context, builder, kind, array, _place(builder, *place)))


def _fused(builder: Any, a: Any, x: Any, w: Any) -> Any:
    """a + x·w, in one rounding where the machine has such an instruction: the same choice everywhere."""
    kind = a.type
    element = kind.element if isinstance(kind, ir.VectorType) else kind
    width = "f32" if isinstance(element, ir.FloatType) else "f64"
    lanes = f"v{kind.count}" if isinstance(kind, ir.VectorType) else ""
    signature = ir.FunctionType(kind, [kind, kind, kind])
    function = cgutils.get_or_insert_function(builder.module, signature, f"llvm.fmuladd.{lanes}{width}")
    return builder.call(function, [x, w, a])


def _in_halves(builder: Any, vector: Any, combine: Any) -> Any:
    """One number from all lanes: the lower half combined with the upper one, and so on."""
    lanes = vector.type.count
    while lanes > 1:
        lanes //= 2
        halves = []
        for start in (0, lanes):
            mask = ir.Constant(ir.VectorType(INT32, lanes), list(range(start, start + lanes)))
            halves.append(builder.shuffle_vector(vector, ir.Constant(vector.type, ir.Undefined), mask))
        vector = combine(*halves)
    return builder.extract_element(vector, ir.Constant(INT32, 0))


@intrinsic
def zero(typing: Any, like: Any) -> Any:
    """A vector of zeros in the dtype of the array `like`."""
    vector = Vector(like.dtype)

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return ir.Constant(context.get_value_type(vector), None)

    return vector(like), build


@intrinsic
def zero_lanes(typing: Any, like: Any, lanes: Any) -> Any:
    """A vector of `lanes` zeros, a constant, in the dtype of the array `like`."""
    if not isinstance(lanes, types.IntegerLiteral):
        raise RequireLiteralValue("lanes must be a constant")
    vector = Vector(like.dtype, lanes.literal_value)

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return ir.Constant(context.get_value_type(vector), None)

    return vector(like, lanes), build


@intrinsic
def load(typing: Any, array: Any, offset: Any, like: Any) -> Any:
    """The elements of `array` from a flat `offset`, in the dtype of the array or vector `like`."""
    vector = vector_like(like)

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _read(context, builder, signature.args[0], arguments[0], arguments[1], vector)

    return vector(array, types.uintp, like), build


@intrinsic
def store(typing: Any, array: Any, offset: Any, vector: Any) -> Any:
    """Write the vector into `array` from a flat `offset`."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array_type = signature.args[0]
        pointer = pointer_to(context, builder, array_type, arguments[0], arguments[1])
        target = builder.bitcast(pointer, arguments[2].type.as_pointer())
        builder.store(arguments[2], target, align=array_type.dtype.bitwidth // 8)
        return context.get_dummy_value()

    return types.void(array, types.uintp, vector), build


@intrinsic
def repeat(typing: Any, scalar: Any, like: Any) -> Any:
    """A vector that holds `scalar` in every lane."""
    vector = vector_like(like)

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = context.get_value_type(vector)
        one = builder.insert_element(ir.Constant(kind, ir.Undefined), arguments[0], ir.Constant(INT32, 0))
        mask = ir.Constant(ir.VectorType(INT32, vector.lanes), [0] * vector.lanes)
        return builder.shuffle_vector(one, ir.Constant(kind, ir.Undefined), mask)

    return vector(vector.dtype, like), build


@intrinsic
def add(typing: Any, a: Any, b: Any) -> Any:
    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.fadd(*arguments)

    return a(a, b), build


@intrinsic
def fused(typing: Any, a: Any, x: Any, w: Any) -> Any:
    """a + x·w, for three vectors or three floats of one dtype."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _fused(builder, *arguments)

    return a(a, a, a), build


@intrinsic
def largest(typing: Any, a: Any, b: Any) -> Any:
    """In every lane the larger of a and |b|."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        left, right = arguments
        kind = left.type
        width = "f32" if isinstance(kind.element, ir.FloatType) else "f64"
        name = f"llvm.fabs.v{kind.count}{width}"
        size = builder.call(
            cgutils.get_or_insert_function(builder.module, ir.FunctionType(kind, [kind]), name), [right]
        )
        return builder.select(builder.fcmp_unordered(">", size, left), size, left)

    return a(a, b), build


@intrinsic
def top(typing: Any, vector: Any) -> Any:
    """The largest lane."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        def larger(left: Any, right: Any) -> Any:
            return builder.select(builder.fcmp_unordered(">", left, right), left, right)

        return _in_halves(builder, arguments[0], larger)

    return vector.dtype(vector), build


@intrinsic
def total(typing: Any, vector: Any) -> Any:
    """The sum of the lanes."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _in_halves(builder, arguments[0], builder.fadd)

    return vector.dtype(vector), build


@intrinsic
def zeros(typing: Any, like: Any, count: Any) -> Any:
    """A tuple of `count` vectors of zeros; `count` is a constant."""
    if not isinstance(count, types.IntegerLiteral):
        raise RequireLiteralValue("count must be a constant")
    bundle = types.containers.UniTuple(Vector(like.dtype), count.literal_value)

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return ir.Constant(context.get_value_type(bundle), None)

    return bundle(like, count), build


@intrinsic
def accumulate(typing: Any, bundle: Any, x: Any, weights: Any, offset: Any, stride: Any) -> Any:
    """bundle[n] + x·weights[offset + n·stride : …] for every vector n of the bundle."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        sums, vector, array, start, step = arguments
        for n in range(bundle.count):
            place = _place(builder, start, step, n)
            w = _read(context, builder, signature.args[2], array, place, bundle.dtype)
            sums = builder.insert_value(sums, _fused(builder, builder.extract_value(sums, n), vector, w), n)
        return sums

    return bundle(bundle, x, weights, types.uintp, types.uintp), build


@intrinsic
def store_totals(typing: Any, a: Any, b: Any, out: Any, offset: Any, stride: Any) -> Any:
    """out[offset + n·stride] = the sum of the lanes of a[n] + b[n], in float64."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        left, right, array, start, step = arguments
        for n in range(a.count):
            pair = builder.fadd(builder.extract_value(left, n), builder.extract_value(right, n))
            _write_double(
                context, builder, signature.args[2], array, (start, step, n), _in_halves(builder, pair, builder.fadd)
            )
        return context.get_dummy_value()

    return types.void(a, b, out, types.uintp, types.uintp), build


@intrinsic
def store_sums(typing: Any, a: Any, b: Any, out: Any, offset: Any, stride: Any) -> Any:
    """Write the vectors a[n] + b[n] into `out` from offset + n·stride on."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        left, right, array, start, step = arguments
        kind = signature.args[2]
        for n in range(a.count):
            pair = builder.fadd(builder.extract_value(left, n), builder.extract_value(right, n))
            pointer = pointer_to(context, builder, kind, array, _place(builder, start, step, n))
            builder.store(pair, builder.bitcast(pointer, pair.type.as_pointer()), align=kind.dtype.bitwidth // 8)
        return context.get_dummy_value()

    return types.void(a, b, out, types.uintp, types.uintp), build


@intrinsic
def scatter(typing: Any, vector: Any, out: Any, offset: Any, stride: Any) -> Any:
    """out[offset + n·stride] = lane n, in float64."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        value, array, start, step = arguments
        for n in range(vector.lanes):
            lane = builder.extract_element(value, ir.Constant(INT32, n))
            _write_double(context, builder, signature.args[1], array, (start, step, n), lane)
        return context.get_dummy_value()

    return types.void(vector, out, types.uintp, types.uintp), build


@intrinsic
def gather(typing: Any, array: Any, offset: Any, stride: Any, like: Any) -> Any:
    """A vector as `like` with array[offset + n·stride] in lane n; `array` is float64."""
    vector = vector_like(like)

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        values, start, step, _ = arguments
        kind = context.get_value_type(vector)
        result = ir.Constant(kind, ir.Undefined)
        for n in range(vector.lanes):
            lane = builder.load(
                pointer_to(context, builder, signature.args[0], values, _place(builder, start, step, n))
            )
            if vector.dtype == types.float32:
                lane = builder.fptrunc(lane, ir.FloatType())
            result = builder.insert_element(result, lane, ir.Constant(INT32, n))
        return result

    return vector(array, types.uintp, types.uintp, like), build


@intrinsic
def lane(typing: Any, vector: Any, n: Any) -> Any:
    """Lane number `n`, a constant."""
    if not isinstance(n, types.IntegerLiteral):
        raise RequireLiteralValue("n must be a constant")

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.extract_element(arguments[0], ir.Constant(INT32, n.literal_value))

    return vector.dtype(vector, n), build


@intrinsic
def per_vector(typing: Any, array: Any) -> Any:
    """How many numbers of an array are in a vector or a cache line, 64 bytes both.

    Known when the loop is compiled. `array.itemsize` is a field that is read when it runs: dividing by it took a
    quarter of the time of a short row.
    """

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return ir.Constant(ir.IntType(64), BYTES * 8 // array.dtype.bitwidth)

    return types.uint64(array), build
