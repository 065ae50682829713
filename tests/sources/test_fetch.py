"""Fetching: where files are looked for, what is checked, and that a failure leaves nothing behind."""

import gzip
import hashlib
import io
import lzma
import os
import subprocess
import sys
import threading
from contextlib import nullcontext
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from rosenblatt.sources import FILES, KnownFile, cache_folder, checksum, fetch

CONTENT = b"\0\0\x08\x01\0\0\0\x03abc"
PACKED = gzip.compress(CONTENT, mtime=0)
NAME = "mnist/t10k-labels-idx1-ubyte"


@pytest.fixture
def folders(tmp_path, monkeypatch):
    """An empty data folder and an empty cache."""
    data, cache = tmp_path / "data", tmp_path / "cache"
    data.mkdir()
    monkeypatch.setenv("ROSENBLATT_DATA", str(data))
    monkeypatch.setenv("ROSENBLATT_CACHE", str(cache))
    return data, cache


def put(folder, name, content=b""):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def files_in(folder):
    return [path for path in folder.rglob("*") if path.is_file()]


def known(url="https://example.invalid/folder/known.gz", content=CONTENT):
    return KnownFile("set/known", hashlib.sha256(content).hexdigest(), url, ending=".gz")


def refuse(url):
    raise AssertionError(f"{url} was asked for")


def download(file, folder, sends=None, told=None):
    """A download from an address that sends this, watched by `told`."""
    with pytest.MonkeyPatch.context() as patch:
        if sends is not None:
            patch.setattr(fetch, "open_address", sends)
        if told is not None:
            patch.setattr(fetch, "progress_bar", lambda title: nullcontext(told))
        return fetch.download(file, folder)


def locate(name, sends):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fetch, "open_address", sends)
        return fetch.locate(name)


def test_the_data_folder_comes_before_the_cache_and_the_cache_before_the_network(folders):
    data, cache = folders
    cached = put(cache, f"{NAME}.gz")
    assert locate(NAME, sends=refuse) == cached
    given = put(data, f"{NAME}.gz")
    assert locate(NAME, sends=refuse) == given


@pytest.mark.parametrize("ending", ["", ".gz", ".xz", ".bz2"])
def test_a_copy_is_found_however_it_is_compressed(folders, ending):
    path = put(folders[0], NAME + ending)
    assert locate(NAME, sends=refuse) == path


def test_what_is_nowhere_is_downloaded_once(folders, monkeypatch):
    asked = []

    def opener(url):
        asked.append(url)
        return io.BytesIO(PACKED)

    monkeypatch.setitem(FILES, NAME, KnownFile(NAME, known().sha256, f"https://example.invalid/{NAME}.gz"))
    path = locate(NAME, sends=opener)
    assert path == folders[1] / f"{NAME}.gz" and path.read_bytes() == PACKED
    assert locate(NAME, sends=opener) == path and len(asked) == 1


def test_a_wrong_checksum_leaves_nothing_and_says_so(tmp_path):
    with pytest.raises(ValueError, match=r"set/known must have the SHA-256 .* nothing was kept") as caught:
        download(known(), tmp_path, sends=lambda url: io.BytesIO(gzip.compress(b"other")))
    assert "\n" not in str(caught.value) and files_in(tmp_path) == []


@pytest.mark.parametrize("sent", [PACKED[:-6], PACKED[:12] + b"\xff" * 9, lzma.compress(CONTENT)[:-4], b""])
def test_damaged_bytes_leave_nothing(tmp_path, sent):
    with pytest.raises(ValueError, match="must have the SHA-256"):
        download(known(), tmp_path, sends=lambda url: io.BytesIO(sent))
    assert files_in(tmp_path) == []


def test_a_failed_download_keeps_the_earlier_file(tmp_path):
    earlier = download(known(), tmp_path, sends=lambda url: io.BytesIO(PACKED))
    with pytest.raises(ValueError, match="SHA-256"):
        download(known(), tmp_path, sends=lambda url: io.BytesIO(b"no"))
    assert earlier.read_bytes() == PACKED and files_in(tmp_path) == [earlier]


def test_content_compressed_anew_is_still_the_file(tmp_path):
    path = download(known(), tmp_path, sends=lambda url: io.BytesIO(lzma.compress(CONTENT)))
    assert checksum(path) == known().sha256


class Slow(io.BytesIO):
    """Hands out three bytes at a time and tells someone."""

    def __init__(self, content, watch):
        super().__init__(content)
        self.watch = watch

    def read(self, size=-1):
        self.watch()
        return super().read(3)


def test_the_name_appears_only_when_the_file_is_whole(tmp_path):
    target, seen = tmp_path / "set" / "known.gz", []
    download(known(), tmp_path, sends=lambda url: Slow(PACKED, lambda: seen.append(target.exists())))
    assert len(seen) > 3 and not any(seen) and target.exists()


def test_an_interrupt_leaves_nothing(tmp_path):
    def stop(done, total):
        if done > 10:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        download(known(), tmp_path, told=stop, sends=lambda url: Slow(PACKED, lambda: None))
    assert files_in(tmp_path) == []


def test_a_full_disk_is_not_blamed_on_the_network(tmp_path):
    def full(done, total):
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space left") as caught:
        download(known(), tmp_path, told=full, sends=lambda url: io.BytesIO(PACKED))
    assert not isinstance(caught.value, ConnectionError)


