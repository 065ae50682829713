// @ts-check
// The picture: field, hulls, lines, the arrow w, points and marks, in one SVG, which is also what is exported.

import { el, set } from "./dom.js";
import { axes, label, linear } from "./scale.js";
import { contour, fieldImage, grid, lead, strength } from "./field.js";
import { SplitMix } from "./rng.js";
import { S, say } from "./strings.js";
/** @typedef {import("./data.js").Data} Data */
/** @typedef {import("./history.js").Run} Run */
/** @typedef {import("./proof.js").Proof} Proof */

const MOST_DRAWN = 2000;
export const SHAPES = [
  (/** @type {number} */ r) => `M${-r} 0A${r} ${r} 0 1 1 ${r} 0A${r} ${r} 0 1 1 ${-r} 0Z`,
  (/** @type {number} */ r) => `M${-r} ${-r}H${r}V${r}H${-r}Z`,
  (/** @type {number} */ r) => `M0 ${-1.25 * r}L${1.2 * r} ${0.9 * r}H${-1.2 * r}Z`,
];
let pictures = 0;

export class Picture {
  /** @param {HTMLElement} parent */
  constructor(parent) {
    this.id = `p${pictures++}`;
    this.svg = el("svg", { class: "picture", role: "application", tabindex: "0", "aria-label": S.panels.picture, "aria-describedby": "where status" });
    this.layers = Object.fromEntries(["field", "grid", "hulls", "lines", "points", "marks", "names", "cursor"].map((name) => [name, el("g", { class: name })]));
    this.gradient = el("linearGradient", { id: `${this.id}g`, gradientUnits: "userSpaceOnUse" });
    this.arrowhead = el("marker", { id: `${this.id}a`, viewBox: "0 0 10 10", refX: 8, refY: 5, markerWidth: 5, markerHeight: 5, orient: "auto-start-reverse" }, el("path", { class: "head", d: "M0 0L10 5L0 10Z" }));
    this.clip = el("rect", {});
    this.svg.append(el("defs", {}, this.gradient, this.arrowhead, el("clipPath", { id: `${this.id}c` }, this.clip)), ...Object.values(this.layers));
    for (const name of ["field", "hulls", "lines", "points", "marks", "cursor"]) set(this.layers[name], { "clip-path": `url(#${this.id}c)` });
    parent.append(this.svg);
    /** @type {any[]} */ this.dots = [];
    /** @type {Data | null} */ this.data = null;
    this.counts = new Int32Array(0);
    this.key = "";
    this.named = "";
    this.cursor = null;
  }

  /** The part of the plane that is shown: all points with some room, both axes alike. @param {Data} data */
  fit(data) {
    let [x0, x1, y0, y1] = [Infinity, -Infinity, Infinity, -Infinity];
    for (let i = 0; i < data.n; i++) {
      const x = data.plane[2 * i], y = data.plane[2 * i + 1];
      (x0 = Math.min(x0, x)), (x1 = Math.max(x1, x)), (y0 = Math.min(y0, y)), (y1 = Math.max(y1, y));
    }
    if (!data.n) [x0, x1, y0, y1] = [-2, 2, -2, 2];
    const room = 0.22 * Math.max(x1 - x0, y1 - y0, 1e-9) + (x1 === x0 && y1 === y0 ? 1 : 0);
    this.wanted = [x0 - room, x1 + room, y0 - room, y1 + room];
    this.layout();
  }

  layout() {
    const box = this.svg.getBoundingClientRect(), width = Math.max(120, box.width), height = Math.max(120, box.height);
    const big = document.body.classList.contains("projector"), [x0, x1, y0, y1] = this.wanted ?? [-2, 2, -2, 2];
    const low = big ? 48 : 24, mid = [(x0 + x1) / 2, (y0 + y1) / 2];
    const within = (/** @type {number} */ left) => {
      const inner = [width - left, height - low], unit = Math.max((x1 - x0) / inner[0], (y1 - y0) / inner[1]);
      /** @type {[number, number, number, number]} */
      const view = [mid[0] - (unit * inner[0]) / 2, mid[0] + (unit * inner[0]) / 2, mid[1] - (unit * inner[1]) / 2, mid[1] + (unit * inner[1]) / 2];
      const y = linear(view[2], view[3], inner[1], 0, Math.max(4, height / 110));
      return { left, unit, view, y, wanted: (big ? 10.5 : 7) * Math.max(3, ...y.ticks.map((value) => label(value).length)) + 11 };
    };
    const { left, unit, view, y } = within(within(within(32).wanted).wanted); // the numbers at the left need room, and depend on it
    this.view = view;
    this.box = { left, right: width, top: 0, bottom: height - low };
    this.x = linear(view[0], view[1], left, width, Math.max(4, width / 110));
    this.y = y;
    this.unit = unit;
    set(this.svg, { viewBox: `0 0 ${width} ${height}` });
    set(this.clip, { x: left, y: 0, width: width - left, height: height - low });
    this.layers.grid.replaceChildren(axes(this.x, this.y, this.box, false, big ? 18 : 12));
    this.key = "";
    this.dots = [];
  }

