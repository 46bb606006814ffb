"""What the reader of a receipt may believe, as a document: beside it the released posterior at face value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Any

from discreet.errors import InvalidInput
from discreet.inference import Belief, NoiseAware, Rates, noise_aware
from discreet.inference.groups import EmptyGroup, Within
from discreet.inference.statement import stated_total
from discreet.posteriors import Dirichlet, as_prior
from discreet.receipts.bundle import Bundle, parts_of
from discreet.receipts.claims import claims_of, mechanism_of
from discreet.receipts.rate_terms import RateTerms, at_face_value
from discreet.receipts.receipt import Receipt, cell_prior, exact_number, refuse_nonsense
from discreet.receipts.schemas import LEVEL
from discreet.receipts.tables import TableReceipt, named_cells
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
        plain = face_values(self.receipt, self.prior)
        rows = {group: _rows(part, plain[group], document["categories"]) for group, part in self.parts.items()}
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
        prior = rates[rates.labels[0]].prior
        return {
            "per": self.receipt.document["rates"]["per"],
            "prior": [float(prior.shape), float(prior.rate)],
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
    if not thorough:
        require_modest(parts_of(receipt), reading=True)
    if not isinstance(receipt, Bundle):
        return [_read(receipt, None, prior, records)]
    columns = zip(receipt.columns, receipt.parts, column_priors(receipt, prior), strict=True)
    return [_read(part, column, part_prior, records) for column, part, part_prior in columns]


@refuse_nonsense()
def belief_document(receipt: Receipt | Bundle, prior: object = None, *, thorough: bool = False) -> dict[str, Any]:
    """The same as `discreet infer --json` prints it."""
    documents = [belief.to_json() for belief in read_beliefs(receipt, prior, thorough=thorough)]
    return {"columns": documents} if isinstance(receipt, Bundle) else documents[0]


def cell_belief(receipt: Receipt, *, prior: object = None, records: object = None) -> NoiseAware:
    """What the reader of a receipt may believe: the posterior with the noise in it, from the receipt alone.

    Of a cross table it is that of all cells; `group_beliefs` has the shares within each group.
    """
    [belief] = part_beliefs(receipt, prior, records)
    assert isinstance(belief, NoiseAware), "only a public group may be empty"
    return belief


def group_beliefs(
    receipt: Receipt, *, prior: object = None, records: object = None
) -> dict[str, NoiseAware | Within | EmptyGroup]:
    """What may be believed of the shares within each group; of a public group without records, its prior.

    A prior is one for each answer, which all groups share, or one for each cell.
    """
    if receipt.has_public_groups:
        return dict(zip(receipt.groups, part_beliefs(receipt, prior, records), strict=True))
    k, belief = len(receipt.document["categories"]), cell_belief(receipt, prior=prior, records=records)
    return {group: Within(belief, tuple(range(g * k, (g + 1) * k))) for g, group in enumerate(receipt.groups)}


def part_beliefs(receipt: Receipt, prior: object, records: object = None) -> list[NoiseAware | EmptyGroup]:
    """Of each mechanism. What this process drew keeps its belief under the release's own prior."""
    cells = whole_prior(receipt, prior).parameters
    if prior is records is None and receipt.released:
        drawn = zip(receipt.released, _split(cells, len(receipt.released)), strict=True)
        return [EmptyGroup(part_prior) if part is None else part.noise_aware() for part, part_prior in drawn]
    claims = list(claims_of(receipt))
    beliefs: list[NoiseAware | EmptyGroup] = []
    for claim, part_prior in zip(claims, _split(cells, len(claims)), strict=True):
        mechanism = claim.mechanism()
        if mechanism is None:
            beliefs.append(EmptyGroup(part_prior))
        else:
            beliefs.append(noise_aware(mechanism, claim.output, prior=part_prior, records=records))
    return beliefs


def _split(cells: Sequence[Fraction], number: int) -> list[Dirichlet]:
    """The priors of so many parts, of equally many cells each."""
    size = len(cells) // number
    return [Dirichlet(cells[first : first + size]) for first in range(0, len(cells), size)]


def rates_of(receipt: Receipt, *, prior: object = None) -> Rates:
    """What may be believed of the rates of a receipt, under the release's prior or a reader's own."""
    terms = rate_terms(receipt)
    mechanism, dataset = mechanism_of(receipt), receipt.document["dataset"]
    return terms.belief(mechanism, receipt.output, prior=prior, people=dataset)


