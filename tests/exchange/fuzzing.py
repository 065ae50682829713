"""Damages model files in every way that we could think of, and looks at what loading them does.

A damaged file is refused with one sentence, or it loads and answers. `python -m tests.exchange.fuzzing FIRST LAST`
tries the cases with these numbers in this process, so that a crash is the process's; what went wrong is printed.
"""

import json
import math
import os
import pathlib
import random
import resource
import sys
import tempfile
import time
import warnings

import numpy as np

from rosenblatt import describe, load, save
from rosenblatt.exchange.table import NAMES as KINDS
from rosenblatt.models.file import KEY, packed, read_file
from tests.exchange import models

NAMES = (
    "perceptron", "pocket float32", "voted csr", "voted coupled", "coupled", "one class", "svm", "logistic",
    "least squares", "discriminant", "layers", "streamed", "rbf", "polynomial csr", "gaussian voted", "kernel pocket",
    "precomputed", "pair products", "hog", "columns", "standard", "polynomial", "pca", "nested", "imputer",
    "one-hot dropped", "one-hot rare", "ordinal", "count", "tfidf", "hashing", "column transformer", "column numbers",
    "column encoder", "column encoder hashed", "nystroem", "rbf sampler", "unit", "network", "soft network",
)  # fmt: skip
POOL = (
    None, True, False, 0, 1, -1, 2, 3, 7, 64, 2**31, 2**53, 2**62, 2**63, 10**400, -(2**70), 0.5, math.nan, math.inf,
    -math.inf, 1e308, "", "x", "F", "rows", "columns", "last", "voted", "coupled", "cuda", "precomputed", "rbf",
    "(", "[a", "(?u)\\b\\w+\\b",
    "../../etc/passwd", "os.system", "\ud800", "\n", [], {}, [[]], {"array": "model"}, {"object": 0}, {"object": -1},
    {"object": 10**9}, {"function": "print"}, {"dtype": "object"}, {"kernel": "rbf", "parameters": {"gamma": -1.0}},
    {"kernel": "polynomial", "parameters": {"degree": 10**9}}, {"list": []}, {"dict": []},
    {"map": {"a": 1}}, {"map": []}, {"tuple": [1, 2]},
    {"slice": [0, 10**12, -1]}, {"scalar": "float32", "value": 1e300}, {"text": ["a", "a"]}, {"objects": [None]},
    {"csr": [0, 0, 0], "shape": [2**60, 2**60]}, {"bytes": "zz"}, {"random_state": ["MT19937", 0, 0, 0, 0.0]},
    {"import": "os"}, {"py/object": "os.system"},
)  # fmt: skip
BYTES = ("bits", "cut", "length", "insert", "zeros", "metadata", "double")
SECONDS = 20.0  # that a case may take


