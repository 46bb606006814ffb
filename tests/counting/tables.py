"""One table in every form that can be read."""

import csv
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from discreet.counting import Declaration, open_source

Columns = dict[str, Sequence[Any]]
Form = Callable[[Path, Columns], object]


def as_csv(folder: Path, columns: Columns) -> object:
    path = folder / "table.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    return path


def as_parquet(folder: Path, columns: Columns) -> object:
    path = folder / "table.parquet"
    pq.write_table(pa.table(columns), path)
    return str(path)


def as_parquet_glob(folder: Path, columns: Columns) -> object:
    whole = pa.table(columns)
    half = whole.num_rows // 2
    pq.write_table(whole.slice(0, half), folder / "part-0.parquet")
    # The second part has its columns the other way round: they are found by name.
    pq.write_table(whole.slice(half).select(whole.schema.names[::-1]), folder / "part-1.parquet")
    return str(folder / "part-*.parquet")


def as_csv_glob(folder: Path, columns: Columns) -> object:
    half = len(next(iter(columns.values()))) // 2
    for i, part in enumerate((slice(0, half), slice(half, None))):
        (folder / f"{i}").mkdir()
        as_csv(folder / f"{i}", {name: values[part] for name, values in columns.items()})
    return str(folder / "**" / "*.csv")


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


def as_duckdb(folder: Path, columns: Columns) -> object:
    path = folder / "file.db"
    with duckdb.connect(path) as connection:
        connection.register("made", pa.table(columns))
        connection.execute('CREATE TABLE "the table" AS SELECT * FROM made')
    return f"duckdb://{path}/the table"


def as_sqlite(folder: Path, columns: Mapping[str, tuple[str, Sequence[Any]]]) -> str:
    path = folder / "people.db"
    with sqlite3.connect(path) as connection:
        kinds = ", ".join(f'"{name}" {kind}' for name, (kind, _) in columns.items())
        connection.execute(f"CREATE TABLE t ({kinds})")
        rows = list(zip(*(values for _, values in columns.values()), strict=True))
        places = ", ".join("?" * len(columns))
        connection.executemany(f"INSERT INTO t VALUES ({places})", rows)  # noqa: S608 - of our own making
    connection.close()
    return f"sqlite://{path}/t"


def as_duckdb_view(folder: Path, columns: Columns) -> object:
    as_duckdb(folder, columns)
    with duckdb.connect(folder / "file.db") as connection:
        connection.execute('CREATE SCHEMA s; CREATE VIEW s.v AS SELECT * FROM main."the table"')
    return f"duckdb://{folder / 'file.db'}/s.v"


def as_duckdb_ignoring_case(folder: Path, columns: Columns) -> object:
    path = folder / "file.db"
    with duckdb.connect(path) as connection:
        connection.register("made", pa.table(columns))
        names = ", ".join(f"{name} VARCHAR COLLATE NOCASE.NOACCENT" for name in columns)
        connection.execute(f"CREATE TABLE t ({names})")
        connection.execute("INSERT INTO t SELECT * FROM made")
    return f"duckdb://{path}/t"


TYPED: dict[str, Form] = {
    "parquet": as_parquet,
    "parquet glob": as_parquet_glob,
    "arrow file": as_arrow_file,
    "arrow stream": as_arrow_stream,
    "feather": as_feather,
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


def _cast(kind: Any) -> Form:
    return lambda _, columns: pa.table({name: pa.array(values).cast(kind) for name, values in columns.items()})


TEXT: dict[str, Form] = {
    **TYPED,
    "csv": as_csv,
    "csv glob": as_csv_glob,
    "duckdb ignoring case": as_duckdb_ignoring_case,
    "pandas category": lambda _, columns: pd.DataFrame(columns, dtype="category"),
    "pandas string": lambda _, columns: pd.DataFrame(columns, dtype="string"),
    "polars categorical": lambda _, columns: pl.DataFrame(columns).cast(pl.Categorical),
    "arrow dictionary": lambda _, columns: pa.table(
        {name: pa.array(values).dictionary_encode() for name, values in columns.items()}
    ),
    "arrow large text": _cast(pa.large_string()),
    "arrow text view": _cast(pa.string_view()),
}
"""Forms of a table of texts."""


def counted(source: object, declaration: Declaration, engine: str | None = None) -> tuple[int, ...]:
    """The number of rows, and the counts of the categories."""
    with open_source(source, declaration, engine=engine) as table:
        return (table.count_rows(), *table.count_categories())


def assert_counted_alike(source: object, plain: object, people: Sequence[str | None], *, groups: bool) -> None:
    """People, and if asked for those of groups, are counted as they are in a table of Arrow's or in a file."""
    by: dict[str, Any] = {"by": "g", "groups": ["y", "x"], "other_group": "elsewhere"} if groups else {}
    for person in people:
        declaration = Declaration("v", ["b", "a"], other="rest", id_column=person, **by)
        assert counted(source, declaration) == counted(plain, declaration), person
    if groups:
        declaration = Declaration("v", ["b", "a"], other="rest", **by)
        with open_source(source, declaration) as table, open_source(plain, declaration) as same:
            assert table.count_groups() == same.count_groups()


LOOKS = [
    Declaration("v", ["a", "b", "c"], id_column="who"),
    Declaration("x", ["1", "2"], other="rest"),
    Declaration("v", ["a", "b"], by="x", groups=["1", "2", "4"]),
]
"""What a curator may ask of a table with these columns."""