  /** Where a point of the screen is in the plane. @param {{clientX: number, clientY: number}} event @returns {[number, number]} */
  place(event) {
    const box = this.svg.getBoundingClientRect();
    return [this.x?.back(event.clientX - box.left) ?? 0, this.y?.back(event.clientY - box.top) ?? 0];
  }

  /** The nearest drawn point within so many pixels, or -1. @param {[number, number]} place @param {number} reach */
  nearest(place, reach) {
    const data = this.data;
    let best = -1, least = (reach * (this.unit ?? 1)) ** 2;
    for (let i = 0; data && i < data.n; i++) {
      const away = (data.plane[2 * i] - place[0]) ** 2 + (data.plane[2 * i + 1] - place[1]) ** 2;
      if (away <= least) (least = away), (best = i);
    }
    return best;
  }

  /**
   * Draw frame k of a run; between two frames, `part` of the way from the one before.
   * @param {{data: Data, run: Run | null, k: number, part: number, learner: string, street?: number, proof: Proof | null, probability: boolean, next: number, wrong: Uint8Array | null, caption: string}} scene
   */
  draw(scene) {
    const { data, run, k } = scene;
    if (this.data !== data || !this.dots.length) this.setPoints(data);
    const flat = data.d === 2;
    const weights = run && flat && !(run.outputs === 1 && run.path.width === 1) ? blend(run, k, scene.part) : null;
    const lined = weights && run && scene.learner !== "voted" && run.outputs === 1;
    this.layers.lines.replaceChildren();
    this.drawNames(scene);
    if (lined) this.drawLine(weights, scene);
    else if (run && flat && k > 0) this.drawField(run, k);
    else this.layers.field.replaceChildren();
    this.drawHulls(scene.proof, data);
    this.drawPoints(run, k, data, scene.wrong);
    this.drawMarks(scene);
  }

  /** What the axes measure, and whose picture it is. @param {any} scene */
  drawNames({ data, caption }) {
    const { left, right, bottom } = this.box ?? { left: 0, right: 1, bottom: 1 }, [across, up] = data.axes, key = [left, right, bottom, across, up, caption].join();
    if (key === this.named) return;
    this.named = key;
    const type = document.body.classList.contains("projector") ? 22 : 15, room = Math.floor((right - left - 20) / (0.6 * type));
    const lines = caption.length > room ? caption.split(" ").reduce((/** @type {string[]} */ all, /** @type {string} */ word) => (all.length && all[all.length - 1].length + word.length < room ? [...all.slice(0, -1), `${all[all.length - 1]} ${word}`] : [...all, word]), []) : [caption];
    const top = caption ? 1.25 * type * lines.length + 14 : 8;
    this.captioned = caption ? [0.6 * type * Math.max(...lines.map((/** @type {string} */ line) => line.length)), 1.25 * type * lines.length] : [0, 0];
    this.layers.names.replaceChildren(
      ...lines.map((/** @type {string} */ line, /** @type {number} */ i) => el("text", { class: "caption", x: left + 10, y: 1.25 * type * (i + 1) + 2 }, line)),
      el("text", { class: "axis", x: right - 8, y: bottom - 8, "text-anchor": "end" }, across),
      el("text", { class: "axis", transform: `translate(${left + type} ${top}) rotate(-90)`, "text-anchor": "end" }, up),
    );
  }

