// Budgets: what is left, what is unfinished, the newest rows; a new budget; whether the book is sound.

import { ask, numbers, onSubmit, runner, texts } from "./ask.js";
import { button, facts, field, formOf, make, table, the } from "./dom.js";
import { take } from "./read.js";
import { finish, refresh } from "./release.js";
import { saveText } from "./save.js";

/** @param {HTMLElement} section */
export function start(section) {
  onSubmit(section, "budgets", () => ({}), show);
  const create = the("section:has(#create)", section);
  onSubmit(create, "create_budget", (form) => ({
    ...texts(form, ["dataset", "composition", "adjacency", "id_column"]),
    ...numbers(form, ["delta"]),
    ...(isExact(form) ? { ...texts(form, ["schedule"]), ...numbers(form, ["categories_at_least"]) } : numbers(form, ["epsilon"])),
  }), (found) => {
    formOf(section).requestSubmit();
    formOf(create).reset();
    refresh(the("#release"));
    return [make("p", { class: "lead" }, found.sentence)];
  });
  const pricing = runner(create);
  const price = the("#schedule-price", create);
  the("#price-schedule", create).addEventListener("click", () => pricing(async (signal) => {
    const form = formOf(create);
    const found = await ask("price_schedule", { ...texts(form, ["schedule"]), ...numbers(form, ["delta", "categories_at_least"]) }, signal);
    price.textContent = found.sentence;
  }));
  formOf(create).addEventListener("input", () => { price.textContent = ""; }); // it was the price of something else
  const verify = the("section:has(#verify)", section);
  onSubmit(verify, "verify_ledger", (form) => texts(form, ["head"]), (found) => [
    make("p", { class: "lead" }, found.sentence), facts([["Head", found.head]])]);
  const run = runner(verify);
  for (const each of /** @type {NodeListOf<HTMLElement>} */ (verify.querySelectorAll("[data-export]"))) {
    const kind = each.dataset.export ?? "";
    each.addEventListener("click", () => run(async (signal) => {
      const found = await ask("export_ledger", { kind }, signal);
      saveText(found.text, found.name, kind === "csv" ? "text/csv" : "application/json");
      return `Saved as ${found.name}.`;
    }));
  }
}

/**
 * The compositions and neighbours that a budget may have, each with its sentence.
 * @param {HTMLElement} section
 * @param {import("./state.js").Facts} known
 */
export function offer(section, known) {
  const form = /** @type {HTMLFormElement} */ (the("#create", section));
  for (const [name, choices] of Object.entries(known.choices)) {
    const select = field(form, name);
    select.replaceChildren(...choices.map(([value]) => make("option", { value }, value)));
    const say = () => { the(".hint", select.closest(".field") ?? form).textContent = choices.find(([value]) => value === select.value)?.[1] ?? ""; };
    select.addEventListener("change", say);
    form.addEventListener("reset", () => setTimeout(say));
    say();
  }
  const adapt = () => {
    for (const [name, shown] of Object.entries({ epsilon: !isExact(form), schedule: isExact(form), categories_at_least: isExact(form) })) {
      const input = field(form, name);
      input.disabled = !shown;
      /** @type {HTMLElement} */ (input.closest(".field")).hidden = !shown;
    }
  };
  field(form, "composition").addEventListener("change", adapt);
  form.addEventListener("reset", () => setTimeout(adapt));
  adapt();
}

/** Whether a schedule is asked for, whose ε is worked out. @param {HTMLFormElement} form */
function isExact(form) {
  return field(form, "composition").value === "exact";
}

/** @param {any} found */
function show(found) {
  const { accounts, left, slots, history, sealed, unfinished } = found.shown;
  const rows = found.history;
  const open = unfinished.map((/** @type {any} */ one) => make("li", {}, `${one.dataset}, request ${one.request_id} `,
    button("Finish it for free", () => finish(one.dataset, one.request_id))));
  return [
    table(accounts, { kind: "texts", heading: "Left, drawn", extra: (i) => (slots[i].length ? squares(slots[i]) : gauge(accounts.rows[i][0], left[i])) }),
    ...(open.length ? [make("h3", {}, "Charged, and not finished"), make("ul", { class: "unfinished" }, open)] : []),
    facts([["Head: keep it elsewhere, and it tells whether rows were dropped or forged", found.head]]),
    table(history, { kind: "texts", heading: "Receipt", extra: (i) => (sealed[i] ? button("Read", async () => {
      const { text } = await ask("sealed", { request_id: rows[i].request_id });
      take([{ name: rows[i].request_id, text }]);
    }, { "aria-label": `Read the receipt of row ${rows[i].seq}` }) : "") }),
  ];
}

/** @param {string} dataset @param {number} left A picture only; the numbers beside it are exact. */
function gauge(dataset, left) {
  const text = `${Math.round(100 * left)} % left`;
  return make("meter", { min: 0, max: 1, value: left, title: text, "aria-label": `${dataset}: ${text}` });
}

/** @param {[string, string][]} slots Each kind in words, and drawn for those who see. */
function squares(slots) {
  return make("ul", { class: "slots" }, slots.map(([words, drawn]) => make("li", {}, make("span", { "aria-hidden": "true" }, drawn), ` ${words}`)));
}
