"""A rule in a user's script: compiled once, kept on disk, and compiled again after an edit to anything it reads."""

import json
import os
import subprocess
import sys

import numba
import numpy as np
import pytest
from numba import njit
from sklearn.exceptions import ConvergenceWarning

from rosenblatt import HalfSpace, Perceptron
from rosenblatt.engine.compile import jit as compiled
from rosenblatt.engine.compile.jit import fingerprint, reads_argument

X = np.array([[1.0, 2.0], [3.0, -1.0], [-2.0, 0.5], [0.0, 1.0]])
y = np.array([0, 1, 1, 0])

CASES = """
import json, sys, types, warnings
import numpy as np
from rosenblatt import HalfSpace
from rosenblatt.engine.compile.jit import fingerprint
from rosenblatt.engine.online.binary_loop import visit_rows
warnings.simplefilter("ignore")
X = np.array([[1.0, 2.0], [3.0, -1.0], [-2.0, 0.5], [0.0, 1.0]])

def found(source, settings, trained):
    for name in ("settings", "package.settings"):
        sys.modules[name] = types.ModuleType(name)
        exec(settings, vars(sys.modules[name]))
    sys.modules["package"] = types.ModuleType("package")
    sys.modules["package"].settings = sys.modules["package.settings"]
    space = {"__name__": "__main__"}
    exec(source, space)
    if not trained:
        return fingerprint(space["rule"])
    model = HalfSpace(space["rule"], shuffle=False, max_iter=1).fit(X, [0, 1, 1, 0], record="updates")
    stats = visit_rows(space["rule"], 0, -1, "rows").stats
    hits, misses = sum(stats.cache_hits.values()), sum(stats.cache_misses.values())
    return [model.trace_.updates.steps[0].tolist()[0], hits, misses]

print(json.dumps([found(*case) for case in json.load(sys.stdin)]))
"""


