"""`discreet serve`: the page, on this machine alone."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from typing import Annotated

import typer

from discreet.cli.outputs import say
from discreet.errors import require_packages

EXAMPLE = "Example: discreet serve --ledger budgets.db --allow-release"


def serve(
    port: Annotated[int, typer.Option(help="The port on 127.0.0.1; 0 takes one that is free.", min=0, max=65535)] = 0,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page in a browser.")] = True,
    ledger: Annotated[str | None, typer.Option(help="The ledger whose budgets it shows.")] = None,
    allow_release: Annotated[
        bool, typer.Option("--allow-release", help="Let it charge the ledger and release.")
    ] = False,
) -> None:
    """Plan, audit, read receipts and, if you allow it, release, in a browser on this machine. Ctrl-C ends it."""
    require_packages("the page", "web,workflow", "starlette", "uvicorn")
    from discreet.web.answers import PageApi
    from discreet.web.server import serve as serve_page
    from discreet.web.work import open_questions

    def tell(address: str) -> None:
        say(
            f"the page is at {address}",
            "only this machine reaches it, and only with that address; Ctrl-C ends it",
            "where a browser does not find it, write 127.0.0.1 in place of the name before the colon",
        )

    signal.signal(signal.SIGTERM, signal.default_int_handler)  # it would leave the file with the token behind
    with suppress(KeyboardInterrupt):  # that is how it ends
        serve_page(PageApi(ledger=ledger, may_release=allow_release), port=port, browser=browser, say=tell)
    with suppress(KeyboardInterrupt):  # every release that was begun is sealed; a second Ctrl-C does not wait
        for thread in open_questions():
            if not thread.daemon:
                thread.join()
    if open_questions():
        os._exit(0)  # Python would wait for a plan that nobody waits for, or tidy up under it
