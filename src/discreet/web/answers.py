"""The questions that the page may ask, and the library's answers: the documents that the commands print as JSON."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock
from typing import Any
from weakref import WeakValueDictionary

import discreet as dc
from discreet import Mechanism, PosteriorSpace
from discreet.counting import CsvFormat
from discreet.errors import InvalidInput
from discreet.mechanisms import PURE
from discreet.receipts import Bundle, belief_document, read_sealed, verify_any
from discreet.requests.request import Question, ReleaseRequest, draw_request_id
from discreet.requests.run import price_request, run_request
from discreet.typing import Progress, Steps
from discreet.web.fields import Fields

RECENT = 50
"""Rows of the ledger's history that are shown."""


@dataclass(frozen=True, slots=True)
class PageApi:
    """What this page was started with."""

    ledger: str | None = None
    may_release: bool = False
    _door: Lock = field(default_factory=Lock, repr=False)
    _turns: WeakValueDictionary[str, Lock] = field(default_factory=WeakValueDictionary, repr=False)
    """One lock for each request, kept while somebody holds it or waits for it."""

    def facts(self, fields: Fields, tell: Progress) -> dict[str, Any]:
        """What the page can do."""
        fields.all_read()
        name = None if self.ledger is None else dc.Ledger(self.ledger).name
        facts = {"version": dc.__version__, "mechanisms": list(PURE)}
        return {**facts, "ledger": name, "may_release": self.may_release}

    def plan(self, fields: Fields, tell: Progress) -> dict[str, Any]:
        """`discreet plan`."""
        space = _space(fields)
        names = ("epsilon", "target_error", "confidence", "target_width")
        asked: dict[str, Any] = {name: fields.maybe(name) for name in names}
        worst_case, compare = fields.flag("worst_case"), fields.flag("compare")
        fields.all_read()
        steps: Steps = lambda _, done, total: tell(done, total)  # noqa: E731
        return dc.plan(space, **asked, worst_case=worst_case, compare=compare, progress=steps).to_json()

    def audit(self, fields: Fields, tell: Progress) -> dict[str, Any]:
        """`discreet audit`."""
        space, name, epsilon = _space(fields), fields.text("mechanism"), fields.text("epsilon")
        gamma, calibrated = fields.maybe("gamma"), fields.flag("calibrated")
        fields.all_read()
        options = {} if gamma is None else {"gamma": gamma}
        mechanism: Mechanism
        if calibrated:
            mechanism = dc.calibrate(name, space, epsilon=epsilon, progress=tell, **options)
        else:
            mechanism = dc.mechanism(name, space, epsilon=epsilon, **options)
        return dc.audit(mechanism, progress=tell).to_json()

    def infer(self, fields: Fields, tell: Progress) -> dict[str, Any]:
        """`discreet receipt verify`, and then `discreet infer`; several columns share the reader's prior."""
        receipt, prior = read_sealed(fields.text("receipt")), fields.maybe("prior")
        fields.all_read()
        verify_any(receipt)
        priors = [prior] * len(receipt.columns) if prior is not None and isinstance(receipt, Bundle) else prior
        return {"receipt": receipt.document, "belief": belief_document(receipt, priors)}

    def budgets(self, fields: Fields, tell: Progress) -> dict[str, Any]:
        """`discreet ledger show` and the newest of `discreet ledger history`."""
        fields.all_read()
        book = dc.Ledger(self._ledger())
        rows = [entry._asdict() | {"outcome": None} for entry in reversed(book.history()[-RECENT:])]
        accounts = [account.to_json() for account in book.accounts()]
        return {"ledger": book.name, "datasets": accounts, "history": rows, "head": book.head()}

    def price(self, fields: Fields, tell: Progress) -> dict[str, Any]:
        """All that a release would cost and how accurate it would be. Only the records are counted; nothing is spent.

        The request id that comes with it makes the release that follows one and the same, however often it is asked.
        """
        request = self._request(fields, draw_request_id())
        fields.all_read()
        book = dc.Ledger(self._ledger())
        prepared = price_request(request, book)
        return {
            "document": prepared.receipt().document,
            "digest": prepared.digest,
            "request_id": request.request_id,
            "remaining": book.remaining(str(request.dataset)).to_json(),
        }

    def release(self, fields: Fields, tell: Progress) -> dict[str, Any]:
        """`discreet release`, of the very request whose price was shown.

        Whoever asks for it meanwhile waits, and gets what was sealed: of two draws at once the quicker would be kept.
        """
        request, digest = self._request(fields), fields.text("digest")
        fields.all_read()
        with self._door:
            turn = self._turns.setdefault(str(request.request_id), Lock())
        with turn:
            receipt = run_request(request, self._ledger(), confirm=lambda prepared: prepared.digest == digest)
        return {"receipt": receipt.document, "text": receipt.to_json()}

    def _ledger(self) -> str:
        if self.ledger is None:
            raise InvalidInput("this page has no ledger", hint="start it with discreet serve --ledger L")
        return self.ledger

    def _request(self, fields: Fields, request_id: str | None = None) -> ReleaseRequest:
        if not self.may_release:
            raise InvalidInput("this page may not release", hint="start it with discreet serve --allow-release")
        question = Question(
            fields.text("column"),
            fields.names("categories"),
            other=fields.maybe("other"),
            missing=fields.maybe("missing"),
            by=fields.maybe("by"),
            groups=fields.names("groups"),
            group_public=fields.flag("group_public"),
            prior=fields.maybe("prior"),
            epsilon=fields.text("epsilon"),
            mechanism=fields.text("mechanism"),
        )
        return ReleaseRequest(
            fields.text("source"),
            [question],
            id_column=fields.maybe("id_column"),
            dataset=fields.text("dataset"),
            request_id=request_id or fields.text("request_id"),
            again=fields.flag("again"),
            form=CsvFormat(
                fields.maybe("delimiter"), not fields.flag("no_header"), fields.maybe("encoding") or "utf-8"
            ),
        )


QUESTIONS: dict[str, Callable[[PageApi, Fields, Progress], dict[str, Any]]] = {
    name: getattr(PageApi, name) for name in ("facts", "plan", "audit", "infer", "budgets", "price", "release")
}


def _space(fields: Fields) -> PosteriorSpace:
    return dc.PosteriorSpace(prior=fields.text("prior"), n=fields.text("n"))
