// Elements and texts. Whatever came from outside becomes a text node, never markup, and steers no line.

const SVG = "http://www.w3.org/2000/svg";

export function make(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

export function draw(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, String(value));
  }
  for (const child of children.flat(Infinity)) {
    element.append(child instanceof Node ? child : document.createTextNode(visible(child)));
  }
  return element;
}

// The rule of discreet/texts.py: what is not visible (controls, marks of direction, zero width) is escaped as there.
export function visible(text) {
  return String(text).replace(/(?! )[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/gu, (one) => {
    const code = one.codePointAt(0);
    const known = { 9: "\\t", 10: "\\n", 13: "\\r" }[code];
    if (known !== undefined) return known;
    const [mark, digits] = code < 0x100 ? ["x", 2] : code < 0x10000 ? ["u", 4] : ["U", 8];
    return `\\${mark}${code.toString(16).padStart(digits, "0")}`;
  });
}

// A table whose first column names its rows.
export function table(caption, headings, rows, kind = "") {
  const head = make("tr", {}, headings.map((text) => make("th", { scope: "col" }, text)));
  const body = rows.map((cells) =>
    make("tr", {}, cells.map((cell, i) => (i === 0 ? make("th", { scope: "row" }, cell) : make("td", {}, cell)))));
  const made = make("table", { class: kind }, make("caption", {}, caption), make("thead", {}, head), make("tbody", {}, body));
  return make("div", { class: "wide", tabindex: "0", role: "region", "aria-label": visible(caption) }, made);
}

// A fraction as a decimal where that is exact, as the commands print it: 1/2 is 0.5, and 1/3 stays.
export function plain(text) {
  const [top, bottom] = text.split("/");
  if (bottom === undefined || text.length > 24) return text;
  for (let places = 1; places < 15; places += 1) {
    const scaled = BigInt(top) * 10n ** BigInt(places);
    if (scaled % BigInt(bottom) === 0n) {
      const digits = String(scaled / BigInt(bottom)).padStart(places + 1, "0");
      return `${digits.slice(0, -places)}.${digits.slice(-places)}`;
    }
  }
  return text;
}

export function facts(pairs) {
  const told = pairs.filter(([, value]) => value !== null && value !== undefined && value !== "");
  return make("dl", {}, told.map(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]));
}
