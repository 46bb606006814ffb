"""What the page sends: texts, lists of texts, and yes or no. Numbers are texts too, so that none of them is rounded."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TypeVar

from discreet.errors import DiscreetError, InvalidInput

T = TypeVar("T", str, bool, list[str])

MAX_NAMES = 10_000
MAX_PARTS = 100


@contextmanager
def about(name: str) -> Iterator[None]:
    """Whatever is refused meanwhile is about this field.

    >>> with about("prior"):
    ...     raise InvalidInput("this is no prior")
    Traceback (most recent call last):
    discreet.errors.InvalidInput: this is no prior
    """
    try:
        yield
    except DiscreetError as refusal:
        refusal.parameter = name
        raise


class Fields:
    """The fields of one question. What has another shape is refused, and so is what nobody asked for.

    >>> fields = Fields({"n": "100", "epsilon": ""})
    >>> fields.text("n"), fields.maybe("epsilon"), fields.flag("worst_case")
    ('100', None, False)
    >>> Fields({"m": "1"}).all_read()
    Traceback (most recent call last):
    discreet.errors.InvalidInput: there is no field 'm' here; reload the page
    """

    def __init__(self, sent: dict[str, object], prefix: str = "") -> None:
        self._sent = sent
        self._prefix = prefix
        self._read: set[str] = set()
        self._parts: list[Fields] = []

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
        text = self.maybe(name)
        if text is None:
            raise InvalidInput(f"{name.replace('_', ' ')} is missing", hint="fill it in", parameter=self._prefix + name)
        return text

    def maybe(self, name: str) -> str | None:
        """A text, None if it is empty or not there."""
        return self._get(name, "", "a text") or None

    def flag(self, name: str) -> bool:
        """Yes or no; no if it is not there."""
        return self._get(name, False, "yes or no")

    def names(self, name: str) -> list[str]:
        """A list of texts, empty if it is not there."""
        empty: list[str] = []
        return self._get(name, empty, "a list of names", hint="write one on each line")

    def parts(self, name: str) -> list[Fields]:
        """The fields of each object in a list, which are called like `more.0.column`.

        >>> [first] = Fields({"more": [{"column": ""}]}).parts("more")
        >>> with first.about("column"):
        ...     raise InvalidInput("there is no such column")
        Traceback (most recent call last):
        discreet.errors.InvalidInput: there is no such column
        """
        self._read.add(name)
        sent = self._sent.get(name, [])
        if not isinstance(sent, list) or len(sent) > MAX_PARTS or not all(isinstance(each, dict) for each in sent):
            raise InvalidInput(f"{name} must be a list of at most {MAX_PARTS}", hint="reload the page", parameter=name)
        parts = [Fields(each, f"{self._prefix}{name}.{i}.") for i, each in enumerate(sent)]
        self._parts += parts
        return parts

    def about(self, name: str) -> AbstractContextManager[None]:
        """Whatever is refused meanwhile is about this field of these."""
        return about(self._prefix + name)

    def all_read(self) -> None:
        """Refuse what nobody asked for: it would be left out in silence."""
        for name in sorted(set(self._sent) - self._read):
            raise InvalidInput(f"there is no field {self._prefix + name!r} here", hint="reload the page")
        for part in self._parts:
            part.all_read()

    def _get(self, name: str, default: T, what: str, *, hint: str = "reload the page") -> T:
        """What was sent, which must be of the same type as the default."""
        self._read.add(name)
        sent = self._sent.get(name, default)
        names = sent if isinstance(sent, list) else []
        if not isinstance(sent, type(default)) or len(names) > MAX_NAMES or not all(isinstance(x, str) for x in names):
            raise InvalidInput(f"{name.replace('_', ' ')} must be {what}", hint=hint, parameter=self._prefix + name)
        return sent
