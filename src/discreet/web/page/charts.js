// Two pictures: errors of mechanisms on a logarithmic axis, and intervals of shares. Axes have names and units.

import { draw, make, visible } from "/dom.js";

const WIDTH = 760;
const LEFT = 200;
const RIGHT = 24;
const ROW = 36;
const TOP = 14;

function frame(title, height, children) {
  const picture = draw("svg", { viewBox: `0 0 ${WIDTH} ${height}`, role: "img", "aria-label": title }, children);
  return make("figure", { tabindex: "0" }, picture, make("figcaption", {}, title));
}

function axis(ticks, place, bottom, name) {
  const marks = ticks.map(([value, text]) => [
    draw("line", { class: "grid", x1: place(value), x2: place(value), y1: TOP, y2: bottom }),
    draw("text", { class: "tick", x: place(value), y: bottom + 18, "text-anchor": "middle" }, text),
  ]);
  const middle = (LEFT + WIDTH - RIGHT) / 2;
  return [marks, draw("text", { class: "axis", x: middle, y: bottom + 38, "text-anchor": "middle" }, name)];
}

function shortened(text, length = 24) {
  const signs = [...visible(text)];
  return signs.length > length ? `${signs.slice(0, length - 1).join("")}…` : signs.join("");
}

function label(row, y) {
  const lines = row.setting ? [["name", row.name, -2], ["tick", row.setting, 13]] : [["name", row.name, 4]];
  return lines.map(([kind, text, down]) => draw("text", { class: kind, x: LEFT - 10, y: y + down, "text-anchor": "end" }, shortened(text)));
}

// rows: {name, setting, mean, high, worst, best}; what is not known is null.
export function errorChart(rows) {
  const known = rows.flatMap((row) => [row.mean, row.high, row.worst]).filter((value) => value > 0);
  if (known.length === 0) return make("p", {}, "No mechanism has an error to show.");
  const low = Math.floor(Math.log10(Math.min(...known)));
  const high = Math.max(Math.ceil(Math.log10(Math.max(...known))), low + 1);
  const place = (value) => LEFT + ((Math.log10(value) - low) / (high - low)) * (WIDTH - LEFT - RIGHT);
  const bottom = TOP + ROW * rows.length;
  const ticks = [];
  const step = Math.ceil((high - low) / 8);
  for (let power = low; power <= high; power += step) ticks.push([10 ** power, power < -3 ? `1e${power}` : String(10 ** power)]);
  const shown = rows.map((row, i) => {
    const y = TOP + ROW * (i + 0.5);
    const parts = [label(row, y)];
    if (row.mean > 0 && row.high > 0) {
      parts.push(draw("line", { class: "whisker", x1: place(row.mean), x2: place(row.high), y1: y, y2: y }));
    }
    if (row.worst > 0) {
      parts.push(draw("line", { class: "worst", x1: place(row.worst), x2: place(row.worst), y1: y - 7, y2: y + 7 }));
    }
    if (row.mean > 0) parts.push(draw("circle", { class: row.best ? "dot best" : "dot", cx: place(row.mean), cy: y, r: 5 }));
    return parts;
  });
  const title = "Dot: mean error. Line: to the error that 95 % of releases stay below. Tick: mean for the worst data set.";
  return frame(title, bottom + 48, [
    axis(ticks, place, bottom, "Hellinger distance between true and released posterior, 0 to 1"), shown,
  ]);
}

// rows: {name, mean, low, high, plugLow, plugHigh}, all shares.
export function intervalChart(rows) {
  const place = (value) => LEFT + value * (WIDTH - LEFT - RIGHT);
  const bottom = TOP + ROW * rows.length;
  const ticks = [0, 0.2, 0.4, 0.6, 0.8, 1].map((value) => [value, `${Math.round(100 * value)} %`]);
  const shown = rows.map((row, i) => {
    const y = TOP + ROW * (i + 0.5);
    return [
      label(row, y),
      draw("line", { class: "aware", x1: place(row.low), x2: place(row.high), y1: y - 3, y2: y - 3 }),
      draw("line", { class: "plug", x1: place(row.plugLow), x2: place(row.plugHigh), y1: y + 6, y2: y + 6 }),
      draw("circle", { class: "dot best", cx: place(row.mean), cy: y - 3, r: 5 }),
    ];
  });
  const title = "Thick: 95 % interval with the privacy noise in it, dot at the mean. Thin: the posterior at face value.";
  return frame(title, bottom + 48, [axis(ticks, place, bottom, "share of the category"), shown]);
}
