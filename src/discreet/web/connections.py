"""Connections that say nothing are closed, so that others on the machine cannot use them all up."""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

MAX_WAIT = 5.0
"""Seconds from the beginning of a connection, or of the next request on it, to the end of its headers."""


class TimedConnection(H11Protocol):
    """uvicorn's connection, which waits for the rest of a request's headers for as long as it takes."""

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A client connected."""
        super().connection_made(transport)
        self._deadline = self.loop.call_later(MAX_WAIT, transport.close)

    def data_received(self, data: bytes) -> None:
        """A client said something; the clock stops when its headers are whole, and starts with those of the next."""
        super().data_received(data)
        cycle: RequestResponseCycle | None = self.cycle  # None before the first request
        is_waiting = cycle is None or cycle.response_complete
        if not is_waiting and self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
        elif is_waiting and self._deadline is None:
            self._deadline = self.loop.call_later(MAX_WAIT, self.transport.close)

    def connection_lost(self, exc: Exception | None) -> None:
        """A client went."""
        if self._deadline is not None:
            self._deadline.cancel()
        super().connection_lost(exc)
