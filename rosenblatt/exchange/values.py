"""Values as JSON and arrays, and back: the only kinds of things that a model file can hold.

Numbers, text, Booleans and None are themselves. Everything else is an object with a tag that says what it is:

    {"array": NAME}                         a tensor of the file; with "order": "F", a Fortran-ordered one
    {"text": [...]}                         an array of text; a long one has its letters and ends in two arrays
    {"objects": [...]}                      an array of objects, each of them a value
    {"csr": [data, indices, indptr], "shape": [n, d]}
    {"scalar": dtype, "value": ...}         a single number with a type of its own
    {"list": [...]} {"tuple": [...]} {"map": {...}} {"slice": [a, b, c]} {"bytes": hex}
    {"dict": [[key, value], ...]}           a dictionary whose keys are not all text
    {"dtype": name} {"type": name}          a type of numbers, as numpy's dtype or class
    {"random_state": [name, array, position, has_gauss, cached]}
    {"kernel": name, "parameters": {...}}   one of ours
    {"function": name}                      a function of the user's, of which only the name is kept
    {"object": number}                      an earlier object of the file

Reading never looks a name up anywhere but in the tables of this package.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np
import scipy.sparse

from rosenblatt.engine.online.state import Array
from rosenblatt.estimators.missing import MissingFunction
from rosenblatt.kernels import KERNELS, Function, Kernel
from rosenblatt.rules import Rule

NUMBERS = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32",
           "float64")  # fmt: skip
INLINE = 1000  # texts up to here stand in the header, where a reader sees them
PLAIN = (str, int, float, bool, type(None))


class Writer:
    """Takes values apart. `knows` says which things are in the table, and `state_of` what is kept of one."""

    def __init__(self, knows: Callable[[Any], bool], state_of: Callable[[Any], dict[str, Any]]) -> None:
        self.arrays: dict[str, Array] = {}
        self.objects: list[dict[str, Any]] = []
        self._numbers: dict[int, int] = {}
        self._alive: list[Any] = []  # an id is a name only while the thing lives
        self._under_way: set[int] = set()
        self._knows, self._state_of = knows, state_of

    def thing(self, value: Any, place: str) -> dict[str, Any]:
        """A thing of the table, described once however often it is met."""
        if id(value) in self._under_way:
            raise TypeError(f"A model file holds no circles, but {place} contains itself; take it out.")
        if not self._knows(value):
            _refuse(place, f"{type(value).__module__.split('.')[0]}'s {type(value).__name__}")
        if id(value) not in self._numbers:
            self._under_way.add(id(value))
            state = {name: self.value(part, f"{place}.{name}") for name, part in self._state_of(value).items()}
            described = {"kind": type(value).__name__, "state": state}
            self._under_way.discard(id(value))
            self._alive.append(value)
            self._numbers[id(value)] = len(self.objects)
            self.objects.append(described)
        return {"object": self._numbers[id(value)]}

    def value(self, value: Any, place: str) -> Any:
        """As JSON; arrays go into the file under the name of their place."""
        if type(value) in PLAIN:
            if type(value) is int and value.bit_length() > 10_000:
                _refuse(place, "a whole number of more than 3,000 digits")
            return value
        if isinstance(value, np.ndarray):
            return self._array(value, place)
        if isinstance(value, np.generic):
            return self._scalar(value, place)
        if isinstance(value, list | tuple):
            parts = [self.value(item, f"{place}.{n}") for n, item in enumerate(value)]
            return {"tuple" if isinstance(value, tuple) else "list": parts}
        if isinstance(value, dict) and all(type(key) is str for key in value):
            return {"map": {key: self.value(item, f"{place}.{key}") for key, item in value.items()}}
        if isinstance(value, dict):
            keys = [self.value(key, f"{place}.key{n}") for n, key in enumerate(value)]
            items = [self.value(item, f"{place}.{n}") for n, item in enumerate(value.values())]
            return {"dict": [list(pair) for pair in zip(keys, items, strict=True)]}
        if isinstance(value, slice):
            return {"slice": [self.value(part, place) for part in (value.start, value.stop, value.step)]}
        if isinstance(value, bytes):
            return {"bytes": value.hex()}
        if isinstance(value, np.dtype):
            return {"dtype": _dtype_name(value, place)}
        if isinstance(value, type) and issubclass(value, np.generic):
            return {"type": _dtype_name(np.dtype(value), place)}
        if any(value is kind for kind in (float, int, bool, object)):
            return {"dtype": _dtype_name(np.dtype(value), place)}
        return self._special(value, place)

    def _special(self, value: Any, place: str) -> Any:
        if scipy.sparse.issparse(value):
            rows = scipy.sparse.csr_array(value)
            parts = [self._array(getattr(rows, name), f"{place}.{name}") for name in ("data", "indices", "indptr")]
            return {"csr": parts, "shape": [int(size) for size in rows.shape]}
        if isinstance(value, np.random.RandomState):
            name, keys, *rest = value.get_state(legacy=True)
            return {"random_state": [name, self._array(np.asarray(keys), f"{place}.keys"), *map(_number, rest)]}
        if value is np.random:  # scikit-learn's other name for None
            return None
        if isinstance(value, Function | Rule):
            return {"function": value.name if isinstance(value, Rule) else _name(value.function)}
        if isinstance(value, MissingFunction):
            return {"function": value.name}
        if isinstance(value, Kernel):
            return {"kernel": value.name, "parameters": {key: _number(v) for key, v in value.parameters.items()}}
        if callable(value) and not self._knows(value) and not hasattr(value, "get_params"):
            return {"function": _name(value)}
        return self.thing(value, place)

    def _array(self, array: Array, place: str) -> dict[str, Any]:
        kind = array.dtype.kind
        if array.dtype.name in NUMBERS:
            self._keep(place, array)
            # A matrix product may round otherwise for a matrix whose columns are together in memory.
            by_columns = array.ndim > 1 and array.flags.f_contiguous and not array.flags.c_contiguous
            return {"array": place, "order": "F"} if by_columns else {"array": place}
        if kind == "U" and array.ndim == 1:
            return self._text(array.tolist(), place)
        if kind == "O" and array.ndim == 1:
            items = array.tolist()
            if items and all(type(item) is str for item in items):
                return {**self._text(items, place), "objects": True}
            return {"objects": [self.value(item, f"{place}.{n}") for n, item in enumerate(items)]}
        _refuse(place, f"an array of {array.dtype} with {array.ndim} axes")

    def _text(self, items: list[str], place: str) -> dict[str, Any]:
        if len(items) <= INLINE:
            return {"text": items}
        letters = [item.encode("utf-8", "surrogatepass") for item in items]
        self._keep(f"{place}.letters", np.frombuffer(b"".join(letters), np.uint8))
        self._keep(f"{place}.ends", np.cumsum([len(part) for part in letters], dtype=np.int64))
        return {"text": {"letters": f"{place}.letters", "ends": f"{place}.ends"}}

    def _keep(self, place: str, array: Array) -> None:
        assert place not in self.arrays
        self.arrays[place] = array.astype(array.dtype.newbyteorder("="), copy=False)

    def _scalar(self, value: Any, place: str) -> Any:
        if value.dtype.name in NUMBERS:
            return {"scalar": value.dtype.name, "value": value.item()}
        if isinstance(value, str | bytes):
            return self.value(str(value) if isinstance(value, str) else bytes(value), place)
        _refuse(place, f"a number of the type {value.dtype}")


class Reader:
    """Puts values together again. Whatever is not as `Writer` writes it is a ValueError."""

    def __init__(self, arrays: dict[str, Array], things: list[Any]) -> None:
        self._arrays, self._unread = arrays, set(arrays)
        self._things = things  # those described so far

    @property
    def unread(self) -> set[str]:
        return self._unread

    def value(self, code: Any) -> Any:
        if type(code) in PLAIN:
            return code
        if type(code) is not dict or not code:
            raise ValueError("a value is of a kind that does not exist")
        tag, content = next(iter(code.items()))
        if type(tag) is not str or tag not in TAGS:
            raise ValueError(f"a value is a {str(tag)[:40]!r}, which does not exist")
        extra = set(code) - {tag} - BESIDES.get(tag, set())
        if extra:
            raise ValueError(f"a value has {sorted(extra)[0][:40]!r} besides")
        return getattr(self, f"_read_{tag}")(content, code)

    def array(self, name: Any) -> Array:
        if type(name) is not str or name not in self._arrays:
            raise ValueError(f"the array {str(name)[:60]!r} is missing")
        self._unread.discard(name)
        return self._arrays[name]

    def _read_array(self, content: Any, code: dict[str, Any]) -> Array:
        array = self.array(content)
        if code.get("order", "F") != "F":
            raise ValueError("an array has an unknown order")
        return np.asfortranarray(array) if "order" in code else array

    def _read_text(self, content: Any, code: dict[str, Any]) -> Array:
        items = content
        if type(content) is dict:
            letters, ends = self.array(content.get("letters")), self.array(content.get("ends"))
            if letters.dtype != np.uint8 or ends.dtype != np.int64 or letters.ndim != 1 or ends.ndim != 1:
                raise ValueError("a list of text does not have letters and ends")
            starts = np.concatenate([[0], ends])
            if (np.diff(starts) < 0).any() or starts[-1] != len(letters):
                raise ValueError("a list of text does not end where its letters do")
            raw = letters.tobytes()
            items = [
                raw[a:b].decode("utf-8", "surrogatepass")
                for a, b in zip(starts[:-1].tolist(), ends.tolist(), strict=True)
            ]
        if type(items) is not list or not all(type(item) is str for item in items):
            raise ValueError("a list of text holds something else")
        if "objects" in code:
            return _object_array(items)
        return np.array(items, dtype=None if items else "<U1")

    def _read_objects(self, content: Any, code: dict[str, Any]) -> Array:
        return _object_array(self._read_list(content, code))

    def _read_list(self, content: Any, code: dict[str, Any]) -> list[Any]:
        if type(content) is not list:
            raise ValueError("a list is something else")
        return [self.value(item) for item in content]

    def _read_tuple(self, content: Any, code: dict[str, Any]) -> tuple[Any, ...]:
        return tuple(self._read_list(content, code))

    def _read_dict(self, content: Any, code: dict[str, Any]) -> dict[Any, Any]:
        if type(content) is not list or not all(type(pair) is list and len(pair) == 2 for pair in content):
            raise ValueError("a dictionary is something else")
        return {self.value(key): self.value(item) for key, item in content}

    def _read_map(self, content: Any, code: dict[str, Any]) -> dict[str, Any]:
        if type(content) is not dict:
            raise ValueError("a dictionary is something else")
        return {key: self.value(item) for key, item in content.items()}

    def _read_slice(self, content: Any, code: dict[str, Any]) -> slice:
        parts = self._read_list(content, code)
        if len(parts) != 3 or not all(part is None or type(part) in (int, str) for part in parts):
            raise ValueError("a slice has other than three places")
        return slice(*parts)

    def _read_bytes(self, content: Any, code: dict[str, Any]) -> bytes:
        return bytes.fromhex(content)

    def _read_dtype(self, content: Any, code: dict[str, Any]) -> Any:
        if content == "object":
            return np.dtype(object)
        if content not in NUMBERS:
            raise ValueError(f"unknown dtype {str(content)[:40]!r}")
        return np.dtype(content)

    def _read_type(self, content: Any, code: dict[str, Any]) -> Any:
        if content not in NUMBERS:
            raise ValueError(f"unknown dtype {str(content)[:40]!r}")
        return np.dtype(content).type

    def _read_scalar(self, content: Any, code: dict[str, Any]) -> Any:
        value = code.get("value")
        if type(value) not in (int, float, bool):
            raise ValueError("a number is something else")
        if content not in NUMBERS:
            raise ValueError(f"unknown dtype {str(content)[:40]!r}")
        return np.dtype(content).type(value)

    def _read_random_state(self, content: Any, code: dict[str, Any]) -> Any:
        name, keys, position, has_gauss, cached = content
        keys = self.value(keys)
        whole = type(position) is int and 0 <= position <= 624 and has_gauss in (0, 1)
        if name != "MT19937" or keys.dtype != np.uint32 or keys.shape != (624,) or not whole:
            raise ValueError("the state of a random generator is none of MT19937's")
        state = np.random.RandomState()
        state.set_state((name, keys, position, has_gauss, float(cached)))
        return state

    def _read_csr(self, content: Any, code: dict[str, Any]) -> Any:
        data, indices, indptr = self._read_list(content, code)
        shape = code.get("shape")
        if type(shape) is not list or len(shape) != 2 or not all(type(s) is int and 0 <= s < 2**62 for s in shape):
            raise ValueError("a sparse matrix has no shape")
        return checked_csr(data, indices, indptr, (shape[0], shape[1]))

    def _read_kernel(self, content: Any, code: dict[str, Any]) -> Kernel:
        parameters = code.get("parameters")
        if content not in KERNELS or type(parameters) is not dict:
            raise ValueError(f"the kernel {str(content)[:40]!r} does not exist")
        return KERNELS[content](**parameters)

    def _read_function(self, content: Any, code: dict[str, Any]) -> MissingFunction:
        if type(content) is not str:
            raise ValueError("a function has no name")
        return MissingFunction(content)

    def _read_object(self, content: Any, code: dict[str, Any]) -> Any:
        if type(content) is not int or not 0 <= content < len(self._things):
            raise ValueError(f"thing number {str(content)[:40]} is not described before it is used")
        return self._things[content]


TAGS = ("array", "text", "objects", "list", "tuple", "map", "dict", "slice", "bytes", "dtype", "type", "scalar",
        "random_state", "csr", "kernel", "function", "object")  # fmt: skip
BESIDES = {"array": {"order"}, "text": {"objects"}, "scalar": {"value"}, "csr": {"shape"}, "kernel": {"parameters"}}


def checked_csr(data: Any, indices: Any, indptr: Any, shape: tuple[int, int]) -> Any:
    """A CSR matrix, none of whose numbers leads a compiled loop astray."""
    for part, kinds in ((data, "fiub"), (indices, "i"), (indptr, "i")):
        if not isinstance(part, np.ndarray) or part.ndim != 1 or part.dtype.kind not in kinds:
            raise ValueError("a sparse matrix has parts of another kind")
    if len(indptr) != shape[0] + 1 or len(data) != len(indices):
        raise ValueError(f"a sparse matrix does not have {shape[0]} rows")
    if indptr[0] != 0 or indptr[-1] != len(data) or (np.diff(indptr) < 0).any():
        raise ValueError("the rows of a sparse matrix do not follow one another")
    if len(indices) and not (indices.min() >= 0 and indices.max() < shape[1]):
        raise ValueError(f"a sparse matrix has numbers outside its {shape[1]} columns")
    return scipy.sparse.csr_array((data, indices, indptr), shape=shape)


def _object_array(items: list[Any]) -> Array:
    result = np.empty(len(items), object)
    for n, item in enumerate(items):
        result[n] = item
    return result


def _dtype_name(dtype: np.dtype[Any], place: str) -> str:
    if dtype.name not in NUMBERS and dtype != np.dtype(object):
        _refuse(place, f"the type {dtype}")
    return str(dtype.name)


def _number(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _name(function: Any) -> str:
    return str(getattr(function, "__name__", type(function).__name__))


def _refuse(place: str, what: str) -> NoReturn:
    raise TypeError(
        f"A model file holds numbers, text and what rosenblatt and scikit-learn's usual preprocessing consist of, but "
        f"{place} is {what}; leave it out or convert it."
    )
