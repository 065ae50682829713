// @ts-check
// The frame on view: steps, epochs, the eased turn of the line, and playing, slow for the first updates.

import { newState } from "./state.js";
/** @typedef {import("./history.js").Run} Run */

const SLOW_START = [1500, 1100, 800, 550]; // milliseconds for the first updates
const STEP = 650; // of a single step

export class Player {
  constructor() {
    /** @type {Run[]} */ this.runs = [];
    this.frame = 0;
    this.part = 1; // of the way from the frame before
    this.playing = false;
    this.speed = 4; // frames a second
    this.reduced = matchMedia("(prefers-reduced-motion: reduce)").matches;
    /** @type {import("./quiz.js").Question | null} */ this.question = null;
    /** What the tour's task looks at. */
    this.task = { first: newState(), bound: Infinity, steps: 0, done: false };
    /** @type {any} */ this.view = null;
  }

  get last() {
    return Math.max(0, ...this.runs.map((run) => run.path.length - 1));
  }

  /** @param {number} frame @param {boolean} [eased] */
  go(frame, eased = false) {
    const to = Math.max(0, Math.min(this.last, frame));
    this.question = null;
    if (to === this.frame) return this.render();
    const forward = to === this.frame + 1;
    this.frame = to;
    if (eased && forward && !this.reduced) this.ease(STEP * (to <= 3 ? 1.6 : 1));
    else {
      this.part = 1;
      this.render();
    }
    this.checkTask();
    this.view.later(() => this.address());
  }

  /** One step, by key or button. @param {number} by */
  step(by) {
    this.pause();
    this.task.steps += by > 0 && this.frame < this.last ? 1 : 0;
    this.go(this.frame + by, true);
  }

  /** To the end of the next epoch, or of the one before. @param {number} by */
  epoch(by) {
    this.pause();
    const run = this.runs[0];
    if (!run) return;
    const now = run.path.number[Math.min(this.frame, run.path.length - 1)];
    const wanted = by > 0 ? run.epochEnds.find((end) => end > now) : [...run.epochEnds].reverse().find((end) => end < now);
    const frame = run.path.number.findIndex((n) => n >= (wanted ?? (by > 0 ? Infinity : 0)));
    this.go(frame < 0 ? this.last : frame);
  }

  /** Turn the line from the frame before to this one. @param {number} duration */
  ease(duration) {
    const begun = performance.now(), frame = this.frame;
    const tick = () => {
      if (this.frame !== frame || this.playing) return;
      this.part = Math.min(1, (performance.now() - begun) / duration);
      this.render();
      if (this.part < 1) requestAnimationFrame(tick);
    };
    tick();
  }

  play() {
    if (this.playing) return this.pause();
    if (this.last === 0) return;
    if (this.frame >= this.last) this.frame = 0;
    this.playing = true;
    this.question = null;
    let before = performance.now(), share = 1;
    const tick = (/** @type {number} */ now) => {
      if (!this.playing) return;
      const base = 1000 / this.speed, slow = this.runs[0]?.kind === "updates" ? (SLOW_START[this.frame - 1] ?? 0) : 0, duration = Math.max(base, this.reduced || this.speed > 12 ? 0 : slow);
      share += Math.min(now - before, 250) / duration;
      before = now;
      if (share >= 1) {
        const by = Math.floor(share);
        share -= by;
        if (this.frame >= this.last) return this.pause();
        this.frame = Math.min(this.last, this.frame + by);
        this.checkTask();
      }
      this.part = duration < 90 || this.reduced ? 1 : Math.min(1, share / 0.75);
      this.render();
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
    this.view.transport();
  }

  pause() {
    if (!this.playing) return;
    this.playing = false;
    this.part = 1;
    this.render();
    this.view.later(() => this.address());
  }

  render() {
    this.view.render();
  }

  // What the app does besides.
  checkTask() {}
  address() {}
}
