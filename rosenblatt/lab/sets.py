"""The ready sets: what each is, its knobs, and the Python that makes it."""

from __future__ import annotations

import csv
import functools
import io
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rosenblatt.arguments import shortened
from rosenblatt.engine.online.state import Array
from rosenblatt.lab.options import Option, Values, fill

MOST_DRAWN = 2000  # points on the screen; more are sampled for display and learned from in full
LITERAL = 2000  # points that a script writes out
SEED = Option("seed", "seed of the set", 0, 0, 9999, whole=True)


@dataclass(frozen=True, eq=False)
class Data:
    """Rows to learn from, labels -1 and +1, how to draw them, and the Python that makes `X` and `y`."""

    X: Array
    y: Array
    axes: tuple[str, str] = ("x₁", "x₂")
    classes: tuple[str, str] = ("−1", "+1")
    code: str = ""
    drawn: Array | None = None  # where rows of more than two features are drawn
    shape: tuple[int, int] | None = None  # of the image that a row is

    @property
    def plane(self) -> Array:
        """Where each row is drawn."""
        return self.X if self.drawn is None else self.drawn

    @property
    def flat(self) -> bool:
        """Whether what is drawn is what is learned from."""
        return self.drawn is None

    def sample(self) -> Array:
        """The rows that are drawn: all, or a fixed even sample of at most `MOST_DRAWN`."""
        n = len(self.y)
        return np.arange(n) if n <= MOST_DRAWN else np.linspace(0, n - 1, MOST_DRAWN).astype(np.int64)


@dataclass(frozen=True)
class ReadySet:
    """A set of the menu."""

    name: str
    title: str
    options: tuple[Option, ...]
    make: Callable[[Values], Data]
    about: str


def _count(default: int = 60, most: int = 1000) -> Option:
    return Option("n", "points", default, 4, most, whole=True)


def _toy(call: str, classes: tuple[str, str] = ("−1", "+1")) -> Data:
    """A set of `rosenblatt.sources`, made by the very line that the script shows."""
    from rosenblatt import sources

    function = call.split("(")[0]
    toy = eval(call, {function: getattr(sources, function)})
    code = f"from rosenblatt.sources import {function}\n\ntoy = {call}\nX, y = toy.X, toy.y"
    return Data(toy.X, toy.y, classes=classes, code=code)


def _moons(values: Values) -> Data:
    from sklearn.datasets import make_moons

    X, y = make_moons(values["n"], noise=values["noise"], random_state=values["seed"])
    code = (
        "from sklearn.datasets import make_moons\n\n"
        f"X, y = make_moons({values['n']}, noise={values['noise']!r}, random_state={values['seed']})\ny = 2 * y - 1"
    )
    return Data(X, 2 * y - 1, code=code)


FLOWERS = ("setosa and versicolor", "setosa and virginica", "versicolor and virginica")
MEASURES = ("sepal length", "sepal width", "petal length", "petal width")


def _iris(values: Values) -> Data:
    from sklearn.datasets import load_iris

    bunch = load_iris()
    names = [str(name) for name in bunch.target_names]
    a, b = (names.index(name) for name in values["pair"].split(" and "))
    i, j = MEASURES.index(values["across"]), MEASURES.index(values["up"])
    chosen = np.isin(bunch.target, (a, b))
    code = (
        "import numpy as np\nfrom sklearn.datasets import load_iris\n\nbunch = load_iris()\n"
        f"chosen = np.isin(bunch.target, ({a}, {b}))\n"
        f"X = np.ascontiguousarray(bunch.data[chosen][:, [{i}, {j}]])\n"
        f"y = np.where(bunch.target[chosen] == {b}, 1, -1)"
    )
    X = np.ascontiguousarray(bunch.data[chosen][:, [i, j]])
    axes = (f"{values['across']} (cm)", f"{values['up']} (cm)")
    return Data(X, np.where(bunch.target[chosen] == b, 1, -1), axes, (names[a], names[b]), code)


VIEWS = ("two pixels", "two principal axes", "all 784 pixels")
PIXELS = (10 * 28 + 14, 14 * 28 + 14)  # above the middle, and the middle: empty in a zero, ink in a one


