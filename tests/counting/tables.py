"""One table in every form that can be read."""

import csv
import sqlite3
import traceback
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from discreet.counting import Declaration, MemoryFile, count_records
from discreet.errors import SourceError

Columns = dict[str, Sequence[Any]]
Form = Callable[[Path, Columns], object]


def as_csv(folder: Path, columns: Columns) -> object:
    path = folder / "table.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    return path


def as_csv_glob(folder: Path, columns: Columns) -> object:
    half = len(next(iter(columns.values()))) // 2
    for i, part in enumerate((slice(0, half), slice(half, None))):
        (folder / f"{i}").mkdir()
        as_csv(folder / f"{i}", {name: values[part] for name, values in columns.items()})
    return str(folder / "**" / "*.csv")


def as_parquet(folder: Path, columns: Columns, name: str = "table.parquet") -> object:
    path = folder / name
    pq.write_table(pa.table(columns), path)
    return str(path)


def as_parquet_glob(folder: Path, columns: Columns) -> object:
    whole = pa.table(columns)
    half = whole.num_rows // 2
    pq.write_table(whole.slice(0, half), folder / "part-0.parquet")
    # The second part has its columns the other way round: they are found by name.
    pq.write_table(whole.slice(half).select(whole.schema.names[::-1]), folder / "part-1.parquet")
    return str(folder / "part-*.parquet")


def as_arrow_file(folder: Path, columns: Columns, name: str = "table.arrow", new: Any = pa.ipc.new_file) -> object:
    table = pa.table(columns)
    with pa.OSFile(str(folder / name), "wb") as file, new(file, table.schema) as writer:
        writer.write_table(table, max_chunksize=7)
    return folder / name


def as_arrow_stream(folder: Path, columns: Columns) -> object:
    return as_arrow_file(folder, columns, "table.ipc", pa.ipc.new_stream)


def as_feather(folder: Path, columns: Columns) -> object:
    path = folder / "table.feather"
    pl.DataFrame(columns).write_ipc(path, compression="zstd")
    return path


def in_memory(form: Form) -> Form:
    """The file of another form, handed over as its bytes: none is left on the disk."""

    def made(folder: Path, columns: Columns) -> object:
        path = Path(str(form(folder, columns)))
        memory_file = MemoryFile(path.name, path.read_bytes())
        path.unlink()
        return memory_file

    return made


def as_duckdb(folder: Path, columns: Columns, table: str = "the table", *statements: str) -> object:
    path = folder / "file.db"
    with duckdb.connect(path) as connection:
        connection.register("made", pa.table(columns))
        connection.execute('CREATE TABLE "the table" AS SELECT * FROM made')
        for statement in statements:
            connection.execute(statement)
    return f"duckdb://{path}/{table}"


def as_duckdb_view(folder: Path, columns: Columns) -> object:
    return as_duckdb(folder, columns, "s.v", 'CREATE SCHEMA s; CREATE VIEW s.v AS SELECT * FROM main."the table"')


def as_duckdb_ignoring_case(folder: Path, columns: Columns) -> object:
    names = ", ".join(f"{name} VARCHAR COLLATE NOCASE.NOACCENT" for name in columns)
    return as_duckdb(folder, columns, "t", f"CREATE TABLE t ({names})", 'INSERT INTO t SELECT * FROM "the table"')


def as_sqlite(folder: Path, columns: Mapping[str, tuple[str, Sequence[Any]]], value: str = "?") -> str:
    path = folder / "people.db"
    with sqlite3.connect(path) as connection:
        kinds = ", ".join(f'"{name}" {kind}' for name, (kind, _) in columns.items())
        connection.execute(f"CREATE TABLE t ({kinds})")
        rows = list(zip(*(values for _, values in columns.values()), strict=True))
        places = ", ".join([value] * len(columns))
        connection.executemany(f"INSERT INTO t VALUES ({places})", rows)  # noqa: S608 - of our own making
    connection.close()
    return f"sqlite://{path}/t"


TYPED: dict[str, Form] = {
    "parquet": as_parquet,
    "parquet glob": as_parquet_glob,
    "arrow file": as_arrow_file,
    "arrow stream": as_arrow_stream,
    "feather": as_feather,
    "parquet in memory": in_memory(as_parquet),
    "arrow stream in memory": in_memory(as_arrow_stream),
    "duckdb": as_duckdb,
    "duckdb view": as_duckdb_view,
    "pandas": lambda _, columns: pd.DataFrame(columns),
    "pandas objects": lambda _, columns: pd.DataFrame(columns, dtype=object),
    "pandas on arrow": lambda _, columns: pa.table(columns).to_pandas(types_mapper=pd.ArrowDtype),
    "polars": lambda _, columns: pl.DataFrame(columns),
    "polars lazy": lambda _, columns: pl.LazyFrame(columns),
    "arrow": lambda _, columns: pa.table(columns),
    "arrow batch": lambda _, columns: pa.table(columns).combine_chunks().to_batches()[0],
}
"""Forms that keep a column's type."""


def _each(change: Callable[[Any], Any]) -> Form:
    return lambda _, columns: pa.table({name: change(pa.table(columns)[name]) for name in columns})


TEXT: dict[str, Form] = {
    **TYPED,
    "csv": as_csv,
    "csv glob": as_csv_glob,
    "csv in memory": in_memory(as_csv),
    "duckdb ignoring case": as_duckdb_ignoring_case,
    "pandas category": lambda _, columns: pd.DataFrame(columns, dtype="category"),
    "pandas string": lambda _, columns: pd.DataFrame(columns, dtype="string"),
    "polars categorical": lambda _, columns: pl.DataFrame(columns).cast(pl.Categorical),
    "arrow dictionary": _each(lambda column: column.dictionary_encode()),
    "arrow large text": _each(lambda column: column.cast(pa.large_string())),
    "arrow text view": _each(lambda column: column.cast(pa.string_view())),
}
"""Forms of a table of texts."""


def counted(source: object, declaration: Declaration, engine: str | None = None) -> tuple[int, ...]:
    """The number of records, and the counts of the categories."""
    tally = count_records(source, declaration, engine=engine)
    return (tally.n, *tally.counts)


def assert_silent(source: object, declaration: Declaration, *words: str) -> None:
    """The source cannot be read, and whatever the engine said of it, none of these words is left."""
    with pytest.raises(SourceError) as refused:
        count_records(source, declaration)
    trace = "".join(traceback.format_exception(refused.value))
    assert not any(word in trace for word in words)
    assert refused.value.__context__ is None
