"""Three nodes of a Ray cluster, all on this machine, and the ends they may come to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from tests.end_to_end.command import fetch_or_skip

NODES = 3
_CROWD = """
import zlib
from math import exp

labels = ("negative", "positive")


def weight(number, word):
    shared, own = (zlib.crc32(f"{each} {word}".encode()) for each in (number % 3, f"own {number}"))
    return shared % 101 / 50 - 1 + own % 7 / 7


def classifier(number):
    def answer(texts):
        scores = [sum(weight(number, word) for word in text.lower().split()) for text in texts]
        return [[1 / (1 + exp(score)), 1 / (1 + exp(-score))] for score in scores]

    return answer


one, two, three, four, five, six = map(classifier, range(6))
"""
Compare = Callable[[Path, Path, tuple[str, ...]], None]
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
def nodes() -> Iterator[Nodes]:
    """A cluster for one test, which may lose a node."""
    with _started() as found:
        yield found


@pytest.fixture(scope="module")
def standing() -> Iterator[Nodes]:
    """A cluster for tests that leave it as it is."""
    with _started() as found:
        yield found


@contextmanager
def _started() -> Iterator[Nodes]:
    api = pytest.importorskip("ray.cluster_utils", reason="needs Ray: make test-cluster installs it")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        found = Nodes(api.Cluster(initialize_head=True, head_node_args=_SMALL))
        try:
            for _ in range(NODES - 1):
                found.add()
            yield found
        finally:
            found.cluster.shutdown()


@pytest.fixture
def crowd(tmp_path: Path) -> list[str]:
    """Six victims in a file where commands are given: the names of those that differ less stand three apart."""
    (tmp_path / "crowd.py").write_text(_CROWD)
    return [f"py:crowd:{name}" for name in ("one", "two", "three", "four", "five", "six")]


@pytest.fixture
def same_bytes() -> Compare:
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
