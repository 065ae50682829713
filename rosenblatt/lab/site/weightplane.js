// @ts-check
// The update as vectors: old w from the origin, the point with its sign laid on it, new w. Images: w as an image.

import { el, set } from "./dom.js";
import { classColours } from "./picture.js";
import { S, say } from "./strings.js";
/** @typedef {import("./history.js").Run} Run */
/** @typedef {import("./data.js").Data} Data */

const inside = (/** @type {number} */ v) => Math.max(12, Math.min(190, v));

export class WeightPlane {
  /** @param {HTMLElement} parent */
  constructor(parent) {
    this.svg = el("svg", { class: "plot weight-plane", viewBox: "0 0 200 200", role: "img", "aria-label": S.panels.weightPlane });
    const head = (/** @type {string} */ name) => el("marker", { id: `wp-${name}`, viewBox: "0 0 10 10", refX: 8, refY: 5, markerWidth: 5.5, markerHeight: 5.5, orient: "auto" }, el("path", { class: `head ${name}`, d: "M0 0L10 5L0 10Z" }));
    this.group = el("g", {});
    this.svg.append(el("defs", {}, ...["old", "new", "c0", "c1", "c2"].map(head)), this.group);
    parent.append(this.svg);
  }

  /** @param {Run | null} run @param {number} k @param {number} part @param {Data} data */
  draw(run, k, part, data) {
    this.group.replaceChildren();
    if (data.side && run) return this.drawImage(run, k, data);
    if (run?.counters) return this.drawCounters(run.counters(k), data);
    if (run && run.outputs > 1 && data.d === 2) return this.drawMany(run, k);
    if (!run || run.path.width !== 3 || data.d !== 2) return;
    const [x0, y0, size] = this.extent(run, k), at = (/** @type {ArrayLike<number>} */ w) => [100 + (150 * (w[0] - x0)) / size, 100 - (150 * (w[1] - y0)) / size];
    const now = run.path.at(k), before = k ? run.path.at(k - 1) : now, row = run.path.row[k], [o, a, b] = [at([0, 0]), at(before), at(now)];
    const put = (/** @type {number[]} */ from, /** @type {number[]} */ to, /** @type {string} */ name, grow = 1) => {
      const x2 = from[0] + grow * (to[0] - from[0]), y2 = from[1] + grow * (to[1] - from[1]);
      if (Math.hypot(x2 - from[0], y2 - from[1]) > 1) this.group.append(el("line", { class: `arrow ${name}`, x1: from[0], y1: from[1], x2, y2, "marker-end": `url(#wp-${name})` }));
    };
    this.group.append(el("path", { class: "grid", d: `M${o[0]} 6V194M6 ${o[1]}H194` }), el("text", { class: "faint", x: 194, y: o[1] + (o[1] > 180 ? -5 : 14), "text-anchor": "end" }, "w₁"), el("text", { class: "faint", x: o[0] + (o[0] > 170 ? -6 : 6), y: 22, "text-anchor": o[0] > 170 ? "end" : "start" }, "w₂"));
    const trail = [];
    for (let f = Math.max(0, k - 12); f < k; f++) trail.push(at(run.path.at(f)).map((v) => v.toFixed(1)).join(" "));
    if (trail.length > 1) this.group.append(el("path", { class: "trail", d: `M${trail.join("L")}` }));
    if (k && run.kind === "updates" && row >= 0 && run.path.stride === 1) {
      put(o, a, "old");
      put(a, b, `c${data.y[row]}`, Math.min(1, part / 0.5));
      const mid = [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2], long = Math.hypot(b[0] - a[0], b[1] - a[1]) || 1, across = [(b[1] - a[1]) / long, (a[0] - b[0]) / long];
      const out = Math.sign(across[0] * (mid[0] - o[0]) + across[1] * (mid[1] - o[1])) || 1; // the side that is farther from the origin
      if (long > 18) this.group.append(el("text", { class: `name c${data.y[row]}`, x: inside(mid[0] + 16 * out * across[0]), y: inside(mid[1] + 13 * out * across[1] + 5), "text-anchor": "middle" }, data.y[row] ? "+x" : "−x"));
    }
    if (part > 0.5 || !k) {
      put(o, b, "new", k ? Math.min(1, (part - 0.5) / 0.4) : 1);
      const half = [(o[0] + b[0]) / 2, (o[1] + b[1]) / 2], long = Math.hypot(b[0] - o[0], b[1] - o[1]), turn = Math.sign((b[0] - o[0]) * (a[1] - o[1]) - (b[1] - o[1]) * (a[0] - o[0])) || -1;
      if (long > 14) this.group.append(el("text", { class: "name w-name", x: inside(half[0] + (14 * turn * (b[1] - o[1])) / long), y: inside(half[1] - (14 * turn * (b[0] - o[0])) / long + 5), "text-anchor": "middle" }, "w")); // on the side without old w
    }
    this.group.append(el("circle", { class: "origin", cx: o[0], cy: o[1], r: 2.5 }));
  }

