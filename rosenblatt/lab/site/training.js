// @ts-check
// Training that never holds up the page: short runs at once, long ones in slices that can be cancelled.

import { LEARNERS } from "./learners.js";
import { prove } from "./proof.js";
/** @typedef {import("./data.js").Data} Data */
/** @typedef {import("./history.js").Run} Run */
/** @typedef {import("./proof.js").Proof} Proof */
/** @typedef {{runs: Run[], proofs: Proof[]}} Trained */

const AT_ONCE = 40; // milliseconds before the page goes on
const SLICE = 12;

export class Training {
  /**
   * @param {Data} data @param {import("./state.js").Choice[]} learners @param {number} seed
   * @param {(trained: Trained) => void} done @param {(share: number) => void} progress
   */
  constructor(data, learners, seed, done, progress) {
    this.progress = progress;
    this.cancelled = false;
    this.finished = false;
    this.work = this.steps(data, learners, seed, done);
    this.pump(AT_ONCE);
  }

  /** @param {Data} data @param {import("./state.js").Choice[]} learners @param {number} seed @param {(trained: Trained) => void} done @returns {Generator<number, void, void>} */
  *steps(data, learners, seed, done) {
    /** @type {Trained} */ const trained = { runs: [], proofs: [] };
    for (const [i, { name, options }] of learners.entries()) {
      const run = LEARNERS[name].train(data, options, seed);
      for (;;) {
        const step = run.next();
        if (step.done === true) {
          trained.runs.push(step.value);
          break;
        }
        yield (i + Number(step.value)) / learners.length;
      }
    }
    for (const [i, run] of trained.runs.entries()) {
      yield 1;
      trained.proofs.push(prove(data, run, learners[i]));
    }
    this.finished = true;
    done(trained);
  }

  /** @param {number} budget milliseconds */
  pump(budget) {
    const until = performance.now() + budget;
    while (!this.cancelled && !this.finished) {
      const step = this.work.next();
      if (step.done) return;
      if (performance.now() > until) {
        this.progress(Number(step.value));
        setTimeout(() => this.pump(SLICE));
        return;
      }
    }
  }

  cancel() {
    this.cancelled = true;
  }
}
