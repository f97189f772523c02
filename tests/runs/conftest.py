"""What runs of real attacks need."""

from __future__ import annotations

import pytest
from tests.end_to_end.command import fetch_or_skip


@pytest.fixture(scope="session")
def wordnet() -> None:
    """Where PWWS finds synonyms."""
    fetch_or_skip("wordnet")
