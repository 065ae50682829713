// @ts-check
// Scores on a grid over the picture: the smooth field of confidence, and the curve where the answer changes.

/** @typedef {import("./history.js").Answer} Answer */

/**
 * Scores on side × side places, top row first.
 * @param {Answer} answer @param {number} outputs @param {[number, number, number, number]} view x0, x1, y0, y1 @param {number} columns @param {number} rows
 */
export function grid(answer, outputs, view, columns, rows) {
  const values = new Float64Array(columns * rows * outputs), x = new Float64Array(2), out = new Float64Array(outputs);
  for (let r = 0; r < rows; r++) {
    x[1] = view[3] + ((view[2] - view[3]) * r) / (rows - 1);
    for (let c = 0; c < columns; c++) {
      x[0] = view[0] + ((view[1] - view[0]) * c) / (columns - 1);
      answer(x, 0, out);
      values.set(out, (r * columns + c) * outputs);
    }
  }
  return values;
}

/** Of several classes, how far class k is ahead of the best other; of two, the score itself. @param {Float64Array} values @param {number} outputs @param {number} k */
export function lead(values, outputs, k) {
  if (outputs === 1) return values;
  return Float64Array.from({ length: values.length / outputs }, (_, i) => {
    let other = -Infinity;
    for (let j = 0; j < outputs; j++) if (j !== k) other = Math.max(other, values[i * outputs + j]);
    return values[i * outputs + k] - other;
  });
}

const HALVINGS = 4;

/**
 * The zero line of values on a grid as an SVG path, by marching squares.
 * @param {Float64Array} v @param {number} columns @param {number} rows @param {number} width @param {number} height
 * @param {(column: number, row: number) => number} [at] the value between places of the grid, where it is far from linear
 */
export function contour(v, columns, rows, width, height, at) {
  const dx = width / (columns - 1), dy = height / (rows - 1), parts = [];
  const cut = (/** @type {number} */ a, /** @type {number} */ b, /** @type {number} */ c, /** @type {number} */ r, across = true) => {
    let low = 0, high = 1;
    for (let k = 0; at && k < HALVINGS; k++) {
      const middle = (low + high) / 2, value = across ? at(c + middle, r) : at(c, r + middle);
      if (value >= 0 === a >= 0) (low = middle), (a = value);
      else (high = middle), (b = value);
    }
    return low + ((high - low) * a) / (a - b);
  };
  for (let r = 0; r + 1 < rows; r++) for (let c = 0; c + 1 < columns; c++) {
    const i = r * columns + c, a = v[i], b = v[i + 1], d = v[i + columns], e = v[i + columns + 1], ends = [];
    if (a >= 0 !== b >= 0) ends.push([c + cut(a, b, c, r), r]);
    if (b >= 0 !== e >= 0) ends.push([c + 1, r + cut(b, e, c + 1, r, false)]);
    if (d >= 0 !== e >= 0) ends.push([c + cut(d, e, c, r + 1), r + 1]);
    if (a >= 0 !== d >= 0) ends.push([c, r + cut(a, d, c, r, false)]);
    for (let k = 0; k + 1 < ends.length; k += 2) parts.push(`M${(ends[k][0] * dx).toFixed(1)} ${(ends[k][1] * dy).toFixed(1)}L${(ends[k + 1][0] * dx).toFixed(1)} ${(ends[k + 1][1] * dy).toFixed(1)}`);
  }
  return parts.join("");
}

/** An image of the field: the colour of the leading class, stronger where it leads by more. @param {Float64Array} values @param {number} outputs @param {number} columns @param {number} rows @param {number[][]} colours @param {number} scale */
export function fieldImage(values, outputs, columns, rows, colours, scale) {
  const canvas = document.createElement("canvas"), picture = new ImageData(columns, rows);
  canvas.width = columns;
  canvas.height = rows;
  for (let i = 0; i < columns * rows; i++) {
    let best = 0, ahead = 0;
    if (outputs === 1) (best = values[i] >= 0 ? 1 : 0), (ahead = Math.abs(values[i]));
    else {
      let second = -Infinity;
      for (let k = 0; k < outputs; k++) if (values[i * outputs + k] > values[i * outputs + best]) best = k;
      for (let k = 0; k < outputs; k++) if (k !== best) second = Math.max(second, values[i * outputs + k]);
      ahead = values[i * outputs + best] - second;
    }
    picture.data.set([...colours[best], 255 * strength(ahead / scale)], 4 * i);
  }
  canvas.getContext("2d")?.putImageData(picture, 0, 0);
  return canvas.toDataURL();
}

/** Opacity of the field at a confidence. @param {number} confidence */
export const strength = (confidence) => 0.05 + 0.27 * Math.tanh(1.3 * confidence);
