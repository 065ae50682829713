// @ts-check
// The page: one state, what was trained from it, the frame on view. Everything on the screen is drawn by `render`.

import { LEARNERS } from "./learners.js";
import { hasDigits, points } from "./data.js";
import { dataOf, fromFragment, fromText, newState, toFragment, toText } from "./state.js";
import { Player } from "./player.js";
import { Training } from "./training.js";
import { View } from "./view.js";
import { STEPS, stateOf } from "./tour.js";
import { askSeparable, askTurn } from "./quiz.js";
import { chooseColumns } from "./dialogs.js";
import { columns, decode, parse, toCsv, toPoints } from "./csv.js";
import { script } from "./python.js";
import { S, say } from "./strings.js";
/** @typedef {import("./state.js").State} State */
/** @typedef {import("./history.js").Run} Run */
/** @typedef {import("./proof.js").Proof} Proof */
/** @typedef {"start" | "end" | "keep"} Where where the frame goes after training */

const BEST = "rosenblatt-lab-slowest";

export class App extends Player {
  constructor() {
    super();
    /** @type {State[]} */ this.past = [];
    /** @type {State[]} */ this.future = [];
    /** @type {Proof[]} */ this.proofs = [];
    /** @type {Training | null} */ this.training = null;
    this.tool = "add";
    this.brush = 1;
    /** @type {boolean | null} */ this.log = null; // null: whichever shows more
    this.projector = false;
    this.asked = 0;
    this.right = 0;
    this.verdict = "";
    this.note = "";
    this.fragment = "";
    this.trained = ""; // the learners whose runs are on view
    this.told = false;
    this.score = 0;
    this.best = 0;
    this.state = newState();
    this.data = dataOf(this.state);
    this.view = new View(this);
    this.open();
    addEventListener("hashchange", () => location.hash.slice(1) !== this.fragment && this.open());
  }

  /** Begin with what the address holds. */
  open() {
    this.pause(); // a link opened while something plays shows its own frame
    const given = location.hash.slice(1) || document.documentElement.dataset.link || "", found = fromFragment(given);
    if (/[?&]projector\b/.test(location.search)) this.view.projector(true);
    this.past = [];
    this.future = [];
    if (found.error) this.view.toast(found.error, true);
    const state = found.state ?? newState({ values: { n: 60, margin: 0.25, seed: 4 } });
    this.load(state, found.state ? "keep" : "start", state.frame);
    if (!found.state && !found.error && !this.reduced && !/[?&]still\b/.test(location.search)) this.play(); // something alive
  }

  /** Show a state as it is. @param {State} state @param {Where} where @param {number} [frame] */
  load(state, where, frame) {
    const needs = !state.points && state.set === "mnist" && !hasDigits();
    if (needs) return this.fetchDigits(() => this.load(state, where, frame));
    this.state = state;
    this.frame = frame ?? 0;
    this.runs = []; // which the frame does not count
    this.retrain(frame === undefined ? where : "keep", true);
    if (state.tour) this.beginTask();
  }

  /** Change the state, with a way back. @param {Partial<State>} given @param {Where} [where] @param {boolean} [remember] */
  change(given, where = "keep", remember = true) {
    if (given.set === "mnist" && !hasDigits()) return this.fetchDigits(() => this.change(given, where, remember));
    if (remember) {
      this.past.push(this.state);
      if (this.past.length > 200) this.past.shift();
      this.future = [];
    }
    this.state = newState({ ...this.state, ...given });
    this.retrain(where, "set" in given || "values" in given);
  }

  undo() {
    const state = this.past.pop();
    if (!state) return;
    this.future.push(this.state);
    this.state = state;
    this.retrain("keep", true);
  }

  redo() {
    const state = this.future.pop();
    if (!state) return;
    this.past.push(this.state);
    this.state = state;
    this.retrain("keep", true);
  }

  /** New points, drawn by hand. @param {number[][]} list @param {boolean} [remember] */
  edit(list, remember = true) {
    if (this.data.d > 2) return this.view.toast(S.messages.noDraw);
    this.change({ points: list, axes: this.data.axes, names: this.data.classes > 2 || list.some((p) => p[2] > 1) ? nameAll(this.data.names) : this.data.names.slice(0, 2) }, "keep", remember);
    if (!list.length) this.view.fit();
  }

