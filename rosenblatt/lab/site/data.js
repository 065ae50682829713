// @ts-check
// The points: ready sets, made here from a seed with coordinates of three decimals, and sets of one's own.

import { SplitMix } from "./rng.js";
import { IRIS } from "./iris.js";
import { S, say } from "./strings.js";
/** @typedef {import("./learners.js").Option} Option */
/** @typedef {{[name: string]: any}} Values */
/**
 * @typedef {object} Data
 * @property {Float64Array} X rows one after the other @property {Int32Array} y class codes @property {number} n @property {number} d
 * @property {number} classes @property {Int32Array} train rows that are learned from @property {Int32Array} test
 * @property {[string, string]} axes @property {string[]} names of the classes
 * @property {Float64Array} plane where each row is drawn @property {number} [side] of the image that a row is
 */

const round = (/** @type {number} */ value) => Math.round(value * 1000) / 1000;

/** @param {number[][]} points [x, y, class] @param {Partial<Data>} [more] @returns {Data} */
export function fromPoints(points, more = {}) {
  const X = new Float64Array(2 * points.length), y = new Int32Array(points.length);
  points.forEach(([a, b, c], i) => ((X[2 * i] = a), (X[2 * i + 1] = b), (y[i] = c)));
  const classes = y.reduce((most, c) => Math.max(most, c + 1), 2);
  return complete({ X, y, d: 2, classes, axes: ["x₁", "x₂"], names: ["−1", "+1"], plane: X, ...more });
}

/** @param {any} data @returns {Data} */
function complete(data) {
  const n = data.y.length, train = Int32Array.from({ length: n }, (_, i) => i);
  const names = data.classes > 2 && data.names[0] === "−1" ? S.classNames : data.names;
  return { ...data, n, train, test: new Int32Array(0), names };
}

/** Keep a share of the rows for a test; always the same ones. @param {Data} data @param {number} share @returns {Data} */
export function split(data, share) {
  if (!share) return data;
  const random = new SplitMix(1957);
  /** @type {number[]} */ const train = [];
  /** @type {number[]} */ const test = [];
  for (let i = 0; i < data.n; i++) (random.uniform() < share ? test : train).push(i);
  return { ...data, train: Int32Array.from(train), test: Int32Array.from(test) };
}

/** The points as [x, y, class]. @param {Data} data */
export const points = (data) => Array.from(data.y, (c, i) => [data.plane[2 * i], data.plane[2 * i + 1], c]);

// ------------------------------------------------------------------------------------------------ ready sets

/** @type {(n: number, high?: number) => Option} */
const count = (n, high = 1000) => ({ name: "n", value: n, low: 4, high, whole: true, log: true });
/** @type {Option} */ const SEED = { name: "seed", value: 0, low: 0, high: 99, whole: true };
/** @type {(value: number, high: number) => Option} */ const noise = (value, high) => ({ name: "noise", value, low: 0, high });

/** @param {number} n @param {(i: number) => number[]} make */
const list = (n, make) => Array.from({ length: n }, (_, i) => { const [x, y, c] = make(i); return [round(x), round(y), c]; });
/** @param {number[][]} corners */
const gate = (corners) => fromPoints(corners, { names: S.gates });
/** A direction that depends on the seed alone. @param {SplitMix} random */
function direction(random) {
  for (;;) {
    const x = 2 * random.uniform() - 1, y = 2 * random.uniform() - 1, r = x * x + y * y;
    if (r > 0.01 && r < 1) return [x / Math.sqrt(r), y / Math.sqrt(r)];
  }
}

/** Two clouds; no point is nearer than the margin to a line between them, and two are just so near. @param {Values} v */
function clouds(v) {
  const random = new SplitMix(v.seed + 1), [a, b] = direction(random), shift = 0.4 * random.normal();
  let along = 0; // of the first two points, which face each other across the line
  return fromPoints(list(v.n, (i) => {
    if (i !== 1) along = 1.4 * random.normal();
    const c = i % 2, away = v.margin + (i < 2 ? 0 : Math.abs(0.8 * random.normal()));
    const out = shift + (c ? away : -away);
    return [a * out - b * along, b * out + a * along, c];
  }));
}

