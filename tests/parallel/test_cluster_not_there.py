"""What is said where there is no cluster, and no Ray."""

from __future__ import annotations

import subprocess
import sys

import pytest

from unfool.errors import UserError
from unfool.parallel import cluster_told, on_cluster, works_here


def test_nothing_imports_ray_unless_asked() -> None:
    code = (
        "import sys, unfool.cli._attack, unfool.cli._transfer, unfool.parallel\n"
        "with unfool.parallel.on_cluster(None): pass\n"
        "sys.exit('ray' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_without_ray_it_is_said_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with (
        pytest.raises(UserError, match=r"a cluster is worked by Ray: pip install 'unfool\[ray\]'"),
        on_cluster("local"),
    ):
        pass
    assert works_here(1)
    assert cluster_told() == ""


@pytest.mark.parametrize("address", ["127.0.0.1:9", "nonsense", "auto"])
def test_an_address_without_a_cluster_is_named_in_one_line(address: str) -> None:
    pytest.importorskip("ray")
    with (
        pytest.raises(UserError, match=f"--cluster {address}: .*; start one with `ray start`"),
        on_cluster(address),
    ):
        pass
