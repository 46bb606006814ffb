"""Bad input: exit code 2 and one line that says how to mend it."""

import shlex
from pathlib import Path

import pytest

from tests.cli.command import assert_refused, discreet, installed_discreet, typed

COUNTS = ("release", "--counts", "70,50,30", "--no-ledger")

SHORT = {
    "COUNTS": "release --counts 70,50,30 --no-ledger",
    "FREE": "release v.csv --no-ledger --epsilon 1",
    "CHARGED": "release v.csv --column vote --categories a,b --epsilon 0.5 --ledger l.db --dataset d --yes",
    "VOTE": "--column vote --categories a,b",
    "SEX": "--column sex --categories f,m",
    "SNAP": "--epsilon 1 --bound 100",
}
"""What the first words of these lines stand for."""

UNMEANT = {
    "an epsilon that is no number": "COUNTS --epsilon nan",
    "an epsilon of zero": "COUNTS --epsilon -0.0",
    "a prior in other digits": "COUNTS --epsilon 1 --prior 1,٣,1",
    "an n of a million digits": "COUNTS --epsilon 1 --n 1e1000000",
    "half a record": "COUNTS --epsilon 1 --n 150.5",
    "fewer prior parameters than counts": "COUNTS --epsilon 1 --prior 1,1",
    "more prior parameters than counts": "COUNTS --epsilon 1 --prior 1,1,1,1",
    "a negative prior": "COUNTS --epsilon 1 --prior 1,-1,1",
    "no records": "COUNTS --epsilon 1 --n 0",
    "counts of nothing": "release --counts 0,0 --epsilon 1 --no-ledger",
    "one category": "release --counts 150 --epsilon 1 --no-ledger",
    "an unknown mechanism": "COUNTS --epsilon 1 --mechanism gaussian",
    "a mechanism without a name": "COUNTS --epsilon 1 --mechanism ''",
    "an unknown way": "COUNTS --epsilon 1 --way home",
    "a gamma for geometric": "COUNTS --epsilon 1 --gamma 1",
    "a way for another": "COUNTS --epsilon 1 --mechanism exponential-global --postprocess free",
    "a bad gamma": "COUNTS --epsilon 1 --mechanism exponential-reciprocal --gamma nan",
    "fewer names than counts": "COUNTS --epsilon 1 --categories a,b",
    "a name given twice": "COUNTS --epsilon 1 --categories a,b,a",
    "an engine for counts": "COUNTS --epsilon 1 --engine duckdb",
    "a delimiter of counts": "COUNTS --epsilon 1 --delimiter ;",
    "a header of counts": "COUNTS --epsilon 1 --no-header",
    "a column of counts": "COUNTS --epsilon 1 --column vote",
    "another category of counts": "COUNTS --epsilon 1 --other x",
    "people among counts": "COUNTS --epsilon 1 --id-column x",
    "a request for counts": "COUNTS --epsilon 1 --request-id x",
    "groups of counts": "COUNTS --epsilon 1 --by sex --groups f,m",
    "public groups of counts": "COUNTS --epsilon 1 --group-public",
    "two priors for one column of counts": "COUNTS --epsilon 1 --prior 1,1,1 --prior 1,1,1",
    "two epsilons for one column of counts": "COUNTS --epsilon 1 --epsilon 2",
    "an empty name": "COUNTS --epsilon 1 --categories a,b,",
    "a name that steers the terminal": "COUNTS --epsilon 1 --categories a,b,\x1b[31m",
    "a directory to write to": "COUNTS --epsilon 1 --out .",
    "a place that is not there": "COUNTS --epsilon 1 --out no/such/place.json",
    "a picture of another kind": "COUNTS --epsilon 1 --plot picture.bmp",
    "one file for two things": "COUNTS --epsilon 1 --plot a.png --out a.png",
    "no word about a ledger": "release --counts 7,5 --epsilon 1",
    "nothing to release": "release --epsilon 1 --no-ledger",
    "a table without a column": "release people.csv --epsilon 1 --no-ledger",
    "a ledger for counts": "release --counts 7,5 --epsilon 1 --ledger l.db",
    "no epsilon": "COUNTS",
    "an option without its value": "release --epsilon",
    "more arguments than there are": "COUNTS --epsilon 1 extra arguments",
    "a command that steers the terminal": "'no\nsuch\x1b[31m'",
    "a table unguarded": "FREE VOTE --accept-no-guarantee",
    "the table to be overwritten": "CHARGED --out v.csv",
    "the ledger to be overwritten": "CHARGED --out ./l.db",
    "the ledger to be painted over": "CHARGED --plot l.db",
    "another number of records": "CHARGED --n 14",
    "a number of records that is none": "CHARGED --n nan",
    "another engine": "CHARGED --engine abacus",
    "another column": "CHARGED --column votes",
    "one category of a table": "CHARGED --categories a",
    "a quotation that does not end": "CHARGED --categories 'a,\"b'",
    "a delimiter of two": "CHARGED --delimiter ab",
    "a table and counts": "CHARGED --counts 8,5",
    "a request without a name": "CHARGED --request-id ' '",
    "a table's place that is not there": "CHARGED --out no/such/place.json",
    "a prior for three": "CHARGED --prior 1,1,1",
    "both a ledger and none": "CHARGED --no-ledger",
    "neither a ledger nor none": "release v.csv VOTE --epsilon 0.5 --yes",
    "a ledger without a dataset": "release v.csv VOTE --epsilon 0.5 --ledger l.db --yes",
    "a dataset without a ledger": "FREE VOTE --dataset d",
    "a request without a ledger": "FREE VOTE --request-id x",
    "a dataset that is not in the ledger": "release v.csv VOTE --epsilon 0.5 --ledger l.db --dataset e --yes",
    "a column without categories": "FREE VOTE --column sex",
    "three epsilons for two columns": "FREE VOTE SEX --epsilon 1 --epsilon 1",
    "two epsilons for one column": "FREE VOTE --epsilon 1",
    "three others for two columns": "FREE VOTE SEX --other x --other y --other z",
    "by without groups": "FREE VOTE --by sex",
    "groups without by": "FREE VOTE --groups f,m",
    "groups that do not end": "FREE VOTE --by sex --groups 'f,\"m'",
    "no groups to be public": "FREE VOTE --group-public",
    "a prior of three for four cells": "FREE VOTE --by sex --groups f,m --prior 1,1,1",
    "sizes of groups that are not public": "FREE VOTE --by sex --groups f,m --n 7,9",
    "categories without a column": "FREE --categories a,b",
    "one size for two public groups": "FREE VOTE --by sex --groups f,m --group-public --dry-run --n 16",
    "three sizes for two public groups": "FREE VOTE --by sex --groups f,m --group-public --dry-run --n 7,9,1",
    "public groups of nobody": "FREE VOTE --by sex --groups f,m --group-public --dry-run --n 0,0",
    "a size that is no number": "FREE VOTE --by sex --groups f,m --group-public --dry-run --n 7,x",
    "a dry run without n": "FREE VOTE --dry-run",
    "a check of nothing": "check nothing.csv VOTE",
    "a check of another column": "check v.csv --column Vote --categories a,b",
    "a check of one category": "check v.csv --column vote --categories a",
    "a check of a category twice": "check v.csv --column vote --categories a,a",
    "a check of no categories": "check v.csv --column vote --categories ''",
    "a check of categories that do not end": "check v.csv --column vote --categories '\"a,b'",
    "a check of a column without a name": "check v.csv --column '' --categories a,b",
    "a check in a bucket": "check s3://people/vote.parquet VOTE",
    "a file that steers the terminal": "check 'no\nsuch\x1b[31m.csv' VOTE",
    "sensitivity of an unknown k": "sensitivity --n 100",
    "sensitivity at an unknown n": "sensitivity --prior 1,1",
    "sensitivity elsewhere": "sensitivity --prior 1,1 --n 100 --counts 50,51",
    "sensitivity at a negative gamma": "sensitivity --prior 1,1 --counts 50,50 --gamma -1",
    "a plan for nothing": "plan --n 30",
    "a plan for two things": "plan --n 30 --epsilon 1 --target-width 0.1",
    "an error without confidence": "plan --n 30 --target-error 0.1",
    "the worst case of an epsilon": "plan --n 30 --epsilon 1 --worst-case",
    "a width that is out of reach": "plan --n 30 --target-width 0.001",
    "a width of everything": "plan --n 30 --target-width 1",
    "an error of everything": "plan --n 30 --target-error 1 --confidence 0.95",
    "a plan for no epsilon": "plan --n 30 --epsilon 0",
    "a plan painted as something else": "plan --n 30 --epsilon 1 --plot plan.bmp",
    "an audit without n": "audit geometric --epsilon 1",
    "neither epsilon nor scale": "audit geometric --n 50",
    "both epsilon and scale": "audit exponential-local --n 50 --epsilon 1 --scale 1",
    "a scale for what has none": "audit geometric --n 50 --scale 1",
    "calibrated to a scale": "audit exponential-local --n 50 --scale 1 --calibrated",
    "calibrated without a scale": "audit optimal --n 10 --epsilon 1 --calibrated",
    "an audit of an unknown mechanism": "audit exponential-locale --n 50 --epsilon 1",
    "an unknown mechanism with a scale": "audit exponential-locale --n 50 --scale 1",
    "an unknown one, calibrated": "audit gaussian --n 50 --epsilon 1 --calibrated",
    "a gamma for global": "audit exponential-global --n 50 --epsilon 1 --gamma 1",
    "a gamma for global with a scale": "audit exponential-global --n 50 --scale 1 --gamma 1",
    "a gamma for global, calibrated": "audit exponential-global --n 50 --epsilon 1 --gamma 1 --calibrated",
    "δ is missing": "audit exponential-smooth --n 50 --epsilon 1 --gamma published:1",
    "three numbers": "audit exponential-smooth --n 50 --epsilon 1 --gamma published:1,1,1",
    "δ above 1": "audit exponential-smooth --n 50 --epsilon 1 --gamma published:1,2",
    "empty numbers": "audit exponential-smooth --n 50 --epsilon 1 --gamma published:,",
    "a gamma of nan": "audit exponential-smooth --n 50 --epsilon 1 --gamma nan",
    "a gamma of nan, calibrated": "audit exponential-smooth --n 50 --epsilon 1 --gamma nan --calibrated",
    "a negative at-epsilon": "audit geometric --n 50 --epsilon 1 --at-epsilon -1",
    "a huge at-epsilon": "audit geometric --n 50 --epsilon 1 --at-epsilon 1e400",
    "a loss painted as something else": "audit geometric --n 50 --epsilon 1 --plot loss.bmp",
    "a loss painted nowhere": "audit geometric --n 50 --epsilon 1 --plot no/place.png",
    "an audit of one category": "audit geometric --prior 1 --n 50 --epsilon 1",
    "too large to calibrate": "audit exponential-local --prior 1,1,1 --n 1000 --epsilon 1 --calibrated",
    "too large for δ": "audit exponential-local --n 1e6 --epsilon 1 --at-epsilon 0.1",
    "too large for the programme": "audit optimal --n 300 --epsilon 1",
    "no value": "snap release SNAP",
    "no bound": "snap release --epsilon 1 --value 3",
    "a value that is no number": "snap release SNAP --value nan",
    "an infinite value": "snap release SNAP --value inf",
    "a bad epsilon": "snap release --epsilon nan --bound 9 --value 3",
    "a bound within the noise": "snap release --epsilon 1 --bound 1 --value 3",
    "a bound beyond floats": "snap release --epsilon 1 --bound 1e200 --value 3",
    "no sensitivity": "snap release SNAP --value 3 --sensitivity 0",
    "a snap painted as something else": "snap release SNAP --value 3 --plot a.bmp",
    "a snap painted nowhere": "snap release SNAP --value 3 --plot no/place.png",
    "half a pair": "snap verify SNAP --value 0",
    "values that are not adjacent": "snap verify SNAP --value 0 --neighbour 2",
    "a negative epsilon": "snap verify SNAP --value 0 --neighbour 1 --at-epsilon -1",
    "an attack on values that are not adjacent": "snap attack --neighbour 5",
    "a typo": "snap verfy",
    "figures in no place": "reproduce",
    "a figure in no place": "reproduce fig1",
    "a figure in what is no directory": "reproduce fig1 --out /dev/null/figures",
    "figures by nobody": "reproduce --jobs 0",
}
"""Command lines that cannot be meant. The parser of numbers is asked about every kind of bad one in tests/attacks."""


