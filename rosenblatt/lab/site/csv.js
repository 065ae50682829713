// @ts-check
// A table of one's own: text to columns, columns to points.

import { S, say } from "./strings.js";
import { MOST_POINTS } from "./state.js";

/** Bytes as text: UTF-8, or Latin-1 where they are not. @param {ArrayBuffer} bytes */
export function decode(bytes) {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("latin1").decode(bytes);
  }
}

/** The rows of a table with quotes; the separator is the one that the first line has most of. @param {string} text */
export function parse(text) {
  const first = text.slice(0, text.search(/\r?\n|$/)), comma = [",", ";", "\t"].reduce((best, each) => (first.split(each).length > first.split(best).length ? each : best));
  /** @type {string[][]} */ const rows = [];
  /** @type {string[]} */ let row = [];
  let i = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  const end = text.length;
  while (i <= end) {
    let cell = "";
    if (text[i] === '"') {
      for (i++; i < end; ) { // a quote that is never closed ends with the text
        const next = text.indexOf('"', i);
        cell += text.slice(i, next < 0 ? end : next);
        i = next < 0 ? end : next + 1;
        if (text[i] !== '"') break;
        cell += '"';
        i++;
      }
    }
    let stop = i;
    while (stop < end && text[stop] !== comma && text[stop] !== "\n" && text[stop] !== "\r") stop++;
    row.push(cell + text.slice(i, stop));
    if (stop >= end || text[stop] !== comma) {
      if (row.length > 1 || row[0].trim()) rows.push(row);
      row = [];
      if (rows.length > MOST_POINTS + 1) throw new Error(say(S.csv.large, { n: MOST_POINTS.toLocaleString("en-US") }));
      if (text[stop] === "\r" && text[stop + 1] === "\n") stop++;
      if (stop >= end) break;
    }
    i = stop + 1;
  }
  return rows;
}

/** @param {string} cell */
const asNumber = (cell) => (cell === undefined || cell.trim() === "" ? NaN : Number(cell.trim()));

/**
 * What the columns can be: names, which are numbers, and which are classes.
 * @param {string[][]} rows
 */
export function columns(rows) {
  if (rows.length < 2) throw new Error(S.csv.empty);
  const headed = rows[0].some((cell) => Number.isNaN(asNumber(cell))), body = headed ? rows.slice(1) : rows;
  const names = rows[0].map((cell, j) => (headed && cell.trim() ? cell.trim() : say(S.column, { j: j + 1 })));
  const numbers = [], classes = [];
  for (let j = 0; j < names.length; j++) {
    let fine = 0, filled = 0;
    const seen = new Set();
    for (const row of body) {
      const cell = (row[j] ?? "").trim();
      if (!cell) continue;
      filled++;
      if (Number.isFinite(asNumber(cell))) fine++;
      if (seen.size < 4) seen.add(cell);
    }
    if (filled && fine >= 0.9 * filled) numbers.push(j);
    if (seen.size === 2 || seen.size === 3) classes.push(j);
  }
  if (numbers.length < 2) throw new Error(S.csv.noNumbers);
  if (!classes.length) throw new Error(S.csv.noClass);
  return { names, body, numbers, classes };
}

/** @param {ReturnType<typeof columns>} table @param {number} across @param {number} up @param {number} side */
export function toPoints(table, across, up, side) {
  /** @type {string[]} */ const names = [];
  /** @type {number[][]} */ const points = [];
  let skipped = 0;
  for (const row of table.body) {
    const x = asNumber(row[across]), y = asNumber(row[up]), name = (row[side] ?? "").trim();
    if (!Number.isFinite(x) || !Number.isFinite(y) || Math.abs(x) > 1e6 || Math.abs(y) > 1e6 || !name) {
      skipped++;
      continue;
    }
    let code = names.indexOf(name);
    if (code < 0) code = names.push(name) - 1;
    points.push([x, y, code]);
  }
  return { points, names, skipped, axes: /** @type {[string, string]} */ ([table.names[across], table.names[up]]) };
}

/** @param {import("./data.js").Data} data */
export function toCsv(data) {
  const quote = (/** @type {any} */ v) => (/[",;\n\r\t]/.test(String(v)) ? `"${String(v).replaceAll('"', '""')}"` : String(v));
  const plain = data.names[0] === "−1", lines = [[...(data.axes[0] === "x₁" ? ["x1", "x2"] : data.axes), "class"]];
  for (let i = 0; i < data.n; i++) lines.push([String(data.plane[2 * i]), String(data.plane[2 * i + 1]), plain ? ["-1", "1"][data.y[i]] : data.names[data.y[i]]]);
  return lines.map((line) => line.map(quote).join(",")).join("\n") + "\n";
}
