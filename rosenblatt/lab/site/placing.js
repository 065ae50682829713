// @ts-check
// Where names may stand in a plot: the first place that covers the least of curves and other names.

/** @typedef {{x: number, y: number, width: number, height: number}} Box */

export const OVERLAP = 500; // what covering another name costs; a point of a curve costs 1

/** About the box of a text. @param {string} text @param {number} size of the type @param {number} x @param {number} y of its foot @param {"start" | "middle" | "end"} [anchor] @returns {Box} */
export function textBox(text, size, x, y, anchor = "start") {
  const width = 0.62 * size * text.length;
  return { x: x - (anchor === "end" ? width : anchor === "middle" ? width / 2 : 0), y: y - 0.85 * size, width, height: 1.3 * size };
}

/**
 * The place whose boxes cover the least; of equal ones the first. Its boxes are then taken.
 * @template {{boxes: Box[]}} T
 * @param {T[]} places @param {Box[]} taken @param {number[][]} curve points that a name should not cover @param {Box} frame beyond which it should not reach
 * @param {number} [most] null where every place covers as much
 * @returns {T | null}
 */
export function freest(places, taken, curve, frame, most = Infinity) {
  /** @type {T | null} */ let best = null;
  let least = most;
  for (const [i, place] of places.entries()) {
    let cost = 2 * i; // the first are the nearest to what they name
    for (const { x, y, width, height } of place.boxes) {
      for (const t of taken) if (x < t.x + t.width && t.x < x + width && y < t.y + t.height && t.y < y + height) cost += OVERLAP;
      for (const [a, b] of curve) if (a > x && a < x + width && b > y && b < y + height) cost++;
      if (x < frame.x || y < frame.y || x + width > frame.x + frame.width || y + height > frame.y + frame.height) cost += 4 * OVERLAP;
    }
    if (cost < least) (least = cost), (best = place);
  }
  if (best) taken.push(...best.boxes);
  return best;
}
