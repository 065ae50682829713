// @ts-check
// Sliders, menus, thumbnails and buttons.

import { el, set } from "./dom.js";
import { SETS } from "./data.js";
import { filled } from "./learners.js";
import { SHAPES, star } from "./picture.js";
import { S, number } from "./strings.js";
/** @typedef {import("./learners.js").Option} Option */

const FINE = 1000; // places of a slider
let made = 0;

/** A place of the slider as a value. @param {Option} o @param {number} place */
function valueAt(o, place) {
  const low = o.low ?? 0, high = o.high ?? 1, share = place / FINE;
  const raw = o.log ? low * (high / low) ** share : low + share * (high - low);
  return o.whole ? Math.round(raw) : Number(raw.toPrecision(o.log ? 2 : 3));
}
/** @param {Option} o @param {number} value */
function placeOf(o, value) {
  const low = o.low ?? 0, high = o.high ?? 1;
  return Math.round(FINE * (o.log ? Math.log(Math.max(value, low) / low) / Math.log(high / low) : (value - low) / (high - low)));
}

/** One option as a row: a slider with its number, or a menu. @param {Option} option @param {any} value @param {(value: any) => void} changed */
export function control(option, value, changed) {
  const id = `o${made++}`, name = S.options[/** @type {keyof typeof S.options} */ (option.name)] ?? option.name;
  if (option.choices) {
    const menu = el("select", { id, "data-option": option.name, onchange: () => changed(menu.value) }, option.choices.map((each) => el("option", { value: each, selected: each === value }, S.choices[/** @type {keyof typeof S.choices} */ (each)] ?? each)));
    return el("div", { class: "option" }, el("label", { for: id }, name), menu);
  }
  const shown = el("output", { for: id }, number(value, 3).replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, ""));
  const whole = option.whole && !option.log;
  const slider = el("input", {
    id, type: "range", min: whole ? option.low : 0, max: whole ? option.high : FINE, step: 1, value: whole ? value : placeOf(option, value), "data-option": option.name, "aria-valuetext": `${value}`,
    oninput: () => {
      const now = whole ? Number(slider.value) : valueAt(option, Number(slider.value));
      shown.textContent = number(now, 3).replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "");
      slider.setAttribute("aria-valuetext", String(now));
      changed(now);
    },
  });
  return el("div", { class: "option" }, el("label", { for: id }, name), shown, slider);
}

/** The options that are shown for these values. @param {Option[]} options @param {{[name: string]: any}} values */
export const visible = (options, values) => options.filter((each) => !each.only || each.only[1].includes(values[each.only[0]]));

/** A small picture of a ready set. @param {string} name */
export function thumbnail(name) {
  const svg = el("svg", { viewBox: "0 0 64 48", "aria-hidden": "true" });
  if (name === "mnist") {
    svg.append(el("text", { x: 32, y: 33, "text-anchor": "middle", class: "digits" }, "0 1"));
    return svg;
  }
  const options = SETS[name].options, data = SETS[name].make(filled(options, { n: 40 }));
  let [x0, x1, y0, y1] = [Infinity, -Infinity, Infinity, -Infinity];
  for (let i = 0; i < data.n; i++) (x0 = Math.min(x0, data.X[2 * i])), (x1 = Math.max(x1, data.X[2 * i])), (y0 = Math.min(y0, data.X[2 * i + 1])), (y1 = Math.max(y1, data.X[2 * i + 1]));
  const scale = Math.min(50 / (x1 - x0 || 1), 36 / (y1 - y0 || 1)), size = data.n > 8 ? 1.9 : 3.6;
  for (let i = 0; i < data.n; i++) svg.append(el("path", { class: `dot c${data.y[i]}`, d: SHAPES[data.y[i]](size), transform: `translate(${(32 + scale * (data.X[2 * i] - (x0 + x1) / 2)).toFixed(1)} ${(24 - scale * (data.X[2 * i + 1] - (y0 + y1) / 2)).toFixed(1)})` }));
  return svg;
}

const ICONS = {
  start: "M5 5V19M19 5L9 12L19 19Z", back: "M17 5L7 12L17 19Z", play: "M7 4L20 12L7 20Z", pause: "M7 5H10V19H7ZM14 5H17V19H14Z", step: "M7 5L17 12L7 19Z", end: "M5 5L15 12L5 19ZM19 5V19",
  add: "M12 5V19M5 12H19", spray: "M6 8h.01M12 6h.01M18 9h.01M8 14h.01M14 13h.01M11 19h.01M18 17h.01", flip: "M4 9H18L14 5M20 15H6L10 19", delete: "M6 6L18 18M18 6L6 18",
  undo: "M9 6L4 11L9 16M4 11H14A5 5 0 0 1 14 21H11", redo: "M15 6L20 11L15 16M20 11H10A5 5 0 0 0 10 21H13", clear: "M5 7H19M9 7V5H15V7M7 7L8 20H16L17 7",
};

/** A button with a sign. @param {keyof typeof ICONS} icon @param {string} name @param {() => void} act @param {{[name: string]: any}} [more] */
export function iconButton(icon, name, act, more = {}) {
  return el("button", { type: "button", class: "icon", "aria-label": name, title: name, onclick: act, ...more }, el("svg", { viewBox: "0 0 24 24", "aria-hidden": "true", class: `icon-${icon}` }, el("path", { d: ICONS[icon] })));
}

/** @param {any} button @param {keyof typeof ICONS} icon @param {string} name */
export function reIcon(button, icon, name) {
  if (button.getAttribute("aria-label") === name) return;
  set(button, { "aria-label": name, title: name });
  button.querySelector("path").setAttribute("d", ICONS[icon]);
}

/** A mark of the picture, for its legend. @param {string} mark */
export function markOf(mark) {
  const [x, y] = [20, 12], line = mark === "before" || mark === "street";
  const shown = line ? el("line", { class: mark, x1: 2, x2: 38, y1: y, y2: y })
    : mark === "star" ? el("path", { class: "star", d: star(x, y, 10) })
      : [el("path", { class: mark === "wrong" ? "dot c1 wrong" : "dot c1", d: SHAPES[1](5), transform: `translate(${x} ${y})` }), mark === "wrong" ? null : el("circle", { class: mark, cx: x, cy: y, r: 10 })];
  return el("svg", { class: "mark-sample", viewBox: "0 0 40 24", "aria-hidden": "true" }, shown);
}
