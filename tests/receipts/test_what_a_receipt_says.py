"""What a receipt says beside its numbers, and that every mean it prints lies in the interval beside it."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import discreet as dc
from discreet.arithmetic.texts import MAX_NAME_CHARS
from discreet.errors import InvalidInput
from discreet.ledger import Ledger
from discreet.privacy_loss import certificate_by_theorem
from discreet.receipts import SCHEMA, Bundle, Part, Receipt, agree, read_receipt, readable, write_receipt
from discreet.requests.run import release, release_columns
from discreet.testing import HashedBits
from tests.support.tables import write_votes

SPACES: list[tuple[str, list[Any], list[int], int]] = [
    ("geometric", [1] * 5, [480, 10, 5, 3, 2], 0),
    ("geometric", [1, 1], [500, 0], 0),
    ("geometric", [1, 1], [0, 1], 0),
    ("geometric", [1, 1], [3, 10**6], 0),
    ("geometric", ["1/2", "1/2"], [40, 0], 0),
    ("geometric", ["1/2"] * 4, [0, 0, 0, 30], 0),
    ("geometric", [1, 1, 1], [0, 1000, 0], 0),
    ("geometric", [1, 5, 20], [100, 100, 100], 0),
    ("geometric", [1] * 10, [991, 1, 1, 1, 1, 1, 1, 1, 1, 1], 0),
    ("geometric", [3, 1], [7, 93], 0),
    ("geometric", [1] * 4, [90, 0, 5, 5], 2),
    ("geometric", [1] * 6, [60, 0, 0, 1, 2, 3], 3),
    ("geometric", ["1/2"] * 6, [0, 0, 0, 0, 0, 60], 2),
    ("laplace", [1, 1], [50, 0], 0),
    ("laplace", [1, 1, 1], [48, 1, 1], 0),
    ("laplace-improved", [1, 1], [49, 1], 0),
    ("exponential-global", [1, 1], [40, 0], 0),
    ("exponential-local", [1, 1], [40, 0], 0),
    ("exponential-reciprocal", [1, 1, 1], [12, 0, 0], 0),
    ("exponential-reciprocal", [1, 1], [10**4, 0], 0),  # not quick: at face value, and it says so
]
"""A mechanism, a prior, the data, and with groups how many answers each has: 20 spaces, most with data in a corner."""

PRICES = ["0.02", "0.05", "0.2", "0.7", "2"]


def rows(document: dict[str, Any]) -> list[dict[str, Any]]:
    """Every mean with its interval that is printed."""
    parts = document["belief"].values() if document["groups"] else [document["belief"]]
    return [row for part in [*parts, document["group_shares"] or {}] for row in part.values()]


@pytest.mark.few(8)
@pytest.mark.parametrize("times", [1, pytest.param(10, marks=pytest.mark.soak)])
@pytest.mark.parametrize("place", range(len(SPACES)))
def test_every_printed_mean_lies_in_its_interval(place: int, times: int) -> None:
    name, prior, counts, answers = SPACES[place]
    groups = [str(g) for g in range(len(counts) // answers)] if answers else []
    for epsilon in PRICES:
        mechanism = dc.mechanism(name, dc.PosteriorSpace(prior=prior, n=sum(counts)), epsilon=epsilon)
        part = Part(mechanism.space.prior, mechanism, certificate_by_theorem(mechanism))
        law = mechanism.law(counts)
        for i in range(times):
            output = law._draw(HashedBits(f"{place} {epsilon} {i}"))
            drawn = dc.Released(mechanism.posterior(output), output, mechanism)
            names = [str(j) for j in range(answers or len(counts))]
            document = write_receipt([part], names, [drawn], by="g" if groups else None, groups=groups).document
            for row in rows(document):
                low, high = row["interval"]
                assert low <= row["mean"] <= high
                assert round(low, 4) <= round(row["mean"], 4) <= round(high, 4)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return write_votes(tmp_path / "v.csv", ["a"] * 30 + ["b"] * 10)


TABLE = pd.DataFrame({"vote": ["a"] * 30 + ["b"] * 10, "sex": ["f", "m"] * 20})
ASKED: dict[str, Any] = {"column": "vote", "categories": ["a"], "other": "rest", "epsilon": "1/2"}


def test_title_and_source_are_presentation_and_the_charge_dates_the_receipt(source: Path, quick: None) -> None:
    ledger = Ledger.create(source.with_name("l.db"), dataset="d", epsilon=2)
    paid: dict[str, Any] = {**ASKED, "ledger": ledger, "dataset": "d", "request_id": "x"}
    receipt = release(source, **paid, title="Votes", source_name="Own survey")
    charge = ledger.find("x")
    assert charge is not None
    assert receipt.document["released_at"] == charge.time
    assert {key: receipt.document[key] for key in ("title", "source_name", "column", "other", "missing")} == {
        "title": "Votes", "source_name": "Own survey", "column": "vote", "other": "rest", "missing": None
    }  # fmt: skip
    again = release(source, **paid, title="Another title")
    assert again.to_json() == receipt.to_json(), "it is the same question: what was sealed is shown"


def test_a_digest_is_what_it_was_before_receipts_had_titles(source: Path, quick: None) -> None:
    ledger = Ledger.create(source.with_name("l.db"), dataset="d", epsilon=2)
    digests = set()
    for title in (None, "Votes"):
        release(source, **ASKED, ledger=ledger, dataset="d", request_id=f"r {title}", title=title)
        charge = ledger.find(f"r {title}")
        assert charge is not None
        digests.add(charge.digest)
    assert len(digests) == 1


@pytest.mark.parametrize("text", ["", "a\nb", "x" * 1001, "yes\u202e", 3])
def test_a_title_that_could_steer_a_terminal_is_refused_before_anything_is_charged(text: Any, source: Path) -> None:
    ledger = Ledger.create(source.with_name("l.db"), dataset="d", epsilon=1)
    for told in ({"title": text}, {"source_name": text}):
        with pytest.raises(InvalidInput):
            release(source, **ASKED, ledger=ledger, dataset="d", **told)
    assert ledger.spent("d").epsilon == 0


def test_a_bundle_says_it_once_for_all_of_its_columns(source: Path) -> None:
    asked = [dc.Question("vote", ["a", "b"]), dc.Question("vote", ["a"], other="rest")]
    bundle = release_columns(source, asked, epsilon=1, ledger=None, title="Votes", source_name="Own survey")
    assert (bundle.document["title"], bundle.document["source_name"]) == ("Votes", "Own survey")
    assert bundle.document["citation"].startswith("Votes. Own survey. Differentially private release of ")
    assert [part.document["other"] for part in bundle.parts] == [None, "rest"]


@pytest.mark.parametrize("name", ["groups", "public-groups", "columns-of-groups", "three-categories"])
def test_a_receipt_of_before_is_read_as_one_of_today(name: str) -> None:
    before = read_receipt(Path(__file__).parent / "written" / f"{name}.json").document
    today = readable(read_receipt(Path(__file__).parent / "written" / f"{name}.json")).document
    parts = zip(before.get("parts", [before]), today.get("parts", [today]), strict=True)
    for old, new in parts:
        assert all(row["interval"][0] <= row["mean"] <= row["interval"][1] for row in rows(new))
        kept = set(old) - {"schema", "group_shares", "interval"}
        assert agree({key: new[key] for key in kept}, {key: old[key] for key in kept})
        assert new["schema"] == SCHEMA
    assert [part["column"] for part in today.get("parts", [])] == before.get("columns", [])


@pytest.mark.parametrize("name", ["three-categories", "columns"])
def test_a_receipt_of_before_that_has_no_n_is_not_read_as_one_of_a_private_n(name: str) -> None:
    before = read_receipt(Path(__file__).parent / "written" / f"{name}.json").document
    said = {"n": None, "adjacency": "add-remove"}
    parts = {"parts": [part | said for part in before["parts"]]} if "parts" in before else {}
    receipt = (Bundle if parts else Receipt)(before | said | parts)
    with pytest.raises(InvalidInput, match="do not describe a release"):
        readable(receipt)


def test_a_column_of_before_whose_name_could_not_be_shown_is_read_without_it() -> None:
    bundle = Bundle.read(Path(__file__).parent / "written" / "columns-of-groups.json")
    names = ["", "a" * (MAX_NAME_CHARS + 1)]
    today = readable(Bundle(bundle.document | {"columns": names}))
    assert [part.document["column"] for part in today.parts] == ["?", "a" * MAX_NAME_CHARS]


def test_a_receipt_answers_by_name_in_python() -> None:
    receipt = release(TABLE, **ASKED, by="sex", groups=["f"], other_group="else", ledger=None, title="Votes")
    read = dc.Receipt.from_json(receipt.to_json())
    assert (read.epsilon, read.n, read.categories) == (Fraction(1, 2), 40, ("a", "rest"))
    assert (read.column, read.title) == ("vote", "Votes")
    assert read.released_at is not None
    assert read.verify().bound == read.epsilon
    assert read.belief is read.belief, "computed once"
    told = read.document["belief"]["f"]["a"]
    share = read.belief.group("f")["a"]
    assert [share.mean, *share.interval()] == pytest.approx([told["mean"], *told["interval"]])
    low, high = read.interval(0.5)
    assert (low <= read.mean).all()
    assert (read.mean <= high).all()
    frame = read.belief.to_pandas()
    assert frame.index.names == ["sex", "category"]
    assert frame.loc[("f", "a"), "mean"] == pytest.approx(read.mean[0])
    assert read.belief.group("f").to_polars()["category"].to_list() == ["a", "rest"]
    assert "Missing values and values outside" in read.to_methods()
    assert "points wide" in read.to_methods()


def test_a_bundle_answers_by_column() -> None:
    asked = [dc.Question("vote", ["a", "b"]), dc.Question("sex", ["f"], other="else")]
    bundle = release_columns(TABLE, asked, epsilon=1, ledger=None)
    assert {column: belief.labels for column, belief in bundle.belief.items()} == {
        "vote": ("a", "b"), "sex": ("f", "else")
    }  # fmt: skip
    assert len(bundle.verify()) == 2
    assert "2 columns were released, with ε = 1 in all" in bundle.to_methods()


@pytest.mark.parametrize("calibrated", [False, True])
def test_a_release_in_python_becomes_a_receipt_that_verifies(calibrated: bool) -> None:
    space = dc.PosteriorSpace(prior=[1, 1], n=20)
    made = dc.calibrate("exponential-global", space, epsilon=1) if calibrated else dc.Geometric(space, epsilon=1)
    receipt = made.release([12, 8]).receipt(categories=["yes", "no"], title="A vote")
    assert dc.Receipt.from_json(receipt.to_json()).verify().bound <= 1
    assert (receipt.document["title"], receipt.document["categories"]) == ("A vote", ["yes", "no"])
    with pytest.raises(InvalidInput):
        made.release([12, 8]).receipt(categories=["yes", "yes"])


def test_labels_reach_arviz_in_their_order() -> None:
    posterior = dc.Geometric(dc.PosteriorSpace(prior=[1] * 4, n=400), epsilon=5).release([10, 90, 100, 200])
    belief = dc.Belief.of(posterior.noise_aware(), {"arm": ["new", "old"], "cured": ["yes", "no"]})
    theta = belief.among(["no", "yes"]).to_arviz(400, seed=1).posterior["theta"]
    assert theta.sel(arm="old", cured="no").mean() == pytest.approx(0.5, abs=0.06)
