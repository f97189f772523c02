"""A full disk and missing rights: one line each, and what was done is kept."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.end_to_end.command import REVIEWS, VADER, Finished, attack, lines, results, surroundings, unfool

pytestmark = [
    pytest.mark.usefixtures("word_vectors"),
    pytest.mark.skipif(os.geteuid() != 0, reason="mounting a small disk and giving up rights need root"),
]
RANDOM = "random:trials=20"


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    place = tmp_path / "small"
    place.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=128k", "tmpfs", place], capture_output=True).returncode:
        pytest.skip("no file system may be mounted here")
    yield place
    subprocess.run(["umount", place], check=True)


def test_a_disk_that_fills_up(small_disk: Path, tmp_path: Path) -> None:
    ballast = small_disk / "ballast"
    ballast.write_bytes(bytes(100_000))
    arguments = attack(VADER, RANDOM, small_disk / "run", "--in-flight", 2)
    full = unfool(*arguments, cwd=tmp_path)
    assert full.code == 2
    (line,) = full.err.splitlines()
    assert line.startswith("error: ")
    assert "No space left on device" in line
    assert "--resume" in line
    assert 5 < lines(small_disk / "run" / "outcomes.jsonl") < 60
    ballast.unlink()
    resumed = unfool(*arguments, "--resume", cwd=tmp_path)
    assert (resumed.code, resumed.err) == (0, "")
    assert unfool(*attack(VADER, RANDOM, "whole"), cwd=tmp_path).code == 0
    assert results(small_disk / "run") == results(tmp_path / "whole")


AS_NOBODY = """
import os, sys
from unfool.cli import main

cut = sys.argv.index("then")
rehearsal, real = sys.argv[1:cut], sys.argv[cut + 1:]
try:
    sys.argv[1:] = rehearsal
    main()
except SystemExit as end:
    assert end.code == 0
os.setgid(65534)
os.setuid(65534)
sys.argv[1:] = real
main()
"""


def as_nobody(rehearsal: list[object], real: list[object], cwd: Path) -> Finished:
    """Run two commands in one process, the second without rights, and return how that ended.

    Python itself may live where nobody else can read, so the first command loads all that the second needs.
    """
    command = [sys.executable, "-c", AS_NOBODY, *map(str, [*rehearsal, "then", *real])]
    done = subprocess.run(command, cwd=cwd, env=surroundings({}), capture_output=True, text=True, timeout=300)
    return Finished(done.returncode, done.stdout, done.stderr)


@pytest.fixture
def public_place() -> Iterator[Path]:
    """A folder that other users reach, unlike pytest's own, but may not write."""
    place = Path(tempfile.mkdtemp())
    place.chmod(0o755)
    yield place
    shutil.rmtree(place)


def test_no_right_to_write_or_to_read(public_place: Path) -> None:
    shutil.copy(REVIEWS, public_place / "open.csv")
    shutil.copy(REVIEWS, public_place / "secret.csv")
    (public_place / "secret.csv").chmod(0o600)
    rehearsal = attack(VADER, "random", "first", data="open.csv")
    refused = {
        "cannot write forbidden: Permission denied": attack(VADER, "random", "forbidden", data="open.csv"),
        "cannot read 'secret.csv': Permission denied": attack(VADER, "random", "other", data="secret.csv"),
    }
    for said, real in refused.items():
        done = as_nobody(rehearsal, real, public_place)
        assert done.code == 2
        (line,) = done.err.splitlines()
        assert line.startswith(f"error: {said}")
        shutil.rmtree(public_place / "first")


def test_no_right_to_read_a_run(public_place: Path) -> None:
    assert unfool(*attack(VADER, "random", "run"), cwd=public_place).code == 0
    shutil.copytree(public_place / "run", public_place / "open")
    (public_place / "run").chmod(0o700)
    done = as_nobody(["show", "open", "--json"], ["show", "run"], public_place)
    assert done.code == 2
    (line,) = done.err.splitlines()
    assert line.startswith("error: cannot read run: Permission denied")
