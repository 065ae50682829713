// @ts-check
// Learners that look at all rows at once: formulas (least squares, discriminant) and descents (logistic, neuron).

import { Frames, linearAnswer } from "./history.js";
import { SplitMix } from "./rng.js";
import { sigmoid } from "./rules.js";
/** @typedef {import("./data.js").Data} Data */
/** @typedef {import("./history.js").Run} Run */
/** @typedef {{[name: string]: any}} Options */

/** Solve A x = b by elimination with pivots; a direction that A says nothing about gets 0. @param {number[][]} A @param {number[]} b */
export function solve(A, b) {
  const n = b.length, M = A.map((row, i) => [...row, b[i]]), x = new Array(n).fill(0), places = [];
  const largest = Math.max(...A.flat().map(Math.abs));
  for (let column = 0, top = 0; column < n && top < n; column++) {
    let pivot = top;
    for (let i = top + 1; i < n; i++) if (Math.abs(M[i][column]) > Math.abs(M[pivot][column])) pivot = i;
    if (Math.abs(M[pivot][column]) <= 1e-13 * largest) continue;
    [M[top], M[pivot]] = [M[pivot], M[top]];
    for (let i = top + 1; i < n; i++) {
      const factor = M[i][column] / M[top][column];
      for (let j = column; j <= n; j++) M[i][j] -= factor * M[top][j];
    }
    places.push([top++, column]);
  }
  for (const [i, column] of places.reverse()) {
    let value = M[i][n];
    for (let j = column + 1; j < n; j++) value -= M[i][j] * x[j];
    x[column] = value / M[i][column];
  }
  return x;
}

/** (x, 1) of a row and its label ±1. @param {Data} data @param {number} i */
const lifted = (data, i) => [...data.X.subarray(i * data.d, (i + 1) * data.d), 1];
/** @param {Data} data @param {number} i */
const signOf = (data, i) => (data.y[i] === 1 ? 1 : -1);

/** A run that is a list of weights. @param {ArrayLike<number>[]} frames @param {number} d @param {"epochs" | "once"} kind @param {string} stop @returns {Run} */
export function listed(frames, d, kind, stop) {
  const path = new Frames(d + 1);
  frames.forEach((w, k) => path.push(w, -1, k, k, 0));
  return {
    kind, path, outputs: 1, epochEnds: kind === "once" ? [] : frames.slice(1).map((_, k) => k + 1), stop,
    updates: kind === "once" ? 0 : frames.length - 1,
    answer: (k) => linearAnswer(path.at(k), d),
    lengthSquared: (k) => path.at(k).reduce((total, value) => total + value * value, 0),
  };
}

/** minimise λ ‖w‖² + mean of (w·x + b - y)²/2: the normal equations. @param {Data} data @param {Options} o */
export function leastSquares(data, o) {
  const { d, train } = data, A = Array.from({ length: d + 1 }, () => new Array(d + 1).fill(0)), g = new Array(d + 1).fill(0);
  for (const i of train) {
    const x = lifted(data, i);
    for (let r = 0; r <= d; r++) {
      g[r] += (signOf(data, i) * x[r]) / train.length;
      for (let c = 0; c <= d; c++) A[r][c] += (x[r] * x[c]) / train.length;
    }
  }
  for (let r = 0; r < d; r++) A[r][r] += 2 * o.lam;
  return listed([solve(A, g)], d, "once", "formula");
}

/** w = S⁻¹ (m₁ - m₀), b = (m₀·S⁻¹m₀ - m₁·S⁻¹m₁)/2 + log P(1)/P(0). @param {Data} data @param {Options} o */
export function discriminant(data, o) {
  const { d, train } = data, totals = [0, 0], means = [new Array(d).fill(0), new Array(d).fill(0)];
  for (const i of train) totals[data.y[i]]++;
  for (const i of train) for (let j = 0; j < d; j++) means[data.y[i]][j] += data.X[i * d + j] / totals[data.y[i]];
  const S = Array.from({ length: d }, () => new Array(d).fill(0));
  for (const i of train) {
    const away = means[data.y[i]].map((m, j) => data.X[i * d + j] - m);
    for (let r = 0; r < d; r++) for (let c = 0; c < d; c++) S[r][c] += (away[r] * away[c]) / train.length;
  }
  const spread = S.reduce((sum, row, r) => sum + row[r], 0) / d;
  for (let r = 0; r < d; r++) {
    for (let c = 0; c < d; c++) S[r][c] *= 1 - o.shrinkage;
    S[r][r] += o.shrinkage * spread;
  }
  const w = solve(S, means[1].map((m, j) => m - means[0][j]));
  const middle = w.reduce((sum, value, j) => sum + value * (means[0][j] + means[1][j]), 0) / 2;
  return listed([[...w, Math.log(totals[1] / totals[0]) - middle]], d, "once", "formula");
}

