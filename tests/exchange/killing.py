"""Kills processes that save, at random moments, and looks at what they leave: the old file or the new one.

`python -m tests.exchange.killing FOLDER TIMES` prints what it found.
"""

import json
import os
import pathlib
import random
import signal
import sys
import time

import numpy as np

from rosenblatt import GaussianDiscriminant, load, save


def model(value):
    """A model of 2 MB whose every weight is the same number."""
    result = GaussianDiscriminant()
    width = 500
    result.n_features_in_, result.classes_ = width, np.array([0, 1])
    result.means_, result.priors_ = np.full((2, width), value), np.full(2, 0.5)
    result.covariance_ = np.full((width, width), value)
    result.rank_ = width
    result.coef_, result.intercept_ = np.full((1, width), value), np.full(1, value)
    return result


def main(folder, times):
    path = pathlib.Path(folder) / "model.safetensors"
    save(model(0.0), path)
    clock = time.perf_counter()
    save(model(0.0), path)
    usual = time.perf_counter() - clock
    dice, found, most_litter = random.Random(0), [], 0
    for n in range(times):
        ready, tell = os.pipe()
        child = os.fork()
        if child == 0:
            for value in range(1, 1000):
                os.write(tell, b"x")
                save(model(1000.0 * (n + 1) + value), path)
            os._exit(0)
        for _ in range(dice.choice((1, 2, 3))):  # the start of the first save, of the second, of the third
            os.read(ready, 1)
        time.sleep(dice.random() * usual)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(ready), os.close(tell)
        loaded = load(path)  # whole, or this raises
        assert len(np.unique(loaded.covariance_)) == 1 and loaded.covariance_[0, 0] == loaded.intercept_[0]
        found.append(float(loaded.intercept_[0]))
        most_litter = max(most_litter, len(list(pathlib.Path(folder).iterdir())) - 1)
    left = len(list(pathlib.Path(folder).iterdir())) - 1
    save(model(1.0), path)
    names = sorted(entry.name for entry in pathlib.Path(folder).iterdir())
    print(json.dumps({"models": len(set(found)), "most_litter": most_litter, "left": left, "names": names}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
