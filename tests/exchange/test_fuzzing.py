"""Damaged model files: a sentence, or a model that answers; never a crash, a hang or anything else."""

import json
import subprocess
import sys

import pytest

from tests.exchange import fuzzing


@pytest.fixture(scope="module")
def fuzzer(tmp_path_factory):
    return fuzzing.Fuzzer(tmp_path_factory.mktemp("fuzzing"))


@pytest.mark.filterwarnings("ignore")
def test_damaged_files_are_refused_or_answer(fuzzer):
    wrong = [said for number in range(400) if (said := fuzzer.case(number))]
    assert not wrong
    assert fuzzer.counts["refused"] > 200 and fuzzer.counts["answered"] > 20


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 10_000, 2_500))
def test_ten_thousand_damaged_files(first):
    """In a process of its own, whose crash would be seen."""
    command = [sys.executable, "-m", "tests.exchange.fuzzing", str(first), str(first + 2_500)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=580, check=False)
    assert ended.returncode == 0, ended.stdout[-2000:] + ended.stderr[-2000:]
    assert json.loads(ended.stdout.splitlines()[-1])["cases"] == 2_500
