// @ts-check
// Points by pointer: add, drag, spray, flip, delete. A finger that does not touch a point scrolls the page.

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./picture.js").Picture} Picture */

const SPRAY = 0.45; // of a spray's radius, in hundredths of the view, per point
const round = (/** @type {number} */ v) => Math.round(v * 1000) / 1000;

/** @param {App} app @param {Picture} picture */
export function drawing(app, picture) {
  const { svg } = picture;
  /** @type {{row: number, moved: boolean, remembered: boolean, place: [number, number]} | null} */ let held = null;
  let asked = false;

  const reach = (/** @type {PointerEvent} */ event) => (event.pointerType === "touch" ? 24 : 14);
  const move = (/** @type {[number, number]} */ place) => {
    if (!held || held.row < 0) return;
    held.place = place;
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => { // one training for each picture, however many events come
      asked = false;
      if (!held) return;
      const list = app.points.slice();
      list[held.row] = [round(held.place[0]), round(held.place[1]), list[held.row][2]];
      app.edit(list, !held.remembered);
      held.remembered = true;
    });
  };

  svg.addEventListener("pointerdown", (/** @type {PointerEvent} */ event) => {
    if (event.button > 0) return;
    app.view.cross = null;
    const place = picture.place(event), row = picture.nearest(place, reach(event));
    if (event.pointerType === "touch" && row < 0 && app.tool !== "spray") {
      held = { row: -2, moved: false, remembered: false, place };
      return;
    }
    app.pause();
    held = { row, moved: false, remembered: false, place };
    svg.setPointerCapture(event.pointerId);
    if (app.tool === "spray") spray(app, picture, place, true);
  });
  svg.addEventListener("pointermove", (/** @type {PointerEvent} */ event) => {
    if (!held) {
      svg.style.cursor = app.tool === "add" && picture.nearest(picture.place(event), reach(event)) >= 0 ? "grab" : "crosshair";
      return;
    }
    const place = picture.place(event), away = Math.hypot(place[0] - held.place[0], place[1] - held.place[1]) / (picture.unit ?? 1);
    if (away > 3) held.moved = true;
    if (app.tool === "add" && held.row >= 0 && held.moved) move(place);
    if (app.tool === "spray" && away > 6) {
      spray(app, picture, place, false);
      held.place = place;
    }
  });
  svg.addEventListener("pointerup", (/** @type {PointerEvent} */ event) => {
    if (!held) return;
    const { row, moved } = held;
    if (!moved) use(app, picture.place(event), row === -2 ? -1 : row);
    else if (row >= 0 && app.tool === "add") app.view.fitIfOutside();
    held = null;
  });
  svg.addEventListener("pointercancel", () => (held = null));
  // A finger on a point drags it; the browser must know before it begins to scroll.
  svg.addEventListener("touchstart", (/** @type {TouchEvent} */ event) => {
    if (app.tool === "spray" || picture.nearest(picture.place(event.touches[0]), 24) >= 0) event.preventDefault();
  }, { passive: false });
}

/** Use the tool at a place. @param {App} app @param {[number, number]} place @param {number} row the point there, or -1 */
export function use(app, place, row) {
  const list = app.points;
  if (app.tool === "delete") {
    if (row >= 0) app.edit(list.filter((_, i) => i !== row));
  } else if (app.tool === "flip") {
    const { classes } = app.data;
    if (row >= 0) app.edit(list.map((p, i) => (i === row ? [p[0], p[1], (p[2] + 1) % classes] : p)));
  } else if (app.tool === "add" && row < 0) app.edit([...list, [round(place[0]), round(place[1]), app.brush]]);
}

/** @param {App} app @param {Picture} picture @param {[number, number]} place @param {boolean} first */
function spray(app, picture, place, first) {
  const unit = (picture.unit ?? 1) * 100 * SPRAY, more = Array.from({ length: 3 }, () => {
    const angle = 2 * Math.PI * Math.random(), r = unit * Math.sqrt(Math.random());
    return [round(place[0] + r * Math.cos(angle)), round(place[1] + r * Math.sin(angle)), app.brush];
  });
  app.edit([...app.points, ...more], first);
}
