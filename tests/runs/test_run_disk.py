"""A second process, a full disk, a folder that may not be written: one line each, and nothing lost."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from unfool.engine import Outcome
from unfool.errors import UserError
from unfool.runs import Run
from unfool.storage import JSON

CONFIG: dict[str, JSON] = {"attack": "pwws"}

# A rehearsal loads every module: once it has dropped its rights, the process may not reach Python's own files.
TRY = """
import os, sys, tempfile
from unfool.errors import UserError
from unfool.runs import Run
method, folder, user = sys.argv[1:]
config = {"attack": "pwws"}
with tempfile.TemporaryDirectory() as rehearsal:
    Run.create(rehearsal, config).close()
    Run.resume(rehearsal, config).close()
if user:
    os.setuid(int(user))
try:
    getattr(Run, method)(folder, config).close()
except UserError as error:
    print(error)
"""


def try_elsewhere(method: str, folder: Path, user: str = "") -> str:
    command = [sys.executable, "-c", TRY, method, str(folder), user]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout


def record_all(run: Run, outcomes: list[Outcome]) -> None:
    for outcome in outcomes:
        run.record(outcome)
        run.flush()


def test_two_processes_cannot_write_one_run(tmp_path: Path) -> None:
    with Run.create(tmp_path / "run", CONFIG):
        assert "another process is writing" in try_elsewhere("resume", tmp_path / "run")
    assert try_elsewhere("resume", tmp_path / "run") == ""


def test_two_writers_in_one_process_cannot_either(tmp_path: Path) -> None:
    with Run.create(tmp_path / "run", CONFIG), pytest.raises(UserError, match="another process is writing"):
        Run.resume(tmp_path / "run", CONFIG)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    place = tmp_path / "small"
    place.mkdir()
    if os.geteuid() != 0:
        pytest.skip("mounting a small disk needs root")
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", place], capture_output=True)
    if mounted.returncode != 0:
        pytest.skip("no file system may be mounted here")
    yield place
    subprocess.run(["umount", place], check=True)


def test_a_full_disk_keeps_what_was_done(small_disk: Path, outcome: Outcome) -> None:
    folder, ballast = small_disk / "run", small_disk / "ballast"
    ballast.write_bytes(bytes(150_000))
    run = Run.create(folder, CONFIG)
    with pytest.raises(UserError, match=r"No space left on device.*kept.*--resume"):
        record_all(run, [replace(outcome, id=number) for number in range(1000)])
    with pytest.raises(UserError, match="No space left on device"):
        run.close()
    assert (folder / "outcomes.jsonl").stat().st_size > 50_000
    ballast.unlink()
    with Run.resume(folder, CONFIG) as run:
        kept = len(run)
        assert 0 < kept < 1000
        assert run.done == set(range(kept))
        run.record(replace(outcome, id=5000))
        assert run.finish().samples == kept + 1


def test_a_disk_that_fills_up_while_finishing_keeps_what_was_done(small_disk: Path, outcome: Outcome) -> None:
    folder, ballast = small_disk / "run", small_disk / "ballast"
    with Run.create(folder, CONFIG) as run:
        for number in reversed(range(200)):
            run.record(replace(outcome, id=number))
        run.flush()
        ballast.write_bytes(bytes(120_000))
        with pytest.raises(UserError, match="No space left on device"):
            run.finish()
    assert not list(folder.glob("*.part"))
    ballast.unlink()
    with Run.resume(folder, CONFIG) as run:
        assert run.finish().samples == 200


@pytest.fixture
def open_place() -> Iterator[Path]:
    """A folder that other users reach, unlike pytest's own."""
    place = Path(tempfile.mkdtemp())
    place.chmod(0o755)
    yield place
    shutil.rmtree(place)


def test_a_folder_that_may_not_be_written(open_place: Path) -> None:
    nobody = "65534" if os.geteuid() == 0 else ""
    Run.create(open_place / "run", CONFIG).close()
    places = [*(open_place / "run").iterdir(), open_place / "run", open_place]
    for path in places:
        path.chmod(0o555)
    assert "Permission denied; choose another folder" in try_elsewhere("create", open_place / "new", nobody)
    assert "Permission denied; what was done is kept" in try_elsewhere("resume", open_place / "run", nobody)
    (open_place / "run").chmod(0)
    assert "cannot read" in try_elsewhere("resume", open_place / "run", nobody)
    for path in reversed(places):
        path.chmod(0o755)
    Run.resume(open_place / "run", CONFIG).close()


def test_a_file_where_the_folder_should_be(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("a file")
    for place in ("run", "run/in/it"):
        with pytest.raises(UserError, match=r"/run is a file, and a folder is needed there; choose another --out"):
            Run.create(tmp_path / place, CONFIG)
