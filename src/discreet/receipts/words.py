"""What a receipt says in words: its question, how to cite it, and a paragraph for a methods section.

Question and citation are fields of the receipt, built from its other fields: whoever verifies builds them anew, so
these two keep their wording for as long as the schema has its version.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import chain
from typing import Any

from discreet.arithmetic.words import exact_text

NOISE_INCLUDED = "noise-aware, privacy noise included"
UNIT_ROW = "one row"
UNIT_PERSON = "one person, all rows with the same id"


def plain(number: Fraction) -> int | float | str:
    """A number that JSON readers get back exactly by the library's rule for floats, or its text if there is none.

    >>> plain(Fraction(3)), plain(Fraction(1, 10)), plain(Fraction(1, 3))
    (3, 0.1, '1/3')
    """
    if number.denominator == 1:
        return number.numerator
    nearest = float(number)
    return nearest if Fraction(repr(nearest)) == number else str(number)


def question(document: dict[str, Any]) -> str:
    """What was asked, as a sentence.

    >>> print(question({"column": "vote", "by": "sex", "unit": UNIT_ROW}))
    What share of the records has each category of “vote”, within each group of “sex”?
    >>> print(question({"axes": [{"column": "sex"}, {"column": "vote"}], "unit": UNIT_ROW}))
    What share of the records is in each cell of “sex” × “vote”?
    """
    whose = counted(document) + _filter_words(document)
    if "axes" in document:
        return f"What share of the {whose} is in each cell of {_axes(document)}?"
    if document.get("rates"):
        return f"How many {whose} are there {per_words(document)}, in each group of “{document['column']}”?"
    of = "" if document["column"] is None else f" of “{document['column']}”"
    within = "" if document["by"] is None else f", within each group of “{document['by']}”"
    return f"What share of the {whose} has each category{of}{within}?"


def counted(document: dict[str, Any]) -> str:
    """What n is the number of: with an id column people."""
    return "people" if document.get("unit") == UNIT_PERSON else "records"


def citation(document: dict[str, Any]) -> str | None:
    """How a release is cited; None before it is drawn, and for what is not private."""
    if document["released_at"] is None or not is_private(document):
        return None
    request = "" if document["request_id"] is None else f", request {document['request_id']}"
    return (
        f"{document['title'] or _default_title(document)}. "
        f"{'' if document['source_name'] is None else document['source_name'] + '. '}"
        f"Differentially private release of {document['released_at'][:10]}, {_price(document)}, "
        f"{size_words(document)}, by discreet {document['version']}{request}."
    )


def _default_title(document: dict[str, Any]) -> str:
    if "axes" in document:
        return f"Table of {_axes(document)}"
    columns = [f"“{name}”" for name in document.get("columns", [document.get("column")]) if name is not None]
    by = f" by “{document['by']}”" if document.get("by") is not None else ""
    what = "Rates by" if document.get("rates") else "Shares of"
    return (f"{what} {', '.join(columns)}" if columns else "Category shares") + by


def _table_methods(document: dict[str, Any]) -> str:
    """A paragraph that says how a cross table was released; public values only."""
    cells, parameters = len(document["output"] or ()), document["prior"]
    prior = "a parameter for each cell" if isinstance(parameters, list) else f"parameter {parameters} for each cell"
    left_out = " Cells that cannot occur by definition were left out." if document["impossible"] else ""
    sentences = [
        *selection(document),
        "The shares of each column are reported as posterior means with equal-tailed 95 % intervals "
        f"({document['interval_kind']}).{_total(document)}",
        treatment(document),
        f"Certificate {_digests(document)}.",
        *_charge_words(document),
    ]
    return (
        f"The shares of {cells:,} cells of {_axes(document)} ({size_words(document)}, Dirichlet prior with {prior}) "
        f"were released in one draw with the {document['mechanism']['name']} mechanism of discreet "
        f"{document['version']}, which satisfies ε-differential privacy with {_price(document)} "
        f"when {changed(document)}.{left_out} {' '.join(sentences)}"
    )


def _axes(document: dict[str, Any]) -> str:
    return " × ".join(f"“{axis['column']}”" for axis in document["axes"])


def treatment(document: dict[str, Any]) -> str:
    """What became of values outside the categories. Receipts of the first schema, which are not dated, do not say.

    >>> document = {"released_at": "2030-01-01T00:00:00+00:00", "column": "vote", "other": "rest", "missing": None}
    >>> print(treatment(document))
    Missing values and values outside the categories count as “rest”.
    """
    other, missing = document["other"], document["missing"]
    if document["released_at"] is None:
        return "The receipt does not say how missing and other values were treated."
    if "axes" not in document and document["column"] is None:
        return "The counts were given as they are."
    if "n" not in document and other is None:
        blanks = "" if missing is None else f"Missing values count as “{missing}”. "
        return f"{blanks}Records outside the categories were not counted."
    if missing is None and other is None:
        return "Every value was declared to be one of the categories, and none to be missing."
    if missing is None:
        return f"Missing values and values outside the categories count as “{other}”."
    rest = "all others were declared to be one of the categories" if other is None else f"others outside as “{other}”"
    return f"Missing values count as “{missing}”, {rest}."


def methods(document: dict[str, Any]) -> str:
    """A paragraph that says how a release was made, ready to paste; public values only."""
    if "axes" in document:
        return _table_methods(document)
    parts = document.get("parts", [document])
    sentences = [sentence for part in parts for sentence in _release_sentences(part)]
    if "parts" in document:
        sentences.insert(0, f"In one request, {len(parts)} columns were released, with {_price(document)} in all.")
    return " ".join([*sentences, *_charge_words(document)])


def _charge_words(document: dict[str, Any]) -> list[str]:
    """Which budget was charged, and how to cite the release."""
    charge = "No privacy budget was charged."
    if document["dataset"] is not None:
        charge = f"The privacy budget of “{document['dataset']}” was charged (request {document['request_id']})."
    return [charge] if document["citation"] is None else [charge, f"Cite as: {document['citation']}"]


def per_words(document: dict[str, Any]) -> str:
    """What a rate is told for.

    >>> per_words({"rates": {"per": 100000}})
    'per 100,000 of exposure'
    """
    per = Fraction(str(document["rates"]["per"]))
    return f"per {per.numerator:,} of exposure" if per.denominator == 1 else f"per {exact_text(per)} of exposure"


def _release_sentences(document: dict[str, Any]) -> list[str]:
    if document.get("rates"):
        return _rate_sentences(document)
    priors, groups, column = document["prior"], document["groups"], document["column"]
    prior = ", ".join(map(str, priors if groups is None else chain.from_iterable(priors.values())))
    shares = f"The shares of {len(document['categories'])} categories" + ("" if column is None else f" of “{column}”")
    if groups is not None:
        public = "" if document["group_sizes"] is None else ", whose members are declared public,"
        shares += f" within {len(groups)} groups of “{document['by']}”{public}"
    error = (document["accuracy"] or {}).get("mean")
    expected = f" The expected Hellinger distance to the true posterior is {error:.3f}." if error else ""
    return [
        f"{shares} ({size_words(document)}, Dirichlet prior with parameters {prior}) {_by_mechanism(document)}",
        *selection(document),
        f"They are reported as posterior means with equal-tailed 95 % intervals ({document['interval_kind']}), "
        f"which are {widths(document)} wide.{expected}{_total(document)}",
        treatment(document),
        f"Certificate {_digests(document)}.",
    ]


def _by_mechanism(document: dict[str, Any]) -> str:
    return (
        f"were released with the {document['mechanism']['name']} mechanism of discreet {document['version']}, which "
        f"satisfies {'(ε, δ)' if document['delta'] else 'ε'}-differential privacy with {_price(document)} "
        f"when {changed(document)}."
    )


def _rate_sentences(document: dict[str, Any]) -> list[str]:
    shape, rate = document["rates"]["prior"]
    return [
        f"The numbers of records {per_words(document)} in {len(document['categories'])} groups of "
        f"“{document['column']}” ({size_words(document)}, Gamma prior with shape {shape} and rate {rate}, public "
        f"exposures) {_by_mechanism(document)}",
        *selection(document),
        f"Rates are reported as posterior means with equal-tailed 95 % intervals ({NOISE_INCLUDED}), which are "
        f"{widths(document)} wide.",
        treatment(document),
        f"Certificate {_digests(document)}.",
    ]


def _digests(document: dict[str, Any]) -> str:
    return ", ".join(certificate["digest"][:16] for certificate in certificates(document))


def widths(document: dict[str, Any]) -> str:
    """How wide the intervals are, in percentage points, or in the unit of rates.

    >>> widths({"groups": None, "interval": {"yes": [0.5, 0.5625], "no": [0.40625, 0.5]}})
    'at most 9.38 points'
    """
    if document.get("rates"):
        ends = [row["interval"] for row in (document["rates"]["belief"] or {}).values()]
        return f"at most {max(high - low for low, high in ends):.3g}" if ends else "not known"
    rows = [document["interval"]] if document["groups"] is None else document["interval"].values()
    widths = [100 * (ends[1] - ends[0]) for row in rows for ends in row.values() if ends is not None]
    return f"at most {max(widths):.3g} points" if widths else "not known"


def _total(document: dict[str, Any]) -> str:
    return "".join(f" {sentence[0].upper()}{sentence[1:]}." for sentence in total_words(document))


def _price(document: dict[str, Any]) -> str:
    also = f", δ = {document['delta']:g}" if document["delta"] else ""
    return f"ε = {exact_text(Fraction(document['epsilon_exact']))}{also}"


def size_words(document: dict[str, Any]) -> str:
    """What a receipt says of the number of records.

    >>> size_words({"n": 1000}), size_words({})
    ('n = 1,000', 'n private')
    """
    return f"n = {document['n']:,}" if "n" in document else "n private"


def records_words(document: dict[str, Any]) -> str:
    """The same in a sentence."""
    whose = counted(document)
    return f"on n = {document['n']:,} {whose}" if "n" in document else f"on a private number of {whose}"


def total_words(document: dict[str, Any]) -> list[str]:
    """What may be believed of a private number of records, if that is known.

    >>> print(*total_words({"total": {"mean": 97.96, "interval": [94.0, 102.0]}}))
    records in the categories: 98, 95 % interval 94 to 102
    """
    if not document.get("total"):
        return []
    (low, high), mean = document["total"]["interval"], document["total"]["mean"]
    return [f"{counted(document)} in the categories: {mean:,.0f}, 95 % interval {low:,.0f} to {high:,.0f}"]


def selection(document: dict[str, Any]) -> list[str]:
    """Which records were looked at, if not all.

    >>> print(*selection({"filters": {"region": ["north", "south"], "year": ["2024"]}}))
    Only records with “region” north or south and “year” 2024 were counted.
    """
    words = _filter_words(document)
    return [f"Only records{words} were counted."] if words else []


def _filter_words(document: dict[str, Any]) -> str:
    filters = sorted(document.get("filters", {}).items())
    words = " and ".join(f"“{column}” {' or '.join(values)}" for column, values in filters)
    return f" with {words}" if words else ""


def replaced(document: dict[str, Any]) -> str:
    """Whose data the neighbours differ in."""
    unit, _, rows = str(document["unit"]).partition(", ")
    whom = f"{unit} ({rows})" if rows else unit
    return f"the answer of {whom}" if document["adjacency"] == "replace-answer" else whom


def changed(document: dict[str, Any]) -> str:
    """What the neighbours differ in, as a clause: one row is replaced, or one is added or removed."""
    if document["adjacency"] == "add-remove":
        return f"{replaced(document)} is added or removed: the number of {counted(document)} is protected too"
    return f"{replaced(document)} is replaced"


def changing(document: dict[str, Any]) -> str:
    """The same as the subject of a sentence."""
    verb = "adding or removing" if document["adjacency"] == "add-remove" else "replacing"
    return f"{verb} {replaced(document)}"


def is_drawn(document: dict[str, Any]) -> bool:
    """Whether something was released: the preview of a release has neither output nor posterior."""
    return all(part.get("posterior", part["output"]) is not None for part in document.get("parts", [document]))


def is_private(document: dict[str, Any]) -> bool:
    """Whether the certified loss is at most the ε that was asked for."""
    return all(
        certificate["loss"] != "inf" and Fraction(certificate["loss"]) <= Fraction(document["epsilon_exact"])
        for certificate in certificates(document)
    )


def certificates(document: dict[str, Any]) -> list[dict[str, Any]]:
    """All certificates: one, or one for each public group, or those of several columns."""
    if "parts" in document:
        return [certificate for part in document["parts"] for certificate in certificates(part)]
    field = document["certificate"]
    return [field] if isinstance(field.get("loss"), str) else [each for each in field.values() if each is not None]
