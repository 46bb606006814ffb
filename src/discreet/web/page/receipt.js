// A receipt, checked, and what its reader may believe.

import { intervalChart } from "/charts.js";
import { facts, make, plain, table } from "/dom.js";
import { numbers, onSubmit } from "/ask.js";

export function start(section) {
  onSubmit(section, "infer", read, (found) => showReceipt(found.receipt, found.belief, "The receipt holds what it says."));
}

async function read(form) {
  const file = form.elements.file.files[0];
  if (!file) throw new Error("choose a receipt first");
  return { receipt: await file.text(), ...numbers(form, ["prior"]) };
}

export function showReceipt(receipt, belief, lead) {
  const parts = belief.columns ?? [belief];
  return [
    make("p", { class: "lead" }, lead),
    facts([
      ["Title", receipt.title],
      ["Question", (receipt.parts ?? [receipt]).map((part) => part.question).filter(Boolean).join(" ")],
      ["Source", receipt.source_name],
      ["Released", receipt.released_at],
      ["Privacy loss ε", plain(receipt.epsilon_exact)],
      ["One unit is", receipt.unit ?? receipt.parts?.[0].unit],
      ["Neighbours", receipt.adjacency],
      ["Records n", receipt.n.toLocaleString("en")],
      ["Mechanism", receipt.mechanism?.name],
      ["Dataset", receipt.dataset],
      ["Request", receipt.request_id],
      ["Certificate", receipt.certificate?.digest],
      ["Cite as", receipt.citation],
    ]),
    ...parts.flatMap((part, i) => beliefs(part, receipt.parts?.[i] ?? receipt)),
  ];
}

// In the order of the receipt, which is that of the prior: an object of JavaScript would put 2 before 10.
function beliefs(part, { categories, groups }) {
  const named = part.groups ? groups.map((group) => [group, part.noise_aware[group]]) : [["", part.noise_aware]];
  const found = named.flatMap(([group, rows]) => {
    const title = [part.column, group && `${part.by} = ${group}`].filter(Boolean).join(", ");
    return [...(title ? [make("h3", {}, title)] : []), ...shares(categories.map((name) => [name, rows[name]]))];
  });
  const said = `Exact up to ${Number(part.error.toPrecision(2))} in any probability, by ${part.method}.`;
  return [...found, make("p", { class: "note" }, said)];
}

function shares(listed) {
  const chart = intervalChart(listed.map(([name, row]) => ({
    name, mean: row.mean, low: row.interval[0], high: row.interval[1],
    plugLow: row.interval_plug_in[0], plugHigh: row.interval_plug_in[1],
  })));
  const percent = (value) => `${(100 * value).toFixed(2)} %`;
  const range = ([low, high]) => `${percent(low)} – ${percent(high)}`;
  const headings = ["Category", "Mean", "Standard deviation", "95 % interval, noise included", "At face value, noise not included"];
  const cells = listed.map(([name, row]) => [
    name, percent(row.mean), percent(row.sd), range(row.interval), range(row.interval_plug_in),
  ]);
  return [chart, table("What a reader may believe", headings, cells)];
}
