"""The page's server: a few files, and one address for each question."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from discreet.errors import DiscreetError, Unexpected
from discreet.web.answers import QUESTIONS, PageApi
from discreet.web.fields import Fields
from discreet.web.guard import UPLOAD, Guard
from discreet.web.work import Cancellation, Work

KINDS = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}

STATUS = {2: 400, 3: 409, 4: 422, 5: 503}
"""By the exit code of the command that would have failed so."""

AT_ONCE = 2
"""Questions that may take long and are thought about at once. What is quick or writes waits for none of them."""

PATIENCE = 0.1
"""Seconds between looks whether whoever asked is still there."""

NAME_HEADER = "x-discreet-file"


def site(api: PageApi, *, token: str, name: str, port: int) -> ASGIApp:
    """The guarded application."""
    pages = {file.name: file.read_bytes() for file in files("discreet.web").joinpath("page").iterdir()}
    turns = asyncio.Semaphore(AT_ONCE)

    async def file(request: Request) -> Response:
        name = request.path_params.get("name", "index.html")
        if name not in pages:
            return Response(status_code=404)
        return Response(pages[name], media_type=KINDS[Path(name).suffix])

    async def question(request: Request) -> Response:
        endpoint = QUESTIONS.get(request.path_params["what"])
        if endpoint is None:
            return Response(status_code=404)
        fields = Fields.from_json(await request.body())
        async with AsyncExitStack() as stack:
            if endpoint.takes_long:
                await stack.enter_async_context(turns)
            work = Work(lambda: endpoint.answer(api, fields), writes=endpoint.writes)
            work.start()
            answer = asyncio.wrap_future(work.answer)
            while not (await asyncio.wait([answer], timeout=PATIENCE))[0]:
                if await request.is_disconnected():
                    work.stop()
            return _json_response(answer.result())

    async def upload(request: Request) -> Response:
        """A table, kept in memory until another takes its place or the server ends. Its bytes are on no disk."""
        api.require_release()
        file_name = unquote(request.headers.get(NAME_HEADER, ""))
        return _json_response(api.hold(file_name, await request.body()))

    routes = [
        Route("/", file, methods=["GET"]),
        Route("/{name}", file, methods=["GET"]),
        Route(UPLOAD, _with_failures(upload), methods=["POST"]),
        Route("/api/{what}", _with_failures(question), methods=["POST"]),
    ]
    application = Starlette(routes=routes)
    application.router.redirect_slashes = False  # no answer leads elsewhere
    return Guard(application, token=token, name=name, port=port)


def _with_failures(ask: Callable[[Request], Awaitable[Response]]) -> Callable[[Request], Awaitable[Response]]:
    """The same, with every failure told."""

    async def answering(request: Request) -> Response:
        try:
            return await ask(request)
        except (ClientDisconnect, Cancellation):
            return Response(status_code=499)
        except Exception as failure:  # noqa: BLE001 - named by its kind alone: its text could quote a count
            return _failure_response(failure)

    return answering


def _json_response(document: dict[str, Any], status: int = 200) -> Response:
    """An answer in ASCII: half a character of somebody's receipt could not be sent otherwise."""
    return Response(json.dumps(document, allow_nan=False), status, media_type="application/json")


def _failure_response(failure: Exception) -> Response:
    if not isinstance(failure, DiscreetError):
        failure = Unexpected(failure, "the answer", hint="please report it")
    return _json_response({"error": failure.to_json()}, STATUS.get(failure.exit_code, 500))
