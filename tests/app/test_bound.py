"""Servers are reached where they are bound, and by default nowhere else."""

from __future__ import annotations

import socket
import sys
from pathlib import Path

import pytest
from tests.app.serving import served
from tests.app.serving_runs import serving_runs
from tests.rating.conftest import MakeRun

from unfool.rating import new_study

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere 127.0.0.2 is no address of this machine")
OTHER = "127.0.0.2"
"""An address of this machine beside the one that is the default."""


def is_reached(host: str, address: str) -> bool:
    try:
        with socket.create_connection((host, int(address.rpartition(":")[2])), timeout=10):
            return True
    except ConnectionRefusedError:
        return False


def test_pages_are_bound_to_one_address_of_this_machine(tmp_path: Path) -> None:
    with serving_runs(tmp_path) as address:
        assert address.startswith("http://127.0.0.1:")
        assert is_reached("127.0.0.1", address)
        assert not is_reached(OTHER, address)
    with serving_runs(tmp_path, "--host", "0.0.0.0", "--password", "secret") as address:
        assert is_reached(OTHER, address)


def test_raters_pages_are_bound_to_one_address_of_this_machine(make_run: MakeRun, tmp_path: Path) -> None:
    new_study(tmp_path / "study", [make_run("pwws", 2)], "label", gold=0).store.close()
    with served(tmp_path / "study") as server:
        assert is_reached("127.0.0.1", server.url)
        assert not is_reached(OTHER, server.url)
