// Read: receipts, checked, and what their reader may believe; groups compared; texts and files to take along.

import { Refusal, ask, runner, tell } from "./ask.js";
import { intervalChart } from "./charts.js";
import { onDrop } from "./data.js";
import { button, facts, field, formOf, make, table, the } from "./dom.js";
import { copyable, saveButtons, saveText } from "./save.js";
import { state } from "./state.js";

/** @typedef {{column: string | null, categories: string[], groups: string[]}} ColumnOf */
/** @typedef {{title: string, facts: [string, string][], columns: ColumnOf[], is_bundle: boolean, pictures: any[],
 *   methods: string, document: any, text: string}} ReadReceipt */

const MEASURES = [["difference", "difference"], ["ratio", "ratio"], ["odds-ratio", "odds ratio"]];

/** @param {HTMLElement} section */
export function start(section) {
  const form = formOf(section);
  const run = runner(section);
  const place = the(":scope > .answer", section);
  const reading = () => run(async (signal) => {
    if (!state.receipts.length) throw new Refusal("choose a receipt first", "receipts");
    const found = await ask("read", { ...how(form), receipts: state.receipts.map((one) => one.text), ordinal: field(form, "ordinal").checked }, signal);
    place.replaceChildren(...show(found.receipts));
    return "";
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    return reading();
  });
  const hold = async (/** @type {File[]} */ files) => {
    try {
      state.receipts = await Promise.all(files.map(async (file) => ({ name: file.name.replace(/\.json$/i, ""), text: await file.text() })));
      told();
      reading();
    } catch (failure) {
      tell(failure, section);
    }
  };
  field(form, "receipts").addEventListener("change", () => hold([...(field(form, "receipts").files ?? [])]));
  for (const name of ["level", "ordinal"]) field(form, name).addEventListener("change", () => { if (state.receipts.length) reading(); });
  onDrop(section, hold);
  section.addEventListener("taken", reading);
}

/** @param {HTMLFormElement} form */
function how(form) {
  return { prior: field(form, "prior").value.replace(/\s+/g, ""), level: field(form, "level").value };
}

function told() {
  the("#read-held").textContent = state.receipts.length ? `Held: ${state.receipts.map((one) => one.name).join(", ")}` : "";
}

/**
 * Read receipts that are in the page already.
 * @param {import("./state.js").HeldReceipt[]} receipts
 * @param {boolean} [ordinal]
 */
export function take(receipts, ordinal = false) {
  state.receipts = receipts;
  field(formOf(the("#read")), "ordinal").checked = ordinal;
  told();
  location.hash = "#read";
  the("#read").dispatchEvent(new Event("taken"));
}

/** @param {ReadReceipt[]} receipts */
function show(receipts) {
  const print = make("div", { class: "buttons" }, button("Print", () => window.print()));
  return [print, ...receipts.map(article), ...comparable(receipts)];
}

/** @param {ReadReceipt} receipt */
function article(receipt) {
  const name = receipt.title.replace(/[^\p{L}\p{N}]+/gu, "-").slice(0, 60);
  return make("article", {},
    make("h3", {}, receipt.title),
    make("p", { class: "lead" }, "The receipt holds what it says."),
    receipt.pictures.map((picture) => pictured(picture)),
    make("details", { class: "about" }, make("summary", {}, "About this release"), facts(receipt.facts)),
    copyable("For the methods section", receipt.methods),
    make("p", { class: "saves" }, button("Receipt as JSON", () => saveText(`${receipt.text}\n`, `${name}.json`, "application/json")),
      button("Beliefs as JSON", async () => {
        const found = await ask("infer", { receipt: receipt.text, prior: how(formOf(the("#read"))).prior });
        saveText(`${JSON.stringify(found.belief, null, 2)}\n`, `${name}-belief.json`, "application/json");
      })));
}

/**
 * A picture with its text, its table, its sentence, and its files.
 * @param {any} picture
 * @param {string} [level]
 */
function pictured(picture, level = "h4") {
  if (picture.steps) return make("div", { class: "picture" }, make("h4", {}, picture.title), table(picture.table, { steps: picture.steps }), notes(picture),
    make("p", { class: "saves" }, button("CSV", () => saveText(picture.table.csv, "table.csv", "text/csv"), { "aria-label": `Save ${picture.title} as CSV` })));
  const chart = intervalChart(picture);
  return make("div", { class: "picture" },
    make(/** @type {"h4"} */ (level), {}, picture.title), chart, table(picture.table),
    notes(picture), saveButtons(chart, picture.table.csv, picture.title),
    picture.sentences.map((/** @type {string} */ sentence) => copyable("For the results section", sentence)));
}

/** @param {{notes: string[]}} picture */
function notes(picture) {
  return picture.notes.map((note) => make("p", { class: "note" }, note));
}

/**
 * Which receipts can be compared: one with groups, two with the same categories, or a series of waves.
 * @param {ReadReceipt[]} receipts
 */
