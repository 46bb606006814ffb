"""The receipt of a cross table: its columns, one output for each cell, and what may be believed of every column.

Cells are told by their place, the last column running fastest, so that a million of them take a few megabytes. The
margins of single columns are stated; whoever wants others asks `TableReceipt.belief`, or `discreet infer --margin`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from typing import Any

import numpy as np
from scipy.special import betaincinv

from discreet.arithmetic.numbers import float_upper
from discreet.counting import Declaration
from discreet.inference import Belief, NoiseAware
from discreet.inference.statement import NOISE_AWARE, PLUG_IN
from discreet.mechanisms import Mechanism, Released
from discreet.posteriors import Dirichlet
from discreet.receipts.documents import Part, ReceiptRequest
from discreet.receipts.receipt import Receipt, canonical, contradiction
from discreet.receipts.schemas import LEVEL, TABLE_KEYS, TABLE_OF
from discreet.receipts.words import citation, plain, question
from discreet.typing import Outcome

QUICK_CELLS = 1 << 14
"""Of a table with more cells, receipts have no time for the margins with the noise in them."""

QUICK_PRIVATE = 1 << 6
"""`QUICK_CELLS` where n is private."""

QUICK_REACH = 1 << 12
"""The same for counts that noise leaves open."""


@dataclass(frozen=True, slots=True, repr=False)
class TableReceipt(Receipt):
    """The receipt of crossed columns."""

    _keys = TABLE_KEYS
    _summary_keys = ("axes", "epsilon_exact", "n")

    @property
    def axes(self) -> dict[str, tuple[str, ...]]:
        """The labels of each column."""
        return {str(axis["column"]): tuple(map(str, axis["labels"])) for axis in self.document["axes"]}

    @property
    def cells(self) -> list[tuple[str, ...]]:
        """The labels of each cell, in the order of `output`."""
        possible = declaration_of(self.document).possible.ravel().tolist()
        return [key for key, is_one in zip(product(*self.axes.values()), possible, strict=True) if is_one]

    @property
    def categories(self) -> tuple[str, ...]:
        """The labels of all cells."""
        return declaration_of(self.document).labels

    @property
    def groups(self) -> tuple[str, ...]:
        """A table has none: its columns are axes."""
        return ()

    @property
    def has_public_groups(self) -> bool:
        """A table protects all of its columns."""
        return False

    @property
    def posterior(self) -> Dirichlet:
        """The released posterior of all cells."""
        from discreet.receipts.claims import mechanism_of

        return mechanism_of(self).posterior(self.output)

    @property
    def output(self) -> Outcome:
        """What the law emitted, for each cell."""
        return tuple(self.document["output"])

    def _repr_html_(self) -> str:
        return self.belief.margin(next(iter(self.axes)))._repr_html_()

    @staticmethod
    def _order_keys(document: dict[str, Any]) -> dict[str, Any]:
        """The keys as a release writes them, and the labels of a margin in their own order."""
        ordered = {key: document[key] for key in TABLE_KEYS[document["schema"]]}
        if not isinstance(ordered["axes"], list) or not isinstance(ordered["belief"], dict | None):
            raise contradiction()
        if ordered["belief"] is not None:
            rows, axes = ordered["belief"], [(axis["column"], axis["labels"]) for axis in ordered["axes"]]
            if set(rows) != {column for column, _ in axes} or any(set(rows[c]) != set(labels) for c, labels in axes):
                raise contradiction()
            ordered["belief"] = {column: {label: rows[column][label] for label in labels} for column, labels in axes}
        return ordered


def declaration_of(document: Mapping[str, Any]) -> Declaration:
    """What a table's receipt says of its columns, as a declaration; other and missing are among the labels."""
    columns = {axis["column"]: axis["labels"] for axis in document["axes"]}
    return Declaration.cross(columns, impossible=document["impossible"])


