// `discreet audit`: the exact loss of one mechanism.

import { facts, make } from "/dom.js";
import { loss } from "/plan.js";
import { numbers, onSubmit } from "/ask.js";

export function start(section) {
  onSubmit(section, "audit", read, show);
}

function read(form) {
  const asked = numbers(form, ["prior", "n", "epsilon", "gamma"]);
  return { ...asked, mechanism: form.elements.mechanism.value, calibrated: form.elements.calibrated.checked };
}

function show(found) {
  const worst = found.worst === null ? [] : Object.entries(found.worst).map(([what, at]) => [`Worst ${what}`, at.join(", ")]);
  const verdict = found.private
    ? `It keeps ε = ${loss(found.asked_epsilon)}.`
    : "It does not keep the ε that was asked for.";
  return [
    make("p", { class: found.private ? "lead" : "lead warning" }, verdict),
    facts([
      [found.worst === null ? "Loss, at most" : "Exact loss ε", found.exact_epsilon === null ? "infinite" : loss(found.exact_epsilon)],
      ["Guarantee claimed", found.guarantee === null ? "none" : loss(found.guarantee)],
      ...worst,
      ...Object.entries(found.parameters).map(([name, value]) => [name.replaceAll("_", " "), value]),
      ["Certified by", found.certificate.method],
      ["Statement", found.certificate.statement],
      ["Certificate", found.certificate.digest],
    ]),
  ];
}
