"""Machine code that is kept in a file, and loaded without the compiler that made it.

To import numba and have it load what it keeps takes half a second, in which a large file is not being read. LLVM alone
takes a tenth of that. The file is made anew whenever the source, LLVM or the processor is another one.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import llvmlite
import llvmlite.binding as llvm

from .fetch import cache_folder

WRITING = 60.0  # seconds that nobody needs to write a part
_engines: list[Any] = []  # which own the code


def function(source: Path, compiled: Callable[[], tuple[str, str]], arguments: Sequence[Any]) -> Callable[..., int]:
    """A function that was compiled by numba with a signature of numbers and pointers, and returns an int64.

    Parameters
    ----------
    source : Path
        The file that it is written in, with all that it is made of.
    compiled : callable
        Compiles it: gives LLVM's text of it, and its name there.
    arguments : sequence of ctypes types

    Returns
    -------
    callable
        Other threads run while it does.
    """
    machine = _machine()
    key = hashlib.sha256(source.read_bytes())
    for part in (llvmlite.__version__, sys.platform, machine.triple, *_processor()):
        key.update(part.encode() + b"\0")
    file = f"{source.stem}.{key.hexdigest()[:24]}.o"
    found = next(filter(None, (_kept(folder / file) for folder in _folders(source))), None)
    if found is None:
        text, name = compiled()
        found = name, _object_code(text, machine)
        _keep(source, file, *found)
    name, code = found
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    _engines.append(engine)
    # numba's way to call: where the result and an error go, then the arguments; what it returns is not 0 on errors.
    prototype = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, *arguments)
    native = prototype(engine.get_function_address(name))

    def call(*given: int) -> int:
        result, error = ctypes.c_int64(), ctypes.c_void_p()
        if native(ctypes.addressof(result), ctypes.addressof(error), *given):
            raise RuntimeError(f"The compiled function of {source.name} must not fail, but it did.")
        return result.value

    return call


def _processor() -> tuple[str, str]:
    return llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()


def _machine() -> Any:
    with suppress(RuntimeError):  # from some version on it need not, and must not, be called
        llvm.initialize()
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    cpu, features = _processor()
    target = llvm.Target.from_default_triple()
    return target.create_target_machine(cpu=cpu, features=features, opt=3, codemodel="jitdefault", jit=True)


def _object_code(text: str, machine: Any) -> bytes:
    outside = [name for name in re.findall(r'^declare .*?@"?([^"(]+)"?\(', text, re.M) if not name.startswith("llvm.")]
    if outside:  # what is not there when it is loaded would end the process
        raise RuntimeError(f"Code to be kept must call nothing else, but it calls {', '.join(outside)}.")
    return bytes(machine.emit_object(llvm.parse_assembly(text)))


def _folders(source: Path) -> Iterator[Path]:
    """Where it may be kept, as numba does it: beside the source, or where the user's caches are."""
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    if chosen:
        yield Path(chosen)
    else:
        yield source.parent / "__pycache__"
        yield cache_folder()


def _kept(path: Path) -> tuple[str, bytes] | None:
    """(name, code), if a whole file is there."""
    try:
        digest, _, content = path.read_bytes().partition(b"\n")
    except OSError:
        return None
    if hashlib.sha256(content).hexdigest().encode() != digest:
        return None
    name, _, code = content.partition(b"\n")
    return name.decode(), code


def _keep(source: Path, file: str, name: str, code: bytes) -> None:
    """Write the file where that is possible, at once and whole; older ones of the same source go."""
    content = name.encode() + b"\n" + code
    for folder in _folders(source):
        part = folder / f"{file}.{os.getpid()}"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            part.write_bytes(hashlib.sha256(content).hexdigest().encode() + b"\n" + content)
            part.replace(folder / file)
        except OSError:
            with suppress(OSError):
                part.unlink()
            continue
        for old in (*folder.glob(f"{source.stem}.*.o"), *folder.glob(f"{source.stem}.*.o.[0-9]*")):
            if old.name != file and not _is_being_written(old):
                with suppress(OSError):
                    old.unlink()
        return


def _is_being_written(part: Path) -> bool:
    """Whether it is a part that another process may be writing at this moment; who is killed leaves one behind."""
    if part.suffix == ".o":
        return False
    with suppress(OSError):
        return time.time() - part.stat().st_mtime < WRITING
    return False
