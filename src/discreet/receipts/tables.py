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
from discreet.receipts.receipt import LEVEL, QUICK_CELLS, TABLE_KEYS, TABLE_OF, Receipt, contradiction
from discreet.receipts.words import plain, table_citation, table_question
from discreet.typing import Outcome

QUICK_PRIVATE = 1 << 6
"""`QUICK_CELLS` where n is private."""

QUICK_REACH = 1 << 12
"""The same for counts that noise leaves open."""


@dataclass(frozen=True, slots=True, repr=False)
class TableReceipt(Receipt):
    """The receipt of crossed columns."""

    _keys = TABLE_KEYS
    _shown = ("axes", "epsilon_exact", "n")

    @property
    def axes(self) -> dict[str, tuple[str, ...]]:
        """The labels of each column."""
        return {str(axis["column"]): tuple(map(str, axis["labels"])) for axis in self.document["axes"]}

    @property
    def cells(self) -> list[tuple[str, ...]]:
        """The labels of each cell, in the order of `output`."""
        possible = declared(self.document).possible.ravel().tolist()
        return [key for key, is_one in zip(product(*self.axes.values()), possible, strict=True) if is_one]

    @property
    def categories(self) -> tuple[str, ...]:
        """The labels of all cells."""
        return declared(self.document).labels

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

    def to_methods(self) -> str:
        """A paragraph for the methods section."""
        from discreet.receipts.words import table_methods

        return table_methods(self.document)

    def _repr_html_(self) -> str:
        return self.belief.margin(next(iter(self.axes)))._repr_html_()

    @staticmethod
    def _ordered(document: dict[str, Any]) -> dict[str, Any]:
        """The keys as a release writes them, and the labels of a margin in their own order."""
        found = {key: document[key] for key in TABLE_KEYS[document["schema"]]}
        if not isinstance(found["axes"], list) or not isinstance(found["belief"], dict | None):
            raise contradiction()
        if found["belief"] is not None:
            rows, axes = found["belief"], [(axis["column"], axis["labels"]) for axis in found["axes"]]
            if set(rows) != {column for column, _ in axes} or any(set(rows[c]) != set(own) for c, own in axes):
                raise contradiction()
            found["belief"] = {column: {label: rows[column][label] for label in own} for column, own in axes}
        return found


def declared(document: Mapping[str, Any]) -> Declaration:
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
    made = part.mechanism
    assert made is not None, "a table has a mechanism"
    parameters = {plain(parameter) for parameter in part.prior.parameters}
    told = asdict(request)
    document = {
        **{key: value for key, value in told.items() if key != "column"},
        "axes": [{"column": column, "labels": list(labels)} for column, labels in axes.items()],
        "impossible": [dict(each) for each in impossible],
        "mechanism": {"name": made.name, **made.parameters()},
        "epsilon": float_upper(made.epsilon),
        "epsilon_exact": str(made.epsilon),
        "delta": float_upper(made.delta),
        "prior": parameters.pop() if len(parameters) == 1 else [plain(each) for each in part.prior.parameters],
        "adjacency": made.adjacency,
        "certificate": None if part.certificate is None else part.certificate.to_json(),
        "interval_kind": NOISE_AWARE if quick_table(made) else PLUG_IN,
        "belief": None,
        "output": None,
        "total": None,
        **made.space.adjacency.sizes,
    }
    keys = TABLE_KEYS[TABLE_OF["n" in document]]
    document["schema"] = TABLE_OF["n" in document]
    document |= {"question": table_question(document), "citation": table_citation(document)}
    receipt = TableReceipt({key: document[key] for key in keys}, () if released is None else (released,))
    if released is not None:
        receipt.document["output"] = list(released.output)
        receipt.document.update(_stated(receipt, released))
    return receipt


def quick_table(mechanism: Mechanism) -> bool:
    """Whether a receipt has time for the margins with the noise in them: they take a few seconds at most."""
    most = QUICK_CELLS if mechanism.space.adjacency.keeps_total else QUICK_PRIVATE
    return mechanism.space.k <= most and mechanism.kernel.reach <= QUICK_REACH


def _stated(receipt: TableReceipt, released: Released) -> dict[str, Any]:
    """What may be believed of each column. What was drawn is drawn: whatever goes wrong ends at face value."""
    if receipt.document["interval_kind"] == NOISE_AWARE:
        try:
            return _aware(receipt, released.noise_aware())
        except Exception:  # noqa: BLE001, S110 - it must be shown
            pass
    return {"interval_kind": PLUG_IN, "belief": _at_face_value(receipt, released)}


def _aware(receipt: TableReceipt, posterior: NoiseAware) -> dict[str, Any]:
    whole = named_cells(receipt, posterior)
    margins = {name: whole.margin(name) for name in whole.axes}
    found: dict[str, Any] = {"belief": {name: _rows(margin) for name, margin in margins.items()}}
    if "total" in receipt.document:
        total = whole.total
        found["total"] = {"mean": total.mean, "interval": list(total.interval(LEVEL))}
    return found


def named_cells(receipt: TableReceipt, posterior: NoiseAware) -> Belief:
    """The cells of a posterior by the labels of a table."""
    cells = {key: (posterior, (i,)) for i, key in enumerate(receipt.cells)}
    return Belief(receipt.axes, cells, receipt.document["dataset"])


def _rows(margin: Belief) -> dict[str, dict[str, Any]]:
    low, high = margin.interval(LEVEL)
    rows = zip(margin.cells, margin.mean.tolist(), low.tolist(), high.tolist(), strict=True)
    return {label: {"mean": mean, "interval": [a, b]} for (label,), mean, a, b in rows}


def _at_face_value(receipt: TableReceipt, released: Released) -> dict[str, dict[str, dict[str, Any]]]:
    """The margins of the released posterior."""
    whole = declared(receipt.document)
    table = np.zeros(whole.possible.shape)
    table[whole.possible] = released.posterior.alpha
    found, total = {}, math.fsum(table.ravel().tolist())
    for at, (name, labels) in enumerate(receipt.axes.items()):
        own = table.sum(axis=tuple(i for i in range(table.ndim) if i != at))
        low, high = (betaincinv(own, total - own, tail) for tail in ((1 - LEVEL) / 2, (1 + LEVEL) / 2))
        rows = zip(labels, (own / total).tolist(), low.tolist(), high.tolist(), strict=True)
        found[name] = {label: {"mean": mean, "interval": [a, b]} for label, mean, a, b in rows}
    return found


def checked_table(document: Mapping[str, Any]) -> Declaration:
    """The columns of a stranger's receipt, refused if they contradict each other."""
    whole = declared(document)
    treated = {document["other"], document["missing"]} - {None}
    if any(not treated <= set(labels) for labels in whole.axes.values()):
        raise contradiction()
    if [dict(each) for each in whole.impossible] != document["impossible"]:
        raise contradiction()
    if len(document["output"]) != whole.k:
        raise contradiction()
    return whole
