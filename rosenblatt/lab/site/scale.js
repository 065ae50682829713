// @ts-check
// Scales, ticks and axes: the little that this page needs of them.

import { el } from "./dom.js";

/** @typedef {{(value: number): number, back: (pixel: number) => number, ticks: number[], low: number, high: number, log: boolean}} Scale */

/** Round numbers from low to high, about `count` of them. @param {number} low @param {number} high @param {number} count */
export function ticks(low, high, count) {
  const raw = (high - low) / Math.max(1, count), size = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((factor) => factor * size).find((value) => value >= raw * 0.999) ?? raw, made = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) made.push(Number((k * step).toPrecision(12)));
  return made;
}

/** @param {number} low @param {number} high @param {number} from pixel of low @param {number} to @param {number} [count] @returns {Scale} */
export function linear(low, high, from, to, count = 5) {
  const slope = (to - from) / (high - low || 1);
  return Object.assign((/** @type {number} */ v) => from + slope * (v - low), {
    back: (/** @type {number} */ p) => low + (p - from) / slope, ticks: ticks(low, high, count), low, high, log: false,
  });
}

/** @param {number} low @param {number} high @param {number} from @param {number} to @returns {Scale} */
export function logarithmic(low, high, from, to) {
  const inner = linear(Math.log10(low), Math.log10(high), from, to), made = [];
  const first = Math.ceil(Math.log10(low) - 1e-9), last = Math.floor(Math.log10(high) + 1e-9), every = Math.max(1, Math.ceil((last - first) / 5));
  for (let k = first; k <= last; k += every) made.push(10 ** k);
  return Object.assign((/** @type {number} */ v) => inner(Math.log10(Math.max(v, low / 10))), {
    back: (/** @type {number} */ p) => 10 ** inner.back(p), ticks: made, low, high, log: true,
  });
}

/** A tick's label. @param {number} value @param {boolean} log */
export function label(value, log = false) {
  if (log && (value >= 1e4 || value < 0.01)) {
    const power = Math.round(Math.log10(value));
    return `10${[...String(power)].map((c) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(c)] ?? "⁻").join("")}`;
  }
  const size = Math.abs(value);
  return (size >= 1e6 ? value.toExponential(0).replace("+", "") : String(Number(value.toPrecision(6)))).replace("-", "−");
}

/** Ticks with their labels and a faint grid. @param {Scale} x @param {Scale} y @param {{left: number, right: number, top: number, bottom: number, edge?: number}} box `edge`: how far labels may reach @param {boolean} [whole] whether x counts something @param {number} [type] the size of the labels in pixels */
export function axes(x, y, box, whole = false, type = 12) {
  const group = el("g", { class: "axes", "aria-hidden": "true" });
  for (const value of x.ticks) {
    if (whole && !Number.isInteger(value)) continue;
    group.append(el("line", { class: "grid", x1: x(value), x2: x(value), y1: box.top, y2: box.bottom }));
    const text = label(value, x.log); // none that the right edge would cut
    if (x(value) + 0.33 * type * text.length <= (box.edge ?? box.right)) group.append(el("text", { x: x(value), y: box.bottom + 4 + type, "text-anchor": "middle" }, text));
  }
  for (const value of y.ticks) {
    group.append(el("line", { class: "grid", x1: box.left, x2: box.right, y1: y(value), y2: y(value) }));
    if (y(value) > 0.6 * type) group.append(el("text", { x: box.left - 6, y: y(value) + type / 3, "text-anchor": "end" }, label(value, y.log)));
  }
  return group;
}
