"""Show me in Python: a script that reproduces what is on the screen, bit for bit.

It ends with a dictionary `shown`: the weights of every learner at the frame on view. Where that is the last frame these
are the fitted model's own; at an earlier one they are put together again from the recorded updates, or are those of a
fit that stops there.
"""

from __future__ import annotations

from rosenblatt.lab.history import Run, stopped_at
from rosenblatt.lab.sets import Data


def script(data: Data, runs: list[Run], frame: int) -> str:
    """The whole script."""
    names = sorted({run.call.name for run in runs})
    head = [
        '"""Made by the lab of Rosenblatt: what was on its screen."""',
        "",
        *_imports(data.code, names, runs),
        "",
        _body(data.code),
        "shown = {}",
    ]
    for run in runs:
        head += ["", *_lines(run, data, min(frame, run.frames - 1))]
    return "\n".join([*head, "", "for name, weights in shown.items():", '    print(f"{name}: {weights.tolist()}")', ""])


def _imports(code: str, names: list[str], runs: list[Run]) -> list[str]:
    lines = [line for line in code.split("\n") if line.startswith(("import ", "from "))]
    if "import numpy as np" not in lines:
        lines.append("import numpy as np")
    lines.append(f"from rosenblatt import {', '.join(names)}")
    return [*sorted(line for line in lines if line.startswith("import ")),
            *sorted(line for line in lines if line.startswith("from "))]  # fmt: skip


def _body(code: str) -> str:
    return "\n".join(line for line in code.split("\n") if not line.startswith(("import ", "from "))).strip()


def _lines(run: Run, data: Data, frame: int) -> list[str]:
    title, number = run.choice.learner.title, int(run.numbers[frame])
    last = frame == run.frames - 1
    if run.kind == "updates":
        return _updates(run, title, number, last)
    call = run.call
    if run.kind == "epochs" and not last and (number or run.stages):
        call = stopped_at(call, number)
    lines = [f"model = {call.code}", "model.fit(X, y)"]
    if run.stages:
        return [
            *lines,
            "parts = [model.below_.weights_, model.below_.bias_, model.weights_, model.bias_]",
            f'shown["{title}"] = np.concatenate([part.ravel() for part in parts])',
        ]
    weights = "np.append(model.coef_, model.intercept_)"
    if number == 0:
        weights = f"np.array({run.weights[0].tolist()})  # where it starts" if run.weights is not None else ""
    return [*lines, f'shown["{title}"] = {weights}']


def _updates(run: Run, title: str, number: int, last: bool) -> list[str]:
    lines = [f"model = {run.call.code}", 'model.fit(X, y, record="updates")']
    if last:
        if run.is_kernel:
            return [*lines, f'shown["{title}"] = model.dual_coef_[0]  # of the rows model.support_']
        if run.choice.learner.answer == "voted":
            return [*lines, f'shown["{title}"] = model.decision_function(X)  # it has no weights, but votes']
        return [*lines, f'shown["{title}"] = np.append(model.coef_[0], model.intercept_[0])']
    lines += [
        f"k = {number}  # updates so far",
        "log = model.trace_.updates",
        "rows, steps, shrinks, times = log.rows[0], log.steps[0], log.shrinks[0], log.times[0]",
    ]
    if run.is_kernel:
        return [*lines, "coefficients = np.zeros(len(X))", "np.add.at(coefficients, rows[:k], steps[:k])",
            f'shown["{title}"] = coefficients[np.unique(rows[:k])]']  # fmt: skip
    lines += [
        "path = [np.zeros(X.shape[1] + 1)]  # (w, b)",
        "for row, step, shrink in zip(rows[:k], steps[:k], shrinks[:k]):",
        "    w, b = path[-1][:-1], path[-1][-1]",
        "    path.append(np.append(step * X[row] + shrink * w, step + b))",
    ]
    shown = {
        "averaged": [
            "total = sum(((times[j] - times[j - 1]) * path[j] for j in range(1, k)), np.zeros(X.shape[1] + 1))",
            f'shown["{title}"] = (total + path[k]) / times[k - 1] if k else path[0]',
        ],
        "pocket": [
            "wrong = [np.sum(np.where(X @ w[:-1] + w[-1] >= 0, 1, -1) != y) for w in path]",
            f'shown["{title}"] = path[int(np.argmin(wrong))]',
        ],
    }.get(run.choice.learner.answer, [f'shown["{title}"] = path[k]'])
    return [*lines, *shown]
