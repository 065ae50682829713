// @ts-check
// Keys: for the page, and for a cross in the picture with which everything can be drawn.

import { showKeys } from "./dialogs.js";
import { use } from "./drawing.js";
/** @typedef {import("./app.js").App} App */

/** @param {App} app */
export function keyboard(app) {
  let tabbed = false, pointed = false;
  /** @type {number} */ let carried = -1;
  const cross = () => app.view.cross;

  document.addEventListener("keydown", (event) => {
    tabbed = event.key === "Tab";
    pointed = false;
    const target = /** @type {HTMLElement} */ (event.target), typing = takes(target, event.key);
    if (document.querySelector("dialog[open]")) return;
    if ((event.ctrlKey || event.metaKey) && !event.altKey) {
      const key = event.key.toLowerCase();
      if (key === "z" && !event.shiftKey) app.undo();
      else if (key === "y" || (key === "z" && event.shiftKey)) app.redo();
      else return;
      return event.preventDefault();
    }
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === "Escape") {
      app.view.closeMenus();
      app.view.toast("");
      app.leave();
      app.view.cross = null;
      carried = -1;
      return app.render();
    }
    if (cross() && inPicture(event)) return event.preventDefault();
    if (typing && !["PageUp", "PageDown"].includes(event.key)) return;
    if (target.tagName === "BUTTON" && (event.key === " " || event.key === "Enter")) return;
    const act = KEYS[event.key] ?? KEYS[event.key.toLowerCase()];
    if (!act) return;
    event.preventDefault();
    act(app);
  });
  document.addEventListener("pointerdown", () => ((tabbed = false), (pointed = true)), true);
  // What was used with a mouse gives the keys back: after a menu or a slider, → is a step again.
  for (const kind of ["click", "change"]) document.addEventListener(kind, (event) => {
    const used = /** @type {HTMLElement} */ (event.target).closest(kind === "click" ? "button" : "select, input");
    if (pointed && used === document.activeElement && !used?.closest("dialog")) /** @type {HTMLElement | null} */ (used)?.blur();
  });
  document.addEventListener("focusin", (event) => {
    const picture = app.view.pictures.find((each) => each.svg === event.target);
    if (!picture) return void (app.view.cross = null);
    if (!tabbed || !picture.view) return;
    const [x0, x1, y0, y1] = picture.view;
    app.view.cross = [(x0 + x1) / 2, (y0 + y1) / 2];
    app.render();
  });

  /** @param {KeyboardEvent} event @returns {boolean} whether the key was for the cross */
  function inPicture(event) {
    const picture = app.view.pictures[0], place = /** @type {[number, number]} */ (cross()), by = (picture.unit ?? 1) * (event.shiftKey ? 50 : 10);
    const ways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }, way = ways[/** @type {keyof typeof ways} */ (event.key)];
    if (way) {
      app.view.cross = [place[0] + by * way[0], place[1] + by * way[1]];
      if (carried >= 0) app.edit(app.points.map((p, i) => (i === carried ? [Math.round(1000 * (place[0] + by * way[0])) / 1000, Math.round(1000 * (place[1] + by * way[1])) / 1000, p[2]] : p)));
    } else if (event.key === "Enter") use(app, place, picture.nearest(place, 14));
    else if (event.key === "m") carried = carried >= 0 ? -1 : picture.nearest(place, 1e9);
    else if (event.key === "Delete" || event.key === "Backspace") {
      const row = picture.nearest(place, 1e9);
      if (row >= 0) app.edit(app.points.filter((_, i) => i !== row));
    } else return false;
    if (event.key === "m" && carried >= 0) app.view.cross = [app.points[carried][0], app.points[carried][1]];
    app.view.carrying = carried >= 0;
    app.render();
    return true;
  }
}

/** Whether an element uses this key itself. @param {HTMLElement} target @param {string} key */
function takes(target, key) {
  if (target instanceof HTMLInputElement && target.type === "range") return /^(Arrow|Home|End)/.test(key);
  if (target instanceof HTMLInputElement && target.type === "checkbox") return key === " ";
  return /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName);
}

/** @type {{[key: string]: (app: App) => void}} */
const KEYS = {
  " ": (app) => app.play(), ArrowRight: (app) => app.step(1), ArrowLeft: (app) => app.step(-1), n: (app) => app.epoch(1), b: (app) => app.epoch(-1),
  Home: (app) => (app.pause(), app.go(0)), End: (app) => (app.pause(), app.go(app.last)),
  1: (app) => app.view.brush(0), 2: (app) => app.view.brush(1), 3: (app) => app.view.brush(2),
  a: (app) => app.view.tool("add"), s: (app) => app.view.tool("spray"), f: (app) => app.view.tool("flip"), d: (app) => app.view.tool("delete"),
  u: (app) => app.undo(), r: (app) => app.redo(), p: (app) => app.view.projector(!app.projector), q: (app) => app.ask(), l: (app) => app.view.log(), e: (app) => app.view.below(),
  t: (app) => app.tour(app.state.tour ? 0 : 1), PageDown: (app) => app.view.turn(1), PageUp: (app) => app.view.turn(-1), "?": showKeys,
};