/** @param {Values} v */
function overlapping(v) {
  const random = new SplitMix(v.seed + 1), [a, b] = direction(random);
  return fromPoints(list(v.n, (i) => {
    const c = i % 2, side = c ? 1.2 : -1.2, flip = random.uniform() < v.flipped;
    return [side * a + 0.9 * random.normal(), side * b + 0.9 * random.normal(), flip ? 1 - c : c];
  }));
}

/** @param {Values} v */
function circles(v) {
  const random = new SplitMix(v.seed + 1);
  return fromPoints(list(v.n, (i) => {
    const [a, b] = direction(random), r = (i % 2 ? 0.8 : 2) + v.noise * random.normal();
    return [r * a, r * b, i % 2];
  }));
}

/** @param {Values} v */
function moons(v) {
  const random = new SplitMix(v.seed + 1);
  return fromPoints(list(v.n, (i) => {
    const angle = Math.PI * random.uniform(), c = i % 2;
    const x = c ? 1 - Math.cos(angle) : Math.cos(angle), y = c ? 0.5 - Math.sin(angle) : Math.sin(angle);
    return [2 * x - 1 + 2 * v.noise * random.normal(), 2 * y - 0.5 + 2 * v.noise * random.normal(), c];
  }));
}

/** @param {Values} v */
function spirals(v) {
  const random = new SplitMix(v.seed + 1), half = Math.ceil(v.n / 2);
  return fromPoints(list(v.n, (i) => {
    const part = (Math.floor(i / 2) + 1) / half, angle = 2 * Math.PI * v.turns * part, r = (0.15 + 1.85 * part) * (i % 2 ? -1 : 1);
    return [r * Math.cos(angle) + 2 * v.noise * random.normal(), r * Math.sin(angle) + 2 * v.noise * random.normal(), i % 2];
  }));
}

/** @param {Values} v */
function three(v) {
  const random = new SplitMix(v.seed + 1), centres = [[-1.9, -1.1], [1.9, -1.1], [0, 1.8]];
  return fromPoints(list(v.n, (i) => [centres[i % 3][0] + v.noise * random.normal(), centres[i % 3][1] + v.noise * random.normal(), i % 3]));
}

const KINDS = ["setosa", "versicolor", "virginica"];
const MEASURES = ["sepal length", "sepal width", "petal length", "petal width"];

/** @param {Values} v */
function iris(v) {
  const kinds = v.kinds === "all three" ? [0, 1, 2] : v.kinds.split(" and ").map((/** @type {string} */ k) => KINDS.indexOf(k));
  const across = MEASURES.indexOf(v.across), up = MEASURES.indexOf(v.up === v.across ? MEASURES[(across + 1) % 4] : v.up), made = [];
  for (const [code, kind] of kinds.entries()) for (let i = 50 * kind; i < 50 * kind + 50; i++) made.push([IRIS[4 * i + across] / 10, IRIS[4 * i + up] / 10, code]);
  return fromPoints(made, { axes: [say(S.pictured.centimetres, { name: MEASURES[across] }), say(S.pictured.centimetres, { name: MEASURES[up] })], names: kinds.map((/** @type {number} */ k) => KINDS[k]) });
}

/** @typedef {{options: Option[], make: (v: Values) => Data}} ReadySet */
/** @type {{[name: string]: ReadySet}} */
export const SETS = {
  clouds: { options: [count(40), { name: "margin", value: 0.4, low: 0.02, high: 2 }, SEED], make: clouds },
  slow: { options: [], make: () => fromPoints(SLOW) },
  overlapping: { options: [count(80), { name: "flipped", value: 0.05, low: 0, high: 0.4 }, SEED], make: overlapping },
  and: { options: [], make: () => gate([[0, 0, 0], [0, 1, 0], [1, 0, 0], [1, 1, 1]]) },
  or: { options: [], make: () => gate([[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 1]]) },
  xor: { options: [], make: () => gate([[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]]) },
  circles: { options: [count(80), noise(0.15, 0.45), SEED], make: circles },
  moons: { options: [count(100), noise(0.1, 0.5), SEED], make: moons },
  spirals: { options: [count(120), { name: "turns", value: 1, low: 0.25, high: 2 }, noise(0.02, 0.1), SEED], make: spirals },
  three: { options: [count(60), noise(0.6, 1.5), SEED], make: three },
  iris: {
    options: [
      { name: "kinds", value: "setosa and versicolor", choices: ["setosa and versicolor", "setosa and virginica", "versicolor and virginica", "all three"] },
      { name: "across", value: MEASURES[0], choices: MEASURES }, { name: "up", value: MEASURES[1], choices: MEASURES },
    ],
    make: iris,
  },
  mnist: {
    options: [{ name: "a", value: 0, low: 0, high: 9, whole: true }, { name: "b", value: 1, low: 0, high: 9, whole: true },
      { name: "view", value: "two principal axes", choices: ["two pixels", "two principal axes", "all 784 pixels"] }],
    make: (v) => digits(v),
  },
};

