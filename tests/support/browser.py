"""A real server of the page, started by its command, and a real browser to look at it with."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.cli.command import SCRIPT

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Dialog, Page, Playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
PATIENCE = 120_000
"""Milliseconds; the machine may be busy."""

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
def driver() -> Iterator[Playwright]:
    """What drives browsers: one for all, because a process has room for one."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as started:
        yield started


@pytest.fixture(scope="session")
def browser(driver: Playwright) -> Iterator[Browser]:
    """A browser that knows nothing of the user."""
    path = found_browser()
    if path is None:
        pytest.skip("no browser: install chromium")
    with driver.chromium.launch(executable_path=path, args=[*QUIET, "--no-sandbox", "--no-first-run"]) as browser:
        yield browser


@pytest.fixture(scope="session")
def firefox(driver: Playwright, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Browser, Path]]:
    """One of another maker, where there is one, and where it saves files.

    `tests/support/firefox.py` stands between it and Playwright.
    """
    path = shutil.which("firefox-esr") or shutil.which("firefox")
    if path is None:
        pytest.skip("no Firefox: install firefox-esr")
    program = tmp_path_factory.mktemp("firefox") / "firefox"
    words = shlex.join([sys.executable, str(Path(__file__).with_name("firefox.py")), path])
    program.write_text(f'#!/bin/sh\nexec {words} "$@"\n', encoding="utf-8")
    program.chmod(0o700)
    # What is saved from memory is put there, and no event says so. A panel that told it would take the keyboard.
    saves, quiet = tmp_path_factory.mktemp("saved"), {"browser.download.alwaysOpenPanel": False}
    launch: dict[str, Any] = {"executable_path": program, "downloads_path": saves, "firefox_user_prefs": quiet}
    with driver.firefox.launch(channel="moz-firefox", timeout=PATIENCE, **launch) as browser:
        yield browser, saves


@dataclass
class Watched:
    """A tab, and everything that went wrong in it."""

    page: Page
    wrongs: list[str]
    saves: Path | None = None
    """Where a browser puts what is saved, if it does not say so."""

    def open(self, served: Served) -> None:
        """Go to the page, by the address that was printed."""
        self.page.goto(served.address)
        self.page.wait_for_selector("body[data-ready]")

    def saved(self, press: Callable[[], None]) -> Path:
        """The file that is saved when something is pressed."""
        if self.saves is None:
            with self.page.expect_download() as download:
                press()
            return Path(download.value.path())
        before = set(self.saves.iterdir())
        press()
        for _ in range(PATIENCE // 100):
            files = set(self.saves.iterdir()) - before
            if files and all(file.suffix != ".part" and file.stat().st_size for file in files):
                [file] = files
                return file
            self.page.wait_for_timeout(100)
        raise AssertionError("nothing was saved")

    def turn(self, part: str) -> None:
        """Go to one of its parts."""
        self.page.click(f"nav a[href='#{part}']")


@pytest.fixture
def tab(browser: Browser) -> Iterator[Watched]:
    """A fresh tab of a fresh profile. Nothing that it complains of goes unseen."""
    with watching(browser) as watched:
        yield watched


@pytest.fixture
def firefox_tab(firefox: tuple[Browser, Path]) -> Iterator[Watched]:
    """The same in Firefox."""
    with watching(*firefox) as watched:
        yield watched


@contextmanager
def watching(browser: Browser, saves: Path | None = None) -> Iterator[Watched]:
    """A fresh tab of a fresh profile."""
    context = browser.new_context(viewport={"width": 1000, "height": 900})
    context.set_default_timeout(PATIENCE)
    watched = Watched(context.new_page(), [], saves)

    def note_message(message: ConsoleMessage) -> None:
        if message.type == "error":
            watched.wrongs.append(message.text)

    def answer_dialog(dialog: Dialog) -> None:
        watched.wrongs.append("a dialog")
        dialog.dismiss()

    watched.page.on("console", note_message)
    watched.page.on("dialog", answer_dialog)
    watched.page.on("pageerror", lambda failure: watched.wrongs.append(str(failure)))
    yield watched
    context.close()


def printed_pages(page: Page) -> int:
    """On how many pages of A4 it prints.

    Playwright hands Firefox inches, which takes them for centimetres, and packs the objects of a PDF together.
    """
    browser = page.context.browser
    unit = "in" if browser is not None and browser.browser_type.name == "firefox" else "cm"
    sheet = page.pdf(width=f"21{unit}", height=f"29.7{unit}")
    texts = [sheet]
    for packed in re.findall(rb"stream\r?\n(.*?)endstream", sheet, re.DOTALL):
        with suppress(zlib.error):
            texts.append(zlib.decompressobj().decompress(packed))
    return sum(len(re.findall(rb"/Type\s*/Page(?!s)", text)) for text in texts)
