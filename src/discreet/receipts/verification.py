"""What a receipt says, derived anew and compared: its certificates, its accuracy, and every other field."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from datetime import datetime
from fractions import Fraction
from typing import Any

from discreet.arithmetic.numbers import fraction_lower, precision
from discreet.arithmetic.texts import MAX_NAME_CHARS, visible_text
from discreet.counting import Filter
from discreet.errors import InvalidInput, NotPrivate
from discreet.mechanisms import Mechanism, Released
from discreet.posteriors import Dirichlet
from discreet.privacy_loss import Certificate, Price, audit, certificate_by_theorem
from discreet.receipts.agreement import agree
from discreet.receipts.beliefs import rate_terms
from discreet.receipts.bundle import Bundle
from discreet.receipts.claims import Claim, claims_of
from discreet.receipts.documents import Part, ReceiptRequest, write_bundle, write_receipt
from discreet.receipts.receipt import UNITS, Receipt, canonical, contradiction, refuse_nonsense
from discreet.receipts.schemas import FIRST_SCHEMA, SCHEMA, SHARED
from discreet.receipts.tables import TableReceipt, check_axes, write_table
from discreet.receipts.work import require_modest
from discreet.utility.measure import accuracy_statement

DIGEST = re.compile("[0-9a-f]{64}")
METHODS = ("theorem", "enumeration", "bounds")
TIME = re.compile("[0-9-]{10}T[0-9:]{8}[+]00:00")
VERSION = re.compile(r"[0-9]+(?:\.[0-9]+)*[0-9a-z.+-]{0,40}")

ROUNDED = Fraction(1, 1 << 20)
"""A scanned loss is rounded up by the scan's stated error, a float that differs in its last digits between processors:
so much of that error may a certificate have been luckier than we are."""

BITS, TIE = 96, Fraction(1, 10**9)
"""Losses at two places are the same if they are within this, which is the size of a scan's own error."""

SEARCHED = Fraction(1, 100_000)
"""Where the search of the free post-processing ends depends on last digits too. The guarantee does not depend on it."""


def verify_receipt(receipt: Receipt, *, thorough: bool = False) -> Certificate:
    """Derive the certificate and the accuracy anew and check every public field against them.

    Public groups have one certificate each: all are derived, and the one with the greatest loss is returned. What would
    take minutes is refused before anything is computed (`discreet.receipts.work`), unless it is to be `thorough`.

    A receipt is no signature. What nothing public contradicts (another output with its own posterior, other names, the
    unit, the request) only the ledger tells: it sealed this very text. In what words another version of discreet told
    its argument is not checked: what is returned says it in ours. Tested on every field, changed one at a time.
    """
    if not thorough:
        require_modest([receipt], reading=False)
    with refuse_nonsense():
        derived, certificates = derive_document(receipt)
        if not agree(derived, receipt.document):
            raise _unreliable("the receipt's fields contradict each other")
        return max(certificates, key=lambda certificate: certificate.bound)


def verify_bundle(bundle: Bundle, *, thorough: bool = False) -> list[Certificate]:
    """Check every part as `verify_receipt` does, that they share what they must, and that their losses add up.

    Where all cost less together than the sum of their ε, that is composed again, exactly.
    """
    document = bundle.document
    if not thorough:
        require_modest(bundle.parts, reading=False)
    certificates = [verify_receipt(part, thorough=True) for part in bundle.parts]
    with refuse_nonsense():
        rebuilt = write_bundle(document["columns"], bundle.parts, _composed_loss(bundle)).document
        shared = all(part[key] == document[key] for part in document["parts"] for key in SHARED[document["schema"]])
        pairs = zip(document["columns"], document["parts"], strict=True)
        shared = shared and all(part.get("column", column) == column for column, part in pairs)
        public = {part["by"] for part in document["parts"] if part["group_sizes"] is not None}
    # Losses add up over the same neighbours: no column is public as groups here and protected as answers there.
    if not shared or canonical(rebuilt) != canonical(document) or public & set(document["columns"]):
        raise _unreliable("the receipt's fields contradict each other")
    return certificates


def _composed_loss(bundle: Bundle) -> tuple[Fraction, Fraction] | None:
    """ε and δ of all columns, if that is less than the sum of their ε: composed anew, and refused if it is not kept."""
    total, delta = Fraction(bundle.document["epsilon_exact"]), Fraction(bundle.document["delta"])
    if total >= sum(Fraction(part.document["epsilon_exact"]) for part in bundle.parts):
        return None
    mechanisms = ([claim.mechanism() for claim in claims_of(part)] for part in bundle.parts)
    try:
        Price(tuple(tuple(each for each in part if each is not None) for part in mechanisms), (total, delta))
    except InvalidInput:
        raise _unreliable("all columns together cost more than the receipt says") from None
    return total, delta


