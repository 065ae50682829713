// @ts-check
// Elements in one line, and files for the reader.

const SVG = "http://www.w3.org/2000/svg";
const TAGS = new Set(["svg", "g", "line", "path", "circle", "rect", "text", "image", "defs", "linearGradient", "stop", "polygon", "clipPath", "title", "marker", "tspan", "use"]);

/**
 * An element with attributes and children; `onclick` and other functions become listeners.
 * @param {string} tag @param {{[name: string]: any}} [attributes] @param {...any} children @returns {any}
 */
export function el(tag, attributes = {}, ...children) {
  const made = TAGS.has(tag) ? document.createElementNS(SVG, tag) : document.createElement(tag);
  set(made, attributes);
  made.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return made;
}

/** Set attributes; null removes one. @param {Element} element @param {{[name: string]: any}} attributes */
export function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (value === null || value === undefined || value === false) element.removeAttribute(name);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
}

/** @param {string} id @returns {any} */
export const byId = (id) => document.getElementById(id);

/** Put text in place only where it differs. @param {Element} element @param {string} text */
export function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Give the reader a file. @param {string} name @param {Blob | string} content @param {string} [type] */
export function download(name, content, type = "text/plain") {
  const blob = typeof content === "string" ? new Blob([content], { type: `${type};charset=utf-8` }) : content;
  const url = URL.createObjectURL(blob), link = el("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}