/** One step of Newton's method for logistic regression, halved until the loss falls. @param {Data} data @param {number[]} w @param {number} lam */
export function newtonStep(data, w, lam) {
  const { d, train } = data, H = Array.from({ length: d + 1 }, () => new Array(d + 1).fill(0)), g = new Array(d + 1).fill(0);
  for (const i of train) {
    const x = lifted(data, i), y = signOf(data, i), a = sigmoid(-y * x.reduce((s, v, j) => s + v * w[j], 0));
    for (let r = 0; r <= d; r++) {
      g[r] += (a * y * x[r]) / train.length;
      for (let c = 0; c <= d; c++) H[r][c] += (a * (1 - a) * x[r] * x[c]) / train.length;
    }
  }
  for (let r = 0; r < d; r++) (H[r][r] += 2 * lam), (g[r] -= 2 * lam * w[r]);
  const step = solve(H, g), loss = /** @type {(w: ArrayLike<number>) => number} */ (lossOf("logistic", { lam }, data)), before = loss(w);
  for (let size = 1; size > 1e-6; size /= 2) {
    const next = w.map((v, j) => v + size * step[j]);
    if (loss(next) < before) return next;
  }
  return w;
}

/** One step down the mean of (σ(w·x + b) - target)²/2 + λ ‖w‖². @param {Data} data @param {number[]} w @param {Options} o */
export function neuronStep(data, w, o) {
  const { d, train } = data, g = new Array(d + 1).fill(0);
  for (const i of train) {
    const x = lifted(data, i), a = sigmoid(x.reduce((s, v, j) => s + v * w[j], 0));
    const slope = (a - (data.y[i] === 1 ? 1 : 0)) * a * (1 - a);
    for (let r = 0; r <= d; r++) g[r] += (slope * x[r]) / train.length;
  }
  return w.map((v, j) => v - o.learning_rate * (g[j] + (j < d ? 2 * o.lam * v : 0)));
}

/** What a learner minimises, as a function of its weights; null where it is not so. @param {string} name @param {Options} o @param {Data} data @returns {((w: ArrayLike<number>) => number) | null} */
export function lossOf(name, o, data) {
  /** @type {{[name: string]: (m: number) => number}} */
  const losses = { svm: (m) => Math.max(0, 1 - m), logistic: (m) => Math.max(0, -m) + Math.log1p(Math.exp(-Math.abs(m))), neuron: (m) => sigmoid(-m) ** 2 / 2 }, loss = losses[name];
  if (!loss || data.d !== 2) return null;
  return (w) => {
    let sum = 0;
    for (const i of data.train) sum += loss(signOf(data, i) * (w[0] * data.X[2 * i] + w[1] * data.X[2 * i + 1] + w[2]));
    return sum / data.train.length + o.lam * (w[0] * w[0] + w[1] * w[1]);
  };
}

/** @param {Data} data @param {Options} o @returns {Generator<number, Run, void>} */
export function* logisticRegression(data, o) {
  const frames = [new Array(data.d + 1).fill(0)];
  let stop = "max_iter";
  for (let k = 0; k < o.max_iter; k++) {
    yield k / o.max_iter;
    const next = newtonStep(data, frames[k], o.lam), moved = Math.max(...next.map((v, j) => Math.abs(v - frames[k][j])));
    if (moved <= 1e-10 * Math.max(1, ...next.map(Math.abs))) {
      stop = "lowest";
      break;
    }
    frames.push(next);
  }
  return listed(frames, data.d, "epochs", stop);
}

/** @param {Data} data @param {Options} o @param {number} seed @returns {Generator<number, Run, void>} */
export function* sigmoidNeuron(data, o, seed) {
  const random = new SplitMix(seed), frames = [Array.from({ length: data.d + 1 }, () => o.start * random.normal())];
  for (let k = 0; k < o.max_iter; k++) {
    yield k / o.max_iter;
    frames.push(neuronStep(data, frames[k], o));
  }
  return listed(frames, data.d, "epochs", "max_iter");
}
