"""CSV as declared: every column text, nothing guessed, nothing trimmed; and what is no CSV is refused."""

import gzip
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path

import pytest

from discreet.counting import CsvFormat, Declaration, count_records, csv_records, inspect_source
from discreet.counting.sources import Files
from discreet.counting.streams import from_csv
from discreet.errors import InvalidInput, SourceError

pytestmark = pytest.mark.every

DECLARATION = Declaration("v", ["a", "b", " a", 'x"y', "1", "01"], other="rest")


def counted(path: Path, content: bytes, form: CsvFormat | None = None, column: str = "v") -> list[int]:
    path.write_bytes(content)
    declaration = Declaration(column, DECLARATION.categories, other="rest")
    return list(count_records(path, declaration, form=form or CsvFormat()).counts)


@pytest.mark.parametrize(
    ("content", "counts"),
    [
        pytest.param(b"v,w\na,1\nb,2\n", [1, 1, 0, 0, 0, 0, 0], id="plain"),
        pytest.param(b"v,w\na,1\nb,2", [1, 1, 0, 0, 0, 0, 0], id="no newline at the end"),
        pytest.param(b"v,w\r\na,1\r\nb,2\r\n", [1, 1, 0, 0, 0, 0, 0], id="Windows"),
        pytest.param(b"v,w\na,1\r\nb,2\n", [1, 1, 0, 0, 0, 0, 0], id="mixed ends of lines"),
        pytest.param(b"\xef\xbb\xbfv,w\na,1\n", [1, 0, 0, 0, 0, 0, 0], id="a byte order mark"),
        pytest.param(b'\xef\xbb\xbf"v",w\na,1\n', [1, 0, 0, 0, 0, 0, 0], id="a byte order mark before a quote"),
        pytest.param(b"w,v\n1,a\n", [1, 0, 0, 0, 0, 0, 0], id="another column first"),
        pytest.param(b'"v","w"\n"a","1"\n"x""y",2\n', [1, 0, 0, 1, 0, 0, 0], id="quotes"),
        pytest.param(b'v,w\n"a","1"', [1, 0, 0, 0, 0, 0, 0], id="a quote at the end"),
        pytest.param(b'v,w\n"a\nb",1\na,2\n', [1, 0, 0, 0, 0, 0, 1], id="a newline in a field"),
        pytest.param(b'v,w\n"a\rb\r\n",1\na,2\n', [1, 0, 0, 0, 0, 0, 1], id="returns in a field"),
        pytest.param(b'"v\n2",v\nx,a\n', [1, 0, 0, 0, 0, 0, 0], id="a newline in the header"),
        pytest.param(b"v,w\n a,2\na ,3\n", [0, 0, 1, 0, 0, 0, 1], id="blanks are kept"),
        pytest.param(b"v,w\na,1\n\nb,2\n\r\n\n", [1, 1, 0, 0, 0, 0, 0], id="blank lines are no records"),
        pytest.param(b"v\na\n\nb\n", [1, 1, 0, 0, 0, 0, 1], id="but in one column they are"),
        pytest.param(b"v,w\nv,w\na,1\n", [1, 0, 0, 0, 0, 0, 1], id="a record like the header"),
        pytest.param(b"v,w\n1,1\n01,1\n1.0,1\n", [0, 0, 0, 0, 1, 1, 1], id="digits are text"),
        pytest.param(b"v,w\nNULL,1\nnan,1\n,1\n#,1\n\\N,1\n", [0, 0, 0, 0, 0, 0, 5], id="no word is special"),
        pytest.param(b"v,w\n", [0] * 7, id="only a header"),
        pytest.param(b"v,w", [0] * 7, id="only a header, without an end"),
        pytest.param(b'v,w\na,"%s\n"\n' % (b"x" * 200_000), [1, 0, 0, 0, 0, 0, 0], id="a long field"),
        pytest.param(b"v,w\na,1\na\xff,1\n\xe9,1\n\xff,\xff\n", [1, 0, 0, 0, 0, 0, 3], id="bytes that are not UTF-8"),
        pytest.param(b"v,w\na,1\na\0,1\n\0,\0\n", [1, 0, 0, 0, 0, 0, 2], id="zero bytes"),
        pytest.param(b"v,w\na,1\n\xef\xbb\xbfa,1\n", [1, 0, 0, 0, 0, 0, 1], id="a mark that is not the first"),
    ],
)
def test_csv_means_what_is_declared(content: bytes, counts: list[int], tmp_path: Path) -> None:
    assert counted(tmp_path / "t.csv", content) == counts


