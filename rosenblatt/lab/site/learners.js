// @ts-check
// The learners of the menu: their options and what trains them. Their words are in strings.js.

import { trainRows } from "./rows.js";
import { trainKernel } from "./kernel.js";
import { discriminant, leastSquares, logisticRegression, sigmoidNeuron } from "./solvers.js";
import { supportVectors } from "./svm.js";
/** @typedef {import("./data.js").Data} Data */
/** @typedef {import("./history.js").Run} Run */
/** @typedef {{[name: string]: any}} Options */
/**
 * @typedef {object} Option
 * @property {string} name @property {any} value the default @property {number} [low] @property {number} [high]
 * @property {boolean} [whole] @property {boolean} [log] @property {string[]} [choices]
 * @property {[string, string[]]} [only] shown where another option has one of these values
 */
/**
 * @typedef {object} Learner
 * @property {Option[]} options
 * @property {(data: Data, o: Options, seed: number) => Generator<number, Run, void>} train
 * @property {boolean} [theorem] the mistake bound holds for it
 * @property {boolean} [many] learns more than two classes
 * @property {boolean} [wide] learns from more than two features
 * @property {number} [street] the score at the edge of its street
 */

/** @type {Option} */ const ETA = { name: "learning_rate", value: 1, low: 0.001, high: 10, log: true };
/** @type {Option} */ const EPOCHS = { name: "max_iter", value: 100, low: 1, high: 1000, whole: true, log: true };
/** @type {Option} */ const ORDER = { name: "order", value: "as they are", choices: ["as they are", "shuffled"] };
/** @type {Option} */ const LAMBDA = { name: "lam", value: 0.01, low: 0.0001, high: 1, log: true };
/** @type {(value: number, more?: Partial<Option>) => Option} */
const rate = (value, more = {}) => ({ name: "learning_rate", value, low: 0.0001, high: 100, log: true, ...more });
/** @type {(value: number) => Option} */ const epochs = (value) => ({ ...EPOCHS, value });
const FEW = epochs(20);

/** @param {Run} run @returns {Generator<number, Run, void>} */
function* once(run) {
  return run;
}
/** @param {string} rule @param {string} [answer] @returns {Learner["train"]} */
const byRule = (rule, answer) => (data, o, seed) => trainRows(data, rule, o, seed, answer);
/** @param {string} [answer] @returns {Learner} */
const rosenblatt = (answer) => ({ options: [ETA, EPOCHS, ORDER], train: byRule("perceptron", answer), theorem: true, many: true, wide: true });
const VARIANTS = { "PA": "passive_aggressive", "PA-I": "passive_aggressive_1", "PA-II": "passive_aggressive_2" };

/** @type {{[name: string]: Learner}} */
export const LEARNERS = {
  perceptron: rosenblatt("last"),
  averaged: rosenblatt("averaged"),
  voted: rosenblatt("voted"),
  pocket: rosenblatt("pocket"),
  margin: {
    options: [{ name: "theta", value: 1, low: 0, high: 20 }, ETA, EPOCHS, ORDER],
    train: byRule("margin_perceptron"), theorem: true, many: true, wide: true,
  },
  passive_aggressive: {
    options: [
      { name: "variant", value: "PA-I", choices: Object.keys(VARIANTS) },
      { name: "C", value: 1, low: 0.001, high: 100, log: true, only: ["variant", ["PA-I", "PA-II"]] }, FEW, ORDER,
    ],
    train: (data, o, seed) => trainRows(data, VARIANTS[/** @type {keyof typeof VARIANTS} */ (o.variant)], o, seed),
    many: true, wide: true, street: 1,
  },
  kernel: {
    options: [
      { name: "kernel", value: "rbf", choices: ["rbf", "gaussian", "polynomial", "sigmoid", "linear"] },
      { name: "gamma", value: 1, low: 0.01, high: 100, log: true, only: ["kernel", ["rbf", "polynomial", "sigmoid"]] },
      { name: "sigma", value: 0.7, low: 0.05, high: 10, log: true, only: ["kernel", ["gaussian"]] },
      { name: "degree", value: 2, low: 1, high: 8, whole: true, only: ["kernel", ["polynomial"]] },
      { name: "coef0", value: 1, low: -5, high: 5, only: ["kernel", ["polynomial", "sigmoid"]] },
      { name: "drop_after", value: 0, low: 0, high: 50, whole: true }, EPOCHS, ORDER,
    ],
    train: trainKernel, theorem: true, wide: true,
  },
  svm: {
    options: [{ name: "solver", value: "dual", choices: ["dual", "pegasos"] }, LAMBDA,
      { ...FEW, only: ["solver", ["pegasos"]] }, { ...ORDER, value: "shuffled", only: ["solver", ["pegasos"]] }],
    train: (data, o, seed) => (o.solver === "dual" ? supportVectors(data, o) : trainRows(data, "pegasos", o, seed)), street: 1,
  },
  logistic: {
    options: [{ name: "solver", value: "newton", choices: ["newton", "row by row"] }, { ...LAMBDA, low: 0.00001 },
      rate(0.1, { only: ["solver", ["row by row"]] }), FEW, { ...ORDER, value: "shuffled", only: ["solver", ["row by row"]] }],
    train: (data, o, seed) => (o.solver === "newton" ? logisticRegression(data, o) : trainRows(data, "logistic", o, seed)),
    street: Math.log(9), // probabilities of 10 % and 90 %
  },
  discriminant: {
    options: [{ name: "shrinkage", value: 0, low: 0, high: 1 }], train: (data, o) => once(discriminant(data, o)), street: Math.log(9),
  },
  neuron: {
    options: [{ name: "solver", value: "batch", choices: ["batch", "row by row"] }, rate(1),
      { name: "start", value: 0, low: 0, high: 20, only: ["solver", ["batch"]] }, { ...LAMBDA, value: 0, low: 0, log: false }, epochs(60),
      { ...ORDER, value: "shuffled", only: ["solver", ["row by row"]] }],
    train: (data, o, seed) => (o.solver === "batch" ? sigmoidNeuron(data, o, seed) : trainRows(data, "sigmoid_neuron", o, seed)),
    street: Math.log(9),
  },
  adaline: { options: [rate(0.01, { high: 1 }), FEW, { ...ORDER, value: "shuffled" }], train: byRule("adaline"), many: true, wide: true, street: 1 },
  least_squares: { options: [{ ...LAMBDA, value: 0, low: 0, log: false }], train: (data, o) => once(leastSquares(data, o)), street: 1 },
};

/** The values of all options; a value that is not allowed becomes the default. @param {Option[]} options @param {Options} [given] */
export function filled(options, given = {}) {
  /** @type {Options} */ const values = {};
  for (const option of options) values[option.name] = checked(option, given[option.name]);
  return values;
}

/** @param {Option} option @param {any} value */
export function checked(option, value) {
  if (option.choices) return option.choices.includes(value) ? value : option.value;
  if (typeof value !== "number" || !Number.isFinite(value)) return option.value;
  const within = Math.min(Math.max(value, option.low ?? value), option.high ?? value);
  return option.whole ? Math.round(within) : within;
}

/** Train to the end without a pause. @param {string} name @param {Options} options @param {Data} data @param {number} seed @returns {Run} */
export function train(name, options, data, seed) {
  const steps = LEARNERS[name].train(data, filled(LEARNERS[name].options, options), seed);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
