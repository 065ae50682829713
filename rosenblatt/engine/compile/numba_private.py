"""What is private in numba, in one place: how parts of a compiled loop are compiled, and two operations on tuples.

numba optimises every function that compiled code calls, generates machine code and a C wrapper for it, and does so
again for each function that calls that one. Our parts are called by nothing but the loop that contains them: their
code is linked into the loop as it was written, and the loop is optimised once, as a whole. It is as fast, and compiles
in little more than half the time. `PartCompiler` and `LoopCompiler` do this with the internals of numba 0.68; with any
other version `jit` compiles in numba's usual way.

`with_safe_cache` lets numba's cache on disk notice an edit of any file of the engine, not only of the one with
the loop, and compiles again where a file of the cache is damaged (a full disk, a killed process) instead of raising.
It uses private attributes; where they are missing, `jit` compiles without a cache on disk.

`to_fixed_tuple` and `tuple_setitem` turn a row of parameters into a tuple and change one entry of it. numba has had
them under these names since 0.46, and has no public way to do either in compiled code.
"""

from __future__ import annotations

from typing import Any

import numba
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.compiler_machinery import LoweringPass, register_pass
from numba.core.environment import lookup_environment
from numba.core.typed_passes import AnnotateTypes, NativeLowering
from numba.cpython.unsafe.tuple import tuple_setitem as tuple_setitem
from numba.np.unsafe.ndarray import to_fixed_tuple as to_fixed_tuple

PIPELINES_KNOWN = numba.__version__.startswith("0.68.")


class PartLibrary(JITCodeLibrary):  # type: ignore[misc]
    """Code that is there to be linked into a loop, and has no address of its own."""

    @property
    def codegen(self) -> PartLibrary:
        """Whom numba asks to set the environment of a function: see `set_env`."""
        return self

    def set_env(self, name: str, environment: Any) -> None:
        """A part has no place to keep it in; the loop does it, in `HandOutEnvironments`."""

    def get_pointer_to_function(self, name: str) -> int:
        self._ensure_finalized()
        return 0

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


@register_pass(mutates_CFG=False, analysis_only=True)
class UsePartLibrary(LoweringPass):  # type: ignore[misc]
    _name = "use_part_library"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        state.library = PartLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        return False


@register_pass(mutates_CFG=False, analysis_only=True)
class HandOutEnvironments(LoweringPass):  # type: ignore[misc]
    """What a part needs of Python, to print a number for example, stands in the loop now."""

    _name = "hand_out_environments"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        for variable in state.library._final_module.global_variables:
            environment = lookup_environment(variable.name)
            if environment is not None:
                state.library.codegen.set_env(variable.name, environment)
        return False


def _with_pass(passes: list[Any], added: Any, after: Any) -> list[Any]:
    for manager in passes:
        manager.add_pass_after(added, after)
        manager.finalize()
    return passes


class PartCompiler(Compiler):  # type: ignore[misc]
    def define_pipelines(self) -> list[Any]:
        return _with_pass(super().define_pipelines(), UsePartLibrary, AnnotateTypes)


class LoopCompiler(Compiler):  # type: ignore[misc]
    def define_pipelines(self) -> list[Any]:
        return _with_pass(super().define_pipelines(), HandOutEnvironments, NativeLowering)


def with_safe_cache(function: Any, digest: str) -> Any:
    """The compiled function, cached on disk for sources with this digest; a damaged file is compiled again.

    Loading also skips the registration of everything that numba could compile, a tenth of a second; numba does that
    itself before it compiles.
    """
    cache: Any = function._cache
    cache._cache_file._source_stamp = cache._cache_file._source_stamp, digest
    read, guard = cache._load_overload, cache._guard_against_spurious_io_errors

    def load(signature: Any, target: Any) -> Any:
        try:
            with guard():
                return read(signature, target)
        except Exception:  # unpickling a damaged file may raise anything
            cache.flush()  # starts a new index
            return None

    cache.load_overload = load
    return function
