"""A receipt as records that others ask for: the registry of deployments, linked data, and a methods section.

What a receipt cannot know, such as who publishes it or what for, is left as a blank with its name, to be filled in by
hand. Nothing here looks at anything but the receipt, so every record may be published.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from discreet.arithmetic.texts import join_names, visible_text
from discreet.arithmetic.words import exact_text
from discreet.errors import InvalidInput, NotPrivate
from discreet.receipts.bundle import Bundle
from discreet.receipts.receipt import Receipt, readable
from discreet.receipts.words import certificates, changed, is_drawn, is_private, methods, selection, treatment

FORMATS = ("registry", "jsonld", "methods")

CONTEXT = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "dct": "http://purl.org/dc/terms/",
    "prov": "http://www.w3.org/ns/prov#",
    "citeAs": "cr:citeAs",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "field": "cr:field",
    "key": "cr:key",
    "recordSet": "cr:recordSet",
}
"""Croissant 1.0 is schema.org with a few words of its own; PROV says where a release is from."""


def export(receipt: Receipt | Bundle, format_: str) -> str:
    """The record in one of the `FORMATS`: YAML, JSON-LD or Markdown.

    >>> from discreet.requests.run import release_counts
    >>> receipt = release_counts([60, 40], epsilon=1, categories=["yes", "no"], title="A vote")
    >>> print(*export(receipt, "registry").splitlines()[:3], sep="\\n")
    url_slug: "a-vote"
    status: "Draft"
    tier: 3
    """
    document = readable(receipt).document
    if not is_drawn(document):
        raise InvalidInput("nothing was drawn for this receipt", hint="it is the preview of a release")
    if not is_private(document):
        raise NotPrivate("this release has no guarantee", hint="export one that has")
    if format_ == "registry":
        return "\n".join(_yaml(_registry(document))) + "\n"
    if format_ == "jsonld":
        digest = hashlib.sha256(f"{receipt.to_json()}\n".encode()).hexdigest()
        return json.dumps(_linked(document, digest), indent=2) + "\n"
    if format_ == "methods":
        return _markdown(document)
    raise InvalidInput(f"format must be one of {', '.join(FORMATS)}", hint="choose one", parameter="format")


def _name(document: dict[str, Any]) -> str:
    return str(document["title"] or document.get("question") or "Category shares")


def _parts(document: dict[str, Any]) -> list[dict[str, Any]]:
    return list(document.get("parts", [document]))


def _blank(field: str, hint: str) -> str:
    return f"[{field}: {hint}]"


def _date(document: dict[str, Any]) -> str:
    released = document["released_at"]
    return _blank("publication_date", "YYYY-MM-DD") if released is None else str(released)[:10]


def _registry(document: dict[str, Any]) -> dict[str, Any]:
    """The record of the public registry of deployments, as its schema of 2026 names the fields."""
    parts = _parts(document)
    mechanisms = ", ".join(dict.fromkeys(part["mechanism"]["name"] for part in parts))
    digests = ", ".join(one["digest"][:16] for one in certificates(document))
    loss = {"epsilon": document["epsilon"], **({"delta": document["delta"]} if document["delta"] else {})}
    letters = (letter if letter.isascii() and letter.isalnum() else "-" for letter in _name(document).lower())
    charged = document["dataset"] is not None
    return {
        "url_slug": "-".join(word for word in "".join(letters).split("-") if word) or "release",
        "status": "Draft",
        "tier": 3,
        "deployment": {
            "basic": {
                "name": _name(document),
                "data_curators": [_blank("data_curators", "who publishes it")],
                "intended_use": _blank("intended_use", "what it is meant for"),
                "data_product_type": "Summary statistics",
                "data_product_region": _blank("data_product_region", "the region that the data describes"),
                "description": " ".join(part["question"] for part in parts),
                "publication_date": _date(document),
            },
            "dp_variant": {
                "variant_name": "Approximate DP" if document["delta"] else "Pure DP",
                "data_domain": _domain(document),
                "unprotected_quantities": _unprotected(document),
            },
            "privacy_loss": {
                "privacy_unit": str(document["unit"]).partition(",")[0],
                "privacy_unit_details": f"Adjacency {document['adjacency']}: between neighbouring data sets, "
                f"{changed(document)}.",
                "privacy_parameters": loss,
                "privacy_parameters_details": f"ε is exactly {exact_text(Fraction(document['epsilon_exact']))}: the "
                f"worst case over all such data sets. Certificates: {digests}.",
            },
            "deployment_model": {
                "model_name": "Central",
                "actors": _blank("actors", "who sees the data, and who is trusted"),
                "release_type": "One release",
                "release_type_details": _blank("release_type_details", "further releases from the same people"),
                "data_source_type": "Static",
                "access_type": "Non-interactive",
            },
            "accounting": {
                "post_processing": "Posteriors and intervals are computed from the output alone.",
                "composition": f"Charged to the budget of {document['dataset']}."
                if charged
                else "No budget was charged.",
            },
            "implementation": {
                "preprocessing_and_hyperparameter_tuning": " ".join(
                    sentence for part in parts for sentence in (*selection(part), treatment(part))
                ),
                "mechanisms": f"{mechanisms}, by discreet {document['version']}: exact rational and interval "
                "arithmetic, and exact samplers on the operating system's randomness.",
                "justification": _blank("justification", "how ε was chosen, and by whom"),
            },
            "administrative": {
                "sources": document["source_name"] or _blank("sources", "papers, pages, or the receipt's address"),
                "notes": str(document["citation"] or ""),
                "registry_authors": [_blank("registry_authors", "who wrote this record")],
            },
        },
    }


def _domain(document: dict[str, Any]) -> str:
    columns = (
        f"{column or 'counts'} in {join_names(labels)}"
        for part in _parts(document)
        for column, labels in _columns(part)
    )
    of = " × ".join(columns) if "axes" in document else "; ".join(columns)
    n = document.get("n")
    return f"Data sets of {'any number of' if n is None else f'{n:,}'} records: {of}."


def _columns(part: dict[str, Any]) -> list[tuple[str | None, list[str]]]:
    """The column that was counted, or those of a cross table, with their labels."""
    if "axes" in part:
        return [(axis["column"], axis["labels"]) for axis in part["axes"]]
    return [(part["column"], part["categories"])]


def _blocks(part: dict[str, Any]) -> str | None:
    """What the shares are told by, if not all at once: groups, or the columns of a cross table."""
    return "column" if "axes" in part else None if part["groups"] is None else "group"


def _unprotected(document: dict[str, Any]) -> str:
    public = ["the categories", "the prior", "the mechanism and its parameters", "that a release took place"]
    if document.get("n") is not None:
        public.insert(0, "the number of records")
    if any(part.get("rates") for part in _parts(document)):
        public.append("the exposures")
    if any(part.get("group_sizes") is not None for part in _parts(document)):
        public.append("how many records each group has")
    return f"{', '.join(public)[:1].upper()}{', '.join(public)[1:]}."


def _linked(document: dict[str, Any], digest: str) -> dict[str, Any]:
    """A Croissant description of the released shares, with their provenance by PROV."""
    record_sets = [_records(part, i) for i, part in enumerate(_parts(document), start=1)]
    return {
        "@context": CONTEXT,
        "@type": ["sc:Dataset", "prov:Entity"],
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": _name(document),
        "description": methods(document),
        "citeAs": document["citation"],
        "datePublished": _date(document),
        "version": document["version"],
        "license": _blank("license", "the licence of the release"),
        "url": _blank("url", "where the receipt is published"),
        "distribution": [
            {
                "@type": "cr:FileObject",
                "@id": "receipt",
                "name": "receipt",
                "description": "The receipt, with which anybody can verify the release.",
                "contentUrl": _blank("contentUrl", "where the receipt is published"),
                "encodingFormat": "application/json",
                "sha256": digest,
            }
        ],
        "recordSet": record_sets,
        "prov:wasGeneratedBy": {
            "@type": "prov:Activity",
            "name": f"differentially private release, ε = {exact_text(Fraction(document['epsilon_exact']))}",
            "identifier": document["request_id"],
            "prov:endedAtTime": document["released_at"],
            "prov:wasAssociatedWith": {
                "@type": "prov:SoftwareAgent", "name": "discreet", "softwareVersion": document["version"]
            },
            "prov:used": {"@type": "prov:Entity", "name": document["source_name"] or document["dataset"]},
        },
    }  # fmt: skip


def _records(part: dict[str, Any], number: int) -> dict[str, Any]:
    names = {"category": "sc:Text", "mean": "sc:Float", "low": "sc:Float", "high": "sc:Float"}
    block = _blocks(part)
    names = names if block is None else {block: "sc:Text", **names}
    return {
        "@type": "cr:RecordSet",
        "@id": f"shares-{number}",
        "name": f"shares-{number}",
        "description": f"{part['question']} Mean and 95 % interval, {part['interval_kind']}.",
        "key": [{"@id": f"shares-{number}/{name}"} for name in names if names[name] == "sc:Text"],
        "field": [
            {"@type": "cr:Field", "@id": f"shares-{number}/{name}", "name": name, "dataType": kind}
            for name, kind in names.items()
        ],
        "data": [{f"shares-{number}/{name}": row[name] for name in names} for row in _shares(part)],
    }


def _shares(part: dict[str, Any]) -> Iterator[dict[str | None, Any]]:
    """The shares, or the rates, one for each row."""
    if part.get("rates"):
        for group, row in (part["rates"]["belief"] or {}).items():
            yield {"category": group, "mean": row["mean"], "low": row["interval"][0], "high": row["interval"][1]}
        return
    block = _blocks(part)
    blocks = {None: part["belief"]} if block is None else part["belief"]
    for group, rows in blocks.items():
        for category, row in rows.items():
            low, high = row["interval"] or (None, None)
            yield {block: group, "category": category, "mean": row["mean"], "low": low, "high": high}


def _markdown(document: dict[str, Any]) -> str:
    lines = [f"## {_cell(_name(document))}", "", _cell(methods(document))]
    for part in _parts(document):
        lines += ["", f"{_cell(part['question'])} ({part['interval_kind']})", ""]
        block = _blocks(part)
        group = [] if block is None else [block]
        lines += [f"| {' | '.join([*group, 'category', 'mean', '95 % interval'])} |", f"|{'---|' * (3 + len(group))}"]
        for row in _shares(part):
            ends = "–" if row["low"] is None else f"{100 * row['low']:.2f} – {100 * row['high']:.2f} %"
            names = [_cell(str(row[name])) for name in (*group, "category")]
            mean = f"{100 * row['mean']:.2f} %"
            if part.get("rates"):
                mean, ends = f"{row['mean']:.4g}", f"{row['low']:.4g} – {row['high']:.4g}"
            lines.append(f"| {' | '.join([*names, mean, ends])} |")
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    """A text in Markdown: shown, and not obeyed, whoever wrote it."""
    text = visible_text(text)
    for sign in ("\\", "|", "*", "_", "`", "<", "[", "]", "#"):
        text = text.replace(sign, f"\\{sign}")
    return " ".join(text.split())


def _yaml(value: Any, indent: str = "") -> Iterator[str]:
    """Lines of YAML. Every text is a JSON string, which YAML reads alike."""
    for key, item in value.items():
        if isinstance(item, dict):
            yield f"{indent}{key}:"
            yield from _yaml(item, f"{indent}  ")
        elif isinstance(item, list):
            yield f"{indent}{key}:"
            yield from (f"{indent}  - {_scalar(one)}" for one in item)
        else:
            yield f"{indent}{key}: {_scalar(item)}"


def _scalar(value: object) -> str:
    return json.dumps(visible_text(value) if isinstance(value, str) else value, ensure_ascii=False)
