"""Work spread over processes."""

from unfool.parallel._cores import usable_cores
from unfool.parallel._crew import Crew, Done, free_models
from unfool.parallel._processes import process_pool, serve_parent, sharing_cores

__all__ = [
    "Crew",
    "Done",
    "free_models",
    "process_pool",
    "serve_parent",
    "sharing_cores",
    "usable_cores",
]
