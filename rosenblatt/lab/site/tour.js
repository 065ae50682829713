// @ts-check
// The tour: a screen for each idea, with a task that notices when it was done. The words are in strings.js.

import { newState } from "./state.js";
import { S } from "./strings.js";
/** @typedef {import("./state.js").State} State */
/**
 * What a task looks at: the state and what came of it, now and when the step began.
 * @typedef {object} Seen
 * @property {State} state @property {State} first @property {number} bound @property {number} firstBound @property {boolean | undefined} separable
 * @property {number} frame @property {number} last @property {number} steps made with keys or buttons @property {number} updates on view @property {number} made by the whole run @property {boolean} converged
 */
/** @typedef {{option?: string, tool?: "flip"}} With what a task is done with */
/** @typedef {{state: Partial<State>, end?: boolean, below?: string, with?: With, done: (seen: Seen) => boolean}} Step */

const one = (/** @type {string} */ name, options = {}) => ({ name, options });
const edited = (/** @type {Seen} */ seen) => JSON.stringify(seen.state.points) !== JSON.stringify(seen.first.points);

/** @type {Step[]} */
export const STEPS = [
  { state: { set: "clouds", values: { n: 12, margin: 0.8, seed: 16 } }, end: true, done: edited },
  { state: { set: "and" }, end: true, with: { tool: "flip" }, done: ({ state }) => Boolean(state.points) && ["0,0,0", "0,1,1", "1,0,1", "1,1,1"].every((c) => state.points?.some((p) => p.join() === c)) && state.points?.length === 4 },
  { state: { set: "clouds", values: { n: 40, margin: 0.2, seed: 9 } }, below: "update", done: ({ steps }) => steps >= 3 },
  { state: { set: "clouds", values: { n: 60, margin: 0.25, seed: 4 } }, end: true, with: { option: "margin" }, done: ({ bound, firstBound }) => bound < firstBound / 2 },
  { state: { set: "slow" }, end: true, done: ({ made, bound, converged }) => converged && made > 2 && made / bound > 0.55 },
  { state: { set: "xor" }, done: ({ separable }) => separable === true },
  { state: { set: "circles", learners: [one("kernel", { kernel: "polynomial", degree: 2 })] }, end: true, with: { option: "degree" }, done: ({ state }) => state.learners[0].options.degree === 1 },
  { state: { set: "spirals", learners: [one("kernel", { kernel: "rbf", gamma: 4 })] }, end: true, with: { option: "gamma" }, done: ({ state }) => state.learners[0].options.gamma >= 8 },
  { state: { set: "overlapping", values: { seed: 4 } }, below: "errors", done: ({ updates }) => updates >= 100 },
  { state: { set: "overlapping", values: { seed: 4 }, learners: [one("pocket"), one("averaged")] }, below: "errors", done: ({ frame, last }) => frame >= last },
  { state: { set: "clouds", values: { n: 30, margin: 0.5, seed: 12 }, learners: [one("perceptron"), one("svm")] }, end: true, done: edited },
  { state: { set: "overlapping", values: { n: 80, flipped: 0.03, seed: 1 }, learners: [one("logistic"), one("discriminant")] }, end: true, done: edited },
  { state: { set: "overlapping", values: { n: 60, seed: 2 }, learners: [one("neuron", { learning_rate: 4 })] }, with: { option: "learning_rate" }, done: ({ state }) => state.learners[0].options.learning_rate > 20 },
  { state: { set: "three" }, done: ({ frame, last }) => frame >= last },
  { state: { set: "moons", values: { noise: 0.3 }, learners: [one("kernel", { gamma: 1 })], test: 0.3 }, end: true, below: "errors", with: { option: "gamma" }, done: ({ state }) => state.learners[0].name === "kernel" && state.learners[0].options.gamma > 20 },
];

/** The screen of step 1, 2, … @param {number} number */
export const stateOf = (number) => newState({ ...STEPS[number - 1].state, tour: number });
export const count = Math.min(STEPS.length, S.tour.steps.length);
