// Elements and texts. Whatever came from outside becomes a text node, never markup, and steers no line.

const SVG = "http://www.w3.org/2000/svg";

/** @typedef {Node | string | number | readonly any[]} Child What is in lists is of the same kinds. */
/** @typedef {Record<string, string | number | boolean | null | undefined>} Attributes */
/** @typedef {{caption: string, headings: string[], rows: string[][], csv: string}} TableDocument */

/**
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Attributes} [attributes]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function make(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/**
 * @template {keyof SVGElementTagNameMap} K
 * @param {K} tag
 * @param {Attributes} [attributes]
 * @param {...Child} children
 * @returns {SVGElementTagNameMap[K]}
 */
export function draw(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

/**
 * @template {Element} E
 * @param {E} element
 * @param {Attributes} attributes
 * @param {Child[]} children
 * @returns {E}
 */
function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, String(value));
  }
  for (const child of /** @type {(Node | string | number)[]} */ (children.flat(Infinity))) {
    element.append(child instanceof Node ? child : document.createTextNode(visible(child)));
  }
  return element;
}

/**
 * The rule of discreet/arithmetic/texts.py: what is not visible (controls, marks of direction, zero width) is escaped.
 * @param {unknown} text
 */
export function visible(text) {
  return String(text).replace(/(?! )[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/gu, (one) => {
    const code = one.codePointAt(0) ?? 0;
    const known = /** @type {Record<number, string>} */ ({ 9: "\\t", 10: "\\n", 13: "\\r" })[code];
    if (known !== undefined) return known;
    const [mark, digits] = /** @type {[string, number]} */ (code < 0x100 ? ["x", 2] : code < 0x10000 ? ["u", 4] : ["U", 8]);
    return `\\${mark}${code.toString(16).padStart(digits, "0")}`;
  });
}

/**
 * The one element that a selector names; its absence is a mistake of ours.
 * @param {string} selector
 * @param {ParentNode} [within]
 * @returns {HTMLElement}
 */
export function the(selector, within = document) {
  const found = within.querySelector(selector);
  if (!(found instanceof HTMLElement)) throw new Error(`there is no ${selector}`);
  return found;
}

/**
 * A field of a form by its name.
 * @param {HTMLFormElement} form
 * @param {string} name
 * @returns {HTMLInputElement}
 */
export function field(form, name) {
  return /** @type {HTMLInputElement} */ (form.elements.namedItem(name));
}

/** @param {Element} section @returns {HTMLFormElement} */
export function formOf(section) {
  return /** @type {HTMLFormElement} */ (section.querySelector("form"));
}

/**
 * A table whose first column names its rows. `extra` adds a cell to each.
 * @param {TableDocument} document
 * @param {{kind?: string, heading?: string, extra?: (row: number) => Child, steps?: number[][]}} [options] `steps` shade the cells.
 */
export function table(document, { kind = "", heading = "", extra, steps } = {}) {
  const headings = extra ? [...document.headings, heading] : document.headings;
  // The roles are said, because a narrow page shows every row as a block, which some browsers take for no table.
  const head = make("tr", { role: "row" }, headings.map((text) => (
    text ? make("th", { scope: "col", role: "columnheader" }, text) : make("td", { role: "cell" }))));
  /** @param {Child} cell @param {number} j @param {number} i */
  const data = (cell, j, i) => make("td", { role: "cell", "data-heading": visible(headings[j]), class: steps && `heat${steps[i][j - 1]}` }, cell);
  const body = document.rows.map((cells, i) => make("tr", { role: "row" },
    cells.map((cell, j) => (j === 0 ? make("th", { scope: "row", role: "rowheader" }, cell) : data(cell, j, i))),
    extra ? data(extra(i), cells.length, i) : []));
  const made = make("table", { class: kind, role: "table" }, make("caption", {}, document.caption),
    make("thead", { role: "rowgroup" }, head), make("tbody", { role: "rowgroup" }, body));
  return make("div", { class: "wide", tabindex: "0", role: "region", "aria-label": visible(document.caption) }, made);
}

/** @param {[string, Child][]} pairs */
export function facts(pairs) {
  return make("dl", {}, pairs.filter(([, value]) => value !== "").map(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]));
}

/**
 * @param {string} text
 * @param {() => unknown} press
 * @param {Attributes} [attributes]
 */
export function button(text, press, attributes = {}) {
  const made = make("button", { type: "button", class: "quiet", ...attributes }, text);
  made.addEventListener("click", press);
  return made;
}

/**
 * The names on the lines of a text. Blanks around them are no part of them.
 * @param {string} text
 */
export function lines(text) {
  return text.split("\n").map((line) => line.trim()).filter((line) => line !== "");
}
