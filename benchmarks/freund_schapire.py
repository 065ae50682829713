"""Freund and Schapire's experiment (1999, section 5) on MNIST "8 against the rest", in file order.

`python -m benchmarks.freund_schapire [--device cuda] [--degrees 1 2 3 4 5 6]` prints the table of docs/kernels.md: test
errors of the vote, the average and the last weights after T epochs with the kernel (1 + x·x')^d, pixels divided by 255,
with the mistakes made so far and the support vectors they left. One run of 30 epochs has all T: every answer at any
time follows from the updates made until then; after a clean epoch nothing changes but how long the last weights stood.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from rosenblatt import KernelPerceptron
from rosenblatt.engine.online.votes import tally
from rosenblatt.kernels import Polynomial
from rosenblatt.sources import mnist

EPOCHS = (0.1, 1, 2, 4, 10, 30)
BLOCK = 1000  # test rows whose kernel values stand in memory


def answers_at(values, places, steps, times, seen):
    """(vote, average, last) scores of some test rows from their kernel values with the support rows."""
    until = int(np.searchsorted(times, seen, side="right"))
    places, steps, times = places[:until], steps[:until], times[:until]
    counts = np.diff(times, append=seen + 1).astype(np.float64)
    vote = tally(values, places, steps, np.ones(until), counts, 0.0, False)
    last, average = (np.zeros(values.shape[1]) for _ in range(2))
    np.add.at(last, places, steps)
    np.add.at(average, places, steps * (seen + 1 - times) / seen)
    return vote, values @ average, values @ last


def table_of(degree, data, device):
    X, X_test = ((part / 255).astype(np.float32) for part in (data.X_train, data.X_test))
    eight = data.y_test == 8
    model = KernelPerceptron(Polynomial(degree), max_iter=30, shuffle=False, device=device)
    model.set_params(answer="averaged").fit(X, data.y_train == 8, record="updates")
    log = model.trace_.updates
    rows, steps, times = log.rows[0], log.steps[0], log.times[0]
    support, places = np.unique(rows, return_inverse=True)
    wrong = {seen: np.zeros(3) for seen in (int(T * len(X)) for T in EPOCHS)}
    kernel = Polynomial(degree)
    for start in range(0, len(X_test), BLOCK):
        values = kernel(X_test[start : start + BLOCK], X[support]).astype(np.float64)
        for seen, errors in wrong.items():
            scores = answers_at(values, places, steps, times, seen)
            errors += [np.sum((score >= 0) != eight[start : start + BLOCK]) for score in scores]
    for T, (seen, errors) in zip(EPOCHS, wrong.items(), strict=True):
        made = rows[times <= seen]
        vote, average, last = 100 * errors / len(X_test)
        figures = f"{vote:.2f} | {average:.2f} | {last:.2f} | {len(made):,} | {len(np.unique(made)):,}"
        print(f"| {degree} | {T:g} | {figures} |", flush=True)
    return model


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--degrees", type=int, nargs="+", default=[1, 2, 3, 4, 5, 6])
    options = parser.parse_args()
    data = mnist()
    print("| d | T | vote % | average % | last % | mistakes | support vectors |\n|---|---|---:|---:|---:|---:|---:|")
    for degree in options.degrees:
        clock = time.perf_counter()
        model = table_of(degree, data, options.device)
        seconds = time.perf_counter() - clock
        print(f"<!-- d={degree}: {model.stop_reason_} after {model.n_iter_} epochs, {seconds:.0f} s -->", flush=True)


if __name__ == "__main__":
    main()
