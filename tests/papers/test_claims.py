"""Every claim of the papers gets its verdict from its readings: other readings, other verdicts."""

import math
import re
from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import pytest

from discreet.posteriors.distances import legacy_hellinger
from discreet.sensitivity.exact import global_sensitivity
from discreet.utility.normaliser import normaliser
from discreet_papers.claims import CHECKS, CLAIMS, Finding, Verdict
from discreet_papers.pages import PAPERS, claims_page
from discreet_papers.verification.refutations import definition_five
from tests.contracts.source import ROOT

pytestmark = pytest.mark.xdist_group("claims")  # one process, so that each reading is tested once

MEMO = {name: replace(claim, test=cache(claim.test)) for name, claim in CLAIMS.items()}


def finding(name: str) -> Finding:
    return MEMO[name].check()


HOLDS, CORRECTED, FAILS = Verdict.HOLDS, Verdict.CORRECTED, Verdict.FAILS

SLOW = {"000-global", "001-figure-6", "001-overtakes", "001-privacy-evaluation", "001-smooth-delta", "004-equivalence"}


def some(names: Iterable[str]) -> list[Any]:
    """All of them, those that take longer in the soak."""
    return [pytest.param(name, marks=[pytest.mark.soak] * (name in SLOW)) for name in names]


MISTAKES: dict[str, tuple[Verdict, str, str]] = {
    # What the list of the papers' mistakes says: the verdict, and numbers in the counterexample and in what is right.
    "001-figure-1": (CORRECTED, "0.33894 .* 0.07028", "0.16137 .* 0.03271"),
    "001-figure-4": (CORRECTED, "0.3481, baseline 0.1398, improved 0.0756", "0.1945, baseline 0.0822, improved 0.0430"),
    "001-overtakes": (CORRECTED, "", "near n = 210; 450 at ε = 0.8, 260 by their program"),
    "001-approaches": (FAILS, "n = 5000: 0.0192 against 0.0108; .* 1.77 at 15000", "1.77"),
    "001-figure-6": (CORRECTED, r"0.877 / 0.896 / 0.897, local 0.9076 / 0.9203 / 0.9215", "0.715 / 0.824 / 0.848"),
    "001-local-definition": (CORRECTED, "0.00000", "x against x'"),
    "001-moved": (CORRECTED, "k = 3: 3, but 2", "2 for every k"),
    "001-truncation": (CORRECTED, "of total 10", "totals of 5"),
    "001-size": (CORRECTED, "n = 10, k = 3: 55, not 66", "66"),
    "001-smooth-dirichlet": (CORRECTED, "γ = 0.02", "over all x'"),
    "001-definition-1": (CORRECTED, "1 against 2.718", "≤"),
    "001-definition-2": (CORRECTED, "1 against 2.718", "≤"),
    "001-adjacency": (CORRECTED, "0000 and 0000", "disagreements"),
    "001-beta-density": (CORRECTED, "35/1224", "mass 1$"),
    "003-dirichlet-density": (CORRECTED, "35/1224", "mass 1$"),
    "001-lemma-5.3-twice": (CORRECTED, "to 19 is 0.088104, to 21 is 0.086523", "balanced"),
    "001-lemma-5.3-sign": (CORRECTED, "2.3010", "0.0000"),
    "001-lemma-5.4": (CORRECTED, "n = 1000", "δ'/2"),
    "001-lemma-5.5": (CORRECTED, "δ = -445", "δ = 0"),
    "003-lemma-2.1": (CORRECTED, "exceeds", "formula"),
    "003-lemma-2.2": (CORRECTED, "exceeds", "formula"),
    "000-lemma-3.3": (CORRECTED, "λ = -5.0, u = 0.125", "6400"),
    "001-theorem-5.1-step": (CORRECTED, "3.8953 against 1/S\\(x'\\) = 2.8953", "≥"),
    "001-lemma-5.6": (HOLDS, "", "0.50 to 0.9200"),
    "001-floor": (CORRECTED, "t = 0", "t = 1: 0.119326"),
    "001-floor-improved": (CORRECTED, "k = 2", "1 for k = 2"),
    "001-tight": (CORRECTED, "", "Definition 3"),
    "001-normalised": (CORRECTED, "", "exp"),
    "003-global": (
        CORRECTED,
        "0.239992747797 = H\\(DL\\(7,4,5\\), DL\\(8,3,5\\)\\)",
        "0.233629480709, enumerated 0.23362948",
    ),
    "003-gamma": (CORRECTED, "0.0698191876 and 0.0676838956", "0.0699407108 and 0.0677791100"),
    "003-gamma-size": (CORRECTED, "5151, 101 is used", "0.0413999093"),
    "003-gamma-figure-4": (CORRECTED, "n = 150", "n = 120: 0.0677791100173"),
    "003-local": (FAILS, "LS 0.0816; .* LS 0.0753", "0 of 5151 .* 0 of 7381"),
    "000-local": (HOLDS, "", "1.1132 .* beta\\(0.01,0.01\\), n = 1000"),
    "000-local-argument": (CORRECTED, "0.5910 over 1 pairs .* n = 1,", "n = 1 and k ≥ 3"),
    "000-local-sign": (CORRECTED, "1/20", "< 2"),
    "000-statement-1-above": (HOLDS, "", "strict"),
    "000-statement-1-below": (CORRECTED, "n = 4, x = 2", "not at x₀ itself"),
    "000-statement-1-induction": (FAILS, "-3.81", "concavity"),
    "000-lemma-3.1-beta": (CORRECTED, "0.026159", "0.025616"),
    "000-lemma-3.1-case-1": (CORRECTED, "1.0259, the bound 0.5", "e\\^"),
    "004-interval": (CORRECTED, "sum to 0.5", "sum to 1$"),
    "004-branch": (CORRECTED, "0.632121", "0.000000"),
    "004-proposition-1": (CORRECTED, "δ = 0.0000", "three terms"),
    "004-proposition-2": (CORRECTED, "0.3150 is needed, 0.0000 claimed", "three terms"),
    "004-definition-5": (CORRECTED, "0.864665", "e\\^ε"),
    "004-equivalence": (FAILS, "criterion 0.000, needed 0.273", "about the noise"),
}


