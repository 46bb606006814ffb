"""`discreet check`: what the curator sees, and what it leaves unsaid elsewhere."""

from pathlib import Path

from tests.cli.command import assert_refused, told, typed

ROWS = "vote;who\nClinton;1\nDole;2\nDole ;3\nDole ;4\nPerot;4\n;5\nDole;\n"
"""A small table with a misspelling."""

CHECK = "check people.csv --column vote --delimiter ;"


def test_data_that_does_not_fit_is_shown_to_the_curator_and_is_exit_2(place: Path) -> None:
    (place / "people.csv").write_text(ROWS)
    answer = typed(f"{CHECK} --categories Clinton,Dole,Nader --json")
    assert answer.code == 2
    assert answer.err.startswith("error: some values of 'vote' are not declared; ")
    assert answer.document == {
        "fits": False,
        "publishable": False,
        "n": 7,
        "rows": 7,
        "outside": 4,
        "missing": 0,
        "empty": 1,
        "without_id": None,
        "unused": ["Nader"],
        "strays": [{"value": "Dole ", "rows": 2, "like": "Dole"}, {"value": "Perot", "rows": 1, "like": None}],
        "categories": ["Clinton", "Dole", "Nader"],
        "other": None,
        "missing_category": None,
        "by": None,
        "groups": None,
        "other_group": None,
        "unused_groups": [],
        "stray_groups": [],
        "filters": {},
    }
    document = told(f"{CHECK} --categories Clinton,Dole --other rest --id-column who")
    keys = ("fits", "rows", "n", "outside", "without_id")
    assert tuple(document[key] for key in keys) == (True, 7, 6, 3, 1)


def test_the_table_says_that_it_is_not_publishable(place: Path) -> None:
    (place / "people.csv").write_text(ROWS)
    answer = typed(f"{CHECK} --categories Clinton,Dole --id-column who")
    assert answer.code == 2
    for words in ("'Dole '", "it does not fit", "not publishable"):
        assert words in answer.out
    assert answer.err.count("\n") == 1
    assert "Perot" not in answer.err


def test_categories_with_commas_are_quoted(place: Path) -> None:
    (place / "t.csv").write_text('"a,b"\nc\n"a,b"\n')
    answer = typed("check t.csv --no-header --column column0 --categories", '"a,b",c')
    assert answer.code == 0
    assert "it fits: every record is in a category" in answer.out


def test_a_value_that_steers_the_terminal_is_shown_and_not_obeyed(place: Path) -> None:
    (place / "t.csv").write_text("v\na\n\x1b[31mred\n[bold]x[/]\n")
    answer = typed("check t.csv --column v --categories a,b")
    assert "\x1b" not in answer.out
    assert "[bold]x[/]" in answer.out


def test_a_curator_sees_what_is_outside_the_groups(place: Path) -> None:
    line = "check v.csv --column vote --categories a,b --by sex --groups f,x"
    answer = typed(line, "--json")
    assert answer.code == 2
    assert answer.document["stray_groups"] == [{"value": "m", "rows": 9, "like": None}]
    assert answer.document["unused_groups"] == ["x"]
    people = typed(f"{line} --other-group rest")
    assert people.code == 0
    assert "rows in the group 'm'" in people.out
    assert "it fits: there are values outside the categories or groups: they count as 'rest'" in people.out


def test_a_header_alone_has_no_records(place: Path) -> None:
    (place / "t.csv").write_text("v,w\n")
    answer = typed("check t.csv --column v --categories a,b")
    assert answer.code == 2
    assert "there are no records: a release would stop" in answer.out
    assert answer.err == "error: the table has no records; give one with at least one\n"


