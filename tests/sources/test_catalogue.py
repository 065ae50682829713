"""The table of known files is consistent, and true of the files we have."""

import os
from pathlib import Path

import pytest

from rosenblatt.sources import FILES, checksum, locate


def test_every_file_has_a_full_checksum_under_its_own_name():
    for name, file in FILES.items():
        assert file.name == name
        assert len(bytes.fromhex(file.sha256)) == 32
    assert len({file.sha256 for file in FILES.values()}) == len(FILES)


def test_every_download_lands_where_locate_looks():
    for file in FILES.values():
        if file.url is not None:
            stored = f"{Path(file.name).parent.as_posix()}/{file.url.rsplit('/', 1)[-1]}"
            assert stored in (file.name, f"{file.name}.gz", f"{file.name}.xz")
            assert file.url.startswith("https://")


@pytest.mark.skipif("ROSENBLATT_DATA" not in os.environ, reason="ROSENBLATT_DATA is not set")
@pytest.mark.parametrize("name", FILES)
def test_the_files_we_have_are_the_files_we_know(name):
    assert checksum(locate(name), libsvm=FILES[name].libsvm) == FILES[name].sha256
