// Release, in two steps: the price, and then, if it is agreed to, the charge and the draw.

import { ask, onSubmit, texts } from "./ask.js";
import { button, facts, field, formOf, make, the } from "./dom.js";
import { take } from "./read.js";
import { saveText } from "./save.js";
import { answers, declaredFields, requestFields, state } from "./state.js";

const UNSAVED = "asked"; // where the request of a release is kept until its receipt is

/** @typedef {import("./ask.js").Fields} Fields */

/** @param {HTMLElement} section */
export function start(section) {
  /** @type {Fields} */
  let asked = {};
  onSubmit(section, "price", (form) => {
    for (const old of section.querySelectorAll(".spend")) /** @type {HTMLButtonElement} */ (old).disabled = true; // its answer would be replaced
    asked = { ...requestFields(), ...texts(form, ["dataset", "title", "source_name", "request_id"]), again: field(form, "again").checked };
    return asked;
  }, (found) => [price(section, found, asked)]);
  priceButton(section).disabled = false; // Firefox keeps what it was before a reload
  const unsaved = sessionStorage.getItem(UNSAVED);
  if (unsaved) the(".answer", section).replaceChildren(again(section, JSON.parse(unsaved)));
  section.addEventListener("shown", () => summarise(section));
}

/** @param {HTMLElement} section @returns {HTMLButtonElement} */
function priceButton(section) {
  return /** @type {HTMLButtonElement} */ (the("form button", section));
}

/** @param {HTMLElement} section */
function summarise(section) {
  const { kind, column, more, by, groups, impossible } = declaredFields();
  const request = requestFields();
  const others = more.map((one) => /** @type {[string, string]} */ ([`Column ${one.column}`, one.categories.join(", ")]));
  the(".summary", section).replaceChildren(facts([
    ["Table", state.upload?.name ?? field(formOf(the("#data")), "source").value],
    ["Released", kind === "cross" ? "one cross table" : kind],
    [`Column ${column}`, answers()], ...others, ["Impossible", impossible.join("; ")], ["Groups", by ? `${by}: ${groups.join(", ")}` : ""],
    ["Privacy loss ε", String(request.epsilon)], ["δ", request.delta], ["Mechanism", request.mechanism],
  ]));
}

/**
 * What a tab asked for before it was reloaded: to begin anew would be to pay twice.
 * @param {HTMLElement} section
 * @param {Fields} asked
 */
function again(section, asked) {
  const box = make("div", { class: "price" },
    make("p", { class: "lead" }, "A release was asked for, and its receipt was not saved."),
    facts([["Request", String(asked.request_id)], ["Dataset", String(asked.dataset)], ["Column", String(asked.column)]]));
  return agreed(section, box, asked, "Ask again: it is the same request, charged once");
}

/** @param {HTMLElement} section */
export async function refresh(section) {
  const { datasets } = await ask("budgets");
  const select = field(formOf(section), "dataset");
  const chosen = select.value;
  select.replaceChildren(...datasets.map((/** @type {any} */ row) => make("option", { value: row.dataset, selected: row.dataset === chosen }, row.dataset)));
}

/**
 * Finish a request that was charged and never sealed: with the same table and question it costs nothing.
 * @param {string} dataset
 * @param {string} request
 */
export function finish(dataset, request) {
  const form = formOf(the("#release"));
  the("#release-finish").hidden = false;
  field(form, "request_id").value = request;
  field(form, "dataset").value = dataset;
  location.hash = state.upload ? "#release" : "#data";
}

/**
 * @param {HTMLElement} section
 * @param {any} found
 * @param {Fields} asked
 */
function price(section, found, asked) {
  const cost = found.price_text;
  const lead = found.is_paid ? `This was charged before: finishing it costs nothing more than the ${cost} that was paid.`
    : `This will cost ${cost} of what ${asked.dataset} may spend.`;
  const box = make("div", { class: "price" }, make("p", { class: "lead" }, lead), make("p", {}, found.meaning), facts(found.facts));
  const request = { ...asked, request_id: found.request_id, digest: found.digest };
  return agreed(section, box, request, found.is_paid ? "Finish it for free" : `Charge ${cost} and release`);
}

/**
 * The box, with the button that spends. Until the answer is there, nothing takes its place.
 * @param {HTMLElement} section
 * @param {HTMLElement} box
 * @param {Fields} request
 * @param {string} words
 */
function agreed(section, box, request, words) {
  const agree = make("button", { type: "button", class: "spend" }, words);
  const status = make("p", { role: "status", class: "status" });
  agree.addEventListener("click", async () => {
    section.classList.remove("failed");
    sessionStorage.setItem(UNSAVED, JSON.stringify(request));
    priceButton(section).disabled = true;
    agree.disabled = true; // asked twice, it would be the same request, and cost nothing more
    status.textContent = "charging, counting, drawing …";
    try {
      const done = await ask("release", request);
      const shown = released(done, request);
      box.replaceWith(shown);
      shown.focus(); // the button that had it is gone
      the("#release-finish").hidden = true;
      field(formOf(section), "request_id").value = "";
    } catch (failure) {
      agree.disabled = false;
      status.textContent = failure instanceof Error ? failure.message : "it failed";
      section.classList.add("failed");
    } finally {
      priceButton(section).disabled = false;
    }
  });
  box.append(agree, status);
  return box;
}

/** @param {{text: string, receipt: any}} done @param {Fields} request */
function released({ text, receipt }, request) {
  const name = `receipt-${receipt.request_id}.json`;
  const ordinal = field(formOf(the("#question")), "ordinal").checked;
  const save = button("Save the receipt", () => {
    saveText(`${text}\n`, name, "application/json");
    sessionStorage.removeItem(UNSAVED);
  }, { class: "save" });
  const read = button("Read it", () => take([{ name, text }], ordinal), { class: "read" });
  return make("div", { class: "released", tabindex: "-1" },
    make("p", { class: "lead" }, `Released, and charged to ${request.dataset} once. The receipt may be published.`),
    make("div", { class: "buttons" }, save, read));
}