MALFORMED = {
    "too many fields": (b"v,w\na,1\nb,1,2\n", 3),
    "too few fields": (b"v,w\na,1\nb\nb,1\n", 3),
    "a delimiter at the end": (b"v,w\na,1\nb,1,\n", 3),
    "a line of blanks": (b"v,w\na,1\n \n", 3),
    "a bare return": (b"v,w\na,1\na\rb,1\n", 3),
    "a return at the end of the file": (b"v,w\na,1\r", 2),
    "a return after a quote": (b'v,w\n"a"\r,1\n', 2),
    "returns for line ends": (b"v,w\ra,1\rb,2\r", 1),
    "an open quote": (b'v,w\na,1\n"b,1\na,2\n', 3),
    "an open quote in the last field": (b'v,w\na,1\nb,"1\na,2\n', 3),
    "a quote in a field": (b'v,w\na,1\nb"b,1\n', 3),
    "two quotes in a field": (b'v,w\na,1\nb"b",1\n', 3),
    "a blank before a quote": (b'v,w\na,1\n "b",1\n', 3),
    "a blank after a quote": (b'v,w\na,1\n"b" ,1\n', 3),
    "a letter after a quote": (b'v,w\na,1\n"b"b,1\n', 3),
    "a backslash before a quote": (b'v,w\na,1\n"b\\"",1\n', 3),
    "a newline before the record": (b'v,w\n"a\n",1\n"b,1\n', 4),
    "a blank first line": (b"\nv,w\na,1\n", 2),
    "zeros": (bytes(100), None),
}
"""Files that are no sequence of records, and the line that breaks them; None for one that is, without the column."""


@pytest.mark.parametrize("what", MALFORMED)
def test_what_is_no_record_is_refused_and_check_names_the_line(what: str, tmp_path: Path) -> None:
    content, line = MALFORMED[what]
    with pytest.raises(SourceError) as refused:
        counted(tmp_path / "t.csv", content)
    with pytest.raises(SourceError) as named:
        inspect_source(tmp_path / "t.csv", DECLARATION)
    if line is None:
        assert refused.value.message == named.value.message == f"{tmp_path / 't.csv'} has no column 'v'"
        return
    assert str(refused.value) == (
        f"{tmp_path / 't.csv'} cannot be read as a table; "
        "check that it is whole and well-formed; discreet check says where it is not"
    )
    assert named.value.message == f"line {line} of t.csv does not begin a record with as many fields as the first"
    assert "not publishable" in named.value.hint


@pytest.mark.parametrize("refuse", [count_records, inspect_source])
def test_an_empty_file_is_called_empty(refuse: Callable[..., object], tmp_path: Path) -> None:
    (tmp_path / "t.csv").touch()
    with pytest.raises(SourceError) as refused:
        refuse(tmp_path / "t.csv", DECLARATION)
    assert str(refused.value) == "t.csv is empty; give a file that begins with the names of its columns"


def test_a_record_may_have_as_many_bytes_as_a_block_and_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(csv_records, "BLOCK", 10)
    for before in (b"", b"b\n", b"b\nb\n", b"b\n" * 3, b"b\n" * 9):
        fits, beyond = b'"12345\n7"\n', b'"12345\n78"\n'
        assert counted(tmp_path / "t.csv", b"v\n" + before + fits + b"a\n")[0] == 1
        with pytest.raises(SourceError, match="cannot be read"):
            counted(tmp_path / "t.csv", b"v\n" + before + beyond + b"a\n")
        with pytest.raises(SourceError, match=f"line {2 + before.count(b'b')} "):
            inspect_source(tmp_path / "t.csv", DECLARATION)


