// What a reader takes along: files, and texts on the clipboard.

import { button, make, visible } from "./dom.js";

const STYLED = ["fill", "stroke", "stroke-width", "stroke-linecap", "stroke-dasharray", "font-size", "font-family", "font-weight", "opacity"];

/** @param {Blob} blob @param {string} name */
function save(blob, name) {
  const link = make("a", { href: URL.createObjectURL(blob), download: visible(name) });
  document.body.append(link); // Firefox follows only what is in the page
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** @param {string} text @param {string} name @param {string} type */
export function saveText(text, name, type) {
  save(new Blob([text], { type }), name);
}

/**
 * A chart as a file of its own: its styles are written into it, in the colours of paper.
 * @param {SVGSVGElement} chart
 */
function drawing(chart) {
  document.documentElement.classList.add("paper");
  const copy = /** @type {SVGSVGElement} */ (chart.cloneNode(true));
  const own = [chart, ...chart.querySelectorAll("*")];
  const copied = [copy, ...copy.querySelectorAll("*")];
  own.forEach((element, i) => {
    const styles = getComputedStyle(element);
    for (const name of STYLED) copied[i].setAttribute(name, styles.getPropertyValue(name));
  });
  document.documentElement.classList.remove("paper");
  const { width, height } = chart.viewBox.baseVal;
  copy.setAttribute("width", String(width));
  copy.setAttribute("height", String(height));
  return { text: new XMLSerializer().serializeToString(copy), width, height };
}

/** @param {SVGSVGElement} chart @param {string} name */
function saveSvg(chart, name) {
  saveText(drawing(chart).text, `${name}.svg`, "image/svg+xml");
}

/** @param {SVGSVGElement} chart @param {string} name */
async function savePng(chart, name) {
  const { text, width, height } = drawing(chart);
  const picture = new Image();
  const address = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  picture.src = address;
  await picture.decode();
  const canvas = make("canvas", { width: 2 * width, height: 2 * height });
  const paint = canvas.getContext("2d");
  if (paint) {
    paint.fillStyle = "white";
    paint.fillRect(0, 0, canvas.width, canvas.height);
    paint.drawImage(picture, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => blob && save(blob, `${name}.png`), "image/png");
  }
  URL.revokeObjectURL(address);
}

/**
 * The buttons below a picture.
 * @param {HTMLElement} figure
 * @param {string} csv
 * @param {string} title
 */
export function saveButtons(figure, csv, title) {
  const name = title.replace(/[^\p{L}\p{N}]+/gu, "-").slice(0, 60) || "picture";
  const chart = /** @type {SVGSVGElement} */ (figure.querySelector("svg"));
  return make("p", { class: "saves" },
    button("PNG", () => savePng(chart, name), { "aria-label": visible(`Save ${title} as PNG`) }),
    button("SVG", () => saveSvg(chart, name), { "aria-label": visible(`Save ${title} as SVG`) }),
    button("CSV", () => saveText(csv, `${name}.csv`, "text/csv"), { "aria-label": visible(`Save ${title} as CSV`) }));
}

/**
 * A text to paste elsewhere, with a button that copies it.
 * @param {string} heading
 * @param {string} text
 */
export function copyable(heading, text) {
  const words = make("p", { class: "copied" }, text);
  const copy = button("Copy", async () => {
    try {
      await navigator.clipboard.writeText(text);
      copy.textContent = "Copied";
    } catch {
      getSelection()?.selectAllChildren(words); // the browser may not let us: then it is selected
      copy.textContent = "Selected";
    }
  }, { "aria-label": visible(`Copy: ${heading}`) });
  return make("div", { class: "copyable" }, make("h4", {}, heading), words, copy);
}
