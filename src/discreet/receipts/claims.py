"""What a receipt says of each of its mechanisms: of one, or of one for each public group. Nothing of it is checked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from discreet.arithmetic.numbers import exact
from discreet.mechanisms import BY_NAME, Mechanism
from discreet.posteriors import Dirichlet
from discreet.posteriors.space import PosteriorSpace
from discreet.receipts.receipt import Receipt, cell_prior, contradiction, exact_number, refuse_nonsense
from discreet.typing import Outcome


@dataclass(frozen=True, slots=True)
class Claim:
    """The fields of a receipt that speak of one mechanism, as they stand there."""

    receipt: Receipt
    group: str
    """Empty without public groups."""
    n: Any
    cells: Any
    """The parameters of the prior."""
    certificate: Any
    """None for a public group without records, which has no mechanism."""

    @property
    def prior(self) -> Dirichlet:
        """The prior of its cells."""
        return Dirichlet([exact_number(parameter) for parameter in self.cells])

    @property
    def output(self) -> Outcome:
        """What its law emitted."""
        return tuple(self.receipt.document["output"][self.group]) if self.group else self.receipt.output

    @property
    def accuracy(self) -> Any:
        """What is said of its error."""
        accuracy: Any = self.receipt.document.get("accuracy")
        return accuracy[self.group] if self.group else accuracy

    @property
    def posterior(self) -> Dirichlet:
        """The posterior that was released."""
        return self.receipt.posteriors[self.group] if self.group else self.receipt.posterior

    @property
    def parameters(self) -> dict[str, Any]:
        """The mechanism's name and parameters; of a public group the certificate tells, as groups may differ."""
        mechanism: dict[str, Any] = self.receipt.document["mechanism"]
        if not self.group:
            return mechanism
        return {"name": mechanism["name"], **self.certificate["facts"]["parameters"]}

    @refuse_nonsense()
    def mechanism(self) -> Mechanism | None:
        """The mechanism, built anew; None for a public group without records.

        What a theorem guarantees it guarantees. A calibrated scale has no guarantee until the receipt is verified.
        """
        if self.group and self.n == 0 and self.certificate is None:
            return None
        document = self.receipt.document
        try:
            parameters = [exact_number(parameter) for parameter in self.cells]
            space = PosteriorSpace(prior=parameters, n=self.n, adjacency=document["adjacency"])
            epsilon = exact(exact_number(document["epsilon_exact"]), "epsilon")
            options = {key: exact_number(value) for key, value in self.parameters.items()}
            family = BY_NAME[options.pop("name")]
        except ValueError:  # a number that is none
            raise contradiction() from None
        return family.from_parameters(space, epsilon=epsilon, parameters=options)


def claims_of(receipt: Receipt) -> Iterator[Claim]:
    """One claim, or one for each public group."""
    document, prior, certificate = receipt.document, receipt.document["prior"], receipt.document["certificate"]
    if receipt.has_public_groups:
        for group in document["groups"]:
            yield Claim(receipt, group, document["group_sizes"][group], prior[group], certificate[group])
    else:
        yield Claim(receipt, "", document.get("n"), cell_prior(document), certificate)


@refuse_nonsense()
def mechanism_of(receipt: Receipt) -> Mechanism:
    """The mechanism that a receipt speaks of, built anew from its fields; of public groups see `mechanisms_of`."""
    [mechanism] = mechanisms_of(receipt).values()
    assert mechanism is not None, "only a public group may have none"
    return mechanism


@refuse_nonsense()
def mechanisms_of(receipt: Receipt) -> dict[str, Mechanism | None]:
    """The mechanism of each public group, None for a group without records; without, the one under the empty name."""
    return {claim.group: claim.mechanism() for claim in claims_of(receipt)}
