// @ts-check
// Is there a line with one class strictly on each side? Exactly if the two convex hulls have no point in common. All
// decisions are made on whole numbers: the answer is a proof, not an estimate.

import { asWhole, fraction, ratio } from "./exact.js";

/** @typedef {{row: number, u: number, v: number}} Corner @typedef {Corner & {x: bigint, y: bigint}} Point with whole coordinates */
/**
 * @typedef {object} Verdict
 * @property {boolean} separable
 * @property {number[][]} hulls rows of each class's hull, counter-clockwise
 * @property {{point: [number, number], rows: number[], weights: string[]}} [witness] a point of both hulls as a mix of each class's rows
 * @property {{rows: number[], distance: number}} [gap] the nearest points of the hulls
 */

/** Twice the signed area of a triangle, as a sign: in doubles, and exactly where rounding could decide. @param {Corner} a @param {Corner} b @param {Corner} c */
function turn(a, b, c) {
  const left = (b.u - a.u) * (c.v - a.v), right = (b.v - a.v) * (c.u - a.u), quick = left - right;
  if (Math.abs(quick) > 1e-14 * (Math.abs(left) + Math.abs(right))) return Math.sign(quick);
  const [ax, ay, bx, by, cx, cy] = asWhole([a.u, a.v, b.u, b.v, c.u, c.v]).whole;
  return sign((bx - ax) * (cy - ay) - (by - ay) * (cx - ax));
}
/** @param {bigint} value */
const sign = (value) => (value > 0n ? 1 : value < 0n ? -1 : 0);

/** The corners of the hull, counter-clockwise, without points on its edges (Andrew's chains). @param {Corner[]} points */
function hull(points) {
  const sorted = points.slice().sort((a, b) => a.u - b.u || a.v - b.v);
  const unique = sorted.filter((p, i) => !i || p.u !== sorted[i - 1].u || p.v !== sorted[i - 1].v);
  if (unique.length < 3) return unique;
  const chain = (/** @type {Corner[]} */ list) => {
    /** @type {Corner[]} */ const kept = [];
    for (const p of list) {
      while (kept.length > 1 && turn(kept[kept.length - 2], kept[kept.length - 1], p) <= 0) kept.pop();
      kept.push(p);
    }
    return kept.slice(0, -1);
  };
  return [...chain(unique), ...chain(unique.reverse())];
}

/** The edges of a hull; a point is an edge of length 0. @param {Point[]} h @returns {Array<[Point, Point]>} */
const edges = (h) => (h.length < 3 ? [[h[0], h[h.length - 1]]] : h.map((p, i) => [p, h[(i + 1) % h.length]]));

