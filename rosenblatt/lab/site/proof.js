// @ts-check
// The proof: what is decided about the points, the theorem's numbers, and the picture of the two curves.

import { separate } from "./separability.js";
import { kernelTheorem, mistakeBound, theorem } from "./bound.js";
import { kernelFunction } from "./kernel.js";
import { LEARNERS } from "./learners.js";
import { axes, linear, logarithmic } from "./scale.js";
import { el, set } from "./dom.js";
import { star } from "./picture.js";
import { S, number, say } from "./strings.js";
/** @typedef {import("./data.js").Data} Data */
/** @typedef {import("./history.js").Run} Run */
/** @typedef {import("./state.js").Choice} Choice */
/**
 * @typedef {object} Proof
 * @property {import("./separability.js").Verdict | null} verdict @property {string} sentence @property {number} bound Infinity where there is none
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
  const where = choice.name === "kernel" ? S.proof.whereKernel : S.proof.where;
  return {
    ...found, bound, applies: true, margin: theta > 0, ceiling: eta * eta * (found.radiusSquared + (2 * theta) / eta), gamma: eta * found.gamma,
    sentence: `${say(S.proof.bound, { ratio, bound: number(bound), made })} ${where}`,
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

/** ‖w‖² between its two curves. */
export class ProofPlot {
  /** @param {HTMLElement} parent */
  constructor(parent) {
    this.svg = el("svg", { class: "plot proof-plot", role: "img", "aria-label": S.panels.proof });
    this.still = el("g", {});
    this.moving = el("g", {});
    this.svg.append(this.still, this.moving);
    parent.append(this.svg);
    this.key = "";
    /** @type {Run | null} */ this.run = null;
    /** @type {Proof | null} */ this.proof = null;
    /** @type {number[] | null} */ this.losses = null;
  }

  /** @param {Run | null} run @param {number} k @param {Proof | null} proof @param {boolean | null} log null: whichever shows more @param {((w: ArrayLike<number>) => number) | null} loss of learners that minimise one */
  draw(run, k, proof, log, loss) {
    const box = this.svg.getBoundingClientRect(), key = `${box.width} ${box.height} ${log}`;
    if (this.run !== run || this.proof !== proof || this.key !== key) {
      Object.assign(this, { run, proof, key });
      const width = Math.max(box.width, 200), height = Math.max(box.height, 140);
      if (run?.kind === "epochs" && loss) this.drawLoss(run, loss, width, height);
      else this.drawStill(run, proof, log, width, height);
    }
    this.moving.replaceChildren();
    if (!run || !proof || !this.x || !this.y) return;
    const value = this.losses ? this.losses[Math.round((k * (this.losses.length - 1)) / Math.max(1, run.path.length - 1))] : run.lengthSquared(k);
    const cx = this.x(Math.max(run.path.number[k], this.x.low)), cy = this.y(Math.max(value, this.y.low));
    this.moving.append(el("line", { class: "now-line", x1: cx, x2: cx, y1: this.y(this.y.low), y2: cy }), el("circle", { class: "now-dot", cx, cy, r: 6 }));
    const angle = angleTo(run, k, proof);
    if (Number.isFinite(angle)) this.drawDial(angle);
  }

