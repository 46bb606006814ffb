"""The black-box tester itself: its last step is right as often as it says, and what it should find it finds."""

import math

import numpy as np
import pytest
from scipy import stats

from bench import black_box
from bench.black_box import Draws, Outcome, Program, attack, bounds, comparison

LEVELS = (0.2, 0.05, 0.01)


def answer(epsilon: float, coins: np.random.Generator) -> Program:
    """Randomised response: its loss is ε."""

    def run(truth: int, times: int) -> list[Outcome]:
        right = coins.random(times) < 1 / (1 + math.exp(-epsilon))
        return [{"told": truth if each else 1 - truth} for each in right]

    return run


@pytest.mark.parametrize("epsilon", [0.3, 1.0])
def test_the_tests_of_an_event_have_their_levels_exactly(epsilon: float) -> None:
    """All pairs of counts out of sixteen draws, with their probabilities where the promise just holds."""
    draws = 16
    counts = range(draws + 1)
    p_values = np.array([[comparison(a, b, draws, epsilon) for b in counts] for a in counts])
    for level in LEVELS:
        lows = [bounds(a, draws, level / 2)[0] for a in counts]
        highs = [bounds(b, draws, level / 2)[1] for b in counts]
        exceeds = np.array([[low > math.exp(epsilon) * high for high in highs] for low in lows])
        for q in np.linspace(0.01, math.exp(-epsilon), 25):
            p = min(1.0, math.exp(epsilon) * q)
            chance = np.outer(stats.binom.pmf(counts, draws, p), stats.binom.pmf(counts, draws, q))
            assert chance[p_values < level].sum() <= level
            assert chance[exceeds].sum() <= level


def test_a_program_that_keeps_its_promise_is_seldom_accused() -> None:
    coins, runs, level = np.random.default_rng(5), 100, 0.2
    alarms = sum(
        attack(answer(1.0, coins), [(0, 1)], epsilon=1.0, draws=Draws(8, 8, 40), false_alarm=level).exceeds
        for _ in range(runs)
    )
    assert alarms <= stats.binom.ppf(1 - 1e-9, runs, level)


def test_an_event_that_is_tested_on_the_draws_it_was_chosen_on_would_raise_false_alarms() -> None:
    """Of forty coins that say nothing, one fell differently for the two data sets; thrown again it does not."""

    def coins(seed: int, kept: bool) -> Program:
        def run(data: int, times: int) -> list[Outcome]:
            drawn = np.random.default_rng([seed, data, 0 if kept else times])
            return [{f"coin {i}": x for i, x in enumerate(row)} for row in drawn.integers(0, 2, (times, 40)).tolist()]

        return run

    def alarms(kept: bool) -> int:
        draws = Draws(10, 60, 60 if kept else 61)
        findings = (attack(coins(i, kept), [(0, 1)], epsilon=0.01, draws=draws, false_alarm=0.2) for i in range(8))
        return sum(finding.exceeds for finding in findings)

    assert alarms(kept=False) <= 1 < 4 <= alarms(kept=True)


def test_what_is_lost_twice_over_is_found_and_so_is_a_text_that_one_data_set_has() -> None:
    coins = np.random.default_rng(3)
    assert attack(answer(3.0, coins), [(0, 1)], epsilon=1.5, draws=Draws(test=400)).exceeds

    def telling(data: int, times: int) -> list[Outcome]:
        return [{"noise": float(x), **({"note": "empty"} if data else {})} for x in coins.random(times)]

    finding = attack(telling, [(0, 1)], epsilon=1, draws=Draws(10, 10, 60))
    assert finding.exceeds
    assert finding.event in ("note = empty", f"note = {black_box.ABSENT}")


def test_what_only_two_numbers_together_tell_is_found_by_the_classifier() -> None:
    """A pad and the padded answer: each alone is a fair number."""
    coins = np.random.default_rng(4)

    def padded(data: int, times: int) -> list[Outcome]:
        return [{"pad": float(x), "sum": float(x) + 0.2 * data} for x in coins.random(times)]

    finding = attack(padded, [(0, 1)], epsilon=0.5, draws=Draws(60, 40, 200))
    assert finding.exceeds
    assert "classifier" in finding.event
