// Price: what a reader will see at an ε, live; the least ε for a width; which mechanism, and why.

import { ask, numbers, runner } from "./ask.js";
import { errorChart, intervalChart, neighboursChart } from "./charts.js";
import { field, formOf, make, table, the } from "./dom.js";
import { saveButtons } from "./save.js";
import { declaredFields } from "./state.js";

const PAUSE = 60; // milliseconds after the last move

/** @param {HTMLElement} section */
export function start(section) {
  const form = formOf(section);
  const run = runner(section);
  const live = runner(section); // a forecast does not end a plan that takes longer
  const answer = the(".answer", section);
  const mechanisms = the(".mechanisms", section);
  let edited = false;
  let timer = 0;

  const forecast = () => {
    clearTimeout(timer);
    mechanisms.replaceChildren();
    timer = setTimeout(() => live(async (signal) => {
      const found = await ask("forecast", { ...numbers(form, ["epsilon"]), ...space(form) }, signal);
      if (!signal.aborted) answer.replaceChildren(...show(found, answer));
    }, { quiet: true }), PAUSE);
  };

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    forecast();
  });
  form.addEventListener("input", (event) => {
    const moved = /** @type {HTMLInputElement} */ (event.target);
    const slides = moved.dataset.slides;
    if (slides) field(form, slides).value = moved.dataset[`stop${moved.value}`] ?? field(form, slides).value;
    if (moved.name === "prior") edited = true;
    if (moved.name !== "target_points" && moved.name !== "mechanism") forecast();
  });
  the("#least", section).addEventListener("click", () => run(async (signal) => {
    const found = await ask("plan", { ...numbers(form, ["target_points"]), ...space(form) }, signal);
    field(form, "epsilon").value = found.shown.epsilon_text;
    forecast();
    return `ε = ${found.shown.epsilon_text} is the least for this width.`;
  }));
  the("#compare-mechanisms", section).addEventListener("click", () => run(async (signal) => {
    const found = await ask("plan", { ...numbers(form, ["epsilon"]), ...space(form), compare: true }, signal);
    mechanisms.replaceChildren(...compared(found));
    mechanisms.querySelector("h3")?.focus();
  }));
  section.addEventListener("shown", () => {
    const { categories, groups, other, missing } = declaredFields();
    const k = categories.length + (other ? 1 : 0) + (missing ? 1 : 0);
    if (!edited && k > 1) field(form, "prior").value = Array(k).fill("1").join(",");
    the("#price-of-field", section).hidden = groups.length !== 2;
    forecast();
  });
}

/** @param {HTMLFormElement} form */
function space(form) {
  const { groups } = declaredFields();
  const of = groups.length === 2 ? field(form, "of").value : "share";
  const isPublic = field(formOf(the("#question")), "group_public").checked;
  return { ...numbers(form, ["prior", "n"]), ...(groups.length > 1 ? { groups, of, group_public: isPublic } : {}) };
}

/**
 * @param {HTMLElement} section
 * @param {import("./state.js").Facts} known
 */
export function offer(section, known) {
  for (const slider of /** @type {NodeListOf<HTMLInputElement>} */ (section.querySelectorAll("[data-slides]"))) {
    const stops = known.stops[/** @type {"epsilon" | "n"} */ (slider.dataset.slides)];
    slider.max = String(stops.length - 1);
    stops.forEach((stop, i) => { slider.dataset[`stop${i}`] = stop; });
    slider.value = String(stops.indexOf(field(formOf(section), slider.dataset.slides ?? "").value));
  }
}

/** @param {any} found @param {HTMLElement} before What was opened stays open. */
function show(found, before) {
  const open = [...before.querySelectorAll("details")].map((each) => each.open);
  const { picture, neighbours } = found;
  const meaning = make("details", { open: open[1] ?? true }, make("summary", {}, "What does this ε mean?"),
    found.sentences.map((/** @type {string} */ sentence) => make("p", {}, sentence)),
    make("h4", {}, neighbours.title), neighboursChart(neighbours),
    make("details", { open: open[2] ?? false }, make("summary", {}, "As a table"), table(neighbours.table)));
  return [
    make("p", { class: "lead" }, found.lead),
    make("h3", {}, picture.title), intervalChart(picture),
    make("details", { open: open[0] ?? false }, make("summary", {}, "As a table"), table(picture.table)),
    picture.notes.map((/** @type {string} */ note) => make("p", { class: "note" }, note)),
    meaning,
  ].flat();
}

/** @param {any} found */
function compared(found) {
  const chart = errorChart(found.shown.errors);
  const left = found.omitted.map((/** @type {any} */ row) => make("li", {}, `${row.name}, ${row.setting}: ${row.reason}`));
  return [
    make("h3", { tabindex: "-1" }, "Which mechanism, and why"),
    make("p", { class: "lead" }, `Use ${found.recommended} (${found.setting}).`),
    make("p", {}, `Why: ${found.reason}.`),
    chart, table(found.shown.table),
    ...(chart.querySelector("svg") ? [saveButtons(chart, found.shown.table.csv, "mechanisms")] : []),
    make("p", { class: "note" }, "H is the Hellinger distance between the true and the released posterior. Shift is how far the "
      + "mean moves, in percentage points. The width is that of the first category's noise-aware interval, as a share."),
    ...(left.length ? [make("details", {}, make("summary", {}, "Left out"), make("ul", {}, left))] : []),
  ];
}