def whole_files():
    """(name, bytes, rows or None) of the files that are damaged."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.safetensors")
        for name in NAMES:
            model, rows = models.fitted(name)
            save(model, path, about={"source": "a fuzzer"})
            yield name, pathlib.Path(path).read_bytes(), rows


class Fuzzer:
    def __init__(self, folder):
        self.files = list(whole_files())
        self.path = pathlib.Path(folder) / "case.safetensors"
        self.counts = {"refused": 0, "answered": 0, "refused to answer": 0, "learned": 0}

    def case(self, number):
        """Try one case; a text says what went wrong, "" that nothing did."""
        dice = random.Random(number)
        name, content, rows = self.files[number % len(self.files)]
        damaged, how = damage(dice, content)
        self.path.write_bytes(damaged)
        clock = time.perf_counter()
        said = self._try(rows, name if how in BYTES and name in NAMES else None)
        seconds = time.perf_counter() - clock
        if seconds > SECONDS:
            said = f"took {seconds:.0f} s; {said}"
        return f"case {number} ({name}, {how}): {said}" if said else ""

    def _try(self, rows, unsealed):
        """`unsealed` names a model whose file was damaged under its seal: it is refused, or is the same model."""
        for read in (describe, load):
            try:
                loaded = read(self.path)
            except (ValueError, OSError) as error:
                self.counts["refused"] += read is load
                if "\n" in str(error).strip() or len(str(error)) > 1000 or not str(error).endswith("."):
                    return f"not one sentence: {error!s:.300}"
                loaded = None
            except BaseException as error:
                return f"{read.__name__} raised {type(error).__name__}: {error!s:.300}"
        if loaded is None:
            return ""
        try:
            answers = models.answers(loaded, rows)
            if unsealed and answers.tolist() != models.answers(*models.fitted(unsealed)).tolist():
                return "an altered file was taken for whole"
        except (ValueError, TypeError, AttributeError, ImportError) as error:
            # Rows of another width or kind than those of the altered model; a GPU that is not there.
            self.counts["refused to answer"] += 1
            if isinstance(error, AttributeError) and "was not kept" not in str(error):
                return f"answering raised {type(error).__name__}: {error!s:.300}"
        except BaseException as error:
            return f"answering raised {type(error).__name__}: {error!s:.300}"
        else:
            self.counts["answered"] += 1
        return self._learn(loaded, rows)

    def _learn(self, loaded, rows):
        """What loads may be trained further, too: nothing in it leads the compiled loops astray."""
        if not hasattr(loaded, "partial_fit") or not hasattr(loaded, "classes_") or not len(loaded.classes_):
            return ""
        try:
            loaded.partial_fit(rows[:6], np.resize(loaded.classes_, 6))
        except (ValueError, TypeError, ImportError):
            return ""
        except BaseException as error:
            return f"learning raised {type(error).__name__}: {error!s:.300}"
        self.counts["learned"] += 1
        return ""


def damage(dice, content):
    """(other bytes, how)."""
    if dice.random() < 0.3:
        return damaged_bytes(dice, bytearray(content))
    with tempfile.NamedTemporaryFile(suffix=".safetensors") as file:
        file.write(content)
        file.flush()
        header, arrays = read_file(file.name)
    how = []
    try:
        for _ in range(dice.choice((1, 1, 1, 2, 3))):
            if isinstance(header, str):  # what is text already is not changed any more
                break
            change = dice.choice((change_header, change_header, change_array, change_array, change_names, change_text))
            header, arrays, what = change(dice, header, arrays)
            how.append(what)
        return resealed(header, arrays), ", ".join(how)
    except (TypeError, ValueError, RecursionError, OverflowError):  # what nobody could write
        return damaged_bytes(dice, bytearray(content))


def resealed(header, arrays):
    """A file that is sealed as it should be, whatever is in it."""
    if isinstance(header, str):
        from safetensors.numpy import save as pack

        from rosenblatt.models.file import sealed

        return pack(arrays, {KEY: sealed(header, arrays)})
    return packed(header, arrays)


def damaged_bytes(dice, content):
    kind = dice.choice(BYTES)
    if kind == "bits":
        for _ in range(dice.choice((1, 1, 1, 8, 64))):
            content[dice.randrange(len(content))] ^= 1 << dice.randrange(8)
    elif kind == "cut":
        del content[dice.randrange(len(content)) :]
    elif kind == "length":  # of safetensors' own header
        content[:8] = dice.choice((0, 1, 2**31, 2**40, 2**63, 2**64 - 1, len(content))).to_bytes(8, "little")
    elif kind == "insert":
        place = dice.randrange(len(content))
        content[place:place] = dice.randbytes(dice.choice((1, 7, 8, 1000)))
    elif kind == "zeros":
        place = dice.randrange(len(content))
        content[place : place + 64] = bytes(len(content[place : place + 64]))
    elif kind == "metadata":  # numbers within safetensors' own header
        length = int.from_bytes(content[:8], "little")
        places = [n for n in range(8, 8 + length) if chr(content[n]).isdigit()]
        for _ in range(dice.choice((1, 2, 5))):
            content[dice.choice(places)] = ord(dice.choice("0123456789"))
    else:
        content += bytes(content)
    return bytes(content), kind


def nodes(tree, path=()):
    """The places of everything in a JSON tree."""
    yield path
    if isinstance(tree, dict):
        for key, item in tree.items():
            yield from nodes(item, (*path, key))
    elif isinstance(tree, list):
        for n, item in enumerate(tree):
            yield from nodes(item, (*path, n))


def at(tree, path):
    for step in path:
        tree = tree[step]
    return tree


def change_header(dice, header, arrays):
    header = json.loads(json.dumps(header))
    places = [path for path in nodes(header) if path]
    path = dice.choice(places)
    parent, key = at(header, path[:-1]), path[-1]
    kind = dice.choice(("replace", "replace", "delete", "copy", "number", "kind", "deep", "rename", "repeat"))
    if kind == "replace":
        parent[key] = dice.choice(POOL)
    elif kind == "delete":
        del parent[key]
    elif kind == "copy":
        parent[key] = json.loads(json.dumps(at(header, dice.choice(places))))
    elif kind == "number":
        numbers = [p for p in places if isinstance(at(header, p), int | float)]
        path = dice.choice(numbers)
        at(header, path[:-1])[path[-1]] = dice.choice(
            (at(header, path) + 1, -at(header, path), at(header, path) * 1000)
        )
    elif kind == "kind":
        kinds = [p for p in places if p[-1] == "kind"]
        path = dice.choice(kinds)
        at(header, path[:-1])["kind"] = dice.choice(sorted(KINDS))
    elif kind == "deep":
        deep: object = 1
        for _ in range(dice.choice((10, 100, 900))):
            deep = dice.choice(([deep], {"list": [deep]}, {"tuple": [deep]}))
        parent[key] = deep
    elif kind == "rename" and isinstance(parent, dict):
        parent[dice.choice(("x", "max_iter", "__class__", "_state", "weights_", "steps"))] = parent.pop(key)
    elif kind == "repeat" and isinstance(parent, list):
        parent.extend([parent[key]] * dice.choice((1, 10, 10_000)))
    return header, arrays, f"header {kind} at {'.'.join(map(str, path))[:80]}"


def change_text(dice, header, arrays):
    """Things that JSON allows and Python's own dictionaries do not."""
    text = json.dumps(header)
    kind = dice.choice(("twice", "deep", "garbage"))
    if kind == "twice":
        key = dice.choice(sorted(header))
        text = text[:-1] + f", {json.dumps(key)}: {json.dumps(header[key])}}}"
    elif kind == "deep":
        text = text[:-1] + ', "deep": ' + "[" * 100_000 + "]" * 100_000 + "}"
    else:
        place = dice.randrange(len(text))
        text = text[:place] + dice.choice(("", ",", "{", '"', "NaN", "1e999", "-0", "\\u0000")) + text[place + 1 :]
    return (text if isinstance(header, dict) else header), arrays, f"text {kind}"