def test_a_curator_is_told_what_a_stray_is_like_and_which_encoding_it_may_be(place: Path) -> None:
    (place / "t.tsv").write_bytes("drink\tn\ncafé\t1\nthé\t2\nTHÉ\t3\n\t4\n".encode("cp1252"))
    line = "check t.tsv --column drink --categories café,thé --missing unsaid"
    answer = typed(line)
    assert answer.code == 2
    assert "rows that say 'caf\\\\xE9' (like 'café')" in answer.out
    assert "some values are not UTF-8: the file is in another --encoding, perhaps" in answer.out
    read = typed(f"{line} --encoding cp1252")
    assert "rows that say 'THÉ' (like 'thé')" in read.out
    assert "not publishable" in read.out
    document = told(f"{line} --encoding cp1252 --other rest")
    assert (document["outside"], document["missing_category"]) == (1, "unsaid")


def test_filters_are_looked_through(place: Path) -> None:
    (place / "people.csv").write_text(ROWS)
    document = told(f"{CHECK} --categories Clinton,Dole --filter who=1,2")
    assert (document["fits"], document["rows"], document["filters"]) == (True, 2, {"who": ["1", "2"]})
    assert "rows that the filters select" in typed(f"{CHECK} --categories Clinton,Dole --filter who=1").out
    for filters in ("--filter who", "--filter who=", "--filter who=1 --filter who=2", "--filter vote=Dole"):
        answer = typed(f"{CHECK} --categories Clinton,Dole {filters}")
        assert (answer.code, answer.err.count("\n"), answer.out) == (2, 1, "")


CROSS = "check people.csv --cross sex=f,m --cross pregnant=yes,no"


def test_the_columns_of_a_cross_table_are_checked_and_so_are_its_impossible_cells(place: Path) -> None:
    (place / "people.csv").write_text("sex,pregnant,who\nf,yes,1\nf,no,2\nm,no,3\nm,yes,4\nm,maybe,4\n")
    answer = typed(f"{CROSS} --impossible sex=m,pregnant=yes --json")
    assert answer.code == 2
    assert answer.err.startswith("error: the crossed columns have values outside what is declared, or an impossible")
    assert answer.err.count("\n") == 1
    document = answer.document
    assert (document["fits"], document["publishable"], document["in_impossible_cells"]) == (False, False, 1)
    assert [(name, own["fits"]) for name, own in document["columns"].items()] == [("sex", True), ("pregnant", False)]
    assert document["columns"]["pregnant"]["strays"] == [{"value": "maybe", "rows": 1, "like": None}]
    shown = typed(f"{CROSS} --impossible sex=m,pregnant=yes")
    assert "records in cells that were declared impossible: 1" in shown.out
    assert "not publishable" in shown.out
    fits = told(f"{CROSS} --other rest --id-column who")
    assert fits["fits"]
    assert [own["n"] for own in fits["columns"].values()] == [4, 4]


def test_what_a_check_of_a_cross_table_cannot_mean_is_refused(place: Path) -> None:
    (place / "people.csv").write_text("sex,pregnant\nf,yes\n")
    for line in (
        f"{CROSS} --column sex",
        f"{CROSS} --cross sex=f,m",
        "check people.csv --cross sex=f,m",
        "check people.csv --cross sex",
        "check people.csv",
        f"{CROSS} --impossible age=5",
    ):
        assert_refused(typed(line))


def test_check_says_which_column_does_not_fit_and_a_release_does_not(place: Path) -> None:
    vote, sex = "--column vote --categories", "--by sex --groups"
    for names, said in (
        (("a,b", "f,x"), ("'sex'", "--other-group")),
        (("a,x", "f,m"), ("'vote'", "--other")),
        (("a,x", "f,x"), ("'sex' and 'vote'", "--other-group and --other")),
    ):
        declared = f"v.csv {vote} {names[0]} {sex} {names[1]}"
        assert typed(f"check {declared}").err == (
            f"error: some values of {said[0]} are not declared; declare them too, or give the rest a name with "
            f"{said[1]}\n"
        )
        refused = typed(f"release {declared} --epsilon 1 --no-ledger --yes")
        assert refused.err.startswith("error: column 'vote' or 'sex' has values outside what is declared; ")
    assert "values outside the categories or groups: a release would stop" in typed(f"check {declared}").out
    (place / "v.csv").write_text("vote,sex\na,\n")
    assert typed(f"check v.csv {vote} a,b {sex} f,m").err.startswith("error: some values of 'sex' are"), "no group"
