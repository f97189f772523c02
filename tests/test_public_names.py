"""What ``unfool.`` offers."""

from __future__ import annotations

import subprocess
import sys

import unfool


def test_tab_offers_the_public_names_alone() -> None:
    rooms = {"attacks", "data", "report", "rules", "runs", "transfer", "victims"}
    functions = {
        "attack",
        "attack_all",
        "evaluate",
        "find_attack",
        "from_texts",
        "harden",
        "load_data",
        "mine_rules",
    }
    functions |= {"augment", "open_victim", "perturb", "transfer_study"}
    values = {"Budget", "Dataset", "Evaluation", "Hardened", "Options", "Reading", "Run", "Runs", "UserError"}
    assert set(dir(unfool)) == {"__version__", *rooms, *functions, *values}
    assert all(callable(getattr(unfool, name)) for name in functions | values)
    assert all(getattr(unfool, name).__doc__ for name in rooms | functions | values)


def test_rooms_are_there_without_an_import_of_their_own() -> None:
    code = "import unfool; unfool.data.from_texts; unfool.victims.open_victim; unfool.report.write; dir(unfool)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_name_that_does_not_exist_is_no_attribute() -> None:
    assert not hasattr(unfool, "atack")
    assert not hasattr(unfool, "_nothing")
