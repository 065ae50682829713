"""The five notebooks in docs/lectures run from top to bottom, and nothing that their lectures write is missing.

The cells of a notebook are run in one namespace, in this process, with warnings as errors. The site runs them in
Jupyter.
"""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import NamedTuple

import matplotlib.pyplot as plt
import pytest

ROOT = Path(__file__).parents[2]
NOTEBOOKS = {
    "F1": "fleuret_perceptron",
    "K": "kosman_perceptron",
    "F2": "fleuret_linear_classifiers",
    "C": "crowley_gradient_descent",
    "P": "liang_perceptron_sgd",
}
FOLDER = ROOT / "docs" / "lectures"
TEXTS = {key: (FOLDER / f"{name}.md").read_text(encoding="utf-8") for key, name in NOTEBOOKS.items()}
CELL = re.compile(r"^```\{code-cell\} ipython3\n(---\n.*?^---\n)?(.*?)^```$", re.MULTILINE | re.DOTALL)


class Cell(NamedTuple):
    line: int
    options: str
    code: str
    before: str  # the words since the cell before


def cells(text: str) -> list[Cell]:
    found, end = [], 0
    for block in CELL.finditer(text):
        line = text.count("\n", 0, block.start(2)) + 1
        found.append(Cell(line, block.group(1) or "", block.group(2), text[end : block.start()].strip()))
        end = block.end()
    return found


def test_every_file_is_a_notebook_of_a_lecture() -> None:
    pages = {page.stem for page in FOLDER.glob("*.md")}
    assert pages == {*NOTEBOOKS.values(), "index"}
    for text in TEXTS.values():
        assert text.startswith("---\nfile_format: mystnb\n")
        assert text.count("{code-cell}") == len(cells(text))


@pytest.mark.parametrize("lecture", NOTEBOOKS)
def test_runs_from_top_to_bottom(lecture: str, capsys: pytest.CaptureFixture[str]) -> None:
    namespace = {"__name__": "__main__"}
    plt.switch_backend("agg")
    with plt.rc_context(), warnings.catch_warnings():
        # plt.show() has nothing to show where there is no screen
        warnings.filterwarnings("ignore", message="FigureCanvasAgg is non-interactive")
        silent = []
        for cell in cells(TEXTS[lecture]):
            source = "\n" * (cell.line - 1) + cell.code  # so that a traceback names the line of the notebook
            exec(compile(source, f"{NOTEBOOKS[lecture]}.md", "exec"), namespace)
            drawn = [plt.figure(number) for number in plt.get_fignums()]
            for figure in drawn:
                figure.canvas.draw()
            shown = capsys.readouterr()
            assert not shown.err, f"line {cell.line} writes to stderr: {shown.err}"
            assert all(figure.axes for figure in drawn), f"line {cell.line} draws an empty figure"
            if not shown.out and not drawn:
                silent.append(cell.line)
            plt.close("all")
    assert len(silent) <= 3, f"cells that show nothing, at lines {silent}"  # imports and the functions of the lecture


@pytest.mark.parametrize("lecture", NOTEBOOKS)
def test_every_cell_is_explained_and_fits_its_column(lecture: str) -> None:
    for cell in cells(TEXTS[lecture]):
        assert len(cell.before.split()) >= 4, f"nothing is said before the cell at line {cell.line}"
        long = [line for line in cell.code.splitlines() if len(line) > 80]
        assert not long, f"the cell at line {cell.line} has lines that scroll: {long}"


@pytest.mark.parametrize("lecture", NOTEBOOKS)
def test_exercises_have_hidden_solutions(lecture: str) -> None:
    text = TEXTS[lecture]
    asked = text[text.index("## Exercises") :]
    questions = re.findall(r"^\*\*(\d+)\. ", asked, re.MULTILINE)
    assert questions == [str(n + 1) for n in range(len(questions))] and len(questions) >= 4
    assert asked.count("<details>\n<summary>Solution</summary>") == asked.count("</details>") == len(questions)
    hidden = [cell for cell in cells(text) if "hide-cell" in cell.options]
    assert len(hidden) == len(questions)
    assert all("source_hidden: true, outputs_hidden: true" in cell.options for cell in hidden)
    assert "hide-cell" not in text[: text.index("## Exercises")]


