"""Processes that work for this one: they share its cores, leave Ctrl-C to it, and end when it ends."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager

from unfool.parallel._cores import usable_cores


@contextmanager
def sharing_cores(processes: int) -> Iterator[None]:
    """Let each process started inside the block use its share of the cores, unless the user said otherwise.

    A library counts its threads before any code of ours runs, so they are told by variables.
    """
    threads = str(max(1, usable_cores() // processes))
    missing = [name for name in ("OMP_NUM_THREADS", "RAYON_NUM_THREADS") if name not in os.environ]
    os.environ.update(dict.fromkeys(missing, threads))
    try:
        yield
    finally:
        for name in missing:
            del os.environ[name]


def serve_parent() -> None:
    """Make this process one that works for another; call it first."""
    # Ctrl-C reaches the whole group; the parent decides what happens then.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    # Batches of every length leave holes in the memory a process keeps: fifteen small nets filled 140 GB of a GPU.
    os.environ.setdefault("PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True")


@contextmanager
def process_pool(workers: int, begin: Callable[[], None] | None = None) -> Iterator[ProcessPoolExecutor]:
    """Give a pool of processes for the block; if it is left by an error, what is under way is not waited for.

    Args:
        workers: How many processes.
        begin: Called in each process first; must survive pickling.
    """
    others = set(multiprocessing.active_children())
    with sharing_cores(workers):
        pool = ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), _begin, (begin,))
        try:
            yield pool
        except BaseException:
            for process in set(multiprocessing.active_children()) - others:
                process.terminate()
            raise
        finally:
            pool.shutdown(cancel_futures=True)


def _begin(begin: Callable[[], None] | None) -> None:
    serve_parent()
    if begin:
        begin()


def _end_with_parent() -> None:
    """A killed parent cannot end its children; one that waits for ever would hold the GPU."""
    parent = multiprocessing.parent_process()
    if parent:
        parent.join()
        os._exit(1)
