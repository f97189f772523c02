"""What all tests share."""

import gc

import pytest
from hypothesis import settings

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
