"""The page's server: a few files, and one address for each question."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import AsyncExitStack
from importlib.resources import files
from pathlib import Path
from threading import Event, Thread
from threading import enumerate as enumerate_threads
from typing import Any

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from discreet.errors import DiscreetError, Unexpected
from discreet.web.answers import QUESTIONS, PageApi
from discreet.web.fields import Fields
from discreet.web.guard import Guard

THREAD = "discreet-question"

KINDS = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}

STATUS = {2: 400, 3: 409, 4: 422, 5: 503}
"""By the exit code of the command that would have failed so."""

AT_ONCE = 2
"""Questions that are thought about at once. A release waits for none of them."""

PATIENCE = 0.1
"""Seconds between looks whether whoever asked is still there."""


class Gone(Exception):
    """Nobody waits for the answer any more."""


def site(api: PageApi, *, token: str, port: int) -> ASGIApp:
    """The guarded application."""
    kept = {file.name: file.read_bytes() for file in files("discreet.web").joinpath("page").iterdir()}
    turns = asyncio.Semaphore(AT_ONCE)

    async def file(request: Request) -> Response:
        name = request.path_params.get("name", "index.html")
        if name not in kept:
            return Response(status_code=404)
        return Response(kept[name], media_type=KINDS[Path(name).suffix])

    async def question(request: Request) -> Response:
        ask = QUESTIONS.get(request.path_params["what"])
        if ask is None:
            return Response(status_code=404)
        gone = Event()

        def tell(done: int, of: int) -> None:
            if gone.is_set():
                raise Gone

        try:
            fields = Fields.from_json(await request.body())
            spends = ask is PageApi.release
            async with AsyncExitStack() as stack:
                if not spends:
                    await stack.enter_async_context(turns)
                answer = asyncio.wrap_future(_begun(lambda: ask(api, fields, tell), spends=spends))
                while not (await asyncio.wait([answer], timeout=PATIENCE))[0]:
                    if await request.is_disconnected():
                        gone.set()
                return _told(answer.result())
        except (ClientDisconnect, Gone):
            return Response(status_code=499)
        except Exception as failure:  # noqa: BLE001 - named by its kind alone: its text could quote a count
            return _failed(failure)
        finally:
            gone.set()

    routes = [
        Route("/", file, methods=["GET"]),
        Route("/{name}", file, methods=["GET"]),
        Route("/api/{what}", question, methods=["POST"]),
    ]
    return Guard(Starlette(routes=routes), token=token, port=port)


def _begun(work: Callable[[], dict[str, Any]], *, spends: bool) -> Future[dict[str, Any]]:
    """Work in a thread of its own. The end of the server waits for what spends, and for nothing else."""
    answer: Future[dict[str, Any]] = Future()

    def run() -> None:
        try:
            answer.set_result(work())
        except BaseException as failure:  # noqa: BLE001 - whoever waits for it gets it
            answer.set_exception(failure)

    answer.set_running_or_notify_cancel()
    Thread(target=run, name=THREAD, daemon=not spends).start()
    return answer


def open_questions() -> list[Thread]:
    """The threads of the questions that are still thought about; that of a release is no daemon."""
    return [thread for thread in enumerate_threads() if thread.name == THREAD]


def _told(document: dict[str, Any], status: int = 200) -> Response:
    """An answer in ASCII: half a character of somebody's receipt could not be sent otherwise."""
    return Response(json.dumps(document, allow_nan=False), status, media_type="application/json")


def _failed(failure: Exception) -> Response:
    if not isinstance(failure, DiscreetError):
        failure = Unexpected(failure, "the answer", hint="please report it")
    return _told({"error": failure.to_json()}, STATUS.get(failure.exit_code, 500))
