"""One way to spread jobs: over nothing, or over processes that keep what they have loaded."""

from unfool.parallel._processes import choose_workers
from unfool.parallel._workers import Cause, Done, Problem, Workers, result_of

__all__ = ["Cause", "Done", "Problem", "Workers", "choose_workers", "result_of"]
