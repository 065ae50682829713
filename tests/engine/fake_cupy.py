"""A stand-in for CuPy that computes on the CPU, so that the code for a GPU can be tested where there is none.

Arrays are numpy's. The CUDA source of a raw kernel is compiled as C++ and run by four threads with a barrier, so the
very text that a GPU runs is what is tested; what it cannot show is how a GPU schedules it.
"""

import ctypes
import hashlib
import re
import shutil
import subprocess
import tempfile
import types
from pathlib import Path

import numpy as np

COMPILER = shutil.which("g++")
THREADS = 4
SHELL = r"""
#include <cmath>
#include <pthread.h>
#include <thread>
#include <vector>
using std::isfinite;
struct Three { int x; };
static thread_local Three threadIdx;
static const Three blockDim = {THREADS};
static pthread_barrier_t barrier;
static double* dynamic_memory;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void __syncthreads() { pthread_barrier_wait(&barrier); }
static void atomicMin(int* place, int value) {
    pthread_mutex_lock(&lock); if (value < *place) *place = value; pthread_mutex_unlock(&lock);
}
#define __global__
#define __launch_bounds__(threads)
#define __shared__ static
SOURCE
extern "C" void launch(PARAMETERS, int bytes) {
    pthread_barrier_init(&barrier, nullptr, THREADS);
    std::vector<double> memory(bytes / 8 + 1); dynamic_memory = memory.data();
    std::vector<std::thread> team;
    for (int t = 0; t < THREADS; t++) team.emplace_back([=] { threadIdx.x = t; NAME(ARGUMENTS); });
    for (auto& one : team) one.join();
    pthread_barrier_destroy(&barrier);
}
"""


class Array(np.ndarray):
    def get(self):
        return np.array(self)

    def set(self, values):
        self[...] = values


def _ours(function):
    def call(*arguments, **named):
        result = function(*arguments, **named)
        return result.view(Array) if isinstance(result, np.ndarray) else result

    return call


class RawKernel:
    def __init__(self, source, name):
        parameters = re.search(name + r"\((.*?)\)\s*\{", source, re.DOTALL).group(1)
        arguments = ", ".join(re.findall(r"(\w+)(?:,|$)", parameters.replace("\n", " ").strip()))
        source = re.sub(r"extern __shared__ double (\w+)\[\];", r"double* \1 = dynamic_memory;", source)
        text = SHELL.replace("SOURCE", source).replace("PARAMETERS", parameters).replace("ARGUMENTS", arguments)
        text = text.replace("NAME", name).replace("THREADS", str(THREADS))
        folder = Path(tempfile.gettempdir()) / f"fake_cupy_{hashlib.sha256(text.encode()).hexdigest()[:16]}"
        library = folder / "kernel.so"
        if not library.exists():
            folder.mkdir(exist_ok=True)
            (folder / "kernel.cpp").write_text(text)
            made = folder / "made.so"
            command = [COMPILER, "-O1", "-std=c++17", "-shared", "-fPIC", "-pthread", "kernel.cpp", "-o", str(made)]
            subprocess.run(command, cwd=folder, check=True)
            made.replace(library)
        self.function = ctypes.CDLL(str(library)).launch

    def __call__(self, grid, block, arguments, shared_mem=0):
        def convert(value):
            if isinstance(value, np.ndarray):
                assert value.flags.c_contiguous
                return ctypes.c_void_p(value.ctypes.data)
            kinds = {np.int32: ctypes.c_int, np.int64: ctypes.c_longlong, np.uint64: ctypes.c_void_p}
            return kinds[type(value)](int(value))

        self.function(*map(convert, arguments), ctypes.c_int(shared_mem))


class ElementwiseKernel:
    """The operation's C is close enough to Python's for these formulas."""

    def __init__(self, inputs, outputs, operation, name, preamble=""):
        self.names = [part.split()[1] for part in inputs.split(",")]
        expression = operation.rsplit("value =", 1)[1].strip().rstrip(";")
        self.expression = re.sub(r"\((T|int)\)", "", expression)

    def __call__(self, *arguments):
        *inputs, out = arguments
        given = {name.rstrip("_"): value for name, value in zip(self.names, inputs, strict=True)}
        functions = {"exp": np.exp, "tanh": np.tanh}

        def apart(norms, dot):
            distance = norms - dot - dot
            return np.where(distance > 8 * np.finfo(out.dtype).eps * norms, distance, 0)

        functions["apart"] = apart
        functions["power"] = lambda base, degree: base ** int(degree)
        with np.errstate(all="ignore"):
            out[...] = eval(self.expression, functions, {**given, "v": given["dots"].copy()})
        return out


class OutOfMemoryError(MemoryError):
    pass


class CUDARuntimeError(RuntimeError):
    pass


def module(free=2**30, devices=1):
    """A module that `import cupy` finds, for a device with so much free memory."""
    cupy = types.ModuleType("cupy")
    for name in ("zeros", "empty", "ascontiguousarray", "einsum", "asarray"):
        setattr(cupy, name, _ours(getattr(np, name)))
    cupy.ndarray, cupy.RawKernel, cupy.ElementwiseKernel = Array, RawKernel, ElementwiseKernel
    runtime = types.SimpleNamespace(
        getDeviceCount=lambda: devices, memGetInfo=lambda: (free, 2**40), CUDARuntimeError=CUDARuntimeError
    )
    memory = types.SimpleNamespace(OutOfMemoryError=OutOfMemoryError)
    cupy.cuda = types.SimpleNamespace(runtime=runtime, memory=memory)
    return cupy
