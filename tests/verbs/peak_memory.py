"""How much memory a process takes at its peak, on a machine where others work as well."""

import subprocess
import sys

TRIES = 3


def peak_within(bound, code, *arguments):
    """(What the code printed, its last number, a peak) of the first of a few processes whose peak is below `bound`.

    How far threads read ahead of each other depends on what else the machine does, and so does a peak: one process that
    stays below the bound shows that the work fits into it. Where none does, the last one is given.
    """
    for _ in range(TRIES):
        done = subprocess.run([sys.executable, "-c", code, *map(str, arguments)], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        *printed, peak = map(int, done.stdout.split())
        if peak < bound:
            break
    return printed, peak
