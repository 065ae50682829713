// @ts-check
// The share of points on the wrong side, at some frames of each run, with a legend.

import { el, set } from "./dom.js";
import { axes, linear } from "./scale.js";
import { errorsAt } from "./history.js";
import { S } from "./strings.js";
/** @typedef {import("./history.js").Run} Run */
/** @typedef {import("./data.js").Data} Data */
/** @typedef {{name: string, style: string, points: [number, number][]}} Curve */

const WORK = 1.5e6; // scores for one curve

/** @param {Run} run @param {Data} data @param {Int32Array} rows @returns {[number, number][]} */
export function errorCurve(run, data, rows) {
  const cost = rows.length * data.d * (run.path.width === 1 ? Math.max(1, run.support?.length ?? 1) * 4 : 1);
  const count = Math.min(run.path.length, Math.max(12, Math.min(160, Math.floor(WORK / cost)))), made = [];
  for (let c = 0; c < count; c++) {
    const k = count === 1 ? 0 : Math.round((c * (run.path.length - 1)) / (count - 1));
    made.push(/** @type {[number, number]} */ ([k, (100 * errorsAt(run, k, data, rows)) / Math.max(1, rows.length)]));
  }
  return made;
}

export class ErrorPlot {
  /** @param {HTMLElement} parent */
  constructor(parent) {
    this.svg = el("svg", { class: "plot error-plot", role: "img", "aria-label": S.panels.errors });
    this.still = el("g", {});
    this.now = el("line", { class: "now-line" });
    this.svg.append(this.still, this.now);
    parent.append(this.svg);
  }

  /** @param {Curve[]} curves @param {number} frames @param {string} unit */
  drawStill(curves, frames, unit) {
    const box = this.svg.getBoundingClientRect(), width = Math.max(box.width, 200), height = Math.max(box.height, 56);
    const big = document.body.classList.contains("projector"), letter = big ? 10 : 6.6, line = big ? 22 : 15;
    const wide = curves.map(({ name }) => 44 + letter * name.length), rows = curves.length < 2 ? 0 : wide.reduce((a, b) => a + b, 0) < width - 40 ? 1 : curves.length;
    const frame = { left: big ? 60 : 40, right: width - 12, edge: width, top: 8 + rows * line, bottom: height - (big ? 48 : 34) };
    const top = Math.max(5, ...curves.flatMap((curve) => curve.points.map((p) => p[1])));
    set(this.svg, { viewBox: `0 0 ${width} ${height}` });
    this.x = linear(0, Math.max(1, frames - 1), frame.left, frame.right, width / 80);
    const x = this.x, y = linear(0, top * 1.05, frame.bottom, frame.top, Math.min(4, (frame.bottom - frame.top) / (big ? 34 : 24)));
    this.frame = frame;
    this.still.replaceChildren(axes(x, y, frame, true, big ? 18 : 12), el("text", { class: "axis-name", x: frame.right, y: height - 4, "text-anchor": "end" }, `${unit} — ${S.panels.errorsAxis}`));
    for (const { style, points } of curves) this.still.append(el("path", { class: `curve ${style}`, d: `M${points.map(([a, b], i) => `${i ? `H${x(a).toFixed(1)}V` : `${x(a).toFixed(1)} `}${y(b).toFixed(1)}`).join("")}` }));
    if (curves.length > 1) {
      let left = frame.left;
      for (const [i, { name, style }] of curves.entries()) {
        const y = 0.7 * line + (rows > 1 ? i * line : 0);
        this.still.append(el("line", { class: `curve ${style}`, x1: left, x2: left + 18, y1: y, y2: y }), el("text", { class: "legend", x: left + 22, y: y + 0.3 * line }, name));
        left += rows > 1 ? 0 : wide[i];
      }
    }
  }

  /** @param {number} k */
  drawNow(k) {
    if (!this.x || !this.frame) return;
    const at = this.x(Math.min(k, this.x.high));
    set(this.now, { x1: at, x2: at, y1: this.frame.top, y2: this.frame.bottom });
  }
}
