"""What all tests of counting share."""

import pytest


@pytest.fixture(params=[64, 0], ids=["by list", "by join"])
def _way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Few categories are searched in a list, and many by a join: both ways must agree."""
    monkeypatch.setattr("discreet.counting.database_columns.SMALL", request.param)