@functools.lru_cache(maxsize=4)
def _digits(a: int, b: int) -> tuple[Array, Array]:
    from rosenblatt.sources import mnist_pair

    split = mnist_pair(a, b)
    return split.X_train, np.where(split.y_train == b, 1, -1)


@functools.lru_cache(maxsize=4)
def _axes_of(a: int, b: int) -> Array:
    from sklearn.decomposition import PCA

    return np.asarray(PCA(2, svd_solver="covariance_eigh").fit_transform(_digits(a, b)[0] / 255.0))


def _mnist(values: Values) -> Data:
    a, b = values["a"], values["b"]
    rows, y = _digits(a, b)
    code = (
        "import numpy as np\nfrom rosenblatt.sources import mnist_pair\n\n"
        f"split = mnist_pair({a}, {b})\ny = np.where(split.y_train == {b}, 1, -1)\n"
    )
    names = (str(a), str(b))
    if values["view"] == VIEWS[0]:
        code += f"X = split.X_train[:, {list(PIXELS)}] / 255.0"
        return Data(rows[:, list(PIXELS)] / 255.0, y, ("pixel (10, 14)", "pixel (14, 14)"), names, code)
    axes = ("first principal axis", "second principal axis")
    if values["view"] == VIEWS[1]:
        code = "from sklearn.decomposition import PCA\n" + code
        code += 'X = PCA(2, svd_solver="covariance_eigh").fit_transform(split.X_train / 255.0)'
        return Data(_axes_of(a, b), y, axes, names, code)
    code += "X = split.X_train / 255.0"
    return Data(rows / 255.0, y, axes, names, code, _axes_of(a, b), (28, 28))


def _never(address: str) -> Any:
    """The lab asks nobody: what is not on this machine is not there."""
    raise FileNotFoundError(address)


def missing(name: str) -> str:
    """Why a set cannot be had on this machine, in one sentence; empty where it can."""
    if name != "mnist":
        return ""
    from rosenblatt.sources.fetch import locate

    try:
        for part in ("images-idx3", "labels-idx1"):
            locate(f"mnist/train-{part}-ubyte", opener=_never)
    except OSError:
        return "MNIST is not on this machine; set ROSENBLATT_DATA, or run rosenblatt.sources.mnist() once."
    return ""


SETS: dict[str, ReadySet] = {
    ready.name: ready
    for ready in (
        ReadySet("blobs", "Two clouds with a margin",
            (_count(), Option("margin", "margin", 0.5, 0.05, 2.0), SEED),
            lambda v: _toy(f"blobs({v['n']}, margin={v['margin']!r}, random_state={v['seed']})"),
            "Two clouds, with a street of known width between them."),
        ReadySet("overlapping", "Overlapping clouds",
            (_count(100), Option("flipped", "flipped labels", 0.1, 0.0, 0.4), SEED),
            lambda v: _toy(f"overlapping_blobs({v['n']}, flipped={v['flipped']!r}, random_state={v['seed']})"),
            "Two clouds, and some points with the wrong label: no line is right everywhere."),
        ReadySet("and", "and", (), lambda v: _toy("and_()", ("false", "true")),
            "The four corners of a gate: true where both inputs are 1."),
        ReadySet("or", "or", (), lambda v: _toy("or_()", ("false", "true")),
            "The four corners of a gate: true where at least one input is 1."),
        ReadySet("xor", "xor", (), lambda v: _toy("xor()", ("false", "true")),
            "The four corners of a gate: true where exactly one input is 1. No line can do it."),
        ReadySet("circles", "Circles",
            (_count(100), Option("noise", "noise", 0.2, 0.0, 0.45), SEED),
            lambda v: _toy(f"circles({v['n']}, noise={v['noise']!r}, random_state={v['seed']})"),
            "One class inside the other. Lines fail; squares of the coordinates do not."),
        ReadySet("moons", "Moons",
            (_count(100), Option("noise", "noise", 0.1, 0.0, 0.5), SEED), _moons,
            "Two half moons, hooked into each other."),
        ReadySet("spirals", "Spirals",
            (_count(200), Option("turns", "turns", 1.0, 0.25, 2.0), Option("noise", "noise", 0.02, 0.0, 0.1), SEED),
            lambda v: _toy(
                f"spirals({v['n']}, turns={v['turns']!r}, noise={v['noise']!r}, random_state={v['seed']})"),
            "Two arms around each other: a task for kernels."),
        ReadySet("iris", "Iris, two kinds",
            (Option("pair", "kinds", FLOWERS[0], choices=FLOWERS),
             Option("across", "across", MEASURES[0], choices=MEASURES),
             Option("up", "up", MEASURES[1], choices=MEASURES)), _iris,
            "Fifty flowers of each kind, measured by Anderson and made famous by Fisher."),
        ReadySet("mnist", "MNIST, two digits",
            (Option("a", "digit", 0, 0, 9, whole=True), Option("b", "against", 1, 0, 9, whole=True),
             Option("view", "seen by", VIEWS[1], choices=VIEWS)), _mnist,
            "Thousands of handwritten digits: two pixels, the two principal axes, or all 784 pixels."),
    )
}  # fmt: skip


