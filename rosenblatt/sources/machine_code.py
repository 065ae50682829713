"""Machine code that is kept in a file, and loaded without the compiler that made it.

To import numba and have it load what it keeps takes half a second, in which a large file is not being read. LLVM alone
takes a tenth of that, and 40 to 60 MB. Where the code needs nothing but itself, wherever in memory it stands
(`image`), it is loaded without either: the system maps the file. The file is made anew whenever the source, LLVM or
the processor is another one.
"""

from __future__ import annotations

import ctypes
import hashlib
import importlib.metadata
import mmap
import os
import platform
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .fetch import cache_folder
from .image import Image, image_of

WRITING = 60.0  # seconds that nobody needs to write a part
PAGE = 2**14  # where the code begins in its file: a whole number of the pages of any system
_loaded: list[Any] = []  # who owns the code


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
    key = hashlib.sha256(source.read_bytes())
    for part in (importlib.metadata.version("llvmlite"), sys.platform, platform.machine(), _processor()):
        key.update(part.encode() + b"\0")
    file = f"{source.stem}.{key.hexdigest()[:24]}.o"
    kept = next(filter(None, (_kept(folder / file) for folder in _folders(source))), None)
    if kept is None:
        text, name = compiled()
        code = _object_code(text)
        kept = _Kept(name, code, image_of(code, name))
        path = _keep(source, file, kept)
    else:
        path = kept.path
    # numba's way to call: where the result and an error go, then the arguments; what it returns is not 0 on errors.
    prototype = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, *arguments)
    native = prototype(_mapped(path, kept) or _linked(kept))

    def call(*given: int) -> int:
        result, error = ctypes.c_int64(), ctypes.c_void_p()
        if native(ctypes.addressof(result), ctypes.addressof(error), *given):
            raise RuntimeError(f"The compiled function of {source.name} must not fail, but it did.")
        return result.value

    return call


@dataclass(frozen=True)
class _Kept:
    """What a file has: the object code of a function, and its image where it has one."""

    name: str
    code: bytes
    image: Image | None
    path: Path | None = None


def _processor() -> str:
    """What tells one processor from another: what it is called, and what it can do."""
    with suppress(OSError), open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
        first = file.read(2**14).partition("\n\n")[0]  # all are alike
        known = re.findall(r"^(?:model name|flags|Features|CPU \w+)\s*:.*$", first, re.M)
        if known:
            return "\n".join(known)
    import llvmlite.binding as llvm

    return f"{llvm.get_host_cpu_name()} {llvm.get_host_cpu_features().flatten()}"


# ------------------------------------------------------------------------------------------------ LLVM


def _machine() -> Any:
    import llvmlite.binding as llvm

    with suppress(RuntimeError):  # from some version on it need not, and must not, be called
        llvm.initialize()
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    cpu, features = llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()
    target = llvm.Target.from_default_triple()
    return target.create_target_machine(cpu=cpu, features=features, opt=3, reloc="pic", codemodel="small")


def _object_code(text: str) -> bytes:
    import llvmlite.binding as llvm

    outside = [name for name in re.findall(r'^declare .*?@"?([^"(]+)"?\(', text, re.M) if not name.startswith("llvm.")]
    if outside:  # what is not there when it is loaded would end the process
        raise RuntimeError(f"Code to be kept must call nothing else, but it calls {', '.join(outside)}.")
    return bytes(_machine().emit_object(llvm.parse_assembly(text)))


def _linked(kept: _Kept) -> int:
    """The address of the function, loaded by LLVM."""
    import llvmlite.binding as llvm

    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _machine())
    engine.add_object_file(llvm.ObjectFileRef.from_data(kept.code))
    engine.finalize_object()
    _loaded.append(engine)
    return int(engine.get_function_address(kept.name))


# ------------------------------------------------------------------------------------------------ files


def _mapped(path: Path | None, kept: _Kept) -> int | None:
    """The address of the function in its file, where the system lets it run from there."""
    if path is None or kept.image is None:
        return None
    try:
        with path.open("rb") as file:
            memory = mmap.mmap(
                file.fileno(), len(kept.image.code), mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_EXEC, offset=PAGE
            )
    except OSError:
        return None
    if memory[:] != kept.image.code:  # replaced since it was read
        return None
    _loaded.append(memory)
    return int(np.frombuffer(memory, np.uint8).ctypes.data) + kept.image.entry


def _folders(source: Path) -> Iterator[Path]:
    """Where it may be kept, as numba does it: beside the source, or where the user's caches are."""
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    if chosen:
        yield Path(chosen)
    else:
        yield source.parent / "__pycache__"
        yield cache_folder()


def _kept(path: Path) -> _Kept | None:
    """What the file has, if it is whole: a digest of the rest, name, sizes; the image; the object code."""
    try:
        content = path.read_bytes()
        digest, _, rest = content.partition(b"\n")
        if hashlib.sha256(rest).hexdigest().encode() != digest:
            return None
        name, entry, size = rest[: rest.index(b"\n")].decode().split()
    except (OSError, ValueError):
        return None
    image = Image(content[PAGE : PAGE + int(size)], int(entry)) if int(size) else None
    return _Kept(name, content[PAGE + int(size) :], image, path)


def _keep(source: Path, file: str, kept: _Kept) -> Path | None:
    """Write the file where that is possible, at once and whole; older ones of the same source go."""
    image = kept.image or Image(b"", 0)
    head = f"{kept.name} {image.entry} {len(image.code)}\n".encode()
    rest = head.ljust(PAGE - 65, b"\0") + image.code + kept.code
    for folder in _folders(source):
        part = folder / f"{file}.{os.getpid()}"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            part.write_bytes(hashlib.sha256(rest).hexdigest().encode() + b"\n" + rest)
            part.replace(folder / file)
        except OSError:
            with suppress(OSError):
                part.unlink()
            continue
        for old in (*folder.glob(f"{source.stem}.*.o"), *folder.glob(f"{source.stem}.*.o.[0-9]*")):
            if old.name != file and not _is_being_written(old):
                with suppress(OSError):
                    old.unlink()
        return folder / file
    return None


def _is_being_written(part: Path) -> bool:
    """Whether it is a part that another process may be writing at this moment; who is killed leaves one behind."""
    if part.suffix == ".o":
        return False
    with suppress(OSError):
        return time.time() - part.stat().st_mtime < WRITING
    return False
