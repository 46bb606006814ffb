"""What a receipt is exported as: the registry's record, linked data and Markdown say what the receipt says."""

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

import discreet as dc
from discreet.receipts import Bundle, Receipt, TableReceipt
from discreet.receipts.exports import export
from discreet.requests.run import release_counts
from tests.cli.command import assert_refused, typed

WRITTEN = Path(__file__).parent / "written"

SECTIONS = {
    "basic": "name data_curators intended_use data_product_type data_product_region description publication_date "
    "data_product_sector",
    "dp_variant": "variant_name data_domain unprotected_quantities",
    "privacy_loss": "privacy_unit privacy_unit_details privacy_parameters privacy_parameters_details",
    "deployment_model": "model_name model_name_details actors release_type release_type_details data_source_type "
    "data_source_type_details access_type access_type_details",
    "accounting": "post_processing composition",
    "implementation": "preprocessing_and_hyperparameter_tuning mechanisms justification",
    "administrative": "sources notes registry_authors",
}
"""The fields that the registry's schema has (opendp/deployments-registry-data, July 2026); it refuses any other."""

NEEDED = set(SECTIONS["basic"].split()) - {"data_product_sector"}


def voted(**more: Any) -> Receipt:
    return release_counts([60, 40], epsilon="1/3", categories=["yes", "no"], title="A vote", **more)


def bundle() -> Bundle:
    answers = dc.Question("vote", ["a", "b"], by="sex", groups=["f", "m"])
    rows = {"vote": ["a", "b"] * 10, "sex": ["f", "m"] * 10}
    pandas = pytest.importorskip("pandas")
    return dc.release_columns(pandas.DataFrame(rows), [answers, dc.Question("sex", ["f", "m"])], epsilon=1, ledger=None)


def crossed(**more: Any) -> TableReceipt:
    rows = pytest.importorskip("pandas").DataFrame({"vote": ["a", "b"] * 10, "sex": ["f", "m"] * 10})
    receipt = dc.release(rows, cross={"sex": ["f", "m"], "vote": ["a", "b"]}, epsilon=1, ledger=None, **more)
    assert isinstance(receipt, TableReceipt)
    return receipt


def written() -> list[Receipt | Bundle]:
    """One of every schema that was ever written."""
    return [Receipt.read(path) for path in sorted(WRITTEN.glob("*.json")) if "parts" not in path.read_text("utf-8")]


@pytest.mark.parametrize(
    "receipt", [voted(), bundle(), crossed(), crossed(adjacency="add-remove"), *written()], ids=repr
)
def test_the_registrys_record_has_its_fields_and_no_other(receipt: Receipt | Bundle) -> None:
    record = yaml.safe_load(export(receipt, "registry"))
    assert set(record) == {"url_slug", "status", "tier", "deployment"}
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", record["url_slug"])
    assert set(record["deployment"]) == set(SECTIONS)
    for name, fields in record["deployment"].items():
        assert set(fields) <= set(SECTIONS[name].split())
        assert all(value != "" for key, value in fields.items() if key != "notes")
    assert set(record["deployment"]["basic"]) >= NEEDED


def test_the_registrys_record_says_what_the_receipt_says_and_names_what_it_cannot_know() -> None:
    receipt = voted()
    record = yaml.safe_load(export(receipt, "registry"))["deployment"]
    assert record["basic"]["name"] == "A vote"
    assert record["basic"]["publication_date"] == receipt.document["released_at"][:10]
    assert record["privacy_loss"]["privacy_parameters"] == {"epsilon": receipt.document["epsilon"]}
    assert record["dp_variant"]["variant_name"] == "Pure DP"
    assert receipt.document["certificate"]["digest"][:16] in record["privacy_loss"]["privacy_parameters_details"]
    blanks = re.findall(r"\[(\w+): ", export(receipt, "registry"))
    assert set(blanks) == {
        "actors", "data_curators", "data_product_region", "intended_use", "justification", "registry_authors",
        "release_type_details", "sources",
    }  # fmt: skip


def test_a_label_with_a_comma_is_one_label_wherever_labels_stand_in_a_row() -> None:
    receipt = release_counts([30, 20], epsilon=1, categories=["red", "green, blue"])
    row = 'red, "green, blue"'
    assert f"counts in {row}." in yaml.safe_load(export(receipt, "registry"))["deployment"]["dp_variant"]["data_domain"]
    assert f"of category: {row}>" in repr(receipt.belief)
    with pytest.raises(dc.InvalidInput, match=f"there are category: {row}"):
        receipt.belief["blue"]


