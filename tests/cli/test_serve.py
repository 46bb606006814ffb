"""`discreet serve`: what it refuses before it listens, and how the browser gets the token."""

import socket
import time
from pathlib import Path

import pytest

from discreet.ledger import Ledger
from discreet.web.guard import TOKEN_BITS
from tests.cli.command import assert_refused, typed
from tests.support.browser import serving


def test_a_page_that_may_release_needs_a_ledger_that_is_there(tmp_path: Path) -> None:
    answer = typed("serve --no-browser --allow-release")
    assert_refused(answer)
    assert "--ledger" in answer.err
    assert_refused(typed(f"serve --no-browser --ledger {tmp_path / 'none.db'}"), code=5)


@pytest.mark.parametrize("package", ["starlette", "uvicorn"])
def test_a_package_that_is_missing_is_named(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("discreet.errors.find_spec", lambda name: None if name == package else name)
    answer = typed("serve --no-browser")
    assert_refused(answer)
    assert f"the page needs {package}; pip install '.[web,workflow]'" in answer.err


def test_a_port_that_is_none_or_taken_is_refused() -> None:
    for port in ("-1", "65536", "many"):
        assert_refused(typed(f"serve --no-browser --port {port}"))
    with socket.create_server(("127.0.0.1", 0)) as taken:
        answer = typed(f"serve --no-browser --port {taken.getsockname()[1]}")
    assert_refused(answer)
    assert "choose another" in answer.err


def test_the_browser_is_led_by_a_file_that_only_its_owner_can_read(tmp_path: Path) -> None:
    """Everyone on a machine sees the command lines of its programs, so the token is on none."""
    Ledger.create(tmp_path / "l.db", dataset="d", epsilon=1)
    script, seen = tmp_path / "browser", tmp_path / "seen"
    script.write_text(
        f'#!/bin/sh\nfile=${{1#file://}}\n{{ echo "$@"; stat -c %a "$file"; cat "$file"; }} > {seen}.part\n'
        f"mv {seen}.part {seen}\n"
    )
    script.chmod(0o700)
    with serving("--ledger", "l.db", folder=tmp_path, opener=script) as served:
        while not seen.exists():
            time.sleep(0.05)
    asked, mode, page = seen.read_text().splitlines()
    token = served.token
    assert len(token) == TOKEN_BITS // 4
    assert token not in asked
    assert mode == "600"
    assert token in page
    assert not Path(asked.removeprefix("file://")).exists(), "it is gone with the server"