@pytest.mark.every
@pytest.mark.parametrize("name", some(MISTAKES))
def test_a_known_mistake_is_found_with_its_numbers(name: str) -> None:
    verdict, counterexample, right = MISTAKES[name]
    outcome = finding(name)
    assert outcome.verdict is verdict
    assert re.search(counterexample, outcome.counterexample), outcome.counterexample
    assert re.search(right, outcome.is_), outcome.is_
    assert math.isfinite(outcome.number)


@pytest.mark.every
@pytest.mark.parametrize("name", some(name for name, claim in CLAIMS.items() if claim.corrected is not None))
def test_a_statement_that_already_reads_as_put_right_holds(name: str) -> None:
    claim = MEMO[name]
    verdict = replace(claim, printed=claim.corrected).check().verdict
    assert verdict is (HOLDS if finding(name).verdict is CORRECTED else FAILS)


@pytest.mark.every
@pytest.mark.parametrize("name", some(name for name, claim in CLAIMS.items() if claim.corrected is not None))
def test_a_correction_that_corrects_nothing_fails(name: str) -> None:
    claim = MEMO[name]
    assert replace(claim, corrected=claim.printed).check().verdict is FAILS


PLANTED: dict[str, Any] = {
    # A wrong reading for every claim that holds as printed.
    "001-line-size": lambda n: n,
    "001-dirichlet-density": 0,
    "001-moved-improved": lambda k: k,
    "001-hellinger": lambda p, q: legacy_hellinger(p, q) if p.total == q.total else 0.5,
    "001-variation": lambda h: h,
    "000-statement-1-above": lambda x, n: 1 if x >= n // 2 - 1 else 0,
    "000-statement-1-base": lambda n: 8 * n,
    "001-reached-at-x": lambda c, n: (n, *(0 for _ in c[1:])),
    "000-global": Fraction(1),
    "000-local": lambda local, distances, x, y: slice(y, y + 1),
    "001-laplace": lambda k: Fraction(1, 2),
    "001-laplace-improved": lambda k: Fraction(1),
    "001-smooth-delta": Fraction(2),
    "001-theorem-5.1": 1.5,
    "001-lemma-5.6": Fraction(2),
    "001-privacy-evaluation": Fraction(1),
    "001-lemma-5.1": lambda cost, r: math.exp(-cost) * (1 + r),
    "001-lemma-5.2": lambda row, r: 1 if row.distances[r] == 0 else 2,
    "001-global-bound": 2.5,
    "001-normaliser": lambda mechanism: 2 * normaliser(mechanism).value,
    "001-loose": 1.5,
    "001-gap": lambda space, counts: global_sensitivity(space),
    "001-better-than-global": lambda space, counts: global_sensitivity(space),
    "001-figure-3": 0.9,
    "001-decreasing": (15000, 100),
    "001-conclusion-2-loss": 0.5,
    "004-definition-2": lambda: definition_five(1),
}


@pytest.mark.every
@pytest.mark.parametrize("name", some(PLANTED))
def test_a_claim_that_holds_would_fail_if_it_said_something_wrong(name: str) -> None:
    assert finding(name).verdict is HOLDS
    planted = replace(CLAIMS[name], printed=PLANTED[name]).check()
    assert planted.verdict is FAILS
    assert planted.counterexample


def test_every_claim_that_holds_has_its_planted_fault() -> None:
    names = CLAIMS.keys() - SLOW
    assert {name for name in names if finding(name).verdict is HOLDS} == PLANTED.keys() - SLOW


MEANT: dict[str, Any] = {
    "001-approaches": 2 / math.cosh(0.5),
    "001-approaches-loss": 0.864,
    "000-statement-1-induction": 1,
    "001-conclusion-2": 1.8,
}


@pytest.mark.every
@pytest.mark.parametrize("name", MEANT)
def test_what_fails_would_hold_if_it_said_what_is_true(name: str) -> None:
    assert finding(name).verdict is FAILS
    assert replace(CLAIMS[name], printed=MEANT[name]).check().verdict is HOLDS


def test_every_claim_is_complete_and_cites_a_paper() -> None:
    assert set(CHECKS) == set(CLAIMS)
    for name, claim in CLAIMS.items():
        assert name == claim.id
        assert name.split("-")[0] in PAPERS
        assert name.split("-")[0] in claim.source
        assert claim.says
        assert claim.settings
        assert claim.right


@pytest.mark.soak
def test_the_page_is_what_the_code_gives() -> None:
    assert (ROOT / "docs" / "claims.md").read_text(encoding="utf-8") == claims_page(MEMO.values())
