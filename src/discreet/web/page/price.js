// Price: what a reader will see at an ε, live; the least ε for a width; which mechanism, and why.

import { ask, numbers, runner } from "./ask.js";
import { errorChart, intervalChart, neighboursChart } from "./charts.js";
import { field, formOf, make, table, the } from "./dom.js";
import { saveButtons } from "./save.js";
import { declaredFields, lawFields, sizes } from "./state.js";

const PAUSE = 60; // milliseconds after the last move

/** @param {HTMLElement} section */
export function start(section) {
  const form = formOf(section);
  const run = runner(section);
  const live = runner(section); // a forecast does not end a plan that takes longer
  const answer = the(".answer", section);
  const mechanisms = the(".mechanisms", section);
  let edited = ""; // the kind of release that a prior was typed for
  let timer = 0;

  const forecast = () => {
    clearTimeout(timer);
    mechanisms.replaceChildren();
    adapt(section);
    if (field(form, "mechanism").value === "gaussian" && !field(form, "delta").value) return answer.replaceChildren(); // it needs one first
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
    if (moved.name === "prior") edited = declaredFields().kind;
    if (moved.name !== "target_points") forecast();
  });
  the("#least", section).addEventListener("click", () => run(async (signal) => {
    const found = await ask("plan", { ...numbers(form, ["target_points"]), ...space(form) }, signal);
    field(form, "epsilon").value = found.shown.epsilon_text;
    forecast();
    return found.shown.least;
  }));
  the("#compare-mechanisms", section).addEventListener("click", () => run(async (signal) => {
    const { column, more } = declaredFields();
    const names = [column, ...more.map((one) => one.column)];
    const found = await ask("plan", { ...numbers(form, ["epsilon"]), ...space(form), names, compare: true }, signal);
    mechanisms.replaceChildren(...compared(found));
    mechanisms.querySelector("h3")?.focus();
  }));
  section.addEventListener("shown", () => {
    const { kind } = declaredFields();
    const [k = 0] = sizes();
    if (edited !== kind && (k || kind !== "shares")) field(form, "prior").value = { cross: "1", rates: "0.5,0" }[kind] ?? Array(k).fill("1").join(",");
    forecast();
  });
}

/** Show what belongs to what is asked. @param {HTMLElement} section */
function adapt(section) {
  const form = formOf(section);
  const { kind, groups, more } = declaredFields();
  const isGaussian = field(form, "mechanism").value === "gaussian";
  const several = kind === "shares" && more.length > 0;
  the("#price-prior-label", section).textContent = {
    cross: "Prior, one number for every cell", rates: "Prior of the rates, shape and rate",
  }[kind] ?? `Prior, one number for each category${several ? " of the first column" : ""}`;
  the("#price-of-field", section).hidden = groups.length !== 2;
  the("#price-target-field", section).hidden = kind !== "shares" || hasPrivateN();
  the("#compare-mechanisms", section).hidden = kind === "rates";
  the("#price-delta-field", section).hidden = !isGaussian && !several;
  the("#price-delta-field .hint", section).textContent = isGaussian ? "gaussian needs one, like 1e-6"
    : "with one, like 1e-6, several columns cost their exact composition, and each gets more ε";
}

function hasPrivateN() {
  return field(formOf(the("#question")), "private_n").checked;
}

/** @param {HTMLFormElement} form */
function space(form) {
  const { kind, groups } = declaredFields();
  const of = groups.length === 2 ? field(form, "of").value : "share";
  const { mechanism, delta, group_public } = lawFields();
  return {
    ...numbers(form, ["prior", "n"]), kind, sizes: sizes().map(String), private_n: hasPrivateN(), mechanism, delta,
    ...(groups.length > 1 ? { groups, of, group_public } : {}),
  };
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
  const { title, lead, sentences, errors, note } = found.shown;
  const chart = errors.length ? errorChart(errors) : make("div");
  const left = found.omitted.map((/** @type {any} */ row) => make("li", {}, `${row.name}, ${row.setting}: ${row.reason}`));
  return [
    make("h3", { tabindex: "-1" }, title),
    make("p", { class: "lead" }, lead),
    ...sentences.map((/** @type {string} */ sentence) => make("p", {}, sentence)),
    chart, table(found.shown.table),
    ...(chart.querySelector("svg") ? [saveButtons(chart, found.shown.table.csv, "mechanisms")] : []),
    make("p", { class: "note" }, note),
    ...(left.length ? [make("details", {}, make("summary", {}, "Left out"), make("ul", {}, left))] : []),
  ];
}
