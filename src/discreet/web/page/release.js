// `discreet release` in two steps: the price, and then, if it is agreed to, the charge and the draw.

import { ask, lines, numbers, onSubmit, texts } from "/ask.js";
import { facts, make, plain, visible } from "/dom.js";
import { digits } from "/plan.js";
import { showReceipt } from "/receipt.js";

const UNSAVED = "asked"; // where the request of a release is kept until its receipt is

export function start(section) {
  let asked = null;
  const read = (form) => {
    for (const old of section.querySelectorAll(".spend")) old.disabled = true; // its answer would be replaced
    asked = {
      ...texts(form, ["source", "delimiter", "encoding", "column", "other", "missing", "mechanism", "dataset", "id_column", "by"]),
      ...numbers(form, ["prior", "epsilon"]),
      categories: lines(form.elements.categories.value),
      groups: lines(form.elements.groups.value),
      group_public: form.elements.group_public.checked,
      no_header: form.elements.no_header.checked,
      again: form.elements.again.checked,
    };
    return asked;
  };
  onSubmit(section, "price", read, (found) => price(section, found, asked));
  section.querySelector("form button").disabled = false; // Firefox keeps what it was before a reload
  const unsaved = sessionStorage.getItem(UNSAVED);
  if (unsaved) section.querySelector(".answer").replaceChildren(again(section, JSON.parse(unsaved)));
}

// A release of before the page was reloaded: to begin anew would be to pay twice.
function again(section, asked) {
  const box = make("div", { class: "price" },
    make("p", { class: "lead" }, "A release was asked for, and its receipt was not saved."),
    facts([["Request", asked.request_id], ["Dataset", asked.dataset], ["Table", asked.source], ["Column", asked.column]]));
  return agreed(section, box, asked, "Ask again: it is the same request, charged once");
}

export async function refresh(section) {
  const { datasets } = await ask("budgets");
  const select = section.querySelector("[name=dataset]");
  select.replaceChildren(...datasets.map((row) => make("option", { value: row.dataset }, row.dataset)));
}

function price(section, found, asked) {
  const { document: plan } = found;
  const box = make("div", { class: "price" },
    make("p", { class: "lead" }, `This will cost ε = ${plain(plan.epsilon_exact)} of what ${asked.dataset} may spend.`),
    facts([
      ["Left of it now", `ε = ${plain(found.remaining.epsilon)}`],
      ["One unit is", plan.unit],
      ["Neighbours", plan.adjacency],
      ["Records n, which are published", plan.n.toLocaleString("en")],
      ["Mechanism", plan.mechanism.name],
      ["Categories, which are published", plan.categories.join(", ")],
      ["Groups, which are published", asked.groups.join(", ")],
      ...accuracy(plan.accuracy),
      ["Request", found.request_id],
    ]));
  const request = { ...asked, request_id: found.request_id, digest: found.digest };
  return [agreed(section, box, request, `Charge ε = ${plain(plan.epsilon_exact)} and release`)];
}

// The box, with the button that spends. Until the answer is there, nothing takes its place.
function agreed(section, box, request, words) {
  const agree = make("button", { type: "button", class: "spend" }, words);
  const status = make("p", { role: "status", class: "status" });
  const price = section.querySelector("form button");
  agree.addEventListener("click", async () => {
    section.classList.remove("failed");
    sessionStorage.setItem(UNSAVED, JSON.stringify(request));
    price.disabled = true;
    agree.disabled = true; // asked twice, it would be the same request, and cost nothing more
    status.textContent = "charging, counting, drawing …";
    try {
      const done = await ask("release", request);
      const shown = make("div", { class: "released", tabindex: "-1" }, saved(done), make("p", {}, "Released. Reading it …"));
      box.replaceWith(shown);
      shown.focus(); // the button that had it is gone
      shown.lastChild.replaceWith(...(await told(done)));
    } catch (failure) {
      agree.disabled = false;
      status.textContent = failure.message;
      section.classList.add("failed");
    } finally {
      price.disabled = false;
    }
  });
  box.append(agree, status);
  return box;
}

// What was released is shown even where nothing more can be said of it.
async function told(done) {
  const lead = "Released. What is shown here may be published.";
  try {
    return showReceipt(done.receipt, (await ask("infer", { receipt: done.text })).belief, lead);
  } catch (failure) {
    return [...showReceipt(done.receipt, { columns: [] }, lead), make("p", { class: "note" }, failure.message)];
  }
}

// One statement, or one for each public group.
function accuracy(stated, group = "") {
  if (!stated) return [];
  if (stated.what === undefined) return Object.entries(stated).flatMap(([name, own]) => accuracy(own, name));
  const of = group ? `, ${group}` : "";
  return [
    [`Expected error${of}`, `${digits(stated.mean)}${stated.error > 1e-6 ? ` ± ${digits(stated.error, 1)}` : ""}`],
    [`95 % of releases stay below${of}`, digits(stated.quantile_95)],
    [`Error means${of}`, stated.what],
  ];
}

function saved({ text, receipt }) {
  const file = new Blob([text, "\n"], { type: "application/json" });
  const name = visible(`receipt-${receipt.request_id}.json`);
  const link = make("a", { href: URL.createObjectURL(file), download: name, class: "save" }, "Save the receipt");
  link.addEventListener("click", () => sessionStorage.removeItem(UNSAVED));
  return make("p", {}, link);
}
