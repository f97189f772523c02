"""One way to spread jobs: over nothing, over processes that keep what they have loaded, or over a cluster."""

from unfool.parallel._cluster import cluster_in_use, cluster_told, on_cluster, on_this_machine
from unfool.parallel._jobs import Cause, Done, Problem
from unfool.parallel._pieces import Folder
from unfool.parallel._processes import choose_workers
from unfool.parallel._workers import Workers, result_of, works_here

__all__ = [
    "Cause",
    "Done",
    "Folder",
    "Problem",
    "Workers",
    "choose_workers",
    "cluster_in_use",
    "cluster_told",
    "on_cluster",
    "on_this_machine",
    "result_of",
    "works_here",
]
