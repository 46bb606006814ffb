"""`discreet release --cross`: from a file to a receipt of all cells, and from there to margins."""

import json
from pathlib import Path

import pytest

import discreet as dc
from discreet.figures.releases import picture
from tests.cli.command import assert_painted, assert_refused, told, typed

pytestmark = pytest.mark.usefixtures("place")

ASKED = "release s.csv --cross sex=f,m --cross 'region=north, south' --cross vote=yes,no --epsilon 1"


@pytest.fixture(autouse=True)
def _survey(place: Path) -> None:
    rows = [f"{'fm'[i % 2]},{('north', 'south')[i % 3 > 1]},{('yes', 'no')[i % 5 > 2]}" for i in range(300)]
    Path("s.csv").write_text("\n".join(["sex,region,vote", *rows, ""]), encoding="utf-8")


def test_a_table_is_released_shown_verified_and_read_by_margins(place: Path) -> None:
    answer = typed(f"{ASKED} --no-ledger --out t.json --plot t.png")
    assert (answer.code, answer.err) == (0, "")
    assert "shares of region" in answer.out
    assert "8 cells of “sex” × “region” × “vote”" in answer.out
    assert_painted(place / "t.png")
    receipt = dc.Receipt.read("t.json")
    assert typed("receipt verify t.json").code == 0
    assert "cell of “sex” × “region” × “vote”" in typed("receipt show t.json").out
    [margin] = told("infer t.json --margin region,vote --given sex=f")["margins"]
    belief = receipt.belief.given(sex="f").margin("region", "vote")
    for row in margin["cells"]:
        share = belief[row["labels"]["region"], row["labels"]["vote"]]
        assert row["mean"] == pytest.approx(share.mean, abs=1e-12)
    assert [each["of"] for each in told("infer t.json")["margins"]] == [["sex"], ["region"], ["vote"]]
    assert typed("infer t.json --margin sex,vote --plot m.svg").code == 0
    assert_painted(place / "m.svg")
    for margins in ([], [belief]):
        assert picture(receipt, margins=margins).get_suptitle() == "Cross table, ε = 1, n = 300"


def test_what_a_reader_holds_likely_of_n_is_used_for_a_table_too() -> None:
    assert typed(f"{ASKED} --adjacency add-remove --no-ledger --out t.json").code == 0
    belief = dc.noise_aware(dc.Receipt.read("t.json").mechanism, dc.Receipt.read("t.json").output, records=(280, 290))
    mean = told("infer t.json --records 280,290 --margin vote")["margins"][0]["cells"][0]["mean"]
    assert mean == pytest.approx(belief.mean[::2].sum(), abs=1e-9)


def test_a_ledger_is_charged_once_and_a_private_n_stays_private() -> None:
    assert typed("ledger create cross.db --dataset d --epsilon 3").code == 0
    first = told(f"{ASKED} --ledger cross.db --dataset d --request-id r --yes")
    assert told(f"{ASKED} --ledger cross.db --dataset d --request-id r --yes") == first
    assert json.loads(typed("ledger show cross.db --json").out)["datasets"][0]["spent"]["epsilon"] == "1"
    private = told(f"{ASKED} --no-ledger --adjacency add-remove --impossible sex=m,region=south")
    assert "n" not in private
    assert "about to release" in typed(f"{ASKED} --n 300 --no-ledger --dry-run").out


@pytest.mark.parametrize(
    "line",
    [
        "release s.csv --cross sex=f,m --epsilon 1 --no-ledger",
        "release s.csv --cross sex --cross vote=yes,no --epsilon 1 --no-ledger",
        "release s.csv --cross sex=f,m --cross sex=f,m --epsilon 1 --no-ledger",
        f"{ASKED} --no-ledger --column sex --categories f,m",
        f"{ASKED} --no-ledger --by sex --groups f,m",
        f"{ASKED} --no-ledger --impossible sex=m",
        f"{ASKED} --no-ledger --impossible sex=m,age=3",
        f"{ASKED} --no-ledger --mechanism laplace",
        f"{ASKED} --no-ledger --epsilon 2",
        "release s.csv --impossible sex=m,region=south --column sex --categories f,m --epsilon 1 --no-ledger",
    ],
)
def test_what_cannot_be_asked_is_refused(line: str) -> None:
    assert_refused(typed(line))


def test_records_in_an_impossible_cell_stop_it_in_words_without_data() -> None:
    answer = typed(f"{ASKED} --no-ledger --json --impossible sex=m,region=south")
    assert answer.code == 2
    assert "impossible cell has records" in answer.out + answer.err
