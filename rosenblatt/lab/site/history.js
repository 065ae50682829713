// @ts-check
// The record of a run: a frame is the weights after an update (or an epoch); frame 0 is the start.

/** @typedef {import("./data.js").Data} Data */

export const MOST_FRAMES = 20000; // beyond it every second frame is dropped

/** Frames of the same length in one growing array. Where there are too many, every second one is dropped. */
export class Frames {
  /** @param {number} width numbers in a frame */
  constructor(width) {
    this.width = width;
    this.values = new Float64Array(256 * width);
    /** @type {number[]} */ this.row = []; // of the update, or -1
    /** @type {number[]} */ this.number = []; // of updates (or epochs) made
    /** @type {number[]} */ this.seen = []; // examples seen
    /** @type {number[]} */ this.margin = []; // of the row before the update
    this.stride = 1;
  }

  get length() {
    return this.row.length;
  }

  /** @param {ArrayLike<number>} values @param {number} row @param {number} number @param {number} seen @param {number} margin @param {boolean} [last] */
  push(values, row, number, seen, margin, last = false) {
    if (this.length >= MOST_FRAMES) this.thin();
    if (number % this.stride && !last) return;
    if ((this.length + 1) * this.width > this.values.length) {
      const grown = new Float64Array(2 * this.values.length);
      grown.set(this.values);
      this.values = grown;
    }
    this.values.set(values, this.length * this.width);
    this.row.push(row), this.number.push(number), this.seen.push(seen), this.margin.push(margin);
  }

  thin() {
    const kept = [...this.number.keys()].filter((k) => k % 2 === 0);
    kept.forEach((from, to) => this.values.copyWithin(to * this.width, from * this.width, (from + 1) * this.width));
    for (const name of /** @type {const} */ (["row", "number", "seen", "margin"])) this[name] = kept.map((k) => this[name][k]);
    this.stride *= 2;
  }

  /** The end of a run, where its last update was not kept. @param {ArrayLike<number>} values @param {number} row @param {number} number @param {number} seen @param {number} margin */
  close(values, row, number, seen, margin) {
    if (this.number[this.length - 1] !== number) this.push(values, row, number, seen, margin, true);
  }

  /** The numbers of frame k, not a copy. @param {number} k */
  at(k) {
    return this.values.subarray(k * this.width, (k + 1) * this.width);
  }
}

/**
 * What a learner returns.
 * @typedef {object} Run
 * @property {"updates" | "epochs" | "once"} kind
 * @property {Frames} path weights (w, b) of every half-space, one after the other
 * @property {Frames} [shown] of what answers, where it is not the path
 * @property {number} outputs half-spaces
 * @property {number[]} epochEnds the number of updates at the end of each epoch
 * @property {string} stop "converged", "max_iter" or "formula"
 * @property {(k: number) => Answer} answer scores at frame k
 * @property {number} updates
 * @property {Int32Array} [support]
 * @property {(k: number) => Float64Array} [counters] signed counters of a kernel's points
 * @property {(k: number) => number} lengthSquared ‖w‖² with the bias, of the path
 */
/** @typedef {(x: ArrayLike<number>, from: number, out: Float64Array) => void} Answer the scores of the row at `from` */

/** The scores of half-spaces (w, b). @param {ArrayLike<number>} weights @param {number} d @returns {Answer} */
export function linearAnswer(weights, d) {
  return (x, from, out) => {
    for (let k = 0; k < out.length; k++) {
      const at = k * (d + 1);
      let s = 0;
      for (let j = 0; j < d; j++) s += weights[at + j] * x[from + j];
      out[k] = s + weights[at + d];
    }
  };
}

/** The class that scores answer: a score of 0 is class 1; of several classes the first best. @param {Float64Array} s */
export function decide(s) {
  if (s.length === 1) return s[0] >= 0 ? 1 : 0;
  let best = 0;
  for (let k = 1; k < s.length; k++) if (s[k] > s[best]) best = k;
  return best;
}

/** Which rows are answered wrongly at frame k. @param {Run} run @param {number} k @param {Data} data */
export function wrongAt(run, k, data) {
  const answer = run.answer(k), out = new Float64Array(run.outputs), wrong = new Uint8Array(data.n);
  for (let i = 0; i < data.n; i++) {
    answer(data.X, i * data.d, out);
    wrong[i] = decide(out) === data.y[i] ? 0 : 1;
  }
  return wrong;
}

/** How many of these rows are answered wrongly. @param {Run} run @param {number} k @param {Data} data @param {Int32Array} rows */
export function errorsAt(run, k, data, rows) {
  const answer = run.answer(k), out = new Float64Array(run.outputs);
  let wrong = 0;
  for (const i of rows) {
    answer(data.X, i * data.d, out);
    if (decide(out) !== data.y[i]) wrong++;
  }
  return wrong;
}
