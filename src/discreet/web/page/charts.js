// Pictures: intervals on an axis, errors of mechanisms, two laws beside each other. All fit the width that there is.

import { draw, make, visible } from "./dom.js";

/** @typedef {[number, number, number]} Ends */
/** @typedef {{name: string, aware: Ends | null, plain: Ends | null}} Line */
/** @typedef {{title: string, axis: string, scale: "share" | "points" | "ratio" | "amount", lines: Line[], text: string,
 *   ends: [number, number] | null}} Intervals */
/** @typedef {{name: string, setting: string, mean: number, high: number, worst: number | null, best: boolean}} MechanismError */
/** @typedef {{people: number, yes: [number, number], outputs: number[], laws: number[][], title: string, text: string}} Neighbours */
/** @typedef {[number, string]} Tick */

const RIGHT = 16;
const TOP = 10;
const BELOW = 44;

/**
 * A figure that is drawn again whenever its width changes.
 * @param {string} title
 * @param {string} text
 * @param {(width: number) => {height: number, parts: import("./dom.js").Child}} paint
 */
function frame(title, text, paint) {
  const picture = draw("svg", { role: "img", "aria-label": visible(`${title}. ${text}`) });
  const figure = make("figure", {}, picture, make("figcaption", {}, text));
  let last = 0;
  /** @param {number} width */
  const paintAt = (width) => {
    if (width === last) return;
    last = width;
    const { height, parts } = paint(width);
    picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
    picture.replaceChildren(draw("g", {}, parts));
  };
  paintAt(700);
  new ResizeObserver(() => {
    if (figure.clientWidth) paintAt(Math.max(260, Math.min(figure.clientWidth, 900)));
  }).observe(figure);
  return figure;
}

/** @param {string} text @param {number} length */
function shortened(text, length) {
  const signs = [...visible(text)];
  return signs.length > length ? `${signs.slice(0, length - 1).join("")}…` : signs.join("");
}

/**
 * Names stand left of their rows where there is room, and above them where there is not.
 * @param {string[]} names
 * @param {number} width
 */
function layout(names, width) {
  const longest = Math.max(...names.map((name) => [...visible(name)].length), 1);
  const wide = width >= 520;
  const left = wide ? Math.min(Math.max(60, 7.2 * longest + 16), 220) : 12;
  return { wide, left, row: wide ? 34 : 46, letters: wide ? 28 : Math.floor((width - 24) / 7.2) };
}

/**
 * @param {{wide: boolean, left: number, letters: number}} at
 * @param {string} name
 * @param {number} y
 */
function label(at, name, y) {
  const place = at.wide ? { x: at.left - 10, y: y + 4, "text-anchor": "end" } : { x: at.left, y: y - 14 };
  return draw("text", { class: "name", ...place }, shortened(name, at.letters));
}

/**
 * @param {Tick[]} ticks
 * @param {(value: number) => number} place
 * @param {number} bottom
 * @param {string} name
 * @param {number} middle
 */
function axis(ticks, place, bottom, name, middle) {
  return [
    ticks.map(([value, text]) => [
      draw("line", { class: "grid", x1: place(value), x2: place(value), y1: TOP, y2: bottom }),
      draw("text", { class: "tick", x: place(value), y: bottom + 16, "text-anchor": "middle" }, text),
    ]),
    draw("text", { class: "axis", x: middle, y: bottom + 36, "text-anchor": "middle" }, name),
  ];
}

/**
 * Round numbers from low to high, about so many.
 * @param {number} low
 * @param {number} high
 * @param {number} about
 */
function round(low, high, about) {
  const rough = (high - low) / about;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((digit) => digit * power).find((each) => each >= rough) ?? 10 * power;
  const found = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; i += 1) found.push(i * step);
  return found;
}

/**
 * The axis of a picture: its ends, its ticks, and where a value lies between 0 and 1.
 * @param {Intervals} picture
 * @param {number} about
 * @returns {{ticks: Tick[], at: (value: number) => number}}
 */
function scaled({ scale, lines, ends }, about) {
  const values = lines.flatMap((line) => [...(line.aware ?? []), ...(line.plain ?? [])]).filter(Number.isFinite);
  if (scale === "ratio") {
    const logs = values.filter((value) => value > 0).map(Math.log);
    const low = Math.min(0, ...logs) - 0.1;
    const high = Math.max(0, ...logs) + 0.1;
    const choices = [1, 2, 5].flatMap((digit) => Array.from({ length: 25 }, (_, i) => digit * 10 ** (i - 12)));
    const inside = choices.filter((value) => Math.log(value) >= low && Math.log(value) <= high).sort((a, b) => a - b);
    const every = Math.ceil(inside.length / (about + 1));
    const kept = inside.filter((value, i) => value === 1 || (inside.indexOf(1) - i) % every === 0);
    return { ticks: kept.map((value) => [value, String(Number(value.toPrecision(2)))]), at: (value) => (Math.log(value) - low) / (high - low) };
  }
  if (scale === "amount") {
    const low = Math.min(...values) > 0.5 * Math.max(...values) ? 0.9 * Math.min(...values) : 0;
    const high = 1.04 * Math.max(...values);
    return { ticks: round(low, high, about).map((value) => [value, value.toLocaleString("en")]), at: (value) => (value - low) / (high - low) };
  }
  const least = scale === "share" ? 0 : Math.min(0, ...values);
  const most = scale === "share" ? Math.max(...values, 0) : Math.max(0, ...values);
  const edge = 0.04 * (most - least || 1);
  const [low, high] = ends ?? [scale === "share" ? 0 : least - edge, scale === "share" ? Math.min(1, most + edge) : most + edge];
  const unit = scale === "share" ? " %" : "";
  return {
    ticks: round(100 * low, 100 * high, about).map((value) => [value / 100, `${Number(value.toPrecision(4))}${unit}`]),
    at: (value) => (value - low) / (high - low),
  };
}

