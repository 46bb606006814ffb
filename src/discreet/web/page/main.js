// Which step is shown, what this server lets the page do, and the sentence behind each mark.

import { ask } from "./ask.js";
import * as audit from "./audit.js";
import * as budgets from "./budgets.js";
import * as data from "./data.js";
import { field, formOf, make, the, visible } from "./dom.js";
import * as price from "./price.js";
import * as question from "./question.js";
import * as read from "./read.js";
import * as release from "./release.js";
import { state } from "./state.js";

const parts = { data, question, price, release, read, budgets, audit };
/** @type {Record<string, HTMLElement>} */
const sections = Object.fromEntries(Object.keys(parts).map((name) => [name, the(`#${name}`)]));
let first = "price";
let open = new Set(["price", "read", "audit"]);
let current = "";

function turn() {
  const wanted = location.hash.slice(1);
  if (wanted === "main") return; // the skip link
  const name = open.has(wanted) ? wanted : first;
  for (const [each, section] of Object.entries(sections)) section.hidden = each !== name;
  for (const link of /** @type {NodeListOf<HTMLAnchorElement>} */ (document.querySelectorAll("nav a"))) {
    if (link.hash === `#${name}`) link.setAttribute("aria-current", "step");
    else link.removeAttribute("aria-current");
  }
  document.title = `${the(`#${name} h2`).textContent} – discreet`;
  if (current && current !== name) {
    the(`#${name} h2`).focus(); // whoever does not see the page is told where they are
    scrollTo(0, 0);
  }
  current = name;
  sections[name].dispatchEvent(new Event("shown"));
  if (name === "budgets") formOf(sections.budgets).requestSubmit();
}

/** @param {string} text */
function tell(text) {
  the("#about").textContent = visible(text);
}

/** @param {Record<string, string>} terms */
function explain(terms) {
  for (const place of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-term]"))) {
    const term = place.dataset.term ?? "";
    const name = { epsilon: "ε", delta: "δ" }[term] ?? term;
    place.replaceWith(make("details", { class: "term" },
      make("summary", { "aria-label": `What is ${name}?` }, "?"), make("p", {}, (terms[term] ?? "").replaceAll("`", ""))));
  }
}

for (const [name, part] of Object.entries(parts)) part.start(sections[name]);
addEventListener("hashchange", turn);

try {
  /** @type {import("./state.js").Facts} */
  const facts = await ask("facts");
  state.maxUpload = facts.max_upload;
  for (const name of ["price", "audit"]) {
    field(formOf(sections[name]), "mechanism").replaceChildren(
      ...facts.mechanisms.map((each) => make("option", { value: each, selected: each === "geometric" }, each)));
  }
  const has = { ledger: facts.ledger !== null, release: facts.may_release };
  for (const place of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-needs]"))) {
    place.hidden = !has[/** @type {"ledger" | "release"} */ (place.dataset.needs)];
    const link = place.querySelector("a");
    if (!place.hidden && link && place.localName === "li") open.add(link.hash.slice(1));
  }
  if (facts.may_release) first = "data";
  explain(facts.terms);
  price.offer(sections.price, facts);
  budgets.offer(sections.budgets, facts);
  if (facts.may_release) await release.refresh(sections.release);
  tell(`discreet ${facts.version}, on this machine alone${facts.ledger === null ? "" : `; budgets in ${facts.ledger}`}`);
} catch (failure) {
  tell(failure instanceof Error ? failure.message : "the page cannot start");
  the("#about").classList.add("error");
}
turn();
document.body.dataset.ready = "yes";
