"""The CUDA backend of the kernel engine (CuPy): rows, kernel values, scores and the scan are all on the device.

The methods are those of `backend.Backend`. Rows stay on the device if they fit; if they do not, each block is sent
when it is visited, and products are taken in tiles, so that any number of rows works. What comes back to the host are
the updates: which rows made one, and its steps.
"""

from __future__ import annotations

import functools
import itertools
from dataclasses import fields
from typing import Any

import numpy as np

from rosenblatt.engine.kernel.backend import DualTask, answers
from rosenblatt.engine.kernel.scan import WANTS_VALUES
from rosenblatt.engine.kernel.state import Expansion
from rosenblatt.engine.kernel.values import Operand, Store, around, as_slice, is_far, values_of
from rosenblatt.engine.online.state import Array

TILE_CELLS = 2**27  # kernel values that stand on the device at a time
RESIDENT = 0.5  # of the free memory, for rows that stay on the device
KEPT_BLOCKS = 0.25  # of the free memory, for kernel values within blocks that come back in every epoch
EAGER_UPDATES = 256  # that come back with the first copy
THREADS = 1024
OWNED = 8  # rows of a thread whose mistakes it keeps in registers
HEADER = 4  # status, where the scan stopped, half-spaces moved, number of updates

SCAN = r"""
extern "C" __global__ void __launch_bounds__(1024) scan(
    double* scores, const REAL* values, const int* codes, const double* weights, const int* positive,
    const double* coefficients, const long long* counts, const unsigned char* held,
    int count, int n, int classes, int coupled, int drop_after, long long room, int start, double* packed)
{
    // One block of threads visits the rows in order. Thread t owns the rows t, t + blockDim, ...; together they find
    // the first row with an update, one thread records the update, and all carry it to the rows after it.
    extern __shared__ double shared[];
    double* score = shared;             // of the row with an update, one for each half-space
    double* step = shared + count;
    __shared__ int first, status;
    double* squared = packed + 4;
    double* updates = squared + count;
    const int width = 3 + count;
    int from = start, number = 0, moves = 0;
    if (threadIdx.x == 0) status = 0;

    // Which half-spaces are wrong about a row, one bit each, where there are few enough of both: a thread knows this of
    // its own rows without reading all their scores again after every update.
    const bool by_bits = !coupled && count <= 64 && n <= OWNED * blockDim.x;
    unsigned long long wrong_about[OWNED];
    #pragma unroll
    for (int m = 0; m < OWNED; m++) {
        const int r = threadIdx.x + m * blockDim.x;
        wrong_about[m] = 0;
        if (!by_bits || r < from || r >= n) continue;
        for (int k = 0; k < count; k++) {
            const double y = codes[r] == positive[k] ? 1.0 : -1.0;
            if (!(y * scores[(long long)k * n + r] > 0.0)) wrong_about[m] |= 1ull << k;
        }
    }

    while (true) {
        if (threadIdx.x == 0) first = n;
        __syncthreads();
        if (by_bits) {
            int mine = n;
            #pragma unroll
            for (int m = OWNED - 1; m >= 0; m--) {
                const int r = threadIdx.x + m * blockDim.x;
                if (r >= from && r < n && wrong_about[m]) mine = r;
            }
            if (mine < n) atomicMin(&first, mine);
        }
        else for (int r = threadIdx.x; r < n; r += blockDim.x) {
            if (r < from) continue;
            bool updates_any = false;
            if (coupled) {
                double best = 0; bool any = false;
                for (int k = 0; k < count; k++)
                    if (k != codes[r] && (!any || scores[(long long)k * n + r] > best)) {
                        best = scores[(long long)k * n + r]; any = true;
                    }
                updates_any = any && !(scores[(long long)codes[r] * n + r] - best > 0.0);
            } else {
                for (int k = 0; k < count; k++) {
                    double y = codes[r] == positive[k] ? 1.0 : -1.0;
                    updates_any = updates_any || !(y * scores[(long long)k * n + r] > 0.0);
                }
            }
            if (updates_any) { atomicMin(&first, r); break; }
        }
        __syncthreads();
        const int i = first;
        if (i >= n) break;
        for (int k = threadIdx.x; k < count; k += blockDim.x) {
            score[k] = scores[(long long)k * n + i];
            step[k] = 0.0;
        }
        __syncthreads();

        if (threadIdx.x == 0) {
            if (values == nullptr) status = 1;
            else {
                const int code = codes[i];
                const double itself = (double)values[(long long)i * n + i];
                const double c = weights == nullptr ? 1.0 : weights[i];
                bool finite = isfinite(itself), wrong = false, leaves = false;
                for (int k = 0; k < count; k++) finite = finite && isfinite(score[k]);
                if (!finite) status = 3;
                else {
                    if (coupled) {
                        int rival = -1;
                        for (int k = 0; k < count; k++)
                            if (k != code && (rival < 0 || score[k] > score[rival])) rival = k;
                        step[code] = c; step[rival] = -c;
                    } else {
                        for (int k = 0; k < count; k++) {
                            double y = code == positive[k] ? 1.0 : -1.0;
                            if (!(y * score[k] > 0.0)) step[k] = y * c;
                        }
                    }
                    if (classes == 1) wrong = code == 1 ? score[0] <= 0.0 : score[0] >= 0.0;
                    else for (int k = 0; k < classes; k++) wrong = wrong || (k != code && score[k] >= score[code]);
                    for (int k = 0; k < count; k++)
                        if (step[k] != 0.0) {
                            moves++;
                            long long before = counts == nullptr ? 0 : counts[(long long)k * n + i];
                            leaves = leaves || (drop_after > 0 && before + 1 >= drop_after);
                        }
                    if (leaves) for (int k = 0; k < count; k++) step[k] = -coefficients[(long long)k * n + i];
                    double* update = updates + (long long)number * width;
                    update[0] = i; update[1] = wrong; update[2] = leaves;
                    for (int k = 0; k < count; k++) {
                        update[3 + k] = step[k];
                        if (step[k] != 0.0) squared[k] += 2.0 * step[k] * score[k] + step[k] * step[k] * itself;
                    }
                    number++;
                    if (!leaves && !(held != nullptr && held[i])) { room--; if (room < 0) status = 2; }
                }
            }
        }
        __syncthreads();
        if (status == 1 || status == 3) { from = i; break; }
        if (by_bits) {
            #pragma unroll
            for (int m = 0; m < OWNED; m++) {
                const int r = threadIdx.x + m * blockDim.x;
                if (r <= i || r >= n) continue;
                const double value = (double)values[(long long)i * n + r];
                for (int k = 0; k < count; k++)
                    if (step[k] != 0.0) {
                        const double now = scores[(long long)k * n + r] + step[k] * value;
                        const double y = codes[r] == positive[k] ? 1.0 : -1.0;
                        scores[(long long)k * n + r] = now;
                        if (y * now > 0.0) wrong_about[m] &= ~(1ull << k);
                        else wrong_about[m] |= 1ull << k;
                    }
            }
        }
        else for (int r = threadIdx.x; r < n; r += blockDim.x) {
            if (r <= i) continue;
            const double value = (double)values[(long long)i * n + r];
            for (int k = 0; k < count; k++)
                if (step[k] != 0.0) scores[(long long)k * n + r] += step[k] * value;
        }
        from = i + 1;
        if (status == 2) break;
    }
    if (threadIdx.x == 0) {
        packed[0] = status; packed[1] = status == 0 ? n : from; packed[2] = moves; packed[3] = number;
    }
}
"""

