"""What a mechanism is: a map from counts to a law, with a guarantee. Fields are public, counts are only arguments."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, TypeVar

import numpy as np

from discreet.arithmetic.arrays import Floats, Wholes
from discreet.arithmetic.cards import NOISE_KEY, card, promise, share_bar
from discreet.arithmetic.numbers import Range, exact, float_upper
from discreet.errors import InvalidInput, NotPrivate, require_kind
from discreet.mechanisms.gaussian_loss import GaussianLoss
from discreet.mechanisms.law import Law
from discreet.mechanisms.loss_pairs import GeometricPair, LossPair
from discreet.posteriors import Dirichlet
from discreet.posteriors.space import PosteriorSpace
from discreet.typing import Epsilon, Outcome

if TYPE_CHECKING:
    from discreet.inference import Belief, NoiseAware, Rates
    from discreet.kernels import Kernel
    from discreet.receipts import Receipt


T = TypeVar("T", bound=str)

EPSILON_RANGE = Range("1e-9", "1e6")
"""Less than the first protects a record no better than the second reveals it; between them all arithmetic fits."""


def read_epsilon(value: object) -> Fraction:
    """Read the ε that a caller asks for."""
    return exact(value, "epsilon", above=0, between=EPSILON_RANGE)


def require_choice(parameter: str, value: object, choices: tuple[str, ...]) -> None:
    """Refuse what is not among the choices, of which the first is the default."""
    if value not in choices:
        words = f"one of {', '.join(choices)}" if len(choices) > 2 else " or ".join(choices)
        raise InvalidInput(f"{parameter} must be {words}", hint=f"leave it out for {choices[0]}", parameter=parameter)


def choose_postprocess(postprocess: T, way: T | Literal[""], choices: tuple[T, ...]) -> T:
    """The post-processing that a caller asks for; `way` is the former name of the option."""
    name, choice = ("way", way) if way != "" else ("postprocess", postprocess)
    require_choice(name, choice, choices)
    return choice


def l1_sensitivity(space: PosteriorSpace) -> int:
    """By how much in all a replaced record moves the first k-1 counts."""
    return 1 if space.k == 2 else 2


@dataclass(frozen=True, slots=True, repr=False)
class Released:
    """One private release: it may be published, and nothing else that was computed from the data may."""

    posterior: Dirichlet
    output: Outcome
    mechanism: Mechanism
    _belief: list[NoiseAware] = field(default_factory=list, init=False, compare=False)

    def noise_aware(self, *, prior: object = None, records: object = None) -> NoiseAware:
        """What a reader may believe: the exact posterior with the noise in it, under this prior or the reader's own.

        Where n is private, `records` is what the reader holds likely of it: (800, 1200), say. Under the release's prior
        alone it is computed once, and kept.

        >>> from discreet import Geometric
        >>> released = Geometric(PosteriorSpace(prior=[1, 1], n=90), epsilon=1).release([42, 48])
        >>> bool(released.noise_aware().error < 1e-9)
        True
        """
        from discreet.inference import noise_aware

        if prior is not None or records is not None:
            return noise_aware(self.mechanism, self.output, prior=prior, records=records)
        if not self._belief:
            self._belief.append(noise_aware(self.mechanism, self.output))
        return self._belief[0]

    def belief(
        self, categories: Sequence[str] | None = None, *, prior: object = None, records: object = None
    ) -> Belief:
        """The same with names, to be asked by label: `released.belief(["cured", "not cured"])["cured"].interval()`."""
        from discreet.inference import Belief

        names = [str(i) for i in range(1, len(self.output) + 1)] if categories is None else list(categories)
        return Belief.of(self.noise_aware(prior=prior, records=records), {"category": names})

    def rates(self, exposure: Mapping[str, object], *, prior: object = None, per: object = 1) -> Rates:
        """The counts read as events in groups of a public exposure: what a reader may believe of their rates.

        >>> from discreet import Geometric
        >>> released = Geometric(PosteriorSpace(prior=[1, 1], n=None), epsilon=1).release([30, 12])
        >>> released.rates({"north": 120_000, "south": 88_000}, per=100_000).rate("north").name
        'north'
        """
        from discreet.inference import rates

        return rates(self.mechanism, self.output, exposure, prior=prior, per=per)

    def __repr__(self) -> str:
        return f"<Released by {self.mechanism!r}: output {self.output}>"

    def receipt(
        self, categories: Sequence[str] | None = None, *, title: str | None = None, source_name: str | None = None
    ) -> Receipt:
        """The receipt to publish it with, dated now; no budget is charged for it.

        >>> from discreet import Geometric
        >>> released = Geometric(PosteriorSpace(prior=[1, 1], n=90), epsilon=1).release([42, 48])
        >>> released.receipt(["cured", "not cured"], title="A trial").categories
        ('cured', 'not cured')
        """
        from discreet.receipts.documents import receipt_of

        return receipt_of(self, categories, title=title, source_name=source_name)

    def _repr_html_(self) -> str:
        mechanism, mean, (low, high) = self.mechanism, self.posterior.mean, self.posterior.interval(0.95)
        aware = self.noise_aware() if mechanism.kernel.quick and len(mean) > 1 else None
        private = mechanism.guarantee <= mechanism.epsilon
        return card(
            f"Released by {mechanism.name}, {mechanism.space.adjacency.words}, ε = {mechanism.epsilon}",
            promise(float_upper(mechanism.guarantee), mechanism.adjacency, float_upper(mechanism.delta)),
            badge="" if private else "not publishable",
            bars=(
                share_bar(i + 1, None if aware is None else aware.ends(i), (low[i], mean[i], high[i]))
                for i in range(len(mean))
            ),
            key=NOISE_KEY if aware else "Means and 95 % intervals, privacy noise not included: see noise_aware().",
        )


@dataclass(frozen=True, kw_only=True, repr=False)
class Mechanism(ABC):
    """A map from counts to a law on outputs.

    `epsilon` is what was asked for, `guarantee` what is proved (by the sentence in `guaranteed_by`): the greatest
    privacy loss over all adjacent data sets and all outputs is at most `guarantee`. Unless told otherwise, `release`
    refuses to draw when `guarantee` exceeds `epsilon`.
    """

    name: ClassVar[str]
    space: PosteriorSpace
    epsilon: Fraction
    guarantee: Fraction | float
    guaranteed_by: str
    of_private_n: ClassVar[bool] = False
    """Whether its theorem holds where a record is added or removed, and n is private."""
    largest_gamma: ClassVar[float] = 0.0
    """The largest smoothing rate γ that is worth trying; 0 where there is none."""

    @property
    def delta(self) -> Fraction:
        """Guarantees are pure, with δ = 0, unless a mechanism says otherwise."""
        return Fraction(0)

    @property
    def loss(self) -> GaussianLoss | None:
        """The exact losses between neighbours, where no loss is the largest."""
        return None

    @property
    def proved_by(self) -> str:
        """How the guarantee is known: by a theorem, or by an enumeration of all losses."""
        return "theorem"

    @property
    def adjacency(self) -> str:
        """Which data sets count as neighbours."""
        return self.space.adjacency.name

    @classmethod
    def as_published(cls, space: PosteriorSpace, *, epsilon: Epsilon, **options: Any) -> Self:
        """The mechanism as the papers define it, whatever that guarantees; if they do not, its default form."""
        build: Callable[..., Self] = cls
        return build(space, epsilon=epsilon, **options)

    @classmethod
    def at_full_loss(cls, space: PosteriorSpace, *, epsilon: Epsilon) -> Self:
        """The member of the family that spends all of ε by its theorem, if the theorem has no slack."""
        raise InvalidInput(
            "this mechanism has no scale to calibrate", hint="choose an exponential, laplace or geometric"
        )

    @classmethod
    def from_parameters(cls, space: PosteriorSpace, *, epsilon: Fraction, parameters: dict[str, Any]) -> Self:
        """The mechanism with these `parameters`; what is certified by an audit is not yet certified."""
        build: Callable[..., Self] = cls
        return build(space, epsilon=epsilon, **parameters)

    def loss_pairs(self) -> tuple[LossPair, ...]:
        """Independent pairs of laws: neighbours are told apart no better than by all of them. By its ε alone, one."""
        return (GeometricPair(Fraction(self.guarantee)),)

    def loss_range(self) -> Fraction:
        """η: between the same two neighbours, the losses at any two outputs differ by at most this."""
        return 2 * Fraction(self.guarantee)

    @abstractmethod
    def law(self, counts: object) -> Law:
        """The exact law on outputs, given the counts. It is private."""

    def log_pmf(self, counts: object) -> Floats:
        """Log-probabilities of the released candidates, in the order of `space.candidates()`. They are private."""
        return self.kernel.row(counts).values

    @property
    def kernel(self) -> Kernel:
        """P(output | counts) in floats, each with a bound on its error: rows, columns and normalisers.

        >>> from discreet import Geometric
        >>> mechanism = Geometric(PosteriorSpace(prior=[1, 1], n=10), epsilon=1)
        >>> mechanism.kernel.column((4, 6)).values.round(2).tolist()[2:6]
        [-2.77, -1.77, -0.77, -1.77]
        """
        from discreet.kernels import kernel_of

        return kernel_of(self)

    def posterior(self, output: Outcome) -> Dirichlet:
        """The posterior that is published for an output of the law: it looks at nothing else."""
        return self.space.prior.update(output)

    def postprocess(self, outputs: Wholes) -> Wholes:
        """The candidates that outputs lead to, one per row: the outputs themselves, where these are candidates."""
        return outputs

    def _candidate_logs(self, outputs: Wholes, logs: Floats) -> Floats:
        """Log-probabilities of the candidates that outputs lead to, from those of the outputs, one per row."""
        sums = np.full(self.space.size, -np.inf)
        np.logaddexp.at(sums, self.space.candidates().ranks(self.postprocess(outputs)), logs)  # nothing underflows
        return sums

    def parameters(self) -> dict[str, str]:
        """The public parameters beyond the space and ε, as exact texts."""
        return {}

    def require_guarantee(self) -> None:
        """Refuse, before any data is touched, what is not proved to be ε-DP."""
        if not self.guarantee <= self.epsilon:
            raise NotPrivate(
                f"{self.name} has no guarantee at this epsilon: {self.guaranteed_by}",
                hint="use its default form, or accept no guarantee for a study",
            )

    def release(self, counts: object, *, accept_no_guarantee: bool = False) -> Released:
        """One exact draw: this may be published.

        >>> from discreet import Dirichlet, Geometric
        >>> mechanism = Geometric(PosteriorSpace(prior=Dirichlet([1, 1, 1]), n=150), epsilon=0.5)
        >>> sum(mechanism.release([70, 50, 30]).output)
        150
        """
        if not accept_no_guarantee:
            self.require_guarantee()
        output = self.law(counts).draw()
        return Released(posterior=self.posterior(output), output=output, mechanism=self)

    def simulate(self, counts: object, size: int) -> Wholes:
        """Many independent outputs, one per row, as exact as a release. For studies, never for publication.

        >>> from discreet import Geometric
        >>> mechanism = Geometric(PosteriorSpace(prior=[1, 1], n=10), epsilon=1)
        >>> mechanism.simulate([3, 7], 4).shape
        (4, 2)
        """
        return self.law(counts).draw_many(size)

    def _set(self, **fields: object) -> None:
        """Fill the frozen fields while the mechanism is being built; refuse a private n that the theorem is not for."""
        for name, value in fields.items():
            object.__setattr__(self, name, value)
        if not self.of_private_n and "space" in fields:
            self.space.adjacency.require_n()

    def __repr__(self) -> str:
        parameters = {"postprocess" if key == "way" else key: value for key, value in self.parameters().items()}
        facts: dict[str, object] = {**self.space.adjacency.sizes, "epsilon": self.epsilon, **parameters}
        return f"{type(self).__name__}({self.space.prior!r}, {', '.join(f'{key}={facts[key]}' for key in facts)})"


def require_mechanism(value: object) -> None:
    """Refuse what is no mechanism; its name is none."""
    require_kind(value, Mechanism, "mechanism", hint='build one: dc.mechanism("geometric", space, epsilon=1)')
