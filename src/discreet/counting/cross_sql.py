"""SQL for cross tables: the code of a row's cell, from the code of its group and the code of its answer.

Codes keep the order of the cells, and what is outside comes last: last among its group's answers, and after all groups.
The least code of a person's rows is then the cell that the counting rule says.
"""

# ruff: noqa: S608 - statements are put together from fixed texts and quoted names of the schema; values are bound

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from discreet.counting.base import Declaration
from discreet.counting.category_codes import Match, match_column


@dataclass(frozen=True, slots=True)
class Crossing:
    """How a column of answers and a column of groups are compared together. It speaks like a `Match`."""

    answers: Match
    groups: Match

    @property
    def bound(self) -> dict[str, Any]:
        """What the queries bind."""
        return {**self.groups.bound, **self.answers.bound}

    def codes(self, rows: str) -> str:
        """A query for `code`, which no row is without, beside the columns of the rows."""
        return self._crossed(rows, self.answers.value, self.groups.value, "*")

    def tallies(self, rows: str) -> str:
        """A query for `code` and `often`: each distinct pair of values is counted first, and then looked at once."""
        pairs = (
            f"(SELECT {self.answers.value} AS value, {self.groups.value} AS held, count(*) AS often "
            f"FROM {rows} GROUP BY value, held)"
        )
        coded = self._crossed(pairs, "value", "held", "often")
        return f"(SELECT code, sum(often)::BIGINT AS often FROM {coded} GROUP BY code)"

    def place(self, code: int | None) -> tuple[int | None, int | None]:
        """The places of the group and of the answer with this code; None for outside."""
        group, answer = divmod(int(code or 0), self._width)
        return self.groups.place(group + 1), self.answers.place(answer + 1)

    @property
    def _width(self) -> int:
        return len(self.answers.wanted) + 1

    def _crossed(self, rows: str, value: str, held: str, kept: str) -> str:
        coded = self.answers.codes(self.groups.codes(rows, held, "held_code"), value, "answer_code")
        outside = f"coalesce(held_code, {len(self.groups.wanted) + 1})"
        answer = f"coalesce(answer_code, {self._width})"
        return f"(SELECT ({outside} - 1) * {self._width} + {answer} - 1 AS code, {kept} FROM {coded})"


def match_columns(declaration: Declaration, types: list[str]) -> Match | Crossing:
    """The comparison for columns of these types, in the order of `Declaration.columns`.

    >>> declaration = Declaration("vote", ["Clinton", "Dole"], by="floor", groups=["1", "2"])
    >>> match_columns(declaration, ["VARCHAR", "SMALLINT"]).bound
    {'groups': ['1', '2'], 'wanted': [b'Clinton', b'Dole']}
    """
    answers, grouping = match_column(declaration, types[0]), declaration.grouping
    if grouping is None:
        return answers
    return Crossing(answers, match_column(grouping, types[1], "c1", "groups"))
