"""A file that was handed over as its bytes is read as the same file on a disk; `tables.py` holds its counts to it."""

from pathlib import Path

import pytest

from discreet.counting import CsvFormat, MemoryFile, check
from discreet.counting.column_list import list_columns
from discreet.errors import InvalidInput, SourceError
from discreet.requests.request import Question, ReleaseRequest
from discreet.requests.run import price_request
from tests.counting.tables import Columns, as_arrow_file, as_csv, as_parquet

TABLE: Columns = {"vote": ["yes", "no", "yes"], "floor": [1, 2, 3]}


def test_it_is_asked_for_by_its_name_as_the_file_on_a_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    as_csv(tmp_path, TABLE)
    monkeypatch.chdir(tmp_path)
    questions = [Question("vote", ["yes", "no"], epsilon=1)]
    memory_file = MemoryFile("table.csv", (tmp_path / "table.csv").read_bytes())
    digests = {price_request(ReleaseRequest(source, questions), None).digest for source in ("table.csv", memory_file)}
    assert len(digests) == 1, "whoever asks in a browser what was paid for at the terminal is told so"


def test_what_a_curator_sees_is_the_same(tmp_path: Path) -> None:
    (tmp_path / "t.tsv").write_bytes(b"id\tvote\n1\tyes\n1\tYes\n2\tno\n")
    declared = {"column": "vote", "categories": ["yes", "no"], "id_column": "id"}
    memory_file = MemoryFile("t.tsv", (tmp_path / "t.tsv").read_bytes())
    assert check(memory_file, **declared) == check(tmp_path / "t.tsv", **declared)  # type: ignore[arg-type]


@pytest.mark.parametrize("content", [b'vote\nyes\n"no', b"vote\nyes\nno,no\n", "vote\nné\n".encode("latin-1")])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_malformed_one_is_refused_in_the_same_words(content: bytes, encoding: str, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(content)
    form, declared = CsvFormat(encoding=encoding), {"column": "vote", "categories": ["yes", "no"], "other": "else"}
    texts = []
    for source in (tmp_path / "t.csv", MemoryFile("t.csv", content)):
        try:
            texts.append(repr(check(source, **declared, form=form)))  # type: ignore[arg-type]
        except SourceError as refusal:
            texts.append(str(refusal).replace(f"{tmp_path}/", ""))
    assert texts[0] == texts[1]


@pytest.mark.every
@pytest.mark.parametrize("name", ["../t.csv", "a\\t.csv", "", "t\n.csv", "t\u202e.csv", "x" * 1001])
def test_a_name_that_leads_elsewhere_or_steers_is_refused(name: str) -> None:
    with pytest.raises(InvalidInput):
        MemoryFile(name, b"")


@pytest.mark.parametrize("name", ["t.zip", "t.xlsx", "t"])
def test_what_is_no_table_is_refused_by_its_name(name: str) -> None:
    with pytest.raises(SourceError):
        list_columns(MemoryFile(name, b"PK"), CsvFormat())


def test_columns_are_listed_with_the_types_that_are_declared(tmp_path: Path) -> None:
    types = {"csv": ["text", "text"], "parquet": ["string", "int64"], "arrow": ["string", "int64"]}
    for form, make in {"csv": as_csv, "parquet": as_parquet, "arrow": as_arrow_file}.items():
        path = Path(str(make(tmp_path, TABLE)))
        for source in (path, MemoryFile(path.name, path.read_bytes())):
            listed, hint = list_columns(source, CsvFormat())
            assert [column.name for column in listed] == ["vote", "floor"]
            assert [column.type for column in listed] == types[form]
            assert hint == ""


def test_no_row_of_the_file_is_shown() -> None:
    assert repr(MemoryFile("t.csv", b"vote\nsecret\n")) == "<MemoryFile t.csv>"
