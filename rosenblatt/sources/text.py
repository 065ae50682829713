"""20 Newsgroups, the `bydate` split: Usenet messages of twenty groups."""

from __future__ import annotations

import tarfile
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from rosenblatt.arguments import float_type, shortened

from .compressed import DAMAGED
from .fetch import locate
from .sets import Split

if TYPE_CHECKING:
    from scipy.sparse import csr_array

ARCHIVE = "20newsgroups/20news-bydate.tar"
Kind = Literal["messages", "bodies"]


def newsgroups(kind: Kind = "messages") -> Split[list[str]]:
    """The messages of 20 Newsgroups: 11,314 for training and the 7,532 later ones for the test.

    Rows are in the order of group and number, whatever copy they come from. Headers name the group's
    regulars and their hosts, so whole messages are easier to tell apart than their bodies.

    Parameters
    ----------
    kind : "messages" or "bodies"
        Whole messages as they were posted, or what follows their first empty line.

    Returns
    -------
    Split
        X are lists of str, y the position of the group in `target_names`, int64.

    Notes
    -----
    The archive is read from the folder that ROSENBLATT_DATA names or from the cache; where it is in
    neither, scikit-learn's `fetch_20newsgroups` downloads it to its own folder.

    Examples
    --------
    >>> newsgroups().target_names[:2]  # doctest: +SKIP
    ('alt.atheism', 'comp.graphics')
    """
    if not isinstance(kind, str) or kind not in ("messages", "bodies"):
        raise ValueError(f"kind must be 'messages' or 'bodies', but {shortened(kind)} came; pass one of the two.")
    try:
        path = locate(ARCHIVE)
    except FileNotFoundError:
        found = _from_scikit_learn()
    else:
        found = _from_archive(path)
    names = tuple(sorted({group for _, group, _ in found}))
    label = {name: k for k, name in enumerate(names)}
    rows: dict[str, list[str]] = {}
    labels: dict[str, npt.NDArray[np.int64]] = {}
    for part in ("train", "test"):
        keys = sorted(key for key in found if key[0] == part)
        rows[part] = [found[key] if kind == "messages" else found[key].partition("\n\n")[2] for key in keys]
        labels[part] = np.array([label[group] for _, group, _ in keys], dtype=np.int64)
    return Split(rows["train"], labels["train"], rows["test"], labels["test"], names)


def newsgroups_tfidf(kind: Kind = "messages", dtype: npt.DTypeLike = np.float64, **options: Any) -> Split[csr_array]:
    """20 Newsgroups as weighted terms: rows of length 1, the vocabulary taken from the training part.

    A term that occurs c times in a message and in d of n messages weighs (1 + ln c)(1 + ln((1 + n)/(1 + d))),
    and each row is divided by its length: scikit-learn's TfidfVectorizer with sublinear counts.

    Parameters
    ----------
    kind : "messages" or "bodies"
        As for `newsgroups`.
    dtype : float64 or float32
        The dtype of the values.
    **options
        Passed to TfidfVectorizer, over the default `sublinear_tf=True`.

    Returns
    -------
    Split
        X a csr_array of about 130,000 columns; y as for `newsgroups`.

    Examples
    --------
    >>> newsgroups_tfidf(min_df=2).X_train.shape[0]  # doctest: +SKIP
    11314
    """
    from scipy.sparse import csr_array
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectorizer = TfidfVectorizer(**{"sublinear_tf": True, "dtype": float_type(dtype), **options})
    texts = newsgroups(kind)
    X_train = csr_array(vectorizer.fit_transform(texts.X_train))
    X_test = csr_array(vectorizer.transform(texts.X_test))
    return Split(X_train, texts.y_train, X_test, texts.y_test, texts.target_names)


def _from_archive(path: Path) -> dict[tuple[str, str, int], str]:
    """Return each message by part, group and number; members are read and never written to disk."""
    found = {}
    try:
        with tarfile.open(path, "r:*") as archive:
            for member in archive:
                if (content := archive.extractfile(member)) is not None:
                    found[_key(member.name)] = content.read().decode("latin-1")
    except (tarfile.TarError, ValueError, *DAMAGED) as error:
        raise ValueError(
            "The archive of 20 Newsgroups must hold 20news-bydate-{train,test}/group/number, but "
            f"{path} does not ({error}); fetch it again."
        ) from error
    return found


def _from_scikit_learn() -> dict[tuple[str, str, int], str]:
    """Return each message by part, group and number, downloading the archive if need be."""
    from sklearn.datasets import fetch_20newsgroups

    found = {}
    for part in ("train", "test"):
        try:
            bunch = fetch_20newsgroups(subset=part, shuffle=False)
        except OSError as error:
            raise ConnectionError(
                "The archive of 20 Newsgroups must be on this machine or within reach, but it was not found and its "
                f"home did not send it ({error}); set ROSENBLATT_DATA to the folder that has {ARCHIVE}.xz."
            ) from None
        for name, message in zip(bunch.filenames, bunch.data, strict=True):
            found[_key(Path(name).as_posix())] = message
    return found


def _key(name: str) -> tuple[str, str, int]:
    """Return part, group and number of a message's path."""
    folder, group, number = PurePosixPath(name).parts[-3:]
    return folder.rsplit("-", 1)[-1], group, int(number)