  get points() {
    return this.state.points ?? points(this.data);
  }

  /** @param {Where} where @param {boolean} [refit] whether the view goes to the points */
  retrain(where, refit = false) {
    this.training?.cancel();
    this.question = null;
    this.verdict = "";
    const wasLast = this.frame >= this.last && this.last > 0, state = this.state, { n, d, classes } = this.data;
    this.data = dataOf(state);
    if (where === "start") this.frame = 0;
    if (refit) this.view.fit();
    this.note = this.problem();
    if (this.note) {
      this.runs = [];
      this.proofs = [];
      return this.finish("keep", false);
    }
    this.training = new Training(this.data, state.learners, state.seed, ({ runs, proofs }) => {
      this.runs = runs;
      this.proofs = proofs;
      this.trained = state.learners.map((each) => each.name).join();
      this.finish(where, wasLast);
    }, (share) => this.view.working(share));
    if (this.training.finished) return;
    const known = state.learners.map((each) => each.name).join();
    if (n !== this.data.n || d !== this.data.d || classes !== this.data.classes || known !== this.trained) { // the line on view is not of these points
      this.runs = [];
      this.proofs = [];
    }
    this.render();
  }

  /** Why these points cannot be learned, or "". */
  problem() {
    const seen = new Set(Array.from(this.data.train, (i) => this.data.y[i]));
    if (!this.data.n) return S.messages.empty;
    if (seen.size < 2) return say(S.messages.oneClass, { class: this.data.names[0] === "−1" ? S.classNames[[...seen][0] ?? 0] : this.data.names[[...seen][0] ?? 0] });
    for (const { name } of this.state.learners) {
      if (this.data.classes > 2 && !LEARNERS[name].many) return say(S.messages.twoClasses, { learner: S.learners[/** @type {keyof typeof S.learners} */ (name)][0] });
      if (this.data.d > 2 && !LEARNERS[name].wide) return say(S.messages.onlyFlat, { learner: S.learners[/** @type {keyof typeof S.learners} */ (name)][0] });
    }
    return "";
  }

  /** @param {Where} where @param {boolean} wasLast */
  finish(where, wasLast) {
    this.view.working(null);
    if (where === "end" || (where === "keep" && wasLast)) this.frame = this.last;
    this.frame = Math.min(this.frame, this.last);
    this.part = 1;
    if (this.runs.every((run) => run.kind === "once")) this.frame = 0;
    this.remember();
    this.view.changed();
    this.render();
    this.checkTask();
    this.view.later(() => this.address());
  }

  cancel() {
    this.training?.cancel();
    this.view.working(null);
    this.view.toast(S.messages.cancelled);
  }

  /** Put the state into the address. */
  address() {
    const { fragment, stored, failed } = toFragment({ ...this.state, frame: this.frame });
    if (failed) return this.view.toast(S.messages.stored);
    if (stored && !this.told) this.view.toast(say(S.messages.linkLarge, { n: this.points.length.toLocaleString("en-US") }));
    this.told = stored;
    this.fragment = fragment;
    try {
      history.replaceState(null, "", `#${fragment}`);
    } catch { /* a page inside a notebook has no address */ }
    return fragment;
  }

  // ---------------------------------------------------------------------------------------------- tour and questions

  /** @param {number} number 0 leaves the tour */
  tour(number) {
    this.pause();
    if (!number) return this.change({ tour: 0 });
    this.past.push(this.state);
    const step = STEPS[number - 1];
    this.state = stateOf(number);
    this.frame = 0;
    this.retrain(step.end ? "end" : "start", true);
    this.beginTask();
    this.view.below(step.below ?? "proof");
    this.view.changed();
  }

  beginTask() {
    this.task = { first: this.state, bound: this.proofs[0]?.bound ?? Infinity, steps: 0, done: false };
    this.view.tour();
  }