# Each formula of the table of rows L1 to L25, as the notebooks of the lectures that have it write it.
FORMULAS = {
    "L1": {
        "F1": [
            r"\mathbf{1}_{\{w \sum_i x_i + b \ge 0\}}",
            r"u + v - 0.5 \ge 0",
            r"u + v - 1.5 \ge 0",
            r"-u + 0.5 \ge 0",
        ],
        "F2": [r"\mathbf{1}_{\{w \sum_i x_i + b \ge 0\}}", r"u+v-0.5 \ge 0", r"u+v-1.5 \ge 0", r"-u+0.5 \ge 0"],
        "K": [r"x + y - 1 < 0", r"x + y - 1.5 < 0"],
    },
    "L2": {
        "F1": [r"\sum_i w_i x_i + b \ge 0", r"f(x) = \sigma(w \cdot x + b)"],
        "F2": [r"f(x) = \sigma(w \cdot x + b)"],
        "K": [r"\operatorname{sign}(\langle w, x \rangle)"],
        "C": [r"\vec w^T \vec X_m + b \ge 0", r"\operatorname{sgn}(z)"],
        "P": [r"\operatorname{sign}(f_w(x)) = \operatorname{sign}(w^T x)"],
    },
    "L3": {"F1": [r"x' = (x, 1)", r"w' = (w, b)"], "K": [r"w' = (w, -k)"], "C": [r"\vec w = (w_1, \dots, w_D, b)^T"]},
    "L4": {
        "F1": [r"y_{n_k} (w^k \cdot x_{n_k}) \le 0", r"w^{k+1} = w^k + y_{n_k} x_{n_k}"],
        "F2": [r"w^{k+1} = w^k + y_{n_k} x_{n_k}"],
        "K": [r"w \leftarrow w + y x"],
        "C": [r"\vec w^{(i+1)} \leftarrow \vec w^{(i)} - \eta\, y_m \vec X_m", r"\vec w + \eta\, y_m \vec X_m"],
        "P": [
            r"\mathbf{w}_{t+1} \leftarrow \mathbf{w}_t + \mathbf{x}",
            r"\mathbf{w}_{t+1} \leftarrow \mathbf{w}_t - \mathbf{x}",
        ],
    },
    "L5": {
        "C": [r"b^{(i+1)} \leftarrow b^{(i)} - \eta\, y_m", r"b + \eta\, y_m"],
        "P": [r"w_t + \eta_t\, y_t x_t\, \mathbb{I}"],
    },
    "L6": {"P": ["receives an unlabeled example $x_i$"], "C": ["*on-line*"]},
    "L7": {
        "F1": [r"k \le 4 R^2 / \gamma^2", r"k^2 \gamma^2 / 4 \le \|w^k\|^2 \le k R^2", r"(k+1)\,\gamma/2"],
        "F2": [r"\lfloor 4R^2/\gamma^2 \rfloor"],
        "K": [r"T \le \frac{R^2}{\gamma^2}", r"w_t \cdot w^* \ge t \gamma", r"\|w_t\|^2 \le t R^2"],
        "P": [r"M \le (1/\gamma)^2", r"\min_i \lvert (w^*)^T x_i \rvert", r"\|w_{t+1}\|^2 \le \|w_t\|^2 + 1"],
    },
    "L8": {"K": [r"\sum_{i=1}^d w_i x_i > k", r"\sum_{i=1}^d w_i x_i < k", "convex hulls are disjoint"]},
    "L9": {"K": ["**Any time.**", "**The pocket.**"], "C": ["limit on the number of passes"]},
    "L10": {
        "K": [r"w = \sum_i \alpha_i y_i x_i", r"\alpha_i y_i K(x_i, x')", r"\alpha_j \leftarrow \alpha_j + 1"],
        "F2": [r"\sum_i \alpha_i y_i\, \kappa(x_i, x')"],
    },
    "L11": {"K": [r"\alpha_i \ge s", r"\alpha_i \leftarrow 0"]},
    "L12": {
        "K": [
            r"(x^T y + 1)^p",
            r"e^{-\frac{1}{2\sigma^2}\|x - y\|^2}",
            r"e^{-\gamma \|x - y\|^2}",
            r"\tanh(\eta\, x^T y + \theta)",
            r"(1 + u^T v)^2",
            r"\sqrt2 u_1 u_2",
        ]
    },
    "L13": {
        "F1": [
            r"\lambda \|w\|^2 + \frac{1}{N} \sum_n \max\bigl(0,\, 1 - y_n (w \cdot x_n + b)\bigr)",
            r"\max(0, 1 - \alpha)",
        ],
        "F2": [r"\lambda\|w\|^2 + \frac1N \sum_n \max(0, 1 - y_n(w \cdot x_n + b))"],
    },
    "L14": {
        "F2": [
            r"\exp\Bigl(-\tfrac12 (x - m_y)\, \Sigma^{-1} (x - m_y)^T\Bigr)",
            r"\underbrace{(m_1 - m_0)\Sigma^{-1}}_{w}",
            r"\tfrac12 \bigl(m_0\Sigma^{-1}m_0^T - m_1\Sigma^{-1}m_1^T\bigr) + a",
            r"\log \frac{P(Y=1)}{P(Y=0)}",
        ]
    },
    "L15": {
        "F2": [
            r"\sum_n \log \sigma\bigl(y_n (w \cdot x_n + b)\bigr) + \log \mu_{W,B}(w, b)",
            r"\eta\,(1 - \sigma(a))\, y\, x",
        ],
        "P": [r"-\frac1n \sum_t \log \sigma(y_t w^T x_t)", r"\frac{\sigma(a)(1 - \sigma(a))}{\sigma(a)}"],
    },
    "L16": {"F2": [r"\sigma\Bigl( \sum_{j=1}^N w_{i,j} x_j + b_i \Bigr)", r"y = \sigma(w x + b)"]},
    "L17": {
        "C": [
            r"C_m = \frac12 (a_m - y_m)^2",
            r"\frac{d\sigma(z)}{dz} = \sigma(z)\,(1 - \sigma(z))",
            r"\frac{\partial C_m}{\partial a_m} \cdot \frac{\partial a_m}{\partial z_m} "
            r"\cdot \frac{\partial z_m}{\partial w_1}",
            r"f(\vec w^T \vec X + b) \ge 0.5",
        ]
    },
    "L18": {"P": [r"\frac1n \sum_{t=1}^n (w^T x_t - y_t)^2", r"w_t - 2 \eta_t\, (w_t^T x_t - y_t)\, x_t"]},
    "L19": {
        "C": [r"\Delta \vec w = \frac1M \sum_{m=1}^M \Delta \vec w_m", r"\vec w^{(i-1)} - \eta\, \Delta \vec w"],
        "P": [
            r"\theta_{t+1} = \theta_t - \eta_t \nabla \hat L(\theta_t)",
            r"\frac1b \sum_{1 \le i \le b} l(\theta_t, x_{tb+i}, y_{tb+i})",
        ],
    },
    "L20": {"C": [r"\frac{x_{dm} - \min(x_d)}{\max(x_d) - \min(x_d)}"]},
    "L21": {
        "F2": [
            r"\Phi : (x_u, x_v) \mapsto (x_u, x_v, x_u x_v)",
            r"\Phi : x \mapsto (1, x, x^2, \dots, x^D)",
            r"\sum_{d=0}^D \alpha_d x^d = \alpha \cdot \Phi(x)",
        ]
    },
    "L22": {"F2": ["(K = 11)", "8 × 8 pixels", "in 9 bins"]},
    "L23": {"F2": [r"(\mathbb{E}(Y) - y)^2", r"\mathbb{V}(Y)"]},
    "L24": {"C": ["one neuron for each"], "F2": ["a layer on top of another"], "P": [r"\sum_{j=0}^{M} w_{kj}^{(2)}"]},
    "L25": {"P": ["other-delinquent-accounts > 2", "years-of-credit > 3"]},
}