def test_linked_data_has_the_shares_and_the_digest_of_the_file(tmp_path: Path) -> None:
    receipt = voted()
    path = tmp_path / "r.json"
    path.write_text(f"{receipt.to_json()}\n", encoding="utf-8")
    document = json.loads(export(receipt, "jsonld"))
    assert document["distribution"][0]["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
    [records] = document["recordSet"]
    assert [row["shares-1/category"] for row in records["data"]] == ["yes", "no"]
    assert records["data"][0]["shares-1/low"] == receipt.document["interval"]["yes"][0]
    declared = {field["@id"] for field in records["field"]}
    assert {key for row in records["data"] for key in row} == declared
    assert document["prov:wasGeneratedBy"]["prov:wasAssociatedWith"]["name"] == "discreet"
    words = set(re.findall(r'"(\w+):\w+', json.dumps(document))) - {"http", "https"}
    assert words <= set(document["@context"])


def test_markdown_shows_names_and_does_not_obey_them() -> None:
    receipt = release_counts([6, 4], epsilon=1, categories=["a|b", "<b>*"], title="# big [x](y)")
    text = export(receipt, "methods")
    assert text.startswith("## \\# big \\[x\\](y)\n")
    assert "| a\\|b | " in text
    assert "| \\<b>\\* | " in text
    assert receipt.document["citation"].partition(".")[2] in text


def test_every_group_is_in_the_records() -> None:
    document = json.loads(export(bundle(), "jsonld"))
    assert [len(records["data"]) for records in document["recordSet"]] == [4, 2]
    assert {row["shares-1/group"] for row in document["recordSet"][0]["data"]} == {"f", "m"}
    assert "| group | category | mean |" in export(bundle(), "methods")


def test_every_column_of_a_cross_table_is_in_the_records() -> None:
    receipt = crossed(missing="blank")
    [records] = json.loads(export(receipt, "jsonld"))["recordSet"]
    assert [(row["shares-1/column"], row["shares-1/category"]) for row in records["data"]] == [
        (column, label) for column in ("sex", "vote") for label in receipt.axes[column]
    ]
    assert records["data"][0]["shares-1/mean"] == receipt.document["belief"]["sex"]["f"]["mean"]
    text = export(receipt, "methods")
    assert "| column | category | mean |" in text
    assert "in one draw" in text
    record = yaml.safe_load(export(receipt, "registry"))["deployment"]
    assert "sex in f, m, blank × vote in a, b, blank" in record["dp_variant"]["data_domain"]
    assert "Missing values count as “blank”" in record["implementation"]["preprocessing_and_hyperparameter_tuning"]
    assert (
        "number of records" not in export(crossed(adjacency="add-remove"), "registry").partition("unprotected")[2][:99]
    )


def test_the_command_exports(tmp_path: Path) -> None:
    (tmp_path / "r.json").write_text(voted().to_json(), encoding="utf-8")
    printed = typed("receipt export r.json --format registry", cwd=tmp_path)
    assert (printed.code, printed.err) == (0, "")
    answer = typed("receipt export r.json --format registry --out r.yaml", cwd=tmp_path)
    assert answer.out == "written: r.yaml\n"
    assert (tmp_path / "r.yaml").read_text(encoding="utf-8") == printed.out
    assert_refused(typed("receipt export r.json --format word", cwd=tmp_path))
    assert_refused(typed("receipt export none.json --format methods", cwd=tmp_path))


def test_what_was_not_drawn_or_is_not_private_is_not_exported(tmp_path: Path) -> None:
    space = dc.PosteriorSpace(prior=[1, 1], n=20)
    published = dc.ExponentialLocal.as_published(space, epsilon=1).release([5, 15], accept_no_guarantee=True)
    with pytest.raises(dc.NotPrivate, match="no guarantee"):
        export(published.receipt(), "registry")
    preview = typed("release --counts 6,4 --epsilon 1 --no-ledger --dry-run --json", cwd=tmp_path)
    (tmp_path / "preview.json").write_text(preview.out, encoding="utf-8")
    assert_refused(typed("receipt export preview.json --format methods", cwd=tmp_path))


def test_a_record_of_rates_says_that_exposures_are_public(tmp_path: Path) -> None:
    (tmp_path / "deaths.csv").write_text("region\n" + "north\n" * 30 + "south\n" * 10, encoding="utf-8")
    line = "release deaths.csv --adjacency add-remove --rates --by region --groups north,south --epsilon 1 --no-ledger"
    assert typed(f"{line} --exposure north=9000,south=8000 --yes --out d.json", cwd=tmp_path).code == 0
    record = yaml.safe_load(typed("receipt export d.json --format registry", cwd=tmp_path).out)["deployment"]
    assert "the exposures" in record["dp_variant"]["unprotected_quantities"]
    assert "number of records" not in record["dp_variant"]["unprotected_quantities"]
