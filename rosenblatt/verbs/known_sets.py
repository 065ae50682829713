"""The field's well-known sets by name: what there is, where it is, and any of them as a file of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rosenblatt.plain import Figures
from rosenblatt.verbs.errors import UsageError, check_choice, nearest, reading
from rosenblatt.verbs.tables import format_of, write_matrix, write_table
from rosenblatt.wording import listed, shortened

PARTS = ("all", "train", "test")


@dataclass(frozen=True)
class Dataset:
    """A set that we know: what it is, its target column, and the files that it is read from (none: it is bundled).

    `loader` is a function of `rosenblatt.sources`; `text` the column's name, where the rows are texts.
    """

    name: str
    told: str
    rows: int
    columns: int
    classes: int
    target: str
    loader: str
    files: tuple[str, ...] = ()
    text: str | None = None

    def load(self) -> Any:
        """The published split, or a seeded one."""
        from rosenblatt import sources

        return getattr(sources, self.loader)()

    def names(self) -> list[str] | None:
        """The names of the columns, where the bundled set has some."""
        if self.name not in ("iris", "wine", "breast-cancer"):
            return None
        from sklearn import datasets

        found = getattr(datasets, f"load_{self.loader}")().feature_names
        return [str(name).removesuffix(" (cm)").replace(" ", "_") for name in found]

    def where(self) -> str:
        """Bundled, on this machine, or not."""
        from rosenblatt.sources.fetch import stored

        if not self.files:
            return "bundled"
        return "here" if all(stored(name) for name in self.files) else "not here"


def _idx(folder: str, *names: str) -> tuple[str, ...]:
    return tuple(f"{folder}/{name}-{kind}-ubyte" for name in names for kind in ("images-idx3", "labels-idx1"))


_KNOWN = (
    Dataset("iris", "three kinds by four lengths", 150, 4, 3, "species", "iris"),
    Dataset("wine", "three growers", 178, 13, 3, "grower", "wine"),
    Dataset("breast-cancer", "malignant or benign", 569, 30, 2, "diagnosis", "breast_cancer"),
    Dataset("digits", "digits, 8 x 8 pixels", 1797, 64, 10, "digit", "digits"),
    Dataset("mnist", "digits, 28 x 28 pixels", 70_000, 784, 10, "digit", "mnist", _idx("mnist", "train", "t10k")),
    Dataset("pedestrians", "is a person in the photograph?", 3_442, 8_192, 2, "person", "pedestrians",
            _idx("inria-person", "train", "test")),
    Dataset("a9a", "does a household earn 50,000?", 48_842, 123, 2, "target", "a9a", ("libsvm/a9a", "libsvm/a9a.t")),
    Dataset("mushrooms", "edible or poisonous", 8_124, 126, 2, "target", "mushrooms",
            ("libsvm/mushrooms-agaricus.train", "libsvm/mushrooms-agaricus.test")),
    Dataset("reuters", "money news or not, words", 11_069, 8_315, 2, "target", "reuters",
            ("libsvm/reuters-lasvm", "libsvm/reuters-lasvm.t")),
    Dataset("newsgroups", "which newsgroup? text", 18_846, 1, 20, "group", "newsgroups",
            ("20newsgroups/20news-bydate.tar",), "message"),
)  # fmt: skip
#: Every set that `rosenblatt datasets` knows.
DATASETS = {dataset.name: dataset for dataset in _KNOWN}


def dataset_named(name: str) -> Dataset:
    """The set of a name, or the sentence that lists them.

    Examples
    --------
    >>> dataset_named("minst")
    Traceback (most recent call last):
    rosenblatt.verbs.errors.UsageError: There is no set 'minst' (did you mean 'mnist'?); there are iris, ...
    """
    key = name.casefold().replace("_", "-")
    if key not in DATASETS:
        raise UsageError(
            f"There is no set {shortened(name)}{nearest(key, DATASETS)}; there are {listed(DATASETS, 99)}."
        )
    return DATASETS[key]


def list_datasets() -> list[dict[str, Any]]:
    """Every set that we know, and where it is: bundled, on this machine, or not.

    Examples
    --------
    >>> list_datasets()[0]["name"], list_datasets()[0]["where"]
    ('iris', 'bundled')
    """
    shown = ("name", "told", "rows", "columns", "classes", "target")
    return [{**{name: getattr(each, name) for name in shown}, "where": each.where()} for each in DATASETS.values()]


@dataclass(frozen=True)
class Exported(Figures):
    """What was written: the set, the file, how many rows and columns, and the column to train for."""

    name: str
    path: str
    rows: int
    columns: int
    target: str


def export_dataset(name: str, path: str, *, part: str = "all", to: str | None = None) -> Exported:
    """Write a set as a file: CSV, TSV, Parquet, Arrow, JSON lines, LIBSVM or NumPy, by the ending of the path.

    Parameters
    ----------
    name : a key of `DATASETS`
    path : where to, or "-" for standard output
    part : "train" and "test" are the published split (a seeded one for the bundled sets), "all" is both
    to : the format to write, where the ending of `path` does not say it

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> path = Path(tempfile.mkdtemp()) / "iris.csv"
    >>> export_dataset("iris", str(path)).target
    'species'
    >>> path.read_text().splitlines()[0]
    'sepal_length,sepal_width,petal_length,petal_width,species'
    """
    dataset = dataset_named(name)
    check_choice("--part", part, PARTS)
    format = format_of(path, to)
    with reading():
        split = dataset.load()
    X, y = _rows(split, part)
    if len(split.target_names):
        y = np.array(split.target_names)[np.asarray(y, dtype=np.int64)]
    if dataset.text is not None:
        import polars

        frame = polars.DataFrame({dataset.text: X, dataset.target: y})
        write_table(path, frame, format)
        return Exported(dataset.name, path, len(y), 1, dataset.target)
    write_matrix(path, X, y, names=dataset.names(), target=dataset.target, format=format)
    return Exported(dataset.name, path, len(y), int(np.prod(X.shape[1:])), dataset.target)


def _rows(split: Any, part: str) -> tuple[Any, Any]:
    from scipy.sparse import issparse, vstack

    if part == "train":
        return split.X_train, split.y_train
    if part == "test":
        return split.X_test, split.y_test
    y = np.concatenate([split.y_train, split.y_test])
    if isinstance(split.X_train, list):
        return [*split.X_train, *split.X_test], y
    if issparse(split.X_train):
        return vstack([split.X_train, split.X_test], format="csr"), y
    return np.concatenate([split.X_train, split.X_test]), y