def write_table(
    part: Part,
    axes: Mapping[str, Sequence[str]],
    impossible: Sequence[Mapping[str, str]],
    released: Released | None,
    *,
    request: ReceiptRequest,
) -> TableReceipt:
    """The receipt of a cross table; before a draw what is drawn is null."""
    mechanism = part.mechanism
    assert mechanism is not None, "a table has a mechanism"
    parameters = [plain(parameter) for parameter in part.prior.parameters]
    document = {
        **{key: value for key, value in asdict(request).items() if key != "column"},
        "axes": [{"column": column, "labels": list(labels)} for column, labels in axes.items()],
        "impossible": [dict(cell) for cell in impossible],
        "mechanism": {"name": mechanism.name, **mechanism.parameters()},
        "epsilon": float_upper(mechanism.epsilon),
        "epsilon_exact": str(mechanism.epsilon),
        "delta": float_upper(mechanism.delta),
        "prior": parameters[0] if len(set(parameters)) == 1 else parameters,
        "adjacency": mechanism.adjacency,
        "certificate": None if part.certificate is None else part.certificate.to_json(),
        "interval_kind": NOISE_AWARE if quick_table(mechanism) else PLUG_IN,
        "belief": None,
        "output": None,
        "total": None,
        **mechanism.space.adjacency.sizes,
    }
    keys = TABLE_KEYS[TABLE_OF["n" in document]]
    document["schema"] = TABLE_OF["n" in document]
    document |= {"question": question(document), "citation": citation(document)}
    receipt = TableReceipt({key: document[key] for key in keys}, () if released is None else (released,))
    if released is not None:
        receipt.document["output"] = list(released.output)
        receipt.document.update(_belief_fields(receipt, released))
    return receipt


def quick_table(mechanism: Mechanism) -> bool:
    """Whether a receipt has time for the margins with the noise in them: they take a few seconds at most."""
    most = QUICK_CELLS if mechanism.space.adjacency.keeps_total else QUICK_PRIVATE
    return mechanism.space.k <= most and mechanism.kernel.reach <= QUICK_REACH


def _belief_fields(receipt: TableReceipt, released: Released) -> dict[str, Any]:
    """What may be believed of each column. What was drawn is drawn: whatever goes wrong ends at face value."""
    if receipt.document["interval_kind"] == NOISE_AWARE:
        try:
            fields = _noise_aware_fields(receipt, released.noise_aware())
            canonical(fields)  # which refuses numbers that JSON cannot say
            return fields
        except Exception:  # noqa: BLE001, S110 - it must be shown
            pass
    return {"interval_kind": PLUG_IN, "belief": _face_value_margins(receipt, released)}


def _noise_aware_fields(receipt: TableReceipt, posterior: NoiseAware) -> dict[str, Any]:
    whole = named_cells(receipt, posterior)
    margins = {name: whole.margin(name) for name in whole.axes}
    fields: dict[str, Any] = {"belief": {name: _rows(margin) for name, margin in margins.items()}}
    if "total" in receipt.document:
        total = whole.total
        fields["total"] = {"mean": total.mean, "interval": list(total.interval(LEVEL))}
    return fields


def named_cells(receipt: TableReceipt, posterior: NoiseAware) -> Belief:
    """The cells of a posterior by the labels of a table."""
    cells = {key: (posterior, (i,)) for i, key in enumerate(receipt.cells)}
    return Belief(receipt.axes, cells, receipt.document["dataset"])


def _rows(margin: Belief) -> dict[str, dict[str, Any]]:
    low, high = margin.interval(LEVEL)
    rows = zip(margin.cells, margin.mean.tolist(), low.tolist(), high.tolist(), strict=True)
    return {label: {"mean": mean, "interval": [a, b]} for (label,), mean, a, b in rows}


def _face_value_margins(receipt: TableReceipt, released: Released) -> dict[str, dict[str, dict[str, Any]]]:
    """The margins of the released posterior."""
    whole = declaration_of(receipt.document)
    table = np.zeros(whole.possible.shape)
    table[whole.possible] = released.posterior.alpha
    margins, total = {}, math.fsum(table.ravel().tolist())
    for at, (name, labels) in enumerate(receipt.axes.items()):
        margin = table.sum(axis=tuple(i for i in range(table.ndim) if i != at))
        # What is before and after each label, and not the total less it: beside a strong one the rest would be lost.
        rest = np.append(0.0, margin[:-1].cumsum()) + np.append(margin[:0:-1].cumsum()[::-1], 0.0)
        low, high = (betaincinv(margin, rest, tail) for tail in ((1 - LEVEL) / 2, (1 + LEVEL) / 2))
        rows = zip(labels, (margin / total).tolist(), low.tolist(), high.tolist(), strict=True)
        margins[name] = {label: {"mean": mean, "interval": [a, b]} for label, mean, a, b in rows}
    return margins


def check_axes(document: Mapping[str, Any]) -> Declaration:
    """The columns of a stranger's receipt, refused if they contradict each other."""
    whole = declaration_of(document)
    treated = {document["other"], document["missing"]} - {None}
    if any(not treated <= set(labels) for labels in whole.axes.values()):
        raise contradiction()
    if [dict(cell) for cell in whole.impossible] != document["impossible"]:
        raise contradiction()
    if len(document["output"]) != whole.k:
        raise contradiction()
    return whole
