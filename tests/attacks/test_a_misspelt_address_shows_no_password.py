"""An address with a slash too few, an @ too many or in another form is no name of a file that could be shown."""

from collections.abc import Callable
from pathlib import Path

import pytest

from discreet.errors import DiscreetError, LedgerError, SourceError
from discreet.ledger import Ledger
from discreet.requests.run import release

MISSPELT = [
    "postgresql:/me:secret@host/base",
    "postgres:me:secret@host/base",
    "postgresql:me:secret@host/base",
    "postgres:\\\\me:secret@host\\base",
    " postgres:/me:secret@host/base",
    "Postgres:/me:secret@host/base",
    "postgresql+psycopg:/me:secret@host/base",
    "me:secret@host/base",
    "postgresql://me:more@secret@localhost:1/base",
    "postgresql://me:more@secret@/base",
]


@pytest.mark.parametrize("address", MISSPELT)
def test_a_ledger_shows_none(address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    calls: list[Callable[[], object]] = [
        lambda: Ledger(address),
        lambda: Ledger(Path(address)),
        lambda: Ledger.create(address, dataset="d", epsilon=1),
    ]
    for call in calls:
        with pytest.raises(LedgerError) as caught:
            call()
        assert "secret" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("address", [f"{address}/votes" for address in MISSPELT] + ["mysql:/me:secret@host/base/votes"])
@pytest.mark.parametrize("engine", [None, "spark"])
def test_a_source_shows_none(engine: str | None, address: str) -> None:
    with pytest.raises(DiscreetError) as caught:
        release(address, column="v", categories=["a", "b"], epsilon=1, ledger=None, engine=engine)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("name", ["me:and@you.csv", "a@b.csv"])
def test_a_file_of_an_odd_name_is_read_all_the_same(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).write_text("v\na\nb\n", encoding="utf-8")
    assert sum(release(name, column="v", categories=["a", "b"], epsilon=1, ledger=None).output) == 2


def test_a_missing_file_is_named() -> None:
    with pytest.raises(SourceError, match=r"there is no file data/a@b\.csv"):
        release("data/a@b.csv", column="v", categories=["a", "b"], epsilon=1, ledger=None)
