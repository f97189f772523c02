"""What tests of integrations share."""

from tests.victims.prompted.talking import listen

__all__ = ["listen"]
