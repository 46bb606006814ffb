"""What a receipt says, derived anew: its mechanism, its certificate, its fields, and what a reader may believe."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from discreet.arithmetic.numbers import exact, fraction_lower, precision
from discreet.errors import DiscreetError, InvalidInput, NotPrivate
from discreet.inference import NoiseAware, noise_aware
from discreet.inference.groups import EmptyGroup, Within
from discreet.mechanisms import BY_NAME, Mechanism, Released
from discreet.posteriors import Dirichlet
from discreet.posteriors.space import PosteriorSpace
from discreet.privacy_loss import Certificate, audit, certificate_by_theorem
from discreet.receipts.agreement import agree
from discreet.receipts.documents import Part, ReceiptRequest, write_receipt
from discreet.receipts.receipt import UNITS, Receipt, contradiction, exact_number
from discreet.receipts.work import require_modest
from discreet.utility.measure import accuracy_statement

DIGEST = re.compile("[0-9a-f]{64}")
METHODS = ("theorem", "enumeration", "bounds")
VERSION = re.compile(r"[0-9]+(?:\.[0-9]+)*[0-9a-z.+-]{0,40}")

ROUNDED = Fraction(1, 1 << 20)
"""A scanned loss is rounded up by the scan's stated error, a float that differs in its last digits between processors:
so much of that error may a certificate have been luckier than we are."""

BITS, TIE = 96, Fraction(1, 10**9)
"""Losses at two places are the same if they are within this, which is the size of a scan's own error."""

SEARCHED = Fraction(1, 100_000)
"""Where the search of the free way back ends depends on last digits too. Nothing of the guarantee depends on it."""


def mechanism_of(receipt: Receipt) -> Mechanism:
    """The mechanism that a receipt speaks of, built anew from its fields; of public groups see `mechanisms_of`.

    What a theorem guarantees it guarantees. A calibrated scale has no guarantee until `verify_receipt` has audited it.
    """
    document = receipt.document
    try:
        prior, groups = document["prior"], document["groups"]
        parameters = prior if groups is None else [parameter for group in groups for parameter in prior[group]]
        return _built(document, parameters, document["n"], document["mechanism"])
    except (AttributeError, KeyError, TypeError):
        raise contradiction() from None


def mechanisms_of(receipt: Receipt) -> dict[str, Mechanism | None]:
    """The mechanism of each public group, None for a group without records."""
    document, found = receipt.document, dict[str, Mechanism | None]()
    try:
        for group in document["groups"]:
            size, facts = document["group_sizes"][group], document["certificate"][group]
            named = None if facts is None else {"name": document["mechanism"]["name"], **facts["facts"]["parameters"]}
            prior = document["prior"][group]
            found[group] = None if size == 0 and named is None else _built(document, prior, size, named)
    except (AttributeError, KeyError, TypeError):
        raise contradiction() from None
    return found


def _built(document: dict[str, Any], prior: list[Any], n: object, named: Any) -> Mechanism:
    try:
        parameters = [exact_number(parameter) for parameter in prior]
        space = PosteriorSpace(prior=parameters, n=n, adjacency=document["adjacency"])
        epsilon = exact(exact_number(document["epsilon_exact"]), "epsilon")
        options = {key: exact_number(value) for key, value in named.items()}
        family = BY_NAME[options.pop("name")]
    except (ArithmeticError, AttributeError, KeyError, TypeError, ValueError):
        raise contradiction() from None
    try:
        return family.from_parameters(space, epsilon=epsilon, parameters=options)
    except (TypeError, KeyError):
        raise contradiction() from None


def believed(receipt: Receipt, *, prior: object = None) -> NoiseAware:
    """What the reader of a receipt may believe: the posterior with the noise in it, from the receipt alone.

    Of a cross table it is that of all cells; `believed_groups` has the shares within each group.
    """
    if prior is None and receipt.released and receipt.released[0] is not None:
        return receipt.released[0].noise_aware()
    own = None if prior is None else whole_prior(receipt, prior)
    return noise_aware(mechanism_of(receipt), receipt.output, prior=own)


def believed_groups(receipt: Receipt, *, prior: object = None) -> dict[str, NoiseAware | Within | EmptyGroup]:
    """What may be believed of the shares within each group; of a public group without records, its prior.

    A prior is one for each answer, which all groups share, or one for each cell.
    """
    k, groups = len(receipt.document["categories"]), receipt.groups
    if not receipt.has_public_groups:
        belief = believed(receipt, prior=prior)
        return {group: Within(belief, tuple(range(g * k, (g + 1) * k))) for g, group in enumerate(groups)}
    given = whole_prior(receipt, prior)
    priors = [Dirichlet(given.parameters[g * k : (g + 1) * k]) for g in range(len(groups))]
    if prior is None and receipt.released:
        kept = zip(groups, receipt.released, priors, strict=True)
        return {g: EmptyGroup(own) if drawn is None else drawn.noise_aware() for g, drawn, own in kept}
    outputs = receipt.document["output"]
    rows = zip(mechanisms_of(receipt).items(), priors, strict=True)
    return {
        group: EmptyGroup(own) if made is None else noise_aware(made, outputs[group], prior=own)
        for (group, made), own in rows
    }


def whole_prior(receipt: Receipt, prior: object) -> Dirichlet:
    """The prior of all cells: the receipt's, or a reader's, who may give one for each answer that all groups share."""
    k, groups = len(receipt.document["categories"]), max(1, len(receipt.groups))
    if prior is None:
        said = receipt.document["prior"]
        cells = [each for group in receipt.groups for each in said[group]] if receipt.groups else said
        return Dirichlet([exact_number(parameter) for parameter in cells])
    given = prior if isinstance(prior, Dirichlet) else Dirichlet(prior)
    if given.k == k:
        return Dirichlet(list(given.parameters) * groups)
    if given.k != k * groups:
        raise InvalidInput(f"the prior must have {k} parameters", hint="give one for each category")
    return given


