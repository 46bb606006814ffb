// What the steps share: the table that was handed over, its columns, and the receipts that are read.

import { numbers, texts } from "./ask.js";
import { field, formOf, lines, make, the } from "./dom.js";

/** @typedef {{name: string, type: string}} Column */
/** @typedef {{name: string, text: string}} HeldReceipt */
/** @typedef {{version: string, mechanisms: string[], max_upload: number, terms: Record<string, string>,
 *   stops: {epsilon: string[], n: string[]}, choices: Record<string, [string, string][]>,
 *   ledger: string | null, may_release: boolean}} Facts */

export const state = {
  /** @type {{id: string, name: string} | null} */
  upload: null,
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

/** What the curator declares. */
export function declaredFields() {
  const form = formOf(the("#question"));
  return {
    ...texts(form, ["column", "other", "missing", "by", "other_group", "id_column"]),
    categories: lines(field(form, "categories").value),
    groups: lines(field(form, "groups").value),
    filters: lines(field(form, "filters").value),
  };
}

/** All that a price is asked for, but for the budget. */
export function requestFields() {
  const price = formOf(the("#price"));
  return {
    ...tableFields(),
    ...declaredFields(),
    ...numbers(price, ["prior", "epsilon"]),
    mechanism: field(price, "mechanism").value,
    group_public: field(formOf(the("#question")), "group_public").checked,
    adjacency: field(formOf(the("#question")), "private_n").checked ? "add-remove" : "",
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
