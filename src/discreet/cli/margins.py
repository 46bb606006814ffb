"""Tables of several columns, margin by margin: what `--margin` and `--given` ask, as a document and for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from discreet.cli.outputs import percent_range, print_table
from discreet.inference import Belief
from discreet.requests.texts import read_labels, read_names

LEVEL = 0.95


def read_margins(belief: Belief, margins: Sequence[str] | None, given: str | None) -> list[Belief]:
    """The margins that are asked for; without any, each column by itself."""
    within = belief if given is None else belief.given(**read_labels(given, "--given"))
    columns = [read_names(text, "--margin") for text in margins or ()] or [[name] for name in within.axes]
    return [within.margin(*names) for names in columns]


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
        title = ", given ".join([f"shares by {' and '.join(margin['of'])}", *margin["given"]])
        print_table(f"{title}, {noise}", columns, lines, unbroken=numbers)