function comparable(receipts) {
  const [first, second] = receipts;
  if (receipts.length > 2) return series(receipts);
  const columns = first.columns.filter((one) => (second ? second.columns : first.columns).some((other) => (
    other.column === one.column || (!first.is_bundle && !second?.is_bundle)) && (second !== undefined || one.groups.length > 1)));
  if (!columns.length) return [];
  const form = make("form", {}, columnField(columns, first), fields(columns[0], second), make("div", { class: "buttons" }, make("button", {}, "Compare")));
  form.addEventListener("change", (event) => {
    const changed = /** @type {HTMLSelectElement} */ (event.target);
    const column = columns.find((one) => one.column === changed.value);
    if (changed.name === "column" && column) the(".of-column", form).replaceWith(fields(column, second));
  });
  /** @param {string} name */
  const chosen = (name) => [.../** @type {NodeListOf<HTMLInputElement>} */ (form.querySelectorAll(`[name=${name}]:checked`))].map((box) => box.value);
  return [asking(second ? "Compare both receipts" : "Compare the groups", form, "compare", () => {
    const among = chosen("among");
    return {
      ...how(formOf(the("#read"))), ...held(receipts),
      ...(first.is_bundle ? { column: field(form, "column").value } : {}),
      category: field(form, "category").value, measure: field(form, "measure").value,
      groups: second ? [field(form, "group0"), field(form, "group1")].filter(Boolean).map((each) => each.value) : chosen("groups"),
      ...(among.length < form.querySelectorAll("[name=among]").length ? { among } : {}),
      different_people: second ? field(form, "different_people").checked : false,
    };
  })];
}

/** @param {ReadReceipt[]} receipts A series of the same question, in the order of the files. */
function series(receipts) {
  if (receipts.some((one) => one.is_bundle || !one.columns.length || one.columns[0].groups.length)) return [];
  const form = make("form", {}, shareField(receipts[0].columns[0].categories), differentPeople(), make("div", { class: "buttons" }, make("button", {}, "Compare")));
  return [asking("A series of waves", form, "series", () => ({
    level: field(formOf(the("#read")), "level").value, ...held(receipts), category: field(form, "category").value,
    different_people: field(form, "different_people").checked,
  }))];
}

/** @param {ReadReceipt[]} receipts */
function held(receipts) {
  return { receipts: receipts.map((one) => one.text), titles: state.receipts.map((one) => one.name) };
}

/**
 * A form below the receipts, and the pictures that answer it.
 * @param {string} title
 * @param {HTMLFormElement} form
 * @param {string} what
 * @param {() => import("./ask.js").Fields} read
 */
function asking(title, form, what, read) {
  const place = make("div", { class: "answer" });
  const section = make("section", { class: "compare", "aria-labelledby": "compare-title" }, make("h3", { id: "compare-title" }, title), form,
    make("div", { class: "state" }, make("p", { class: "status", role: "status" }), make("button", { type: "button", class: "quiet stop", hidden: true }, "Stop")), place);
  const run = runner(section);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    return run(async (signal) => {
      const found = await ask(what, read(), signal);
      place.replaceChildren(...found.pictures.map((/** @type {any} */ picture) => pictured(picture)),
        make("p", { class: "saves" }, button("Comparison as JSON", () => saveText(
          `${JSON.stringify(found.document, null, 2)}\n`, "comparison.json", "application/json"))));
      return "";
    });
  });
  return section;
}

/** @param {ColumnOf[]} columns @param {ReadReceipt} first */
function columnField(columns, first) {
  if (!first.is_bundle) return [];
  return labelled("Column", "compare-column", make("select", { id: "compare-column", name: "column" },
    columns.map((one) => make("option", { value: one.column ?? "" }, one.column ?? "category shares"))));
}

/** @param {ColumnOf} column @param {ReadReceipt | undefined} second */
function fields(column, second) {
  const other = second?.columns.find((one) => one.column === column.column) ?? second?.columns[0];
  const groups = [column.groups, other?.groups ?? []];
  const between = second
    ? groups.map((names, i) => (names.length ? labelled(`Group of the ${i ? "second" : "first"}`, `compare-group${i}`,
      make("select", { id: `compare-group${i}`, name: `group${i}` }, names.map((name) => make("option", { value: name }, name)))) : []))
    : boxes("Groups", "groups", column.groups);
  return make("div", { class: "of-column" },
    shareField(column.categories),
    labelled("Measure", "compare-measure", make("select", { id: "compare-measure", name: "measure" },
      MEASURES.map(([value, text]) => make("option", { value }, text)))),
    between, boxes("Among the categories", "among", column.categories),
    second ? differentPeople() : []);
}

/** @param {string[]} categories */
function shareField(categories) {
  return labelled("Share of", "compare-category", make("select", { id: "compare-category", name: "category" },
    categories.map((name) => make("option", { value: name }, name))));
}

function differentPeople() {
  return make("div", { class: "choice" }, make("input", { type: "checkbox", id: "compare-people", name: "different_people" }),
    make("label", { for: "compare-people" }, "all receipts are of different people"));
}

/** @param {string} text @param {string} id @param {HTMLElement} control */
function labelled(text, id, control) {
  return make("div", { class: "field" }, make("label", { for: id }, text), control);
}

/** @param {string} legend @param {string} name @param {string[]} values */
function boxes(legend, name, values) {
  return make("fieldset", {}, make("legend", {}, legend), values.map((value, i) => make("div", { class: "choice" },
    make("input", { type: "checkbox", name, value, id: `compare-${name}-${i}`, checked: true }),
    make("label", { for: `compare-${name}-${i}` }, value))));
}
