// @ts-check
// Every word of the page, in one place, ready for translation. {name} is filled in.

export const S = {
  title: "The perceptron lab",
  tagline: "Draw points. Watch a line learn. See why it must stop.",
  classNames: ["blue", "orange", "green"],

  labels: { nav: "The lab", tour: "Tour", data: "Points and learner", stage: "Picture and steps", tools: "Drawing", transport: "Steps", side: "Proof" }, // of the parts of the page
  bar: { tour: "Tour", projector: "Projector", share: "Share", export: "Export", theme: "Light or dark", keys: "Keys", lab: "Lab" },
  data: {
    heading: "Points", upload: "Your own CSV…", clear: "Clear", undo: "Undo", redo: "Redo",
    test: "Keep 30 % as test points", testHint: "Test points are drawn hollow and never learned from.", seed: "Order seed",
  },
  tools: { add: "Add or drag", spray: "Spray", flip: "Flip", delete: "Delete", classes: "Class of new points" },
  learner: {
    heading: "Learner", second: "Compare with", none: "nothing",
  },
  transport: {
    start: "To the start", back: "One step back", play: "Play", pause: "Pause", step: "One step", end: "To the end", scrub: "Step on view", speed: "Speed",
    update: "update {k} of {n}", epoch: "epoch {e}", step_: "step {k} of {n}", once: "one formula, no steps",
  },
  panels: {
    proof: "Why it must stop", never: "Why it never stops", what: "What is proven", update: "This update", errors: "Errors", alone: "Proof alone", loss: "How the loss falls", lossAxis: "loss", counters: "counters of {n} points", weightPlane: "Weight plane",
    linear: "linear", log: "log", picture: "Picture: the points, the line and the regions", errorsAxis: "points wrong, %", updates: "updates", frames: "frames", steps: "steps",
    train: "train", test: "test", landscape: "Weights as an image: orange speaks for {b}, blue for {a}",
  },

  sets: {
    clouds: "Clouds", slow: "Slow", overlapping: "Overlap", and: "and", or: "or", xor: "xor", circles: "Circles", moons: "Moons",
    spirals: "Spirals", three: "3 classes", iris: "Iris", mnist: "MNIST",
  },
  options: {
    n: "points", margin: "margin", seed: "variation", flipped: "flipped labels", noise: "noise", turns: "turns", kinds: "kinds", across: "across", up: "up",
    a: "digit", b: "against", view: "seen by", learning_rate: "learning rate η", max_iter: "epochs at most", order: "order of the points", theta: "margin asked for θ",
    variant: "variant", C: "aggressiveness C", kernel: "kernel", gamma: "γ", sigma: "width σ", degree: "degree", coef0: "constant",
    drop_after: "drop a point after mistakes (0: never)", lam: "penalty λ", solver: "solver", start: "spread of the start", shrinkage: "shrinkage",
  },

  // What the choices of menus are called, where that is not their own name.
  choices: { rbf: "radial (rbf)", newton: "Newton's method", pegasos: "Pegasos", dual: "dual, by pairs", batch: "all points at once" },
  pictured: { pixel: "pixel ({row}, {column})", first: "first principal axis", second: "second principal axis", centimetres: "{name} (cm)" },
  gates: ["false", "true"], column: "column {j}",

  learners: {
    perceptron: ["Perceptron", "w ← w + η y x  if  y (w·x + b) ≤ 0",
      "Visits the points in turn. A point on the wrong side pulls the line towards its own side; a whole epoch without a mistake ends it."],
    averaged: ["Averaged perceptron", "w̄ = mean of  w  after every point",
      "The same run; the answer is the mean of all weights so far, so that a late mistake cannot spoil it. The thin line is the perceptron itself."],
    voted: ["Voted perceptron", "sign ( ∑ c_k sign (w_k·x + b_k) )",
      "The same run; every line votes, with the number c of points it survived."],
    pocket: ["Pocket perceptron", "keep the  w  with the fewest errors",
      "The same run; the best line so far stays in the pocket and is the answer. The thin line is the perceptron, which never stops where no line is right."],
    margin: ["Margin perceptron", "w ← w + η y x  if  y (w·x + b) ≤ θ",
      "Also learns from points that are right too narrowly, and so leaves a wider street."],
    passive_aggressive: ["Passive-aggressive", "w ← w + τ y x ,  τ = (1 − m) / (‖x‖^2 + 1)  if  m = y (w·x + b) < 1",
      "Makes the smallest change that gives the point a margin of 1."],
    kernel: ["Kernel perceptron", "α_i ← α_i + 1  if  y_i ∑ α_j y_j K(x_j, x_i) ≤ 0",
      "A perceptron in a space of features that is never visited: it counts the mistakes on each point. Bigger points were mistakes more often."],
    svm: ["Support vector machine", "minimise  λ ‖w‖^2 + mean of  max(0, 1 − y (w·x + b))",
      "Looks for the widest street. Only the ringed points, on its edge or inside, matter."],
    logistic: ["Logistic regression", "minimise  λ ‖w‖^2 + mean of  log(1 + e^{−y (w·x + b)})",
      "Answers with a probability, which fades across the street; the line is where it is one half."],
    discriminant: ["Gaussian discriminant", "w = S^{−1} (m_1 − m_0)",
      "No steps: if both classes are bells of one shape, the best line has a formula."],
    neuron: ["Sigmoid neuron", "minimise  mean of  (σ(w·x + b) − t)^2 / 2",
      "Walks down a loss that is not convex: where it ends depends on the start and on the length of its steps."],
    adaline: ["Adaline", "w ← w + η (1 − m) y x ,  m = y (w·x + b)",
      "Wants every score to be exactly −1 or +1, and moves for every point, right or wrong."],
    least_squares: ["Least squares", "minimise  λ ‖w‖^2 + mean of  (w·x + b − y)^2 / 2",
      "Regression on the labels: every score is to hit its label, so points that are right by far pull the line too."],
  },

  proof: {
    bound: "At most ⌊{ratio}⌋ = {bound} updates, in whatever order the points come. This run {made}.",
    made: "made {k}", madeSoFar: "has made {k} so far and was stopped after {e} epochs",
    where: "R and γ count the bias as one more coordinate, which is always 1.",
    whereKernel: "R and γ are measured in the kernel's space.",
    none: "No line separates these points, so the theorem does not apply and the perceptron never stops. The proof: the star lies in both hulls, as a mix of the {n} points in diamonds.",
    other: "The theorem is about Rosenblatt's rule; this learner follows another. A perceptron would make at most {bound} updates on these points.",
    otherNone: "No line separates these points: the star lies in both hulls, as a mix of the {n} points in diamonds.",
    many: "One perceptron for each class against the others; the theorem holds for each of them where its class can be separated.",
    undecided: "This run did not end with a clean epoch, so nothing is proven here.",
    tiny: "A line separates these points, but by so little that the bound is beyond {bound}.",
    dropped: "Points were dropped: the theorem needs all updates to stay.",
    sigmoid: "The sigmoid kernel need not be an inner product, and then the theorem does not apply.",
    large: "The bound in the kernel's space is computed for up to {n} points.",
    ceiling: "k R²", ceilingMargin: "k (R² + 2θ/η)", floor: "(k γ)²", length: "‖w‖²", star: "here they cross: {bound}",
    angle: "angle to w*: {angle}°", axis: "updates k",
    challenge: "{percent} % of the bound; your best: {best} %.",
  },

  update: {
    start: "w = 0: every point is on the line, and a margin of 0 counts as a mistake.",
    moved: "Point {i} is {class}; its margin was {m}. It is added to w with its sign.",
    moved_step: "Point {i} is {class}; its margin was {m}.",
    epoch: "Step {k} of the solver, which looks at all points.",
    kernel: "Point {i} is {class}; its margin was {m}. Its counter goes up by one.",
    once: "All points enter one formula.", many: "Point {i} is {class}. Every class whose answer was wrong moves.",
  },
  ended: {
    converged: "Stopped after {e} epochs: a whole epoch without an update.", max_iter: "Stopped at the limit of {e} epochs.", lowest: "Stopped: the objective is as low as it gets.",
    formula: "The weights have a formula.", wrong: "{wrong} of {n} points are wrong", right: "All {n} points are right", test: "test: {wrong} of {n} wrong",
  },

  quiz: {
    open: "Predict", turn: "The ringed point is next, and it is {class}. Which way will the line turn?", separable: "Can one line separate these points?",
    clockwise: "clockwise", counter: "counter-clockwise", shift: "it hardly turns", yes: "yes", no: "no", right: "Right.", wrong: "No: {answer}.", score: "{right} of {asked} right", close: "Close",
    none: "This learner has no next update; step back first, or take another set.",
  },

  tour: {
    step: "{i} of {n}", back: "Back", next: "Next", close: "Leave the tour", done: "Done", task: "Try it",
    steps: [
      ["A unit", "A threshold unit weighs its inputs, adds a bias, and answers yes where w·x + b ≥ 0. In the plane that is a line with an arrow: w points to the yes side, b shifts the line.", "Drag a point across the line and watch the line follow."],
      ["Gates", "McCulloch and Pitts (1943) built logic from such units. The four corners are the inputs of and; the line cuts off the one corner where both are 1.", "Choose Flip and click corners until the gate is or."],
      ["The rule", "Rosenblatt (1957): start at zero and visit the points in turn. If one is on the wrong side, add it to w with its sign. That is all.", "Take three steps (the → key), and follow the arrows in the weight plane."],
      ["The theorem", "If all points lie within R and some line leaves a street of half-width γ, there are at most R²/γ² updates, however many points there are. ‖w‖² stays below k R² and above (k γ)²: the curves cross, and there it must stop.", "Make the margin wider until the bound is less than half."],
      ["As slow as you can", "The bound is a promise about the worst case. Most runs stop long before. Three points can already come more than halfway.", "Drag or add points: beat 55 % of the bound."],
      ["xor", "No line has (0, 1) and (1, 0) on one side and the other two corners on the other (Minsky and Papert 1969). The star is the proof: it lies in the middle of both pairs.", "Drag one corner until a line exists. What happened to the star?"],
      ["Features", "A line fails on circles. In the features x₁², x₁x₂, x₂², … it does not: the polynomial kernel of degree 2 is a plane in that space and an ellipse here.", "Set the degree to 1: a line again, and it fails again."],
      ["Kernels", "The features are never written down: only K(x, x′) is used, and a counter is learned for each point. With a Gaussian kernel every mistake speaks for its neighbourhood.", "Double γ: the neighbourhoods shrink, and more points become mistakes."],
      ["Not separable", "Real data overlaps. The perceptron then never stops: each update repairs one point and may spoil others. The star proves that no line could.", "Play until 100 updates were made, and watch the errors jump."],
      ["The pocket", "Keep the best line so far in a pocket and answer with that (Gallant 1990); or answer with the mean of all lines. The thin line is the perceptron, which goes on jumping.", "Go to the end (the End key): which of the two is better?"],
      ["The margin", "Many lines separate; the one in the middle of the widest street is the safest. The support vector machine finds it, and only the ringed points decide where it lies.", "Move a point that is not ringed, then one that is."],
      ["Probability", "Logistic regression answers with a probability. If both classes are bells of one shape, the discriminant has a formula for the same kind of answer.", "Add a far point to one class: which line moves more?"],
      ["Gradient", "With a smooth unit and a squared loss, learning is walking downhill. The loss is not convex: with long steps the walk can end somewhere else.", "Raise the learning rate above 20."],
      ["Three classes", "One perceptron for each class against the others; the highest score answers. A visit may move several lines at once.", "Play to the end."],
      ["Train and test", "The hollow points are kept for a test and never learned from. A learner may know its own points by heart and still be wrong about new ones.", "Raise γ above 20, and compare the two curves of errors."],
    ],
  },

  messages: {
    linkCopied: "The link holds this whole screen. It is in the address bar and on the clipboard.", linkReady: "The link holds this whole screen: copy it from the address bar.",
    linkLarge: "{n} points are too many for a link. They are kept in this browser under this address; download the file to share them.",
    localGone: "The points of this address were kept in another browser, or were removed. Here is a fresh start.",
    linkBad: "This link is damaged ({why}). Here is a fresh start.", oneClass: "All points are {class}. Add a point of another class.", empty: "There are no points yet. Click in the picture.",
    twoClasses: "{learner} learns two classes here; the perceptrons, passive-aggressive and Adaline learn three.", onlyFlat: "{learner} learns from two features here; take two pixels or two principal axes.",
    noDraw: "Rows of 784 pixels cannot be drawn by hand; take two pixels or two principal axes.", cancelled: "Cancelled. The line belongs to the points before the last change.",
    working: "Training… {percent} %", cancel: "Cancel", uploaded: "{n} rows from {file}.", skipped: "{k} rows with an empty or unreadable cell were left out.", sampled: "{shown} of them are drawn, all are learned from.",
    csvBad: "{file}: {why}", copied: "Copied.", noMnist: "mnist.js is not beside this page. Export it with: rosenblatt lab --export FOLDER --mnist", thinned: "{n} updates were made; every {stride}th is kept.",
    stored: "There is no room in this browser's storage; download the file to keep the points.",
  },
  why: { cut: "cut off or mistyped", version: "of another version", points: "a point is not two numbers within ±1,000,000 and a class", many: "more than {n} points", learner: "an unknown learner or set" },
  csv: {
    heading: "Which columns?", across: "across", up: "up", class: "class", use: "Use these", cancel: "Cancel", noNumbers: "it needs two columns of numbers",
    noClass: "it needs a column with two or three classes", empty: "it has no rows", large: "it has more than {n} rows", choose: "Choose or drop a CSV file with two columns of numbers and one with two or three classes.",
  },
  exports: { png: "Picture as PNG", svg: "Picture as SVG", csv: "Points as CSV", python: "Show me in Python", state: "This screen as a file", open: "Open a file…" },
  python: { heading: "The same in Python", copy: "Copy", close: "Close" },
  keys: {
    heading: "Keys and marks", close: "Close",
    list: [["space", "play, pause"], ["← →", "one step back, one step"], ["n, b", "next epoch, epoch before"], ["Home, End", "start, end"], ["1, 2, 3", "class of new points"],
      ["a, s, f, d", "add or drag, spray, flip, delete"], ["Ctrl+Z, Ctrl+Y", "undo, redo (also u, r)"], ["p", "projector"], ["PageUp, PageDown", "tour: back, next"], ["q", "predict the next update"], ["t", "tour"], ["l", "linear or logarithmic proof"], ["e", "below the proof: this update, errors"],
      ["in the picture", "arrows move a cross (Shift: further); Enter uses the tool there; m takes the nearest point and m again puts it down; Delete removes it; Escape leaves"]],
    marks: [["now", "the point of this update"], ["wrong", "on the wrong side now; bigger points were mistakes more often"], ["before", "the line before this update"], ["street", "scores −1 and +1, or probabilities 10 % and 90 %"], ["support", "a support vector"], ["star", "proof that no line exists: in both hulls, as a mix of the points in diamonds"]],
  },
};

/** Fill {name} in a text. @param {string} text @param {{[name: string]: any}} values */
export function say(text, values = {}) {
  return text.replace(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ""));
}

/** A number for people. @param {number} value @param {number} [digits] */
export function number(value, digits = 2) {
  if (!Number.isFinite(value)) return "∞";
  const size = Math.abs(value);
  const text = !size ? "0" : Number.isInteger(value) && size < 1e9 ? value.toLocaleString("en-US")
    : size >= 1e5 || (size < 0.5 * 10 ** -digits && size > 0) ? value.toExponential(1).replace("e+", "e") : value.toFixed(digits);
  return text.replace("-", "−");
}
