"""Machine code that is kept in a file: made once, made anew when it must be, loaded without the compiler."""

import ctypes
import os
import subprocess
import sys
from pathlib import Path

import numba
import pytest

from rosenblatt.sources import machine_code


def doubled(x):
    return 2 * x


def reaching_out(x):
    print(x)
    return x


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """A source file, and a folder for what is made of it."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    source = tmp_path / "source.py"
    source.write_text("first")
    return source


def load(source, function=doubled):
    """(The function, how often it was compiled)."""
    times = []

    def compiled():
        times.append(1)
        signature = numba.types.int64(numba.types.int64)
        found = numba.njit([signature], no_cpython_wrapper=True, no_cfunc_wrapper=True, _nrt=False)(function)
        return found.inspect_llvm((numba.types.int64,)), found.overloads[(numba.types.int64,)].fndesc.llvm_func_name

    return machine_code.function(source, compiled, [ctypes.c_int64]), len(times)


def files(source):
    return sorted((source.parent / "cache").iterdir())


def test_compiled_once_and_kept(kept):
    first, times = load(kept)
    again, more = load(kept)
    assert (times, more) == (1, 0)
    assert first(21) == again(21) == 42 and again(-(2**40)) == -(2**41)
    assert len(files(kept)) == 1


def test_no_part_stays(kept, monkeypatch):
    """Neither where the last step fails, nor of a process that was killed before it."""

    def refused(*_):
        raise OSError("no")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", refused)
        assert load(kept)[1] == 1
    assert files(kept) == []
    left, fresh = kept.parent / "cache" / "source.abc.o.123", kept.parent / "cache" / "source.abc.o.124"
    for part in (left, fresh):
        part.write_bytes(b"")
    os.utime(left, (0, 0))
    load(kept)
    assert not left.exists() and fresh.exists() and len(files(kept)) == 2


def test_another_source_is_compiled_and_the_old_file_goes(kept):
    load(kept)
    (old,) = files(kept)
    kept.write_text("second")
    assert load(kept)[1] == 1 and load(kept)[1] == 0
    assert old not in files(kept) and len(files(kept)) == 1


@pytest.mark.parametrize(
    "damage", [lambda data: data[:-1], lambda data: data[:80] + b"x" + data[81:], lambda data: b""]
)
def test_a_damaged_file_is_made_anew(kept, damage):
    load(kept)
    (path,) = files(kept)
    path.write_bytes(damage(path.read_bytes()))
    function, times = load(kept)
    assert times == 1 and function(4) == 8 and load(kept)[1] == 0


def test_without_a_folder_to_write_to(kept, monkeypatch):
    blocked = kept.parent / "file"
    blocked.write_text("")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(blocked))
    assert load(kept)[0](3) == 6 and load(kept)[1] == 1


def test_code_that_calls_others_is_not_kept(kept):
    with pytest.raises(RuntimeError, match="must call nothing else"):
        load(kept, reaching_out)


def test_a_large_table_is_read_without_numba(tmp_path):
    script = (
        "import sys\nfrom rosenblatt.sources import number_table\nnumber_table.load()\nprint('numba' in sys.modules)\n"
    )
    command = [sys.executable, "-c", script]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    assert subprocess.run(command, capture_output=True, text=True, timeout=60).stdout == "False\n"


def test_what_both_halves_of_the_reader_say():
    from rosenblatt.sources import number_cells, number_table, powers

    for name in ("BEYOND", "MOST_WORDS", "SLOTS", "NUMBER", "WHOLE", "WORD", "NOT_PLAIN", "FULL", "LINE_END"):
        assert getattr(number_cells, name) == getattr(number_table, name)
    assert (number_cells.LEAST, number_cells.MOST) == (powers.LEAST, powers.MOST)


def test_code_for_another_processor_is_not_loaded(kept, monkeypatch):
    assert load(kept)[1] == 1
    monkeypatch.setattr(machine_code, "_processor", lambda: "one that can do less")
    function, times = load(kept)
    assert times == 1 and function(4) == 8
