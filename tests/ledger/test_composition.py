"""Budgets that add up by zero-concentrated privacy: exact decisions, never beyond the promise."""

import tempfile
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet.errors import BudgetExceeded, InvalidInput, LedgerError
from discreet.ledger import Ledger, book
from discreet.ledger.budgets import budget_rho
from discreet.ledger.entries import Amount
from discreet.privacy_loss import Price
from tests.oracles import composition
from tests.oracles.precision import Real, mp, real

pytestmark = pytest.mark.usefixtures("quick")


def narrow_price(epsilon: Any) -> Price:
    """Of a mechanism that pays a quarter of ε²/2."""
    return Price(((dc.ExponentialReciprocal(dc.PosteriorSpace(prior=[1, 1], n=500), epsilon=epsilon),),))


def pure(epsilon: Any) -> Real:
    """ρ of whatever is known by its ε alone."""
    return real(epsilon) * mp.tanh(real(epsilon) / 2)


def zcdp(place: str | Path, epsilon: Any, delta: Any = "1e-6") -> Ledger:
    return Ledger.create(place, dataset="d", epsilon=epsilon, delta=delta, composition="zcdp")


def test_a_hundred_releases_at_a_tenth_fit_a_budget_that_their_sum_exceeds_twice(ledger_place: str) -> None:
    ledger = zcdp(ledger_place, "5.25")
    for i in range(100):
        ledger.charge("d", 0.1, request_id=str(i), digest="x")
    account = ledger.account("d")
    assert account.spent.epsilon == 10
    assert account.concentrated is not None
    assert account.concentrated.delta == Fraction(1, 10**6)
    found, expected = account.concentrated.epsilon, composition.epsilon_of_rho(100 * pure("1/10"), "1e-6")
    assert mp.zero <= real(found) - expected < mp.mpf(10) ** -30
    assert account.guarantee == account.concentrated
    assert ledger.remaining("d") == account.remaining
    ledger.charge("d", account.remaining.epsilon, request_id="last", digest="x")
    with pytest.raises(BudgetExceeded, match=r"at most 0\.0000"):
        ledger.charge("d", 0.1, request_id="more", digest="x")
    assert ledger.verify().rows == 102


def test_few_releases_are_never_dearer_than_their_sum(ledger_place: str) -> None:
    ledger = zcdp(ledger_place, 1)
    assert ledger.remaining("d").epsilon == 1, "one large release fits by its ε, though not by its ρ"
    ledger.charge("d", 1, request_id="r", digest="x")
    account = ledger.account("d")
    assert account.concentrated is not None
    assert account.concentrated.epsilon > 1
    assert account.guarantee == account.spent
    assert account.remaining.epsilon == 0
    with pytest.raises(BudgetExceeded):
        ledger.charge("d", "1e-6", request_id="s", digest="x")


