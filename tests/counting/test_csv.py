"""CSV as declared: every column text, nothing guessed, nothing trimmed."""

from __future__ import annotations

from pathlib import Path

import pytest

from discreet.counting import CsvFormat, Declaration, open_source
from discreet.errors import InvalidInput, SourceError

DECLARATION = Declaration("v", ["a", "b", " a", 'x"y', "1", "01"], other="rest")


def counted(path: Path, content: bytes, form: CsvFormat | None = None, column: str = "v") -> list[int]:
    path.write_bytes(content)
    declaration = Declaration(column, DECLARATION.categories, other="rest")
    with open_source(path, declaration, form=form or CsvFormat()) as table:
        counts = list(table.count_categories())
        assert table.count_rows() == sum(counts)
        return counts


@pytest.mark.parametrize(
    ("content", "counts"),
    [
        pytest.param(b"v,w\na,1\nb,2\n", [1, 1, 0, 0, 0, 0, 0], id="plain"),
        pytest.param(b"v,w\na,1\nb,2", [1, 1, 0, 0, 0, 0, 0], id="no newline at the end"),
        pytest.param(b"v,w\r\na,1\r\nb,2\r\n", [1, 1, 0, 0, 0, 0, 0], id="Windows"),
        pytest.param(b"v,w\ra,1\rb,2\r", [1, 1, 0, 0, 0, 0, 0], id="old Mac"),
        pytest.param(b"v,w\na,1\r\nb,2\n", [1, 1, 0, 0, 0, 0, 0], id="mixed ends of lines"),
        pytest.param(b"\xef\xbb\xbfv,w\na,1\n", [1, 0, 0, 0, 0, 0, 0], id="a byte order mark"),
        pytest.param(b"w,v\n1,a\n", [1, 0, 0, 0, 0, 0, 0], id="another column first"),
        pytest.param(b'"v","w"\n"a","1"\n"x""y",2\n', [1, 0, 0, 1, 0, 0, 0], id="quotes"),
        pytest.param(b'v,w\n"a\nb",1\na,2\n', [1, 0, 0, 0, 0, 0, 1], id="a newline in a field"),
        pytest.param(b'"v\n2",v\nx,a\n', [1, 0, 0, 0, 0, 0, 0], id="a newline in the header"),
        pytest.param(b'v,w\n "a",1\n a,2\na ,3\n', [0, 0, 1, 0, 0, 0, 2], id="blanks are kept"),
        pytest.param(b"v,w\na,1\n\nb,2\n\n", [1, 1, 0, 0, 0, 0, 0], id="blank lines are no records"),
        pytest.param(b"v\na\n\nb\n", [1, 1, 0, 0, 0, 0, 1], id="but in one column they are"),
        pytest.param(b"v,w\nv,w\na,1\n", [1, 0, 0, 0, 0, 0, 1], id="a record like the header"),
        pytest.param(b"v,w\n1,1\n01,1\n1.0,1\n", [0, 0, 0, 0, 1, 1, 1], id="digits are text"),
        pytest.param(b"v,w\nNULL,1\nnan,1\n,1\n#,1\n\\N,1\n", [0, 0, 0, 0, 0, 0, 5], id="no word is special"),
        pytest.param(b"v,w\n", [0] * 7, id="only a header"),
        pytest.param(b"v,w", [0] * 7, id="only a header, without an end"),
        pytest.param(b'v,w\na,"%s\n"\n' % (b"x" * 200_000), [1, 0, 0, 0, 0, 0, 0], id="a long field"),
        pytest.param(b"v,w\na,\xff\n", [1, 0, 0, 0, 0, 0, 0], id="columns that are not read may hold anything"),
    ],
)
def test_csv_means_what_is_declared(content: bytes, counts: list[int], tmp_path: Path) -> None:
    assert counted(tmp_path / "t.csv", content) == counts


@pytest.mark.parametrize("delimiter", [";", "\t", "|", " "])
def test_the_delimiter_is_declared(delimiter: str, tmp_path: Path) -> None:
    content = "v,w\na,b\n".replace(",", delimiter).encode()
    assert counted(tmp_path / "t.tsv", content, CsvFormat(delimiter=delimiter)) == [1, 0, 0, 0, 0, 0, 0]
    with pytest.raises(SourceError):
        counted(tmp_path / "t.tsv", content)


@pytest.mark.parametrize("delimiter", ["", ",,", '"', "\n", "\r", "\0", "é"])
def test_a_delimiter_that_could_not_delimit_is_refused(delimiter: str) -> None:
    with pytest.raises(InvalidInput):
        CsvFormat(delimiter=delimiter)


def test_without_a_header_columns_are_numbered_and_the_first_line_is_a_record(tmp_path: Path) -> None:
    form = CsvFormat(header=False)
    assert counted(tmp_path / "t.csv", b"1,a\n2,b\n", form, column="column1") == [1, 1, 0, 0, 0, 0, 0]


def test_a_field_may_be_large_and_a_record_may_lie_across_blocks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("discreet.counting.streams.BLOCK", 1 << 12)
    rows = b"".join(b'"%s\n",%s\n' % (b"x" * 3000, b"ab"[i % 2 : i % 2 + 1]) for i in range(101))
    assert counted(tmp_path / "t.csv", b"w,v\n" + rows) == [51, 50, 0, 0, 0, 0, 0]