/** @param {Intervals} picture */
export function intervalChart(picture) {
  return frame(picture.title, picture.text, (width) => {
    const at = layout(picture.lines.map((line) => line.name), width);
    const start = TOP + (at.wide ? 0 : 14);
    const bottom = start + at.row * picture.lines.length;
    const { ticks, at: share } = scaled(picture, width < 520 ? 4 : 7);
    /** @param {number} value */
    const place = (value) => at.left + Math.min(1, Math.max(0, share(value))) * (width - at.left - RIGHT);
    const zero = picture.scale === "points" ? 0 : picture.scale === "ratio" ? 1 : null;
    const rows = picture.lines.map((line, i) => {
      const y = start + at.row * (i + 0.5) + (at.wide ? 0 : 6);
      return [
        label(at, line.name, y),
        line.aware ? draw("line", { class: "aware", x1: place(line.aware[0]), x2: place(line.aware[2]), y1: y - 3, y2: y - 3 }) : [],
        line.plain ? draw("line", { class: "plug", x1: place(line.plain[0]), x2: place(line.plain[2]), y1: y + 6, y2: y + 6 }) : [],
        line.aware ? draw("circle", { class: "dot best", cx: place(line.aware[1]), cy: y - 3, r: 5 }) : [],
      ];
    });
    const line = zero === null ? [] : draw("line", { class: "zero", x1: place(zero), x2: place(zero), y1: TOP, y2: bottom });
    const name = shortened(picture.axis, Math.floor(width / 7));
    return { height: bottom + BELOW, parts: [axis(ticks, place, bottom, name, width / 2), line, rows] };
  });
}

/** @param {MechanismError[]} rows What is not known is null. */
export function errorChart(rows) {
  const known = rows.flatMap((row) => [row.mean, row.high, row.worst ?? 0]).filter((value) => value > 0);
  if (known.length === 0) return make("p", {}, "No mechanism has an error to show.");
  const low = Math.floor(Math.log10(Math.min(...known)));
  const high = Math.max(Math.ceil(Math.log10(Math.max(...known))), low + 1);
  const title = "Errors of the mechanisms";
  const text = "Dot: mean error. Line: to the error that 95 % of releases stay below. Tick: mean for the worst data set.";
  return frame(title, text, (width) => {
    const at = layout(rows.map((row) => `${row.name}, ${row.setting}`), width);
    const start = TOP + (at.wide ? 0 : 14);
    const bottom = start + at.row * rows.length;
    /** @param {number} value */
    const place = (value) => at.left + ((Math.log10(value) - low) / (high - low)) * (width - at.left - RIGHT);
    /** @type {Tick[]} */
    const ticks = [];
    const step = Math.ceil((high - low) / (width < 520 ? 4 : 8));
    for (let power = low; power <= high; power += step) ticks.push([10 ** power, power < -3 ? `1e${power}` : String(10 ** power)]);
    const shown = rows.map((row, i) => {
      const y = start + at.row * (i + 0.5) + (at.wide ? 0 : 6);
      const whisker = row.mean > 0 && row.high > 0;
      return [
        label(at, `${row.name}, ${row.setting}`, y),
        whisker ? draw("line", { class: "whisker", x1: place(row.mean), x2: place(row.high), y1: y, y2: y }) : [],
        row.worst ? draw("line", { class: "worst", x1: place(row.worst), x2: place(row.worst), y1: y - 7, y2: y + 7 }) : [],
        row.mean > 0 ? draw("circle", { class: row.best ? "dot best" : "dot", cx: place(row.mean), cy: y, r: 5 }) : [],
      ];
    });
    const name = "Hellinger distance, true to released posterior";
    return { height: bottom + BELOW, parts: [axis(ticks, place, bottom, name, width / 2), shown] };
  });
}

/** @param {Neighbours} pair Two data sets that differ in one person, and the law of what is released of each. */
export function neighboursChart(pair) {
  return frame(pair.title, pair.text, (width) => {
    const size = Math.min(26, (width - 24) / pair.people);
    const crowd = pair.yes.map((yes, set) => Array.from({ length: pair.people }, (_, i) => {
      const kind = i < yes ? "says" : "not";
      const changed = i === pair.yes[1] ? " changed" : "";
      return draw("circle", { class: `${kind}${changed} set${set}`, cx: 12 + size * (i + 0.5), cy: 16 + 26 * set, r: size * 0.34 });
    }));
    const top = 64;
    const tall = 150;
    const most = Math.max(...pair.laws.flat());
    const step = (width - 24) / pair.outputs.length;
    const bars = pair.laws.map((law, set) => law.map((chance, i) => draw("rect", {
      class: `bar set${set}`, x: 12 + step * i + (set ? step / 2 : 1), width: Math.max(1, step / 2 - 1.5),
      y: top + tall * (1 - chance / most), height: Math.max(0.5, (tall * chance) / most),
    })));
    const every = Math.ceil(28 / step);
    const ticks = pair.outputs.map((z, i) => (i % every ? [] : draw("text",
      { class: "tick", x: 12 + step * (i + 0.5), y: top + tall + 16, "text-anchor": "middle" }, z)));
    const name = draw("text", { class: "axis", x: width / 2, y: top + tall + 36, "text-anchor": "middle" }, "released count of yes");
    return { height: top + tall + BELOW, parts: [crowd, bars, ticks, name] };
  });
}