@given(
    budget=st.fractions(min_value=Fraction(1, 5), max_value=3, max_denominator=20),
    delta=st.sampled_from(["1e-9", "1e-4", "1/5"]),
    asked=st.lists(
        st.tuples(st.fractions(min_value=Fraction(1, 40), max_value=1, max_denominator=40), st.booleans()), max_size=10
    ),
)
def test_accepted_charges_never_exceed_the_promise_and_refused_ones_would(
    budget: Fraction, delta: str, asked: list[tuple[Fraction, bool]]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        ledger = zcdp(Path(folder) / "l.db", budget, delta)
        spent, rho = Fraction(0), mp.zero
        for i, (epsilon, narrow) in enumerate(asked):
            price = real(epsilon**2 / 8) if narrow else pure(epsilon)
            together = composition.epsilon_of_rho(rho + price, delta)
            try:
                ledger.charge("d", narrow_price(epsilon) if narrow else epsilon, request_id=str(i), digest="x")
            except BudgetExceeded:
                assert spent + epsilon > budget
                assert together > real(budget) * (1 - mp.mpf(10) ** -15)
            else:
                assert spent + epsilon <= budget or together <= real(budget)
                spent, rho = spent + epsilon, rho + price
            assert ledger.spent("d").epsilon == spent
        left = ledger.remaining("d").epsilon
        if left > 0:
            ledger.charge("d", left, request_id="all that is left", digest="x")
        with pytest.raises(BudgetExceeded):
            ledger.charge("d", left + Fraction(1, 10**6), request_id="more", digest="x")
        ledger.verify()


def test_a_price_is_a_mechanism_s_own_and_nobody_can_state_another(ledger_place: str) -> None:
    ledger = zcdp(ledger_place, 1)
    with pytest.raises(TypeError):
        ledger.charge("d", 100, request_id="r", digest="x", rho="1e-30")  # type: ignore[call-arg]
    with pytest.raises(BudgetExceeded):
        ledger.charge("d", 100, request_id="r", digest="x")
    ledger.charge("d", "1/10", request_id="r", digest="x")
    ledger.charge("d", narrow_price("1/10"), request_id="s", digest="x")
    alone, own = (entry.loss.rho for entry in ledger.history()[1:])
    assert mp.zero <= real(alone) - pure("1/10") < mp.mpf(10) ** -37
    assert own == Fraction(1, 800)


def test_the_columns_of_a_request_are_all_paid_for_and_of_public_groups_the_dearest(ledger_place: str) -> None:
    """Whoever took the largest ρ of several columns in place of their sum would charge too little."""
    one, other = narrow_price("1/10").parts[0][0], narrow_price("1/5").parts[0][0]
    ledger = zcdp(ledger_place, 1)
    for name, parts in (("columns", ((one,), (other,))), ("groups", ((one, other),))):
        ledger.charge("d", Price(parts), request_id=name, digest="x")
    columns, groups = ledger.history()[1:]
    assert (columns.epsilon, columns.rho) == ("3/10", str(Fraction(1, 800) + Fraction(1, 200)))
    assert (groups.epsilon, groups.rho) == ("1/5", "1/200")


def test_a_request_repeated_at_another_price_is_refused(ledger_place: str) -> None:
    ledger = zcdp(ledger_place, 1)
    first = ledger.charge("d", narrow_price("1/10"), request_id="r", digest="x")
    assert ledger.charge("d", narrow_price("1/10"), request_id="r", digest="x").hash == first.hash
    with pytest.raises(InvalidInput, match="other parameters"):
        ledger.charge("d", "1/10", request_id="r", digest="x")


def test_a_ledger_with_the_former_rho_stays_valid_and_goes_on(
    ledger_place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Charges were ε²/2 before less was proved."""
    ledger = zcdp(ledger_place, 1)
    with monkeypatch.context() as before:
        before.setattr(book, "pure_rho", lambda epsilon: epsilon**2 / 2)
        first = ledger.charge("d", "1/10", request_id="r", digest="x")
    assert ledger.history()[1].rho == "1/200"
    assert ledger.charge("d", "1/10", request_id="r", digest="x").hash == first.hash, "repeated for free"
    ledger.charge("d", "1/10", request_id="s", digest="y")
    assert ledger.verify().rows == 3
    with monkeypatch.context() as planted:  # a ρ above ε²/2 was never written by anybody
        planted.setattr(book, "pure_rho", lambda epsilon: epsilon**2)
        ledger.charge("d", "1/100", request_id="t", digest="z")
    with pytest.raises(LedgerError, match="row 4"):
        ledger.verify()


def test_a_charge_with_a_delta_is_paid_by_its_rho_alone(tmp_path: Path) -> None:
    """Its ε and δ within the budget's do not help it: the budget's δ is spoken for."""
    ledger = zcdp(tmp_path / "l.db", 1)
    gaussian = dc.Gaussian(dc.PosteriorSpace(prior=[1, 1], n=100), epsilon="1/10", delta="1e-9")
    ledger.charge("d", Price(((gaussian,),)), request_id="r", digest="x")
    assert ledger.remaining("d").epsilon < Fraction(1, 2), "and not the 0.9 that is left of the sum"
    with pytest.raises(BudgetExceeded):
        ledger.charge("d", "1/2", request_id="s", digest="x")


def test_a_charge_with_a_delta_of_its_own_is_refused_where_delta_pays_for_the_composition(ledger_place: str) -> None:
    ledger = zcdp(ledger_place, 1)
    for call in (ledger.charge, ledger.afford):
        options: dict[str, Any] = {"request_id": "r", "digest": "x"} if call == ledger.charge else {}
        with pytest.raises(InvalidInput, match="needed for its composition"):
            call("d", "1/10", "1e-9", **options)
    assert ledger.verify().rows == 1


@pytest.mark.parametrize(
    "options",
    [
        {"composition": "zcdp"},
        {"composition": "zcdp", "delta": 0},
        {"composition": "zCDP", "delta": "1e-6"},
        {"composition": "", "delta": "1e-6"},
        {"composition": "zcdp", "delta": "1e-6", "epsilon": "1e7"},
        {"composition": "zcdp", "delta": "1e-6", "epsilon": "1e-10"},
        {"adjacency": "add-or-remove"},
        {"adjacency": ""},
    ],
)
def test_a_budget_by_a_rule_that_is_not_there_is_refused(options: dict[str, str], tmp_path: Path) -> None:
    with pytest.raises(InvalidInput):
        Ledger.create(tmp_path / "l.db", dataset="d", **{"epsilon": 1, **options})  # type: ignore[arg-type]
    assert not (tmp_path / "l.db").exists()


def test_afford_refuses_what_charge_would_and_spends_nothing(ledger_place: str) -> None:
    ledger = zcdp(ledger_place, 1)
    ledger.afford("d", 1)
    with pytest.raises(BudgetExceeded):
        ledger.afford("d", "1.01")
    with pytest.raises(InvalidInput):
        ledger.afford("d", 1, adjacency="replace-answer")
    with pytest.raises(InvalidInput, match="no dataset"):
        ledger.afford("nobody", 1)
    assert ledger.verify().rows == 1


def test_a_budget_of_answers_bears_releases_that_protect_more_and_not_the_reverse(ledger_place: str) -> None:
    ledger = Ledger.create(ledger_place, dataset="answers", epsilon=1, adjacency="replace-answer")
    Ledger.create(ledger_place, dataset="records", epsilon=1)
    ledger.charge("answers", "1/4", request_id="a", digest="x", adjacency="replace-answer")
    ledger.charge("answers", "1/4", request_id="b", digest="x", adjacency="replace-one")
    ledger.charge("records", "1/4", request_id="c", digest="x", adjacency="replace-one")
    with pytest.raises(InvalidInput, match="budgeted under replace-one"):
        ledger.charge("records", "1/4", request_id="d", digest="x", adjacency="replace-answer")
    assert ledger.spent("answers").epsilon == Fraction(1, 2)
    assert [account.adjacency for account in ledger.accounts()] == ["replace-answer", "replace-one"]
    assert ledger.verify().rows == 5


def test_a_concentrated_budget_has_an_epsilon_between_a_thousand_millionth_and_a_million() -> None:
    for epsilon in (Fraction(1, 10**9), Fraction(10**6)):
        assert budget_rho(Amount(epsilon, Fraction(1, 10**6)), "zcdp") is not None
    for epsilon in (Fraction(1, 10**9 + 1), Fraction(10**6 + 1)):
        with pytest.raises(InvalidInput, match="out of range"):
            budget_rho(Amount(epsilon, Fraction(1, 10**6)), "zcdp")
