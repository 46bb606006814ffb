"""A malicious or broken file ends in one constant sentence: no row, no engine message, nothing chained to it."""

import csv
import random
import traceback
from pathlib import Path

import pyarrow as pa
import pytest

from discreet.counting import Declaration, open_source
from discreet.errors import SourceError
from tests.counting.tables import Form, as_arrow_file, as_duckdb, as_parquet

CANARY = "canary-7319"
DECLARATION = Declaration("v", ["a", "b"], other="rest")
FORMS: dict[str, Form] = {"parquet": as_parquet, "arrow": as_arrow_file, "duckdb": as_duckdb}


def written(form: str, folder: Path) -> tuple[str, Path]:
    """A source that is whole, and its file."""
    source = FORMS[form](folder, {"v": [CANARY, "a", "b"] * 1000})
    [path] = folder.iterdir()
    return str(source), path


BAD_CSV = {
    "too many fields": b"v,w\na,1\n%s,1,2\n",
    "too few fields": b"v,w\na,1\n%s\n",
    "an open quote": b'v,w\na,1\n"%s,1\n',
    "an open quote in the last field": b'v,w\na,1\n%s,"1\na,1\n',
    "a quote in a field": b'v,w\na,1\n%s"%s,1\n',
    "a bare return": b"v,w\na,1\n%s\r%s,1\n",
    "UTF-16": "v,w\na,1\n".encode("utf-16") + b"%s",
    "nothing at all": b"",
    "a blank first line": b"\nv,w\n%s,1\n",
    "zeros": b"\0" * 100,
    "a compressed file": b"\x1f\x8b\x08\x00%s",
    "a trailing delimiter": b"v,w\na,1\n%s,1,\n",
}


def refusal(source: object) -> SourceError | None:
    """How reading ends; anything but a `SourceError` or an answer is a failure."""
    try:
        with open_source(source, DECLARATION) as table:
            table.count_records()
    except SourceError as error:
        return error
    return None


def assert_constant(error: SourceError | None, source: str) -> None:
    assert error is not None
    assert CANARY not in "".join(traceback.format_exception(error))
    assert error.__cause__ is None
    assert error.__context__ is None
    constant = {f"{source} cannot be read as a table", f"{source} has no column 'v'", "t.csv is empty"}
    assert error.message in constant | {"t.csv is in UTF-16", "t.csv is compressed by gzip, and no text"}


@pytest.mark.parametrize("kind", BAD_CSV)
def test_a_bad_csv_file_is_refused(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(BAD_CSV[kind].replace(b"%s", CANARY.encode()))
    assert_constant(refusal(str(path)), str(path))


@pytest.mark.parametrize("kind", ["too many fields", "too few fields", "an open quote", "a quote in a field"])
def test_a_reader_that_makes_the_best_of_a_bad_file_is_found_out(kind: str) -> None:
    """The planted fault: Python's own reader takes as a table what is refused above."""
    assert list(csv.reader(BAD_CSV[kind].replace(b"%s", CANARY.encode()).decode().splitlines(keepends=True)))


@pytest.mark.parametrize("form", FORMS)
def test_a_file_of_another_kind_is_refused(form: str, tmp_path: Path) -> None:
    source, path = written(form, tmp_path)
    for content in (b"", b"v\na\n", b"PAR1", b"ARROW1\0\0", b"SQLite format 3\0" + bytes(84), bytes(range(256)) * 64):
        path.write_bytes(content)
        assert_constant(refusal(source), source)


@pytest.mark.parametrize("attempts", [8, pytest.param(24, marks=pytest.mark.soak)])
@pytest.mark.parametrize("form", FORMS)
def test_a_cut_or_flipped_file_is_refused_or_read_but_never_quoted(form: str, attempts: int, tmp_path: Path) -> None:
    source, path = written(form, tmp_path)
    whole = path.read_bytes()
    chance = random.Random(form)  # noqa: S311 - it chooses where to break the file
    refusals = 0
    for attempt in range(attempts):
        broken = bytearray(whole)
        if attempt % 2:
            del broken[chance.randrange(len(broken)) :]
        else:
            for _ in range(20):
                broken[chance.randrange(len(broken))] ^= 1 << chance.randrange(8)
        path.write_bytes(broken)
        error = refusal(source)
        if error is not None:
            refusals += 1
            assert CANARY not in "".join(traceback.format_exception(error))
            assert error.__context__ is None
    assert refusals >= attempts // 3


def test_arrow_offsets_that_point_elsewhere_are_not_followed(tmp_path: Path) -> None:
    offsets = pa.py_buffer(b"".join(n.to_bytes(4, "little") for n in (0, 1 << 30, 2)))
    array = pa.Array.from_buffers(pa.string(), 2, [None, offsets, pa.py_buffer(b"ab")])
    table = pa.table({"v": array})
    with pa.OSFile(str(tmp_path / "t.arrow"), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)
    for source in (str(tmp_path / "t.arrow"), table):
        assert_constant(refusal(source), source if isinstance(source, str) else "the pyarrow table")


def test_a_file_that_goes_away_is_refused(tmp_path: Path) -> None:
    source, path = written("parquet", tmp_path)
    with open_source(source, DECLARATION) as table:
        path.unlink()
        with pytest.raises(SourceError) as refused:
            table.count_records()
    assert_constant(refused.value, source)
