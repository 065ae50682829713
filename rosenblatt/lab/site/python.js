// @ts-check
// "Show me in Python": a script that trains the same learner on the same points with the library.

/** @typedef {import("./data.js").Data} Data */
/** @typedef {import("./state.js").Choice} Choice */

const LITERAL = 2000; // points that a script writes out

/** @param {string} name @param {{[name: string]: any}} o @param {number} seed */
function call(name, o, seed) {
  const yes = (/** @type {boolean} */ v) => (v ? "True" : "False");
  const order = `tol=None, max_iter=${o.max_iter}, shuffle=${yes(o.order === "shuffled")}, random_state=${seed}`;
  const rate = `learning_rate=${float(o.learning_rate)}`, rule = (/** @type {string} */ which, /** @type {string} */ params) => ["HalfSpace", `"${which}", params={${params}}, answer="last", ${order}`];
  switch (name) {
    case "perceptron": return ["Perceptron", `answer="last", ${rate}, ${order}`];
    case "averaged": case "voted": return ["Perceptron", `answer="${name}", ${rate}, ${order}`];
    case "pocket": return ["Perceptron", `answer="pocket", ${rate}, ${order}`];
    case "margin": return rule("margin_perceptron", `"learning_rate": ${float(o.learning_rate)}, "theta": ${float(o.theta)}`);
    case "passive_aggressive": return ["PassiveAggressive", `C=${float(o.C)}, variant="${o.variant}", answer="last", ${order}`];
    case "adaline": return rule("adaline", `"learning_rate": ${float(o.learning_rate)}`);
    case "svm": return o.solver === "dual" ? ["LinearSVM", `lam=${float(o.lam)}, tol=1e-10, max_iter=100_000`] : rule("pegasos", `"lam": ${float(o.lam)}`);
    case "logistic": return o.solver === "newton" ? ["LogisticRegression", `lam=${float(o.lam)}, tol=1e-12`] : rule("logistic", `"learning_rate": ${float(o.learning_rate)}, "lam": ${float(o.lam)}`);
    case "neuron": return o.solver === "batch" ? ["SigmoidNeuron", `solver=GradientDescent(batch_size=None, ${rate}), lam=${float(o.lam)}, tol=0.0, max_iter=${o.max_iter}${o.start ? `, start=${float(o.start)}, random_state=${seed}` : ""}`] : rule("sigmoid_neuron", `"learning_rate": ${float(o.learning_rate)}, "lam": ${float(o.lam)}`);
    case "discriminant": return ["GaussianDiscriminant", o.shrinkage ? `shrinkage=${float(o.shrinkage)}` : ""];
    case "least_squares": return ["LeastSquares", `lam=${float(o.lam)}`];
    default: return ["KernelPerceptron", kernel(o, order)];
  }
}

/** @param {{[name: string]: any}} o @param {string} order */
function kernel(o, order) {
  const own = { rbf: `RBF(${float(o.gamma)})`, gaussian: `Gaussian(${float(o.sigma)})`, polynomial: `Polynomial(${o.degree}, ${float(o.gamma)}, ${float(o.coef0)})`, sigmoid: `Sigmoid(${float(o.gamma)}, ${float(o.coef0)})`, linear: "Polynomial(1)" };
  return `${own[/** @type {keyof typeof own} */ (o.kernel)]}${o.drop_after ? `, drop_after=${o.drop_after}` : ""}, answer="last", ${order}`;
}

/** @param {number} value */
const float = (value) => (Number.isInteger(value) ? `${value}.0` : String(value));

/** A Python string. @param {string} text */
const quoted = (text) => JSON.stringify(text).replace(/[^\x20-\x7e]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** @param {Data} data @param {Choice} choice @param {number} seed */
export function script(data, choice, seed) {
  const [name, given] = call(choice.name, choice.options, seed), rows = Array.from(data.train), names = given.includes("GradientDescent") ? `GradientDescent, ${name}` : name;
  const lines = ["import numpy as np", `from rosenblatt import ${names}`, ...(name === "KernelPerceptron" ? [`from rosenblatt.kernels import ${given.split("(")[0]}`] : []), ""];
  if (data.d === 2 && rows.length <= LITERAL) {
    lines.push("X = np.array([", ...rows.map((i) => `    [${float(data.X[2 * i])}, ${float(data.X[2 * i + 1])}],`), "])", `y = np.array([${rows.map((i) => data.y[i]).join(", ")}])`);
  } else if (data.d === 2) {
    lines.push("import csv", "", 'with open("points.csv", newline="", encoding="utf-8") as file:  # Export: points as CSV', "    _, *table = csv.reader(file)", "X = np.array([[float(a), float(b)] for a, b, _ in table])",
      `names = [${data.names.map((each) => quoted(each === "−1" ? "-1" : each === "+1" ? "1" : each)).join(", ")}]`, "y = np.array([names.index(c) for _, _, c in table])");
  } else {
    lines.push("from rosenblatt.sources import mnist_pair", "", `# The page has the first 200 images of each digit, in turn; this is all of them.`, `split = mnist_pair(${data.names[0]}, ${data.names[1]})`, `X, y = split.X_train / 255.0, (split.y_train == ${data.names[1]}).astype(int)`);
  }
  const target = choice.name === "least_squares" ? "2 * y - 1" : "y";
  const how = choice.name === "pocket" ? ', pocket_check="update"' : "";
  lines.push("", `model = ${name}(${given}).fit(X, ${target}${how})`);
  if (!["kernel", "voted"].includes(choice.name)) lines.push("print(model.coef_, model.intercept_)");
  if (choice.name !== "least_squares") lines.push('print(f"{np.mean(model.predict(X) != y):.1%} wrong")');
  return lines.join("\n") + "\n";
}
