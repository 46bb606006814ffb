"""Anybody can write a receipt that would take hours to check. Its sizes are public: it is refused by them, at once."""

import json
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from discreet.errors import DiscreetError, InvalidInput, TooLarge
from discreet.mechanisms.law import ENUMERABLE
from discreet.receipts import Bundle, Receipt, belief_document, read_sealed, receipt, verification, verify_any
from discreet.receipts.schemas import MAX_CHARS, read_text
from discreet.receipts.work import MAX_STEPS, Sizes, require_modest, sizes_of, verifying_steps
from discreet.requests.run import release_counts
from tests.cli.command import assert_refused, discreet
from tests.contracts.source import ROOT

WRITTEN = {path.stem: path.read_text("ascii") for path in (ROOT / "tests" / "receipts" / "written").glob("*.json")}

Document = dict[str, Any]


def sized(
    name: str, n: int, prior: list[Any], *, epsilon: str = "1", method: str = "theorem", **parameters: str
) -> Document:
    """A receipt of other sizes. What it says of them does not matter: it should never be looked at."""
    document: Document = json.loads(WRITTEN[name])
    document |= {"n": n, "prior": prior, "categories": [f"c{i}" for i in range(len(prior))], "epsilon_exact": epsilon}
    document["mechanism"] |= parameters
    document["certificate"]["method"] = method
    return document


def of_groups(groups: int) -> Document:
    """Public groups without end, each of them harmless."""
    document: Document = json.loads(WRITTEN["public-groups"])
    names = [f"g{i}" for i in range(groups)]
    for key in ("group_sizes", "prior", "certificate", "posterior", "interval", "accuracy", "output"):
        document[key] = dict.fromkeys(names, document[key]["f"])
    return {**document, "groups": names}


def of_columns(columns: int, part: Document | None = None) -> Document:
    """Columns without end, each of them harmless if it is no other."""
    document: Document = json.loads(WRITTEN["columns-of-groups"])
    first = part or document["parts"][0]
    return {**document, "columns": [f"c{i}" for i in range(columns)], "parts": [first] * columns}


LONG = [f"1{'0' * 900}{i + 11}/1{'0' * 900}{i + 12}" for i in range(300)]

TO_VERIFY: dict[str, Document] = {
    "many groups": of_groups(200),
    "many columns": of_columns(60),
    "a large column": of_columns(1, sized("snapping", 5000, [1, 1])),
    "many categories": sized("geometric", 10**6, [1] * 5000),
    "many categories, little ε": sized("geometric", 1000, [1] * 900, epsilon="1/1000000"),
    "many draws": sized("laplace", 10**6, [1] * 200),
    "a law for every count": sized("snapping", 5000, [1, 1]),
    "a way back for every count": sized("geometric", 2000, [1, 1], way="bayes"),
    "a long scan": sized("exponential-global", 65_000, [1, 1], method="enumeration"),
    "a wide sweep": sized("exponential-global", 300, [1, 2, 3], method="enumeration"),
    "an audit of laws": sized("snapping", 400, [1, 1], epsilon="2", method="enumeration"),
    "long fractions": sized("geometric", 100, LONG),
}

TO_READ: dict[str, Document] = {
    "noise over everything": sized("geometric", 10**9, [1] * 50, epsilon="1/10000"),
    "many categories": sized("geometric", 10**6, [1] * 1000, epsilon="1/10"),
    "many weighed": sized("exponential-global", 10**6, [1] * 200),
    "long fractions": sized("geometric", 100, LONG),
}


def counted(work: Callable[[], object]) -> tuple[int, DiscreetError | None]:
    """How many calls a piece of work takes, whatever the machine is busy with, and how it is refused."""
    calls, refusal = 0, None

    def note(frame: object, event: str, argument: object) -> None:
        nonlocal calls
        calls += event.endswith("call")

    sys.setprofile(note)
    try:
        work()
    except DiscreetError as failure:
        refusal = failure
    finally:
        sys.setprofile(None)
    return calls, refusal


def receipt_of(document: Document) -> Receipt | Bundle:
    return read_sealed(json.dumps(document))