def change_array(dice, header, arrays):
    if not arrays:
        return header, arrays, "no arrays"
    arrays = {name: array.copy() for name, array in arrays.items()}
    name = dice.choice(sorted(arrays))
    array = arrays[name]
    kind = dice.choice(("values", "values", "dtype", "shape", "shorter", "longer", "empty", "bits", "other"))
    if kind == "values" and array.size:
        numbers = (0, 1, -1, 255, 2**31 - 1, 2**62, math.nan, math.inf, -math.inf, 1e300, 60, 4, 3)
        with np.errstate(all="ignore"):
            array.flat[dice.randrange(array.size)] = np.float64(dice.choice(numbers)).astype(array.dtype)
    elif kind == "dtype":
        with np.errstate(all="ignore"):
            array = array.astype(dice.choice(("f4", "f8", "f2", "i8", "i4", "u1", "i1", "?", "u8", "u4")))
    elif kind == "shape":
        shapes = (array.T, array.ravel(), array[None], array[..., None], array.reshape(-1, 1))
        array = np.ascontiguousarray(dice.choice(shapes))
    elif kind == "shorter" and array.ndim and len(array):
        array = array[: dice.randrange(len(array))]
    elif kind == "longer" and array.ndim:
        array = np.concatenate([array, array])
    elif kind == "empty":
        array = array[:0] if array.ndim else np.empty((0, 2**40), array.dtype)
    elif kind == "bits" and array.size:
        raw = np.frombuffer(dice.randbytes(array.nbytes), array.dtype if array.dtype != bool else np.uint8)
        array = (raw if array.dtype != bool else raw > 127).reshape(array.shape)
    elif kind == "other":
        array = arrays[dice.choice(sorted(arrays))]
    arrays[name] = np.ascontiguousarray(array)
    return header, arrays, f"array {kind} of {name}"


def change_names(dice, header, arrays):
    arrays = dict(arrays)
    names = sorted(arrays)
    kind = dice.choice(("swap", "drop", "extra", "rename"))
    if not names:
        return header, arrays, "no arrays"
    first, second = dice.choice(names), dice.choice(names)
    if kind == "swap":
        arrays[first], arrays[second] = arrays[second], arrays[first]
    elif kind == "drop":
        del arrays[first]
    elif kind == "extra":
        arrays["extra"] = arrays[first]
    else:
        arrays[first + "x"] = arrays.pop(first)
    return header, arrays, f"names {kind} {first} {second}"


def main(first, last):
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    with tempfile.TemporaryDirectory() as folder:
        return tried(Fuzzer(folder), first, last)


def tried(fuzzer, first, last):
    resource.setrlimit(resource.RLIMIT_AS, (12 * 2**30,) * 2)  # of address space: what asks for far more is told no
    wrong = 0
    for number in range(first, last):
        said = fuzzer.case(number)
        if said:
            wrong += 1
            print(said, flush=True)
    print(json.dumps({"cases": last - first, "wrong": wrong, **fuzzer.counts}), flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2])))
