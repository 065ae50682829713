"""The field's well-known sets by name: what there is, where it is, and any of them as a file of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from rosenblatt.verbs.errors import InputError, UsageError, nearest, reading
from rosenblatt.verbs.tables import format_of, write_matrix, write_table
from rosenblatt.wording import listed, shortened

PARTS = ("all", "train", "test")


@dataclass(frozen=True)
class Dataset:
    """A set that we know: what it is, its target column, and the files that it is read from (none: it is bundled)."""

    name: str
    told: str
    rows: int
    columns: int
    classes: int
    target: str
    load: Callable[[], Any]  # a Split
    files: tuple[str, ...] = ()
    text: str | None = None  # the column's name, where the rows are texts
    names: Callable[[], list[str]] | None = None


def _source(name: str) -> Callable[[], Any]:
    def load() -> Any:
        from rosenblatt import sources

        return getattr(sources, name)()

    return load


def _bundled_names(loader: str) -> Callable[[], list[str]]:
    def names() -> list[str]:
        from sklearn import datasets

        found = getattr(datasets, loader)().feature_names
        return [str(name).removesuffix(" (cm)").replace(" ", "_") for name in found]

    return names


def _sms() -> Any:
    """Lines of label, tab, text; the text is taken as it is, quotes and all."""
    from rosenblatt.sources import Split, locate
    from rosenblatt.sources.compressed import open_stored

    with open_stored(locate("sms-spam/SMSSpamCollection")) as file:
        pairs = [line.rstrip("\n").split("\t", 1) for line in file.read().decode("utf-8").splitlines()]
    texts, labels = [text for _, text in pairs], np.array([label for label, _ in pairs])
    return Split(texts, labels, [], labels[:0])


_MNIST = tuple(
    f"mnist/{part}-ubyte" for part in ("train-images-idx3", "train-labels-idx1", "t10k-images-idx3", "t10k-labels-idx1")
)
_INRIA = tuple(
    f"inria-person/{part}-ubyte"
    for part in ("train-images-idx3", "train-labels-idx1", "test-images-idx3", "test-labels-idx1")
)

_A9A = ("libsvm/a9a", "libsvm/a9a.t")
_MUSHROOMS = ("libsvm/mushrooms-agaricus.train", "libsvm/mushrooms-agaricus.test")
_REUTERS = ("libsvm/reuters-lasvm", "libsvm/reuters-lasvm.t")
_NEWS, _SMS = ("20newsgroups/20news-bydate.tar",), ("sms-spam/SMSSpamCollection",)
_IRIS, _WINE, _CANCER = (_bundled_names(f"load_{name}") for name in ("iris", "wine", "breast_cancer"))
_KNOWN = (
    Dataset("iris", "three kinds by four lengths", 150, 4, 3, "species", _source("iris"), names=_IRIS),
    Dataset("wine", "three growers", 178, 13, 3, "grower", _source("wine"), names=_WINE),
    Dataset("breast-cancer", "malignant or benign", 569, 30, 2, "diagnosis", _source("breast_cancer"), names=_CANCER),
    Dataset("digits", "digits, 8 x 8 pixels", 1797, 64, 10, "digit", _source("digits")),
    Dataset("mnist", "digits, 28 x 28 pixels", 70_000, 784, 10, "digit", _source("mnist"), _MNIST),
    Dataset("pedestrians", "is a person in the photograph?", 3_442, 8_192, 2, "person", _source("pedestrians"), _INRIA),
    Dataset("a9a", "does a household earn 50,000?", 48_842, 123, 2, "target", _source("a9a"), _A9A),
    Dataset("mushrooms", "edible or poisonous", 8_124, 126, 2, "target", _source("mushrooms"), _MUSHROOMS),
    Dataset("reuters", "money news or not, words", 11_069, 8_315, 2, "target", _source("reuters"), _REUTERS),
    Dataset("newsgroups", "which newsgroup? text", 18_846, 1, 20, "group", _source("newsgroups"), _NEWS, "message"),
    Dataset("sms-spam", "spam or not? text", 5_574, 1, 2, "label", _sms, _SMS, "message"),
)
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
    """Every set that we know, and where it is: bundled, on this machine, or to be downloaded.

    Examples
    --------
    >>> list_datasets()[0]["name"], list_datasets()[0]["where"]
    ('iris', 'bundled')
    """
    return [
        {
            "name": dataset.name,
            "told": dataset.told,
            "rows": dataset.rows,
            "columns": dataset.columns,
            "classes": dataset.classes,
            "target": dataset.target,
            "where": _where(dataset),
        }
        for dataset in DATASETS.values()
    ]


def _where(dataset: Dataset) -> str:
    from rosenblatt.sources.catalogue import FILES
    from rosenblatt.sources.fetch import stored

    if not dataset.files:
        return "bundled"
    if all(stored(name) for name in dataset.files):
        return "here"
    # scikit-learn knows the home of 20 Newsgroups, which is why it is not in our catalogue.
    can = dataset.name == "newsgroups" or all(FILES[name].url for name in dataset.files)
    return "to download" if can else "not here"


def fetch_dataset(name: str) -> list[str]:
    """The paths of the files of a set, which are downloaded when they are not on this machine.

    Examples
    --------
    >>> fetch_dataset("iris")
    []
    """
    from rosenblatt.sources.fetch import locate

    with reading():
        return [str(locate(file)) for file in dataset_named(name).files]


@dataclass(frozen=True)
class Exported:
    """What was written: the set, the file, how many rows and columns, and the column to train for."""

    name: str
    path: str
    rows: int
    columns: int
    target: str

    def to_dict(self) -> dict[str, Any]:
        return dict(vars(self))


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
    if part not in PARTS:
        raise UsageError(f"--part must be one of {', '.join(PARTS)}, but got {shortened(part)}.")
    format = format_of(path, to)
    with reading():
        split = dataset.load()
    X, y = _rows(split, part)
    if not len(y):
        raise InputError(f"{dataset.name} was published without a {part} part.")
    if len(split.target_names):
        y = np.array(split.target_names)[np.asarray(y, dtype=np.int64)]
    if dataset.text is not None:
        import polars

        frame = polars.DataFrame({dataset.text: X, dataset.target: y})
        write_table(path, frame, format)
        return Exported(dataset.name, path, len(y), 1, dataset.target)
    names = None if dataset.names is None else dataset.names()
    write_matrix(path, X, y, names=names, target=dataset.target, format=format)
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
