// `discreet plan`: what each mechanism would cost and how accurate it would be.

import { errorChart } from "/charts.js";
import { facts, make, plain, table } from "/dom.js";
import { numbers, onSubmit } from "/ask.js";

const OF_QUESTION = { epsilon: ["epsilon"], error: ["target_error", "confidence"], width: ["target_width"] };

export function start(section) {
  const form = section.querySelector("form");
  const choose = () => {
    for (const label of form.querySelectorAll("[data-for]")) label.hidden = label.dataset.for !== form.elements.question.value;
  };
  form.addEventListener("change", choose);
  choose();
  onSubmit(section, "plan", read, show);
}

function read(form) {
  const question = form.elements.question.value;
  const asked = { ...numbers(form, ["prior", "n", ...OF_QUESTION[question]]), compare: form.elements.compare.checked };
  return question === "error" ? { ...asked, worst_case: form.elements.worst_case.checked } : asked;
}

export function digits(value, count = 4) {
  return value === null || value === undefined ? "–" : String(Number(value.toPrecision(count)));
}

// A privacy loss is never shown smaller than it is; the last digits of a float are not its own.
export function loss(value, reached = true) {
  if (value === null || value === undefined) return "–";
  const near = value * (1 - 1e-12);
  let shown = Number(near.toPrecision(4));
  if (shown < near) shown = Number((shown + 10 ** (Math.floor(Math.log10(near)) - 3)).toPrecision(4));
  return `${reached ? "" : "≤ "}${shown}`;
}

// Settings with the same numbers share a line.
function merged(found) {
  const lines = [];
  for (const row of found.mechanisms) {
    const told = [
      loss(row.exact_epsilon, row.exact_epsilon_reached), digits(row.mean_error), digits(row.worst_mean_error),
      digits(row.error_95), digits(row.shift_points), digits(row.interval_width),
    ];
    const best = row.name === found.recommended && row.setting === found.setting;
    const last = lines.at(-1);
    if (last?.row.name === row.name && last.told.join() === told.join()) {
      last.settings.push(row.setting);
      last.best ||= best;
    } else {
      lines.push({ row, told, best, settings: [row.setting] });
    }
  }
  return lines;
}

function show(found) {
  const lines = merged(found);
  const rows = lines.map(({ row, settings, best }) => ({
    name: row.name, setting: settings.join(" = "), mean: row.mean_error, high: row.error_95, worst: row.worst_mean_error, best,
  }));
  const headings = [
    "Mechanism", "Setting", "Exact ε", "Mean H", "Worst mean H", "95 % of H", "Shift, points", "Interval width",
  ];
  const cells = lines.map(({ row, settings, told }) => [row.name, settings.join(" = "), ...told]);
  const left = found.omitted.map((row) => make("li", {}, `${row.name}, ${row.setting}: ${row.reason}`));
  return [
    make("p", { class: "lead" }, found.sentences[0]),
    ...found.sentences.slice(1).map((sentence) => make("p", {}, sentence)),
    make("p", {}, `Use ${found.recommended} (${found.setting}): ${found.reason}.`),
    facts([
      ["ε", found.epsilon_exact.length < 20 ? plain(found.epsilon_exact) : loss(found.epsilon)],
      ["interval width without privacy", digits(found.interval_width_without_privacy)],
    ]),
    errorChart(rows),
    table(`Mechanisms at ε = ${loss(found.epsilon)}, n = ${found.n.toLocaleString("en")}`, headings, cells),
    make("p", { class: "note" }, "H is the Hellinger distance between the true and the released posterior. Shift is how "
      + "far the mean moves, in percentage points. The width is that of the first category's noise-aware interval, as a share."),
    ...(left.length ? [make("details", {}, make("summary", {}, "Left out"), make("ul", {}, left))] : []),
  ];
}
