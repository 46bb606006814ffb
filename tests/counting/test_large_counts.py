"""Counts beyond 32 bits are exact: really counted, on the engines that can make so many rows on the way."""

from pathlib import Path
from typing import Any

import duckdb
import ibis
import pytest

from discreet.counting import Declaration
from discreet.counting.duck import DuckTable
from discreet.counting.sources import find_spark
from discreet.posteriors.space import Counts
from tests.counting.tables import counted
from tests.support.spark import environment, missing

ROWS = 2**32 + 5
DECLARATION = Declaration("v", ["b", "a"], other="rest")


@pytest.fixture
def table(tmp_path: Path) -> str:
    """A view of as many rows, all of them alike: the engine counts them in seconds and keeps none."""
    with duckdb.connect(tmp_path / "large.db") as connection:
        connection.execute(f"CREATE VIEW large AS SELECT 'a' AS v FROM range({ROWS})")  # noqa: S608 - of our own making
    return f"duckdb://{tmp_path / 'large.db'}/large"


@pytest.mark.soak
def test_a_count_beyond_32_bits_is_exact(table: str) -> None:
    assert counted(table, DECLARATION) == (ROWS, 0, ROWS, 0)


COUNT = DuckTable.count_places
FAULTS: dict[str, Any] = {
    "discreet.counting.table.Counts": lambda counts: Counts([often % 2**32 for often in counts]),
    "discreet.counting.duck.DuckTable.count_places": lambda table: [(at, often % 2**32) for at, often in COUNT(table)],
}
"""In what all engines share, and in one engine."""


@pytest.mark.soak
@pytest.mark.parametrize("where", FAULTS)
def test_a_count_that_wraps_is_seen(where: str, table: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(where, FAULTS[where])
    assert counted(table, DECLARATION)[1:] == (0, 5, 0), "the right count is 2³² more"


@pytest.mark.soak
@pytest.mark.filterwarnings("ignore:fetch_arrow_table:DeprecationWarning")  # of Ibis' own
def test_a_count_beyond_32_bits_is_exact_through_ibis(table: str) -> None:
    path = Path(table.removeprefix("duckdb://")).parent
    expression = ibis.duckdb.connect(path, read_only=True).table("large")
    assert counted(expression, DECLARATION) == (ROWS, 0, ROWS, 0)


@pytest.mark.soak
@pytest.mark.xdist_group("spark, compiled well")
def test_a_count_beyond_32_bits_is_exact_on_spark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from discreet.counting.spark_sessions import session_for

    if reason := missing():
        pytest.skip(reason)
    for name, value in environment(tmp_path).items():
        if name != "PYSPARK_SUBMIT_ARGS":  # with what makes short tests quick it would take minutes
            monkeypatch.setenv(name, value)
    with session_for(find_spark("spark+local[2]://any.parquet")) as session:
        frame: Any = session.range(0, ROWS, 1, 2).selectExpr("'a' AS v")
        assert counted(frame, DECLARATION) == (ROWS, 0, ROWS, 0)
