"""How long a run will take is estimated from all of it so far."""

from __future__ import annotations

import pytest

from unfool.job import seconds_left


def test_there_is_no_estimate_before_there_is_ground_for_one() -> None:
    assert seconds_left(0, 100, 30.0, 30.0) is None
    assert seconds_left(4, 100, 30.0, 1.0) is None
    assert seconds_left(50, 50, 1.0, 0.1) is None


def test_the_slow_first_samples_count() -> None:
    assert seconds_left(10, 90, 20.0, 0.0) == pytest.approx(180.0)


def test_the_last_samples_are_slow_ones() -> None:
    """97 of 100 were done in 30 s, and nothing since a minute: it is not one second that is left."""
    assert seconds_left(97, 3, 90.0, 60.0) == 60.0


def test_what_is_done_is_done() -> None:
    assert seconds_left(3, 0, 1.0, 0.0) == 0.0
