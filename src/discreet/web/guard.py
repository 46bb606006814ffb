"""Who may talk to the page's server: the browser that was given its token, on this machine, and nobody else.

- It listens on the loopback address only, and answers only to its own name: another site whose name was made to lead
  here (DNS rebinding) says a Host that is not ours.
- Whoever asks a question shows the token, in a header that another site cannot add without our leave, which is never
  given. It travels in the fragment of the address, which browsers do not send and servers do not log.
- A GET gets files that are the same for everyone. Every question is a POST, so that no link spends anything.
- The browser is told to run no script but the page's own, to send nothing elsewhere, and to let nobody frame it.

Tested in `tests/attacks/test_the_page_obeys_only_its_owner.py`, with raw requests and in a real browser.
"""

from __future__ import annotations

import hmac

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from discreet.errors import InvalidInput
from discreet.samplers.bits import SYSTEM, Bits

TOKEN_BITS = 256
TOKEN_HEADER = "x-discreet-token"  # noqa: S105 - the name of the header
MAX_BODY = 4 << 20
"""Bytes: a receipt of ten thousand categories has about three million."""

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; form-action 'none'; "
    "base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)

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


class Guard:
    """Turns everybody else away before the page's server has read what they want."""

    def __init__(self, app: ASGIApp, *, token: str, port: int) -> None:
        self._app = app
        self._token = token
        self._hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":  # there are no sockets here, and nothing to start or to end
            return
        if refusal := self._refusal(scope["method"], Headers(scope=scope)):
            # Nothing is said but the status: whoever is refused learns no more.
            await Response(status_code=refusal, headers=HEADERS)(scope, receive, send)
        else:
            await self._app(scope, _limited(receive), _with_headers(send))

    def _refusal(self, method: str, headers: Headers) -> int:
        """The status of a refusal; 0 for whoever may come in."""
        host = headers.getlist("host")
        if len(host) != 1 or host[0] not in self._hosts:
            return 421
        if method in {"GET", "HEAD"}:
            return 0
        if method != "POST":
            return 405
        if any(origin != f"http://{host[0]}" for origin in headers.getlist("origin")):
            return 403
        if any(site != "same-origin" for site in headers.getlist("sec-fetch-site")):
            return 403
        tokens = headers.getlist(TOKEN_HEADER)
        if len(tokens) != 1 or not hmac.compare_digest(tokens[0].encode("latin-1"), self._token.encode()):
            return 403
        if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            return 415
        return 0


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            MutableHeaders(scope=message).update(HEADERS)
        await send(message)

    return sending


def _limited(receive: Receive) -> Receive:
    left = MAX_BODY

    async def receiving() -> Message:
        nonlocal left
        message = await receive()
        left -= len(message.get("body", b""))
        if left < 0:
            raise InvalidInput("the question is too long", hint=f"send at most {MAX_BODY >> 20} MiB")
        return message

    return receiving
