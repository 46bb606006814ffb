"""`python -m bench.peers_audited`: the exact privacy loss of mechanisms that others ship; writes docs/peers-audited.md.

Each program is run as it is installed, with a generator that returns the uniform number that is wanted next.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from importlib.metadata import version

import numpy as np
import opendp.prelude as opendp
from diffprivlib import mechanisms as diffprivlib

from bench.audited_laws import Loss, exact_loss, grid_law
from bench.report import DOCS, put
from bench.rows import lines_of_table

N = 100
"""Counts go from 0 to this."""

PAIRS = [(0, 1), (N // 2, N // 2 + 1), (N - 1, N)]
"""The neighbours that are looked at: at both ends and in the middle."""

CRASH = 10**9
"""The output of a program that stops with an error, which its caller sees."""

HALF = (Fraction(1, 2),)
"""Where two-sided inverse transforms change their sign."""

Program = Callable[[int], Callable[[float], int]]
"""From a count to a function of one uniform number."""


@dataclass
class FixedUniform:
    """A generator that returns the number it is set to."""

    number: float = 0.0

    def random(self) -> float:
        return self.number


def function_of_uniform(mechanism: object, randomise: Callable[[], int]) -> Callable[[float], int]:
    """A mechanism of diffprivlib as a function of the one uniform number that it draws."""
    generator = FixedUniform()
    vars(mechanism)["_rng"] = generator

    def run(number: float) -> int:
        generator.number = number
        try:
            with np.errstate(divide="ignore"):
                return randomise()
        except OverflowError:
            return CRASH

    return run


def geometric(epsilon: float) -> Program:
    """diffprivlib's Geometric on a count."""
    mechanism = diffprivlib.Geometric(epsilon=epsilon)
    return lambda count: function_of_uniform(mechanism, lambda: mechanism.randomise(count))


def truncated_geometric(epsilon: float) -> Program:
    """diffprivlib's GeometricTruncated on a count of 0 to N."""
    mechanism = diffprivlib.GeometricTruncated(epsilon=epsilon, lower=0, upper=N)
    return lambda count: function_of_uniform(mechanism, lambda: mechanism.randomise(count))


def exponential(epsilon: float) -> Program:
    """diffprivlib's Exponential, choosing a count of 0 to N by its distance to the true one."""

    def of(count: int) -> Callable[[float], int]:
        utility = [-abs(count - r) for r in range(N + 1)]
        mechanism = diffprivlib.Exponential(epsilon=epsilon, sensitivity=1, utility=utility)
        return function_of_uniform(mechanism, mechanism.randomise)

    return of


def tutorial_laplace(epsilon: float) -> Program:
    """Inverse transform and rounding, as tutorials write it with NumPy."""

    def of(count: int) -> Callable[[float], int]:
        def run(number: float) -> int:
            u = number - 0.5
            with np.errstate(divide="ignore"):
                noisy = count - np.sign(u) * np.log(1 - 2 * np.abs(u)) / epsilon
            return int(np.round(np.clip(noisy, -1e9, 1e9)))

        return run

    return of


def tutorial_choice(epsilon: float) -> Program:
    """`rng.choice(candidates, p=softmax(scores))`: NumPy looks the uniform number up in the cumulative sum."""

    def of(count: int) -> Callable[[float], int]:
        weights = np.exp(-epsilon / 2 * np.abs(count - np.arange(N + 1)))
        cumulative = (weights / weights.sum()).cumsum()
        cumulative /= cumulative[-1]
        return lambda number: int(cumulative.searchsorted(number, side="right"))

    return of


@dataclass(frozen=True)
class Case:
    """A mechanism that is looked into, on counts from 0 to N, where neighbours differ by one record."""

    name: str
    package: str
    program: Callable[[float], Program]
    epsilon: str

    def loss(self) -> Loss:
        """Its exact loss over the pairs."""
        program = self.program(float(self.epsilon))
        law = cache(lambda count: grid_law(program(count), cuts=HALF))
        return exact_loss(law, PAIRS, Fraction(self.epsilon))


CASES = [
    Case(name, package, program, epsilon)
    for name, package, program in (
        ("`Geometric`", "diffprivlib", geometric),
        ("`GeometricTruncated`, 0 to 100", "diffprivlib", truncated_geometric),
        ("`Exponential` of the distance", "diffprivlib", exponential),
        ("inverse Laplace transform, rounded", "numpy", tutorial_laplace),
        ("`choice(p=softmax)` of the distance", "numpy", tutorial_choice),
    )
    for epsilon in ("0.5", "1")
]


def rows() -> Iterator[list[str]]:
    """One row for each case."""
    for case in CASES:
        loss = case.loss()
        exact = "∞" if math.isinf(loss.epsilon) else f"{loss.epsilon:.9f}"
        output = "an error" if loss.output == CRASH else f"{loss.output:,}"
        pair = f"{loss.data} and {loss.neighbour}, output {output}"
        package = f"{case.package} {version(case.package)}"
        yield [case.name, package, case.epsilon, exact, f"{loss.delta:.2g}", pair]


def stated_losses() -> Iterator[list[str]]:
    """What OpenDP states for its discrete Laplace, beside the exact loss 1/scale."""
    opendp.enable_features("contrib")
    space = opendp.atom_domain(T=int), opendp.absolute_distance(T=int)
    for scale in ("1", "3", "10", "0.7"):
        stated = opendp.m.make_laplace(*space, scale=float(scale)).map(1)
        # The scale is the double that was given to it.
        exact = 1 / Fraction(float(scale))
        yield [scale, repr(stated), "yes" if Fraction(stated) >= exact else "NO"]


PAGE = """# Peers, audited

For people who choose between libraries, and for their authors. After this page you know what the exact privacy loss of
some mechanisms is as they are installed, and which pair of data sets shows it.

Generated by `python -m bench.peers_audited`; do not edit. Each program is run as it is, with a generator that returns
any of the 2⁵³ numbers that `random()` can return. Its law follows by bisection, in whole numbers. Counts go from 0 to
{n}; neighbours differ by one, and are looked at where the counts begin and end and in the middle. δ is what the stated
ε would have to be completed with, for the worst of these pairs.

{table}

**What this means.** Each of these is right as a formula on real numbers. With doubles an output far from the count is
possible for one data set and impossible for its neighbour, because a uniform number of 53 bits has no smaller steps. So
the pure ε that is stated does not hold; (ε, δ) holds with the δ of the table, a few times 2⁻⁵³. Where the noise reaches
every output of a range, as that of the exponential mechanisms does here at ε = 0.5, the loss is below what is stated.
Nobody learns much from an event of this probability. It matters where many releases are composed, where a proof says
that δ is 0, and where a program stops with an error that its caller sees.

**What is fine.** OpenDP draws its discrete Laplace noise from integers and exact coins, so there is no grid to look
into. The loss it states is never below 1/scale; it is rounded up:

{fine}

discreet's own laws have exact weights and are drawn from bit by bit: the [audit](accuracy.md) looks at the same law.
"""


def main() -> None:
    """Print the tables and write the page."""
    head = ["mechanism", "package", "stated ε", "exact loss", "δ", "counts that show it"]
    table = "\n".join(lines_of_table(head, list(rows())))
    fine = "\n".join(
        lines_of_table(["scale", f"OpenDP {version('opendp')} states", "at least 1/scale"], list(stated_losses()))
    )
    text = PAGE.format(n=N, table=table, fine=fine)
    print(text)
    put(DOCS / "peers-audited.md", lambda path: path.write_text(text, encoding="utf-8"))


if __name__ == "__main__":
    main()
