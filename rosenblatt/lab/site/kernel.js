// @ts-check
// The kernel perceptron: a counter for every row, in a space of features that is never visited.

import { Orders } from "./rng.js";
import { Frames } from "./history.js";
/** @typedef {import("./data.js").Data} Data */
/** @typedef {import("./history.js").Run} Run */
/** @typedef {(a: ArrayLike<number>, i: number, b: ArrayLike<number>, j: number) => number} KernelFunction */

/** base^degree by multiplication, for whole degrees. @param {number} base @param {number} degree */
export function power(base, degree) {
  let result = base;
  for (let k = 1; k < degree; k++) result *= base;
  return result;
}

/** K(row at i of a, row at j of b); the offsets count numbers. @param {{[name: string]: any}} o @param {number} d @returns {KernelFunction} */
export function kernelFunction(o, d) {
  /** @type {KernelFunction} */
  const dot = (a, i, b, j) => {
    let s = 0;
    for (let c = 0; c < d; c++) s += a[i + c] * b[j + c];
    return s;
  };
  /** @type {KernelFunction} */
  const distance = (a, i, b, j) => {
    let s = 0;
    for (let c = 0; c < d; c++) s += (a[i + c] - b[j + c]) * (a[i + c] - b[j + c]);
    return s;
  };
  if (o.kernel === "polynomial") return (a, i, b, j) => power(o.gamma * dot(a, i, b, j) + o.coef0, o.degree);
  if (o.kernel === "sigmoid") return (a, i, b, j) => Math.tanh(o.gamma * dot(a, i, b, j) + o.coef0);
  if (o.kernel === "linear") return (a, i, b, j) => dot(a, i, b, j) + 1;
  const gamma = o.kernel === "gaussian" ? 1 / (2 * o.sigma * o.sigma) : o.gamma;
  return (a, i, b, j) => Math.exp(-gamma * distance(a, i, b, j));
}

/**
 * Count the mistakes made on each row. A row that is missed `drop_after` times is dropped with all it taught.
 * @param {Data} data @param {{[name: string]: any}} options @param {number} seed @returns {Generator<number, Run, void>}
 */
export function* trainKernel(data, options, seed) {
  const { X, y, d, n, train } = data, K = kernelFunction(options, d);
  const a = new Float64Array(n), scores = new Float64Array(n), counts = new Int32Array(n), dropped = new Uint8Array(n);
  const path = new Frames(1), orders = new Orders(train, options.order === "shuffled" ? seed : null);
  /** @type {number[]} */ const epochEnds = [];
  let t = 0, updates = 0, stop = "max_iter", length = 0;
  /** @type {Array<{row: number, step: number}>} */ const log = []; // a drop is a step back
  /** @type {number[]} */ const ends = [0]; // entries of the log at each update
  path.push([0], -1, 0, 0, 0);
  const add = (/** @type {number} */ i, /** @type {number} */ step) => {
    length += 2 * step * scores[i] + step * step * K(X, i * d, X, i * d);
    a[i] += step;
    for (const j of train) scores[j] += step * K(X, i * d, X, j * d);
    log.push({ row: i, step });
  };
  for (let epoch = 0; epoch < options.max_iter; epoch++) {
    const before = updates;
    for (const i of orders.next()) {
      if (dropped[i]) continue;
      t++;
      const sign = y[i] === 1 ? 1 : -1, margin = sign * scores[i];
      if (margin > 0) continue;
      updates++;
      add(i, sign);
      if (options.drop_after && ++counts[i] >= options.drop_after) {
        dropped[i] = 1;
        add(i, -a[i]);
      }
      path.push([length], i, updates, t, margin);
      ends.push(log.length);
      if (updates % 16 === 0) yield (epoch + 1) / options.max_iter;
    }
    epochEnds.push(updates);
    if (updates === before) {
      stop = "converged";
      break;
    }
  }
  path.close([length], log.length ? log[log.length - 1].row : -1, updates, t, 0);
  /** Signed counters at frame k. @param {number} k */
  const coefficients = (k) => {
    const at = new Float64Array(n);
    for (const { row, step } of log.slice(0, ends[path.number[k]])) at[row] += step;
    return at;
  };
  return {
    kind: "updates", path, outputs: 1, epochEnds, stop, updates,
    support: Int32Array.from(a.keys()).filter((i) => a[i] !== 0),
    lengthSquared: (k) => path.at(k)[0], counters: coefficients,
    answer: (k) => {
      const at = coefficients(k), rows = [...at.keys()].filter((i) => at[i] !== 0);
      return (x, from, out) => {
        out[0] = 0;
        for (const i of rows) out[0] += at[i] * K(X, i * d, x, from);
      };
    },
  };
}