@pytest.mark.parametrize("shape", TO_VERIFY)
def test_what_takes_too_long_to_verify_is_refused_by_its_sizes(shape: str) -> None:
    hostile = receipt_of(TO_VERIFY[shape])
    calls, refusal = counted(lambda: verify_any(hostile))
    assert isinstance(refusal, TooLarge)
    assert "million steps" in refusal.message
    assert "--thorough" in refusal.hint
    assert calls < 1000 + len(json.dumps(TO_VERIFY[shape])), "more than a look at every field"


@pytest.mark.parametrize("shape", TO_READ)
def test_what_takes_too_long_to_read_is_refused_by_its_sizes(shape: str) -> None:
    hostile = receipt_of(TO_READ[shape])
    calls, refusal = counted(lambda: belief_document(hostile))
    assert isinstance(refusal, TooLarge)
    assert calls < 1000 + len(json.dumps(TO_READ[shape]))


class Computed(Exception):
    """Something was computed."""


def compute(*_: object, **__: object) -> None:
    raise Computed


@pytest.mark.parametrize("shape", TO_VERIFY)
def test_without_the_bound_it_would_be_computed(shape: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tests above can say no; and whoever knows the author may say that it is to be thorough."""
    hostile = receipt_of(TO_VERIFY[shape])
    monkeypatch.setattr(verification, "derive_document", compute)
    for verify in (lambda: verify_any(hostile), hostile.verify):
        with pytest.raises(TooLarge):
            verify()
    with pytest.raises(Computed):
        verify_any(hostile, thorough=True)
    monkeypatch.setattr(verification, "require_modest", lambda receipts, *, reading: None)
    with pytest.raises(Computed):
        verify_any(hostile)


@pytest.mark.parametrize("name", WRITTEN)
def test_what_was_ever_written_is_modest_and_takes_no_more_than_was_estimated(name: str) -> None:
    document = json.loads(WRITTEN[name])
    for reading in (False, True):
        require_modest([Receipt(part) for part in document.get("parts", [document])], reading=reading)
    if document["n"] <= 12:
        small = receipt_of(document)
        verify_any(small)  # once before: what is imported is not what is counted
        calls, refusal = counted(lambda: verify_any(small))
        assert refusal is None
        assert calls < 4 * sum(
            verifying_steps(each) for each in sizes_of(Receipt(document))
        )  # four calls take a microsecond


def test_an_estimate_grows_with_every_size() -> None:
    small = {"n": 50, "k": 2, "digits": 3}
    for name, postprocess in (
        ("geometric", "nearest"),
        ("geometric", "bayes"),
        ("laplace", ""),
        ("snapping", ""),
        ("exponential-local", ""),
    ):
        for method in ("theorem", "enumeration"):
            one = Sizes(name=name, epsilon=1.0, postprocess=postprocess, method=method, **small)
            for key, more in (("n", 500), ("k", 4), ("digits", 10**5)):
                other = Sizes(name=name, epsilon=1.0, postprocess=postprocess, method=method, **{**small, key: more})
                assert verifying_steps(other) >= verifying_steps(one)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("n", None),
        ("n", "12"),
        ("n", -(10**4000)),
        ("n", [1]),
        ("prior", None),
        ("prior", [[1], [2]]),
        ("prior", {"a": 1}),
        ("epsilon_exact", None),
        ("epsilon_exact", "0"),
        ("epsilon_exact", "nan"),
        ("epsilon_exact", "-1"),
        ("epsilon_exact", "1/0"),
        ("mechanism", None),
        ("mechanism", {"name": {}}),
        ("certificate", None),
        ("certificate", {"method": []}),
        ("group_sizes", {"a": 1}),
        ("groups", ["a", "b"]),
    ],
)
def test_sizes_that_are_none_are_refused_in_one_line(key: str, value: object) -> None:
    document = json.loads(WRITTEN["geometric"]) | {key: value}
    calls, refusal = counted(lambda: verify_any(receipt_of(document)))
    assert refusal is not None
    assert "\n" not in str(refusal)
    assert calls < 100_000
    if key != "certificate":  # which nobody needs to read it
        assert isinstance(counted(lambda: belief_document(receipt_of(document)))[1], InvalidInput)


def test_a_text_that_is_deep_or_long_is_refused_before_it_is_walked(tmp_path: Path) -> None:
    for depth in (13, 500, 900, 100_000):
        for text in (
            f'{{"a": {"[" * depth}{"]" * depth}}}',
            WRITTEN["columns"].replace('"n":', f'"n":{"[" * depth}{"]" * depth},"m":', 1),
        ):
            with pytest.raises(InvalidInput, match="no receipt"):
                read_sealed(text)
    endless = Path("/dev/zero")
    if endless.exists():
        with pytest.raises(TooLarge, match=f"{MAX_CHARS:,}"):
            read_text(endless)


def test_many_groups_and_many_categories_are_not_searched_for_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    handled = 0

    def counting(values: Iterable[str]) -> list[str]:
        nonlocal handled
        listed = [*values]
        handled += len(listed)
        listed.sort()
        return listed

    monkeypatch.setattr(receipt, "sorted", counting, raising=False)
    document = of_groups(1000)
    document |= {"categories": [f"c{i}" for i in range(1000)], "posterior": {key: {} for key in document["groups"]}}
    read_sealed(json.dumps(document))
    assert handled < len(json.dumps(document))


def test_an_output_beyond_all_counts_is_read_as_one_at_their_end() -> None:
    """Noise that leads out of 0 … n weighs the counts alike, however far: nothing is computed beyond them."""

    def of(output: list[int]) -> object:
        document = sized("geometric", 1000, [1, 1, 1]) | {"output": output}
        document["posterior"] = {name: {"parameter": 1, "mean": 0.3} for name in document["categories"]}
        return belief_document(receipt_of(document))

    assert of([9 * 10**18, -9 * 10**18, 1000]) == of([2000, -2000, 1000])


@pytest.mark.parametrize("words", [("infer",), ("receipt", "verify")])
def test_the_command_says_how_to_go_on(words: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "r.json").write_text(json.dumps(TO_VERIFY["a law for every count"]), encoding="ascii")
    answer = discreet(*words, str(tmp_path / "r.json"))
    assert_refused(answer)
    assert "--thorough" in answer.err


@pytest.mark.parametrize(
    "sizes",
    [
        Sizes("tight", 60, 3, 1.0, "nearest", "theorem", 3),
        Sizes("optimal", 200, 2, 1.0, "nearest", "enumeration", 2),
        Sizes("geometric", 10**9, 20, 0.01, "nearest", "theorem", 20),
        Sizes("exponential-reciprocal", 1000, 2, 1.0, "nearest", "enumeration", 2),
    ],
    ids=lambda sizes: sizes.name,
)
def test_a_release_of_common_size_is_not_refused(sizes: Sizes) -> None:
    assert verifying_steps(sizes) < MAX_STEPS


def test_candidates_are_counted_as_far_as_they_are_ever_listed() -> None:
    assert [Sizes("optimal", n, 3, 1.0, "", "theorem", 3).candidates for n in (4, 10**6)] == [15, ENUMERABLE]


ENDLESS = ("1e9999", "1_0e9999", " 1e9999", "1" + "0" * 2000, "١")
"""Numbers to Python. The exponent of one that takes hours has five more digits."""


@pytest.mark.parametrize("text", ENDLESS)
@pytest.mark.parametrize("place", ["epsilon_exact", "certificate.loss", "posterior.1.parameter", "rates.per"])
def test_a_number_whose_digits_never_end_is_no_receipt(place: str, text: str) -> None:
    document: Document = json.loads(release_counts([6, 4], epsilon=1, adjacency="add-remove").to_json())
    fields: Document = document | {"rates": {}}
    hostile = fields
    *path, last = place.split(".")
    for key in path:
        fields = fields[key]
    fields[last] = text
    for forged in (hostile, of_columns(1, hostile)):
        with pytest.raises(InvalidInput, match="no receipt"):
            receipt_of(forged)


def test_without_the_rule_python_would_read_it(monkeypatch: pytest.MonkeyPatch) -> None:
    document = json.loads(WRITTEN["geometric"]) | {"epsilon_exact": "1e99"}
    monkeypatch.setattr(receipt, "_says_fractions", lambda value, name: True)
    assert receipt_of(document).epsilon == 10**99
