"""Lecture mode: twelve steps, one for each big idea of the lectures; each is a screen with a paragraph and a task."""

from __future__ import annotations

from dataclasses import dataclass, replace

from rosenblatt.lab.learners import Choice
from rosenblatt.lab.state import State


@dataclass(frozen=True)
class Step:
    """One idea."""

    title: str
    text: str
    task: str
    row: str
    state: State
    end: bool = False  # shown at its end rather than played from the start


def _at(name: str, given: dict[str, object], *learners: Choice, seed: int = 0) -> State:
    return State.of(name, given, *learners, seed=seed)


AS_THEY_ARE = {"order": "as they are"}

STEPS: tuple[Step, ...] = (
    Step("A unit", "A threshold unit weighs its inputs, adds a bias, and answers yes where w·x + b ≥ 0. In two "
        "dimensions that is a line with an arrow: w points to the yes side, and b shifts the line.",
        "Drag a point across the line, and watch the line follow after a few corrections.", "L2",
        _at("blobs", {"n": 12, "margin": 1.0}, Choice.of("perceptron", AS_THEY_ARE)), end=True),
    Step("Gates", "McCulloch and Pitts (1943) built logic from such units. Here the four corners are the inputs of "
        "and; the line cuts off the one corner where both are 1.",
        "Flip the corners so that the gate becomes or: which way does the line move?", "L1",
        _at("and", {}, Choice.of("perceptron", AS_THEY_ARE))),
    Step("The rule", "Rosenblatt's rule (1957): start at zero and visit the points in turn. If one is on the wrong "
        "side, add it to w with its sign. That is all. The ringed point is the one that was just added.",
        "Step with the → key, and check the sum in the formula yourself.", "L4",
        _at("blobs", {"n": 60, "margin": 0.2, "seed": 15}, Choice.of("perceptron", AS_THEY_ARE))),
    Step("The theorem", "If the points lie within R of the origin and some line leaves a street of half-width γ, then "
        "there are at most R²/γ² corrections, however many points there are. The proof is two curves: ‖w‖² stays below "
        "k R² and above (k γ)², and they cross. Here the bias is learned too, as the weight of a coordinate that is "
        "always 1: R′ and γ′ are R and γ with that coordinate, and the bound shown is R′²/γ′², rounded down.",
        "Make the margin wider: the crossing comes nearer, and the run gets shorter.", "L7",
        _at("blobs", {"n": 100, "margin": 0.1, "seed": 29}, Choice.of("perceptron", {"max_iter": 40}))),
    Step("xor", "Exclusive or broke the spell (Minsky and Papert 1969): no line has (0, 1) and (1, 0) on one side and "
        "the other corners on the other. The star is the proof: it is the middle of both pairs.",
        "Drag one corner until a line exists. What has happened to the star?", "L8",
        _at("xor", {}, Choice.of("perceptron", AS_THEY_ARE))),
    Step("Features", "A line fails on circles. In the features x₁², x₁x₂, x₂², … it does not: the polynomial kernel of "
        "degree 2 is a line in that space, and an ellipse here.",
        "Set the degree to 1: the kernel is a line again, and fails again.", "L21",
        _at("circles", {"n": 100}, Choice.of("kernel", {"kernel": "polynomial", "degree": 2}))),
    Step("Kernels", "The features never need to be written down: only inner products K(x, x′) are used, and what is "
        "learned is a counter for each point. A Gaussian kernel lets every mistake speak for its neighbourhood.",
        "Make γ larger: the neighbourhoods shrink, and more points become mistakes.", "L10",
        _at("spirals", {"n": 200}, Choice.of("kernel", {"kernel": "rbf", "gamma": 20.0, "max_iter": 40}))),
    Step("Not separable", "Real data overlaps. The perceptron then never comes to rest: each correction repairs one "
        "point and may spoil others. The certificate shows that no line could.",
        "Play it fast, and watch the error jump. Then set the flipped labels to 0.", "L9",
        _at("overlapping", {"n": 100, "flipped": 0.1}, Choice.of("perceptron"))),
    Step("The pocket", "Keep the best line seen so far in a pocket, and answer with that (Gallant 1990); or answer "
        "with the mean of all lines. The thin line is the perceptron, which goes on jumping; the thick one answers.",
        "Compare pocket and averaged on the same points.", "L9",
        _at("overlapping", {"n": 100, "flipped": 0.1}, Choice.of("pocket"), Choice.of("averaged"))),
    Step("The margin", "Many lines separate; the one in the middle of the widest street is the safest. The support "
        "vector machine looks for it, and only the ringed points decide where it lies.",
        "Move a point that is not ringed, then one that is.", "L13",
        _at("blobs", {"n": 40, "margin": 0.6, "seed": 27}, Choice.of("perceptron"), Choice.of("svm")), end=True),
    Step("Probability", "Logistic regression answers with a probability, σ(w·x + b). If both classes are bells of one "
        "shape, the discriminant's formula gives the same kind of answer without any steps.",
        "Add a far point to one class: which of the two lines minds it more?", "L15",
        _at("overlapping", {"n": 120, "flipped": 0.05, "seed": 1},
            Choice.of("logistic"), Choice.of("discriminant")), end=True),
    Step("Gradient", "With a smooth unit, σ(w·x + b), and a squared loss, learning is walking downhill. The landscape "
        "is not convex: with long steps or an unlucky start the walk can end somewhere else.",
        "Raise the learning rate to 60, or let it start far out (spread of the start).", "L17",
        _at("overlapping", {"n": 60, "flipped": 0.05, "seed": 2},
            Choice.of("neuron", {"learning_rate": 4.0, "max_iter": 60}))),
)  # fmt: skip


def state_of(number: int) -> State:
    """The screen of step 1 … 12."""
    if not 1 <= number <= len(STEPS):
        raise ValueError(f"The tour has steps 1 to {len(STEPS)}, but got {number}; go to one of them.")
    return replace(STEPS[number - 1].state, tour=number)