@pytest.fixture
def in_a_process(tmp_path):
    """Defines the `rule` of each case in a new process; [first step, kernels found on disk, kernels compiled] of each,
    or the key alone of one that is not trained.

    A case is a source, what is in the module `settings`, and in `package.settings`, that it may import, and whether
    the rule is trained.
    """

    def run(cases):
        environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
        done = subprocess.run(
            [sys.executable, "-c", CASES], input=json.dumps(cases), env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run


def ruled(step="1", k="1", size="1", attribute="1", deep="1", entry="1", above="", trained=True):
    """Each of the six things that the rule reads is a digit of its step."""
    source = f"""{above}
import numpy as np
import package.settings
import settings
K = {k}
A = np.arange(2000.0)
A[1000] = {entry}
PAIR = (A, A)
def size(m):
    return {size} + 10.0 * settings.SIZE
def rule(m, sqnorm, t, params):
    step = {step} + 10.0 * K + 100.0 * size(m) + 1e4 * package.settings.DEEP + 1e5 * PAIR[0][1000]
    return (step if m <= 0 else 0.0), 1.0
"""
    return source, f"SIZE = {attribute}\nDEEP = {deep}\nother = {k}", trained


def scheduled_in(module, above=""):
    source = (
        f"{above}from {module} import schedule\nfrom rosenblatt.rules import RULES\n"
        "from rosenblatt.rules.schedules import scheduled\n"
        "rule = scheduled(RULES['perceptron'].function, schedule)\n"
    )
    return source, "def schedule(t):\n    return 4.0 / t\n", True


def test_a_second_process_does_not_compile_again_and_every_edit_takes_effect(in_a_process):
    compiled_here, found = [0, 1], [1, 0]
    first = [ruled(), scheduled_in("settings")]
    assert in_a_process(first) == [[-111111.0, *compiled_here], [-4.0, *compiled_here]]
    # The same text in a module of another name must not be looked for where it was before.
    moved = scheduled_in("package.settings", above="import sys\nsys.modules['settings'] = None\n")
    again = [moved, scheduled_in("settings"), ruled(above="# a comment moves every line")]
    edits = {"step": "2", "k": "3", "size": "4", "attribute": "5", "deep": "6", "entry": "7"}
    each = [ruled(**{name: value}, trained=False) for name, value in edits.items()]
    keyed = [ruled(trained=False), ruled(above="# a comment", trained=False), *each]
    done = in_a_process([*again, ruled(**edits), *keyed])
    answers, edited, keys = done[:3], done[3], done[4:]
    assert answers == [[-4.0, *found], [-4.0, *found], [-111111.0, *found]]
    assert edited == [-765432.0, *compiled_here]
    assert keys[0] == keys[1] and len(set(keys[1:])) == 7  # each edit by itself is another kernel


# ---------------------------------------------------------------------- in one process, as in a notebook


def first_step(rule, params=None):
    with pytest.warns(ConvergenceWarning):
        model = HalfSpace(rule, params, answer="last", shuffle=False, max_iter=1).fit(X, y, record="updates")
    return model.trace_.updates.steps[0][0]


RULE = "def rule(m, s, t, params):\n    return ({} if m <= 0 else 0.0), 1.0\n"
READS = {
    "itself": RULE.format("{}"),
    "a constant": "K = {}\n" + RULE.format("K"),
    "an array": "import numpy as np\nK = np.arange(2000.0)\nK[1000] = {}\n" + RULE.format("K[1000]"),
    "a helper": "def size(m):\n    return {}\n" + RULE.format("size(m)"),
    "a constant of a helper's helper": (
        "K = {}\ndef deep(m):\n    return K\ndef size(m):\n    return deep(m)\n" + RULE.format("size(m)")
    ),
    "a compiled helper": "from numba import njit\n@njit\ndef size(m):\n    return {}\n" + RULE.format("size(m)"),
    "a closed-over value": (
        "def make(k):\n    def rule(m, s, t, params):\n        return (k if m <= 0 else 0.0), 1.0\n    return rule\n"
        "rule = make({})\n"
    ),
    "a default of a helper": "def size(m, k={}):\n    return k\n" + RULE.format("size(m)"),
    "a lambda": "rule = lambda m, s, t, params: ({} if m <= 0 else 0.0, 1.0)\n",
    "an enumeration": (
        "from enum import IntEnum\nclass Size(IntEnum):\n    K = int({})\n" + RULE.format("1.0 * Size.K.value")
    ),
}


def typed(kind, number, space):
    """Code without a file, run again after an edit, as a notebook's cell is."""
    exec(READS[kind].format(number), space)
    return space["rule"]


@pytest.mark.parametrize("kind", READS)
def test_what_is_typed_anew_at_a_prompt_has_another_key(kind):
    space = {"__name__": "__main__"}
    keys = [fingerprint(typed(kind, number, space)) for number in (2.0, 3.0, 2.0)]
    assert keys[0] == keys[2] != keys[1]


def test_what_is_typed_anew_at_a_prompt_takes_effect():
    """All kinds in one rule, which has a kernel of its own for each set of numbers."""
    together = "def rule(m, s, t, params):\n    return (0.0 {} if m <= 0 else 0.0), 1.0\n".format(
        " ".join(f"+ {10.0**place} * rule_{place}(m, s, t, params)[0]" for place in range(len(READS)))
    )
    space = {"__name__": "__main__"}
    for add in (0, 1, 0):
        numbers = [1 + (place + add) % 9 for place in range(len(READS))]
        for place, (kind, number) in enumerate(zip(READS, numbers, strict=True)):
            space[f"rule_{place}"] = typed(kind, float(number), {"__name__": "__main__"})
        exec(together, space)
        assert first_step(space["rule"]) == -sum(number * 10.0**place for place, number in enumerate(numbers))


def test_a_constant_that_changes_between_two_fits_takes_effect():
    space = {"__name__": "__main__"}
    exec(READS["a constant of a helper's helper"].format(4.0), space)
    assert first_step(space["rule"]) == -4.0
    space["K"] = 5.0
    assert first_step(space["rule"]) == -5.0


@pytest.mark.parametrize("kind", ["itself", "a helper"])
def test_code_that_belongs_to_no_module(kind):
    space = {}
    exec(READS[kind].format(2.0), space)
    assert first_step(space["rule"]) == -2.0


def test_a_lambda_and_parameters():
    assert first_step(lambda m, sqnorm, t, params: (params[0] if m <= 0 else 0.0, 1.0), [0.5]) == -0.5


def test_a_rule_that_is_already_compiled_and_one_with_a_compiled_helper():
    @njit
    def half(v):
        return 0.5 * v

    @njit
    def rule(m, sqnorm, t, params):
        return (half(3.0) if m <= 0 else 0.0), 1.0

    def plain(m, sqnorm, t, params):
        return (half(3.0) if m <= 0 else 0.0), 1.0

    assert first_step(rule) == first_step(plain) == -1.5


def test_a_rule_may_call_mathematics():
    import math

    def rule(m, sqnorm, t, params):
        return 1.0 / (1.0 + math.exp(m)) + 0.0 * np.sqrt(sqnorm), 1.0

    assert first_step(rule) == -0.5


def test_a_rule_may_print(capfd):
    """What printing needs of Python is there, although the rule has no machine code of its own."""

    def rule(m, sqnorm, t, params):
        if t == 3:
            print("third", m)
        return (1.0 if m <= 0 else 0.0), 1.0

    assert first_step(rule) == -1.0
    assert capfd.readouterr().out.startswith("third ")


def test_integers_for_numbers_do_as_well():
    assert first_step(lambda m, sqnorm, t, params: (1 if m <= 0 else 0, 1)) == -1.0


def test_the_squared_norm_reaches_a_rule_that_asks_for_it():
    with pytest.warns(ConvergenceWarning):
        model = HalfSpace(lambda m, s, t, p: (s, 1.0), answer="last", shuffle=False, max_iter=1).fit(
            X, y, record="updates"
        )
    expected = (X**2).sum(axis=1) + 1
    np.testing.assert_allclose(np.abs(model.trace_.updates.steps[0]), expected)
    with pytest.warns(ConvergenceWarning):
        model.set_params(fit_intercept=False).fit(X, y, record="updates")
    np.testing.assert_allclose(np.abs(model.trace_.updates.steps[0]), expected - 1)


def test_time_counts_the_examples_from_one():
    with pytest.warns(ConvergenceWarning):
        model = HalfSpace(lambda m, s, t, p: (1.0 * t, 1.0), answer="last", shuffle=False, max_iter=2).fit(
            X, y, record="updates"
        )
    assert np.abs(model.trace_.updates.steps[0]).tolist() == [1, 2, 3, 4, 5, 6, 7, 8]


def test_what_a_function_reads():
    assert reads_argument(lambda m, sqnorm, t, params: (sqnorm, 1.0), 1)
    assert not reads_argument(lambda m, sqnorm, t, params: (m, 1.0), 1)


def test_fingerprints_tell_constants_apart_but_not_names_of_files():
    def make(k):
        return lambda m, s, t, p: (k, 1.0)

    assert fingerprint(make(1.0)) == fingerprint(make(1.0))
    assert len({fingerprint(make(k)) for k in (1.0, 1, True, -0.0, 0.0)}) == 5


def test_an_edit_of_any_file_of_the_engine_is_another_digest(tmp_path, monkeypatch):
    """A new version of a function that a loop calls must not meet machine code of the old one."""
    for name, text in (("compiled.py", "a = 1"), ("dense.py", "b = 2")):
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(compiled, "__file__", str(tmp_path / "compiled.py"))
    digest = compiled.engine_digest.__wrapped__
    before = digest()
    assert digest() == before
    (tmp_path / "dense.py").write_text("b = 3")
    assert digest() != before


def test_one_schedule_is_one_kernel(monkeypatch):
    """A learning rate that is a function is not compiled again, nor read from disk again, for every example."""
    model = Perceptron(learning_rate=lambda t: 1.0 / t)
    for label in (0, 1):
        model.learn_one([1.0, 2.0], label)
    made = []
    jit = compiled.jit
    monkeypatch.setattr(compiled, "jit", lambda function: made.append(function) or jit(function))
    for t in range(5):
        model.learn_one([1.0, -t], t % 2)
    assert made == []


def test_damaged_files_of_the_cache_are_made_anew(tmp_path):
    script = (
        "import numpy as np\n"
        "from rosenblatt.engine.online.norm import sum_of_squares\n"
        "print(sum_of_squares(np.arange(4.0)))\n"
    )
    for cut in (None, "*.nbi", "*.nbc", None):
        for path in tmp_path.rglob(cut or "none"):
            path.write_bytes(path.read_bytes()[:100])
        done = subprocess.run(
            [sys.executable, "-c", script], env=os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}, capture_output=True,
            text=True,
        )  # fmt: skip
        assert (done.returncode, done.stdout) == (0, "14.0\n"), done.stderr
    assert list(tmp_path.rglob("*.nbi")) and list(tmp_path.rglob("*.nbc"))


@pytest.mark.slow
def test_another_numba_compiles_in_its_usual_way_to_the_same_bits(tmp_path):
    """`parts` knows the inner ways of one version only."""
    script = (
        "import sys, warnings, numba\n"
        "numba.__version__ = sys.argv[1]\n"
        "import numpy as np\n"
        "from rosenblatt import Perceptron\n"
        "warnings.simplefilter('ignore')\n"
        "X = np.random.default_rng(0).normal(size=(300, 5))\n"
        "model = Perceptron(max_iter=5, random_state=0).fit(X, X[:, 0] > X[:, 1] ** 2)\n"
        "from rosenblatt.engine.compile.numba_private import PIPELINES_KNOWN\n"
        "print(PIPELINES_KNOWN, model.coef_.tobytes().hex())\n"
    )
    said = [
        subprocess.run(
            [sys.executable, "-c", script, version], env=os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / version)},
            capture_output=True, text=True, check=True,
        ).stdout.split()
        for version in ("0.61.0", numba.__version__)
    ]  # fmt: skip
    assert said[0][0] == "False" and said[0][1] == said[1][1]
