// @ts-check
// What opens over the page: keys and marks, the script in Python, the columns of a file.

import { byId, el } from "./dom.js";
import { markOf } from "./controls.js";
import { S } from "./strings.js";
/** @typedef {import("./app.js").App} App */

/** @param {string} heading @param {Element[]} body @param {Element[]} buttons before the one that closes @param {string} close */
function dialog(heading, body, buttons, close) {
  const box = byId("dialog");
  box.replaceChildren(el("h2", {}, heading), ...body, el("div", { class: "dialog-buttons" }, ...buttons, el("button", { type: "button", onclick: () => box.close() }, close)));
  box.showModal();
  return box;
}

export function showKeys() {
  const list = (/** @type {[string | Element, string][]} */ rows) => el("dl", {}, rows.map(([key, text]) => [el("dt", {}, key), el("dd", {}, text)]));
  dialog(S.keys.heading, [el("div", { class: "columns" }, list(/** @type {[string, string][]} */ (S.keys.list)), list(S.keys.marks.map(([mark, text]) => [markOf(mark), text])))], [], S.keys.close);
}

/** @param {App} app */
export function showPython(app) {
  const text = app.exportPython(), copy = async () => { try { await navigator.clipboard.writeText(text); app.view.toast(S.messages.copied); } catch { getSelection()?.selectAllChildren(byId("code")); } };
  dialog(S.python.heading, [el("pre", { id: "code", tabindex: "0" }, text)], [el("button", { type: "button", class: "primary", onclick: copy }, S.python.copy)], S.python.close);
}

/** @param {App} app @param {ReturnType<typeof import("./csv.js").columns>} table @param {string} file */
export function chooseColumns(app, table, file) {
  const menu = (/** @type {string} */ id, /** @type {string} */ label, /** @type {number[]} */ list, /** @type {number} */ chosen) => el("label", { class: "column" }, label, el("select", { id }, list.map((j) => el("option", { value: j, selected: j === chosen }, table.names[j]))));
  const side = table.classes[table.classes.length - 1], free = table.numbers.filter((j) => j !== side), pair = free.length > 1 ? free : table.numbers;
  const use = () => { box.close(); app.use(table, ["column-across", "column-up", "column-class"].map((id) => Number(byId(id).value)), file); };
  const box = dialog(S.csv.heading, [menu("column-across", S.csv.across, table.numbers, pair[0]), menu("column-up", S.csv.up, table.numbers, pair[1]), menu("column-class", S.csv.class, table.classes, side)],
    [el("button", { type: "button", id: "use", class: "primary", onclick: use }, S.csv.use)], S.csv.cancel);
}
