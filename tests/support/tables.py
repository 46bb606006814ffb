"""Small tables to release from, and ledgers that need not survive a power cut."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest


def no_sync(_handle: int) -> None:
    """In place of `discreet.ledger.file._sync` where no test pulls a plug: syncs take nearly all of the time."""


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Disks that may forget: only the tests of durability need the real thing."""
    monkeypatch.setattr("discreet.ledger.file._sync", no_sync)


def write_votes(path: Path, votes: Sequence[str], people: Sequence[object] | None = None) -> Path:
    """A CSV file with the columns `vote` and `person`."""
    ids = range(len(votes)) if people is None else people
    rows = [f"{vote},{person}" for vote, person in zip(votes, ids, strict=True)]
    path.write_text("\n".join(["vote,person", *rows, ""]), encoding="utf-8")
    return path


def at(step: str, act: Callable[[], object]) -> Callable[[str], None]:
    """In place of `discreet.requests.run.reached`: something is done when a release comes to this step."""

    def reached(taken: str) -> None:
        if taken == step:
            act()

    return reached


def fail_at(step: str) -> Callable[[str], None]:
    """A release that ends at this step."""

    def fail() -> None:
        raise RuntimeError("the plug was pulled")

    return at(step, fail)
