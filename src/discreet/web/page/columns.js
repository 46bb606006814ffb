// The columns after the first, each with its fields; and which fields belong to what is released.

import { button, field, make, the } from "./dom.js";
import { kindOf, moreFields, offerColumns, state } from "./state.js";

/** @typedef {import("./state.js").MoreColumn} MoreColumn */

const HINTS = /** @type {Record<string, string>} */ ({
  shares: "Several columns share the price.",
  cross: "All columns in one draw, so that it also tells how they go together.",
  rates: "Every row is an event; the column tells its group.",
});

/** @param {HTMLFormElement} form */
export function start(form) {
  const add = the("#add-column", form);
  add.addEventListener("click", () => {
    const columns = moreFields(form);
    show(form, [...columns, { column: "", categories: [], other: "", missing: "", prior: "" }]);
    field(form, `more.${columns.length}.column`).focus();
    changed(form);
  });
  field(form, "kind").addEventListener("change", () => {
    if (kindOf(form) === "rates") field(form, "private_n").checked = true; // the number of events is what a rate tells
    adapt(form);
  });
  adapt(form);
}

/** Show what belongs to the kind of release, and nothing else. @param {HTMLFormElement} form */
function adapt(form) {
  const kind = kindOf(form);
  for (const place of /** @type {NodeListOf<HTMLElement>} */ (form.querySelectorAll("[data-kinds]"))) {
    place.hidden = !place.dataset.kinds?.split(" ").includes(kind);
  }
  the("#more", form).hidden = kind === "rates";
  the("#kind-hint", form).textContent = HINTS[kind];
}

/** The columns are chosen among those of the table. @param {HTMLFormElement} form */
export function offer(form) {
  moreFields(form).forEach((_, i) => offerColumns(form, `more.${i}.column`, state.columns, "choose a column"));
}

/** @param {HTMLFormElement} form @param {MoreColumn[]} columns */
function show(form, columns) {
  the("#more", form).replaceChildren(...columns.map((column, i) => block(form, column, i)));
  offer(form);
  columns.forEach(({ column }, i) => { field(form, `more.${i}.column`).value = column; });
  adapt(form);
}

/** @param {HTMLFormElement} form @param {MoreColumn} column @param {number} i */
function block(form, column, i) {
  const id = `question-more-${i}`;
  /** @param {string} name @param {string} label @param {HTMLElement} input @param {string} [kinds] */
  const labelled = (name, label, input, kinds) => make("div", { class: "field", "data-kinds": kinds },
    make("label", { for: `${id}-${name}` }, label), input);
  /** @param {string} name */
  const named = (name) => ({ id: `${id}-${name}`, name: `more.${i}.${name}`, autocomplete: "off", spellcheck: "false" });
  const categories = make("textarea", { ...named("categories"), rows: 4 });
  categories.value = column.categories.join("\n");
  const remove = button("Remove this column", () => {
    show(form, moreFields(form).filter((_, other) => other !== i));
    the("#add-column", form).focus();
    changed(form);
  });
  return make("fieldset", {}, make("legend", {}, `Column ${i + 2}`),
    labelled("column", "Column", make("input", { ...named("column"), value: column.column })),
    labelled("categories", "Categories, one on each line", categories),
    labelled("other", "A category for everything else", make("input", { ...named("other"), value: column.other, placeholder: "none" }), "shares"),
    labelled("missing", "A category for missing values", make("input", { ...named("missing"), value: column.missing, placeholder: "none" }), "shares"),
    labelled("prior", "Prior, one number for each category", make("input", { ...named("prior"), value: column.prior, placeholder: "1 for each" }), "shares"),
    make("div", { class: "buttons" }, remove));
}

/** @param {HTMLFormElement} form */
function changed(form) {
  form.dispatchEvent(new Event("input"));
}