  /** @param {Data} data */
  setPoints(data) {
    this.data = data;
    const every = Math.max(1, data.n / MOST_DRAWN), test = new Set(data.test);
    this.base = data.n > 600 ? 3 : data.n > 150 ? 4.2 : data.n > 12 ? 5.6 : 8;
    this.dots = [];
    const random = new SplitMix(1957);
    for (let k = 0; k * every < data.n; k++) { // of too many points one of each stretch, not always the same place of it
      const i = every > 1 ? Math.min(data.n - 1, Math.floor((k + random.uniform()) * every)) : k, dot = el("path", { class: `dot c${data.y[i]}${test.has(i) ? " test" : ""}` });
      this.dots.push({ i, dot, radius: 0, wrong: false });
    }
    this.layers.points.classList.toggle("many", data.n > 300);
    this.layers.points.replaceChildren(...this.dots.map((each) => each.dot));
    for (const { i, dot } of this.dots) set(dot, { transform: `translate(${this.x?.(data.plane[2 * i]).toFixed(1)} ${this.y?.(data.plane[2 * i + 1]).toFixed(1)})` });
  }

  /** Sizes by the mistakes made so far, and which points are wrong now. @param {Run | null} run @param {number} k @param {Data} data @param {Uint8Array | null} wrong */
  drawPoints(run, k, data, wrong) {
    if (this.counts.length !== data.n) this.counts = new Int32Array(data.n);
    this.counts.fill(0);
    if (run?.kind === "updates" && run.path.stride === 1) for (let f = 1; f <= k; f++) this.counts[run.path.row[f]]++;
    const base = this.base ?? 4;
    for (const each of this.dots) {
      const radius = Math.round(10 * base * Math.min(2, 1 + 0.16 * Math.log2(1 + this.counts[each.i]))) / 10;
      if (radius !== each.radius) each.dot.setAttribute("d", SHAPES[data.y[each.i]]((each.radius = radius)));
      const is = Boolean(wrong?.[each.i]);
      if (is !== each.wrong) each.dot.classList.toggle("wrong", (each.wrong = is));
    }
  }

  /** @param {ArrayLike<number>} w @param {any} scene */
  drawLine(w, scene) {
    const { run, k, street, probability } = scene, lines = this.layers.lines, length = Math.hypot(w[0], w[1]);
    if (!length) return this.layers.field.replaceChildren();
    this.drawGradient(w, length, probability);
    const stroke = (/** @type {ArrayLike<number>} */ v, /** @type {string} */ name, shift = 0) => {
      const ends = this.ends(v, shift);
      if (ends) lines.append(el("line", { class: name, x1: ends[0], y1: ends[1], x2: ends[2], y2: ends[3] }));
    };
    if (street) stroke(w, "street", street), stroke(w, "street", -street);
    if (run.kind === "updates" && k > 1) stroke((run.shown ?? run.path).at(k - 1), "before");
    if (run.shown) stroke(run.path.at(k), "thin");
    stroke(w, "line");
    const ends = this.ends(w, 0);
    if (!ends || !this.x || !this.y) return;
    const size = 62, feet = [0.5, 0.65, 0.35, 0.8, 0.2].map((share) => [ends[0] + share * (ends[2] - ends[0]), ends[1] + share * (ends[3] - ends[1])]);
    const foot = feet.find(([fx, fy]) => this.isFree(fx + ((size + 12) * w[0]) / length, fy - ((size + 12) * w[1]) / length)) ?? feet[0];
    lines.append(el("line", { class: "w", x1: foot[0], y1: foot[1], x2: foot[0] + (size * w[0]) / length, y2: foot[1] - (size * w[1]) / length, "marker-end": `url(#${this.id}a)` }));
    lines.append(el("text", { class: "w-name", x: foot[0] + ((size + 12) * w[0]) / length, y: foot[1] - ((size + 12) * w[1]) / length + 5, "text-anchor": "middle" }, "w"));
  }

  /** Whether a letter at a place is in the picture and not over its caption. @param {number} x @param {number} y */
  isFree(x, y) {
    const { left, right, bottom } = this.box ?? { left: 0, right: 1, bottom: 1 }, [wide, high] = this.captioned ?? [0, 0];
    return x > left + 12 && x < right - 12 && y > 16 && y < bottom - 8 && (x > left + wide + 12 || y > high + 20);
  }

