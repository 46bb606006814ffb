"""From the name of a column to its place, and what is said where there is none.

The names of columns are public: those of a table's schema, or the first record of a CSV file that is declared to have a
header. Nothing here looks at anything else.
"""

from __future__ import annotations

from collections.abc import Sequence

from discreet.arithmetic.texts import likely_name, visible_text
from discreet.errors import SourceError

MAX_COLUMNS = 20
MAX_COLUMN_CHARS = 60
"""How many names are shown, and how much of each."""

DELIMITERS = {";": "semicolons", "\t": "tabs", ",": "commas", "|": "bars"}


def find_column(names: Sequence[object], column: str, source: str, *, is_header: bool = False) -> int:
    """The place of the column; two of the same name would leave it open which one is meant.

    >>> find_column(["vote", "sex"], "Vote", "people.csv")
    Traceback (most recent call last):
    discreet.errors.SourceError: people.csv has no column 'Vote'; did you mean 'vote'? Its columns are 'vote', 'sex'
    """
    at = [i for i, name in enumerate(names) if isinstance(name, str) and name == column]
    if not at:
        texts = [name for name in names if isinstance(name, str)]
        guess = delimiter_guess(texts[0]) if is_header and len(texts) == 1 else ""
        raise SourceError(f"{source} has no column {column!r}", hint=guess or _names_hint(column, texts))
    if len(at) > 1:
        raise SourceError(f"{source} has two columns {column!r}", hint="rename one of them")
    return at[0]


def find_columns(names: Sequence[object], columns: Sequence[str], source: str, *, is_header: bool = False) -> list[int]:
    """The place of each of these columns."""
    return [find_column(names, column, source, is_header=is_header) for column in columns]


def delimiter_guess(header: str) -> str:
    """What to do about a header that is all one column, judged from it alone."""
    delimiter = max(DELIMITERS, key=header.count)
    if delimiter not in header:
        return ""
    word = "tab" if delimiter == "\t" else f"'{delimiter}'"
    return f"its header seems to be separated by {DELIMITERS[delimiter]}: say `delimiter` {word}"


def _names_hint(column: str, names: Sequence[str]) -> str:
    """The names that there are, and which of them may be meant."""
    texts = [visible_text(repr(name[:MAX_COLUMN_CHARS])) for name in names]
    more = f" and {len(texts) - MAX_COLUMNS} more" if len(texts) > MAX_COLUMNS else ""
    columns = f"columns are {', '.join(texts[:MAX_COLUMNS])}{more}"
    likely = likely_name(column, names)
    return f"its {columns}" if likely is None else f"did you mean {texts[names.index(likely)]}? Its {columns}"
