"""K half-spaces in training, as arrays that the compiled loops change in place.

Half-space k is w_k = scale_k · v_k with an unscaled bias b_k. Shrinking w multiplies the scale and leaves v
alone. The sum of the weights after every example, which averaging needs, is kept lazily:

    sum_t w_t  =  reach · v - lag,     reach = sum_t scale_t,     lag += reach_before · change_of_v

and reach itself too, as REACH + (SEEN - MARK) · SCALE: an example that teaches nothing costs one addition.
`lag` has the dtype of v; before its numbers outgrow a float32 they are settled into `total`, a float64.

Two layouts of v and lag. "rows": (K, d), each half-space contiguous, for dense data. "columns", for sparse data: the
half-spaces in blocks of one vector each, and in a block the weights of one feature side by side, so that one non-zero
meets a block's half-spaces in one cache line. The last block may be narrower, a vector of 4 or 8: what is not there
takes no memory and no time. The array has the shape (all lanes, d, 1), and block after block in its memory; a single
half-space is (1, d, 1).
"""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from rosenblatt.engine.noted_state import Packed
    from rosenblatt.engine.touched_state import TouchedHalfSpaces

Array = npt.NDArray[Any]

# The columns of the ledger: what is known of one half-space besides its vector. A half-space has 128 bytes of
# its own, so that threads that train neighbouring half-spaces never write to the same cache line.
(
    BIAS, BIAS_LAG, SCALE, REACH, MARK, SEEN, UPDATES, SCORE,
    CHANGE, LAGGED, MISTAKES, SCRATCH, BOUND, LAG_BOUND, SIZE, UNSEEN,
) = range(16)  # fmt: skip
LEDGER_COLUMNS = 16
VECTOR_BYTES = 64
# Numbers up to here stay finite through one more addition of their like, in float32 and in float64.
SAFE = 1e37
SETTLE_AFTER = 2**20  # examples
_MAKING = threading.RLock()  # held while weights are made; those of one state may be another's


def aligned_zeros(shape: tuple[int, ...], dtype: npt.DTypeLike) -> Array:
    """An array of zeros that starts at a cache line."""
    kind = np.dtype(dtype)
    size = int(np.prod(shape)) * kind.itemsize
    raw = np.zeros(size + VECTOR_BYTES, np.uint8)
    start = -raw.ctypes.data % VECTOR_BYTES
    return raw[start : start + size].view(kind).reshape(shape)


def weight_dtype(rows_dtype: npt.DTypeLike) -> np.dtype[Any]:
    """float64 for float64 rows, float32 for float32 and uint8 rows."""
    return np.dtype(np.float64 if np.dtype(rows_dtype) == np.float64 else np.float32)


