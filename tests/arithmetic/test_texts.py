"""Names that are near each other are told apart from those that are not."""

import pytest

from discreet.arithmetic.texts import likely_name


@pytest.mark.parametrize(
    ("text", "meant"),
    [(" DOLE", "Dole"), ("Clintn", "Clinton"), ("Dolores", None), ("", None)],
)
def test_a_name_is_suggested_only_if_it_is_close(text: str, meant: str | None) -> None:
    assert likely_name(text, ["Clinton", "Dole"]) == meant