def verify_any(receipt: Receipt | Bundle, *, thorough: bool = False) -> list[Certificate]:
    """The certificates of a receipt, or of all parts of a bundle, once every field is found to hold."""
    if isinstance(receipt, Bundle):
        return verify_bundle(receipt, thorough=thorough)
    return [verify_receipt(receipt, thorough=thorough)]


def derive_document(receipt: Receipt) -> tuple[dict[str, Any], list[Certificate]]:
    """The receipt as it must read if its claims hold, and the certificates that were derived for it."""
    if isinstance(receipt, TableReceipt):
        return _derive_table(receipt)
    _check_request(receipt.document)
    certificates: list[Certificate] = []

    def certify_part(claim: Claim, mechanism: Mechanism) -> Part:
        claimed, derived = _derive_certificate(mechanism, claim.certificate)
        certificates.append(derived)
        former = "interval_width" not in (claim.accuracy or {})
        return Part(mechanism.space.prior, mechanism, claimed, accuracy_statement(mechanism, former=former))

    return _rewrite(receipt, certify_part, receipt.document["schema"]).document, certificates


def _derive_table(receipt: TableReceipt) -> tuple[dict[str, Any], list[Certificate]]:
    """The same of a cross table."""
    document = receipt.document
    _check_charge(document)
    _check_times(document)
    axes, [claim] = check_axes(document), claims_of(receipt)
    mechanism = claim.mechanism()
    if mechanism is None:
        raise contradiction()
    claimed, derived = _derive_certificate(mechanism, claim.certificate)
    request = {each.name: document[each.name] for each in fields(ReceiptRequest) if each.name in document}
    written = write_table(
        Part(mechanism.space.prior, mechanism, claimed),
        axes.axes,
        document["impossible"],
        _derive_release(mechanism, claim.output, None),
        request=ReceiptRequest(**request),
    )
    return written.document, [derived]


def rewrite_as_newest(receipt: Receipt | Bundle) -> Receipt | Bundle:
    """A receipt of the first schema under the next one. Nothing of it is checked."""
    if isinstance(receipt, Bundle):
        columns = [visible_text(column)[:MAX_NAME_CHARS] or "?" for column in receipt.columns]  # whoever wrote them
        pairs = zip(receipt.parts, columns, strict=True)
        return write_bundle(receipt.columns, [_rewrite(part, _claimed_part, SCHEMA, column) for part, column in pairs])
    return _rewrite(receipt, _claimed_part, SCHEMA)


def _claimed_part(claim: Claim, mechanism: Mechanism) -> Part:
    return Part(mechanism.space.prior, mechanism, Certificate.from_json(claim.certificate), claim.accuracy)


@refuse_nonsense()
def _rewrite(
    receipt: Receipt, part_of: Callable[[Claim, Mechanism], Part], schema: str, column: str | None = None
) -> Receipt:
    """The receipt, written from its claims."""
    document = receipt.document
    parts, drawn = list[Part](), list[Released | None]()
    for claim in claims_of(receipt):
        mechanism = claim.mechanism()
        if mechanism is None:
            parts.append(Part(claim.prior, None, None))
            drawn.append(None)
            continue
        parts.append(part_of(claim, mechanism))
        drawn.append(_derive_release(mechanism, claim.output, claim.posterior))
    request = {each.name: document[each.name] for each in fields(ReceiptRequest) if each.name in document}
    if request.get("rates") is not None:
        request["rates"] = rate_terms(receipt)
    [version] = {part.certificate.facts["version"] for part in parts if part.certificate is not None}
    return write_receipt(
        parts,
        document["categories"],
        drawn,
        by=document["by"],
        groups=receipt.groups,
        request=ReceiptRequest(**{"column": column, **request, "version": version}),
        schema=schema,
    )


def _unreliable(message: str) -> NotPrivate:
    return NotPrivate(message, hint="do not rely on it")


