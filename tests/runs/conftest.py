from __future__ import annotations

import pytest

from unfool.engine import Outcome, Status, Verdict


@pytest.fixture(scope="session")
def outcome() -> Outcome:
    """A success, for tests to vary with ``dataclasses.replace``."""
    return Outcome(
        id=0,
        label=1,
        status=Status.SUCCESS,
        reason="",
        original=("A good film.",),
        perturbed=("A decent film.",),
        before=Verdict(1, 0.9),
        after=Verdict(0, 0.6),
        queries=12,
        checks=2,
        words=3,
        words_changed=1,
        characters=12,
        characters_changed=5,
        field_names=("text",),
    )
