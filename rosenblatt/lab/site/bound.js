// @ts-check
// The theorem's two numbers. With a_i = y_i (x_i, 1) and a unit vector w* with a_i·w* ≥ γ′ for every i, ‖a_i‖ ≤ R′, a
// perceptron makes at most R′²/γ′² mistakes. The largest γ′ is the distance of the hull of all a_i from the origin, and
// w* points to its nearest point: Wolfe's algorithm (1976). Whatever w* is, the γ′ measured with it is a true one.

import { solve } from "./solvers.js";

/**
 * The nearest point of the hull to the origin, as weights of some rows.
 * @param {number} n @param {(i: number, j: number) => number} dot @param {number} [most] rounds
 */
export function nearestPoint(n, dot, most = 500) {
  let S = [0];
  for (let i = 1; i < n; i++) if (dot(i, i) < dot(S[0], S[0])) S = [i];
  let weights = [1];
  const score = (/** @type {number} */ i) => S.reduce((sum, s, k) => sum + weights[k] * dot(i, s), 0);
  for (let round = 0; round < most; round++) {
    const length = S.reduce((sum, s, k) => sum + weights[k] * score(s), 0);
    let enter = 0, least = Infinity;
    for (let i = 0; i < n; i++) {
      const value = score(i);
      if (value < least) (least = value), (enter = i);
    }
    if (least >= length * (1 - 1e-12) || S.includes(enter)) break;
    S.push(enter), weights.push(0);
    for (;;) { // to the nearest point of the affine hull of S, dropping what would get a negative weight
      const raw = solve(S.map((i) => S.map((j) => dot(i, j) + 1)), S.map(() => 1)), sum = raw.reduce((a, b) => a + b, 0);
      const wanted = raw.map((value) => value / sum), old = weights;
      if (wanted.every((value) => value > 1e-14)) {
        weights = wanted;
        break;
      }
      const part = Math.min(1, ...wanted.map((value, k) => (value <= 1e-14 ? old[k] / (old[k] - value) : 1)));
      const moved = old.map((value, k) => value + part * (wanted[k] - value)), kept = moved.map((value) => value > 1e-14);
      if (kept.every(Boolean)) kept[moved.indexOf(Math.min(...moved))] = false;
      S = S.filter((_, k) => kept[k]);
      weights = moved.filter((_, k) => kept[k]);
    }
  }
  const length = Math.sqrt(Math.max(0, S.reduce((sum, s, k) => sum + weights[k] * score(s), 0)));
  let least = Infinity, farthest = 0;
  for (let i = 0; i < n; i++) (least = Math.min(least, score(i))), (farthest = Math.max(farthest, dot(i, i)));
  return { rows: S, weights: weights.map((value) => value / length), gamma: least / length, radiusSquared: farthest };
}

/**
 * γ′, R′² and w* of rows, with the bias as one more coordinate. In the plane the corners of both hulls are enough: all
 * other points lie between them.
 * @param {import("./data.js").Data} data @param {ArrayLike<number>} rows
 */
export function theorem(data, rows = data.train) {
  const { X, d } = data, width = d + 1, signed = new Float64Array(rows.length * width);
  Array.from(rows).forEach((i, k) => {
    const sign = data.y[i] === 1 ? 1 : -1;
    for (let j = 0; j < d; j++) signed[k * width + j] = sign * X[i * d + j];
    signed[k * width + d] = sign;
  });
  const found = nearestPoint(rows.length, table(rows.length, (i, j) => {
    let s = 0;
    for (let c = 0; c < width; c++) s += signed[i * width + c] * signed[j * width + c];
    return s;
  }));
  const best = new Float64Array(width);
  found.rows.forEach((i, k) => best.forEach((_, c) => (best[c] += found.weights[k] * signed[i * width + c])));
  return { gamma: found.gamma, radiusSquared: found.radiusSquared, best };
}

/** The same in a kernel's space. @param {import("./data.js").Data} data @param {import("./kernel.js").KernelFunction} K */
export function kernelTheorem(data, K) {
  const { X, d, train } = data, sign = (/** @type {number} */ i) => (data.y[train[i]] === 1 ? 1 : -1);
  return nearestPoint(train.length, table(train.length, (i, j) => sign(i) * sign(j) * K(X, train[i] * d, X, train[j] * d)));
}

/** Every inner product once. @param {number} n @param {(i: number, j: number) => number} dot */
function table(n, dot) {
  if (n > 1500) return dot;
  const values = new Float64Array(n * n);
  for (let i = 0; i < n; i++) for (let j = 0; j <= i; j++) values[i * n + j] = values[j * n + i] = dot(i, j);
  return (/** @type {number} */ i, /** @type {number} */ j) => values[i * n + j];
}

/** ⌊(R′² + 2θ/η)/γ′²⌋. @param {{gamma: number, radiusSquared: number}} found @param {number} eta @param {number} theta */
export function mistakeBound(found, eta = 1, theta = 0) {
  return found.gamma > 0 ? Math.floor((found.radiusSquared + (2 * theta) / eta) / (found.gamma * found.gamma)) : Infinity;
}
