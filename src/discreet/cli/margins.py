"""Tables of several columns, margin by margin: what `--margin` and `--given` ask, as a document and for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from discreet.cli.inputs import read_names
from discreet.cli.tables import percent_range, print_table
from discreet.errors import InvalidInput
from discreet.inference import Belief

LEVEL = 0.95


def read_margins(belief: Belief, margins: Sequence[str] | None, given: str | None) -> list[Belief]:
    """The margins that are asked for; without any, each column by itself."""
    within = belief if given is None else belief.given(**read_labels(given, "--given"))
    asked = [read_names(text, "--margin") for text in margins or ()] or [[name] for name in within.axes]
    return [within.margin(*names) for names in asked]


def read_labels(text: str, option: str) -> dict[str, str]:
    """One label for each of some columns: `sex=m,pregnant=yes`."""
    pairs = [name.partition("=") for name in read_names(text, option)]
    if not all(column and equals and label for column, equals, label in pairs):
        raise InvalidInput(f"{option} cannot be read", hint="write it like region=north,sex=f")
    found = {column.strip(): label.strip() for column, _, label in pairs}
    if len(found) < len(pairs):
        raise InvalidInput(f"{option} names a column twice", hint="give one label for each")
    return found


def read_axis(text: str) -> tuple[str, str]:
    """A column of a cross table, and the text of its categories."""
    column, equals, labels = text.partition("=")
    if not column.strip() or not equals:
        raise InvalidInput("--cross cannot be read", hint="write it like --cross sex=f,m", parameter="cross")
    return column.strip(), labels


def margin_document(belief: Belief) -> dict[str, Any]:
    """One margin: what it is of, what it is given, and every cell with its labels."""
    ends = (values.tolist() for values in (belief.mean, belief.sd, *belief.interval(LEVEL)))
    rows = zip(belief.cells, *ends, strict=True)
    return {
        "of": list(belief.axes),
        "given": list(belief.conditions),
        "cells": [
            {"labels": dict(zip(belief.axes, key, strict=True)), "mean": mean, "sd": sd, "interval": [low, high]}
            for key, mean, sd, low, high in rows
        ],
    }


def print_margins(margins: Sequence[dict[str, Any]], noise: str) -> None:
    """A table for each margin."""
    numbers = ("mean", "sd", "95 % interval\nnoise included")
    for margin in margins:
        columns = {**dict.fromkeys(margin["of"], "left"), **dict.fromkeys(numbers, "right")}
        lines = [
            [*row["labels"].values(), f"{100 * row['mean']:.2f} %", f"{100 * row['sd']:.2f} %",
             percent_range(row["interval"])]
            for row in margin["cells"]
        ]  # fmt: skip
        about = ", given ".join([f"shares by {' and '.join(margin['of'])}", *margin["given"]])
        print_table(f"{about}, {noise}", columns, lines, unbroken=numbers)