  /** @param {Run | null} run @param {Proof | null} proof @param {boolean | null} log @param {number} width @param {number} height */
  drawStill(run, proof, log, width, height) {
    const big = width > 620 || document.body.classList.contains("projector"), frame = { left: big ? 78 : 58, right: width - 14, top: 14, bottom: height - (big ? 54 : 40) };
    set(this.svg, { viewBox: `0 0 ${width} ${height}` });
    this.still.replaceChildren();
    this.x = this.y = undefined;
    this.losses = null;
    if (!run || !proof || run.kind !== "updates") return;
    const { bound, ceiling, gamma } = proof, last = run.updates, bounded = Number.isFinite(bound) && bound < 1e9;
    const logs = log ?? (bounded ? bound > 6 * last : last > 40), most = bounded ? Math.max(bound * 1.12, last) : Math.max(last, 2);
    let top = bounded ? Math.max(ceiling * bound * 1.18, 1e-9) : ceiling * most;
    for (let f = 0; f < run.path.length; f++) top = Math.max(top, run.lengthSquared(f) * 1.05);
    this.x = logs ? logarithmic(1, Math.max(most * 1.3, 10), frame.left, frame.right) : linear(0, most, frame.left, frame.right, width / 90);
    const low = Math.min(...[bounded ? gamma * gamma : Infinity, run.path.length > 1 ? Math.max(run.lengthSquared(1), 1e-9) : Infinity, top / 10]) * 0.7;
    this.y = logs ? logarithmic(low, top * 1.5, frame.bottom, frame.top) : linear(0, top, frame.bottom, frame.top, height / 70);
    const { x, y } = this, put = (/** @type {Node[]} */ ...nodes) => this.still.append(...nodes);
    put(axes(x, y, frame, true), el("text", { class: "axis-name", x: (frame.left + frame.right) / 2, y: height - 6, "text-anchor": "middle" }, S.proof.axis));
    const curve = (/** @type {(k: number) => number} */ value) => {
      const points = [];
      for (let i = 0; i <= 80; i++) {
        const at = logs ? x.low * (most / x.low) ** (i / 80) : (most * i) / 80, v = value(at);
        if (v <= y.high) points.push(`${x(at).toFixed(1)} ${y(Math.max(v, y.low)).toFixed(1)}`);
      }
      return `M${points.join("L")}`;
    };
    if (bounded) {
      const cross = [x(ceiling / gamma ** 2), y(ceiling ** 2 / gamma ** 2)], up = curve((v) => ceiling * v), down = curve((v) => (gamma * v) ** 2);
      put(el("path", { class: "room", d: `${up}L${down.slice(1).split("L").reverse().join("L")}Z` }));
      put(el("path", { class: "ceiling", d: up }), el("path", { class: "floor", d: down }));
      put(el("line", { class: "bound", x1: cross[0], x2: cross[0], y1: frame.bottom, y2: cross[1] }), el("path", { class: "star", d: star(cross[0], cross[1], big ? 16 : 11) }));
      const at = logs ? Math.sqrt(most) : most * 0.52, low2 = logs ? Math.sqrt(most) : most * 0.62;
      put(el("text", { class: "name ceiling-name", x: x(at) - 8, y: y(ceiling * at) - 8, "text-anchor": "end" }, proof.margin ? S.proof.ceilingMargin : S.proof.ceiling));
      put(el("text", { class: "name floor-name", x: x(low2) + 10, y: y((gamma * low2) ** 2) + 18 }, S.proof.floor));
      put(el("text", { class: "name star-name", x: cross[0] - 14, y: Math.max(cross[1] - (big ? 20 : 12), 18), "text-anchor": "end" }, say(S.proof.star, { bound: number(bound) })));
    }
    else if (ceiling > 0) {
      const at = logs ? Math.sqrt(most) : most * 0.6;
      put(el("path", { class: "ceiling", d: curve((v) => ceiling * v) }), el("text", { class: "name ceiling-name", x: x(at) - 8, y: y(ceiling * at) - 8, "text-anchor": "end" }, S.proof.ceiling));
    }
    const steps = [];
    const every = Math.max(1, Math.floor(run.path.length / 600));
    for (let f = logs ? 1 : 0; f < run.path.length; f += every) steps.push(`${x(Math.max(run.path.number[f], x.low)).toFixed(1)} ${y(Math.max(run.lengthSquared(f), y.low)).toFixed(1)}`);
    if (steps.length) put(el("path", { class: steps.length > 150 ? "length many" : "length", d: `M${steps.join("L")}` }));
    const end = run.path.length - 1;
    put(el("text", { class: "name length-name", "text-anchor": x(run.path.number[end]) > frame.right - 60 ? "end" : "start", x: x(run.path.number[end]) > frame.right - 60 ? frame.right - 4 : x(run.path.number[end]) + 10, y: Math.max(frame.top + 14, y(Math.max(run.lengthSquared(end), y.low)) + (x(run.path.number[end]) > frame.right - 60 ? -14 : 5)) }, S.proof.length));
    this.dial = { x: frame.left + 0.7 * (frame.right - frame.left), y: frame.bottom - 12, r: Math.min(big ? 56 : 44, 0.22 * height) };
  }

  /** What a learner minimises, step by step. @param {Run} run @param {(w: ArrayLike<number>) => number} loss @param {number} width @param {number} height */
  drawLoss(run, loss, width, height) {
    const frame = { left: 58, right: width - 14, top: 14, bottom: height - 40 }, count = Math.min(run.path.length, 160);
    this.losses = Array.from({ length: count }, (_, i) => loss(run.path.at(Math.round((i * (run.path.length - 1)) / Math.max(1, count - 1)))));
    const { losses } = this, top = Math.max(...losses.filter(Number.isFinite), 1e-12), last = Math.max(1, run.path.length - 1);
    set(this.svg, { viewBox: `0 0 ${width} ${height}` });
    this.x = linear(0, last, frame.left, frame.right, width / 90);
    this.y = linear(0, top * 1.1, frame.bottom, frame.top, height / 70);
    const { x, y } = this, path = losses.map((v, i) => `${x((i * last) / Math.max(1, count - 1)).toFixed(1)} ${y(Math.min(v, top)).toFixed(1)}`).join("L");
    this.still.replaceChildren(axes(x, y, frame, true), el("path", { class: "length", d: `M${path}` }), el("text", { class: "axis-name", x: (frame.left + frame.right) / 2, y: height - 6, "text-anchor": "middle" }, `${S.panels.steps} — ${S.panels.lossAxis}`));
  }

  /** w* upright, and w at its angle. @param {number} angle */
  drawDial(angle) {
    const { x, y, r } = this.dial ?? { x: 0, y: 0, r: 1 }, a = (angle * Math.PI) / 180, tip = [x + r * Math.sin(a), y - r * Math.cos(a)];
    const arc = `M${x} ${y - r * 0.6}A${r * 0.6} ${r * 0.6} 0 ${angle > 180 ? 1 : 0} 1 ${x + 0.6 * r * Math.sin(a)} ${y - 0.6 * r * Math.cos(a)}`;
    this.moving.append(el("g", { class: "dial" }, el("path", { class: "arc", d: arc }), el("line", { class: "best", x1: x, y1: y, x2: x, y2: y - r }), el("line", { class: "own", x1: x, y1: y, x2: tip[0], y2: tip[1] }),
      el("circle", { cx: x, cy: y, r: 3 }), el("text", { x: x - 6, y: y - r + 4, "text-anchor": "end" }, "w*"), el("text", { x: tip[0] + 6, y: tip[1] + 5 }, "w"),
      el("text", { class: "angle", x: x - 10, y: y + 2, "text-anchor": "end" }, say(S.proof.angle, { angle: angle.toFixed(0) }))));
  }
}
