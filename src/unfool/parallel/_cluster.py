"""Jobs on a Ray cluster: actors on its nodes do them, and what they write comes back to the caller's folders.

Ray finds places, starts actors again elsewhere and repeats what a lost node had under way. That each result arrives
once is settled here: a piece is put into the caller's folder whole, by the one answer that Ray returns.
"""

from __future__ import annotations

import os
import socket
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from unfool.errors import UserError, counted, first_line
from unfool.parallel import _pieces as pieces
from unfool.parallel._jobs import Cause, Done, Job, Problem, Result, Shared, ended_early
from unfool.parallel._on_node import OnNode, Reply, Sent, Setup, import_ray

_MOST_RETRIES = 5
"""A lost node costs a job some, and one that ends its worker every time must end."""
_LOOK_EVERY_SECONDS = 1.0
_SECONDS_TO_ANSWER = 5.0
_MOST_NODES_NAMED = 4
_PASSED_ON = ("UNFOOL_", "HF_")
"""Variables of these names say where things lie and whether to stay offline; they hold for the nodes, too."""

_in_use: ContextVar[Cluster | None] = ContextVar("cluster", default=None)


class Cluster:
    """A cluster that this process is connected with.

    Attributes:
        at_once: How many jobs it can have under way: one a core.
        gpus: The GPUs of all nodes.
    """

    def __init__(self) -> None:
        self.ray = import_ray()
        has = self.ray.cluster_resources()
        self.at_once, self.gpus = max(1, int(has.get("CPU", 1))), int(has.get("GPU", 0))
        self._began, self._done_by = time.monotonic(), Counter[str]()

    def nodes(self) -> dict[str, str]:
        """Return the names of the nodes that are alive; of several with one name, with their number."""
        alive = [node for node in self.ray.nodes() if node["Alive"]]
        times = Counter(node["NodeName"] for node in alive)
        return {
            node["NodeID"]: node["NodeName"] + (f"#{number}" if times[node["NodeName"]] > 1 else "")
            for number, node in enumerate(alive, start=1)
        }

    def note(self, node: str) -> None:
        """Count a job that a node did."""
        self._done_by[node] += 1

    def told(self) -> str:
        """Return how many nodes are alive, and how many jobs a minute each did."""
        names, minutes = self.nodes(), max(1e-3, (time.monotonic() - self._began) / 60)
        nodes, rate = counted(len(names), "node", "nodes"), self._done_by.total() / minutes
        if len(names) > _MOST_NODES_NAMED:
            return f"{nodes}, {rate:.3g} jobs a minute"
        each = ", ".join(f"{name} {self._done_by[node] / minutes:.3g}" for node, name in names.items())
        return f"{nodes}, jobs a minute: {each}"


@contextmanager
def on_cluster(address: str | None) -> Iterator[None]:
    """Let the jobs of all work inside the block be done on a Ray cluster.

    Args:
        address: ``HOST:PORT``, ``auto`` for the cluster that this machine is a node of, or ``local`` for one of
            this machine alone. None leaves the jobs here.

    Raises:
        UserError: Ray is not installed, or there is no cluster.
    """
    if address is None:
        yield
        return
    ray = import_ray()
    how: dict[str, Any] = {"include_dashboard": False} if address == "local" else {"address": address}
    try:
        _knock(address)
        ray.init(log_to_driver=False, logging_level="error", **how)
    except (OSError, RuntimeError, ValueError) as error:
        raise UserError(
            f"--cluster {address}: {first_line(error).rstrip('.')}; start one with `ray start`, with this machine "
            "among its nodes, or say local"
        ) from error
    try:
        before = _in_use.set(Cluster())
        try:
            yield
        finally:
            _in_use.reset(before)
    finally:
        ray.shutdown()


@contextmanager
def on_this_machine() -> Iterator[None]:
    """Let the jobs of all work inside the block stay here, whatever cluster is in use."""
    before = _in_use.set(None)
    try:
        yield
    finally:
        _in_use.reset(before)


def cluster_told() -> str:
    """Say which nodes are at work and how fast; nothing where no cluster is in use."""
    return in_use.told() if (in_use := _in_use.get()) else ""


def cluster_in_use() -> Cluster | None:
    """Return the cluster that jobs are done on now, if there is one."""
    return _in_use.get()


def _knock(address: str) -> None:
    """Raise an error at once where nobody listens; Ray tries for minutes."""
    host, colon, port = address.rpartition(":")
    if colon and port.isdigit():
        socket.create_connection((host, int(port)), _SECONDS_TO_ANSWER).close()


