"""What the papers' tests share with all others."""

from tests.conftest import _no_garbage, outcome

__all__ = ["_no_garbage", "outcome"]
