// @ts-check
// Predict, then check: which way will the line turn, and can these points be separated?

import { S, say } from "./strings.js";
/** @typedef {import("./history.js").Run} Run */
/** @typedef {import("./data.js").Data} Data */
/** @typedef {{text: string, choices: string[], answer: string, row: number}} Question */

const HARDLY = 2; // degrees

/** The turn of the line from frame k to the next in degrees, counter-clockwise positive. @param {Run} run @param {number} k */
export function turnOf(run, k) {
  const a = run.path.at(k), b = run.path.at(k + 1);
  return (180 / Math.PI) * Math.atan2(a[0] * b[1] - a[1] * b[0], a[0] * b[0] + a[1] * b[1]);
}

/** @param {Run | null} run @param {number} k @param {Data} data @returns {Question | null} */
export function askTurn(run, k, data) {
  if (!run || run.kind !== "updates" || run.path.width !== 3 || data.d !== 2 || k < 1 || k + 1 >= run.path.length || run.path.stride > 1) return null;
  const row = run.path.row[k + 1], angle = turnOf(run, k);
  const answer = Math.abs(angle) < HARDLY ? S.quiz.shift : angle > 0 ? S.quiz.counter : S.quiz.clockwise;
  return { text: say(S.quiz.turn, { class: data.names[0] === "−1" ? S.classNames[data.y[row]] : data.names[data.y[row]] }), choices: [S.quiz.clockwise, S.quiz.counter, S.quiz.shift], answer, row };
}

/** @param {boolean} separable @returns {Question} */
export const askSeparable = (separable) => ({ text: S.quiz.separable, choices: [S.quiz.yes, S.quiz.no], answer: separable ? S.quiz.yes : S.quiz.no, row: -1 });
