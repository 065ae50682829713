// @ts-check
// The picture as it is on the screen, as SVG or PNG.

import { el, download } from "./dom.js";

const STYLES = ["fill", "stroke", "stroke-width", "stroke-dasharray", "opacity", "fill-opacity", "stroke-opacity", "font-family", "font-size", "font-style", "font-weight", "text-anchor", "stop-color", "stroke-linejoin", "stroke-linecap", "display", "paint-order"];

/** The pictures side by side as one SVG text, with all styles written out. @param {SVGSVGElement[]} pictures */
export function asSvg(pictures) {
  const boxes = pictures.map((each) => each.getBoundingClientRect()), width = boxes.reduce((sum, box) => sum + box.width, 0), height = Math.max(...boxes.map((box) => box.height));
  const page = el("svg", { xmlns: "http://www.w3.org/2000/svg", width, height, viewBox: `0 0 ${width} ${height}` });
  page.append(el("rect", { width, height, fill: getComputedStyle(document.documentElement).getPropertyValue("--card").trim() || "#fff" }));
  let left = 0;
  pictures.forEach((picture, i) => {
    const copy = /** @type {SVGSVGElement} */ (picture.cloneNode(true)), from = [...picture.querySelectorAll("*")], to = [...copy.querySelectorAll("*")];
    from.forEach((element, k) => {
      const style = getComputedStyle(element);
      to[k].setAttribute("style", STYLES.map((name) => `${name}:${style.getPropertyValue(name)}`).join(";"));
    });
    for (const name of ["class", "tabindex", "role", "aria-label", "style"]) copy.removeAttribute(name);
    for (const [name, value] of [["x", left], ["y", 0], ["width", boxes[i].width], ["height", boxes[i].height]]) copy.setAttribute(String(name), String(value));
    page.append(copy);
    left += boxes[i].width;
  });
  return { text: new XMLSerializer().serializeToString(page), width, height };
}

/** @param {SVGSVGElement[]} pictures */
export function saveSvg(pictures) {
  download("perceptron.svg", asSvg(pictures).text, "image/svg+xml");
}

/** @param {SVGSVGElement[]} pictures @returns {Promise<void>} */
export async function savePng(pictures) {
  const { text, width, height } = asSvg(pictures), image = new Image(), canvas = document.createElement("canvas");
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  canvas.width = 2 * width;
  canvas.height = 2 * height;
  canvas.getContext("2d")?.drawImage(image, 0, 0, 2 * width, 2 * height);
  const blob = await new Promise((/** @type {(b: Blob | null) => void} */ done) => canvas.toBlob(done, "image/png"));
  if (blob) download("perceptron.png", blob);
}
