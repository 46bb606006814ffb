// What the steps share: the table that was handed over, its columns, and the receipts that are read.

import { numbers, texts } from "./ask.js";
import { field, formOf, lines, make, the } from "./dom.js";

/** @typedef {{name: string, type: string}} Column */
/** @typedef {{name: string, text: string}} HeldReceipt */
/** @typedef {{column: string, categories: string[], other: string, missing: string, prior: string}} MoreColumn */
/** @typedef {{version: string, mechanisms: string[], max_upload: number, terms: Record<string, string>,
 *   stops: {epsilon: string[], n: string[]}, choices: Record<string, [string, string][]>,
 *   ledger: string | null, may_release: boolean}} Facts */

export const state = {
  /** @type {{id: string, name: string} | null} */
  upload: null,
  /** @type {Column[]} Those of the table, where they are known. */
  columns: [],
  /** @type {HeldReceipt[]} */
  receipts: [],
  maxUpload: 0,
};

/** Where the rows are, and how a CSV file is written. */
export function tableFields() {
  const form = formOf(the("#data"));
  return {
    ...texts(form, ["delimiter", "encoding"]),
    no_header: field(form, "no_header").checked,
    ...(state.upload ? { upload: state.upload.id } : { source: field(form, "source").value }),
  };
}

/** Shares, a cross table, or rates. @param {HTMLFormElement} form */
export function kindOf(form) {
  return field(form, "kind").value;
}

/** The columns after the first, as they are typed. @param {HTMLFormElement} form @returns {MoreColumn[]} */
export function moreFields(form) {
  return [...the("#more", form).children].map((_, i) => {
    /** @param {string} name */
    const own = (name) => field(form, `more.${i}.${name}`).value;
    return {
      column: own("column"), categories: lines(own("categories")), other: own("other"), missing: own("missing"),
      prior: own("prior").replace(/\s+/g, ""),
    };
  });
}

/** What the curator declares: what does not belong to this kind of release is left out. */
export function declaredFields() {
  const form = formOf(the("#question"));
  const kind = kindOf(form);
  const more = kind === "rates" ? [] : moreFields(form);
  return {
    kind,
    ...texts(form, ["column", "other", "missing", "id_column"]),
    categories: lines(field(form, "categories").value),
    more: kind === "cross" ? more.map(({ column, categories }) => ({ column, categories })) : more,
    ...(kind === "shares" ? texts(form, ["by", "other_group"]) : { by: "", other_group: "" }),
    groups: kind === "shares" ? lines(field(form, "groups").value) : [],
    impossible: kind === "cross" ? lines(field(form, "impossible").value) : [],
    filters: lines(field(form, "filters").value),
  };
}

/** @returns {number[]} How many answers each column has, the first one first; none before they are declared. */
export function sizes() {
  const { kind, categories, other, missing, more } = declaredFields();
  /** @param {{categories: string[], other?: string, missing?: string}} column */
  const size = (column) => column.categories.length + [column.other, column.missing].filter(Boolean).length;
  const rest = kind === "cross" ? { other, missing } : {};
  return categories.length ? [{ categories, other, missing }, ...more.map((column) => ({ ...column, ...rest }))].map(size) : [];
}

/** What the price depends on beside the declaration. */
export function lawFields() {
  const [question, price] = [formOf(the("#question")), formOf(the("#price"))];
  return {
    mechanism: field(price, "mechanism").value,
    delta: the("#price-delta-field").hidden ? "" : numbers(price, ["delta"]).delta,
    group_public: kindOf(question) === "shares" && field(question, "group_public").checked,
  };
}

/** All that a price is asked for, but for the budget. */
export function requestFields() {
  const question = formOf(the("#question"));
  const isRates = kindOf(question) === "rates";
  return {
    ...tableFields(),
    ...declaredFields(),
    ...numbers(formOf(the("#price")), ["prior", "epsilon"]),
    ...lawFields(),
    adjacency: field(question, "private_n").checked ? "add-remove" : "",
    ...(isRates ? { exposure: lines(field(question, "exposure").value), ...numbers(question, ["per"]) } : {}),
  };
}

/** @returns {string} The answers that are declared, with those for the rest, as people read them. */
export function answers() {
  const { categories, missing, other } = declaredFields();
  return [...categories, ...(missing ? [missing] : []), ...(other ? [other] : [])].join(", ");
}

/**
 * Let a field be chosen among the columns, where they are known.
 * @param {HTMLFormElement} form
 * @param {string} name
 * @param {Column[]} columns
 * @param {string} none What is said for no column; nothing if there must be one.
 */
export function offerColumns(form, name, columns, none) {
  const old = field(form, name);
  const attributes = { id: old.id, name, autocomplete: "off", spellcheck: "false" };
  if (!columns.length) {
    old.replaceWith(make("input", attributes));
    return;
  }
  const options = columns.map((column) => make("option", { value: column.name }, `${column.name} (${column.type})`));
  const select = make("select", attributes, make("option", { value: "" }, none), options);
  if (columns.some((column) => column.name === old.value)) select.value = old.value;
  old.replaceWith(select);
}