def _derive_certificate(mechanism: Mechanism, document: Any) -> tuple[Certificate, Certificate]:
    """The certificate as it is claimed, and as it is derived anew."""
    claimed = Certificate.from_json(document)
    if claimed.method not in METHODS or not VERSION.fullmatch(claimed.facts["version"]):
        raise contradiction()
    derived, slack = certificate_by_theorem(mechanism), Fraction(0)
    # As texts: to Python True, 1 and 1.0 are the same, and to whoever reads a certificate they are not.
    if canonical({**claimed.facts, "version": None}) != canonical({**derived.facts, "version": None}):
        raise _unreliable("the receipt contradicts its certificate")
    if claimed.method != "theorem":
        result = audit(mechanism)
        derived = result.certificate
        if math.isfinite(result.epsilon):
            slack = (Fraction(result.epsilon) - Fraction(result.lower)) * ROUNDED
            is_tied = derived.method == "enumeration" and claimed.worst not in (None, derived.worst)
            if is_tied and _is_as_bad(mechanism, claimed.worst, Fraction(result.lower)):
                derived = replace(derived, worst=claimed.worst, digest="")
    if not (derived.bound - slack <= claimed.bound <= mechanism.epsilon):
        raise NotPrivate("the certified loss does not hold", hint="do not rely on this receipt")
    same_version = claimed.facts["version"] == derived.facts["version"]
    argument = (claimed.method, claimed.statement) == (derived.method, derived.statement)
    # Whoever leaves the place out claims nothing that is not so.
    place = claimed.worst is None or canonical({"at": claimed.worst}) == canonical({"at": derived.worst})
    if same_version and not (argument and place):
        raise _unreliable("the certificate does not say what is proved")
    return claimed, derived


def _is_as_bad(mechanism: Mechanism, place: Any, loss: Fraction) -> bool:
    """Whether the loss is reached at another place too: which of several a scan meets first depends on last digits."""
    counts, neighbour, output = (tuple(place[key]) for key in ("counts", "neighbour", "output"))
    adjacent = any(neighbour == other for other in mechanism.space.neighbours(counts))
    if set(place) != {"counts", "neighbour", "output"} or not adjacent:
        return False
    with precision(BITS):
        one, other = (mechanism.law(data).log_probability(output) for data in (counts, neighbour))
        return abs(fraction_lower(one - other) - loss) <= TIE


def _check_request(document: dict[str, Any]) -> None:
    """Either there was a ledger, and the receipt names the charge, or there was none; names tell things apart.

    Since the second schema it also says when it was released, and which of its categories are for other values.
    """
    _check_charge(document)
    names, by, groups = (document[key] for key in ("categories", "by", "groups"))
    has_groups = isinstance(by, str) and by and isinstance(groups, list) and len(groups) > 1 and _are_distinct(groups)
    if not _are_distinct(names):
        raise contradiction()
    if not has_groups and (by, groups, document["group_sizes"]) != (None, None, None):
        raise contradiction()
    if document["schema"] != FIRST_SCHEMA:
        treated = [name for name in (document["missing"], document["other"]) if name is not None]
        if names[len(names) - len(treated) :] != treated or (treated and document["column"] is None):
            raise contradiction()
        _check_times(document)


def _check_charge(document: dict[str, Any]) -> None:
    request = [document[key] for key in ("request_id", "dataset", "charge")]
    is_named = all(isinstance(part, str) and part for part in request) and DIGEST.fullmatch(request[-1])
    if not (is_named or request == [None] * 3) or document["unit"] not in UNITS:
        raise contradiction()


def _check_times(document: dict[str, Any]) -> None:
    """When it was released, and which records it speaks of."""
    if not TIME.fullmatch(document["released_at"]):
        raise contradiction()
    datetime.fromisoformat(document["released_at"])
    filters = [Filter(column, values) for column, values in document.get("filters", {}).items()]
    if {each.column: list(each.values) for each in filters} != document.get("filters", {}):
        raise contradiction()


def _are_distinct(names: Sequence[Any]) -> bool:
    return all(isinstance(name, str) for name in names) and len(set(names)) == len(names)


def _derive_release(mechanism: Mechanism, emitted: Sequence[Any], claimed: Dirichlet | None) -> Released:
    """What the output leads to; that of the free post-processing is searched for, and held to what is found."""
    output = tuple(emitted)
    fits = len(output) == mechanism.space.k and mechanism.space.adjacency.sizes.get("n") in (None, sum(output))
    if not fits or not all(type(value) is int for value in output):
        raise contradiction()
    posterior = mechanism.posterior(output)
    if not mechanism.kernel.noisy:  # noise reaches every output; what others cannot give for one data set, none can
        some = [sum(output), *[0] * (len(output) - 1)]
        if not mechanism.law(some).log_weight(output).is_finite():
            raise contradiction()
    if mechanism.kernel.postprocess == "free" and claimed is not None:
        pairs = zip(posterior.parameters, claimed.parameters, strict=True)
        if all(abs(derived - stated) <= SEARCHED * derived for derived, stated in pairs):
            posterior = claimed
    return Released(posterior=posterior, output=output, mechanism=mechanism)
