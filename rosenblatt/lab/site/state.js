// @ts-check
// What the screen depends on, in one value that fits into a link: a set or points of one's own, learners, seed, frame.

import { SETS, fromPoints, split } from "./data.js";
import { LEARNERS, filled } from "./learners.js";
import { S, say } from "./strings.js";
/** @typedef {{name: string, options: {[name: string]: any}}} Choice */
/**
 * @typedef {object} State
 * @property {string} set @property {{[name: string]: any}} values @property {number[][] | null} points
 * @property {[string, string]} axes @property {string[]} names @property {Choice[]} learners @property {number} seed
 * @property {number} frame @property {number} tour the step, or 0 @property {number} test the share of test points
 */

export const MOST_POINTS = 200000;
export const LONGEST_LINK = 16000; // characters; more are kept in the browser's storage
const FARTHEST = 1e6; // of a coordinate
const VERSION = 2;

/** @param {Partial<State>} given @returns {State} */
export function newState(given = {}) {
  const name = given.set ?? "clouds", learners = given.learners ?? [{ name: "perceptron", options: {} }];
  return {
    set: name, values: filled(SETS[name].options, given.values), points: given.points ?? null, axes: given.axes ?? ["x₁", "x₂"], names: given.names ?? ["−1", "+1"],
    learners: learners.map((each) => ({ name: each.name, options: filled(LEARNERS[each.name].options, each.options) })),
    seed: given.seed ?? 0, frame: given.frame ?? 0, tour: given.tour ?? 0, test: given.test ?? 0,
  };
}

/** The points of a state. @param {State} state */
export function dataOf(state) {
  const data = state.points ? fromPoints(state.points, { axes: state.axes, names: state.names }) : SETS[state.set].make(state.values);
  return split(data, state.test);
}

/** @param {State} state @returns {string} */
export function toText(state) {
  const { set, values, learners, seed, frame, tour, test } = state;
  /** @type {any} */ const told = { v: VERSION, set, learners: learners.map((each) => [each.name, each.options]), seed, frame };
  if (state.points) Object.assign(told, { p: state.points.flat(), axes: state.axes, names: state.names });
  else told.values = values;
  if (tour) told.tour = tour;
  if (test) told.test = test;
  return JSON.stringify(told);
}

/** @param {string} text @returns {State} throws an Error whose message is for the reader */
export function fromText(text) {
  /** @type {any} */ let told;
  try {
    told = JSON.parse(text);
  } catch {
    throw new Error(S.why.cut);
  }
  if (!told || typeof told !== "object" || told.v !== VERSION) throw new Error(S.why.version);
  if (!Object.hasOwn(SETS, told.set) || !Array.isArray(told.learners) || !told.learners.length) throw new Error(S.why.learner);
  const learners = told.learners.slice(0, 2).map((/** @type {any} */ each) => {
    if (!Array.isArray(each) || !Object.hasOwn(LEARNERS, each[0])) throw new Error(S.why.learner);
    return { name: each[0], options: each[1] && typeof each[1] === "object" ? each[1] : {} };
  });
  const whole = (/** @type {any} */ v, /** @type {number} */ most) => (Number.isInteger(v) && v >= 0 && v <= most ? v : 0);
  return newState({
    set: told.set, values: told.values && typeof told.values === "object" ? told.values : {}, points: told.p === undefined ? null : checkPoints(told.p), axes: names(told.axes, 2) ?? ["x₁", "x₂"],
    names: names(told.names, 2) ?? ["−1", "+1"], learners, seed: whole(told.seed, 9999), frame: whole(told.frame, 1e7), tour: whole(told.tour, S.tour.steps.length),
    test: told.test === 0.3 ? 0.3 : 0,
  });
}

/** @param {any} list @param {number} least @returns {any} */
function names(list, least) {
  return Array.isArray(list) && list.length >= least && list.length <= 3 ? list.map((each) => String(each).slice(0, 60)) : null;
}

/** @param {any} flat @returns {number[][]} */
function checkPoints(flat) {
  if (!Array.isArray(flat) || flat.length % 3) throw new Error(S.why.points);
  if (flat.length > 3 * MOST_POINTS) throw new Error(say(S.why.many, { n: MOST_POINTS.toLocaleString("en-US") }));
  const made = [];
  for (let i = 0; i < flat.length; i += 3) {
    const point = flat.slice(i, i + 3);
    const fine = point.every((v) => typeof v === "number" && Number.isFinite(v)) && Math.abs(point[0]) <= FARTHEST && Math.abs(point[1]) <= FARTHEST && [0, 1, 2].includes(point[2]);
    if (!fine) throw new Error(S.why.points);
    made.push(point);
  }
  return made;
}

// ------------------------------------------------------------------------------------------------ links

/** @param {string} text */
function pack(text) {
  const bytes = new TextEncoder().encode(text);
  let binary = "";
  for (let i = 0; i < bytes.length; i += 8192) binary += String.fromCharCode(...bytes.subarray(i, i + 8192));
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** @param {string} packed */
function unpack(packed) {
  const binary = atob(packed.replaceAll("-", "+").replaceAll("_", "/"));
  return new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.from(binary, (c) => c.charCodeAt(0)));
}

/** The fragment of a link; beyond a size the state goes into the browser's storage, and the fragment names it. @param {State} state */
export function toFragment(state) {
  const text = toText(state), packed = pack(text);
  if (packed.length <= LONGEST_LINK) return { fragment: `s=${packed}`, stored: false, failed: false };
  let code = 0;
  for (let i = 0; i < text.length; i++) code = (Math.imul(code, 31) + text.charCodeAt(i)) >>> 0;
  try {
    for (const key of Object.keys(localStorage)) if (key.startsWith("rosenblatt-lab-state-")) localStorage.removeItem(key); // the last one only
    localStorage.setItem(`rosenblatt-lab-state-${code}`, text);
    return { fragment: `local=${code}`, stored: true, failed: false };
  } catch {
    return { fragment: "", stored: true, failed: true };
  }
}

/** @param {string} fragment without # @returns {{state?: State, error?: string}} */
export function fromFragment(fragment) {
  try {
    if (fragment.startsWith("local=")) {
      let text = null;
      try {
        text = localStorage.getItem(`rosenblatt-lab-state-${Number(fragment.slice(6))}`);
      } catch { /* storage is not allowed here */ }
      return text === null ? { error: S.messages.localGone } : { state: fromText(text) };
    }
    if (!fragment.startsWith("s=")) return {};
    let text;
    try {
      text = unpack(fragment.slice(2));
    } catch {
      throw new Error(S.why.cut);
    }
    return { state: fromText(text) };
  } catch (error) {
    return { error: say(S.messages.linkBad, { why: /** @type {Error} */ (error).message }) };
  }
}
