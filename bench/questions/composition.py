"""What many releases cost together, beside Google's accountant."""

from __future__ import annotations

from dp_accounting.pld import privacy_loss_distribution as google

from bench.rows import Answer, Effort, Row, question
from bench.timing import race
from discreet import Geometric, PosteriorSpace, compose

RELEASES = 10_000


@question("composing")
def ask(effort: Effort) -> Answer:
    """The ε of ten thousand releases at δ = 1e-6.

    Releases of two categories by geometric noise, which is discrete Laplace noise to dp_accounting, with the
    discretisation that it takes if told nothing. Ours is a proved bound, and its lower end comes with it.
    """
    rows = []
    for epsilon in ("0.01", "0.1"):
        release = Geometric(PosteriorSpace(prior=[1, 1], n=1000), epsilon=epsilon)
        medians = race(
            {
                "ours": lambda release=release: compose([release] * RELEASES).epsilon("1e-6"),  # type: ignore[misc]
                "theirs": lambda parameter=float(epsilon): _theirs(parameter),  # type: ignore[misc]
            },
            effort,
        )
        name = f"composition of {RELEASES:,} releases at ε = {epsilon}"
        rows.append(Row(name, medians["ours"], medians["theirs"], "dp_accounting", at_least=1))
    return Answer(rows)


def _theirs(parameter: float) -> float:
    together = google.from_discrete_laplace_mechanism(parameter).self_compose(RELEASES)
    return float(together.get_epsilon_for_delta(1e-6))
