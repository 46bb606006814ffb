"""Who may talk to the page's server: the browser that was given its token, on this machine, and nobody else.

- It listens on the loopback address only, and answers only to its own names: another site whose name was made to lead
  here (DNS rebinding) says a Host that is not ours.
- Its name is a new one each time, under `.localhost`, which browsers look up nowhere: whatever a program that had the
  port before left in the browser (a service worker, a cache, storage) belongs to another site and is not asked.
- Whoever asks a question shows the token, in a header that another site cannot add without our leave, which is never
  given. It travels in the fragment of the address, which browsers do not send and servers do not log.
- A GET gets files that are the same for everyone. Every question is a POST, so that no link spends anything.
- The browser is told to run no script but the page's own, to send nothing elsewhere, and to let nobody frame it.
- What is too long is refused by the length that it says it has, and what comes too slowly is not waited for.

Tested in `tests/attacks/test_the_page_obeys_only_its_owner.py`, with raw requests and in a real browser.
"""

from __future__ import annotations

import asyncio
import hmac

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from discreet.errors import InvalidInput
from discreet.samplers.bits import SYSTEM, Bits

TOKEN_BITS = 256
NAME_BITS = 128
TOKEN_HEADER = "x-discreet-token"  # noqa: S105 - the name of the header
UPLOAD = "/api/upload"
MAX_BODY = 4 << 20
"""Bytes: a receipt of ten thousand categories has about three million."""

MAX_UPLOAD = 256 << 20
"""Bytes of a table that is handed over; it is held in memory. Larger ones are read by their address."""

MAX_SILENCE = 20.0
"""Seconds that the next piece of a question may take."""

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' blob:; "
    "form-action 'none'; base-uri 'none'; frame-ancestors 'none'; worker-src 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
"""Pictures may be blobs, which only the page's own script can make: a chart that is saved as PNG was one."""

HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}


def draw_token(bits: Bits = SYSTEM) -> str:
    """A new token: hexadecimal digits, each of whose bits is a fair one."""
    return f"{bits.draw_bits(TOKEN_BITS):0{TOKEN_BITS // 4}x}"


def draw_name(bits: Bits = SYSTEM) -> str:
    """A new name of this machine, which no site had before."""
    return f"p{bits.draw_bits(NAME_BITS):0{NAME_BITS // 4}x}.localhost"


class Guard:
    """Turns everybody else away before the page's server has read what they want."""

    def __init__(self, app: ASGIApp, *, token: str, name: str, port: int) -> None:
        self._app = app
        self._token = token
        self._hosts = {f"{host}:{port}" for host in (name, "127.0.0.1", "localhost")}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":  # there are no sockets here, and nothing to start or to end
            return
        most = MAX_UPLOAD if scope["path"] == UPLOAD else MAX_BODY
        if refusal := self._refusal(scope, Headers(scope=scope), most):
            # Nothing is said but the status: whoever is refused learns no more.
            await Response(status_code=refusal, headers={**HEADERS, "connection": "close"})(scope, receive, send)
        else:
            await self._app(scope, _limit(receive, most), _add_headers(send))

    def _refusal(self, scope: Scope, headers: Headers, most: int) -> int:
        """The status of a refusal; 0 for whoever may come in."""
        host = headers.getlist("host")
        if len(host) != 1 or host[0] not in self._hosts:
            return 421
        if scope["method"] in {"GET", "HEAD"}:
            return 0
        if scope["method"] != "POST":
            return 405
        if any(origin != f"http://{host[0]}" for origin in headers.getlist("origin")):
            return 403
        if any(site != "same-origin" for site in headers.getlist("sec-fetch-site")):
            return 403
        tokens = headers.getlist(TOKEN_HEADER)
        if len(tokens) != 1 or not hmac.compare_digest(tokens[0].encode("latin-1"), self._token.encode()):
            return 403
        kind = "application/octet-stream" if scope["path"] == UPLOAD else "application/json"
        if headers.get("content-type", "").partition(";")[0].strip().lower() != kind:
            return 415
        length = headers.get("content-length", "")
        return 413 if length.isdecimal() and int(length[:20]) > most else 0


def _add_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            MutableHeaders(scope=message).update(HEADERS)
        await send(message)

    return sending


def _limit(receive: Receive, most: int) -> Receive:
    left, is_whole = most, False

    async def receiving() -> Message:
        nonlocal left, is_whole
        if is_whole:
            return await receive()
        try:
            message = await asyncio.wait_for(receive(), MAX_SILENCE)
        except TimeoutError:
            raise InvalidInput("the question did not arrive in time", hint="ask again") from None
        left -= len(message.get("body", b""))
        if left < 0:
            raise InvalidInput("the question is too long", hint=f"send at most {most >> 20} MiB")
        is_whole = not message.get("more_body", False)
        return message

    return receiving