def rate_terms(receipt: Receipt) -> RateTerms:
    """What a receipt declares of rates; nothing of it is checked."""
    rates = receipt.document.get("rates")
    if rates is None:
        raise InvalidInput("this release is of shares", hint="release with exposures to have rates")
    exposure = {group: exact_number(during) for group, during in rates["exposure"].items()}
    prior = [exact_number(number) for number in rates["prior"]]
    return RateTerms.read(exposure, receipt.categories, per=exact_number(rates["per"]), prior=prior)


def whole_prior(receipt: Receipt, prior: object) -> Dirichlet:
    """The prior of all cells: the receipt's, or a reader's, who may give one for each answer that all groups share."""
    if prior is None:
        return Dirichlet([exact_number(parameter) for parameter in cell_prior(receipt.document)])
    if "axes" in receipt.document:
        k, groups = len(receipt.output), 1
    else:
        k, groups = len(receipt.document["categories"]), max(1, len(receipt.groups))
    reader_prior = as_prior(prior, k)
    if reader_prior.k == k:
        return Dirichlet(list(reader_prior.parameters) * groups)
    if reader_prior.k != k * groups:
        raise InvalidInput(f"the prior must have {k} parameters", hint="give one for each category")
    return reader_prior


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
        if records is not None:
            raise InvalidInput("rates have a prior each, and none of n", hint="leave out records", parameter="records")
        rates, prior = rates_of(receipt, prior=prior), None
    parts: dict[str, NoiseAware | Within | EmptyGroup] = {}
    if receipt.groups:
        parts |= group_beliefs(receipt, prior=prior, records=records)
    else:
        parts[""] = cell_belief(receipt, prior=prior, records=records)
    return ReaderBelief(receipt, column, whole_prior(receipt, prior), parts, records, rates)


def face_values(receipt: Receipt, prior: object = None) -> dict[str, Dirichlet]:
    """The released posterior by group, under the empty name without: a reader's prior takes the place of its own.

    What it has above its prior are counts; less than none, which the post-processing `free` may say, is none.
    """
    released = receipt.posteriors if receipt.groups else {"": receipt.posterior}
    before, after = (whole_prior(receipt, each) for each in (None, prior))
    if before == after:
        return released
    old, new = (_split(each.parameters, len(released)) for each in (before, after))
    return {
        group: Dirichlet([c + max(a - b, 0) for a, b, c in zip(*(each.parameters for each in part), strict=True)])
        for group, *part in zip(released, released.values(), old, new, strict=True)
    }


def _rows(belief: NoiseAware | Within | EmptyGroup, released: Dirichlet, names: list[str]) -> dict[str, Any]:
    numbers = (belief.mean, belief.sd, *belief.interval(LEVEL), *released.interval(LEVEL))
    return {
        name: {"mean": mean, "sd": sd, "interval": [a, b], "interval_plug_in": [c, d]}
        for name, mean, sd, a, b, c, d in zip(names, *(values.tolist() for values in numbers), strict=True)
    }


@refuse_nonsense()
def labelled(receipt: Receipt, *, prior: object = None, records: object = None) -> Belief:
    """The noise-aware posterior with names. Public groups have a posterior each, and one without records its prior."""
    if receipt.document.get("rates") is not None:
        belief = _name_cells(receipt, [cell_belief(receipt, records=records)])
        return replace(belief, event_rates=rates_of(receipt, prior=prior))
    parts = part_beliefs(receipt, prior, records)
    face_value = NoiseAware.at_face_value
    return _name_cells(receipt, [face_value(part.prior) if isinstance(part, EmptyGroup) else part for part in parts])


@refuse_nonsense()
def labelled_plug_in(receipt: Receipt, *, prior: object = None) -> Belief:
    """The released posterior at face value with the same names and prior: privacy noise not included."""
    posteriors = list(face_values(receipt, prior).values())
    if not receipt.has_public_groups:
        posteriors = [Dirichlet([parameter for part in posteriors for parameter in part.parameters])]
    return _name_cells(receipt, [NoiseAware.at_face_value(posterior) for posterior in posteriors])


def _name_cells(receipt: Receipt, posteriors: Sequence[NoiseAware]) -> Belief:
    """The cells of all posteriors, one after the other, by their labels."""
    document = receipt.document
    if isinstance(receipt, TableReceipt):
        [posterior] = posteriors
        return named_cells(receipt, posterior)
    axes = {"category": tuple(map(str, document["categories"]))}
    if receipt.groups:
        axes = {str(document["by"]): tuple(map(str, receipt.groups)), **axes}
    cells = [(posterior, (i,)) for posterior in posteriors for i in range(posterior.k)]
    return Belief(axes, dict(zip(product(*axes.values()), cells, strict=True)), document["dataset"])