  /** The two ends in pixels of the line w·x + b = shift. @param {ArrayLike<number>} w @param {number} shift */
  ends(w, shift) {
    const [x0, x1, y0, y1] = this.view ?? [0, 1, 0, 1], squared = w[0] * w[0] + w[1] * w[1], mid = [(x0 + x1) / 2, (y0 + y1) / 2];
    if (!squared) return null;
    const off = (w[0] * mid[0] + w[1] * mid[1] + w[2] - shift) / squared, near = [mid[0] - off * w[0], mid[1] - off * w[1]];
    const reach = Math.hypot(x1 - x0, y1 - y0), along = [(-w[1] / Math.sqrt(squared)) * reach, (w[0] / Math.sqrt(squared)) * reach];
    let from = -1, to = 1; // cut to the view, so that the arrow stands in the middle of what is seen
    for (const [p, step, low, high] of [[near[0], along[0], x0, x1], [near[1], along[1], y0, y1]]) {
      if (Math.abs(step) < 1e-12 * reach) {
        if (p < low || p > high) return null;
        continue;
      }
      const a = (low - p) / step, b = (high - p) / step;
      (from = Math.max(from, Math.min(a, b))), (to = Math.min(to, Math.max(a, b)));
    }
    if (from >= to || !this.x || !this.y) return null;
    return [this.x(near[0] + from * along[0]), this.y(near[1] + from * along[1]), this.x(near[0] + to * along[0]), this.y(near[1] + to * along[1])];
  }

  /** @param {ArrayLike<number>} w @param {number} length @param {boolean} probability */
  drawGradient(w, length, probability) {
    const [x0, x1, y0, y1] = this.view ?? [0, 1, 0, 1], spread = Math.max(x1 - x0, y1 - y0), mid = [(x0 + x1) / 2, (y0 + y1) / 2];
    const off = (w[0] * mid[0] + w[1] * mid[1] + w[2]) / length, foot = [mid[0] - (off * w[0]) / length, mid[1] - (off * w[1]) / length];
    const at = (/** @type {number} */ t) => [this.x?.(foot[0] + (t * w[0]) / length) ?? 0, this.y?.(foot[1] + (t * w[1]) / length) ?? 0];
    const [a, b] = [at(-spread), at(spread)];
    set(this.gradient, { x1: a[0], y1: a[1], x2: b[0], y2: b[1] });
    const confidence = (/** @type {number} */ t) => (probability ? Math.tanh((length * Math.abs(t)) / 2) * 1.2 : Math.abs(t) / (0.28 * spread)), stops = [];
    for (let i = -12; i <= 12; i++) {
      const t = (spread * Math.sign(i) * i * i) / 144;
      if (i <= 0) stops.push(el("stop", { offset: 0.5 + t / (2 * spread), class: "stop0", "stop-opacity": strength(confidence(t)).toFixed(3) }));
      if (i >= 0) stops.push(el("stop", { offset: 0.5 + t / (2 * spread), class: "stop1", "stop-opacity": strength(confidence(t)).toFixed(3) }));
    }
    this.gradient.replaceChildren(...stops);
    if (this.key !== "gradient") {
      this.key = "gradient";
      const box = this.box ?? { left: 0, right: 1, top: 0, bottom: 1 };
      this.layers.field.replaceChildren(el("rect", { x: box.left, y: box.top, width: box.right - box.left, height: box.bottom - box.top, fill: `url(#${this.id}g)` }));
    }
  }

  /** What is not one line: kernels, votes, several classes. @param {Run} run @param {number} k */
  drawField(run, k) {
    const box = this.box ?? { left: 0, right: 1, top: 0, bottom: 1 }, width = box.right - box.left, height = box.bottom - box.top;
    const busy = run.path.width === 1 ? (run.support?.length ?? 0) : run.outputs === 1 ? Math.min(k, 2000) : 1, side = busy > 600 ? 28 : busy > 120 ? 44 : 72;
    const columns = side, rows = Math.max(8, Math.round((side * height) / width));
    const answer = run.answer(k), [x0, x1, y0, y1] = this.view ?? [0, 1, 0, 1], values = grid(answer, run.outputs, [x0, x1, y0, y1], columns, rows);
    let scale = 0;
    for (const value of values) scale += Math.abs(value) / values.length;
    const image = fieldImage(values, run.outputs, columns, rows, classColours(), scale || 1);
    this.layers.field.replaceChildren(el("image", { x: box.left, y: box.top, width, height, href: image, preserveAspectRatio: "none" }));
    this.key = "";
    const place = new Float64Array(2), score = new Float64Array(1);
    const at = (/** @type {number} */ c, /** @type {number} */ r) => {
      (place[0] = x0 + ((x1 - x0) * c) / (columns - 1)), (place[1] = y1 + ((y0 - y1) * r) / (rows - 1));
      answer(place, 0, score);
      return score[0];
    };
    for (let c = 0; c < run.outputs; c++) {
      const d = contour(lead(values, run.outputs, c), columns, rows, width, height, run.outputs === 1 ? at : undefined);
      if (d) this.layers.lines.append(el("path", { class: "line", d, transform: `translate(${box.left} ${box.top})`, fill: "none" }));
    }
  }

