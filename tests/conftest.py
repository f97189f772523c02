"""What all tests share."""

import gc
import os
from pathlib import Path

import pytest
from hypothesis import settings

from unfool.engine import Outcome, Status, Verdict

_AT_HAND = Path(__file__).parents[2] / "shared" / "data"
if _AT_HAND.is_dir():  # where we develop; elsewhere tests that want more data are skipped
    os.environ.setdefault("UNFOOL_DATA", str(_AT_HAND))

# A loaded machine is no bug.
settings.register_profile("unfool", deadline=None)
settings.load_profile("unfool")


@pytest.fixture(autouse=True, scope="module")
def _no_garbage() -> None:
    """Spare the garbage collector what outlives a module: packages, word lists, the tests themselves.

    Code under test collects garbage after each piece of work, and would look at a million objects each time.
    """
    gc.collect()
    gc.freeze()


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
