"""What `discreet snap` prints and paints: documents for programs, tables for people, and pictures."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from discreet.arithmetic.numbers import exact, float_upper
from discreet.cli.outputs import print_answer, print_table, say
from discreet.mechanisms.snapping.number import Snapping
from discreet.mechanisms.snapping.proof import Certificate, Verdict
from discreet.receipts import plain
from discreet_papers.verification.attack import FloatLaplace, SnappingAdapter, scan

LABELS = {
    "output": "output",
    "exact_epsilon": "exact loss",
    "ideal_epsilon": "ideal loss |a-b|/λ",
    "excess": "listed loss less ideal",
    "bound_epsilon": "Mironov's bound",
    "certified_epsilon": "proved for all adjacent values",
    "epsilon_exact": "ε asked for",
    "scale": "noise scale λ, in sensitivities",
    "lattice": "lattice Λ, in sensitivities",
    "bound": "bound",
    "sensitivity": "sensitivity",
    "value": "value",
    "neighbour": "neighbour",
    "worst_output": "worst output",
    "mass_is_one": "masses sum to exactly 1",
    "complete": "every output listed",
    "holds": "within ε",
}


def parameters(snapping: Snapping) -> dict[str, Any]:
    return {
        "epsilon": float_upper(snapping.epsilon),
        "epsilon_exact": str(snapping.epsilon),
        "bound": plain(snapping.bound),
        "sensitivity": plain(snapping.sensitivity),
        "scale": snapping.scale,
        "lattice": snapping.lattice,
        "bound_epsilon": float_upper(snapping.guarantee),
    }


def release_document(snapping: Snapping, output: float) -> dict[str, Any]:
    """A release: the output and public values."""
    return {"output": output, "mechanism": snapping.name, **parameters(snapping)}


def verify_document(
    snapping: Snapping, verdict: Verdict, everywhere: Certificate | None, at_epsilon: list[str]
) -> dict[str, Any]:
    """The exact loss of a pair; or, for all pairs, what is proved and the worst pair that was verdict."""
    deltas = [(float(exact(at, "at_epsilon", minimum=0)), float(verdict.delta(at))) for at in at_epsilon]
    return {
        "exact_epsilon": verdict.exact_epsilon if everywhere is None else everywhere.exact_epsilon,
        "ideal_epsilon": float(verdict.ideal),
        "excess": verdict.excess,
        "certified_epsilon": float_upper(verdict.certified),
        "mass_is_one": verdict.mass_is_one,
        "complete": verdict.complete,
        "holds": verdict.holds if everywhere is None else everywhere.holds,
        "value": plain(verdict.value),
        "neighbour": plain(verdict.neighbour),
        "worst_output": verdict.worst,
        "delta": [{"epsilon": epsilon, "delta": delta} for epsilon, delta in deltas],
        "all_values": everywhere is not None,
        **parameters(snapping),
    }


def attack_document(laplace: FloatLaplace, snapping: Snapping, value: str, neighbour: str) -> dict[str, Any]:
    """The attack on both mechanisms: a concrete output, its exact probability, and how many others there are."""
    porous, snapped = scan(laplace, value, neighbour), scan(SnappingAdapter(snapping), value, neighbour)
    first = dict.fromkeys(("output", "output_hex", "probability", "neighbour_probability"))
    if porous.pores:
        output, chance = porous.pores[0].output, porous.pores[0].probability
        facts = (output, output.hex(), f"{chance.mantissa}·2^{chance.exponent}", "0")
        first = dict(zip(first, facts, strict=True))
    return {
        "float_laplace": {
            "infinite": bool(porous.pores),
            **first,
            "tried": porous.tried,
            "pores": len(porous.pores),
            "exact_uniforms": laplace.exact_uniforms,
        },
        "snapping": {
            "infinite": bool(snapped.pores),
            "tried": snapped.tried,
            "pores": len(snapped.pores),
            "exact_epsilon": snapping.verify(value, neighbour).exact_epsilon,
            "certified_epsilon": snapping.verify_all().exact_epsilon,
            **parameters(snapping),
        },
        "value": value,
        "neighbour": neighbour,
    }


def print_document(document: dict[str, Any], title: str) -> None:
    """A release or a verification for people."""
    certain = document.get("complete", True) and not document.get("all_values", False)
    labels = LABELS if certain else LABELS | {"exact_epsilon": "loss, at most"}
    rows = [(label, _text(document[key])) for key, label in labels.items() if key in document]
    rows += [(f"δ at ε = {row['epsilon']:g}", f"{row['delta']:.6g}") for row in document.get("delta", [])]
    print_table(title, {"what": "left", "value": "right"}, rows)


def print_attack(document: dict[str, Any]) -> None:
    """The attack for people: sentences, because each says what follows."""
    porous, snapped = document["float_laplace"], document["snapping"]
    value, neighbour = document["value"], document["neighbour"]
    say(f"float Laplace, ε = {snapped['epsilon_exact']}, value {value} against {neighbour}")
    if porous["infinite"]:
        say(
            f"  output {porous['output']!r} = {porous['output_hex']}",
            f"  from value {value}: probability {porous['probability']}, exactly",
            f"  from value {neighbour}: impossible. The loss is infinite.",
        )
    say(
        f"  {porous['pores']} of {porous['tried']} outputs tried give the value away",
        f"snapping at the same ε, bound {snapped['bound']}",
        f"  {snapped['pores']} of {snapped['tried']} outputs tried give the value away",
        f"  exact loss of this pair: {snapped['exact_epsilon']!r}",
        f"  proved for all adjacent values: at most {snapped['certified_epsilon']!r}",
    )


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return repr(value) if isinstance(value, float) else str(value)


def show(document: dict[str, Any], title: str, plot: Path | None, *, as_json: bool) -> None:
    """Print a document, for programs or for people, and what was painted."""
    printer = print_attack if "float_laplace" in document else partial(print_document, title=title)
    print_answer(document, printer, as_json=as_json, written=[plot])
