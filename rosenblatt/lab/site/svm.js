// @ts-check
// The support vector machine by its dual, two multipliers at a time (SMO; the pair of Fan, Chen and Lin 2005).
//
//   minimise λ ‖w‖² + mean of max(0, 1 - y (w·x + b))
//   dual: maximise Σ α - ½ ‖Σ α y x‖² subject to 0 ≤ α ≤ C and Σ α y = 0, with C = 1/(2 λ n)

import { listed } from "./solvers.js";
/** @typedef {import("./data.js").Data} Data */

const GAP = 1e-9; // between the two sides of the optimality conditions
const MOST = 20000; // steps

/** The state of the solver: multipliers, and w·x_i - y_i for every row. @param {Data} data */
function start(data) {
  const rows = data.train, n = rows.length;
  return { alpha: new Float64Array(n), w: new Float64Array(data.d), error: Float64Array.from(rows, (i) => (data.y[i] === 1 ? -1 : 1)) };
}

/**
 * One step: the pair that violates the conditions most, moved to its optimum. Returns the gap before the step and the
 * offset b in the middle of it.
 * @param {Data} data @param {ReturnType<typeof start>} state @param {number} C
 */
export function pairStep(data, state, C) {
  const { X, d, train } = data, { alpha, w, error } = state;
  const sign = (/** @type {number} */ k) => (data.y[train[k]] === 1 ? 1 : -1);
  let i = -1, highest = -Infinity, lowest = Infinity;
  for (let k = 0; k < alpha.length; k++) {
    const value = -error[k], y = sign(k);
    if ((y > 0 ? alpha[k] < C : alpha[k] > 0) && value > highest) (highest = value), (i = k);
    if ((y > 0 ? alpha[k] > 0 : alpha[k] < C) && value < lowest) lowest = value;
  }
  const b = (highest + lowest) / 2;
  if (!(highest - lowest > GAP)) return { gap: highest - lowest, b };
  let j = -1, best = -Infinity, curvature = 1;
  for (let k = 0; k < alpha.length; k++) {
    const y = sign(k), gain = highest + error[k];
    if (!(y > 0 ? alpha[k] > 0 : alpha[k] < C) || gain <= 0) continue;
    let apart = 0;
    for (let c = 0; c < d; c++) apart += (X[train[i] * d + c] - X[train[k] * d + c]) * (X[train[i] * d + c] - X[train[k] * d + c]);
    apart = Math.max(apart, 1e-12);
    if ((gain * gain) / apart > best) (best = (gain * gain) / apart), (j = k), (curvature = apart);
  }
  const yi = sign(i), yj = sign(j), roomI = yi > 0 ? C - alpha[i] : alpha[i], roomJ = yj > 0 ? alpha[j] : C - alpha[j];
  const move = Math.min((highest + error[j]) / curvature, roomI, roomJ);
  alpha[i] = move === roomI ? (yi > 0 ? C : 0) : alpha[i] + yi * move;
  alpha[j] = move === roomJ ? (yj > 0 ? 0 : C) : alpha[j] - yj * move;
  for (let c = 0; c < d; c++) w[c] += move * (X[train[i] * d + c] - X[train[j] * d + c]);
  for (let k = 0; k < alpha.length; k++) {
    let s = 0;
    for (let c = 0; c < d; c++) s += w[c] * X[train[k] * d + c];
    error[k] = s - sign(k);
  }
  return { gap: highest - lowest, b };
}

/** @param {Data} data @param {{[name: string]: any}} o @returns {Generator<number, import("./history.js").Run, void>} */
export function* supportVectors(data, o) {
  const C = 1 / (2 * o.lam * data.train.length), state = start(data), frames = [new Array(data.d + 1).fill(0)];
  let stop = "max_iter";
  for (let k = 0; k < MOST; k++) {
    const before = [...state.w], { gap, b } = pairStep(data, state, C);
    if (k) frames[frames.length - 1] = [...before, b];
    if (!(gap > GAP)) {
      stop = "lowest";
      break;
    }
    frames.push([...state.w, b]);
    if (k % 64 === 0) yield Math.min(1, -Math.log10(gap) / 9);
  }
  const run = listed(frames, data.d, "epochs", stop);
  run.support = data.train.filter((_, k) => state.alpha[k] > 0);
  return run;
}
