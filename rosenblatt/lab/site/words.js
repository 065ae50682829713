// @ts-check
// The words of a frame: formula, sum, what happened, how the run ended.

import { byId, el, set, write } from "./dom.js";
import { LEARNERS } from "./learners.js";
import { math } from "./math.js";
import { S, number, say } from "./strings.js";
/** @typedef {import("./app.js").App} App */

/** An entry of a vector, short. @param {number} value */
const entry = (value) => (Math.abs(value) < 1e4 ? number(value) : value.toExponential(1).replace("e+", "e").replaceAll("-", "−"));

export class Words {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.formula = "";
    this.sum = "";
    this.names = "";
    this.score = el("strong", { id: "score" });
    this.sentence = el("span");
    this.measured = el("span", { class: "measured" });
    byId("proof-words").append(this.score, this.sentence, this.measured);
  }

  /** A formula that is longer than its place gets smaller type. */
  fit() {
    const box = byId("formula");
    box.style.fontSize = "";
    const share = box.clientWidth / box.scrollWidth;
    if (share < 1) box.style.fontSize = `${Math.floor(100 * share * parseFloat(getComputedStyle(box).fontSize)) / 100}px`;
  }

  /** @param {number[][]} wrong of train and test points, for each learner */
  write(wrong) {
    const { app } = this, run = app.runs[0], choice = app.state.learners[0], k = run ? Math.min(app.frame, run.path.length - 1) : 0, proof = app.proofs[0];
    const formula = S.learners[/** @type {keyof typeof S.learners} */ (choice.name)][1];
    if (formula !== this.formula) {
      byId("formula").replaceChildren(math((this.formula = formula)));
      this.fit();
    }
    const sum = run ? this.sumAt(k) : "";
    if (sum !== this.sum) byId("sum").replaceChildren(...((this.sum = sum) ? [math(sum)] : []));
    write(byId("update-words"), run ? this.happened(k) : app.note);
    write(byId("proof-title"), run?.kind === "epochs" ? S.panels.loss : proof?.verdict && !proof.verdict.separable && LEARNERS[choice.name].theorem ? S.panels.never : proof && !proof.applies ? S.panels.what : S.panels.proof);
    write(this.sentence, proof?.sentence ?? "");
    write(this.measured, proof?.measured ? ` ${proof.measured}` : "");
    write(byId("status"), run ? this.status(wrong) : "");
    const log = app.view?.proof?.x?.log ?? false;
    set(byId("log"), { hidden: !run || run.kind !== "updates", "aria-label": `${S.panels.linear} / ${S.panels.log}`, title: `${S.panels.linear} / ${S.panels.log}` });
    write(byId("log"), log ? S.panels.log : S.panels.linear);
    const scored = app.state.set === "slow" && Boolean(app.score);
    write(this.score, scored && proof ? `${say(S.proof.challenge, { percent: (app.score ?? 0).toFixed(0), best: (app.best ?? 0).toFixed(0) })} ` : "");
    this.legend();
  }

  legend() {
    const { names, y } = this.app.data, shown = names[0] === "−1" || names[0] === S.classNames[0] ? "" : names.slice(0, Math.max(2, ...new Set(y)) + (y.length ? 1 : 0)).join("\u0000");
    if (shown === this.names) return;
    this.names = shown;
    byId("legend").replaceChildren(...shown.split("\u0000").filter(Boolean).map((name, c) => el("span", { class: `c${c}`, title: name }, name)));
  }

  /** @param {number} row */
  className(row) {
    const { names, y } = this.app.data;
    return names[0] === "−1" ? S.classNames[y[row]] : names[y[row]];
  }

  /** @param {number} k */
  happened(k) {
    const run = this.app.runs[0], name = this.app.state.learners[0].name, row = run.path.row[k];
    if (run.kind === "once") return S.update.once;
    if (run.kind === "epochs") return k ? say(S.update.epoch, { k }) : "";
    if (k === 0) return S.update.start;
    const values = { i: row + 1, class: this.className(row), m: number(run.path.margin[k], 2) };
    const text = run.outputs > 1 ? S.update.many : name === "kernel" ? S.update.kernel : ["perceptron", "averaged", "voted", "pocket", "margin"].includes(name) ? S.update.moved : S.update.moved_step;
    return say(text, values);
  }

  /** The sum in numbers. @param {number} k */
  sumAt(k) {
    const run = this.app.runs[0], { data } = this.app;
    if (run.path.width !== 3 || data.d !== 2) return "";
    const vector = (/** @type {ArrayLike<number>} */ w) => `[${entry(w[0])};${entry(w[1])};${entry(w[2])}]`, w = run.path.at(k);
    if (!k || run.kind !== "updates" || run.path.stride > 1) return `[w_1;w_2;b] = ${vector(w)}`;
    const before = run.path.at(k - 1), row = run.path.row[k], x = [data.X[2 * row], data.X[2 * row + 1], 1], step = w[2] - before[2];
    const times = Math.abs(Math.abs(step) - 1) < 1e-12 ? "" : `${number(Math.abs(step), 3)} · `;
    return `${vector(before)} ${step < 0 ? "−" : "+"} ${times}${vector(x)} = ${vector(w)}`;
  }

  /** @param {number[][]} wrong */
  status(wrong) {
    const { app } = this, { data } = app, run = app.runs[0], ended = app.frame >= app.last && run.kind !== "once" ? ` ${say(S.ended[/** @type {"converged"} */ (run.stop)], { e: run.epochEnds.length })}` : "";
    const parts = wrong.map(([trained, tested], i) => {
      const label = app.runs.length > 1 ? `${S.learners[/** @type {keyof typeof S.learners} */ (app.state.learners[i].name)][0]}: ` : "", n = data.train.length;
      if (app.frame === 0 && run.kind !== "once") return "";
      const train = trained ? say(S.ended.wrong, { wrong: number(trained), n: number(n) }) : say(S.ended.right, { n: number(n) });
      return label + train + (data.test.length ? `, ${say(S.ended.test, { wrong: tested, n: data.test.length })}` : "");
    });
    const thin = run.path.stride > 1 ? ` ${say(S.messages.thinned, { n: number(run.updates), stride: run.path.stride })}` : "";
    return parts.filter(Boolean).map((each) => `${each}.`).join(" ") + ended + thin;
  }

  /** Where in the run the frame is. */
  where() {
    const run = this.app.runs[0];
    if (!run) return "";
    if (run.kind === "once") return S.transport.once;
    const k = Math.min(this.app.frame, run.path.length - 1), made = run.path.number[k];
    if (run.kind === "epochs") return say(S.transport.step_, { k: number(made), n: number(run.updates) });
    const epoch = run.epochEnds.findIndex((end) => end >= made) + 1;
    return `${say(S.transport.update, { k: number(made), n: number(run.updates) })} · ${say(S.transport.epoch, { e: Math.max(1, epoch || run.epochEnds.length) })}`;
  }
}
