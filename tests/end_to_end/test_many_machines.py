"""The files of examples/scale do what docs/scale.md says of them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml  # type: ignore[import-untyped]

from unfool.job import merge
from unfool.runs import Run

EXAMPLES = Path(__file__).parents[2] / "examples" / "scale"
REVIEWS = Path(__file__).parent / "reviews.csv"
VICTIM = "py:victim:probabilities"
WRITTEN = """
def probabilities(texts):
    good = [sum(map(text.lower().count, ("good", "great", "fine", "love"))) + 1 for text in texts]
    bad = [sum(map(text.lower().count, ("bad", "dull", "awful", "worst"))) + 1 for text in texts]
    return [{"negative": b / (g + b), "positive": g / (g + b)} for g, b in zip(good, bad)]
"""
OPTIONS = ("--victim", VICTIM, "--data", "reviews.csv", "--attack", "key:draws=5")
FILES = ("config.json", "outcomes.jsonl", "summary.json")


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the run of one machine."""
    place = machine(tmp_path_factory.mktemp("alone"))
    call([sys.executable, "-m", "unfool", "attack", *OPTIONS, "--out", "run", "--quiet"], place)
    return place / "run"


def machine(folder: Path) -> Path:
    """A folder with what a machine needs."""
    folder.mkdir(exist_ok=True)
    (folder / "victim.py").write_text(WRITTEN)
    shutil.copy(REVIEWS, folder)
    return folder


def call(command: list[str], cwd: Path, **more: str) -> None:
    path = os.pathsep.join((str(cwd / "bin"), str(Path(sys.executable).parent), os.environ["PATH"]))
    done = subprocess.run(
        command, cwd=cwd, env={**os.environ, "PATH": path, **more}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def files(run: Path) -> dict[str, bytes]:
    return {name: (run / name).read_bytes() for name in FILES}


@pytest.mark.skipif(not shutil.which("bash"), reason="the script is bash")
@pytest.mark.parametrize("shared", [True, False], ids=["a shared disk", "disks of their own"])
def test_ssh(shared: bool, alone: Path, tmp_path: Path) -> None:
    here = machine(tmp_path / "here")
    folders = [here, here] if shared else [machine(tmp_path / name) for name in ("first", "second")]
    (here / "machines.txt").write_text("".join(f"machine:{folder}\n" for folder in folders))
    ssh = here / "bin" / "ssh"  # such as it is where both machines are this one
    ssh.parent.mkdir()
    ssh.write_text('#!/bin/sh\n[ "$1 $2" = "-n machine" ] && exec bash -c "$3"\n')
    ssh.chmod(0o755)
    call(["bash", str(EXAMPLES / "ssh.sh"), "machines.txt", "run", *OPTIONS], here)
    assert files(here / "run") == files(alone)


@pytest.mark.skipif(not shutil.which("bash"), reason="the script is bash")
def test_slurm(alone: Path, tmp_path: Path) -> None:
    script = (EXAMPLES / "slurm.sh").read_text()
    assert re.findall(r"^#SBATCH --array=1-(\d+)$", script, re.MULTILINE) == ["16"]
    place = machine(tmp_path / "here")
    for task in "12":
        variables = {"SLURM_ARRAY_TASK_ID": task, "SLURM_ARRAY_TASK_COUNT": "2"}
        call(["bash", str(EXAMPLES / "slurm.sh"), *OPTIONS, "--out", "run"], place, **variables)
    assert files(merge(place / "run", progress=False).folder) == files(alone)


def test_kubernetes(tmp_path: Path) -> None:
    job = yaml.safe_load((EXAMPLES / "kubernetes.yaml").read_text())
    spec = job["spec"]
    (container,) = spec["template"]["spec"]["containers"]
    assert (job["kind"], spec["completionMode"]) == ("Job", "Indexed")
    mounted = {volume["name"] for volume in spec["template"]["spec"]["volumes"]}
    assert {mount["name"] for mount in container["volumeMounts"]} == mounted
    place = machine(tmp_path / "here")
    (told,) = container["args"]
    command = told.replace("hf:./model", VICTIM).replace("pwws ", "key:draws=5 ", 1)
    call([*container["command"], command], place, JOB_COMPLETION_INDEX="3")
    (shard,) = (place / "runs" / "pwws" / "shards").iterdir()
    assert Run.open(shard).config["shard"] == f"4/{spec['completions']}"