def records_by_hand(content: bytes, width: int) -> list[list[bytes]] | None:
    """The records of a file without a header, byte by byte; None if it is none. It shares nothing with the reader."""
    records: list[list[bytes]] = []
    fields: list[bytes] = []
    field, state, at = b"", "start", 0
    while at < len(content):
        byte, two, at = content[at : at + 1], content[at : at + 2], at + 1
        if state == "quoted":
            field, state = (field, "closed") if byte == b'"' else (field + byte, "quoted")
        elif byte == b'"' and state == "closed":
            field, state = field + byte, "quoted"
        elif byte == b'"' and state == "start":
            state = "quoted"
        elif byte == b",":
            fields, field, state = [*fields, field], b"", "start"
        elif byte == b"\n" or two == b"\r\n":
            at += byte == b"\r"
            blank = state == "start" and not fields
            records += [] if blank and width > 1 else [[*fields, field]]
            fields, field, state = [], b"", "start"
        elif byte in b'"\r' or state == "closed":
            return None
        else:
            field, state = field + byte, "bare"
    if fields or state != "start":
        records.append([*fields, field])
    return records if state != "quoted" and all(len(record) == width for record in records) else None


Reader = Callable[[bytes], list[list[bytes]] | None]


@pytest.fixture(params=[1, 2])
def width(request: pytest.FixtureRequest) -> int:
    return int(request.param)


@pytest.fixture
def read(width: int, tmp_path: Path) -> Reader:
    """The records of a file under a header, as they are read; None if it is refused."""
    path = tmp_path / "t.csv"
    names = ["v", "w"][:width]
    declaration = Declaration("v", ["a", "b"], id_column="w" if width == 2 else None)

    def read_records(content: bytes) -> list[list[bytes]] | None:
        path.write_bytes(",".join(names).encode() + b"\n" + content)
        try:
            reader = from_csv(Files("t.csv", "csv", (path,)), declaration, CsvFormat()).reader()
            return [list(row.values()) for row in reader.read_all().to_pylist()]
        except ValueError:  # of Arrow's and of ours
            return None

    return read_records


def strings(alphabet: str, longest: int) -> Iterator[bytes]:
    for length in range(longest + 1):
        for letters in product(alphabet, repeat=length):
            yield "".join(letters).encode()


