"""Processes that work for this one: how many, their share of the cores, Ctrl-C, and their end."""

from __future__ import annotations

import multiprocessing
import os
import re
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing.context import BaseContext

from unfool.parallel._cluster import cluster_in_use

_SLOW_TO_IMPORT = re.compile(r"torch|sklearn\.\w+|pyarrow|transformers\.models\.\w+\.(modeling|tokenization)_\w+")
"""Packages that take seconds to import; what they import themselves comes with them."""


def choose_workers(asked: int | None, *, on_gpu: bool, most: int) -> int:
    """Return how many processes to use: as many as the user asked for; else several only on a GPU or a cluster.

    One process leaves a GPU idle, and has the cores of a CPU to itself.

    Args:
        asked: What the user asked for, or None.
        on_gpu: Whether the work is done on a GPU.
        most: How many can be of use, such as the number of jobs.
    """
    if asked is not None:
        return asked
    if cluster := cluster_in_use():
        return max(1, min(most, cluster.at_once))
    return max(1, min(most, _usable_cores() * 3 // 4)) if on_gpu else 1


@contextmanager
def process_pool(workers: int, begin: Callable[[], None]) -> Iterator[ProcessPoolExecutor]:
    """Give a pool of processes for the block; if the block ends with an error, end them at once.

    Args:
        workers: How many processes.
        begin: Called first in each process; must survive pickling.
    """
    others = set(multiprocessing.active_children())
    with _sharing_cores(workers):
        pool = ProcessPoolExecutor(workers, _context(), _begin, (begin, dict(os.environ)))
        try:
            yield pool
        except BaseException:
            for process in set(multiprocessing.active_children()) - others:
                process.terminate()
            raise
        finally:
            pool.shutdown(cancel_futures=True)


def _context() -> BaseContext:
    """Return how processes start: on Linux forked from one that has imported what takes long, and no more.

    It imports what this process has, since the workers need that, too.
    """
    if sys.platform != "linux":
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([name for name in sys.modules if _SLOW_TO_IMPORT.fullmatch(name)])
    return context


@contextmanager
def _sharing_cores(processes: int) -> Iterator[None]:
    """Let each process started inside the block use its share of the cores, unless the user said otherwise.

    A library counts its threads before any code of ours runs, so they are told by variables.
    """
    threads = str(max(1, _usable_cores() // processes))
    missing = [name for name in ("OMP_NUM_THREADS", "RAYON_NUM_THREADS") if name not in os.environ]
    os.environ.update(dict.fromkeys(missing, threads))
    try:
        yield
    finally:
        for name in missing:
            del os.environ[name]


def _usable_cores() -> int:
    """Count the cores this process may run on, which can be fewer than the machine has."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _begin(begin: Callable[[], None], environment: Mapping[str, str]) -> None:
    # The process it is forked from has the variables of an earlier time.
    os.environ.clear()
    os.environ.update(environment)
    torch, threads = sys.modules.get("torch"), os.environ["OMP_NUM_THREADS"]
    if torch and threads.isdigit():
        torch.set_num_threads(int(threads))
    # Ctrl-C reaches the whole group; the parent decides what happens then.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    # Batches of every length leave holes in the memory a process keeps: fifteen small nets filled 140 GB of a GPU.
    os.environ.setdefault("PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True")
    begin()


def _end_with_parent() -> None:
    """A killed parent cannot end its children; one that waits for ever would hold the GPU."""
    parent = multiprocessing.parent_process()
    if parent:
        parent.join()
        os._exit(1)
