// `discreet audit`: the exact loss of one mechanism.

import { numbers, onSubmit } from "./ask.js";
import { facts, field, make } from "./dom.js";

/** Certificates keep the name that this parameter had when the first were written. @type {Record<string, string>} */
const PARAMETERS = { way: "postprocess" };

/** @param {HTMLElement} section */
export function start(section) {
  onSubmit(section, "audit", (form) => ({
    ...numbers(form, ["prior", "n", "epsilon", "gamma", "delta"]),
    mechanism: field(form, "mechanism").value, calibrated: field(form, "calibrated").checked,
  }), show);
}

/** @param {any} found */
function show(found) {
  /** @type {[string, number[]][]} */
  const worst = found.worst === null ? [] : Object.entries(found.worst);
  const { exact_epsilon: loss, guarantee, asked_epsilon: asked } = found.shown;
  return [
    make("p", { class: found.private ? "lead" : "lead warning" },
      found.private ? `It keeps ε = ${asked}.` : "It does not keep the ε that was asked for."),
    facts([
      [found.worst === null ? "Loss, at most" : "Exact loss ε", loss ?? "infinite"],
      ["Guarantee claimed", guarantee ?? "none"],
      ...worst.map(([what, at]) => /** @type {[string, string]} */ ([`Worst ${what}`, at.join(", ")])),
      ...Object.entries(found.parameters).map(([name, value]) => /** @type {[string, string]} */ ([PARAMETERS[name] ?? name.replaceAll("_", " "), String(value)])),
      ["Certified by", found.certificate.method],
      ["Statement", found.certificate.statement],
      ["Certificate", found.certificate.digest],
    ]),
  ];
}