@pytest.mark.few(1)
@pytest.mark.parametrize("block", [5, 1 << 24])
def test_every_short_file_is_read_as_by_hand(
    block: int, width: int, read: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(csv_records, "BLOCK", block)  # 5: no record here is longer, and blocks end anywhere
    longest = 5 if block > 5 else 4
    expected = {content: records_by_hand(content, width) for content in strings('a,"\n\r', longest)}
    assert sum(records is None for records in expected.values()) > len(expected) // 4
    assert {content: read(content) for content in expected} == expected


RECORDS = {1: [b"a\n", b'"b\n"\n', b'""""\r\n'], 2: [b"a,1\n", b'"b\n","2,"\n', b'"""",\r\n']}


def swallowed(width: int, read: Reader) -> list[bytes]:
    """The lines that change another record where they stand in the place of one."""
    alone = read(b"".join(RECORDS[width]))
    assert alone is not None
    changing = []
    for lines, place in product(strings('a,"\n', 4), range(3)):
        whole = read(b"".join([*RECORDS[width][:place], lines, b"\n", *RECORDS[width][place + 1 :]]))
        others = len(alone) - place - 1
        if whole is not None and (whole[:place] != alone[:place] or whole[len(whole) - others :] != alone[place + 1 :]):
            changing.append(lines)
    return changing


@pytest.mark.few(1)
def test_lines_in_the_place_of_a_record_change_no_other(
    width: int, read: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert swallowed(width, read) == []
    monkeypatch.setattr(csv_records, "_require_records", lambda *_: None)  # the fault: what Arrow makes of it
    assert swallowed(width, read)


@pytest.mark.parametrize("delimiter", [";", "\t", "|", " "])
def test_the_delimiter_is_declared(delimiter: str, tmp_path: Path) -> None:
    content = 'v,w\na,b\n"a",b\n'.replace(",", delimiter).encode()
    assert counted(tmp_path / "t.tsv", content, CsvFormat(delimiter=delimiter)) == [2, 0, 0, 0, 0, 0, 0]
    with pytest.raises(SourceError):
        counted(tmp_path / "t.csv", content)


@pytest.mark.parametrize("name", ["t.tsv", "T.TAB"])
def test_a_name_says_that_fields_are_separated_by_tabs(name: str, tmp_path: Path) -> None:
    content = b"v\tw\na\t1,2\nb\t3\n"
    assert counted(tmp_path / name, content) == counted(tmp_path / name, content, CsvFormat("tab")) == [1, 1, *[0] * 5]
    inspection = inspect_source(tmp_path / name, DECLARATION)
    assert (inspection.rows, inspection.outside) == (2, 0)


@pytest.mark.parametrize("block", [24, 1 << 24])
@pytest.mark.parametrize(
    ("encoding", "words"),
    [
        *[("latin-1", "é,ß"), ("cp1252", "é,€"), ("cp1251", "Ж,ж"), ("utf-16", "é,𝔞"), ("utf-32", "Ж,𝔞")],
        *[("shift_jis", "ソ,日本"), ("gb18030", "é,𝔞"), ("big5", "功,日本"), ("utf-8-sig", "é,€")],
    ],
)
def test_another_encoding_gives_the_counts_of_the_same_text_in_utf_8(
    encoding: str, words: str, block: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = words.split(",")
    rows = [f'"{one}\n",v', f"{one},1", f'"{two}",2', f'{two},"\n"', f'"{two}{one}",3', f'"{one}""",', ",4", f"{one},5"]
    text, path = "\r\n".join(rows * 3), tmp_path / "t.csv"
    monkeypatch.setattr(csv_records, "BLOCK", block)
    declaration = Declaration("column0", [one, two, f'{one}"'], other="rest", missing="none")
    tallies = []
    for name in ("utf-8", encoding):
        path.write_bytes(text.encode(name))
        tallies.append(list(count_records(path, declaration, form=CsvFormat(header=False, encoding=name)).counts))
    assert tallies == [[6, 6, 3, 3, 6]] * 2


def test_a_file_that_is_not_text_in_its_encoding_is_refused_and_check_names_the_line(tmp_path: Path) -> None:
    path, wrong = tmp_path / "t.csv", "is not text in"
    cases = [
        (b"v,w\na,1\n\x81,1\n", "cp1252", f"line 3 of t.csv {wrong} cp1252"),
        (b"v,w\na,1\n\x83\n,1\n", "shift_jis", f"line 3 of t.csv {wrong} shift_jis"),
        ("v,w\na,1\n".encode("utf-16") + b"a", "utf-16", f"line 3 of t.csv {wrong} utf-16"),
        (b"v,w\na,1\n", "utf-16", "line 1 of t.csv does not begin with the byte order mark of utf-16"),
        (b"v,w\na\xe9,1,2\n", "latin-1", "line 2 of t.csv does not begin a record with as many fields as the first"),
    ]
    for content, encoding, line in cases:
        form = CsvFormat(encoding=encoding)
        with pytest.raises(SourceError) as refused:
            counted(path, content, form)
        assert refused.value.message == f"{path} cannot be read as a table"
        with pytest.raises(SourceError) as named:
            inspect_source(path, DECLARATION, form=form)
        assert named.value.message == line
        assert "not publishable" in named.value.hint


@pytest.mark.parametrize(
    "encoding", ["", "utf-7", "iso2022_jp", "hz", "idna", "unicode_escape", "cp037", "rot13", "\0"]
)
def test_an_encoding_in_which_a_record_could_change_others_is_refused(encoding: str) -> None:
    with pytest.raises(InvalidInput, match="no such encoding"):
        CsvFormat(encoding=encoding)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("vote,né\na,1\n".encode("latin-1"), "the header of t.csv is not UTF-8; say which `encoding` it has"),
        ("v,w\na,1\n".encode("utf-16"), "t.csv is in UTF-16; say `encoding` utf-16"),
        (b"PK\x03\x04 a secret", "t.csv is a zip archive, or a spreadsheet, and no text; unpack it"),
        (b"Vote,sex\na secret,1\n", "has no column 'v'; its columns are 'Vote', 'sex'"),
        (b"V,sex\na secret,1\n", "has no column 'v'; did you mean 'V'? Its columns are 'V', 'sex'"),
        (
            b"v;w\na secret;1\n",
            "has no column 'v'; its header seems to be separated by semicolons: say `delimiter` ';'",
        ),
        (b"v\tw,x\tu\na secret\t1\tu\n", "has no column 'v'; its columns are 'v\\tw', 'x\\tu'"),
        (b"v\tw\na secret\t1\n", "has no column 'v'; its header seems to be separated by tabs: say `delimiter` tab"),
        (",".join(f"c{i}" for i in range(30)).encode(), "'c19' and 10 more"),
    ],
)
def test_a_header_says_what_else_the_file_may_be_and_no_row_does(content: bytes, says: str, tmp_path: Path) -> None:
    with pytest.raises(SourceError) as refused:
        counted(tmp_path / "t.csv", content)
    assert says in str(refused.value)
    assert "secret" not in str(refused.value)
    (tmp_path / "t.csv").write_bytes(content)
    with pytest.raises(SourceError) as refused:  # without a header all of it is rows
        count_records(tmp_path / "t.csv", DECLARATION, form=CsvFormat(header=False))
    assert refused.value.message in {
        f"{tmp_path / 't.csv'} {what}" for what in ("cannot be read as a table", "has no column 'v'")
    }


@pytest.mark.parametrize("delimiter", ["", ",,", '"', "\n", "\r", "\0", "é"])
def test_a_delimiter_that_could_not_delimit_is_refused(delimiter: str) -> None:
    with pytest.raises(InvalidInput):
        CsvFormat(delimiter=delimiter)


def test_without_a_header_columns_are_numbered_and_the_first_line_is_a_record(tmp_path: Path) -> None:
    form = CsvFormat(header=False)
    assert counted(tmp_path / "t.csv", b"1,a\n2,b\n", form, column="column1") == [1, 1, 0, 0, 0, 0, 0]
    assert counted(tmp_path / "t.csv", b"\n\r\n1,a\n2,b\n", form, column="column1") == [1, 1, 0, 0, 0, 0, 0]
    assert counted(tmp_path / "t.csv", b"\na\n\n", form, column="column0") == [1, 0, 0, 0, 0, 0, 2]
    assert counted(tmp_path / "t.csv", b"\n", form, column="column0") == [0, 0, 0, 0, 0, 0, 1]
    assert counted(tmp_path / "t.csv", b"%s\na\n" % (b"x" * 200_000), form, column="column0")[0] == 1


def test_a_file_is_read_as_it_is_wherever_its_name_leads(tmp_path: Path) -> None:
    for name, content in (("bomb.csv.gz", gzip.compress(b"v\n" + b"a\n" * 1000)), ("plain.csv.gz", b"v\na\n")):
        (tmp_path / name).write_bytes(content)
        (tmp_path / name.removesuffix(".gz")).symlink_to(tmp_path / name)
    with pytest.raises(SourceError):
        count_records(tmp_path / "bomb.csv", DECLARATION)
    assert list(count_records(tmp_path / "plain.csv", DECLARATION).counts) == [1, 0, 0, 0, 0, 0, 0]
