// @ts-check
// What is on the screen: panels made once, and `render`, which draws picture and words of one frame together.

import { byId, download, el, set, write } from "./dom.js";
import { Picture, SHAPES } from "./picture.js";
import { ProofPlot } from "./proofplot.js";
import { WeightPlane } from "./weightplane.js";
import { ErrorPlot, errorCurve } from "./curves.js";
import { LEARNERS } from "./learners.js";
import { SETS } from "./data.js";
import { control, iconButton, reIcon, thumbnail, visible } from "./controls.js";
import { showKeys, showPython } from "./dialogs.js";
import { drawing } from "./drawing.js";
import { keyboard } from "./keyboard.js";
import { Words } from "./words.js";
import { savePng, saveSvg } from "./exporting.js";
import { STEPS, count } from "./tour.js";
import { refresh, tourCard } from "./tourcard.js";
import { wrongAt } from "./history.js";
import { lossOf } from "./solvers.js";
import { S, say } from "./strings.js";
/** @typedef {import("./app.js").App} App */

const PROBABLE = new Set(["logistic", "discriminant", "neuron"]);

export class View {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    /** @type {Picture[]} */ this.pictures = [];
    /** @type {[number, number] | null} */ this.cross = null;
    this.carrying = false;
    this.shape = "";
    this.values = "";
    this.tourKey = 0;
    this.note = "";
    for (const [id, text] of Object.entries({ title: S.title, tagline: S.tagline, "proof-title": S.panels.proof, "update-title": S.panels.update, "errors-title": S.panels.errors })) byId(id).textContent = text;
    for (const [id, text] of Object.entries(S.labels)) set(byId(id), { "aria-label": text });
    document.title = S.title;
    this.proof = new ProofPlot(byId("proof"));
    this.weights = new WeightPlane(byId("weights"));
    this.errors = new ErrorPlot(byId("errors"));
    this.words = new Words(app);
    this.buildNav();
    this.buildTools();
    this.buildTransport();
    this.buildData();
    keyboard(app);
    byId("log").addEventListener("click", () => this.log());
    for (const id of ["to-errors", "to-update", "to-proof"]) byId(id).addEventListener("click", () => this.below());
    this.nameSwaps();
    byId("file").addEventListener("change", (/** @type {any} */ event) => {
      const file = event.target.files[0];
      event.target.value = ""; // so that the same file can be chosen again
      if (file) app.read(file);
    });
    document.addEventListener("dragover", (event) => event.preventDefault());
    document.addEventListener("drop", (event) => {
      event.preventDefault();
      const file = event.dataTransfer?.files[0];
      if (file) app.read(file);
    });
    document.addEventListener("pointerdown", (event) => { if (!(/** @type {Element} */ (event.target).closest("details.menu"))) this.closeMenus(); });
    const observer = new ResizeObserver(() => this.resized());
    for (const id of ["main", "pictures", "proof", "errors"]) observer.observe(byId(id));
  }

  resized() {
    document.body.classList.toggle("short", this.app.projector || (innerWidth > 900 && byId("main").clientHeight < 760));
    const box = byId("pictures").getBoundingClientRect();
    byId("pictures").dataset.flow = box.width > box.height ? "row" : "column";
    this.words.fit();
    for (const picture of this.pictures) picture.layout();
    this.drawCurves();
    this.app.render();
  }

  // ---------------------------------------------------------------------------------------------- panels

  buildNav() {
    const { app } = this, button = (/** @type {string} */ id, /** @type {string} */ text, /** @type {() => void} */ act) => el("button", { type: "button", id, onclick: act }, text);
    const items = {
      png: () => savePng(this.svgs()), svg: () => saveSvg(this.svgs()), csv: () => download("points.csv", app.exportCsv(), "text/csv"), python: () => showPython(app),
      state: () => download("perceptron-lab.json", app.exportState(), "application/json"), open: () => this.chooseFile(),
    };
    const menu = el("details", { class: "menu", id: "export" }, el("summary", { role: "button" }, S.bar.export), el("div", { class: "items" }, Object.entries(items).map(([name, act]) => button(`export-${name}`, S.exports[/** @type {keyof typeof S.exports} */ (name)], () => { this.closeMenus(); act(); }))));
    byId("nav").append(el("button", { type: "button", id: "tour-button", class: "primary", onclick: () => app.tour(app.state.tour ? 0 : 1) }, S.bar.tour), button("quiz-button", S.quiz.open, () => app.ask()), button("projector-button", S.bar.projector, () => this.projector(!app.projector)), button("share", S.bar.share, () => this.share()), menu,
      button("keys-button", S.bar.keys, showKeys), el("button", { type: "button", id: "theme", "aria-label": S.bar.theme, title: S.bar.theme, onclick: () => this.theme() }, "◐"));
  }

  svgs() {
    return this.pictures.map((each) => each.svg);
  }

  buildTools() {
    const { app } = this, shape = (/** @type {number} */ c) => el("button", { type: "button", class: "brush", "data-brush": c, "aria-pressed": c === app.brush, "aria-label": `${S.tools.classes}: ${S.classNames[c]}`, title: S.classNames[c], onclick: () => this.brush(c) }, el("svg", { viewBox: "-12 -12 24 24", "aria-hidden": "true" }, el("path", { class: `dot c${c}`, d: SHAPES[c](7) })));
    const tool = (/** @type {"add" | "spray" | "flip" | "delete"} */ name) => this.toolButton(name);
    this.undoButton = iconButton("undo", S.data.undo, () => app.undo());
    this.redoButton = iconButton("redo", S.data.redo, () => app.redo());
    byId("tools").append(el("div", { class: "group" }, [0, 1, 2].map(shape)), el("div", { class: "group" }, tool("add"), tool("spray"), tool("flip"), tool("delete")), el("div", { class: "group" }, this.undoButton, this.redoButton, iconButton("clear", S.data.clear, () => app.edit([]))), el("div", { class: "legend-names", id: "legend" }));
  }

  /** @param {"add" | "spray" | "flip" | "delete"} name */
  toolButton(name) {
    return iconButton(name, S.tools[name], () => this.tool(name), { "data-tool": name, "aria-pressed": name === this.app.tool });
  }

  buildTransport() {
    const { app } = this;
    this.playButton = iconButton("play", S.transport.play, () => app.play(), { id: "play", class: "icon play" });
    this.scrub = el("input", { type: "range", id: "scrub", min: 0, max: 1, value: 0, "aria-label": S.transport.scrub, oninput: () => { app.pause(); app.go(Number(this.scrub.value)); } });
    this.label = el("output", { id: "where", "aria-live": "off" });
    const speed = el("input", { type: "range", id: "speed", min: 0, max: 100, value: 35, "aria-label": S.transport.speed, title: S.transport.speed, oninput: () => { app.speed = 0.7 * 120 ** (Number(speed.value) / 100); } });
    app.speed = 0.7 * 120 ** 0.35;
    byId("transport").append(el("div", { class: "group" }, iconButton("start", S.transport.start, () => { app.pause(); app.go(0); }, { id: "start" }), iconButton("back", S.transport.back, () => app.step(-1), { id: "back" }), this.playButton, iconButton("step", S.transport.step, () => app.step(1), { id: "step" }), iconButton("end", S.transport.end, () => { app.pause(); app.go(app.last); }, { id: "end" })),
      el("div", { class: "scrubber" }, this.scrub, this.label), el("label", { class: "speed" }, el("span", {}, S.transport.speed), speed), el("div", { class: "slides" }, el("button", { type: "button", id: "slide-back", onclick: () => this.turn(-1) }, S.tour.back), el("button", { type: "button", id: "slide-next", onclick: () => this.turn(1) }, S.tour.next), el("button", { type: "button", id: "leave", onclick: () => this.projector(false) }, S.bar.lab)));
  }

  buildData() {
    const { app } = this, sets = Object.keys(SETS).filter((name) => name !== "mnist" || document.documentElement.dataset.mnist);
    const thumbs = sets.map((name) => el("button", { type: "button", class: "thumb", "data-set": name, onclick: () => { app.pause(); app.change({ set: name, values: {}, points: null, axes: undefined, names: undefined, frame: 0 }, "start"); } }, thumbnail(name), el("span", {}, S.sets[/** @type {keyof typeof S.sets} */ (name)])));
    this.setOptions = el("div", { class: "options" });
    this.learnerBox = el("div", { class: "learners" });
    this.test = el("input", { type: "checkbox", id: "test", onchange: () => app.change({ test: this.test.checked ? 0.3 : 0 }) });
    byId("data").append(el("section", {}, el("h2", {}, S.data.heading), el("div", { class: "thumbs" }, thumbs), this.setOptions, el("label", { class: "check", title: S.data.testHint }, this.test, S.data.test), el("button", { type: "button", id: "upload", title: S.csv.choose, onclick: () => this.chooseFile() }, S.data.upload)), el("section", {}, el("h2", {}, S.learner.heading), this.learnerBox));
  }

  /** The panels after a change of the state. */
  changed() {
    const { app } = this, { state } = app;
    for (const thumb of document.querySelectorAll(".thumb")) set(thumb, { "aria-pressed": String(!state.points && /** @type {HTMLElement} */ (thumb).dataset.set === state.set) });
    const shape = JSON.stringify([state.points ? 0 : state.set, state.learners.map((each) => [each.name, visible(LEARNERS[each.name].options, each.options).map((o) => o.name)])]);
    const values = JSON.stringify([state.values, state.learners, state.seed]);
    if (this.shape !== shape || (this.values !== values && !document.activeElement?.matches?.("#data input[type=range]"))) this.fillOptions();
    this.shape = shape;
    this.values = values;
    this.test.checked = state.test > 0;
    set(this.undoButton, { disabled: !app.past.length });
    set(this.redoButton, { disabled: !app.future.length });
    this.arrange();
    this.brush(app.brush);
    this.tour();
    this.quiz();
    clearTimeout(this.curveTimer);
    this.curveTimer = setTimeout(() => this.drawCurves(), 60);
    if (app.note) this.toast(app.note);
    else if (this.note) this.toast("");
    this.note = app.note;
  }

  fillOptions() {
    const { app } = this, { state } = app;
    const own = state.points ? [] : SETS[state.set].options;
    this.setOptions.replaceChildren(...visible(own, state.values).map((option) => control(option, state.values[option.name], (value) => app.change({ values: { ...app.state.values, [option.name]: value }, points: null }, "keep"))));
    this.learnerBox.replaceChildren(...[0, 1].flatMap((place) => this.learnerParts(place)));
  }

  /** @param {number} place */
  learnerParts(place) {
    const { app } = this, { learners, seed } = app.state, choice = learners[place];
    const choose = (/** @type {string} */ name) => {
      const list = app.state.learners.slice();
      if (name) list[place] = { name, options: {} };
      else list.splice(place, 1);
      app.change({ learners: list }, app.frame > 0 ? "end" : "keep");
    };
    const menu = el("select", { id: `learner${place}`, "aria-label": place ? S.learner.second : S.learner.heading, onchange: () => choose(menu.value) },
      place ? el("option", { value: "" }, S.learner.none) : null, Object.entries(S.learners).map(([name, [title]]) => el("option", { value: name, selected: name === choice?.name }, title)));
    const row = el("div", { class: place ? "learner second" : "learner" }, place ? el("label", { for: `learner${place}` }, S.learner.second) : null, menu);
    if (!choice) return [row];
    const change = (/** @type {string} */ name, /** @type {any} */ value) => app.change({ learners: app.state.learners.map((each, i) => (i === place ? { ...each, options: { ...each.options, [name]: value } } : each)) });
    const shown = visible(LEARNERS[choice.name].options, choice.options), parts = shown.map((option) => control(option, choice.options[option.name], (value) => change(option.name, value)));
    if (!place && shown.some((option) => option.name === "order") && choice.options.order === "shuffled") parts.push(control({ name: S.data.seed, value: 0, low: 0, high: 99, whole: true }, seed, (value) => app.change({ seed: value })));
    return [row, el("p", { class: "about" }, S.learners[/** @type {keyof typeof S.learners} */ (choice.name)][2]), el("div", { class: "options" }, parts)];
  }

  /** One picture for each learner. */
  arrange() {
    const wanted = this.app.state.learners.length, box = byId("pictures");
    while (this.pictures.length > wanted) this.pictures.pop()?.svg.parentElement?.remove();
    while (this.pictures.length < wanted) {
      const figure = el("figure");
      box.append(figure);
      const picture = new Picture(figure);
      this.pictures.push(picture);
      drawing(this.app, picture);
    }
    if (box.dataset.count !== String(wanted)) {
      box.dataset.count = String(wanted);
      this.fit();
    }
  }

  fit() {
    if (!this.pictures.length) this.arrange();
    for (const picture of this.pictures) picture.fit(this.app.data);
  }

  /** Show all points again where one was dragged out of the picture. */
  fitIfOutside() {
    const [x0, x1, y0, y1] = this.pictures[0].view ?? [0, 0, 0, 0], { plane, n } = this.app.data;
    for (let i = 0; i < n; i++) if (plane[2 * i] < x0 || plane[2 * i] > x1 || plane[2 * i + 1] < y0 || plane[2 * i + 1] > y1) {
      this.fit();
      return this.app.render();
    }
  }

  // ---------------------------------------------------------------------------------------------- drawing

  render() {
    const { app } = this, ease = 1 - (1 - app.part) ** 3, turned = Math.max(0, Math.min(1, (app.part - 0.45) / 0.55));
    this.arrange();
    /** @type {number[][]} */ const wrong = [];
    this.pictures.forEach((picture, i) => {
      const run = app.runs[i] ?? null, choice = app.state.learners[i], k = run ? Math.min(app.frame, run.path.length - 1) : 0;
      const marks = run && (k > 0 || run.kind === "once") ? wrongAt(run, k, app.data) : null;
      wrong.push([countIn(marks, app.data.train), countIn(marks, app.data.test)]);
      const street = choice.name === "margin" ? choice.options.theta : LEARNERS[choice.name].street;
      picture.draw({ data: app.data, run, k, part: run?.kind === "updates" ? turned * turned * (3 - 2 * turned) : ease, learner: choice.name, street: run ? street : 0, proof: app.proofs[i] ?? null, probability: PROBABLE.has(choice.name), next: i === 0 ? app.question?.row ?? -1 : -1, wrong: marks, caption: this.pictures.length > 1 ? S.learners[/** @type {keyof typeof S.learners} */ (choice.name)][0] : "" });
      picture.drawCursor(i === 0 ? this.cross : null, this.carrying);
    });
    const run = app.runs[0] ?? null, k = run ? Math.min(app.frame, run.path.length - 1) : 0;
    const first = app.state.learners[0];
    this.proof.draw(run, k, app.proofs[0] ?? null, app.log, lossOf(first.name, first.options, app.data));
    this.weights.draw(run, k, app.part, app.data);
    this.errors.drawNow(app.frame);
    this.words.write(wrong);
    this.transport();
  }

  transport() {
    const { app } = this;
    reIcon(this.playButton, app.playing ? "pause" : "play", app.playing ? S.transport.pause : S.transport.play);
    if (this.scrub.max !== String(app.last)) this.scrub.max = String(app.last);
    if (this.scrub.value !== String(app.frame)) this.scrub.value = String(app.frame);
    this.scrub.style.setProperty("--share", `${app.last ? (100 * app.frame) / app.last : 0}%`);
    const label = this.words.where();
    write(this.label, label);
    set(this.scrub, { "aria-valuetext": label });
    document.body.dataset.frame = String(app.frame);
  }

  drawCurves() {
    const { app } = this, curves = [], many = app.runs.length > 1;
    for (const [i, run] of app.runs.entries()) {
      const name = many ? S.learners[/** @type {keyof typeof S.learners} */ (app.state.learners[i].name)][0] : "";
      curves.push({ name: app.data.test.length ? `${name} ${S.panels.train}`.trim() : name, style: `run${i}`, points: errorCurve(run, app.data, app.data.train) });
      if (app.data.test.length) curves.push({ name: `${name} ${S.panels.test}`.trim(), style: `run${i} test`, points: errorCurve(run, app.data, app.data.test) });
    }
    this.errors.drawStill(curves, app.last + 1, app.runs.some((run) => run.path.stride > 1) ? S.panels.frames : app.runs[0]?.kind === "updates" ? S.panels.updates : S.panels.steps);
    this.errors.drawNow(app.frame);
  }

  // ---------------------------------------------------------------------------------------------- small things

  /** @param {number} c */
  brush(c) {
    this.app.brush = c;
    for (const each of document.querySelectorAll("[data-brush]")) set(each, { "aria-pressed": String(/** @type {HTMLElement} */ (each).dataset.brush === String(c)) });
  }

  /** @param {string} name */
  tool(name) {
    this.app.tool = name;
    for (const each of document.querySelectorAll("[data-tool]")) set(each, { "aria-pressed": String(/** @type {HTMLElement} */ (each).dataset.tool === name) });
  }

  log() {
    this.app.log = !(this.proof.x?.log ?? false);
    this.app.render();
  }

  /** What stands below the proof where not everything has room: this update, the errors, or (on a projector) nothing. @param {string} [wanted] the next one if not given */
  below(wanted) {
    const { dataset } = document.body, order = this.app.projector ? ["update", "errors", "proof"] : ["update", "errors"], focused = document.activeElement?.classList.contains("swap");
    const now = dataset.below ?? "update", next = wanted ?? order[(order.indexOf(now) + 1) % order.length];
    dataset.below = order.includes(next) ? next : "update";
    this.nameSwaps();
    this.resized();
    if (focused) byId({ update: "to-errors", errors: "to-proof", proof: "to-update" }[dataset.below] ?? "").focus();
  }

  nameSwaps() {
    for (const [id, text] of [["to-errors", S.panels.errors], ["to-update", S.panels.update], ["to-proof", this.app.projector ? S.panels.alone : S.panels.update]]) write(byId(id), text);
  }

  /** @param {boolean} on */
  projector(on) {
    this.app.projector = on;
    document.body.classList.toggle("projector", on);
    this.below(this.app.state.tour ? STEPS[this.app.state.tour - 1].below ?? "proof" : "update");
  }

  theme() {
    const root = document.documentElement, dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    for (const picture of this.pictures) picture.key = "";
    this.app.render();
  }

  /** @param {number} by */
  turn(by) {
    const now = this.app.state.tour, to = now + by;
    if (to >= 1 && to <= count) this.app.tour(to);
  }

  async share() {
    const fragment = this.app.address();
    if (!fragment || fragment.startsWith("local=")) return this.toast(say(S.messages.linkLarge, { n: this.app.points.length.toLocaleString("en-US") }));
    try {
      await navigator.clipboard.writeText(location.href);
      this.toast(S.messages.linkCopied);
    } catch {
      this.toast(S.messages.linkReady);
    }
  }

  closeMenus() {
    for (const menu of document.querySelectorAll("details.menu[open]")) {
      if (menu.contains(document.activeElement)) menu.querySelector("summary")?.focus();
      menu.removeAttribute("open");
    }
  }

  chooseFile() {
    byId("file").click();
  }

  /** Do something a little later, and only the last such thing. @param {() => void} act */
  later(act) {
    clearTimeout(this.timer);
    this.timer = setTimeout(act, 250);
  }

  /** A sentence over the page, which moves nothing. @param {string} text @param {boolean} [stays] */
  toast(text, stays = false) {
    clearTimeout(this.toastTimer);
    const box = byId("toast");
    box.replaceChildren();
    if (!text) return;
    box.append(el("p", {}, text, el("button", { type: "button", class: "small", "aria-label": S.keys.close, onclick: () => box.replaceChildren() }, "×")));
    if (!stays) this.toastTimer = setTimeout(() => box.replaceChildren(), 7000);
  }

  /** Long work: how far it is, and a way to stop it. @param {number | null} share */
  working(share) {
    if (share === null) {
      this.progress?.remove();
      this.progress = null;
      return;
    }
    if (!this.progress) {
      this.progress = el("div", { id: "working", role: "status" }, el("span", {}), el("button", { type: "button", id: "cancel", onclick: () => this.app.cancel() }, S.messages.cancel));
      byId("stage").append(this.progress);
    }
    write(this.progress.firstChild, say(S.messages.working, { percent: Math.round(100 * share) }));
  }

  tour() {
    const { app } = this, number = app.state.tour, box = byId("tour");
    document.body.classList.toggle("touring", number > 0);
    box.hidden = !number;
    if (!number) return void (this.tourKey = 0);
    if (number !== this.tourKey) box.replaceChildren(...tourCard(app));
    this.tourKey = number;
    refresh(app, box);
  }

  /** @param {boolean} [focus] whether keys go to the choices */
  quiz(focus = false) {
    const { app } = this;
    byId("quiz")?.remove();
    if (!app.question && !app.verdict) return;
    const score = app.asked ? say(S.quiz.score, { right: app.right, asked: app.asked }) : "";
    const body = app.question
      ? [el("p", {}, app.question.text), el("div", { class: "choices" }, app.question.choices.map((choice) => el("button", { type: "button", class: "primary", onclick: () => app.answer(choice) }, choice)))]
      : [el("p", { class: app.verdict === S.quiz.right ? "right" : "wrong" }, app.verdict), el("div", { class: "choices" }, el("button", { type: "button", class: "primary", onclick: () => app.ask() }, S.quiz.open))];
    byId("stage").append(el("div", { id: "quiz", role: "group", "aria-label": S.quiz.open }, ...body, el("span", { class: "faint" }, score), el("button", { type: "button", class: "small", "aria-label": S.quiz.close, onclick: () => app.leave() }, "×")));
    if (focus) byId("quiz").querySelector("button").focus();
  }
}

/** @param {Uint8Array | null} marks @param {Int32Array} rows */
function countIn(marks, rows) {
  let sum = 0;
  if (marks) for (const i of rows) sum += marks[i];
  return sum;
}
