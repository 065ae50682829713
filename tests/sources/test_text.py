"""20 Newsgroups: the same rows in the same order, from the archive or from scikit-learn."""

import io
import os
import tarfile

import numpy as np
import pytest
from sklearn import datasets
from sklearn.utils import Bunch

from rosenblatt.sources import newsgroups, newsgroups_tfidf

MESSAGES = {
    ("train", "sci.space", 10): "From: a\n\nto the moon\n",
    ("train", "sci.space", 9): "From: b\n\nto mars\n\nand back\n",
    ("train", "alt.atheism", 7): "From: c\n\nno\n",
    ("test", "sci.space", 11): "From: d\n\nfar \xe9\n",
    ("test", "alt.atheism", 8): "From: e\n",
}


def path_of(part, group, number):
    return f"20news-bydate-{part}/{group}/{number}"


@pytest.fixture
def data(tmp_path, monkeypatch):
    """An empty data folder and cache."""
    monkeypatch.setenv("ROSENBLATT_DATA", str(tmp_path))
    monkeypatch.setenv("ROSENBLATT_CACHE", str(tmp_path / "cache"))
    (tmp_path / "20newsgroups").mkdir()
    return tmp_path


@pytest.fixture(params=["tar.xz", "tar.gz", "scikit-learn"])
def small(request, data, monkeypatch):
    """The five messages above, where `newsgroups` finds them."""
    if request.param == "scikit-learn":

        def fetch(subset, shuffle):
            chosen = [key for key in MESSAGES if key[0] == subset]
            names = np.array([f"/somewhere/{path_of(*key)}" for key in chosen])
            return Bunch(filenames=names, data=[MESSAGES[key] for key in chosen])

        monkeypatch.setattr(datasets, "fetch_20newsgroups", fetch)
        return
    path = data / "20newsgroups" / f"20news-bydate.{request.param}"
    with tarfile.open(path, f"w:{request.param[-2:]}") as archive:
        folder = tarfile.TarInfo("20news-bydate-train")
        folder.type = tarfile.DIRTYPE
        archive.addfile(folder)
        for key, message in MESSAGES.items():
            member = tarfile.TarInfo(path_of(*key))
            member.size = len(message)
            archive.addfile(member, io.BytesIO(message.encode("latin-1")))


@pytest.mark.usefixtures("small")
def test_rows_are_in_the_order_of_group_and_number():
    split = newsgroups()
    assert split.target_names == ("alt.atheism", "sci.space")
    assert split.X_train == [
        "From: c\n\nno\n",
        "From: b\n\nto mars\n\nand back\n",
        "From: a\n\nto the moon\n",
    ]
    assert split.X_test == ["From: e\n", "From: d\n\nfar \xe9\n"]
    assert split.y_train.tolist() == [0, 1, 1] and split.y_test.tolist() == [0, 1]


@pytest.mark.usefixtures("small")
def test_bodies_are_what_follows_the_first_empty_line():
    split = newsgroups(kind="bodies")
    assert split.X_train == ["no\n", "to mars\n\nand back\n", "to the moon\n"] and split.X_test[0] == ""


@pytest.mark.usefixtures("small")
def test_options_reach_the_vectorizer():
    split = newsgroups_tfidf(kind="bodies", dtype=np.float32, vocabulary=["moon", "to"], norm=None)
    assert split.X_train.dtype == np.float32 and split.X_train.format == "csr"
    assert split.X_train.toarray()[:, 0].tolist()[:2] == [0, 0] and split.X_test.shape == (2, 2)


def test_an_unknown_kind_is_refused():
    with pytest.raises(ValueError, match="'messages' or 'bodies', but 'words' came"):
        newsgroups(kind="words")


@pytest.mark.parametrize("member", [None, "readme", "20news-bydate-train/sci.space/notes"])
def test_an_archive_that_is_not_the_set_is_refused(data, member):
    path = data / "20newsgroups" / "20news-bydate.tar"
    path.write_bytes(b"nothing")
    if member:
        with tarfile.open(path, "w") as archive:
            archive.addfile(tarfile.TarInfo(member), io.BytesIO())
    with pytest.raises(ValueError, match="archive of 20 Newsgroups must hold") as caught:
        newsgroups()
    assert str(path) in str(caught.value)


@pytest.mark.skipif("ROSENBLATT_DATA" not in os.environ, reason="ROSENBLATT_DATA is not set")
def test_the_real_messages_as_terms():
    split = newsgroups_tfidf()
    assert split.X_train.shape == (11_314, 130_107 + 1) and split.X_test.shape[0] == 7_532
    assert len(split.target_names) == 20
    atheism, hockey = (split.target_names.index(name) for name in ("alt.atheism", "rec.sport.hockey"))
    assert np.bincount(split.y_train)[[atheism, hockey]].tolist() == [480, 600]
    assert np.bincount(split.y_test)[[atheism, hockey]].tolist() == [319, 399]
    assert np.sqrt(split.X_train.power(2).sum(axis=1)) == pytest.approx(1.0)
