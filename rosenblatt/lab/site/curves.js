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
    const frame = { left: 40, right: width - 12, top: curves.length > 1 ? 22 : 8, bottom: height - 34 };
    const top = Math.max(5, ...curves.flatMap((curve) => curve.points.map((p) => p[1])));
    set(this.svg, { viewBox: `0 0 ${width} ${height}` });
    this.x = linear(0, Math.max(1, frames - 1), frame.left, frame.right, width / 80);
    const x = this.x, y = linear(0, top * 1.05, frame.bottom, frame.top, 3);
    this.frame = frame;
    this.still.replaceChildren(axes(x, y, frame, true), el("text", { class: "axis-name", x: (frame.left + frame.right) / 2, y: height - 3, "text-anchor": "middle" }, `${unit} — ${S.panels.errorsAxis}`));
    for (const { style, points } of curves) this.still.append(el("path", { class: `curve ${style}`, d: `M${points.map(([a, b], i) => `${i ? `H${x(a).toFixed(1)}V` : `${x(a).toFixed(1)} `}${y(b).toFixed(1)}`).join("")}` }));
    if (curves.length > 1) {
      let left = frame.left;
      for (const { name, style } of curves) {
        this.still.append(el("line", { class: `curve ${style}`, x1: left, x2: left + 18, y1: 10, y2: 10 }), el("text", { class: "legend", x: left + 22, y: 14 }, name));
        left += 40 + 6.6 * name.length;
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
