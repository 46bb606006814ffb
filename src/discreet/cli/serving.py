"""`discreet serve`: the page, on this machine alone."""

from __future__ import annotations

import os
import threading
from typing import Annotated

import typer

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
    from discreet.cli.tables import console
    from discreet.web.answers import Desk
    from discreet.web.serving import serve as serve_page

    def say(address: str) -> None:
        out = console()
        out.print(f"the page is at {address}", soft_wrap=True)
        out.print("only this machine reaches it, and only with that address; Ctrl-C ends it", soft_wrap=True)

    try:
        serve_page(Desk(ledger=ledger, may_release=allow_release), port=port, browser=browser, say=say)
        for thread in _working():
            if not thread.daemon:
                thread.join()  # a release that was begun is sealed; a second Ctrl-C does not wait for it
    except KeyboardInterrupt:
        pass  # that is how it ends
    if _working():
        os._exit(0)  # Python would wait for a plan that nobody waits for, or tidy up under it


def _working() -> list[threading.Thread]:
    from discreet.web.site import THREAD

    return [thread for thread in threading.enumerate() if thread.name == THREAD]
