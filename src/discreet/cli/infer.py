"""`discreet infer`: what the reader of a receipt may believe, from the receipt alone."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from discreet.cli.app import in_groups
from discreet.cli.margins import LEVEL, margin_document, print_margins, read_margins
from discreet.cli.noisy_tables import NoisyOptions, print_noisy, read_noisy_table, tell_contradictions
from discreet.cli.outputs import (
    busy,
    percent_range,
    print_answer,
    print_beliefs,
    print_table,
    rate_range,
    reserve_picture,
    say,
)
from discreet.errors import InvalidInput
from discreet.figures.releases import picture
from discreet.inference.quantities import Quantity
from discreet.receipts import (
    Bundle,
    ReaderBelief,
    Receipt,
    TableReceipt,
    labelled,
    parts_of,
    read_beliefs,
    read_receipt,
    verify_any,
)
from discreet.receipts.words import per_words, records_words, total_words
from discreet.requests.texts import each, only

EXAMPLE = "Example: discreet infer receipt.json --plot belief.png"


@in_groups
def infer(
    *,
    file: Annotated[Path | None, typer.Argument(help="The receipt, as discreet release wrote it.")] = None,
    prior: Annotated[
        list[str] | None,
        typer.Option(help="Your own prior, like 1,1,1, instead of the release's; for all columns, or for each."),
    ] = None,
    records: Annotated[
        str | None,
        typer.Option(help="Where n is private, what you hold likely of it: 800,1200 (a range) or mean=1000."),
    ] = None,
    ordinal: Annotated[
        bool, typer.Option("--ordinal", help="The categories have an order: mean score (1, 2, …), median, cumulative.")
    ] = False,
    margin: Annotated[
        list[str] | None,
        typer.Option(help="Of a table of several columns: the columns to show, like region,vote; may be repeated."),
    ] = None,
    given: Annotated[
        str | None, typer.Option(help='Only the shares among these cells, like region=north or region="east, coast".')
    ] = None,
    table: NoisyOptions,
    plot: Annotated[Path | None, typer.Option(help="Paint both posteriors: .png, .svg or .pdf.")] = None,
    thorough: Annotated[bool, typer.Option("--thorough", help="Weigh all even if it takes minutes.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """What a reader may believe: the exact posterior given the release, with the privacy noise in it."""
    if (file is None) == (table.noisy is None):
        raise InvalidInput("name a receipt, or a table by --noisy", hint="one of them")
    if plot is not None and plot.resolve() == (file or table.noisy or plot).resolve():
        raise InvalidInput("--plot names what is read", hint="give the picture its own file")
    table.require_consistent()
    if table.noisy is not None:
        if records is not None:
            raise InvalidInput("--records is for receipts whose n is private", hint="state a --total, or leave it out")
        _require_shares(None, ordinal=ordinal)
        with reserve_picture(plot) as write, busy("weighing the tables"):
            noisy = read_noisy_table(table, only(prior, "--prior", "a table has one"), thorough=thorough)
            margins = read_margins(noisy.belief, margin, given)
            document = noisy.to_json(margins)
            write(lambda: noisy.picture(margins))
        print_answer(document, print_noisy, as_json=as_json, written=[plot])
        return
    assert file is not None, "there is a receipt or a table"
    receipt = read_receipt(file)
    _require_shares(receipt, ordinal=ordinal)
    if isinstance(receipt, TableReceipt):
        _infer_table(receipt, prior, records, margin, given, plot, thorough=thorough, as_json=as_json)
        return
    if margin or given is not None:
        raise InvalidInput("the receipt is of one column", hint="leave --margin and --given out")
    priors = _read_priors(receipt, prior)
    with tell_contradictions("--records"), reserve_picture(plot) as write, busy("weighing the data sets"):
        verify_any(receipt, thorough=thorough)
        beliefs = read_beliefs(receipt, priors, records=records, thorough=thorough)
        parts = [belief.to_json() | ({"ordinal": _ordinal_document(belief)} if ordinal else {}) for belief in beliefs]
        write(lambda: picture(receipt, beliefs))
    document = {"columns": parts} if isinstance(receipt, Bundle) else parts[0]
    print_answer(document, partial(_print, unit=receipt.document["unit"]), as_json=as_json, written=[plot])


def _require_shares(receipt: Receipt | Bundle | None, *, ordinal: bool) -> None:
    """An order is of the categories of a column: neither of cells, nor of regions with their rates."""
    parts = () if receipt is None else parts_of(receipt)
    shares = [not isinstance(part, TableReceipt) and part.document.get("rates") is None for part in parts]
    if ordinal and not (shares and all(shares)):
        raise InvalidInput("--ordinal is for receipts of shares of a column", hint="leave it out")


def _infer_table(
    receipt: TableReceipt,
    prior: list[str] | None,
    records: str | None,
    margin: list[str] | None,
    given: str | None,
    plot: Path | None,
    *,
    thorough: bool,
    as_json: bool,
) -> None:
    """Margins and conditionals of a cross table."""
    with tell_contradictions("--records"), reserve_picture(plot) as write, busy("weighing the data sets"):
        verify_any(receipt, thorough=thorough)
        whole = labelled(receipt, prior=only(prior, "--prior", "a table has one"), records=records)
        margins = read_margins(whole, margin, given)
        document = {
            "margins": [margin_document(belief) for belief in margins],
            "level": LEVEL,
            "error": max(belief.error for belief in margins),
            "method": whole.posterior.method,
            "noise": whole.noise,
            "epsilon_exact": receipt.document["epsilon_exact"],
            **({} if receipt.n is None else {"n": receipt.n}),
        }
        write(lambda: picture(receipt, margins=margins))
    print_answer(document, _print_margins, as_json=as_json, written=[plot])


def _print_margins(document: dict[str, Any]) -> None:
    print_margins(document["margins"], document["noise"])
    say(f"exact up to {document['error']:.1g} in any probability, by {document['method']}")


def _read_priors(receipt: Receipt | Bundle, texts: list[str] | None) -> list[str | None] | str | None:
    """The reader's own prior, or of several columns that of each, where an empty one is the release's."""
    if not texts:
        return None
    if isinstance(receipt, Bundle):
        return [text or None for text in each(texts, len(receipt.columns), "--prior")]
    return only(texts, "--prior", "a receipt of one column has one")


def _ordinal_document(belief: ReaderBelief) -> dict[str, Any]:
    """What the order of the categories lets be asked: of all, or within each group."""
    whole = labelled(belief.receipt, prior=belief.prior, records=belief.records)
    groups = {group: whole.group(group) for group in belief.receipt.groups} or {"": whole}
    documents = {
        group: {
            "score": _quantity_document(part.score()),
            "median": {label: float(chance) for label, chance in part.median_category().items()},
            "cumulative": {label: _quantity_document(share) for label, share in part.cumulative().items()},
        }
        for group, part in groups.items()
    }
    return documents if belief.receipt.groups else documents[""]


def _quantity_document(quantity: Quantity) -> dict[str, Any]:
    return {"mean": quantity.mean, "interval": list(quantity.interval())}


def _print_ordinal(document: dict[str, Any], where: str) -> None:
    score, median = document["score"], document["median"]
    likely = max(median, key=median.__getitem__)
    low, high = score["interval"]
    say(
        f"mean score{where} (1 for the first category): {score['mean']:.2f}, 95 % interval {low:.2f} to {high:.2f}",
        f"median category{where}: {likely!r} with probability {median[likely]:.3f}",
        *(
            f"up to {label!r}{where}: {100 * share['mean']:.2f} %, {percent_range(share['interval'])}"
            for label, share in document["cumulative"].items()
        ),
    )


def _print_rates(rates: dict[str, Any]) -> None:
    numbers = ("rate", "sd", "95 % interval\nnoise included", "95 % interval\nat face value")
    rows = [
        [
            group,
            f"{row['mean']:.4g}",
            f"{row['sd']:.4g}",
            rate_range(row["interval"]),
            rate_range(row["interval_plug_in"]),
        ]
        for group, row in rates["groups"].items()
    ]
    columns = {"group": "left", **dict.fromkeys(numbers, "right")}
    print_table(
        f"what a reader may believe, records {per_words({'rates': rates})}", columns, rows, unbroken=numbers[2:]
    )
    say("prior of each rate: Gamma with shape {:g} and rate {:g}".format(*rates["prior"]))


def _print(document: dict[str, Any], *, unit: str) -> None:
    for part in ({**part, "unit": unit} for part in document.get("columns", [document])):
        title = "what a reader may believe"
        title += ", shares within each group" if "groups" in part else ""
        title += f", column {part['column']!r}" if "column" in part else ""
        if "rates" in part:
            _print_rates(part["rates"])
            continue
        print_beliefs(title, part["noise_aware"], "groups" in part)
        prior = ", ".join(f"{parameter:g}" for parameter in part["prior"])
        say(
            f"prior: {prior}; {part['mechanism']}, ε = {part['epsilon_exact']}, {records_words(part)}",
            *total_words(part),
            f"exact up to {part['error']:.1g} in any probability, by {part['method']}",
        )
        if "ordinal" in part:
            within = part["ordinal"] if "groups" in part else {"": part["ordinal"]}
            for group, ordinal in within.items():
                _print_ordinal(ordinal, f" in {group}" if group else "")