@pytest.mark.parametrize("what", UNMEANT)
def test_what_cannot_be_meant_is_refused_and_changes_nothing(what: str, place: Path) -> None:
    before = {path: path.read_bytes() for path in place.iterdir()}
    words = [word for part in shlex.split(UNMEANT[what]) for word in SHORT.get(part, "").split() or [part]]
    assert_refused(discreet(*words))
    assert {path: path.read_bytes() for path in place.iterdir()} == before


@pytest.mark.parametrize("number", ["1/0", "-1", "2.5", "9" * 5000])
def test_a_count_that_is_no_whole_number_is_refused_in_words_that_no_count_can_change(number: str) -> None:
    rest = ("--epsilon", "1", "--no-ledger", "--prior", "1,1,1")
    answer = discreet("release", f"--counts=70,{number},30", *rest)
    assert_refused(answer)
    assert answer == discreet("release", f"--counts=9,{number},9", *rest)


def test_a_bad_number_is_refused_by_the_installed_command_too() -> None:
    assert_refused(installed_discreet(*COUNTS, "--epsilon", "1e1000000"))


@pytest.mark.few(2)
@pytest.mark.parametrize("counts", ["70,50,31", "0,0,0", "150,150,150", "1e12,0,0"])
def test_counts_that_do_not_sum_to_n_are_refused_in_words_that_no_count_can_change(counts: str) -> None:
    answer = discreet("release", "--counts", counts, "--n", "150", "--epsilon", "1", "--no-ledger")
    assert_refused(answer)
    assert answer == discreet("release", "--counts", "1,2,3", "--n", "150", "--epsilon", "1", "--no-ledger")


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        (("relaese",), ["release"]),
        ((*COUNTS, "--epsilonn", "1"), ["--epsilon"]),
        ((*COUNTS, "--epsilon", "1", "--mechanism", "geometri"), ["geometric"]),
        (
            (*COUNTS, "--epsilon", "1", "--mechanism", "exponential"),
            [f"exponential-{kind}" for kind in ("global", "local", "smooth", "reciprocal")],
        ),
        (("plan", "--n", "abc", "--epsilon", "1"), ["--n must be a whole number; write it like 1000 or 1e6"]),
        (("plan", "--n", "9"), ["give --epsilon, or --target-error with --confidence, or --target-width"]),
        (("plan", "--n", "9", "--epsilon", "1", "--worst-case"), ["give --target-error and --confidence"]),
        (("plan", "--n", "9", "--target-width", "wide"), ["--target-width is not a number"]),
        (("plan", "--n", "9", "--target-error", "1", "--confidence", "2"), ["--confidence must be below 1"]),
        ((*COUNTS, "--epsilon", "abc"), ["--epsilon is not a number"]),
        ((*COUNTS, "--epsilon", "1", "--postprocess", "home"), ["--postprocess must be one of"]),
        ((*COUNTS, "--epsilon", "1", "--way", "home"), ["--way must be one of"]),
        (("audit", "geometric", "--n", "9", "--epsilon", "1", "--at-epsilon", "q"), ["--at-epsilon is not a number"]),
        (("snap", "release", "--epsilon", "1", "--bound", "q", "--value", "1"), ["--bound is not a number"]),
        (("ledger", "create", "b.db", "--dataset", "d", "--epsilon", "q"), ["--epsilon is not a number"]),
        (
            ("release", "t.csv", "--column", "c", "--categories", "a", "--epsilon", "1", "--no-ledger"),
            ["name them with --categories, or one of them and the rest with --other"],
        ),
        (
            ("release", "v.csv", "--column", "vote", "--categories", "a,b", "--epsilon", "1"),
            ["--ledger or --no-ledger"],
        ),
        (("check", "v.csv", "--column", "vote", "--categories", "a,b", "--by", "sex"), ["name them with --groups"]),
        (("infer", "not-there.json"), ["there is no file not-there.json"]),
        (("receipt", "verify", "not-there.json"), ["there is no file not-there.json"]),
    ],
)
def test_a_refusal_names_the_option_that_was_typed_and_the_nearest_names(
    typed: tuple[str, ...], meant: list[str]
) -> None:
    answer = discreet(*typed)
    assert_refused(answer)
    assert all(words in answer.err for words in meant)