class OnCluster:
    """Workers on the nodes of a cluster, each an actor that keeps what it has opened from job to job.

    Args:
        cluster: The cluster.
        number: How many workers.
        shared: What every job needs; it is sent to each worker once.
        folders: Where the pieces lie that jobs read and write.
        device: Where the jobs' nets live: a worker asks for its share of a GPU unless that is ``cpu``.
    """

    def __init__(
        self, cluster: Cluster, number: int, shared: object, folders: Sequence[pieces.Folder], device: str
    ) -> None:
        self._cluster, self._ray = cluster, cluster.ray
        self._here = [folder.here.absolute() for folder in folders]
        self._is_cache = [folder.there is not None for folder in folders]
        self._clear()
        number = min(number, cluster.at_once)
        on_gpu = device == "cuda" or (device == "auto" and cluster.gpus > 0)
        self._actor = self._ray.remote(
            num_cpus=1,
            num_gpus=1 / -(-number // max(1, cluster.gpus)) if on_gpu else 0,
            max_restarts=-1,
            max_task_retries=_MOST_RETRIES,
            scheduling_strategy="SPREAD",
        )(OnNode)
        passed_on = {name: value for name, value in os.environ.items() if name.startswith(_PASSED_ON)}
        there = tuple(folder.there for folder in folders)
        self._setup = [
            self._ray.put(Setup(os.getcwd(), sys.path, passed_on, there, pieces.packed(shared, self._here)))
        ]
        self._free, self._actors, self._closed = SimpleQueue[Any](), list[Any](), False
        self._sent = dict[pieces.Place, tuple[pieces.Version, Any]]()
        self._threads = ThreadPoolExecutor(number)
        self._nodes = len(cluster.nodes())

    def start(
        self, work: Callable[[Shared, Job], Result], job: Job, touched: Iterable[Path]
    ) -> Future[Done[Job, Result]]:
        """Start a job that reads and writes these pieces, and return its future."""
        places = [found for path in touched if (found := pieces.place_of(path, self._here))]
        return self._threads.submit(self._carry_out, work, job, places)

    def close(self) -> None:
        """End the workers, also those amid a job."""
        self._closed = True
        ends = [actor.close.remote() for actor in self._drain()]
        self._ray.wait(ends, num_returns=len(ends), timeout=_LOOK_EVERY_SECONDS) if ends else None
        for actor in self._actors:
            self._ray.kill(actor)
        self._threads.shutdown(cancel_futures=True)
        self._clear()

    def _carry_out(
        self, work: Callable[[Any, Job], Result], job: Job, places: Sequence[pieces.Place]
    ) -> Done[Job, Result]:
        actor = self._take()
        packed = pieces.packed((work, job), self._here)
        try:
            reply: Reply = self._answer(
                actor.do.remote(self._setup, packed, [self._send(place) for place in places])
            )
        except self._ray.exceptions.RayTaskError as error:
            self._free.put(actor)
            return Done(job, None, Problem(Cause.BUG, first_line(error.cause), str(error)))
        except self._ray.exceptions.RayError:
            return ended_early(job)
        self._free.put(actor)
        for place, files in reply.written:
            self._keep(place, files)
        self._cluster.note(reply.node)
        return Done(job, *pieces.unpacked(reply.came_to, self._here))

    def _take(self) -> Any:
        """Return a worker that has nothing to do, or a new one."""
        try:
            return self._free.get_nowait()
        except Empty:
            self._actors.append(actor := self._actor.remote())
            return actor

    def _answer(self, coming: Any) -> Any:
        """Wait for an answer; where a node was lost, workers without a job make room for those it had."""
        while not self._ray.wait([coming], timeout=_LOOK_EVERY_SECONDS)[0]:
            if self._closed or len(self._cluster.nodes()) < self._nodes:
                for actor in self._drain():
                    self._ray.kill(actor)
        return self._ray.get(coming)

    def _drain(self) -> Iterator[Any]:
        while True:
            try:
                yield self._free.get_nowait()
            except Empty:
                return

    def _send(self, place: pieces.Place) -> Sent:
        path = place.below(self._here)
        now, known = pieces.version(path), self._sent.get(place)
        if known is None or known[0] != now:
            known = self._sent[place] = now, self._ray.put(pieces.content(path))
        return Sent(place, *known)

    def _keep(self, place: pieces.Place, files: pieces.Content) -> None:
        path = place.below(self._here)
        if not (self._is_cache[place.folder] and path.exists()):
            pieces.put(path, files, self._here[place.folder])

    def _clear(self) -> None:
        """Remove what is left of pieces that were on their way."""
        for here, is_cache in zip(self._here, self._is_cache, strict=True):
            if not is_cache:  # others may be at work in a cache
                pieces.clear(here)
