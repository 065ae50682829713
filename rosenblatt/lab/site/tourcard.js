// @ts-check
// The card of a step of the tour: what it is about, its task, and what the task is done with.

import { el } from "./dom.js";
import { control } from "./controls.js";
import { LEARNERS } from "./learners.js";
import { SETS } from "./data.js";
import { STEPS, count } from "./tour.js";
import { S, say } from "./strings.js";
/** @typedef {import("./app.js").App} App */

/** @param {App} app @returns {Element[]} */
export function tourCard(app) {
  const number = app.state.tour, [title, text, task] = S.tour.steps[number - 1];
  return [
    el("div", { class: "tour-head" }, el("span", { class: "tour-step" }, say(S.tour.step, { i: number, n: count })), el("h2", {}, title)), el("p", { class: "tour-text" }, text),
    el("div", { class: "tour-task" }, el("p", {}, el("strong"), ` ${task}`), el("div", { class: "tour-control" })),
    el("div", { class: "tour-buttons" }, el("button", { type: "button", id: "tour-back", disabled: number === 1, onclick: () => app.view.turn(-1) }, S.tour.back), el("button", { type: "button", id: "tour-next", class: "primary", disabled: number === count, onclick: () => app.view.turn(1) }, S.tour.next), el("button", { type: "button", id: "tour-close", "aria-label": S.tour.close, title: S.tour.close, class: "small", onclick: () => app.tour(0) }, "×")),
  ];
}

/** Whether the task was done, and the value it is about; what is being dragged stays in place. @param {App} app @param {HTMLElement} box */
export function refresh(app, box) {
  const task = /** @type {HTMLElement} */ (box.querySelector(".tour-task")), place = /** @type {HTMLElement} */ (box.querySelector(".tour-control"));
  task.classList.toggle("done", app.task.done);
  /** @type {HTMLElement} */ (task.querySelector("strong")).textContent = app.task.done ? `✓ ${S.tour.done}.` : `${S.tour.task}.`;
  if (!place.contains(document.activeElement)) place.replaceChildren(...means(app));
}

/** What the task is done with, where that is a slider or a tool. @param {App} app @returns {Element[]} */
function means(app) {
  const { option = "", tool } = STEPS[app.state.tour - 1].with ?? {}, { learners, values, set } = app.state, [first, ...others] = learners;
  if (tool) {
    const button = app.view.toolButton(tool);
    button.append(S.tools[tool]);
    return [button];
  }
  const named = (/** @type {import("./learners.js").Option} */ each) => each.name === option, own = SETS[set].options.find(named), asked = LEARNERS[first.name].options.find(named);
  if (own) return [control(own, values[option], (value) => app.change({ values: { ...app.state.values, [option]: value }, points: null }))];
  if (asked) return [control(asked, first.options[option], (value) => app.change({ learners: [{ ...app.state.learners[0], options: { ...app.state.learners[0].options, [option]: value } }, ...others] }))];
  return [];
}