  checkTask() {
    const number = this.state.tour, run = this.runs[0], proof = this.proofs[0];
    if (!number || this.task.done || !run || (this.training && !this.training.finished)) return;
    if (!Number.isFinite(this.task.bound) && proof) this.task.bound = proof.bound;
    const at = Math.min(this.frame, run.path.length - 1);
    this.task.done = Boolean(STEPS[number - 1].done({
      state: this.state, first: this.task.first, bound: proof?.bound ?? Infinity, firstBound: this.task.bound, separable: proof?.verdict?.separable, frame: this.frame, last: this.last, steps: this.task.steps,
      updates: run.path.number[at], made: run.updates, converged: run.stop === "converged",
    }));
    if (this.task.done) this.view.tour();
  }

  /** Keep the best score of the challenge. */
  remember() {
    const run = this.runs[0], proof = this.proofs[0];
    this.score = run && proof?.applies && run.stop === "converged" && run.updates > 2 ? (100 * run.updates) / proof.bound : 0;
    try {
      const best = Number(localStorage.getItem(BEST) ?? 0);
      if (this.state.set === "slow" && this.score > best) localStorage.setItem(BEST, String(this.score));
      this.best = Math.max(best, this.state.set === "slow" ? this.score : 0);
    } catch {
      this.best = Math.max(this.best, this.score);
    }
  }

  /** Ask about the next update, or about the points. */
  ask() {
    this.pause();
    if (this.frame === 0 && this.last > 1) this.go(1);
    const verdict = this.proofs[0]?.verdict, fresh = this.asked % 3 === 2 && verdict;
    this.question = (!fresh && askTurn(this.runs[0] ?? null, this.frame, this.data)) || (verdict ? askSeparable(verdict.separable) : null);
    this.verdict = "";
    if (!this.question) return this.view.toast(S.quiz.none);
    this.view.quiz(true);
    this.render();
  }

  /** Close the question. */
  leave() {
    if (!this.question && !this.verdict) return;
    this.question = null;
    this.verdict = "";
    this.view.quiz();
    this.render();
  }

  /** @param {string} choice */
  answer(choice) {
    const question = this.question;
    if (!question) return;
    this.asked++;
    this.right += choice === question.answer ? 1 : 0;
    const verdict = choice === question.answer ? S.quiz.right : say(S.quiz.wrong, { answer: question.answer });
    if (question.row >= 0) this.go(this.frame + 1, true);
    this.question = null;
    this.verdict = verdict;
    this.view.quiz(true);
    this.render();
  }

  // ---------------------------------------------------------------------------------------------- files

  /** @param {() => void} then */
  fetchDigits(then) {
    const source = document.documentElement.dataset.mnist;
    if (!source) return this.view.toast(S.messages.noMnist, true);
    const tag = document.createElement("script");
    tag.src = source;
    tag.onload = then;
    tag.onerror = () => this.view.toast(S.messages.noMnist, true);
    document.head.append(tag);
  }

  /** A CSV file or a screen of the lab. @param {File} file */
  async read(file) {
    try {
      const text = decode(await file.arrayBuffer());
      if (text.startsWith('{"v":')) return this.load(fromText(text), "keep");
      chooseColumns(this, columns(parse(text)), file.name);
    } catch (error) {
      this.view.toast(say(S.messages.csvBad, { file: file.name, why: /** @type {Error} */ (error).message }), true);
    }
  }

  /** @param {ReturnType<typeof columns>} table @param {number[]} chosen @param {string} file */
  use(table, chosen, file) {
    const { points: list, names, axes, skipped } = toPoints(table, chosen[0], chosen[1], chosen[2]);
    if (names.length < 2 || names.length > 3) return this.view.toast(say(S.messages.csvBad, { file, why: S.csv.noClass }), true);
    this.change({ points: list, names, axes, tour: 0 }, "end");
    this.view.fit();
    this.render();
    const n = list.length.toLocaleString("en-US");
    this.view.toast([say(S.messages.uploaded, { n, file }), skipped ? say(S.messages.skipped, { k: skipped }) : "", list.length > 2000 ? say(S.messages.sampled, { shown: "2,000" }) : ""].join(" "));
  }

  exportCsv() {
    return toCsv(this.data);
  }

  exportPython() {
    return script(this.data, this.state.learners[0], this.state.seed);
  }

  exportState() {
    return toText({ ...this.state, frame: this.frame });
  }
}

/** @param {string[]} names */
function nameAll(names) {
  return names[0] === "−1" ? S.classNames : [...names, ...S.classNames.slice(names.length)].slice(0, 3);
}