def verify_receipt(receipt: Receipt, *, thorough: bool = False) -> Certificate:
    """Derive the certificate and the accuracy anew and check every public field against them.

    Public groups have one certificate each: all are derived, and the one with the greatest loss is returned. What would
    take minutes is refused before anything is computed (`discreet.receipts.work`), unless it is to be `thorough`.

    A receipt is no signature. What nothing public contradicts (another output with its own posterior, other names, the
    unit, the request) only the ledger tells: it sealed this very text. In what words another version of discreet told
    its argument is not checked: what is returned says it in ours. Tested on every field, changed one at a time.
    """
    if not thorough:
        require_modest([receipt.document], reading=False)
    try:
        derived, certificates = derived_document(receipt)
        if not agree(derived, receipt.document):
            raise NotPrivate("the receipt's fields contradict each other", hint="do not rely on it")
        return max(certificates, key=lambda certificate: certificate.bound)
    except DiscreetError:
        raise
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, RecursionError):
        raise contradiction() from None


def derived_document(receipt: Receipt) -> tuple[dict[str, Any], list[Certificate]]:
    """The receipt as it must read if its claims hold, and the certificates that were derived for it."""
    document, public = receipt.document, receipt.has_public_groups
    request = ReceiptRequest(*(document[key] for key in ("unit", "request_id", "dataset", "charge")))
    _check_request(document)
    mechanisms = mechanisms_of(receipt) if public else {"": mechanism_of(receipt)}
    parts, drawn, certificates = list[Part](), list[Released | None](), list[Certificate]()
    for group, made in mechanisms.items():
        if made is None:
            prior = Dirichlet([exact_number(parameter) for parameter in document["prior"][group]])
            parts.append(Part(prior, None, None))
            drawn.append(None)
            continue
        claim, output, posterior = document["certificate"], receipt.output, None
        if public:
            claim, output, posterior = claim[group], document["output"][group], receipt.posteriors[group]
        said, derived = _derived(made, claim)
        parts.append(Part(made.space.prior, made, said, accuracy_statement(made)))
        drawn.append(_released(made, output, posterior or receipt.posterior))
        certificates.append(derived)
    [version] = {part.certificate.facts["version"] for part in parts if part.certificate is not None}
    rebuilt = write_receipt(
        parts,
        document["categories"],
        drawn,
        by=document["by"],
        groups=document["groups"] or (),
        has_public_groups=public,
        request=request,
    )
    return {**rebuilt.document, "version": version}, certificates


def _derived(mechanism: Mechanism, document: Any) -> tuple[Certificate, Certificate]:
    """The certificate as it is said, and as it is derived anew."""
    said = Certificate.from_json(document)
    if said.method not in METHODS or not VERSION.fullmatch(said.facts["version"]):
        raise contradiction()
    derived, slack = certificate_by_theorem(mechanism), Fraction(0)
    if {**said.facts, "version": None} != {**derived.facts, "version": None}:
        raise NotPrivate("the receipt contradicts its certificate", hint="do not rely on it")
    if said.method != "theorem":
        found = audit(mechanism)
        derived = found.certificate
        if math.isfinite(found.epsilon):
            slack = (Fraction(found.epsilon) - Fraction(found.lower)) * ROUNDED
            tied = derived.method == "enumeration" and said.worst not in (None, derived.worst)
            if tied and _is_as_bad(mechanism, said.worst, Fraction(found.lower)):
                derived = replace(derived, worst=said.worst, digest="")
    if not (derived.bound - slack <= said.bound <= mechanism.epsilon):
        raise NotPrivate("the certified loss does not hold", hint="do not rely on this receipt")
    same_version = said.facts["version"] == derived.facts["version"]
    argument = (said.method, said.statement) == (derived.method, derived.statement)
    place = said.worst in (None, derived.worst)  # whoever leaves it out claims nothing that is not so
    if same_version and not (argument and place):
        raise NotPrivate("the certificate does not say what is proved", hint="do not rely on it")
    return said, derived


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
    """Either there was a ledger, and the receipt names the charge, or there was none; names tell things apart."""
    request = [document[key] for key in ("request_id", "dataset", "charge")]
    named = all(isinstance(part, str) and part for part in request) and DIGEST.fullmatch(request[-1])
    names, by, groups = (document[key] for key in ("categories", "by", "groups"))
    grouped = isinstance(by, str) and bool(by) and isinstance(groups, list) and len(groups) > 1 and _distinct(groups)
    if not (named or request == [None] * 3) or document["unit"] not in UNITS or not _distinct(names):
        raise contradiction()
    if not grouped and (by, groups, document["group_sizes"]) != (None, None, None):
        raise contradiction()


def _distinct(names: Sequence[Any]) -> bool:
    return all(isinstance(name, str) for name in names) and len(set(names)) == len(names)


def _released(mechanism: Mechanism, emitted: Sequence[Any], said: Dirichlet) -> Released:
    """What the output leads to; the posterior of the free way back is searched for, and held to what is found."""
    output = tuple(emitted)
    fits = len(output) == mechanism.space.k and sum(output) == mechanism.space.n
    if not fits or not all(type(value) is int for value in output):
        raise contradiction()
    posterior = mechanism.posterior(output)
    if mechanism.kernel.postprocess == "free":
        pairs = zip(posterior.parameters, said.parameters, strict=True)
        if all(abs(one - other) <= SEARCHED * one for one, other in pairs):
            posterior = said
    return Released(posterior=posterior, output=output, mechanism=mechanism)
