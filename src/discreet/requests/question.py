"""What is asked of one column of a request, and what each column of a request costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from discreet.counting import Declaration
from discreet.errors import InvalidInput
from discreet.mechanisms.base import asked_epsilon

DECLARED = ("other", "by", "groups", "other_group")
"""What a question declares of its column beside the categories."""


@dataclass(frozen=True, slots=True, init=False)
class Question:
    """What is asked of one column of a request; the same words as in `release`.

    >>> Question("vote", ["Clinton", "Dole"], other="someone else").categories
    ('Clinton', 'Dole')
    """

    column: str
    categories: tuple[str, ...]
    asked: dict[str, Any]

    def __init__(self, column: str, categories: Sequence[str], **asked: Any) -> None:
        unknown = {"id_column", "n"} & set(asked)
        if unknown:
            raise InvalidInput(f"{min(unknown)} is one for all columns", hint="give it to release_columns")
        declared = Declaration(column, categories, **{key: asked[key] for key in DECLARED if key in asked})
        object.__setattr__(self, "column", declared.column)
        object.__setattr__(self, "categories", declared.categories)
        object.__setattr__(self, "asked", asked)

    def declaration(self, id_column: str | None) -> Declaration:
        """What the question declares of its column."""
        declared = {key: self.asked[key] for key in DECLARED if key in self.asked}
        return Declaration(self.column, self.categories, id_column=id_column, **declared)

    def terms(self, epsilon: object) -> dict[str, Any]:
        """How it is to be released, as `prepare` takes it."""
        given = {key: value for key, value in self.asked.items() if key not in DECLARED}
        settled = {"prior": None, "mechanism": "geometric", "calibrated": False, "group_public": False}
        chosen = {key: given.pop(key, value) for key, value in settled.items()}
        own = given.pop("epsilon", None)
        return {"epsilon": epsilon if own is None else own, **chosen, "options": given}


def shared(questions: Sequence[Question], epsilon: object) -> list[object]:
    """The price of each question: its own, or an equal share of the price of all."""
    own = [question.asked.get("epsilon") for question in questions]
    if not own:
        raise InvalidInput("there is no question", hint="ask for at least one column")
    if epsilon is None:
        if None in own:
            raise InvalidInput("a column has no epsilon", hint="give each its own, or one for all together")
        return own
    if any(price is not None for price in own):
        raise InvalidInput("there is an epsilon for all and one of a column", hint="give the one or the others")
    return [asked_epsilon(epsilon) / len(own)] * len(own)