def ready(name: str, given: Values | None = None) -> Data:
    """A set of the menu, or a sentence that says why not."""
    if name not in SETS:
        raise ValueError(
            f"A ready set must be one of {', '.join(SETS)}, but got {shortened(name)}; choose one of them."
        )
    why = missing(name)
    if why:
        raise ValueError(why)
    values = fill(SETS[name].options, given)
    if name == "mnist" and values["a"] == values["b"]:
        raise ValueError(f"The two digits must differ, but both are {values['a']}; choose another one.")
    if name == "iris" and values["across"] == values["up"]:
        raise ValueError(f"The two measurements must differ, but both are {values['up']}; choose another one.")
    return SETS[name].make(values)


def own(points: Any, axes: tuple[str, str] = ("x₁", "x₂"), classes: tuple[str, str] = ("−1", "+1")) -> Data:
    """Points (x, y, ±1) of one's own, with the Python that writes them out or reads them from the exported file."""
    table = np.asarray(points, np.float64).reshape(-1, 3)
    return written(Data(np.ascontiguousarray(table[:, :2]), table[:, 2].astype(np.int64), axes, classes))


PLAIN = ("−1", "+1")


def as_csv(data: Data) -> str:
    """The points as they are drawn, under the names of their axes, with their classes by name.

    >>> print(as_csv(own([(1.5, 2, -1), (3, 4, 1)], ("height", "weight, kg"), ("cat", "dog"))), end="")
    height,"weight, kg",class
    1.5,2.0,cat
    3.0,4.0,dog
    """
    file = io.StringIO()
    lines = csv.writer(file, lineterminator="\n")
    lines.writerow([*(("x", "y") if data.axes == ("x₁", "x₂") else data.axes), "class"])
    names = {-1: "-1", 1: "1"} if data.classes == PLAIN else dict(zip((-1, 1), data.classes, strict=True))
    lines.writerows([repr(x), repr(y), names[side]] for (x, y), side in
                    zip(data.plane.tolist(), data.y.tolist(), strict=True))  # fmt: skip
    return file.getvalue()


def written(data: Data) -> Data:
    """The same data, made by a script that names every number, or, where there are many, reads the exported CSV."""
    plus = "1" if data.classes == PLAIN else data.classes[1]
    code = (
        "import csv\nimport numpy as np\n\n"
        'with open("rosenblatt-data.csv", newline="", encoding="utf-8") as file:  # Export: data\n'
        "    _, *lines = csv.reader(file)\n"
        "X = np.array([[float(a), float(b)] for a, b, _ in lines])\n"
        f"y = np.array([1 if name == {plus!r} else -1 for *_, name in lines])"
    )
    if len(data.y) <= LITERAL:
        rows = "".join(f"    [{x!r}, {y!r}],\n" for x, y in data.X.tolist())
        code = (
            f"import numpy as np\n\nX = np.array([\n{rows}]).reshape(-1, 2)\n"
            f"y = np.array({data.y.astype(int).tolist()})"
        )
    return replace(data, code=code)
