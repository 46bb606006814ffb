// `discreet ledger show`: budgets, and the newest rows.

import { facts, make, plain, table } from "/dom.js";
import { onSubmit } from "/ask.js";

export function start(section) {
  onSubmit(section, "budgets", () => ({}), show);
}

function show(found) {
  const amount = ({ epsilon, delta }) => `ε = ${plain(epsilon)}${delta === "0" ? "" : `, δ = ${plain(delta)}`}`;
  const cells = found.datasets.map((row) => [
    row.dataset, gauge(row), amount(row.budget), amount(row.spent), amount(row.remaining), row.composition, row.adjacency,
    String(row.charges), String(row.charges - row.sealed),
  ]);
  const headings = ["Dataset", "", "Budget", "Spent", "Left", "Composition", "Neighbours", "Charges", "Without a seal"];
  const rows = found.history.map((row) => [
    String(row.seq), row.time.replace("T", " ").replace("+00:00", ""), row.kind, row.dataset,
    row.epsilon === null ? "" : `ε = ${plain(row.epsilon)}`, row.request_id ?? "", row.hash.slice(0, 12),
  ]);
  return [
    table(`Budgets of ${found.ledger}`, headings, cells),
    facts([["Head: keep it elsewhere, and it tells whether rows were dropped or forged", found.head]]),
    table("Newest rows", ["Row", "Time (UTC)", "Kind", "Dataset", "Amount", "Request", "Hash"], rows, "texts"),
  ];
}

function fraction(text) {
  const [top, bottom] = text.split("/").map(Number);
  return bottom === undefined ? top : top / bottom;
}

// How much is left: a picture only, the numbers beside it are exact.
function gauge(row) {
  const whole = fraction(row.budget.epsilon);
  const left = Math.min(fraction(row.remaining.epsilon) / whole, 1);
  return make("meter", { min: 0, max: 1, value: left, title: `${Math.round(100 * left)} % left` });
}