  /** @param {Proof | null} proof @param {Data} data */
  drawHulls(proof, data) {
    const shown = proof?.verdict && !proof.verdict.separable && data.d === 2 ? proof.verdict.hulls : [];
    const at = (/** @type {number} */ i) => `${this.x?.(data.plane[2 * i]).toFixed(1)},${this.y?.(data.plane[2 * i + 1]).toFixed(1)}`;
    this.layers.hulls.replaceChildren(...shown.map((rows, c) => el("polygon", { class: `hull c${c}`, points: rows.map(at).join(" ") })));
  }

  /** Rings, the point of this update, the witness. @param {any} scene */
  drawMarks(scene) {
    const { data, run, k, proof, next } = scene, marks = [];
    const at = (/** @type {number} */ i) => [this.x?.(data.plane[2 * i]) ?? 0, this.y?.(data.plane[2 * i + 1]) ?? 0];
    const ring = (/** @type {number} */ i, /** @type {string} */ name, /** @type {number} */ r) => { const [cx, cy] = at(i); return el("circle", { class: name, cx, cy, r }); };
    if (run?.support && run.kind === "epochs" && k === run.path.length - 1) for (const i of run.support) marks.push(ring(i, "support", (this.base ?? 4) + 4));
    if (proof?.verdict?.witness && data.d === 2) {
      const { point, rows } = proof.verdict.witness, r = (this.base ?? 4) + 6;
      for (const i of rows) { const [x, y] = at(i); marks.push(el("path", { class: "witness", d: `M${x} ${y - r}L${x + r} ${y}L${x} ${y + r}L${x - r} ${y}Z` })); }
      marks.push(el("path", { class: "star", d: star(this.x?.(point[0]) ?? 0, this.y?.(point[1]) ?? 0, 11) }, el("title", {}, say(S.proof.otherNone, { n: rows.length }))));
    }
    const row = next >= 0 ? next : run && k > 0 && run.kind === "updates" ? run.path.row[k] : -1;
    if (row >= 0) marks.push(ring(row, next >= 0 ? "now asked" : "now", (this.base ?? 4) + 9));
    this.layers.marks.replaceChildren(...marks);
  }

  /** The cross of the keyboard. @param {[number, number] | null} place @param {boolean} holding */
  drawCursor(place, holding = false) {
    this.layers.cursor.replaceChildren();
    if (!place || !this.x || !this.y) return;
    const x = this.x(place[0]), y = this.y(place[1]);
    this.layers.cursor.append(el("path", { class: holding ? "cross holding" : "cross", d: `M${x - 14} ${y}H${x + 14}M${x} ${y - 14}V${y + 14}` }));
  }
}

/** A star of five points. @param {number} x @param {number} y @param {number} r */
export function star(x, y, r) {
  const at = (/** @type {number} */ i) => { const a = (Math.PI * i) / 5 - Math.PI / 2, s = i % 2 ? 0.42 * r : r; return `${(x + s * Math.cos(a)).toFixed(1)} ${(y + s * Math.sin(a)).toFixed(1)}`; };
  return `M${[0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map(at).join("L")}Z`;
}

/** Weights between two frames. @param {Run} run @param {number} k @param {number} part @returns {ArrayLike<number>} */
function blend(run, k, part) {
  const frames = run.shown ?? run.path, now = frames.at(k);
  if (part >= 1 || k < 2) return now;
  const before = frames.at(k - 1);
  return Array.from(now, (value, j) => before[j] + part * (value - before[j]));
}

/** The colours of the classes, as the style sheet has them. @returns {number[][]} */
export function classColours() {
  const style = getComputedStyle(document.documentElement);
  return [0, 1, 2].map((k) => (style.getPropertyValue(`--c${k}-rgb`).match(/\d+/g) ?? ["0", "0", "0"]).map(Number));
}
