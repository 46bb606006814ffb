"""Serve the page on this machine until Ctrl-C."""

from __future__ import annotations

import socket
import tempfile
import webbrowser
from collections.abc import Callable
from html import escape
from pathlib import Path

import uvicorn

from discreet.errors import InvalidInput
from discreet.ledger import Ledger
from discreet.web.answers import PageApi
from discreet.web.connections import TimedConnection
from discreet.web.guard import draw_name, draw_token
from discreet.web.site import site

LOOPBACK = "127.0.0.1"


def serve(api: PageApi, *, port: int = 0, browser: bool = True, say: Callable[[str], None] = print) -> None:
    """Listen on the loopback address, say where, and answer until it is stopped. Port 0 takes one that is free."""
    if api.may_release and api.ledger is None:
        raise InvalidInput("a page that may release needs a ledger", hint="name it with --ledger")
    if api.ledger is not None:
        Ledger(api.ledger)  # one that is not there is refused now
    door = _door(port)
    chosen: int = door.getsockname()[1]
    token, name = draw_token(), draw_name()
    address = f"http://{name}:{chosen}/#token={token}"
    # Not a word to the log: an address or a header could carry what only its owner should see.
    app = site(api, token=token, name=name, port=chosen)
    config = uvicorn.Config(
        app, log_level="critical", access_log=False, lifespan="off", ws="none",
        http=TimedConnection, loop="asyncio", proxy_headers=False, server_header=False, timeout_graceful_shutdown=1,
    )  # fmt: skip
    with tempfile.TemporaryDirectory(prefix="discreet-") as folder, door:
        say(address)
        if browser:
            _open(address, Path(folder))
        uvicorn.Server(config).run(sockets=[door])


def _door(port: int) -> socket.socket:
    try:
        return socket.create_server((LOOPBACK, port))
    except (OSError, OverflowError):
        raise InvalidInput(f"port {port} is not available", hint="leave --port out, or choose another") from None


def _open(address: str, folder: Path) -> None:
    """Lead the browser there by a file that only its owner can read: everyone on a machine sees command lines."""
    file = folder / "discreet.html"
    file.touch(mode=0o600)
    file.write_text(f'<meta http-equiv="refresh" content="0; url={escape(address)}">', encoding="utf-8")
    webbrowser.open(file.as_uri())