def test_what_a_user_named_is_not_taken_for_an_option(place: Path) -> None:
    asked = ("--column", "other_group", "--categories", "a,b", "--epsilon", "1", "--no-ledger")
    answer = discreet("release", "v.csv", *asked)
    assert_refused(answer)
    assert "v.csv has no column 'other_group'" in answer.err


@pytest.mark.parametrize(
    ("arguments", "kind"),
    [
        ((*COUNTS, "--epsilon", "nan", "--json"), "InvalidInput"),
        ((*COUNTS, "--epsilonn", "1", "--json"), "Usage"),
        (("relaese", "--json"), "Usage"),
        (("sensitivity", "--prior", "1,1", "--n", "0", "--json"), "InvalidInput"),
    ],
)
def test_with_json_a_refusal_is_told_to_programs_too(arguments: tuple[str, ...], kind: str) -> None:
    answer = discreet(*arguments)
    assert answer.code == 2
    error = answer.document["error"]
    assert error["kind"] == kind
    assert answer.err == f"error: {error['message']}; {error['hint']}\n"
    assert error["mend"] == error["hint"], "the key's former name still works"


def test_a_yardstick_is_refused_as_not_private() -> None:
    arguments = ("release", "--counts", "3,4", "--epsilon", "1", "--no-ledger", "--mechanism", "optimal")
    assert_refused(discreet(*arguments), code=4)
    assert_refused(discreet(*arguments, "--dry-run"), code=4)


def test_what_the_library_refuses_is_told_in_the_words_of_the_command(place: Path) -> None:
    (place / "t.csv").write_text("vote,count\na,-3\nb,9\n")
    (place / "d.json").write_text(typed("release v.csv --column vote --categories a,b --epsilon 0.5 --no-ledger "
                                        "--adjacency add-remove --json").out)  # fmt: skip
    rates = "release v.csv --rates --by vote --groups a,b --adjacency add-remove --epsilon 1 --no-ledger"
    for line, said in (
        (f"{rates} --exposure a=1", "error: exposures are one for each group; give one for each of a, b\n"),
        ("infer --noisy t.csv --noise 'discrete-laplace scale=2' --clamped", "; leave --clamped out\n"),
        ("infer d.json --records 9,3", "error: --records are a least and a greatest number; like 800 and 1200\n"),
    ):
        assert said in typed(line).err
