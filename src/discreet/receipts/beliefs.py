"""What the reader of a receipt may believe, as a document: beside it the released posterior at face value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from discreet.errors import InvalidInput
from discreet.inference import NoiseAware, Rates, noise_aware
from discreet.inference.groups import EmptyGroup, Within
from discreet.inference.statement import stated_total
from discreet.posteriors import Dirichlet, as_prior
from discreet.receipts.claims import claims_of, mechanism_of
from discreet.receipts.rate_terms import RateTerms, at_face_value
from discreet.receipts.receipt import LEVEL, Bundle, Receipt, exact_number, refuse_nonsense
from discreet.receipts.work import require_modest


@dataclass(frozen=True, slots=True)
class ReaderBelief:
    """What the reader of one receipt may believe: of its categories, or of the shares within each group."""

    receipt: Receipt
    column: str | None
    """Its name, where there are several."""
    prior: Dirichlet
    """Of all cells, group by group."""
    parts: dict[str, NoiseAware | Within | EmptyGroup]
    """By group; under the empty name without groups."""
    records: object = None
    """What the reader holds likely of a private n, if they say."""
    rates: Rates | None = None
    """What they may believe of rates, where the release is read so; a prior of theirs is then of these."""

    @property
    def total(self) -> dict[str, Any] | None:
        """What may be believed of the number of records, where it is private."""
        if "n" in self.receipt.document:
            return None
        part = next(iter(self.parts.values()))
        whole = part.belief if isinstance(part, Within) else part
        assert isinstance(whole, NoiseAware), "only a public group may be empty"
        return stated_total(whole, LEVEL)

    def to_json(self) -> dict[str, Any]:
        """By category, beside the released posterior at face value; with groups, group by group."""
        document, groups = self.receipt.document, self.receipt.groups
        released = self.receipt.posteriors if groups else {"": self.receipt.posterior}
        rows = {group: _rows(part, released[group], document["categories"]) for group, part in self.parts.items()}
        widest = max(self.parts.values(), key=lambda part: part.error)
        return {
            **({} if self.column is None else {"column": self.column}),
            "noise_aware": rows if groups else rows[""],
            "level": LEVEL,
            "prior": [float(parameter) for parameter in self.prior.parameters],
            "error": widest.error,
            "method": widest.method,
            "mechanism": document["mechanism"]["name"],
            "epsilon_exact": document["epsilon_exact"],
            **({"total": self.total} if self.total else {"n": document["n"]}),
            **({} if self.rates is None else {"rates": self._rate_rows(self.rates)}),
            **({"by": document["by"], "groups": list(groups)} if groups else {}),
        }

    def _rate_rows(self, rates: Rates) -> dict[str, Any]:
        said = self.receipt.document["rates"]
        return {
            "per": said["per"],
            "prior": [float(rates[group].prior.shape) for group in rates.labels[:1]]
            + [float(rates[group].prior.rate) for group in rates.labels[:1]],
            "groups": {
                group: {
                    "mean": rate.mean,
                    "sd": rate.sd,
                    "interval": list(rate.interval(LEVEL)),
                    "interval_plug_in": list(at_face_value(rate, rates.posteriors[group]).interval(LEVEL)),
                }
                for group, rate in rates.by_group.items()
            },
        }


@refuse_nonsense()
def read_beliefs(
    receipt: Receipt | Bundle, prior: object = None, *, records: object = None, thorough: bool = False
) -> list[ReaderBelief]:
    """What may be believed of a receipt, or of each column of a bundle; `prior` is then a list of theirs.

    Where n is private, `records` is what the reader holds likely of it, as `noise_aware` takes it.
    What would take minutes is refused before anything is computed, unless it is to be `thorough`.
    """
    parts = receipt.parts if isinstance(receipt, Bundle) else (receipt,)
    if not thorough:
        require_modest(parts, reading=True)
    if not isinstance(receipt, Bundle):
        return [_read(receipt, None, prior, records)]
    columns = zip(receipt.columns, parts, column_priors(receipt, prior), strict=True)
    return [_read(part, column, own, records) for column, part, own in columns]


@refuse_nonsense()
def belief_document(receipt: Receipt | Bundle, prior: object = None, *, thorough: bool = False) -> dict[str, Any]:
    """The same as `discreet infer --json` prints it."""
    documents = [belief.to_json() for belief in read_beliefs(receipt, prior, thorough=thorough)]
    return {"columns": documents} if isinstance(receipt, Bundle) else documents[0]


def believed(receipt: Receipt, *, prior: object = None, records: object = None) -> NoiseAware:
    """What the reader of a receipt may believe: the posterior with the noise in it, from the receipt alone.

    Of a cross table it is that of all cells; `believed_groups` has the shares within each group.
    """
    [belief] = believed_parts(receipt, prior, records)
    assert isinstance(belief, NoiseAware), "only a public group may be empty"
    return belief


def believed_groups(
    receipt: Receipt, *, prior: object = None, records: object = None
) -> dict[str, NoiseAware | Within | EmptyGroup]:
    """What may be believed of the shares within each group; of a public group without records, its prior.

    A prior is one for each answer, which all groups share, or one for each cell.
    """
    if receipt.has_public_groups:
        return dict(zip(receipt.groups, believed_parts(receipt, prior, records), strict=True))
    k, belief = len(receipt.document["categories"]), believed(receipt, prior=prior, records=records)
    return {group: Within(belief, tuple(range(g * k, (g + 1) * k))) for g, group in enumerate(receipt.groups)}


def believed_parts(receipt: Receipt, prior: object, records: object = None) -> list[NoiseAware | EmptyGroup]:
    """Of each mechanism. What this process drew keeps its belief under the release's own prior."""
    given, claims = whole_prior(receipt, prior).parameters, list(claims_of(receipt))
    size = len(given) // len(claims)
    priors = [Dirichlet(given[first : first + size]) for first in range(0, len(given), size)]
    if prior is records is None and receipt.released:
        kept = zip(receipt.released, priors, strict=True)
        return [EmptyGroup(own) if drawn is None else drawn.noise_aware() for drawn, own in kept]
    rows = [(claim.mechanism(), claim, own) for claim, own in zip(claims, priors, strict=True)]
    return [
        EmptyGroup(own) if made is None else noise_aware(made, claim.output, prior=own, records=records)
        for made, claim, own in rows
    ]