HELPERS = r"""
template <typename T> __device__ T power(T base, int degree) {
    T result = 1;
    for (; degree > 0; degree >>= 1) { if (degree & 1) result *= base; base *= base; }
    return result;
}
template <typename T> __device__ T apart(T norms, T dot) {
    const T distance = norms - dot - dot, noise = 8 * (sizeof(T) == 4 ? 1.1920929e-7 : 2.220446049250313e-16);
    return distance > noise * norms ? distance : (T)0;
}
"""


def require_gpu() -> Any:
    """CuPy, with a GPU that answers; a sentence that says what to do if either is missing."""
    try:
        import cupy
    except ImportError as error:
        raise ImportError(
            "device='cuda' needs CuPy, which is not installed; run: pip install 'rosenblatt[gpu]', or use device='cpu'."
        ) from error
    try:
        found = int(cupy.cuda.runtime.getDeviceCount())
    except cupy.cuda.runtime.CUDARuntimeError:
        found = 0
    if not found:
        raise RuntimeError(
            "device='cuda' needs an NVIDIA GPU and its driver, but CuPy finds none; use device='cpu', or on a machine "
            "with a GPU run: pip install 'rosenblatt[gpu]'."
        )
    return cupy


@functools.cache
def _scan_kernel(real: str) -> Any:
    return require_gpu().RawKernel(SCAN.replace("REAL", real).replace("OWNED", str(OWNED)), "scan")


