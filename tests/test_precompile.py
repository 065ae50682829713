"""What is compiled in advance is not compiled again."""

import os
import subprocess
import sys

import pytest


@pytest.mark.slow
def test_a_second_run_compiles_nothing(tmp_path):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-m", "rosenblatt.precompile"]
    first, second = (
        subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.splitlines()
        for _ in range(2)
    )
    assert len(first) > 5 and "in all" in first[-1]
    assert float(second[-1].split()[0]) < float(first[-1].split()[0]) / 4
