"""Studies to serve."""

from tests.rating.conftest import make_run

__all__ = ["make_run"]
