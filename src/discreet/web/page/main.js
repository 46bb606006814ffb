// Which part of the page is shown, and what this server lets it do.

import { ask } from "/ask.js";
import { make, visible } from "/dom.js";
import * as audit from "/audit.js";
import * as budgets from "/budgets.js";
import * as plan from "/plan.js";
import * as receipt from "/receipt.js";
import * as release from "/release.js";

const parts = { plan, audit, receipt, budgets, release };
const sections = Object.fromEntries(Object.keys(parts).map((name) => [name, document.getElementById(name)]));
let open = new Set(["plan", "audit", "receipt"]);

function turn() {
  const wanted = location.hash.slice(1);
  const name = open.has(wanted) ? wanted : "plan";
  for (const [each, section] of Object.entries(sections)) section.hidden = each !== name;
  for (const link of document.querySelectorAll("nav a")) {
    if (link.hash === `#${name}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  if (name === "budgets") sections.budgets.querySelector("form").requestSubmit();
}

function tell(text) {
  document.getElementById("about").textContent = visible(text);
}

for (const [name, part] of Object.entries(parts)) part.start(sections[name]);
addEventListener("hashchange", turn);

try {
  const facts = await ask("facts");
  for (const select of document.querySelectorAll("[name=mechanism]")) {
    select.replaceChildren(...facts.mechanisms.map((name) => make("option", { value: name, selected: name === "geometric" }, name)));
  }
  const has = { ledger: facts.ledger !== null, release: facts.may_release };
  for (const link of document.querySelectorAll("[data-needs]")) {
    link.hidden = !has[link.dataset.needs];
    if (!link.hidden) open.add(link.hash.slice(1));
  }
  if (facts.may_release) await release.refresh(sections.release);
  tell(`discreet ${facts.version}, on this machine alone${facts.ledger === null ? "" : `; budgets in ${facts.ledger}`}`);
} catch (failure) {
  tell(failure.message);
  document.getElementById("about").classList.add("error");
}
turn();
document.body.dataset.ready = "yes";
