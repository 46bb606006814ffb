"""A ledger that was edited, truncated or swapped is found out: the first wrong row is named.

Against a forger who writes the whole chain anew only a head that is kept elsewhere helps, and that is tested too.
"""

import json
import random
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from discreet.errors import InvalidInput, LedgerError
from discreet.ledger import Entry, Ledger, file
from discreet.ledger.entries import FIRST
from discreet.ledger.file import _line

ROWS = 8
REQUESTS = ["r1", "r2", "r4", "r7"]  # no flipped bit makes one of another

pytestmark = pytest.mark.usefixtures("quick")


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    """Two datasets, four charges, two seals."""
    made = Ledger.create(tmp_path / "l.db", dataset="anes", epsilon=1, delta="1e-6")
    Ledger.create(tmp_path / "l.db", dataset="census", epsilon="7/3")
    for i, dataset in enumerate(["anes", "census", "anes", "census"]):
        made.charge(dataset, "1/7", request_id=REQUESTS[i], digest=f"digest {i}")
    made.seal("r2", '{"output": [3, 4]}')
    made.seal("r1", '{"output": [5, 6]}')
    assert made.verify().rows == ROWS
    return made


def lines(path: Path) -> list[bytes]:
    """The header and the rows as they lie in the file."""
    return path.read_bytes().splitlines(keepends=True)


def rewrite(path: Path, entries: Sequence[Entry]) -> None:
    """Write rows to the file as its owner can."""
    path.write_bytes(lines(path)[0] + b"".join(map(_line, entries)))


def changed(entries: Sequence[Entry], row: int, change: Mapping[str, object]) -> list[Entry]:
    """The rows with other fields in one of them, whatever their type."""
    other = Entry(**{**entries[row - 1]._asdict(), **change})
    return [*entries[: row - 1], other, *entries[row:]]


@pytest.mark.parametrize("column", [column for column in Entry._fields if column != "seq"])
def test_a_flipped_byte_in_any_field_of_any_row_is_named(column: str, ledger: Ledger, tmp_path: Path) -> None:
    entries = ledger.history()
    for row, entry in enumerate(entries, start=1):
        value = entry._asdict()[column]
        changes: list[object] = ["x"] if value is None else [] if column == "hash" else [None, 7]
        if isinstance(value, str):
            half = len(value) // 2
            changes += [value[:-1] + chr(ord(value[-1]) ^ 1), value[:half] + "\x80" + value[half + 1 :]]
        for change in changes:
            rewrite(tmp_path / "l.db", changed(entries, row, {column: change}))
            with pytest.raises(LedgerError, match=rf"^row {row} of .* is not as it was written"):
                ledger.verify()


