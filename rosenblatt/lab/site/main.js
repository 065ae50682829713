// @ts-check
// The beginning: start the page, and give the console and the tests what it is made of.

import { App } from "./app.js";
import { LEARNERS, filled, train } from "./learners.js";
import { Orders, firstNumber } from "./rng.js";
import { separate } from "./separability.js";
import { mistakeBound, theorem } from "./bound.js";
import { SETS, fromPoints, keepDigits, points, split } from "./data.js";
import { errorsAt, wrongAt } from "./history.js";
import { neuronStep, newtonStep } from "./solvers.js";
import { columns, decode, parse, toCsv, toPoints } from "./csv.js";
import { fromFragment, fromText, newState, toFragment, toText } from "./state.js";
import { script } from "./python.js";
import { S } from "./strings.js";

/** @param {string} packed base64 of pixels @param {number} each */
function digits(packed, each) {
  keepDigits({ pixels: Uint8Array.from(atob(packed), (c) => c.charCodeAt(0)), each });
}

const core = { LEARNERS, S, SETS, Orders, columns, decode, errorsAt, filled, firstNumber, fromFragment, fromPoints, fromText, mistakeBound, neuronStep, newState, newtonStep, parse, points, script, separate, split, theorem, toCsv, toFragment, toPoints, toText, train, wrongAt };
Object.assign(globalThis, { lab: { core, digits } });
Object.assign(/** @type {any} */ (globalThis).lab, { app: new App() });
document.body.dataset.ready = "yes";