// Found by a search over small sets: a run in this order makes many mistakes for its bound.
const SLOW = [[1, 1.5, 0], [-1.5, -1, 1], [1.5, 1, 1]];

// ------------------------------------------------------------------------------------------------ digits

/** @typedef {{pixels: Uint8Array, each: number}} Digits `each` images of every digit, in the order of the digits */
/** @type {Digits | null} */ let images = null;
/** @param {Digits} given */
export const keepDigits = (given) => void (images = given);
export const hasDigits = () => images !== null;

/** @param {Values} v @returns {Data} */
function digits(v) {
  if (!images) return gate([]);
  const { pixels, each } = images, b = v.b === v.a ? (v.a + 1) % 10 : v.b, d = 784, X = new Float64Array(2 * each * d);
  const y = Int32Array.from({ length: 2 * each }, (_, i) => i % 2); // a, b, a, b, …
  y.forEach((c, i) => {
    const from = ((c ? b : v.a) * each + (i >> 1)) * d;
    for (let j = 0; j < d; j++) X[i * d + j] = pixels[from + j] / 255;
  });
  const names = [String(v.a), String(b)];
  if (v.view === "two pixels") {
    const plane = new Float64Array(2 * y.length);
    y.forEach((_, i) => ((plane[2 * i] = X[i * d + 10 * 28 + 14]), (plane[2 * i + 1] = X[i * d + 14 * 28 + 14])));
    return complete({ X: plane, y, d: 2, classes: 2, axes: [[10, 14], [14, 14]].map(([row, column]) => say(S.pictured.pixel, { row, column })), names, plane });
  }
  const plane = principal(X, y.length, d), shared = { y, classes: 2, axes: [S.pictured.first, S.pictured.second], names, plane };
  return complete(v.view === "all 784 pixels" ? { ...shared, X, d, side: 28 } : { ...shared, X: plane, d: 2 });
}

/** The two principal axes by the power method, coordinates of three decimals. @param {Float64Array} X @param {number} n @param {number} d */
function principal(X, n, d) {
  const mean = new Float64Array(d), plane = new Float64Array(2 * n);
  for (let i = 0; i < n; i++) for (let j = 0; j < d; j++) mean[j] += X[i * d + j] / n;
  const centred = X.map((value, k) => value - mean[k % d]), found = [];
  for (const axis of [0, 1]) {
    let v = Float64Array.from({ length: d }, (_, j) => Math.sin(j + axis + 1));
    for (let round = 0; round < 40; round++) {
      const next = new Float64Array(d);
      for (let i = 0; i < n; i++) {
        let s = 0;
        for (let j = 0; j < d; j++) s += centred[i * d + j] * v[j];
        for (let j = 0; j < d; j++) next[j] += s * centred[i * d + j];
      }
      for (const other of found) {
        const along = next.reduce((s, value, j) => s + value * other[j], 0);
        for (let j = 0; j < d; j++) next[j] -= along * other[j];
      }
      const length = Math.sqrt(next.reduce((s, value) => s + value * value, 0)) || 1;
      v = next.map((value) => value / length);
    }
    found.push(v);
    for (let i = 0; i < n; i++) for (let j = 0; j < d; j++) plane[2 * i + axis] += centred[i * d + j] * v[j];
  }
  return plane.map(round);
}
