"""The questions that the page may ask, and the library's answers: the documents that the commands print as JSON.

What is shown of them (rounded numbers, rows that are merged, sentences) comes with them, so that the browser computes
nothing that a claim rests on.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, NamedTuple
from weakref import WeakValueDictionary

import discreet as dc
from discreet import Mechanism, PosteriorSpace
from discreet.arithmetic.words import decimal_upper
from discreet.counting import MemoryFile
from discreet.errors import InvalidInput
from discreet.mechanisms import RELEASABLE
from discreet.requests.request import draw_request_id
from discreet.web import budgets, forecasts, plans, receipts, releases
from discreet.web.fields import Fields
from discreet.web.guard import MAX_UPLOAD
from discreet.web.terms import TERMS


@dataclass(frozen=True, slots=True)
class PageApi:
    """What this page was started with, and the table that it was handed."""

    ledger: str | None = None
    may_release: bool = False
    _door: Lock = field(default_factory=Lock, repr=False)
    _turns: WeakValueDictionary[str, Lock] = field(default_factory=WeakValueDictionary, repr=False)
    """One lock for each request, kept while somebody holds it or waits for it."""
    _tables: dict[str, MemoryFile] = field(default_factory=dict, repr=False)
    """The newest table, by its id: in memory, and nowhere else."""

    def require_ledger(self) -> str:
        """The ledger; refused without one."""
        if self.ledger is None:
            raise InvalidInput("this page has no ledger", hint="start it with discreet serve --ledger L")
        return self.ledger

    def require_release(self) -> None:
        """Refuse to touch data where releases are not allowed."""
        if not self.may_release:
            raise InvalidInput("this page may not release", hint="start it with discreet serve --allow-release")

    def hold(self, name: str, content: bytes) -> dict[str, Any]:
        """Keep a table in memory, in place of the one before it; it is gone with the process."""
        self.require_release()
        table = MemoryFile(name, content)
        upload = draw_request_id()
        with self._door:
            self._tables.clear()
            self._tables[upload] = table
        return {"upload": upload, "name": table.name, "size": len(content)}

    def forget(self, fields: Fields) -> dict[str, Any]:
        """Drop the table that was handed over."""
        fields.all_read()
        with self._door:
            self._tables.clear()
        return {}

    def source(self, fields: Fields) -> str | MemoryFile:
        """The table that a question is about: the one that was handed over, or an address."""
        upload, address = fields.maybe("upload"), fields.maybe("source")
        if upload is None:
            if address is None:
                raise InvalidInput("there is no table", hint="choose a file, or give an address", parameter="source")
            return address
        with self._door:
            table = self._tables.get(upload)
        if table is None:
            raise InvalidInput("the file is not held any more", hint="choose it again", parameter="file")
        return table

    def turn(self, request_id: str) -> Lock:
        """The lock of a request: one at a time draws for it."""
        with self._door:
            return self._turns.setdefault(request_id, Lock())

    def facts(self, fields: Fields) -> dict[str, Any]:
        """What the page can do, and the words that it explains."""
        fields.all_read()
        name = None if self.ledger is None else dc.Ledger(self.ledger).name
        facts = {"version": dc.__version__, "mechanisms": list(RELEASABLE), "max_upload": MAX_UPLOAD, "terms": TERMS}
        choices = {"stops": forecasts.stops(), "choices": budgets.choices()}
        return {**facts, **choices, "ledger": name, "may_release": self.may_release}

    def audit(self, fields: Fields) -> dict[str, Any]:
        """`discreet audit`."""
        space = PosteriorSpace(prior=fields.text("prior"), n=fields.text("n"))
        name, epsilon = fields.text("mechanism"), fields.text("epsilon")
        parameters, calibrated = {key: fields.maybe(key) for key in ("gamma", "delta")}, fields.flag("calibrated")
        fields.all_read()
        options: dict[str, Any] = {key: value for key, value in parameters.items() if value is not None}
        build: Callable[..., Mechanism] = dc.calibrate if calibrated else dc.mechanism
        document = dc.audit(build(name, space, epsilon=epsilon, **options)).to_json()
        keys = ("exact_epsilon", "guarantee", "asked_epsilon")
        return document | {"shown": {key: _loss_text(document[key]) for key in keys}}


def _loss_text(loss: float | None) -> str | None:
    """Four digits, never below the loss but for the last digits of a float, which are not its own."""
    return None if loss is None else f"{decimal_upper(loss * (1 - 1e-12), 4).normalize():f}"


class Endpoint(NamedTuple):
    """How a question is answered."""

    answer: Callable[[PageApi, Fields], dict[str, Any]]
    takes_long: bool = True
    """Whether it waits for its turn among those that may take long."""
    writes: bool = False
    """Whether it changes the ledger: then it is never stopped, and the end of the server waits for it."""


QUESTIONS: dict[str, Endpoint] = {
    "facts": Endpoint(PageApi.facts, takes_long=False),
    "forecast": Endpoint(lambda _, fields: forecasts.forecast(fields), takes_long=False),
    "plan": Endpoint(lambda _, fields: plans.plan(fields)),
    "audit": Endpoint(PageApi.audit),
    "infer": Endpoint(lambda _, fields: receipts.infer(fields)),
    "read": Endpoint(lambda _, fields: receipts.read(fields)),
    "compare": Endpoint(lambda _, fields: receipts.compare(fields)),
    "series": Endpoint(lambda _, fields: receipts.series(fields)),
    "forget": Endpoint(PageApi.forget, takes_long=False),
    "columns": Endpoint(releases.columns, takes_long=False),
    "check": Endpoint(releases.check),
    "price": Endpoint(releases.price),
    "release": Endpoint(releases.release, takes_long=False, writes=True),
    "budgets": Endpoint(budgets.budgets, takes_long=False),
    "create_budget": Endpoint(budgets.create_budget, takes_long=False, writes=True),
    "price_schedule": Endpoint(lambda _, fields: budgets.price_schedule(fields)),
    "sealed": Endpoint(budgets.sealed_outcome, takes_long=False),
    "verify_ledger": Endpoint(budgets.verify_ledger),
    "export_ledger": Endpoint(budgets.export_ledger),
}
