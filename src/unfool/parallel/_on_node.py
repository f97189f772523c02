"""A worker on another machine: it gets the pieces that its job touches, and sends back what the job changed."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from unfool.errors import not_installed
from unfool.parallel import _pieces as pieces
from unfool.parallel._jobs import lost_its_gpu, try_job


class Setup(NamedTuple):
    """What a worker on a node is told once."""

    started_in: str
    modules_in: Sequence[str]
    environment: Mapping[str, str]
    folders: Sequence[Callable[[], Path] | None]
    shared: bytes


class Sent(NamedTuple):
    """A piece as it is in the caller's folder, and where its files can be had."""

    place: pieces.Place
    version: pieces.Version
    files: Any


class Reply(NamedTuple):
    """What a job came to: its result and its problem, packed; the pieces it wrote; the node it was done on."""

    came_to: bytes
    written: Sequence[tuple[pieces.Place, pieces.Content]]
    node: str


class OnNode:
    """A worker on a node, which does one job at a time and keeps what the jobs have opened."""

    def __init__(self) -> None:
        self._ray = import_ray()
        self._own = Path(tempfile.mkdtemp(prefix="unfool-"))
        self._has = dict[pieces.Place, pieces.Version]()
        self._setup: Setup | None = None

    def do(self, told: Sequence[Any], packed: bytes, sent: Sequence[Sent]) -> Reply:
        """Do a job and return what came of it; ``told`` has the setup, which is read once."""
        if self._setup is None:
            self._setup = self._ray.get(told[0])
            _settle(self._setup)
        work, job = pieces.unpacked(packed, self._folders)
        before = {each.place: self._take_in(each) for each in sent}
        done = try_job(work, self._shared, job)
        if lost_its_gpu(done):
            os._exit(1)  # Ray starts another and has it do the job
        after = {place: pieces.version(place.below(self._folders)) for place in before}
        changed = [place for place in before if after[place] != before[place]]
        self._has |= dict.fromkeys(changed, ())
        return Reply(
            pieces.packed((done.result, done.problem), self._folders),
            [(place, pieces.content(place.below(self._folders))) for place in changed],
            self._ray.get_runtime_context().get_node_id(),
        )

    @cached_property
    def _folders(self) -> list[Path]:
        assert self._setup is not None
        own = (self._own / str(number) for number in range(len(self._setup.folders)))
        return [there().absolute() if there else mine for there, mine in zip(self._setup.folders, own, strict=True)]

    @cached_property
    def _shared(self) -> Any:
        assert self._setup is not None
        return pieces.unpacked(self._setup.shared, self._folders)

    def close(self) -> None:
        """Leave nothing behind."""
        shutil.rmtree(self._own, ignore_errors=True)

    def _take_in(self, sent: Sent) -> pieces.Version:
        """Make a piece here what it is there, and return its version here before the job."""
        place, path = sent.place, sent.place.below(self._folders)
        path.parent.mkdir(parents=True, exist_ok=True)
        assert self._setup is not None
        if self._setup.folders[place.folder] is not None:  # a cache: what it has, stays
            if sent.version and not path.exists():
                with suppress(OSError):  # another worker of this machine was faster
                    pieces.put(path, self._ray.get(sent.files), self._folders[place.folder])
            return sent.version and pieces.version(path)
        if self._has.get(place, ()) != sent.version:
            pieces.put(path, self._ray.get(sent.files), self._folders[place.folder])
            self._has[place] = sent.version
        return pieces.version(path)


def _settle(setup: Setup) -> None:
    """Make this process as like the caller's as another machine allows."""
    os.environ.update(setup.environment)
    os.environ.setdefault("RAYON_NUM_THREADS", "1")
    os.environ.setdefault("PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True")
    with suppress(OSError):  # names of files mean what they mean to the caller, if this machine has them
        os.chdir(setup.started_in)
    sys.path += [place for place in (os.getcwd(), *setup.modules_in) if place and place not in sys.path]


def import_ray() -> Any:
    """Return Ray.

    Raises:
        UserError: It is not installed.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        import ray
    except ImportError:
        raise not_installed("a cluster is worked by Ray", "ray") from None
    return ray