@pytest.fixture
def server(monkeypatch):
    """A server on this machine: /known.gz, /cut.gz (half of what it promises), and 404 elsewhere."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            whole, cut = self.path == "/known.gz", self.path == "/cut.gz"
            self.send_response(200 if whole or cut else 404)
            self.send_header("Content-Length", str(len(PACKED) if whole or cut else 0))
            self.end_headers()
            self.wfile.write(PACKED if whole else PACKED[:9] if cut else b"")

        def log_message(self, *arguments):
            pass

    monkeypatch.setenv("no_proxy", "*")
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield f"http://127.0.0.1:{running.server_address[1]}"
        running.shutdown()
        thread.join()


def test_over_http_with_progress(tmp_path, server):
    told = []
    path = download(known(f"{server}/known.gz"), tmp_path, told=lambda *step: told.append(step))
    assert path.read_bytes() == PACKED and told[-1] == (len(PACKED), len(PACKED))


@pytest.mark.parametrize(("page", "reason"), [("cut.gz", "9 of .* bytes came"), ("none.gz", "404")])
def test_over_http_with_failures(tmp_path, server, page, reason):
    with pytest.raises(ConnectionError, match=rf"{page} could not be downloaded \(.*{reason}") as caught:
        download(known(f"{server}/{page}"), tmp_path)
    assert "ROSENBLATT_DATA" in str(caught.value) and files_in(tmp_path) == []


def test_a_server_that_is_not_there(tmp_path, monkeypatch):
    monkeypatch.setenv("no_proxy", "*")
    with pytest.raises(ConnectionError, match="check the network"):
        download(known("http://127.0.0.1:9/known.gz"), tmp_path)
    assert files_in(tmp_path) == []


def test_a_file_address(tmp_path):
    source = put(tmp_path, "known.gz", PACKED)
    assert download(known(source.as_uri()), tmp_path / "cache").read_bytes() == PACKED


def test_a_file_without_a_home_says_what_to_put_where(folders):
    with pytest.raises(FileNotFoundError, match=r"folder that has sms-spam/\S+\.xz"):
        locate("sms-spam/SMSSpamCollection", sends=refuse)


def test_an_unknown_name_gets_a_suggestion():
    with pytest.raises(ValueError, match="did you mean 'libsvm/a9a'"):
        locate("a9a", refuse)


def test_libsvm_copies_that_differ_in_blanks_and_zeros_hash_equally(tmp_path):
    plain = put(tmp_path, "one", b"+1 3:1 4:0.5\n-1 2:10\n")
    other = put(tmp_path, "two", gzip.compress(b"+1 3:1 4:0.5 123:0 \r\n-1  2:10 \n"))
    wrong = put(tmp_path, "three", b"+1 3:1 4:0.5\n-1 2:1\n")
    assert checksum(plain, libsvm=True) == checksum(other, libsvm=True) == checksum(plain)
    assert checksum(wrong, libsvm=True) != checksum(plain, libsvm=True)


@pytest.mark.parametrize(
    ("platform", "variable", "expected"),
    [
        ("linux", "XDG_CACHE_HOME", "there/rosenblatt"),
        ("win32", "LOCALAPPDATA", "there/rosenblatt"),
        ("linux", None, "home/.cache/rosenblatt"),
        ("darwin", None, "home/Library/Caches/rosenblatt"),
        ("win32", None, "home/AppData/Local/rosenblatt"),
    ],
)
def test_the_cache_is_where_the_platform_keeps_caches(monkeypatch, platform, variable, expected):
    for name in ("ROSENBLATT_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    if variable:
        monkeypatch.setenv(variable, "there")
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(Path, "home", lambda: Path("home"))
    assert cache_folder().as_posix() == expected


def test_a_bar_is_shown_on_a_terminal_only(tmp_path, monkeypatch):
    pytest.importorskip("rich", reason="rich is not installed")
    for terminal in (False, True):
        stream = io.StringIO()
        monkeypatch.setattr(stream, "isatty", lambda terminal=terminal: terminal, raising=False)
        monkeypatch.setattr(sys, "stderr", stream)
        monkeypatch.setenv("TERM", "xterm")
        download(known(), tmp_path, sends=lambda url: io.BytesIO(PACKED))
        assert ("set/known" in stream.getvalue()) is terminal


def test_importing_sources_imports_neither_scikit_learn_nor_scipy():
    code = "import sys, rosenblatt.sources; print({'sklearn', 'scipy', 'urllib.request'} & set(sys.modules))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "set()"


def test_bytes_are_on_the_disk_before_the_file_has_its_name(tmp_path, monkeypatch):
    happened, sync, replace = [], os.fsync, Path.replace

    def note_sync(number):
        happened.append(os.fstat(number).st_size)
        sync(number)

    def note_replace(path, target):
        happened.append(target.name)
        return replace(path, target)

    monkeypatch.setattr(os, "fsync", note_sync)
    monkeypatch.setattr(Path, "replace", note_replace)
    download(known(), tmp_path, told=lambda done, total: None, sends=lambda url: io.BytesIO(PACKED))
    assert happened == [len(PACKED), "known.gz"]
