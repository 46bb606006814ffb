"""No message, repr or traceback shows a count: a canary in the data is looked for in everything that is said."""

import logging
import re
import traceback
import warnings
from collections.abc import Callable
from decimal import Decimal

import numpy as np
import pytest

from discreet import DiscreetError, PosteriorSpace, local_sensitivity, reciprocal_sensitivity, smooth_sensitivity
from discreet.mechanisms import FAMILIES, ExponentialLocal, Geometric, Mechanism, Optimal
from discreet.testing import HashedBits
from tests.support.mechanisms import build

CANARY = 7919
OTHER = 8231
SPACE = PosteriorSpace([1, 1], 16_150)  # the sum of the two: known to all, and it holds neither
SMALL = PosteriorSpace([1, 1], 121)
RELEASED = [family for family in FAMILIES if family is not Optimal]

BAD_COUNTS: list[object] = [
    [CANARY, OTHER + 1],
    [CANARY, OTHER, 0],
    [CANARY],
    [CANARY + 0.5, OTHER - 0.5],
    [-CANARY, OTHER],
    [str(CANARY), "x"],
    [f"{CANARY}.5", OTHER],
    [f" {CANARY}", OTHER],
    [Decimal(CANARY) / 2, OTHER],
    [CANARY, None],
    [CANARY, float("nan")],
    [[CANARY], [OTHER]],
    np.array([[CANARY, OTHER]]),
    np.array([CANARY, OTHER + 1]),
    np.array([CANARY, OTHER], dtype=np.float32) + np.float32(0.5),
    CANARY,
    str(CANARY),
    {"a": CANARY, "b": OTHER},
    (CANARY**100, OTHER),
    [True, CANARY],
]


def shows(text: str) -> bool:
    return str(CANARY) in text or str(OTHER) in text


DOORS: list[Callable[[object], object]] = [
    lambda counts: SPACE.counts(counts),
    lambda counts: SPACE.posterior(counts),
    lambda counts: list(SPACE.neighbours(counts)),
    lambda counts: SPACE.distance(counts, counts),
    lambda counts: local_sensitivity(SPACE, counts),
    lambda counts: smooth_sensitivity(SPACE, counts, 1),
    lambda counts: reciprocal_sensitivity(SPACE, counts, 1),
    lambda counts: SPACE.prior.update([counts, CANARY, 1]),
    *(lambda counts, name=family.name: build(name, SPACE, epsilon=1).release(counts) for family in RELEASED),
    *(lambda counts, name=family.name: build(name, SPACE, epsilon=1).log_pmf(counts) for family in RELEASED),
    *(lambda counts, name=family.name: build(name, SPACE, epsilon=1).simulate(counts, 3) for family in RELEASED),
]


@pytest.mark.parametrize("door", range(len(DOORS)))
def test_refusals_do_not_repeat_the_counts(door: int, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    for counts in BAD_COUNTS:
        with warnings.catch_warnings(record=True) as warned, pytest.raises(DiscreetError) as refused:
            DOORS[door](counts)
        error = refused.value
        assert not shows(str(error)), error
        assert not shows(repr(error))
        assert not shows(error.message + error.hint)
        assert not any(shows(str(argument)) for argument in error.args)
        assert not shows("".join(traceback.format_exception(error)))
        assert not warned
    assert not caplog.records


def alone(number: str, shown: str) -> bool:
    """Whether a text shows a number, and not just its digits inside of another or of an address."""
    return re.search(rf"(?<![0-9a-fx]){number}(?![0-9a-f])", shown) is not None


@pytest.mark.parametrize("family", FAMILIES)
def test_nothing_that_holds_counts_shows_them(family: type[Mechanism]) -> None:
    counts = SMALL.counts([83, 38])
    law = build(family.name, SMALL, epsilon=1).law(counts)
    shown = f"{counts} {counts!s} {counts!r:>30} {[counts]} {law} {law!s} {law!r}"
    assert not alone("83", shown)
    assert not alone("38", shown)
    assert not any(alone("83", repr(value)) for name, value in vars(law).items() if name != "_row")


@pytest.mark.parametrize("family", FAMILIES)
def test_a_mechanism_is_the_same_before_and_after_it_has_seen_data(family: type[Mechanism]) -> None:
    form = build(family.name, SMALL, epsilon=1)
    before = (repr(form), form.guarantee, form.guaranteed_by, form.parameters(), hash(form))
    form.log_pmf([83, 38])
    form.law([83, 38])._draw(HashedBits("canary"))
    assert (repr(form), form.guarantee, form.guaranteed_by, form.parameters(), hash(form)) == before
    assert not alone("83", repr(vars(form)))


def test_a_refusal_for_want_of_a_guarantee_is_the_same_for_all_data() -> None:
    form = ExponentialLocal.as_published(SMALL, epsilon=1)
    texts = set()
    for counts in ([83, 38], [0, 121], "no counts at all"):
        with pytest.raises(DiscreetError) as refused:
            form.release(counts)
        texts.add(str(refused.value))
    assert len(texts) == 1


def test_wrong_counts_of_every_kind_are_refused_in_the_same_words() -> None:
    texts = set()
    for counts in ([83, 39], [82, 38], [83.5, 37.5], ["x", 38], [83, -38], [None, 1], [83, 38, 0], [121]):
        with pytest.raises(DiscreetError) as refused:
            SMALL.counts(counts)
        texts.add(str(refused.value))
    assert len(texts) == 1


def test_what_a_release_shows_is_what_was_released() -> None:
    released = Geometric(SMALL, epsilon="1e-3").release([83, 38])
    assert repr(released.output) in repr(released)
