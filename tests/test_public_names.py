"""What ``unfool.`` offers."""

from __future__ import annotations

import subprocess
import sys

import unfool


def test_tab_offers_the_public_names_alone() -> None:
    public = ["__version__", "attack", "data", "evaluate", "harden", "report", "transfer", "victims"]
    assert dir(unfool) == sorted(public)
    assert all(hasattr(unfool, name) for name in public)


def test_rooms_are_there_without_an_import_of_their_own() -> None:
    code = "import unfool; unfool.data.from_texts; unfool.victims.open_victim; unfool.report.write; dir(unfool)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_name_that_does_not_exist_is_no_attribute() -> None:
    assert not hasattr(unfool, "atack")
    assert not hasattr(unfool, "_nothing")
