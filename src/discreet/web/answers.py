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
from discreet.web import budgets, forecasts, plans, reading, releasing
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
    _held: dict[str, MemoryFile] = field(default_factory=dict, repr=False)
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
        held = MemoryFile(name, content)
        upload = draw_request_id()
        with self._door:
            self._held.clear()
            self._held[upload] = held
        return {"upload": upload, "name": held.name, "size": len(content)}

    def forget(self, fields: Fields) -> dict[str, Any]:
        """Drop the table that was handed over."""
        fields.all_read()
        with self._door:
            self._held.clear()
        return {}

    def source(self, fields: Fields) -> str | MemoryFile:
        """The table that a question is about: the one that was handed over, or an address."""
        upload, address = fields.maybe("upload"), fields.maybe("source")
        if upload is None:
            if address is None:
                raise InvalidInput("there is no table", hint="choose a file, or give an address", parameter="source")
            return address
        with self._door:
            held = self._held.get(upload)
        if held is None:
            raise InvalidInput("the file is not held any more", hint="choose it again", parameter="file")
        return held

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
        given, calibrated = {key: fields.maybe(key) for key in ("gamma", "delta")}, fields.flag("calibrated")
        fields.all_read()
        options: dict[str, Any] = {key: value for key, value in given.items() if value is not None}
        mechanism: Mechanism
        if calibrated:
            mechanism = dc.calibrate(name, space, epsilon=epsilon, **options)
        else:
            mechanism = dc.mechanism(name, space, epsilon=epsilon, **options)
        found = dc.audit(mechanism).to_json()
        keys = ("exact_epsilon", "guarantee", "asked_epsilon")
        return found | {"shown": {key: _loss_text(found[key]) for key in keys}}


def _loss_text(loss: float | None) -> str | None:
    """Four digits, never below the loss but for the last digits of a float, which are not its own."""
    return None if loss is None else f"{decimal_upper(loss * (1 - 1e-12), 4).normalize():f}"


class Asked(NamedTuple):
    """How a question is answered."""

    answer: Callable[[PageApi, Fields], dict[str, Any]]
    takes_long: bool = True
    """Whether it waits for its turn among those that may take long."""
    writes: bool = False
    """Whether it changes the ledger: then it is never stopped, and the end of the server waits for it."""


QUESTIONS: dict[str, Asked] = {
    "facts": Asked(PageApi.facts, takes_long=False),
    "forecast": Asked(lambda _, fields: forecasts.forecast(fields), takes_long=False),
    "plan": Asked(lambda _, fields: plans.plan(fields)),
    "audit": Asked(PageApi.audit),
    "infer": Asked(lambda _, fields: reading.infer(fields)),
    "read": Asked(lambda _, fields: reading.read(fields)),
    "compare": Asked(lambda _, fields: reading.compare(fields)),
    "series": Asked(lambda _, fields: reading.series(fields)),
    "forget": Asked(PageApi.forget, takes_long=False),
    "columns": Asked(releasing.columns, takes_long=False),
    "check": Asked(releasing.check),
    "price": Asked(releasing.price),
    "release": Asked(releasing.release, takes_long=False, writes=True),
    "budgets": Asked(budgets.budgets, takes_long=False),
    "create_budget": Asked(budgets.create_budget, takes_long=False, writes=True),
    "price_schedule": Asked(lambda _, fields: budgets.price_schedule(fields)),
    "sealed": Asked(budgets.sealed, takes_long=False),
    "verify_ledger": Asked(budgets.verify_ledger),
    "export_ledger": Asked(budgets.export_ledger),
}
