"""`discreet synthesize`: copies of the data as it might have been, from a receipt alone."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from discreet.arithmetic.numbers import whole
from discreet.cli.outputs import ReservedFile, busy, print_answer, say
from discreet.errors import InvalidInput, require_packages
from discreet.inference import Belief
from discreet.inference.synthetic import synthetic_counts
from discreet.receipts import Bundle, labelled, read_receipt, require_modest, verify_any

EXAMPLE = "Example: discreet synthesize table.json --copies 20 --seed 1 --out copies"

FORMATS = ("csv", "parquet")


def synthesize(
    file: Annotated[Path, typer.Argument(help="The receipt, as discreet release wrote it.")],
    out: Annotated[Path, typer.Option(help="The directory of the copies; it is made if it is missing.")],
    copies: Annotated[str, typer.Option(help="How many; analyses of all of them are combined.")] = "20",
    seed: Annotated[str, typer.Option(help="The same seed makes the same copies.")] = "1",
    format_: Annotated[str, typer.Option("--format", help="csv or parquet.")] = "csv",
    thorough: Annotated[bool, typer.Option("--thorough", help="Weigh all even if it takes minutes.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """Draw synthetic copies of the records from what a reader may believe. One copy is no data: combine several."""
    number = whole(copies, "copies", minimum=2)
    if format_ not in FORMATS:
        raise InvalidInput("the format is csv or parquet", hint="leave --format out for csv", parameter="format_")
    if format_ == "parquet":
        require_packages("Parquet", "workflow", "pyarrow")
    receipt = read_receipt(file)
    if isinstance(receipt, Bundle) or receipt.has_public_groups:
        raise InvalidInput(
            "copies are of one table", hint="release the columns crossed in one table, and give its receipt"
        )
    if out.exists() and not out.is_dir():
        raise InvalidInput(f"{out} is not a directory", hint="name one for --out")
    with busy("drawing copies"):
        if not thorough:
            require_modest([receipt], reading=True)
        verify_any(receipt, thorough=thorough)
        belief = labelled(receipt)
        counts = synthetic_counts(belief, number, seed=seed)
        out.mkdir(parents=True, exist_ok=True)
        names = [f"copy-{i + 1:0{len(str(number))}d}.{format_}" for i in range(number)]
        for name, copy in zip(names, counts, strict=True):
            with ReservedFile(out / name) as file_:
                file_.write(_encode_records(belief, copy, format_))
    document = {"out": str(out), "files": names, "seed": seed, "records": counts.sum(axis=1).tolist()}
    print_answer(document, _print, as_json=as_json)


def _encode_records(belief: Belief, counts: Any, format_: str) -> bytes:
    """One row for each record, cell after cell: their order says nothing."""
    keys = list(belief.cells)
    columns = {
        name: np.repeat(np.array([key[i] for key in keys], dtype=object), counts) for i, name in enumerate(belief.axes)
    }
    if format_ == "parquet":
        import pyarrow
        from pyarrow import parquet

        table = pyarrow.table(
            {name: pyarrow.array(values.tolist(), pyarrow.string()) for name, values in columns.items()}
        )
        content = io.BytesIO()
        parquet.write_table(table, content)
        return content.getvalue()
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*(values.tolist() for values in columns.values()), strict=True))
    return text.getvalue().encode()


def _print(document: dict[str, Any]) -> None:
    files, records = document["files"], document["records"]
    say(
        f"{len(files)} copies in {document['out']}: {files[0]} to {files[-1]}, "
        f"{' to '.join(f'{n:,}' for n in sorted({min(records), max(records)}))} records each, seed {document['seed']}",
        "Analyse every copy alike and combine: dc.combine_synthetic(estimates, variances).",
        "One copy by itself is no data: its intervals are too narrow.",
    )