/** Weights (a, b, c) ≥ 0 that make p a mix of a triangle's corners, over their sum. @param {Point} p @param {Point[]} t */
function mixIn(p, t) {
  const area = (/** @type {Point} */ a, /** @type {Point} */ b, /** @type {Point} */ c) => (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
  const weights = [area(p, t[1], t[2]), area(t[0], p, t[2]), area(t[0], t[1], p)];
  return { weights, sum: weights[0] + weights[1] + weights[2] };
}

/** A common point of two hulls, or null. @param {Point[]} first @param {Point[]} second */
function common(first, second) {
  for (const [own, other] of [[first, second], [second, first]]) {
    if (other.length < 3) continue;
    for (const p of own) {
      if (edges(other).some(([a, b]) => turn(a, b, p) < 0)) continue;
      for (let k = 1; k + 1 < other.length; k++) { // a fan of triangles covers the hull
        const corners = [other[0], other[k], other[k + 1]], { weights, sum } = mixIn(p, corners);
        if (weights.some((w) => w < 0n)) continue;
        const used = corners.map((c, i) => ({ row: c.row, weight: fraction(weights[i], sum) })).filter((each) => each.weight !== "0");
        return { point: p, place: null, parts: [{ row: p.row, weight: "1" }, ...used] };
      }
    }
  }
  for (const [a, b] of edges(first)) for (const [c, e] of edges(second)) {
    const found = crossing(a, b, c, e);
    if (found) return found;
  }
  return null;
}

/** Where two segments meet. @param {Point} a @param {Point} b @param {Point} c @param {Point} e */
function crossing(a, b, c, e) {
  const sides = [turn(a, b, c), turn(a, b, e), turn(c, e, a), turn(c, e, b)];
  if (sides[0] * sides[1] > 0 || sides[2] * sides[3] > 0) return null;
  const [dx, dy, fx, fy] = [b.x - a.x, b.y - a.y, e.x - c.x, e.y - c.y], across = dx * fy - dy * fx;
  if (across === 0n) return touching(a, b, c, e) ?? touching(c, e, a, b);
  const s = (c.x - a.x) * fy - (c.y - a.y) * fx, t = (c.x - a.x) * dy - (c.y - a.y) * dx;
  const share = (/** @type {Point} */ p, /** @type {Point} */ q, /** @type {bigint} */ part) => [
    { row: p.row, weight: fraction(across - part, across) }, { row: q.row, weight: fraction(part, across) },
  ].filter((each) => each.weight !== "0");
  return { point: null, place: [a.x * across + s * dx, a.y * across + s * dy, across], parts: [...share(a, b, s), ...share(c, e, t)] };
}

/** An end of the second segment on the first, where they are parallel. @param {Point} a @param {Point} b @param {Point} c @param {Point} e */
function touching(a, b, c, e) {
  for (const p of [c, e]) {
    const dx = b.x - a.x, dy = b.y - a.y, whole = dx * dx + dy * dy, along = (p.x - a.x) * dx + (p.y - a.y) * dy;
    if (dx * (p.y - a.y) - dy * (p.x - a.x) !== 0n || along < 0n || along > whole) continue;
    if (whole === 0n) {
      if (p.x === a.x && p.y === a.y) return { point: p, place: null, parts: [{ row: p.row, weight: "1" }, { row: a.row, weight: "1" }] };
      continue;
    }
    const parts = [{ row: a.row, weight: fraction(whole - along, whole) }, { row: b.row, weight: fraction(along, whole) }];
    return { point: p, place: null, parts: [{ row: p.row, weight: "1" }, ...parts.filter((each) => each.weight !== "0")] };
  }
  return null;
}

/** The distance of a point to a segment, squared, as a fraction, and the rows it depends on. @param {Point} p @param {Point} a @param {Point} b */
function reach(p, a, b) {
  const dx = b.x - a.x, dy = b.y - a.y, whole = dx * dx + dy * dy, along = (p.x - a.x) * dx + (p.y - a.y) * dy;
  if (along <= 0n || along >= whole) {
    const near = along <= 0n ? a : b;
    return { top: (p.x - near.x) ** 2n + (p.y - near.y) ** 2n, low: 1n, rows: [p.row, near.row] };
  }
  return { top: ((p.x - a.x) * dy - (p.y - a.y) * dx) ** 2n, low: whole, rows: [p.row, a.row, b.row] };
}

/**
 * Decide whether a line separates two classes in the plane.
 * @param {ArrayLike<number>} X x and y of each row, one after the other @param {ArrayLike<number>} y 0 or 1 @param {ArrayLike<number>} [rows]
 * @returns {Verdict}
 */
export function separate(X, y, rows = Array.from({ length: y.length }, (_, i) => i)) {
  const classes = [/** @type {Corner[]} */ ([]), /** @type {Corner[]} */ ([])];
  for (const i of Array.from(rows)) classes[y[i]].push({ row: i, u: X[2 * i], v: X[2 * i + 1] });
  const corners = classes.map((points) => hull(points)), hulls = corners.map((h) => h.map((p) => p.row));
  const { whole, shift } = asWhole(corners.flat().flatMap((p) => [p.u, p.v]));
  const [first, second] = corners.map((h, k) => h.map((p, i) => {
    const at = 2 * (i + (k ? corners[0].length : 0));
    return { ...p, x: whole[at], y: whole[at + 1] };
  }));
  if (!first.length || !second.length) return { separable: true, hulls };
  const meet = common(first, second), unit = 1n << BigInt(shift);
  if (meet) {
    const place = meet.place ?? [meet.point?.x ?? 0n, meet.point?.y ?? 0n, 1n];
    const point = /** @type {[number, number]} */ ([ratio(place[0], place[2] * unit), ratio(place[1], place[2] * unit)]);
    return { separable: false, hulls, witness: { point, rows: meet.parts.map((p) => p.row), weights: meet.parts.map((p) => p.weight) } };
  }
  const ways = [];
  for (const [own, other] of [[first, second], [second, first]]) for (const p of own) for (const [a, b] of edges(other)) ways.push(reach(p, a, b));
  const nearest = ways.reduce((best, way) => (way.top * best.low < best.top * way.low ? way : best));
  return { separable: true, hulls, gap: { rows: nearest.rows, distance: Math.sqrt(ratio(nearest.top, nearest.low * unit * unit)) } };
}
