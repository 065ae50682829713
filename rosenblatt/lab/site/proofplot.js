// @ts-check
// The picture of the proof: ‖w‖² between its two curves, and the angle to w*; of other learners, how their loss falls.

import { angleTo } from "./proof.js";
import { axes, linear, logarithmic } from "./scale.js";
import { el, set } from "./dom.js";
import { star } from "./picture.js";
import { OVERLAP, freest, textBox } from "./placing.js";
import { S, number, say } from "./strings.js";
/** @typedef {import("./history.js").Run} Run */
/** @typedef {import("./proof.js").Proof} Proof */

/** @param {number[][]} points */
const path = (points) => `M${points.map(([a, b]) => `${a.toFixed(1)} ${b.toFixed(1)}`).join("L")}`;
const isBig = () => document.body.classList.contains("projector");
/** Where curves may be drawn. @param {number} width @param {number} height */
const room = (width, height) => ({ left: isBig() ? 78 : 58, right: width - 14, edge: width, top: 14, bottom: height - (isBig() ? 54 : 40) });

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
    /** @type {{x: number, y: number, r: number} | null} where the angle is shown */ this.dial = null;
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
    if (Number.isFinite(angle) && this.dial) this.drawDial(angle, this.dial);
  }

  /** @param {Run | null} run @param {Proof | null} proof @param {boolean | null} log @param {number} width @param {number} height */
  drawStill(run, proof, log, width, height) {
    const big = isBig(), frame = room(width, height);
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
    put(axes(x, y, frame, true, big ? 18 : 12), el("text", { class: "axis-name", x: (frame.left + frame.right) / 2, y: height - 6, "text-anchor": "middle" }, S.proof.axis));
    /** @type {number[][]} */ const drawn = []; // places that names keep clear of
    const curve = (/** @type {(k: number) => number} */ value) => {
      const points = [];
      for (let i = 0; i <= 80; i++) {
        const at = logs ? x.low * (most / x.low) ** (i / 80) : (most * i) / 80, v = value(at);
        if (v <= y.high) points.push([x(at), y(Math.max(v, y.low))]);
      }
      drawn.push(...points);
      return path(points);
    };
    const size = big ? 22 : 14, whole = { x: frame.left, y: 0, width: width - frame.left, height: frame.bottom };
    /** @type {import("./placing.js").Box[]} */ const taken = [];
    const name = (/** @type {string} */ text, /** @type {string} */ style, /** @type {[number, number, "start" | "middle" | "end"][]} */ places) => {
      const chosen = freest(places.map(([px, py, anchor]) => ({ px, py, anchor, boxes: [textBox(text, size, px, py, anchor)] })), taken, drawn, whole);
      if (chosen) put(el("text", { class: `name ${style}`, x: chosen.px, y: chosen.py, "text-anchor": chosen.anchor }, text));
    };
    const along = (/** @type {number} */ share) => (logs ? x.low * (most / x.low) ** share : most * share);
    const shares = [0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8];
    const above = (/** @type {(k: number) => number} */ value) => shares.map((share) => /** @type {[number, number, "end"]} */ ([x(along(share)) - 8, y(value(along(share))) - 8, "end"]));
    const below = (/** @type {(k: number) => number} */ value) => shares.map((share) => /** @type {[number, number, "start"]} */ ([x(along(share)) + 10, y(value(along(share))) + 0.9 * size + 6, "start"]));
    /** @type {(() => void)[]} */ const names = [];
    if (bounded) {
      const cross = [x(ceiling / gamma ** 2), y(ceiling ** 2 / gamma ** 2)], up = curve((v) => ceiling * v), down = curve((v) => (gamma * v) ** 2);
      put(el("path", { class: "room", d: `${up}L${down.slice(1).split("L").reverse().join("L")}Z` }));
      put(el("path", { class: "ceiling", d: up }), el("path", { class: "floor", d: down }));
      put(el("line", { class: "bound", x1: cross[0], x2: cross[0], y1: frame.bottom, y2: cross[1] }), el("path", { class: "star", d: star(cross[0], cross[1], big ? 16 : 11) }));
      for (let i = 0; i <= 20; i++) drawn.push([cross[0], cross[1] + ((frame.bottom - cross[1]) * i) / 20]);
      taken.push({ x: cross[0] - 12, y: cross[1] - 12, width: 24, height: 24 });
      names.push(() => name(say(S.proof.star, { bound: number(bound) }), "star-name", [[cross[0] - (big ? 20 : 14), Math.max(cross[1] - (big ? 20 : 12), size + 2), "end"]]));
      names.push(() => name(proof.margin ? S.proof.ceilingMargin : S.proof.ceiling, "ceiling-name", above((v) => ceiling * v)));
      names.push(() => name(S.proof.floor, "floor-name", below((v) => (gamma * v) ** 2)));
    } else if (ceiling > 0) {
      put(el("path", { class: "ceiling", d: curve((v) => ceiling * v) }));
      names.push(() => name(S.proof.ceiling, "ceiling-name", above((v) => ceiling * v)));
    }
    const steps = [], every = Math.max(1, Math.floor(run.path.length / 600));
    for (let f = logs ? 1 : 0; f < run.path.length; f += every) steps.push([x(Math.max(run.path.number[f], x.low)), y(Math.max(run.lengthSquared(f), y.low))]);
    if (steps.length) put(el("path", { class: steps.length > 150 ? "length many" : "length", d: path(steps) }));
    drawn.push(...steps);
    const end = run.path.length - 1, [ex, ey] = [x(Math.max(run.path.number[end], x.low)), y(Math.max(run.lengthSquared(end), y.low))], high = Math.min(ey, ...steps.filter(([a]) => a > ex - 70).map(([, b]) => b));
    names.splice(1, 0, () => name(S.proof.length, "length-name", [[ex + 11, ey + 5, "start"], [ex + 11, ey - 12, "start"], [ex + 11, ey + 20, "start"], [ex - 4, ey - 14, "end"], [ex, high - 10, "end"], [ex - 4, ey + size + 12, "end"], [ex - 12, ey - 30, "end"]]));
    names.shift()?.(); // the star's name and the angle have few places, curves many
    if (frame.bottom - frame.top < 150) while (names.length) names.shift()?.(); // where all is narrow, the angle is left out first
    const r = Math.min(big ? 56 : 44, 0.22 * height), wide = (big ? 10 : 7.2) * say(S.proof.angle, { angle: 180 }).length + 12, across = [0.95, 0.85, 0.75, 0.65, 0.5, 0.35, 0].map((share) => Math.max(frame.left + wide, frame.left + share * (frame.right - frame.left) - (share > 0.9 ? r + 24 : 0)));
    const places = across.flatMap((px) => [frame.bottom - 12, frame.top + r + 14, frame.top + r + 40].map((py) => ({ px, py, boxes: [{ x: px - 26, y: py - r - 10, width: r + 52, height: r + 16 }, { x: px - wide, y: py - (big ? 18 : 12), width: wide, height: big ? 26 : 18 }] })));
    const dial = freest(places, taken, drawn, whole, OVERLAP);
    this.dial = dial && { x: dial.px, y: dial.py, r };
    for (const act of names) act();
  }

  /** What a learner minimises, step by step. @param {Run} run @param {(w: ArrayLike<number>) => number} loss @param {number} width @param {number} height */
  drawLoss(run, loss, width, height) {
    const frame = room(width, height), count = Math.min(run.path.length, 160);
    this.losses = Array.from({ length: count }, (_, i) => loss(run.path.at(Math.round((i * (run.path.length - 1)) / Math.max(1, count - 1)))));
    const { losses } = this, top = Math.max(...losses.filter(Number.isFinite), 1e-12), last = Math.max(1, run.path.length - 1);
    set(this.svg, { viewBox: `0 0 ${width} ${height}` });
    this.x = linear(0, last, frame.left, frame.right, width / 90);
    this.y = linear(0, top * 1.1, frame.bottom, frame.top, height / 70);
    const { x, y } = this, fall = path(losses.map((v, i) => [x((i * last) / Math.max(1, count - 1)), y(Math.min(v, top))]));
    this.still.replaceChildren(axes(x, y, frame, true, isBig() ? 18 : 12), el("path", { class: "length", d: fall }), el("text", { class: "axis-name", x: (frame.left + frame.right) / 2, y: height - 6, "text-anchor": "middle" }, `${S.panels.steps} — ${S.panels.lossAxis}`));
  }

  /** w* upright, and w at its angle. @param {number} angle @param {{x: number, y: number, r: number}} dial */
  drawDial(angle, { x, y, r }) {
    const a = (angle * Math.PI) / 180, tip = [x + r * Math.sin(a), y - r * Math.cos(a)];
    const arc = `M${x} ${y - r * 0.6}A${r * 0.6} ${r * 0.6} 0 ${angle > 180 ? 1 : 0} 1 ${x + 0.6 * r * Math.sin(a)} ${y - 0.6 * r * Math.cos(a)}`;
    this.moving.append(el("g", { class: "dial" }, el("path", { class: "arc", d: arc }), el("line", { class: "best", x1: x, y1: y, x2: x, y2: y - r }), el("line", { class: "own", x1: x, y1: y, x2: tip[0], y2: tip[1] }),
      el("circle", { cx: x, cy: y, r: 3 }), el("text", { x: x - 6, y: y - r + 4, "text-anchor": "end" }, "w*"), el("text", { x: tip[0] + 6, y: tip[1] + 5 }, "w"),
      el("text", { class: "angle", x: x - 10, y: y + 2, "text-anchor": "end" }, say(S.proof.angle, { angle: angle.toFixed(0) }))));
  }
}
