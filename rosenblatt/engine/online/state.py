"""K half-spaces in training, as arrays that the compiled loops change in place.

Half-space k is w_k = scale_k · v_k with an unscaled bias b_k. Shrinking w multiplies the scale and leaves v
alone. The sum of the weights after every example, which averaging needs, is kept lazily:

    sum_t w_t  =  reach · v - lag,     reach = sum_t scale_t,     lag += reach_before · change_of_v

and reach itself too, as REACH + (SEEN - MARK) · SCALE, so an example without an update costs one addition.
`lag` has the dtype of v; before its numbers outgrow a float32 they are added to `total`, a float64.

There are two layouts of v and lag. "rows", for dense data: (K, d), each half-space contiguous. "columns", for sparse
data: the half-spaces in blocks of one SIMD vector each, and in a block the weights of one feature side by side, so that
one non-zero meets all half-spaces of a block in one cache line. The last block may be narrower, a vector of 4 or 8.
The array has the shape (all lanes, d, 1), block after block in memory; a single half-space is (1, d, 1).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.stored import MOST, array, checked, choice, mapping, maybe

Array = npt.NDArray[Any]

# The columns of the ledger: what is known of a half-space besides its vector. Each has 128 bytes of its own, so that
# threads that train neighbouring half-spaces never write to the same cache line.
(
    BIAS, BIAS_LAG, SCALE, REACH, MARK, SEEN, UPDATES, SCORE,
    CHANGE, LAGGED, MISTAKES, BIAS_BEFORE, BOUND, LAG_BOUND, UNCHECKED,
) = range(15)  # fmt: skip
STORED_COLUMNS = {  # those that a model file keeps; the others live within one example
    "bias": BIAS, "bias_lag": BIAS_LAG, "scale": SCALE, "reach": REACH, "mark": MARK, "seen": SEEN, "updates": UPDATES,
    "mistakes": MISTAKES, "bound": BOUND, "lag_bound": LAG_BOUND,
}  # fmt: skip
LEDGER_COLUMNS = 16  # one is free
VECTOR_BYTES = 64
NOWHERE = 2.0**32  # the code of a named feature that has no weight (see `single`)
SAFE = 1e37  # numbers up to here stay finite through one more addition of their like, in float32 and in float64
SETTLE_AFTER = 2**20  # examples


def aligned_zeros(shape: tuple[int, ...], dtype: npt.DTypeLike) -> Array:
    """An array of zeros that starts at a cache line."""
    kind = np.dtype(dtype)
    size = math.prod(shape) * kind.itemsize
    raw = np.zeros(size + VECTOR_BYTES, np.uint8)
    start = -raw.ctypes.data % VECTOR_BYTES
    return raw[start : start + size].view(kind).reshape(shape)


def weight_dtype(rows_dtype: npt.DTypeLike) -> np.dtype[Any]:
    """float64 for float64 rows, float32 for float32 and uint8 rows."""
    return np.dtype(np.float64 if np.dtype(rows_dtype) == np.float64 else np.float32)


class HalfSpaces:
    """`count` half-spaces over `n_features` features, all zero.

    Without `averages` they can be evaluated, but not trained.
    """

    def __init__(
        self, count: int, n_features: int, dtype: npt.DTypeLike, layout: str, *, averages: bool = True
    ) -> None:
        self.count = count
        self.n_features = n_features
        self.layout = layout
        self.dtype = np.dtype(dtype)
        shape = self._shape(count, n_features)
        self.vectors = aligned_zeros(shape, self.dtype)
        self.lag = aligned_zeros(shape if averages else (0,) * len(shape), self.dtype)
        self.ledger = aligned_zeros((self._padded(max(count, 2)), LEDGER_COLUMNS), np.float64)
        self.ledger[:, SCALE] = 1.0
        self.total: Array | None = None

    @property
    def _lanes(self) -> int:
        return VECTOR_BYTES // self.dtype.itemsize

    def _padded(self, count: int) -> int:
        return -(-count // self._lanes) * self._lanes

    def _shape(self, count: int, n_features: int) -> tuple[int, ...]:
        if self.layout == "rows":
            return count, n_features
        whole = count // self._lanes * self._lanes
        last = 1 if count == 1 else min(width for width in (0, 4, 8, 16) if width >= count - whole)
        return whole + last, n_features, 1

    @property
    def arrays(self) -> tuple[Array, Array, Array]:
        return self.vectors, self.lag, self.ledger

    def _blocks(self, array: Array) -> list[Array]:
        """Views of a "columns" array, (d, lanes) each."""
        flat, (total, width) = array.reshape(-1), array.shape[:2]
        return [
            flat[start * width : min(start + self._lanes, total) * width].reshape(width, -1)
            for start in range(0, total if width else 0, self._lanes)
        ]

    def _read(self, array: Array) -> Array:
        """The array as (K, d)."""
        if self.layout == "rows":
            return array
        blocks = self._blocks(array)
        if len(blocks) == 1:
            return blocks[0].T[: self.count]
        result = np.empty((self.count, self.n_features), array.dtype)
        start = 0
        for block in blocks:
            result[start : start + block.shape[1]] = block.T[: self.count - start]
            start += block.shape[1]
        return result

    def _write(self, array: Array, values: Array) -> None:
        """Put (k, d') values at the beginning of the array."""
        count, width = values.shape
        if self.layout == "rows":
            array[:count, :width] = values
            return
        start = 0
        for block in self._blocks(array):
            part = values[start : start + block.shape[1]]
            block[:width, : len(part)] = part.T
            start += block.shape[1]

    def to_state(self) -> dict[str, Any]:
        """For a model file: (K, d) weights and sums without padding, and the ledger's columns by name."""
        state = {
            "layout": self.layout,
            "vectors": np.ascontiguousarray(self._read(self.vectors)),
            "ledger": {name: self.ledger[: max(self.count, 1), column] for name, column in STORED_COLUMNS.items()},
        }
        if self.lag.shape == self.vectors.shape:
            state["lag"] = np.ascontiguousarray(self._read(self.lag))
        return state if self.total is None else state | {"total": self.total}

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> HalfSpaces:
        weights = array("f", "count", "features")
        kinds = {"layout": choice("rows", "columns"), "vectors": weights, "lag": maybe(weights),
                 "total": maybe(weights), "ledger": mapping(choice(*STORED_COLUMNS), array("f", "rows"))}  # fmt: skip
        sizes = checked("HalfSpaces", state, kinds)
        vectors, ledger, lag, total = state["vectors"], state["ledger"], state.get("lag"), state.get("total")
        rows = max(sizes["count"], 1)
        if vectors.dtype not in (np.float32, np.float64) or (lag is not None and lag.dtype != vectors.dtype):
            raise ValueError("HalfSpaces: the weights are neither float32 nor float64")
        if set(ledger) != set(STORED_COLUMNS) or any(len(column) != rows for column in ledger.values()):
            raise ValueError("HalfSpaces: the ledger does not have a row for each half-space")
        for name in ("mark", "seen", "updates", "mistakes"):
            if not ((ledger[name] >= 0) & (ledger[name] < MOST)).all():
                raise ValueError(f"HalfSpaces: {name} is not a number of examples")
        result = cls(sizes["count"], sizes["features"], vectors.dtype, state["layout"], averages=lag is not None)
        result._write(result.vectors, vectors)
        if lag is not None:
            result._write(result.lag, lag)
        for name, column in STORED_COLUMNS.items():
            result.ledger[:rows, column] = ledger[name]
        result.total = None if total is None else total.astype(np.float64)
        return result

    @property
    def seen(self) -> int:
        """How many examples the half-spaces have seen."""
        return int(self.ledger[: self.count, SEEN].max(initial=0.0))

    @property
    def updates(self) -> int:
        return int(self.ledger[: self.count, UPDATES].sum())

    @property
    def mistakes(self) -> int:
        """Mistakes met while learning one example at a time."""
        return int(self.ledger[0, MISTAKES])

    @mistakes.setter
    def mistakes(self, number: int) -> None:
        self.ledger[:, MISTAKES] = 0.0
        self.ledger[0, MISTAKES] = number

    def last(self) -> tuple[Array, Array]:
        """The weights as they are now: (K, d) and (K,)."""
        ledger = self.ledger[: self.count]
        scale = ledger[:, SCALE, None].astype(self.dtype)
        coefficients = np.ascontiguousarray(self._read(self.vectors) * scale)
        return coefficients, ledger[:, BIAS].astype(self.dtype)

    def _reach(self) -> Array:
        ledger = self.ledger[: self.count]
        return ledger[:, REACH] + (ledger[:, SEEN] - ledger[:, MARK]) * ledger[:, SCALE]

    def _unsettled(self) -> Array:
        return self._reach()[:, None] * self._read(self.vectors) - self._read(self.lag)

    def settle(self) -> None:
        """Add the sums of the weights to `total`, in float64, before float32 loses digits of them."""
        if self.dtype == np.float32 and (self._reach() > SETTLE_AFTER).any():
            settled = self._unsettled()
            self.total = settled.astype(np.float64) if self.total is None else self.total + settled
            self.lag[:] = 0
            self.ledger[: self.count, REACH] = 0.0
            self.ledger[: self.count, MARK] = self.ledger[: self.count, SEEN]

    def averaged(self) -> tuple[Array, Array]:
        """The mean of the weights after each example seen; zeros before the first."""
        ledger = self.ledger[: self.count]
        seen = np.maximum(ledger[:, SEEN], 1.0)
        total = self._unsettled() if self.total is None else self._unsettled() + self.total
        coefficients = np.ascontiguousarray((total / seen[:, None]).astype(self.dtype))
        bias = (ledger[:, SEEN] * ledger[:, BIAS] - ledger[:, BIAS_LAG]) / seen
        return coefficients, bias.astype(self.dtype)

    def norm(self) -> float:
        """The Euclidean length of all weights and biases together; not finite once anything overflowed."""
        from rosenblatt.engine.online.norm import sum_of_squares

        bias, scale = self.ledger[: self.count, BIAS], self.ledger[: self.count, SCALE]
        with np.errstate(over="ignore", invalid="ignore"):
            squares = float(bias @ bias)
            if (scale == 1.0).all():
                squares += sum_of_squares(self.vectors.reshape(-1))
            else:
                weights = self._read(self.vectors).astype(np.float64)
                squares += float(np.einsum("kj,kj,k->", weights, weights, scale**2))
            if math.isfinite(squares):
                return math.sqrt(squares)
            weights, bias = (part.astype(np.float64) for part in self.last())  # a float64 square overflows at 1e154
            largest = max(np.abs(weights).max(initial=0.0), np.abs(bias).max(initial=0.0))
            return float(largest * np.hypot(np.linalg.norm(weights / largest), np.linalg.norm(bias / largest)))

    def copy(self, *, averages: bool = True) -> HalfSpaces:
        """A copy; without `averages` it can be evaluated, but not trained."""
        result = HalfSpaces(self.count, self.n_features, self.dtype, self.layout, averages=averages)
        result.copy_from(self)
        return result

    def copy_from(self, other: HalfSpaces) -> None:
        """Copy the weights of a state of the same shape, and the sums for its averages where there is room for them."""
        np.copyto(self.vectors, other.vectors)
        np.copyto(self.ledger, other.ledger)
        if self.lag.size:
            np.copyto(self.lag, other.lag)
            self.total = None if other.total is None else other.total.copy()

    def select(self, sources: Sequence[int], signs: Sequence[float]) -> HalfSpaces:
        """New half-spaces, the n-th a copy of number `sources[n]`, turned around where its sign is -1.

        By symmetry a half-space that was told the opposite of every label is the opposite, bit for bit. Source -1 is a
        half-space of zero weights that has seen as many examples as the others.
        """
        known = self.with_fresh(1)
        if self.count:
            known.ledger[self.count, [SEEN, SCALE, REACH, MARK]] = self.ledger[0, [SEEN, SCALE, REACH, MARK]]
        chosen = [self.count if source < 0 else source for source in sources]
        result = HalfSpaces(len(chosen), self.n_features, self.dtype, self.layout)
        turn = np.asarray(signs, np.float64)
        for old, new in ((known.vectors, result.vectors), (known.lag, result.lag)):
            taken = known._read(old)[chosen]
            # 0 - x rather than -x: no negative zeros, which a half-space trained on its own would not have.
            result._write(new, np.where(turn[:, None] < 0, 0.0 - taken, taken))
        result.ledger[: len(chosen)] = known.ledger[chosen]
        result.mistakes = self.mistakes
        for column in (BIAS, BIAS_LAG):
            values = result.ledger[: len(chosen), column]
            values[turn < 0] = 0.0 - values[turn < 0]
        if known.total is not None:
            taken = known.total[chosen]
            result.total = np.where(turn[:, None] < 0, 0.0 - taken, taken)
        return result

    def with_fresh(self, count: int) -> HalfSpaces:
        """These half-spaces and `count` more that are zero."""
        result = HalfSpaces(self.count + count, self.n_features, self.dtype, self.layout)
        for mine, new in ((self.vectors, result.vectors), (self.lag, result.lag)):
            result._write(new, self._read(mine))
        result.ledger[: self.count] = self.ledger[: self.count]
        if self.total is not None:
            result.total = np.concatenate([self.total, np.zeros((count, self.n_features))])
        return result

    def set_weights(self, coefficients: Array, bias: Array) -> None:
        """Start from these weights instead of zero."""
        self._write(self.vectors, coefficients)
        self.ledger[: self.count, BIAS] = bias
        self.ledger[: self.count, BOUND] = np.abs(coefficients).max(axis=1)

    def arranged(self, layout: str, dtype: npt.DTypeLike, n_features: int | None = None) -> HalfSpaces:
        """The same half-spaces in another layout or dtype, with more or fewer features; itself if nothing differs."""
        width = self.n_features if n_features is None else n_features
        if (layout, np.dtype(dtype), width) == (self.layout, self.dtype, self.n_features):
            return self
        result = HalfSpaces(self.count, width, dtype, layout)
        result._write(result.vectors, self._read(self.vectors)[:, :width])
        result._write(result.lag, self._read(self.lag)[:, :width])
        result.ledger[: self.count] = self.ledger[: self.count]
        if self.total is not None:
            result.total = np.zeros((self.count, width))
            result.total[:, : self.n_features] = self.total[:, :width]
        return result
