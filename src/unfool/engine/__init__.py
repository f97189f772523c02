"""The loop that runs thousands of attacks at once, and everything it decides."""

from unfool.engine._goal import Budget, Goal
from unfool.engine._outcome import Failure, Outcome, Status, Verdict

__all__ = ["Budget", "Failure", "Goal", "Outcome", "Status", "Verdict"]