def one_line(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("row", FORMULAS)
def test_formulas_of_the_row_are_there(row: str) -> None:
    for lecture, formulas in FORMULAS[row].items():
        text = one_line(TEXTS[lecture])
        assert re.search(rf"\b{row}\b", text), f"{NOTEBOOKS[lecture]} does not name {row}"
        for formula in formulas:
            assert one_line(formula) in text, f"{NOTEBOOKS[lecture]} lacks {formula}"


def test_rows_are_in_the_notebooks_of_their_lectures() -> None:
    """The lectures that a heading of docs/lectures.md names for a row are those whose notebooks have it."""
    page = (ROOT / "docs" / "lectures.md").read_text(encoding="utf-8")
    headings = re.findall(r"^## (L\d+) — .* \((.*?)\)$", page, re.MULTILINE)
    assert [row for row, _ in headings] == list(FORMULAS)
    for row, lectures in headings:
        named = list(NOTEBOOKS) if lectures == "all" else lectures.split(", ")
        for lecture in named:
            assert re.search(rf"\b{row}\b", TEXTS[lecture]), f"{row} is not in {NOTEBOOKS[lecture]}"


def test_slips_point_to_the_errata() -> None:
    for lecture, text in TEXTS.items():
        assert "**Slip" in text and "(../errata.md)" in text, lecture
