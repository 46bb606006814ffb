"""A question that nobody waits for any more is stopped, also where Python drops what stops it."""

import time
import weakref

import pytest

from discreet.web import work
from discreet.web.work import Cancellation, Work


class Gone:
    """Something that is finalised."""


def think_while_things_are_finalised() -> dict[str, object]:
    """Half of the time in the middle of a finaliser, where an exception is printed and not raised."""
    while True:
        thing = Gone()
        weakref.finalize(thing, time.sleep, 0.02)
        del thing
        time.sleep(0.02)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_question_that_misses_being_stopped_is_stopped_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work, "AGAIN", 0.05)
    asked = Work(think_while_things_are_finalised, writes=False)
    asked.start()
    while not asked.answer.done():
        asked.stop()
        time.sleep(0.01)
    assert isinstance(asked.answer.exception(), Cancellation)


def test_what_writes_is_never_stopped() -> None:
    def write() -> dict[str, object]:
        time.sleep(0.2)
        return {"written": True}

    asked = Work(write, writes=True)
    asked.start()
    while not asked.answer.done():
        asked.stop()
        time.sleep(0.01)
    assert asked.answer.result() == {"written": True}
