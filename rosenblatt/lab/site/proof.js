// @ts-check
// The proof: what is decided about the points, and the theorem's numbers.

import { separate } from "./separability.js";
import { kernelTheorem, mistakeBound, theorem } from "./bound.js";
import { kernelFunction } from "./kernel.js";
import { LEARNERS } from "./learners.js";
import { S, number, say } from "./strings.js";
/** @typedef {import("./data.js").Data} Data */
/** @typedef {import("./history.js").Run} Run */
/** @typedef {import("./state.js").Choice} Choice */
/**
 * @typedef {object} Proof
 * @property {import("./separability.js").Verdict | null} verdict @property {string} sentence @property {string} [measured] in which space R and γ are @property {number} bound Infinity where there is none
 * @property {number} ceiling slope of the upper curve @property {number} gamma of the lower @property {Float64Array | null} best w*
 * @property {boolean} applies @property {boolean} margin whether the ceiling has θ in it
 */

const MOST_IN_SPACE = 300; // rows in a kernel's space, or of images

/** @param {Data} data @param {Run} run @param {Choice} choice @returns {Proof} */
export function prove(data, run, choice) {
  /** @type {Proof} */
  const none = { verdict: null, sentence: "", bound: Infinity, ceiling: 0, gamma: 0, best: null, applies: false, margin: false };
  if (data.classes > 2 || run.outputs > 1) return { ...none, sentence: S.proof.many };
  if (choice.name === "kernel") return inSpace(data, run, choice, none);
  if (data.d > 2) return run.stop === "converged" && LEARNERS[choice.name].theorem ? bounded(run, choice, { ...none, ...theorem(data) }) : { ...none, sentence: S.proof.undecided };
  const verdict = separate(data.X, data.y, data.train), covered = Boolean(LEARNERS[choice.name].theorem);
  const squares = data.train.reduce((most, i) => Math.max(most, data.X[2 * i] ** 2 + data.X[2 * i + 1] ** 2 + 1), 0), eta = choice.options.learning_rate ?? 1;
  if (!verdict.separable) return { ...none, verdict, ceiling: covered ? eta * eta * squares + 2 * eta * (choice.options.theta ?? 0) : 0, sentence: say(covered ? S.proof.none : S.proof.otherNone, { n: verdict.witness?.rows.length }) };
  const found = theorem(data, verdict.hulls.flat());
  if (!(found.gamma > 0)) return { ...none, verdict, sentence: say(S.proof.tiny, { bound: "10¹⁵" }) };
  if (!covered) return { ...none, verdict, best: found.best, sentence: say(S.proof.other, { bound: number(mistakeBound(found)) }) };
  return bounded(run, choice, { ...none, verdict, ...found });
}

/** @param {Run} run @param {Choice} choice @param {any} found @returns {Proof} */
function bounded(run, choice, found) {
  const eta = choice.options.learning_rate ?? 1, theta = choice.options.theta ?? 0, bound = mistakeBound(found, eta, theta);
  const made = run.stop === "converged" ? say(S.proof.made, { k: number(run.updates) }) : say(S.proof.madeSoFar, { k: number(run.updates), e: run.epochEnds.length });
  const ratio = theta ? (eta === 1 ? "(R² + 2θ)/γ²" : "(R² + 2θ/η)/γ²") : "R²/γ²";
  return {
    ...found, bound, applies: true, margin: theta > 0, ceiling: eta * eta * (found.radiusSquared + (2 * theta) / eta), gamma: eta * found.gamma,
    sentence: say(S.proof.bound, { ratio, bound: number(bound), made }), measured: choice.name === "kernel" ? S.proof.whereKernel : S.proof.where,
  };
}

/** @param {Data} data @param {Run} run @param {Choice} choice @param {Proof} none @returns {Proof} */
function inSpace(data, run, choice, none) {
  const o = choice.options;
  if (o.drop_after) return { ...none, sentence: S.proof.dropped };
  if (o.kernel === "sigmoid" || (o.kernel === "polynomial" && o.coef0 < 0)) return { ...none, sentence: S.proof.sigmoid };
  if (run.stop !== "converged") return { ...none, sentence: S.proof.undecided };
  if (data.train.length > MOST_IN_SPACE) return { ...none, sentence: say(S.proof.large, { n: MOST_IN_SPACE }) };
  const found = kernelTheorem(data, kernelFunction(o, data.d));
  return found.gamma > 0 ? bounded(run, choice, { ...none, gamma: found.gamma, radiusSquared: found.radiusSquared }) : { ...none, sentence: S.proof.undecided };
}

/** The angle in degrees between the weights of frame k and w*, or NaN. @param {Run} run @param {number} k @param {Proof} proof */
export function angleTo(run, k, proof) {
  const { best } = proof;
  if (!best || run.path.width !== best.length) return NaN;
  const w = run.path.at(k);
  let dot = 0, length = 0, own = 0;
  w.forEach((value, j) => ((dot += value * best[j]), (length += value * value), (own += best[j] * best[j])));
  return length && own ? (180 / Math.PI) * Math.acos(Math.min(1, Math.max(-1, dot / Math.sqrt(length * own)))) : NaN;
}
