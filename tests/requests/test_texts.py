"""The texts in which people declare names, options and columns."""

import pytest

from discreet.counting import Filter
from discreet.errors import InvalidInput
from discreet.requests.texts import (
    each,
    look_alikes,
    only,
    read_axes,
    read_exposure,
    read_filters,
    read_labels,
    read_names,
)


def test_one_value_serves_all_columns_and_several_are_one_for_each() -> None:
    assert each(None, 3, "--prior") == each([], 3, "--prior") == [None] * 3
    assert each(["1"], 3, "--prior") == ["1"] * 3
    assert each(["1", "2"], 2, "--prior") == ["1", "2"]
    with pytest.raises(InvalidInput, match="--prior is one for all columns, or one for each"):
        each(["1", "2"], 3, "--prior")


def test_an_option_of_one_column_is_given_once() -> None:
    assert (only(None, "--by"), only(["sex"], "--by")) == (None, "sex")
    with pytest.raises(InvalidInput, match="--by was given more than once"):
        only(["sex", "age"], "--by")


def test_the_axes_of_a_table_are_its_columns_with_their_categories() -> None:
    assert read_axes(["sex = f, m", 'vote="a,b",c']) == {"sex": ["f", "m"], "vote": ["a,b", "c"]}
    for text in ("sex", "=f,m", " =f,m"):
        with pytest.raises(InvalidInput, match="--cross cannot be read") as refusal:
            read_axes([text])
        assert refusal.value.parameter == "cross"
    with pytest.raises(InvalidInput, match="--cross names a column twice"):
        read_axes(["sex=f", "sex=m"])


def test_labels_are_one_for_each_of_some_columns() -> None:
    assert read_labels('sex = m, "rule=a=b"', "--impossible") == {"sex": "m", "rule": "a=b"}
    for text in ("sex", "sex=", "=m", "sex=m,"):
        with pytest.raises(InvalidInput, match="--impossible cannot be read"):
            read_labels(text, "--impossible")
    with pytest.raises(InvalidInput, match="--impossible names a column twice"):
        read_labels("sex=m,sex=f", "--impossible")


def test_a_text_that_cannot_be_read_names_its_option() -> None:
    with pytest.raises(InvalidInput, match="--impossible cannot be read"):
        read_labels('"sex=m', "--impossible")
    with pytest.raises(InvalidInput, match="the values of a filter cannot be read"):
        read_filters(['region="north'])
    with pytest.raises(InvalidInput, match="--cross cannot be read"):
        read_axes(['sex="f'])


def test_labels_with_commas_are_quoted_by_one_rule_alone_or_with_the_whole_pair() -> None:
    coast = {"region": "east, coast", "sex": "f"}
    for text in (
        'region="east, coast",sex=f',
        'sex = f , region = "east, coast"',
        '"region"="east, coast","sex=f"',
        '"region=east, coast",sex=f',
    ):
        assert read_labels(text, "--given") == coast
    assert read_labels('a="say ""b=c"" "', "--given") == {"a": 'say "b=c" '}
    assert read_labels('size=5" pipe,a=b=c', "--given") == {"size": '5" pipe', "a": "b=c"}, "as it was before"
    for text in ('"east, coast"=10,"a=b"=2', '"east, coast=10","a=b=2"', ' "east, coast" = 10 , a=b=2'):
        assert read_exposure([text]) == {"east, coast": "10", "a=b": "2"}
    for text in ('"east, coast"', '"east, coast', "east, coast=10", 'north=1,north="2"', ""):
        with pytest.raises(InvalidInput) as refusal:
            read_exposure([text])
        assert (refusal.value.parameter, '"east, coast"=70000' in refusal.value.hint) == ("exposure", True)


def test_values_and_categories_may_hold_an_equals_sign() -> None:
    assert read_filters(["rule=a=b,c"]) == [Filter("rule", ("a=b", "c"))]
    assert read_axes(["rule=a=b,c"]) == {"rule": ["a=b", "c"]}
    assert read_labels('"""rule""=a"', "--given") == {'"rule"': "a"}, "quotes within a quoted pair are its own"


def test_a_group_without_a_number_is_left_to_who_reads_numbers() -> None:
    assert read_exposure(["north=,south=2"]) == {"north": "", "south": "2"}


def test_what_cannot_be_read_is_shown_as_it_should_be_written() -> None:
    with pytest.raises(InvalidInput) as refusal:
        read_labels('"sex=m', "--given")
    assert refusal.value.hint == 'write it like region=north,sex=f, or region="east, coast"'
    for read in (read_names, look_alikes):
        with pytest.raises(InvalidInput, match=r"^--categories cannot be read") as refusal:
            read('"a', "--categories")
        assert refusal.value.hint == 'write them like a,b,c, or "a,b",c'
