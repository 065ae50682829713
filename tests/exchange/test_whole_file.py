"""A file is replaced whole; links are followed, and what is no file is never replaced by one."""

import os
import stat
import threading

import pytest

from rosenblatt.models.whole_file import write_whole


def test_a_link_stays_and_its_file_is_replaced(tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    real, link = elsewhere / "real", tmp_path / "link"
    real.write_bytes(b"old")
    link.symlink_to(real)
    write_whole(link, b"new")
    assert link.is_symlink() and not real.is_symlink() and real.read_bytes() == link.read_bytes() == b"new"
    assert os.listdir(elsewhere) == ["real"] and sorted(os.listdir(tmp_path)) == ["elsewhere", "link"]


def test_a_link_to_a_file_that_is_not_there_yet(tmp_path):
    (tmp_path / "link").symlink_to("real")
    write_whole(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "real").read_bytes() == b"new"


def test_links_in_a_circle_are_refused(tmp_path):
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(OSError, match="could not be written"):
        write_whole(tmp_path / "a", b"new")
    assert (tmp_path / "a").is_symlink() and (tmp_path / "b").is_symlink()


@pytest.mark.skipif(os.name != "posix", reason="folders are files on POSIX alone")
def test_bytes_are_on_the_disk_before_the_name_and_the_name_before_the_end(tmp_path, monkeypatch):
    happened, sync, replace = [], os.fsync, os.replace

    def note_sync(number):
        what = os.fstat(number)
        happened.append("folder" if stat.S_ISDIR(what.st_mode) else f"{what.st_size} bytes")
        sync(number)

    def note_replace(*names):
        happened.append("name")
        replace(*names)

    monkeypatch.setattr(os, "fsync", note_sync)
    monkeypatch.setattr(os, "replace", note_replace)
    write_whole(tmp_path / "file", b"12345")
    assert happened == ["5 bytes", "name", "folder"]


@pytest.fixture
def no_renaming(monkeypatch):
    def refuse(*_):
        pytest.fail("a rename onto what is no file")

    monkeypatch.setattr(os, "replace", refuse)
    monkeypatch.setattr(os, "rename", refuse)


@pytest.mark.skipif(os.name != "posix", reason="named pipes and devices are POSIX")
def test_what_is_no_file_is_written_into(tmp_path, no_renaming):
    pipe, link, heard = tmp_path / "pipe", tmp_path / "link", []
    os.mkfifo(pipe)
    link.symlink_to(pipe)
    for path in (pipe, link):
        reader = threading.Thread(target=lambda: heard.append(pipe.read_bytes()))
        reader.start()
        write_whole(path, b"through it")
        reader.join(10)
    assert heard == [b"through it"] * 2 and stat.S_ISFIFO(os.stat(pipe).st_mode)
    write_whole(os.devnull, b"gone")
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="Linux has /dev/full")
def test_a_device_that_takes_nothing_is_a_failure(no_renaming):
    with pytest.raises(OSError, match="/dev/full could not be written"):
        write_whole("/dev/full", b"too much")
    assert stat.S_ISCHR(os.stat("/dev/full").st_mode)
