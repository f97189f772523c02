"""Three nodes of a Ray cluster, all on this machine, and the ends they may come to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from tests.end_to_end.command import fetch_or_skip

NODES = 3
_SMALL: dict[str, Any] = {"num_cpus": 1, "object_store_memory": 100 << 20, "include_dashboard": False}


@dataclass
class Nodes:
    """A cluster of one head and two nodes that can be lost."""

    cluster: Any
    losable: list[Any] = field(default_factory=list)

    @property
    def address(self) -> str:
        """What commands are given as --cluster."""
        return str(self.cluster.address)

    def add(self, **resources: float) -> None:
        """Start one more node."""
        self.losable.append(self.cluster.add_node(**_SMALL | resources))

    def lose_one(self) -> None:
        """Kill a node with all that runs on it, as a power cut does."""
        self.cluster.remove_node(self.losable.pop(), allow_graceful=False)


@pytest.fixture(scope="session")
def wordnet() -> None:
    """Where PWWS finds synonyms."""
    fetch_or_skip("wordnet")


@pytest.fixture
def nodes(monkeypatch: pytest.MonkeyPatch) -> Iterator[Nodes]:
    api = pytest.importorskip("ray.cluster_utils", reason="needs Ray: make test-cluster installs it")
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    found = Nodes(api.Cluster(initialize_head=True, head_node_args=_SMALL))
    try:
        for _ in range(NODES - 1):
            found.add()
        yield found
    finally:
        found.cluster.shutdown()


@pytest.fixture
def same_bytes() -> Callable[[Path, Path, tuple[str, ...]], None]:
    """Hold the files of two folders equal, by the names they end with."""

    def compare(one: Path, other: Path, names: tuple[str, ...]) -> None:
        files = {folder: _files(folder, names) for folder in (one, other)}
        assert files[one].keys() == files[other].keys()
        assert files[one]
        for name, data in files[one].items():
            assert data == files[other][name], name

    return compare


def _files(folder: Path, names: tuple[str, ...]) -> dict[str, bytes]:
    found = (path for path in folder.rglob("*") if path.is_file() and path.name.endswith(names))
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}
