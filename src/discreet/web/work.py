"""A question that is thought about in a thread of its own, and can be stopped."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from math import inf
from threading import Lock, Thread
from threading import enumerate as enumerate_threads
from time import monotonic
from typing import Any

THREAD = "discreet-question"

AGAIN = 1.0
"""Seconds until a thread that goes on is stopped again."""


class Cancellation(BaseException):
    """Nobody waits for the answer any more. No handler of mistakes takes it for one."""


class Work(Thread):
    """One question. The end of the server waits for what writes, which is never stopped, and for nothing else."""

    def __init__(self, question: Callable[[], dict[str, Any]], *, writes: bool) -> None:
        super().__init__(name=THREAD, daemon=not writes)
        self.answer: Future[dict[str, Any]] = Future()
        self._question = question
        self._lock = Lock()
        self._may_stop = not writes
        self._stopped_at = -inf
        self.answer.set_running_or_notify_cancel()

    def run(self) -> None:
        """Think, and tell: whatever happens, whoever waits is told."""
        document: dict[str, Any] | None = None
        failure: BaseException = Cancellation()
        with suppress(Cancellation):  # it may come late, between the lines below
            try:
                document = self._question()
            except BaseException as raised:  # noqa: BLE001 - whoever waits for it gets it
                failure = raised
            self._end()
        self._end()
        if document is not None:
            self.answer.set_result(document)
        else:
            self.answer.set_exception(failure)

    def _end(self) -> None:
        with self._lock:
            self._may_stop = False

    def stop(self) -> None:
        """Raise `Cancellation` in the thread at its next step in Python; what computes elsewhere ends first.

        Python drops what is raised while an object is finalised. So whoever goes on asking is obeyed again, but not
        before the thread had the time to end.
        """
        with self._lock:
            if self._may_stop and self.ident is not None and monotonic() >= self._stopped_at + AGAIN:
                self._stopped_at = monotonic()
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self.ident), ctypes.py_object(Cancellation))


def open_questions() -> list[Thread]:
    """The threads of the questions that are still thought about; that of a release is no daemon."""
    return [thread for thread in enumerate_threads() if thread.name == THREAD]
