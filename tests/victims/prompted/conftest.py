"""What tests of prompted models share."""

from tests.victims.prompted.talking import listen

__all__ = ["listen"]
