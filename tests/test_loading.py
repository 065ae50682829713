"""The garbage collector rests while libraries are loaded, and is afterwards as it was before."""

import gc
import subprocess
import sys

import pytest

from rosenblatt.loading import collector_at_rest


class Node:
    """Garbage that only the collector finds."""

    alive = 0

    def __init__(self):
        self.itself = self
        Node.alive += 1

    def __del__(self):
        Node.alive -= 1


def test_garbage_made_meanwhile_is_found_later():
    with collector_at_rest():
        assert not gc.isenabled()
        for _ in range(5000):
            Node()
        assert Node.alive == 5000
    assert gc.isenabled()
    gc.collect()
    assert Node.alive == 0


def test_a_collector_that_was_off_stays_off_and_failures_pass():
    gc.disable()
    try:
        with pytest.raises(ImportError), collector_at_rest():
            raise ImportError
        assert not gc.isenabled()
    finally:
        gc.enable()
    with pytest.raises(ImportError), collector_at_rest():
        raise ImportError
    assert gc.isenabled()


def test_what_was_frozen_stays_so():
    code = """
import gc
gc.freeze()
frozen = gc.get_freeze_count()
import rosenblatt
rosenblatt.Perceptron
print(frozen > 0 and frozen * 0.9 < gc.get_freeze_count() <= frozen and gc.isenabled())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "True"
