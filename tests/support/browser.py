"""A real server of the page, started by its command, and a real browser to look at it with."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.cli.command import SCRIPT

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Dialog, Page

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
QUIET = ("--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync")


@dataclass(frozen=True)
class Served:
    """Where the page is, its token and its process; `patience` is for how many seconds an answer is waited for."""

    address: str
    pid: int
    patience: float = 60

    @property
    def port(self) -> int:
        return int(self.address.rpartition(":")[2].partition("/")[0])

    @property
    def origin(self) -> str:
        """The site, with the name that it has this time."""
        return self.address.partition("/#")[0]

    @property
    def token(self) -> str:
        return self.address.partition("#token=")[2]

    @property
    def headers(self) -> dict[str, str]:
        """What the page sends."""
        return {"Content-Type": "application/json", "X-Discreet-Token": self.token}

    def send(self, method: str, path: str, body: bytes | str = b"", **headers: str) -> tuple[HTTPResponse, bytes]:
        """One request with these headers alone, and the answer."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=self.patience)
        connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
        response = connection.getresponse()
        answer = response.read()
        connection.close()
        return response, answer

    def ask(self, what: str, question: object) -> tuple[int, Any]:
        """What the page is answered; bytes are sent as they are."""
        body = question if isinstance(question, bytes) else json.dumps(question).encode()
        response, answer = self.send("POST", f"/api/{what}", body, **self.headers)
        return response.status, json.loads(answer)


@contextmanager
def serving(*options: str, folder: Path, opener: Path | None = None) -> Iterator[Served]:
    """`discreet serve`, until Ctrl-C; the page is opened by a program, or by none."""
    command = [str(SCRIPT), "serve", *options, *([] if opener else ["--no-browser"])]
    environment = {**os.environ, "BROWSER": str(opener)}
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, cwd=folder, env=environment, **pipes) as server:
        assert server.stdout is not None
        assert server.stderr is not None
        line = server.stdout.readline().decode()
        assert "the page is at http://" in line, line + server.stderr.read().decode()
        try:
            yield Served(line.split()[-1], server.pid)
        finally:
            server.send_signal(signal.SIGINT)
            code = server.wait(timeout=60)
        assert (code, server.stderr.read()) == (0, b"")


def found_browser() -> str | None:
    """The browser of this machine."""
    return next(filter(None, map(shutil.which, NAMES)), None)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A browser that knows nothing of the user."""
    path = found_browser()
    if path is None:
        pytest.skip("no browser: install chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        shown = driver.chromium.launch(executable_path=path, args=[*QUIET, "--no-sandbox", "--no-first-run"])
        yield shown
        shown.close()


@dataclass
class Watched:
    """A tab, and everything that went wrong in it."""

    page: Page
    wrongs: list[str]

    def open(self, served: Served) -> None:
        """Go to the page, by the address that was printed."""
        self.page.goto(served.address)
        self.page.wait_for_selector("body[data-ready]")

    def turn(self, part: str) -> None:
        """Go to one of its parts."""
        self.page.click(f"nav a[href='#{part}']")


@pytest.fixture
def tab(browser: Browser) -> Iterator[Watched]:
    """A fresh tab of a fresh profile. Nothing that it complains of goes unseen."""
    context = browser.new_context(viewport={"width": 1000, "height": 900})
    context.set_default_timeout(120_000)  # milliseconds; the machine may be busy
    watched = Watched(context.new_page(), [])

    def said(message: ConsoleMessage) -> None:
        if message.type == "error":
            watched.wrongs.append(message.text)

    def asked(dialog: Dialog) -> None:
        watched.wrongs.append("a dialog")
        dialog.dismiss()

    watched.page.on("console", said)
    watched.page.on("dialog", asked)
    watched.page.on("pageerror", lambda failure: watched.wrongs.append(str(failure)))
    yield watched
    context.close()