def rates_of(receipt: Receipt, *, prior: object = None) -> Rates:
    """What may be believed of the rates of a receipt, under the release's prior or a reader's own."""
    terms = rate_terms(receipt)
    mechanism, dataset = mechanism_of(receipt), receipt.document["dataset"]
    return terms.believed(mechanism, receipt.output, prior=prior, people=dataset)


def rate_terms(receipt: Receipt) -> RateTerms:
    """What a receipt declares of rates; nothing of it is checked."""
    said = receipt.document.get("rates")
    if said is None:
        raise InvalidInput("this release is of shares", hint="release with exposures to have rates")
    exposure = {group: exact_number(during) for group, during in said["exposure"].items()}
    prior = [exact_number(number) for number in said["prior"]]
    return RateTerms.asked(exposure, receipt.categories, per=exact_number(said["per"]), prior=prior)


def whole_prior(receipt: Receipt, prior: object) -> Dirichlet:
    """The prior of all cells: the receipt's, or a reader's, who may give one for each answer that all groups share."""
    if prior is None:
        return Dirichlet([parameter for claim in claims_of(receipt) for parameter in claim.prior.parameters])
    if "axes" in receipt.document:
        k, groups = len(receipt.output), 1
    else:
        k, groups = len(receipt.document["categories"]), max(1, len(receipt.groups))
    given = as_prior(prior, k)
    if given.k == k:
        return Dirichlet(list(given.parameters) * groups)
    if given.k != k * groups:
        raise InvalidInput(f"the prior must have {k} parameters", hint="give one for each category")
    return given


def column_priors(bundle: Bundle, priors: object) -> list[object]:
    """A reader's prior for each column of a bundle; None is the release's own."""
    if priors is None:
        return [None] * len(bundle.columns)
    if not isinstance(priors, list | tuple) or len(priors) != len(bundle.columns):
        raise InvalidInput(
            "several columns have a prior each", hint=f"give {len(bundle.columns)}, in the order of the columns"
        )
    return list(priors)


def _read(receipt: Receipt, column: str | None, prior: object, records: object) -> ReaderBelief:
    rates = None
    if receipt.document.get("rates") is not None:
        rates, prior = rates_of(receipt, prior=prior), None
    parts: dict[str, NoiseAware | Within | EmptyGroup] = {}
    if receipt.groups:
        parts |= believed_groups(receipt, prior=prior, records=records)
    else:
        parts[""] = believed(receipt, prior=prior, records=records)
    return ReaderBelief(receipt, column, whole_prior(receipt, prior), parts, records, rates)


def _rows(belief: NoiseAware | Within | EmptyGroup, released: Dirichlet, names: list[str]) -> dict[str, Any]:
    told = (belief.mean, belief.sd, *belief.interval(LEVEL), *released.interval(LEVEL))
    return {
        name: {"mean": mean, "sd": sd, "interval": [a, b], "interval_plug_in": [c, d]}
        for name, mean, sd, a, b, c, d in zip(names, *(values.tolist() for values in told), strict=True)
    }
