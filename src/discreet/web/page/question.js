// Question: what is declared of the table, and whether its rows fit, for the curator's eyes.

import { onSubmit } from "./ask.js";
import { start as startColumns } from "./columns.js";
import { facts, field, formOf, lines, make, table, the } from "./dom.js";
import { answers, declaredFields, tableFields } from "./state.js";

/** @typedef {{value: string, rows: number, like: string | null}} Stray */

/** @param {HTMLElement} section */
export function start(section) {
  onSubmit(section, "check", () => ({ ...tableFields(), ...declaredFields() }), show);
  const form = formOf(section);
  startColumns(form);
  const count = the("#categories-count", section);
  form.addEventListener("input", () => {
    const names = lines(field(form, "categories").value);
    const slip = names.length === 1 && /[,;\t]/.test(names[0]) ? " Write each on its own line." : "";
    count.textContent = names.length ? `${answers()}.${slip}` : "";
  });
}

/** @param {any} found */
function show(found) {
  const { checks, impossible_occurs: occurs, mark } = found;
  return [make("div", { class: "secret" },
    make("p", { class: "badge" }, mark),
    checks.map((/** @type {any} */ one) => [...(checks.length > 1 ? [make("h3", {}, one.column)] : []), ...checked(one)]),
    occurs ? make("p", { class: "lead warning" }, "There are records in cells that are declared impossible: a release would stop.") : [])];
}

/** @param {any} found One column. */
function checked(found) {
  const strays = [...told("value", found.strays), ...told("group", found.stray_groups)];
  const unused = [...found.unused, ...found.unused_groups];
  const lead = found.fits ? `The data fits the declaration${found.outside ? ": values outside count as the rest" : ""}.` : `The data does not fit the declaration: ${found.n ? "a release would stop" : "there are no records"}.`;
  return [
    make("p", { class: found.fits ? "lead" : "lead warning" }, lead),
    facts([
      ["Rows", found.rows.toLocaleString("en")],
      ["Records n", found.n.toLocaleString("en")],
      ["Records outside the categories", found.outside.toLocaleString("en")],
      ["Rows with no value", found.missing.toLocaleString("en")],
      ["Rows with an empty text", found.empty.toLocaleString("en")],
      ["Rows without an id", found.without_id === null ? "" : found.without_id.toLocaleString("en")],
      ["No record is in", unused.join(", ")],
    ]),
    ...(strays.length ? [table({
      caption: "Values outside the declaration", headings: ["", "Value", "Rows", "A misspelling of, perhaps"], rows: strays, csv: "",
    }, { kind: "texts" }), make("p", {}, "Mend the table, declare them, or give the rest a name.")] : [])];
}

/** @param {string} what @param {Stray[]} strays */
function told(what, strays) {
  return strays.map((stray) => [what, stray.value, stray.rows.toLocaleString("en"), stray.like ?? "–"]);
}