class HalfSpaces:
    """`count` half-spaces over `n_features` features, all zero.

    Without `averages` they can be read and judged, but not trained.
    """

    def __init__(
        self, count: int, n_features: int, dtype: npt.DTypeLike, layout: str, *, averages: bool = True
    ) -> None:
        self.count = count
        self.n_features = n_features
        self.layout = layout
        self.dtype = np.dtype(dtype)
        self.ledger = aligned_zeros((self._padded(max(count, 2)), LEDGER_COLUMNS), np.float64)
        self.ledger[:, SCALE] = 1.0
        self._total: Array | None = None
        self._averages = averages
        # The weights are made when they are first asked for: they may come from elsewhere, or from another owner.
        self._vectors: Array | None = None
        self._lag: Array | None = None
        self._held: TouchedHalfSpaces | Packed | None = None
        self._owner: HalfSpaces | None = None

    def _allocate(self) -> None:
        """Make the weights aside, then show them: other threads may be asking too, and must see whole ones."""
        with _MAKING:
            if self._lag is not None:  # another thread was first
                return
            shape = self._shape(self.count, self.n_features)
            made = HalfSpaces(self.count, self.n_features, self.dtype, self.layout, averages=self._averages)
            made._vectors = aligned_zeros(shape, self.dtype) if self._owner is None else self._owner.vectors
            made._lag = aligned_zeros(shape if self._averages else (0,) * len(shape), self.dtype)
            if self._held is not None:
                self._held.fill(made)
            if made._total is not None:
                self._total = made._total if self._total is None else self._total + made._total
            self._lag, self._vectors = made._lag, made._vectors
            self._held = self._owner = None

    @property
    def vectors(self) -> Array:
        if self._vectors is None:
            self._allocate()
        assert self._vectors is not None
        return self._vectors

    @property
    def lag(self) -> Array:
        if self._lag is None:
            self._allocate()
        assert self._lag is not None
        return self._lag

    @property
    def total(self) -> Array | None:
        if self._held is not None:
            self._allocate()
        return self._total

    @total.setter
    def total(self, total: Array | None) -> None:
        self._total = total

    def __getstate__(self) -> dict[str, Any]:
        if self._vectors is None:
            self._allocate()
        return self.__dict__

    def hold(self, trained: TouchedHalfSpaces | Packed) -> None:
        """Have what was trained elsewhere: the books now, the weights as soon as somebody asks for them."""
        assert self._vectors is None
        self._held, self.ledger, self._total = trained, trained.ledger, trained.total

    def take(self, trained: HalfSpaces) -> None:
        """Have what was trained elsewhere, in the same layout, where it stands."""
        assert self._vectors is None
        self._vectors, self._lag = trained.vectors, trained.lag
        self.ledger, self._total = trained.ledger, trained.total

    def _padded(self, count: int) -> int:
        lanes = VECTOR_BYTES // self.dtype.itemsize
        return -(-count // lanes) * lanes

    def _shape(self, count: int, n_features: int) -> tuple[int, ...]:
        if self.layout == "rows":
            return count, n_features
        lanes = VECTOR_BYTES // self.dtype.itemsize
        whole = count // lanes * lanes
        rest = 1 if count == 1 else min(width for width in (0, 4, 8, 16) if width >= count - whole)
        return whole + rest, n_features, 1

    @property
    def arrays(self) -> tuple[Array, Array, Array]:
        return self.vectors, self.lag, self.ledger

    def reads(self, rows: tuple[Array, ...]) -> tuple[Array, ...]:
        """The rows as a loop takes them that reads them for these half-spaces."""
        return rows

    def _blocks(self, array: Array) -> list[Array]:
        """Views of a "columns" array, (d, lanes) each."""
        lanes, flat = VECTOR_BYTES // self.dtype.itemsize, array.reshape(-1)
        total, width = array.shape[:2]
        return [
            flat[start * width : min(start + lanes, total) * width].reshape(width, -1)
            for start in range(0, total if width else 0, lanes)
        ]

    def places(self, numbers: Array) -> tuple[Array, Array]:
        """Where in the memory of a "columns" array half-spaces begin, and how far apart their weights stand."""
        lanes = VECTOR_BYTES // self.dtype.itemsize
        blocks = numbers // lanes * lanes
        return blocks * self.n_features + numbers - blocks, np.minimum(lanes, self.vectors.shape[0] - blocks)

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

    def stored(self, array: Array) -> Array:
        """Vectors or lag as a model file has them: (K, d), or (blocks, d, lanes) with blocks of full width."""
        if self.layout == "rows" or self.count == 1:
            return array
        result = np.zeros(self.stored_shape(self.count, self.n_features), array.dtype)
        for block, whole in zip(self._blocks(array), result, strict=False):
            whole[:, : block.shape[1]] = block
        return result

    def stored_shape(self, count: int, n_features: int) -> tuple[int, ...]:
        if self.layout == "rows":
            return count, n_features
        lanes = 1 if count == 1 else VECTOR_BYTES // self.dtype.itemsize
        return -(-count // lanes), n_features, lanes

    def restore(self, array: Array, stored: Array) -> None:
        """Fill vectors or lag from what `stored` made of them."""
        if self.layout == "rows" or self.count == 1:
            array[...] = stored
            return
        for block, whole in zip(self._blocks(array), stored, strict=False):
            block[...] = whole[:, : block.shape[1]]

    @property
    def seen(self) -> int:
        """How many examples the half-spaces have seen."""
        return int(self.ledger[: self.count, SEEN].max(initial=0.0))

    @property
    def updates(self) -> int:
        return int(sum(self.ledger[: self.count, UPDATES].tolist()))  # asked for often; see `must_settle`

    @property
    def mistakes(self) -> int:
        """Mistakes met by half-spaces that were taught one example at a time."""
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

    def room_for_total(self, numbers: Array) -> tuple[Array, tuple[Array, Array]]:
        """The settled sums, zeros at first; where those of some half-spaces begin, and how far apart they stand."""
        if self._total is None:
            self._total = np.zeros((self.count, self.n_features))
        return self._total, (np.maximum(numbers, 0) * self.n_features, np.ones_like(numbers))

    def must_settle(self) -> bool:
        if self.dtype != np.float32:
            return False
        # Asked after every stretch, when nothing of numpy is in the cache any more: plain numbers are quicker.
        books = self.ledger[: self.count, SCALE : SEEN + 1].tolist()
        return any(reach + (seen - mark) * scale > SETTLE_AFTER for scale, reach, mark, seen in books)

    def settle(self) -> None:
        """Carry the sum of the weights into float64 when float32 would begin to lose it."""
        if self.must_settle():
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

    def is_fresh(self) -> bool:
        """Whether the half-spaces are as they were made: zero, and nobody has asked for their weights."""
        return self._vectors is None and self._held is None and self._owner is None

    def _numbers(self) -> list[Array]:
        """All numbers of the vectors that may not be zero, in no particular order."""
        return [self.vectors.ravel()]

    def norm(self) -> float:
        """The Euclidean length of all weights and biases together; not finite once anything overflowed."""
        from rosenblatt.engine.online.shuffle import sum_of_squares

        books = self.ledger[: self.count].tolist()  # plain numbers, as in `must_settle`
        bias = sum(book[BIAS] * book[BIAS] for book in books)
        if all(book[SCALE] == 1.0 for book in books):
            numbers = self._numbers()
            squares = sum(map(sum_of_squares, numbers))
            if not math.isfinite(squares):  # a float64 square overflows at 1e154
                with np.errstate(over="ignore", invalid="ignore"):
                    largest = max(float(np.abs(part).max(initial=0.0)) for part in numbers)
                    lengths = [float(np.linalg.norm(part / largest)) for part in numbers]
                    return largest * float(np.linalg.norm(lengths)) if np.isfinite(largest) else np.inf
        else:
            with np.errstate(over="ignore", invalid="ignore"):
                vectors, scale = self._read(self.vectors).astype(np.float64), self.ledger[: self.count, SCALE]
                squares = float(np.einsum("kj,kj,k->", vectors, vectors, scale**2))
        return math.sqrt(squares + bias)

    def copy_to_repeat(self, scratch: Array | None = None) -> HalfSpaces:
        """A copy that can be taught the same again, for its weights alone: what it keeps for averages means nothing.

        `scratch` is where another such copy keeps it, if there is one.
        """
        result = self.copy_weights()
        result._lag = aligned_zeros(self.vectors.shape, self.dtype) if scratch is None else scratch
        return result

    def copy_weights(self) -> HalfSpaces:
        """A copy that can be read and judged."""
        result = HalfSpaces(self.count, self.n_features, self.dtype, self.layout, averages=False)
        result.copy_weights_from(self)
        return result

    def share_weights(self) -> HalfSpaces:
        """Half-spaces that can be read and judged, with the very weights of these. Neither may be changed any more."""
        result = HalfSpaces(self.count, self.n_features, self.dtype, self.layout, averages=False)
        result._owner, result.ledger = self, self.ledger.copy()
        return result

    def is_like(self, other: HalfSpaces) -> bool:
        """Whether the weights of both stand in the same way, and are there."""
        return self._held is None and self.layout == other.layout and self.vectors.shape == other.vectors.shape

    def copy_weights_from(self, other: HalfSpaces) -> None:
        """Have the weights of another state of the same shape. The averages stay as they are."""
        np.copyto(self.vectors, other.vectors)
        np.copyto(self.ledger, other.ledger)

    def select(self, sources: Sequence[int], signs: Sequence[float] | None = None) -> HalfSpaces:
        """New half-spaces, the n-th a copy of number `sources[n]`, turned around where its sign is -1.

        By symmetry a half-space that was told the opposite of every label is the opposite, bit for bit.
        """
        chosen = list(sources)
        result = HalfSpaces(len(chosen), self.n_features, self.dtype, self.layout)
        turn = np.ones(len(chosen)) if signs is None else np.asarray(signs, np.float64)
        for mine, new in ((self.vectors, result.vectors), (self.lag, result.lag)):
            taken = self._read(mine)[chosen]
            # 0 - x rather than -x: no negative zeros, which a half-space trained on its own would not have.
            result._write(new, np.where(turn[:, None] < 0, 0.0 - taken, taken))
        result.ledger[: len(chosen)] = self.ledger[chosen]
        result.mistakes = self.mistakes
        for column in (BIAS, BIAS_LAG):
            values = result.ledger[: len(chosen), column]
            values[turn < 0] = 0.0 - values[turn < 0]
        if self.total is not None:
            taken = self.total[chosen]
            result.total = np.where(turn[:, None] < 0, 0.0 - taken, taken)
        return result

    def select_or_zero(self, sources: Sequence[int], signs: Sequence[float]) -> HalfSpaces:
        """As `select`; source -1 gives zero weights that have seen as many examples as the others."""
        fresh = self.with_fresh(1)
        if self.count:
            fresh.ledger[self.count, [SEEN, SCALE, REACH, MARK]] = self.ledger[0, [SEEN, SCALE, REACH, MARK]]
        return fresh.select([self.count if source < 0 else source for source in sources], signs)

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
        """The same half-spaces in another layout, dtype or with more features; itself if nothing differs."""
        width = self.n_features if n_features is None else n_features
        if (layout, np.dtype(dtype), width) == (self.layout, self.dtype, self.n_features):
            return self
        result = HalfSpaces(self.count, width, dtype, layout)
        result._write(result.vectors, self._read(self.vectors))
        result._write(result.lag, self._read(self.lag))
        result.ledger[: self.count] = self.ledger[: self.count]
        if self.total is not None:
            result.total = np.zeros((self.count, width))
            result.total[:, : self.n_features] = self.total
        return result
