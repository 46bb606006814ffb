"""What many releases cost together, with fifty digits and from the definitions: Rényi divergences and hockey sticks."""

from collections.abc import Callable, Mapping
from typing import Any

from .precision import Exact, Real, mp, real


def least(f: Callable[[Real], Real], low: Real, high: Real) -> Real:
    """The least value of a function that falls and then rises, by cutting the interval into thirds.

    Where it is least it is flat: 27 digits of the place are more than 50 of the value.
    """
    for _ in range(170):
        a, b = low + (high - low) / 3, high - (high - low) / 3
        if f(a) < f(b):
            high = b
        else:
            low = a
    return f((low + high) / 2)


def share(order: Real) -> Real:
    """The greatest (1 - u)·u^(a-1) for u in (0, 1): how much of E[e^((a-1)(L-ε))] can be a δ."""
    return -least(lambda u: -(1 - u) * u ** (order - 1), mp.zero, mp.one)


def epsilon_of_rho(rho: Exact | Real, delta: Exact) -> Real:
    """The least ε over all orders a for which share(a)·e^((a-1)(aρ-ε)) is at most δ; not below 0."""
    spent, slack = real(rho), real(delta)

    def at(log_order: Real) -> Real:
        a = 1 + mp.exp(log_order)
        in_closed_form = (1 - 1 / a) ** (a - 1) / a
        return a * spent - mp.log(slack / in_closed_form) / (a - 1)

    return max(mp.zero, least(at, mp.mpf(-60), mp.log(1 / slack) + 5))


def renyi(p: Mapping[Any, Real], q: Mapping[Any, Real], order: Exact) -> Real:
    """The Rényi divergence of an order above 1."""
    a = real(order)
    return mp.log(mp.fsum(p[r] ** a * q[r] ** (1 - a) for r in p)) / (a - 1)


def delta_of_coins(epsilon: Exact, times: int, at: Real) -> Real:
    """The exact δ at an ε, of a coin that tells its side with odds e^ε, thrown so often.

    No ε-DP mechanism, thrown as often, has a greater one (Kairouz, Oh and Viswanath 2015).
    """
    e = real(epsilon)
    heads = mp.exp(e) / (1 + mp.exp(e))
    total = mp.zero
    for j in range(times + 1):
        p, q = heads**j * (1 - heads) ** (times - j), heads ** (times - j) * (1 - heads) ** j
        total += mp.binomial(times, j) * max(mp.zero, p - mp.exp(at) * q)
    return total
