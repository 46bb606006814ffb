"""What a mechanism costs under zero-concentrated privacy: from how far its loss can differ between two outputs."""

from __future__ import annotations

from fractions import Fraction

from discreet.mechanisms import Mechanism
from discreet.privacy_loss.composition import rho_of_range


def loss_range(mechanism: Mechanism) -> Fraction:
    """η: between the same two neighbours, the losses at any two outputs differ by at most this.

    A loss between -ε and ε has range 2ε. For the exponential family the range is also at most 2s(1+Γ): the loss is
    s·[H(c',r)/S(c') - H(c,r)/S(c)] and a constant that no output changes, and the bracket lies between ±(1+Γ). By the
    theorem that is ε itself, half of 2ε. A calibrated scale is larger, so there the theorem's bound and twice the
    certified loss compete. `tests/privacy_loss/test_ranges.py` compares with all losses of small spaces.

    >>> from discreet import ExponentialReciprocal, Geometric, PosteriorSpace
    >>> space = PosteriorSpace(prior=[1, 1], n=50)
    >>> loss_range(Geometric(space, epsilon=1)), loss_range(ExponentialReciprocal(space, epsilon=1))
    (Fraction(2, 1), Fraction(1, 1))
    """
    mechanism.require_guarantee()
    return mechanism.loss_range()


def rho_upper(mechanism: Mechanism) -> Fraction:
    """ρ: the mechanism is ρ-zCDP under its adjacency; `NotPrivate` if it has no guarantee.

    >>> from discreet import ExponentialReciprocal, PosteriorSpace
    >>> rho_upper(ExponentialReciprocal(PosteriorSpace(prior=[1, 1], n=50), epsilon="1/10"))
    Fraction(1, 800)
    """
    return rho_of_range(loss_range(mechanism))
