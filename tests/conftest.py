"""What all tests share."""

import gc

from hypothesis import settings

# A loaded machine is no bug.
settings.register_profile("unfool", deadline=None)
settings.load_profile("unfool")


def pytest_collection_finish() -> None:
    """Spare the garbage collector what lives as long as the tests: packages and the tests themselves.

    Code under test collects garbage after each piece of work, and would look at half a million objects each time.
    """
    gc.collect()
    gc.freeze()
