"""Nothing that was ever public goes away: what was renamed works under both names."""

import pytest

import discreet as dc
from tests.contracts.public_surface import stored, surface

STORED = stored()

RENAMED = {"discreet.seeds_gamma": "discreet.published_gamma"}

WITHDRAWN = {
    "(mend)": "errors are read by users and raised by the library: `error.mend` works on",
    ".afford(epsilon)": "it is the second argument, `price`: an ε or a `Price`",
    ".charge(epsilon)": "it is the second argument, `price`: an ε or a `Price`",
    ".afford(rho)": "a ρ that a caller names may be false; a `Price` of the mechanisms has it",
    ".charge(rho)": "a ρ that a caller names may be false; a `Price` of the mechanisms has it",
    "(asked)": "the parameters of a `Question` have their names",
    ".asked": "what was asked is in the fields of a `Question`, by their names",
    ".terms(epsilon)": "the terms of a `Question` are a value, and ε a field",
}
"""What went before the first release, and why."""


@pytest.fixture(scope="module")
def today() -> dict[str, list[str]]:
    return surface()


def missing(former: dict[str, list[str]], today: dict[str, list[str]]) -> list[str]:
    return [
        f"{group} {part}"
        for group, parts in former.items()
        for part in ("", *parts)
        if part not in ("", *today.get(RENAMED.get(group, group), [])) and part not in WITHDRAWN
    ] + [group for group in former if RENAMED.get(group, group) not in today]


def test_every_public_name_command_option_and_key_is_still_there(today: dict[str, list[str]]) -> None:
    assert missing(STORED, today) == []


def test_every_public_name_command_option_and_key_is_listed(today: dict[str, list[str]]) -> None:
    assert missing(today, STORED) == [], "python -m tests.contracts.public_surface adds them"


def test_a_name_that_is_new_would_have_to_be_listed(today: dict[str, list[str]]) -> None:
    more = today | {"discreet.Ledger": [*today["discreet.Ledger"], ".refund"], "discreet undo": []}
    assert missing(more, STORED) == ["discreet.Ledger .refund", "discreet undo"]


def test_a_name_that_went_would_be_missed(today: dict[str, list[str]]) -> None:
    for group, part in (("discreet.Ledger", ".charge(digest)"), ("discreet plan", "--target-width")):
        fewer = today | {group: [other for other in today[group] if other != part]}
        assert missing(STORED, fewer) == [f"{group} {part}"]
    assert missing(STORED, {group: parts for group, parts in today.items() if group != "plan:"})


def test_a_former_name_still_works() -> None:
    for old, new in RENAMED.items():
        assert getattr(dc, old.removeprefix("discreet.")) is getattr(dc, new.removeprefix("discreet."))
    assert dc.InvalidInput("no", hint="do").mend == "do"
