// @ts-check
// Formulas as MathML from one line of text: letters are variables, words are text, _ and ^ take a letter or {…}, [a; b] is a column.

const NS = "http://www.w3.org/1998/Math/MathML";

/** @param {string} tag @param {...(Node | string)} children */
function m(tag, ...children) {
  const made = document.createElementNS(NS, tag);
  made.append(...children);
  return made;
}

/** @param {string} text @returns {Element} a math element that says the text to those who listen */
export function math(text) {
  const made = m("math", row(text));
  made.setAttribute("aria-label", text.replace(/\s+/g, " "));
  return made;
}

/** @param {string} text */
function row(text) {
  /** @type {Element[]} */ const parts = [];
  const tokens = text.match(/\[[^\]]*\]|\{[^}]*\}|[_^]|[\d.,]*\d|[a-zA-Z]{2,}|\w̄|\p{L}|\s{2,}|[^\s]/gu) ?? [];
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i];
    if ((token === "_" || token === "^") && parts.length) {
      const base = /** @type {Element} */ (parts.pop()), next = tokens[++i] ?? "";
      parts.push(m(token === "_" ? "msub" : "msup", base, row(next.startsWith("{") ? next.slice(1, -1) : next)));
    } else parts.push(atom(token));
  }
  return m("mrow", ...parts);
}

/** A column of numbers in brackets. @param {string[]} cells */
function column(cells) {
  const table = m("mtable", ...cells.map((cell) => m("mtr", m("mtd", row(cell)))));
  return m("mrow", m("mo", "("), table, m("mo", ")"));
}

/** @param {string} token */
function atom(token) {
  if (/^\s/.test(token)) {
    const space = m("mspace");
    space.setAttribute("width", "0.7em");
    return space;
  }
  if (token.startsWith("[") && token.length > 1) return column(token.slice(1, -1).split(";"));
  if (/^[\d.,]*\d$/.test(token)) return m("mn", token);
  if (/^\p{L}\u0304$/u.test(token)) {
    const over = m("mover", m("mi", token[0]), m("mo", "¯"));
    over.setAttribute("accent", "true");
    return over;
  }
  if (/^(max|log|sign|min)$/.test(token)) return m("mi", token);
  if (/^[a-zA-Z]{2,}$/.test(token)) return m("mtext", token === "if" || token === "of" || token === "the" || token === "with" ? `\u00a0${token}\u00a0` : `${token}\u00a0`);
  if (/^\p{L}$/u.test(token)) return m("mi", token);
  const sign = m("mo", token);
  if ("()‖".includes(token)) sign.setAttribute("stretchy", "false"); // before a power only one of a pair would grow
  return sign;
}
