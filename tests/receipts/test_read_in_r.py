"""examples/read_receipt.R: base R and jsonlite agree with the library about a receipt."""

import hashlib
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import discreet as dc
from discreet.receipts import Receipt
from discreet.requests.run import release_counts
from tests.contracts.source import ROOT

WRITTEN = Path(__file__).parent / "written"
SCRIPT = ROOT / "examples" / "read_receipt.R"


def in_r(*words: object) -> subprocess.CompletedProcess[str]:
    """What Rscript answers."""
    if shutil.which("Rscript") is None:
        pytest.skip("R is not installed")
    command = ["Rscript", "--vanilla", *map(str, words)]
    environment = {**os.environ, "LC_ALL": "C.UTF-8"}
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", env=environment, check=False)
    if "there is no package called" in done.stderr:
        pytest.skip("R has no jsonlite")
    return done


def two_categories() -> dict[str, Receipt]:
    """Geometric releases: of a vote, with a prior below one, and of a million million records."""
    vote = release_counts([551, 393], epsilon="1/2", categories=["Clinton", "Dolé “B.”"], title="Vote")
    return {
        "vote": vote,
        **{name: Receipt.read(WRITTEN / f"{name}.json") for name in ("geometric-free", "many-records")},
    }


@pytest.mark.few(1)
@pytest.mark.parametrize("name", two_categories())
def test_r_finds_the_digest_right_and_the_interval_to_a_millionth(name: str, tmp_path: Path) -> None:
    receipt = two_categories()[name]
    path = tmp_path / "r.json"
    path.write_text(receipt.to_json(), encoding="utf-8")
    done = in_r(SCRIPT, path)
    assert done.returncode == 0, done.stderr
    first, *rows = done.stdout.splitlines()
    assert receipt.document["certificate"]["digest"] in first
    assert [row.split("\t")[0] for row in rows] == list(receipt.categories)
    low, high = receipt.interval()
    for i, row in enumerate(rows):
        mean, *ends = map(float, row.split("\t")[1:])
        assert mean == pytest.approx(receipt.mean[i], abs=1e-6)
        assert ends == pytest.approx([low[i], high[i]], abs=1e-6)


def test_r_refuses_a_certificate_that_was_changed(tmp_path: Path) -> None:
    document = json.loads(two_categories()["vote"].to_json())
    document["certificate"]["loss"] = "1/4"
    path = tmp_path / "r.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    done = in_r(SCRIPT, path)
    assert done.returncode != 0
    assert "its digest does not fit" in done.stderr


def test_the_page_shows_what_r_prints() -> None:
    page = (ROOT / "docs" / "r.md").read_text(encoding="utf-8")
    shown = re.search(
        r"^Rscript examples/read_receipt.R (\S+)\n```.*?```text\n(.*?)```", page, re.MULTILINE | re.DOTALL
    )
    assert shown is not None
    lines = [line.rstrip() for line in in_r(SCRIPT, ROOT / shown[1]).stdout.splitlines()]
    assert lines == shown[2].splitlines()


def test_r_says_which_releases_it_does_not_read(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    hidden = dc.Geometric(dc.PosteriorSpace(prior=[1, 1], n=None), epsilon=1).release([60, 40])
    path.write_text(hidden.receipt(["yes", "no"]).to_json(), encoding="utf-8")
    done = in_r(SCRIPT, path)
    assert "digest holds" in done.stdout
    assert "not a geometric release of two categories with public n" in done.stderr


def test_sha256_in_plain_r_is_sha256() -> None:
    texts = ["", "abc", "é€😀", *("a" * length for length in (55, 56, 63, 64, 65, 1000))]
    listed = ", ".join(json.dumps(text, ensure_ascii=False) for text in texts)
    done = in_r("-e", f'source("{SCRIPT}"); for (text in c({listed})) cat(sha256(text), "\\n")')
    assert done.stdout.split() == [hashlib.sha256(text.encode()).hexdigest() for text in texts], done.stderr