@functools.cache
def _values_kernel(kind: Any) -> Any:
    """The kernel's own formula, in place of dot products, as one pass over them."""
    names = [field.name for field in fields(kind)]
    norms = "T a, T b, " if kind.needs_norms else ""
    given = "".join(f", float64 {name}_" for name in names)
    cast = "".join(f"const T {name} = (T){name}_; " for name in names)
    return require_gpu().ElementwiseKernel(
        f"{norms}T dots{given}",
        "T value",
        f"const T v = dots; {cast}value = {kind.device_code};",
        f"kernel_values_{kind.name}",
        preamble=HELPERS,
    )


class DeviceValues:
    """Operands and kernel values on the device, from rows that are there or that are sent block by block."""

    def __init__(self, kernel: Any, X: Any, dtype: Any) -> None:
        self.cupy = require_gpu()
        self.kernel, self.host, self.dtype = kernel, X, np.dtype(dtype)
        self.radial = kernel.radial if kernel.needs_norms else None
        self.given = kernel.name == "precomputed"  # then an operand is numbers of rows, on the host
        self.resident: Any = None
        self.norms: Any = None
        free, _ = self.cupy.cuda.runtime.memGetInfo()
        if X.shape[0] * X.shape[1] * self.dtype.itemsize <= RESIDENT * free:
            self.resident = self._send(X)
            if self.radial is not None:
                self.norms = self._norms(self.resident)
        self.far = self.radial is not None and self._far()

    def _send(self, rows: Any) -> Any:
        """To the device, in the dtype of the computation; narrow rows are widened there."""
        return self.cupy.asarray(np.ascontiguousarray(rows)).astype(self.dtype, copy=False)

    def _norms(self, rows: Any) -> Any:
        return self.cupy.einsum("ij,ij->i", rows, rows)

    def _far(self) -> bool:
        """Whether dot products of rows so far from the origin would lose digits; of rows on the host, the first."""
        norms = self._norms(self._send(self.host[: 2**10])) if self.norms is None else self.norms
        return is_far(self.radial, norms)

    def operand(self, rows: Any) -> Operand:
        """Rows of X by their numbers, which are on the host."""
        if self.given:
            return Operand(np.asarray(rows), None)
        places = as_slice(rows)
        if self.resident is None:
            return self.operand_of(self.host[places])
        if not isinstance(places, slice):
            places = self.cupy.asarray(places)
        return Operand(self.resident[places], None if self.norms is None else self.norms[places])

    def operand_of(self, rows: Any) -> Operand:
        """Rows that are on the host."""
        sent = self._send(rows)
        return Operand(sent, self._norms(sent) if self.kernel.needs_norms else None)

    def values(self, left: Operand, right: Operand) -> Any:
        kernel = self.kernel
        if self.given:
            rows, columns = left.rows, right.rows
            if self.resident is not None:
                return self.resident[self.cupy.asarray(rows)[:, None], self.cupy.asarray(columns)]
            return self._send(self.host[rows[:, None], columns])
        if kernel.name == "function":
            return self.cupy.asarray(kernel.values(left.rows, right.rows), self.dtype)
        kind: Any = type(kernel)
        norms: tuple[Any, ...] = ()
        if self.radial is not None:
            kernel, kind = self.radial, type(self.radial)
            if self.far:
                left, right = around(left, right, self._norms)
            assert left.norms is not None and right.norms is not None
            norms = left.norms[:, None], right.norms[None, :]
        dots = left.rows @ right.rows.T
        most = float(np.finfo(self.dtype).max)
        numbers = (min(most, max(-most, float(value))) for value in kernel.parameters.values())
        return _values_kernel(kind)(*norms, dots, *numbers, dots)

    def sums(self, left: Operand, right: Operand, coefficients: Any) -> Any:
        """sum_j coefficients[j] K(x_i, x_j) in float64 on the device; `coefficients` have the rows' dtype."""
        n, m = len(left), len(right)
        result = self.cupy.zeros((n, coefficients.shape[1]))
        tall = min(n, TILE_CELLS // 256)
        wide = max(256, TILE_CELLS // max(1, tall))
        for i, j in itertools.product(range(0, n, tall), range(0, m, wide)) if m else ():
            tile = self.values(left.part(i, i + tall), right.part(j, j + wide))
            result[i : i + tall] += tile @ coefficients[j : j + wide]
        return result


class DeviceStore:
    """Rows on the device, one after another: support rows, or what the epoch has learned, with its steps."""

    def __init__(self, values: DeviceValues, count: int) -> None:
        self.source, self.count = values, count
        self.size = 0
        self.rows: Any = None
        self.norms: Any = None
        self.steps: Any = None

    def append(self, operand: Operand, steps: Any = None) -> None:
        more = len(operand)
        if not more:
            return
        cupy, dtype = self.source.cupy, self.source.dtype
        if self.rows is None or self.size + more > len(self.rows):
            room = max(1024, 2 * self.size, self.size + more)
            make = np.empty if self.source.given else cupy.empty
            old = self.rows, self.norms, self.steps
            self.rows = make((room, *operand.rows.shape[1:]), operand.rows.dtype)
            self.norms = None if operand.norms is None else cupy.empty(room, dtype)
            self.steps = cupy.zeros((room, self.count), dtype)
            for new, before in zip((self.rows, self.norms, self.steps), old, strict=True):
                if new is not None and before is not None:
                    new[: self.size] = before[: self.size]
        place = slice(self.size, self.size + more)
        self.rows[place] = operand.rows
        if self.norms is not None:
            self.norms[place] = operand.norms
        if steps is not None:
            self.steps[place] = steps
        self.size += more

    def view(self, start: int = 0) -> Operand:
        if self.rows is None:
            return Operand(np.empty((0, 1)), None)
        return Operand(self.rows, self.norms).part(start, self.size)

    def keep(self, places: Array) -> None:
        kept = self.source.cupy.asarray(places)
        self.rows = self.rows[places if self.source.given else kept]
        self.norms = None if self.norms is None else self.norms[kept]
        self.steps = self.steps[kept]
        self.size = len(places)


class CudaBlock:
    """Some rows on their visit: the scores on the device, their updates on the host."""

    def __init__(self, rows: Array, operand: Operand, scores: Any, backend: CudaBackend) -> None:
        task = backend.task
        n, count = scores.shape
        self.rows, self.operand, self.count = rows, operand, count
        self.scores = scores.T.copy(order="C")  # a copy always: what is kept must not see the scan
        where = backend._where(rows)
        self.codes = backend.codes[where]
        self.weights = backend.weights[where] if len(task.sample_weight) else None
        self.remembers = bool(task.drop_after or task.budget)
        self.coefficients = np.zeros((n, count)) if self.remembers else np.empty(0)
        self.counts = np.zeros((count, n), np.int64) if self.remembers else np.empty(0)
        self.held = np.zeros(n, bool) if self.remembers else np.empty(0)
        self.values: Any = None
        self.found: Array = np.empty((0, 3 + count))
        self.stopped = np.zeros(2, np.int64)

    def updates(self, start: int, stop: int) -> tuple[Array, Array, Array, Array]:
        """(positions, steps, wrong, dropped) of the rows that made an update in the last scan."""
        found = self.found
        return found[:, 0].astype(np.int64), found[:, 3:].copy(), found[:, 1] != 0, found[:, 2] != 0


class CudaBackend:
    """See above. Use it in a `with` block."""

    def __init__(self, task: DualTask, count: int, *, fresh: bool, store: Store | None = None) -> None:
        self.cupy = require_gpu()
        self.task, self.count, self.fresh = task, count, fresh
        self.given = store
        self.test: list[Any] = []

    def __enter__(self) -> CudaBackend:
        try:
            self._prepare()
        except self.cupy.cuda.memory.OutOfMemoryError as error:
            raise self._too_little(error) from None
        return self

    def _prepare(self) -> None:
        cupy, task = self.cupy, self.task
        self.source = DeviceValues(task.kernel, task.X, task.dtype)
        self.codes = cupy.asarray(task.codes)
        self.weights = cupy.asarray(task.sample_weight)
        self.positive = cupy.asarray(task.positive.astype(np.int32))
        self.scores = cupy.zeros((0 if self.fresh else task.n_rows, self.count))
        self.store = DeviceStore(self.source, self.count)
        if self.given is not None and self.given.size:
            self.store.append(self.source.operand_of(self.given.view().rows))
        self.packed = cupy.zeros(0)  # what a scan brings back
        self.kept_values: dict[tuple[int, int], Any] = {}
        self.room_for_values = int(KEPT_BLOCKS * cupy.cuda.runtime.memGetInfo()[0])
        self.kernel = _scan_kernel("float" if task.dtype == np.float32 else "double")

    def __exit__(self, *error: Any) -> None:
        if isinstance(error[1], self.cupy.cuda.memory.OutOfMemoryError):
            raise self._too_little(error[1]) from None

    def _too_little(self, error: BaseException) -> MemoryError:
        return MemoryError(
            f"device='cuda' needs more GPU memory than is free ({error}); free the memory that other programs hold, or "
            f"use device='cpu'."
        )

    # ------------------------------------------------------------------ scores

    def mark(self) -> int:
        """How many updates there are in this epoch so far."""
        return self.store.size

    def begin_epoch(self) -> None:
        if not self.fresh:
            self.store.size = 0

    def _where(self, rows: Array) -> Any:
        places = as_slice(rows)
        return places if isinstance(places, slice) else self.cupy.asarray(places)

    def bring_up_to_date(self, rows: Array, since: int, operand: Operand | None = None) -> None:
        """Add what was learned after the mark `since` to the kept scores of these rows."""
        if since < self.store.size:
            left = self.source.operand(rows) if operand is None else operand
            steps = self.store.steps[since : self.store.size]
            self.scores[self._where(rows)] += self.source.sums(left, self.store.view(since), steps)

    def bring_all_up_to_date(self, visits: list[tuple[Array, int]]) -> None:
        """Bring rows up to date that were visited at these marks."""
        for rows, since in visits:
            self.bring_up_to_date(rows, since)

    def learn(self, block: CudaBlock, positions: Array, steps: Array, new: Array) -> None:
        """Rows of this block have made updates; those marked `new` had no coefficient before."""
        if self.fresh:
            self.store.append(self._rows_of(block, positions[new]))
        else:
            sent = self.cupy.asarray(steps.astype(self.task.dtype))
            self.store.append(self._rows_of(block, positions), sent)

    def _rows_of(self, block: CudaBlock, positions: Array) -> Operand:
        rows, norms = block.operand
        where = positions if self.source.given else self.cupy.asarray(positions)
        return Operand(rows[where], None if norms is None else norms[where])

    def _sent(self, coefficients: Array) -> Any:
        return self.cupy.asarray(coefficients.astype(self.task.dtype))

    def open(self, rows: Array, slots: Array, state: Expansion) -> CudaBlock:
        """A block whose scores are up to date; `slots` are those of its rows in the expansion, -1 for none."""
        operand = self.source.operand(rows)
        if self.fresh:
            scores = self.source.sums(operand, self.store.view(), self._sent(state.coefficients[: state.size]))
        else:
            self.bring_up_to_date(rows, 0, operand)
            scores = self.scores[self._where(rows)]
        return CudaBlock(rows, operand, scores, self)

    # ------------------------------------------------------------------ the scan

    def scan(self, block: CudaBlock, start: int, room: int, squared: Array) -> tuple[int, int]:
        """Visit rows from `start` on; (why it stopped, where)."""
        cupy, task, n = self.cupy, self.task, len(block.rows)
        if block.values is None:
            block.values = self.kept_values.get(self._key(block))
        size = HEADER + block.count + n * (3 + block.count)
        if len(self.packed) < size:
            self.packed = cupy.zeros(size)
        packed = self.packed
        extra = (None, None, None)
        if block.remembers:
            extra = (
                cupy.asarray(np.ascontiguousarray(block.coefficients.T)),
                cupy.asarray(block.counts),
                cupy.asarray(block.held.astype(np.uint8)),
            )
        while True:
            packed[HEADER : HEADER + block.count].set(squared)
            self.kernel(
                (1,),
                (min(THREADS, -(-n // 32) * 32),),
                (
                    block.scores, _pointer(block.values), block.codes, _pointer(block.weights), self.positive,
                    *(_pointer(array) for array in extra), np.int32(block.count), np.int32(n), np.int32(task.classes),
                    np.int32(task.coupled), np.int32(task.drop_after), np.int64(room), np.int32(start), packed,
                ),
                shared_mem=16 * block.count,
            )  # fmt: skip
            width = 3 + block.count
            head = packed[: HEADER + block.count + EAGER_UPDATES * width].get()
            status, stop, moves, number = (int(figure) for figure in head[:HEADER])
            if status != WANTS_VALUES:
                break
            start = stop
            self._compute_values(block)
        if number > EAGER_UPDATES:
            head = packed[: HEADER + block.count + number * width].get()
        squared[:] = head[HEADER : HEADER + block.count]
        block.found = head[HEADER + block.count :][: number * width].reshape(number, width)
        block.stopped += (0, moves)
        return status, stop

    def _key(self, block: CudaBlock) -> tuple[int, int]:
        places = as_slice(block.rows)
        return (places.start, places.stop) if isinstance(places, slice) else (-1, -1)

    def _compute_values(self, block: CudaBlock) -> None:
        """The kernel values within the block; kept for the next epoch where blocks come back and there is room."""
        block.values = self.cupy.ascontiguousarray(self.source.values(block.operand, block.operand))
        key = self._key(block)
        if key != (-1, -1) and not self.fresh and block.values.nbytes <= self.room_for_values:
            self.room_for_values -= block.values.nbytes
            self.kept_values[key] = block.values

    def forget(self, block: CudaBlock, start: int, slot: int, coefficients: Array) -> tuple[Array, float]:
        """Take the support row in `slot` out of the block's scores; (its own scores, K of it with itself)."""
        support = self.store.view()
        row = support.part(slot, slot + 1)
        values = self.source.values(row, block.operand)[0].astype(np.float64)
        steps = self.cupy.asarray(coefficients[slot])
        block.scores[:, start:] -= steps[:, None] * values[start:]
        empty = np.flatnonzero(~np.delete(coefficients, slot, axis=0).any(axis=0))
        if len(empty):  # rounding leaves no zero where everything was subtracted again
            block.scores[self.cupy.asarray(empty), start:] = 0.0
        own = self.source.sums(row, support, self._sent(coefficients))[0].get()
        return own, float(self.source.values(row, row)[0, 0])

    # ------------------------------------------------------------------ answers

    def store_of(self, state: Any) -> Store:
        """The rows of the expansion, slot by slot, on the host."""
        source = values_of(self.task.kernel, self.task.X, self.task.dtype)
        result = Store(source)
        if not self.fresh:
            result.append(source.operand(self.task.X, state.numbers[: state.size]))
        elif self.store.size:
            result.append(source.operand(self.store.view().rows.get()))
        return result

    def training_errors(self, rows: Array, coefficients: Array) -> float:
        """The weight of these rows that are answered wrongly now; all rows must be up to date."""
        if not self.fresh:
            return self._errors(self.scores[self._where(rows)], rows)
        parts = (rows[start : start + self.task.block] for start in range(0, len(rows), self.task.block))
        sent = self._sent(coefficients)
        return sum(
            self._errors(self.source.sums(self.source.operand(part), self.store.view(), sent), part) for part in parts
        )

    def _errors(self, scores: Any, rows: Array) -> float:
        where = self._where(rows)
        wrong = answers(scores, self.task.classes) != self.codes[where]
        return float(self.weights[where][wrong].sum() if len(self.task.sample_weight) else wrong.sum())

    def add_test_rows(self, X: Any, codes: Array) -> None:
        """Keep the scores of test rows as well."""
        source = DeviceValues(self.task.kernel, X, self.task.dtype)
        scores = self.cupy.zeros((len(codes), self.count))
        self.test = [source, self.cupy.asarray(codes), scores]

    def test_error(self, coefficients: Array) -> float:
        source, codes, scores = self.test
        steps = self._sent(coefficients) if self.fresh else None
        support = self.store.view()
        wrong = 0
        for start in range(0, len(codes), self.task.block):
            part = slice(start, min(start + self.task.block, len(codes)))
            numbers = np.arange(part.start, part.stop)
            if self.fresh:
                scores[part] = source.sums(source.operand(numbers), support, steps)
            elif self.store.size:
                scores[part] += source.sums(source.operand(numbers), support, self.store.steps[: self.store.size])
            wrong += int((answers(scores[part], self.task.classes) != codes[part]).sum())
        return wrong / len(codes)


def _pointer(array: Any) -> Any:
    """An array for the kernel, or a null pointer."""
    return np.uintp(0) if array is None else array


def expansion_scores_on_gpu(kernel: Any, X: Any, support: Any, coefficients: Array, dtype: Any) -> Array:
    """The scores of the rows X under an expansion over support rows, block by block."""
    source = DeviceValues(kernel, X, dtype)
    cupy = source.cupy
    result = np.empty((X.shape[0], coefficients.shape[1]))
    if not len(coefficients):
        result[:] = 0.0
        return result
    right = source.operand(support) if kernel.name == "precomputed" else source.operand_of(support)
    sent = cupy.asarray(coefficients.astype(dtype))
    step = max(1024, TILE_CELLS // max(1, len(coefficients)))
    for start in range(0, X.shape[0], step):
        rows = np.arange(start, min(start + step, X.shape[0]))
        result[start : start + step] = source.sums(source.operand(rows), right, sent).get()
    return result