def test_without_its_hash_a_changed_row_would_pass(
    ledger: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rewrite(tmp_path / "l.db", changed(ledger.history(), 3, {"time": "2001-01-01T00:00:00+00:00"}))
    with pytest.raises(LedgerError, match=r"^row 3 of"):
        ledger.verify()
    monkeypatch.setattr(Entry, "computed_hash", lambda entry: entry.hash)
    monkeypatch.setattr(file, "_read_line", lambda line: Entry(**json.loads(line[65:]), hash=line[:64].decode()))
    assert ledger.verify().rows == ROWS


@pytest.mark.parametrize("row", range(1, ROWS + 1))
def test_a_row_that_is_dropped_moved_or_doubled_is_named(row: int, ledger: Ledger, tmp_path: Path) -> None:
    header, *rows = lines(tmp_path / "l.db")
    chains = {
        "doubled": [*rows[:row], *rows[row - 1 :]],
        "dropped": [*rows[: row - 1], *rows[row:]],
        "moved": [*rows[: row - 1], *rows[row : row + 1], rows[row - 1], *rows[row + 1 :]],
    }
    for what, chain in chains.items():
        if row == ROWS and what != "doubled":
            continue
        (tmp_path / "l.db").write_bytes(header + b"".join(chain))
        with pytest.raises(LedgerError, match=rf"^row {row + (what == 'doubled')} of"):
            ledger.verify()


def test_a_dropped_tail_is_found_out_by_a_pinned_head_and_only_by_it(ledger: Ledger, tmp_path: Path) -> None:
    heads = [entry.hash for entry in ledger.history()]
    for kept in range(ROWS - 1, 0, -1):
        (tmp_path / "l.db").write_bytes(b"".join(lines(tmp_path / "l.db")[: kept + 1]))
        assert ledger.verify().head == heads[kept - 1], "without a head, what is left looks sound"
        for head in heads[:kept]:
            assert ledger.verify(head).rows == kept
        for head in heads[kept:]:
            with pytest.raises(LedgerError, match="no row with that head"):
                ledger.verify(head)
    (tmp_path / "l.db").write_bytes(lines(tmp_path / "l.db")[0])
    for call in (ledger.verify, ledger.head, ledger.accounts):
        with pytest.raises(LedgerError, match="lost its rows"):
            call()


@pytest.mark.parametrize("head", ["", FIRST, "0", "x" * 64, "é"])
def test_a_head_that_never_was_is_refused(head: str, ledger: Ledger) -> None:
    with pytest.raises(LedgerError):
        ledger.verify(head)


def test_another_ledger_in_its_place_is_found_out_by_a_pinned_head(ledger: Ledger, tmp_path: Path) -> None:
    head = ledger.head()
    other = Ledger.create(tmp_path / "other.db", dataset="anes", epsilon=1, delta="1e-6")
    other.charge("anes", "1/8", request_id="r0", digest="digest 0")
    (tmp_path / "other.db").replace(tmp_path / "l.db")
    with pytest.raises(LedgerError, match="no row with that head"):
        ledger.verify(head)


def forged(entries: list[Entry]) -> list[Entry]:
    """The rows chained anew, as someone who knows the rule can."""
    chain: list[Entry] = []
    for entry in entries:
        told = entry._asdict() | {"seq": len(chain) + 1, "previous": chain[-1].hash if chain else FIRST}
        made = Entry(**told)
        chain.append(made._replace(hash=made.computed_hash()))
    return chain


@pytest.mark.parametrize(
    ("row", "change"),
    [
        (3, {"epsilon": "1/8"}),
        (3, {"epsilon": "0"}),
        (3, {"epsilon": "2/14"}),
        (3, {"epsilon": "-1/7"}),
        (3, {"epsilon": "0.1"}),
        (3, {"epsilon": "1/0"}),
        (1, {"rho": "1/0"}),
        (1, {"unit": 0.5}),
        (2, {"time": None}),
        (3, {"digest": ["x"]}),
        (5, {"spent_epsilon": "1/7"}),
        (5, {"delta": "1/2", "spent_delta": "1/2"}),
        (5, {"epsilon": "2", "spent_epsilon": "15/7"}),
        (4, {"request_id": "r1"}),
        (4, {"adjacency": "add-remove"}),
        (4, {"dataset": "nobody"}),
        (2, {"dataset": "anes"}),
        (7, {"request_id": "r9"}),
        (7, {"digest": "digest 0"}),
        (7, {"outcome": None}),
        *((7, {field: "0"}) for field in ("epsilon", "delta", "rho", "spent_epsilon", "spent_delta", "spent_rho")),
        (8, {"unit": "row"}),
        (8, {"request_id": "r2", "digest": "digest 1", "dataset": "census"}),
        (8, {"kind": "refund"}),
    ],
)
def test_even_a_chain_written_anew_cannot_say_what_the_library_would_not(
    row: int, change: dict[str, object], ledger: Ledger, tmp_path: Path
) -> None:
    rewrite(tmp_path / "l.db", forged(changed(ledger.history(), row, change)))
    with pytest.raises(LedgerError, match=rf"^row {row} of"):
        ledger.verify()


@pytest.mark.parametrize(
    ("row", "change"),
    [
        (1, {"rho": "1/4"}),
        (1, {"rho": None}),
        (1, {"composition": "basic"}),
        (1, {"composition": "zCDP"}),
        (1, {"delta": "0"}),
        (1, {"epsilon": "1/2"}),
        (2, {"rho": "1/20000", "spent_rho": "1/20000"}),
        (2, {"rho": "0", "spent_rho": "0"}),
        (2, {"rho": "1/100", "spent_rho": "1/100"}),
        (2, {"rho": None, "spent_rho": None}),
        (2, {"delta": "1/1000000000", "spent_delta": "1/1000000000"}),
        (3, {"spent_rho": "1/200"}),
        (3, {"epsilon": "2", "spent_epsilon": "21/10", "rho": "1/20", "spent_rho": "11/200"}),
        (3, {"adjacency": "replace-answer"}),
    ],
)
def test_no_forged_chain_makes_a_concentrated_budget_say_more_than_it_may(
    row: int, change: dict[str, str | None], tmp_path: Path
) -> None:
    ledger = Ledger.create(tmp_path / "l.db", dataset="d", epsilon=1, delta="1e-6", composition="zcdp")
    for i in range(3):
        ledger.charge("d", "1/10", request_id=REQUESTS[i], digest="x")
    rewrite(tmp_path / "l.db", forged(changed(ledger.history(), row, change)))
    with pytest.raises(LedgerError, match=r"^row [123] of"):
        ledger.verify()


@pytest.mark.parametrize(
    ("row", "change"),
    [
        (1, {"epsilon": "9"}),
        (5, {"spent_epsilon": "0"}),
        (7, {"outcome": "{}"}),
        (3, {"digest": "mine"}),
        (8, {"time": ""}),
    ],
)
def test_no_charge_or_outcome_rests_on_a_row_that_was_changed(
    row: int, change: dict[str, str], ledger: Ledger, tmp_path: Path
) -> None:
    rewrite(tmp_path / "l.db", changed(ledger.history(), row, change))
    calls: list[Callable[[], object]] = [
        lambda: ledger.charge("anes", "1/9", request_id="n", digest="d"),
        lambda: ledger.charge("anes", "1/7", request_id="r1", digest="mine"),
        lambda: ledger.find("r2"),
        lambda: ledger.seal("r4", "{}"),
    ]
    for call in calls:
        with pytest.raises(LedgerError, match=rf"row {row} of .* is not as it was written"):
            call()


def test_a_forged_charge_with_too_small_a_sum_resets_no_budget(ledger: Ledger, tmp_path: Path) -> None:
    """Correctly chained, and refused: every charge adds up anew all that it rests on."""
    entries = ledger.history()
    own = entries[4]._replace(request_id="forged", epsilon="1/1000", spent_epsilon="1/1000", rho="1/2000000")
    rewrite(tmp_path / "l.db", forged([*entries, own._replace(spent_rho="1/2000000")]))
    with pytest.raises(LedgerError, match="row 9 of"):
        ledger.charge("anes", "1/7", request_id="n", digest="d")


def test_a_flipped_byte_anywhere_in_the_file_is_refused_or_changes_nothing(ledger: Ledger, tmp_path: Path) -> None:
    path = tmp_path / "l.db"
    whole, history = path.read_bytes(), ledger.history()
    chance = random.Random(7319)  # noqa: S311 - it chooses bytes to flip
    refused = 0
    for place in chance.sample(range(len(whole) - 1), 150):
        changed = bytearray(whole)
        changed[place] ^= 1 << chance.randrange(8)
        path.write_bytes(changed)
        try:
            Ledger(path).verify()
            assert Ledger(path).history() == history, "accepted, so it must still say the same"
        except LedgerError:
            refused += 1
    assert refused == 150


def test_a_budget_cannot_be_raised_through_the_front_door(ledger: Ledger, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput):
        Ledger.create(tmp_path / "l.db", dataset="anes", epsilon=100)
    assert ledger.remaining("anes").epsilon < 1