  /** The counters of a kernel's points as bars, the largest first. @param {Float64Array} a @param {Data} data */
  drawCounters(a, data) {
    const rows = [...a.keys()].filter((i) => a[i] !== 0).sort((i, j) => Math.abs(a[j]) - Math.abs(a[i])).slice(0, 60), most = Math.max(4, ...rows.map((i) => Math.abs(a[i]))), wide = Math.min(14, 176 / Math.max(1, rows.length));
    rows.forEach((i, n) => this.group.append(el("rect", { class: `dot c${data.y[i]}`, x: 12 + n * wide, width: Math.max(1, wide - 1.5), y: 180 - (150 * Math.abs(a[i])) / most, height: (150 * Math.abs(a[i])) / most })));
    this.group.append(el("path", { class: "grid", d: "M12 181H190" }), el("text", { class: "faint", x: 12, y: 18 }, say(S.panels.counters, { n: rows.length })));
  }

  /** One arrow for each class. @param {Run} run @param {number} k */
  drawMany(run, k) {
    const w = run.path.at(k);
    let size = 1e-12;
    for (let c = 0; c < run.outputs; c++) size = Math.max(size, Math.abs(w[3 * c]), Math.abs(w[3 * c + 1]));
    this.group.append(el("path", { class: "grid", d: "M100 6V194M6 100H194" }));
    for (let c = 0; c < run.outputs; c++) {
      const x2 = 100 + (76 * w[3 * c]) / size, y2 = 100 - (76 * w[3 * c + 1]) / size;
      if (Math.hypot(x2 - 100, y2 - 100) > 1) this.group.append(el("line", { class: `arrow c${c}`, x1: 100, y1: 100, x2, y2, "marker-end": `url(#wp-c${c})` }));
    }
    this.group.append(el("circle", { class: "origin", cx: 100, cy: 100, r: 2.5 }));
  }

  /** The middle and the side of the square around the origin and the weights so far, or the latest of a long run. @param {Run} run @param {number} k */
  extent(run, k) {
    let [x0, x1, y0, y1] = [0, 0, 0, 0];
    for (let f = Math.max(0, k - 40); f < Math.min(run.path.length, k + 1); f++) {
      const [x, y] = run.path.at(f);
      (x0 = Math.min(x0, x)), (x1 = Math.max(x1, x)), (y0 = Math.min(y0, y)), (y1 = Math.max(y1, y));
    }
    return [(x0 + x1) / 2, (y0 + y1) / 2, Math.max(x1 - x0, y1 - y0, 1e-12)];
  }

  /** @param {Run} run @param {number} k @param {Data} data */
  drawImage(run, k, data) {
    const side = data.side ?? 28, w = (run.shown ?? run.path).at(k), canvas = document.createElement("canvas"), image = new ImageData(side, side), colours = classColours();
    const most = w.subarray(0, side * side).reduce((m, v) => Math.max(m, Math.abs(v)), 1e-12);
    canvas.width = canvas.height = side;
    for (let i = 0; i < side * side; i++) image.data.set([...colours[w[i] >= 0 ? 1 : 0], (255 * Math.abs(w[i])) / most], 4 * i);
    canvas.getContext("2d")?.putImageData(image, 0, 0);
    const label = say(S.panels.landscape, { a: data.names[0], b: data.names[1] });
    this.group.append(el("image", { x: 10, y: 10, width: 180, height: 180, href: canvas.toDataURL(), style: "image-rendering: pixelated" }, el("title", {}, label)));
    set(this.svg, { "aria-label": label });
  }
}
