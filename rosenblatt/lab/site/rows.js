// @ts-check
// Learning row by row: visit the rows in turn, and let each teach every half-space by a rule.

import { Orders } from "./rng.js";
import { RULES } from "./rules.js";
import { Frames, linearAnswer, decide } from "./history.js";
/** @typedef {import("./data.js").Data} Data */
/** @typedef {import("./history.js").Run} Run */

const PAUSE = 2048; // rows between two chances to stop

/**
 * Train by a rule. `answer` is "last", "averaged", "voted" or "pocket". A generator, so that a long run can be stopped
 * between two rows; it returns the run.
 * @param {Data} data @param {string} ruleName @param {{[name: string]: any}} options @param {number} seed
 * @param {string} answer @returns {Generator<number, Run, void>}
 */
export function* trainRows(data, ruleName, options, seed, answer = "last") {
  const { X, y, d, train } = data, rule = RULES[ruleName];
  const outputs = data.classes > 2 ? data.classes : 1, width = outputs * (d + 1);
  const w = new Float64Array(width), sum = new Float64Array(width), margins = new Float64Array(outputs);
  const path = new Frames(width), shown = answer === "averaged" || answer === "pocket" ? new Frames(width) : undefined;
  const orders = new Orders(train, options.order === "shuffled" ? seed : null);
  /** @type {number[]} */ const epochEnds = [];
  let t = 0, updates = 0, latest = -1, margin = 0, stop = "max_iter", fewest = Infinity, held = w.slice();
  path.push(w, -1, 0, 0, 0);
  shown?.push(w, -1, 0, 0, 0);
  for (let epoch = 0; epoch < options.max_iter; epoch++) {
    const before = updates;
    for (const i of orders.next()) {
      if (++t % PAUSE === 0) yield (epoch + 1) / options.max_iter;
      let sqnorm = 0, least = Infinity, changed = false;
      for (let j = 0; j < d; j++) sqnorm += X[i * d + j] * X[i * d + j];
      sqnorm += 1;
      const shrink = rule.shrink(t, options, sqnorm);
      for (let k = 0; k < outputs; k++) {
        const at = k * (d + 1), sign = y[i] === (outputs === 1 ? 1 : k) ? 1 : -1;
        let s = 0;
        for (let j = 0; j < d; j++) s += w[at + j] * X[i * d + j];
        s += w[at + d];
        margins[k] = sign * s;
        least = Math.min(least, margins[k]);
        const step = rule.step(margins[k], sqnorm, t, options) * sign;
        if (step === 0 && shrink === 1) continue;
        changed = true;
        for (let j = 0; j < d; j++) w[at + j] = shrink * w[at + j] + step * X[i * d + j];
        w[at + d] += step;
      }
      if (answer === "averaged") for (let j = 0; j < width; j++) sum[j] += w[j];
      if (!changed) continue;
      updates++;
      latest = i;
      margin = least;
      path.push(w, i, updates, t, least);
      if (answer === "averaged") shown?.push(sum.map((value) => value / t), i, updates, t, least);
      if (answer === "pocket") {
        const wrong = countWrong(w, data, outputs);
        if (wrong < fewest) (fewest = wrong), (held = w.slice());
        shown?.push(held, i, updates, t, least);
      }
    }
    epochEnds.push(updates);
    if (updates === before) {
      stop = "converged";
      break;
    }
  }
  path.close(w, latest, updates, t, margin);
  shown?.close(held, latest, updates, t, margin);
  if (answer === "averaged" && t) shown?.at(shown.length - 1).set(sum.map((value) => value / t));
  const answers = answer === "voted" ? votes(path, d, outputs, t) : (/** @type {number} */ k) => linearAnswer((shown ?? path).at(k), d);
  return {
    kind: "updates", path, shown, outputs, epochEnds, stop, updates, answer: answers,
    lengthSquared: (k) => path.at(k).reduce((total, value) => total + value * value, 0),
  };
}

/** @param {Float64Array} w @param {Data} data @param {number} outputs */
function countWrong(w, data, outputs) {
  const answer = linearAnswer(w, data.d), out = new Float64Array(outputs);
  let wrong = 0;
  for (const i of data.train) {
    answer(data.X, i * data.d, out);
    if (decide(out) !== data.y[i]) wrong++;
  }
  return wrong;
}

/**
 * Every weight vector up to frame k votes once for each example after which it stood; the zero start has no vote.
 * @param {Frames} path @param {number} d @param {number} outputs @param {number} end examples seen in all
 */
function votes(path, d, outputs, end) {
  return (/** @type {number} */ last) => {
    /** @type {{say: import("./history.js").Answer, count: number}[]} */ const voters = [];
    for (let k = 1; k <= last; k++) {
      const until = k < last ? path.seen[k + 1] : k === path.length - 1 ? end + 1 : path.seen[k] + 1;
      voters.push({ say: linearAnswer(path.at(k), d), count: until - path.seen[k] });
    }
    const one = new Float64Array(outputs);
    /** @type {import("./history.js").Answer} */
    const answer = (x, from, out) => {
      out.fill(0);
      for (const { say, count } of voters) {
        say(x, from, one);
        for (let k = 0; k < outputs; k++) out[k] += one[k] >= 0 ? count : -count;
      }
    };
    return answer;
  };
}
