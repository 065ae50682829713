// @ts-check
// What one row teaches one half-space: step and shrink as functions of the margin m = y (w·x + b), of ‖x‖² + 1, of the
// number t of the example, and of the learner's options. Then w ← shrink·w + step·y·x and b ← b + step·y.

/** @typedef {{[name: string]: any}} Options */
/** @typedef {(m: number, sqnorm: number, t: number, o: Options) => number} Step */
/** @typedef {{step: Step, shrink: (t: number, o: Options, sqnorm: number) => number}} Rule */

/** 1/(1 + exp(-a)) without an overflow on either side. @param {number} a */
export function sigmoid(a) {
  if (a >= 0) return 1 / (1 + Math.exp(-a));
  const power = Math.exp(a);
  return power / (1 + power);
}

const keep = () => 1;
/** @type {(t: number, o: Options) => number} */
const decay = (t, o) => 1 - 2 * o.learning_rate * o.lam;

/** @type {{[name: string]: Rule}} */
export const RULES = {
  perceptron: { step: (m, q, t, o) => (m <= 0 ? o.learning_rate : 0), shrink: keep },
  margin_perceptron: { step: (m, q, t, o) => (m <= o.theta ? o.learning_rate : 0), shrink: keep },
  passive_aggressive: { step: (m, q) => (m >= 1 ? 0 : (1 - m) / q), shrink: keep },
  passive_aggressive_1: { step: (m, q, t, o) => (m >= 1 ? 0 : Math.min(o.C, (1 - m) / q)), shrink: keep },
  passive_aggressive_2: { step: (m, q, t, o) => (m >= 1 ? 0 : (1 - m) / (q + 0.5 / o.C)), shrink: keep },
  adaline: { step: (m, q, t, o) => Math.min(o.learning_rate, 1 / q) * (1 - m), shrink: keep },
  pegasos: { step: (m, q, t, o) => (m < 1 ? 1 / (2 * o.lam * t + q) : 0), shrink: (t, o, q) => 1 - 2 * (1 / (2 * o.lam * t + q)) * o.lam },
  logistic: { step: (m, q, t, o) => o.learning_rate * sigmoid(-m), shrink: decay },
  sigmoid_neuron: {
    step: (m, q, t, o) => { const wrong = sigmoid(-m); return o.learning_rate * wrong * sigmoid(m) * wrong; },
    shrink: decay,
  },
};
