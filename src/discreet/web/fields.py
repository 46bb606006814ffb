"""What the page sends: texts, lists of texts, and yes or no. Numbers are texts too, so that none of them is rounded."""

from __future__ import annotations

import json

from discreet.errors import InvalidInput

MAX_NAMES = 10_000


class Fields:
    """The fields of one question. What has another shape is refused, and so is what nobody asked for.

    >>> fields = Fields({"n": "100", "epsilon": ""})
    >>> fields.text("n"), fields.maybe("epsilon"), fields.flag("worst_case")
    ('100', None, False)
    >>> Fields({"m": "1"}).all_read()
    Traceback (most recent call last):
    discreet.errors.InvalidInput: there is no field 'm' here; reload the page
    """

    def __init__(self, sent: dict[str, object]) -> None:
        self._sent = sent
        self._read: set[str] = set()

    @classmethod
    def from_json(cls, body: bytes) -> Fields:
        """The fields in the body of a request."""
        try:
            sent = json.loads(body)
            json.dumps(sent, ensure_ascii=False).encode()  # half a character could not be said again
        except (ValueError, RecursionError):
            sent = None
        if not isinstance(sent, dict):
            raise InvalidInput("the question cannot be read", hint="send one JSON object")
        return cls(sent)

    def text(self, name: str) -> str:
        """A text that must be there."""
        found = self.maybe(name)
        if found is None:
            raise InvalidInput(f"{_spoken(name)} is missing", hint="fill it in")
        return found

    def maybe(self, name: str) -> str | None:
        """A text, None if it is empty or not there."""
        found = self._get(name, "")
        if not isinstance(found, str):
            raise InvalidInput(f"{_spoken(name)} must be a text", hint="reload the page", parameter=name)
        return found or None

    def names(self, name: str) -> list[str]:
        """A list of texts, empty if it is not there."""
        found = self._get(name, [])
        if not isinstance(found, list) or not all(isinstance(each, str) for each in found) or len(found) > MAX_NAMES:
            raise InvalidInput(
                f"{_spoken(name)} must be a list of names", hint="write one on each line", parameter=name
            )
        return found

    def flag(self, name: str) -> bool:
        """Yes or no; no if it is not there."""
        found = self._get(name, False)
        if not isinstance(found, bool):
            raise InvalidInput(f"{_spoken(name)} must be yes or no", hint="reload the page", parameter=name)
        return found

    def all_read(self) -> None:
        """Refuse what nobody asked for: it would be left out in silence."""
        for name in sorted(set(self._sent) - self._read):
            raise InvalidInput(f"there is no field {name!r} here", hint="reload the page")

    def _get(self, name: str, default: object) -> object:
        self._read.add(name)
        return self._sent.get(name, default)


def _spoken(name: str) -> str:
    return name.replace("_", " ")
