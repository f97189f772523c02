"""What other tools take of unfool works where PyTorch and its like are not installed."""

from __future__ import annotations

import json
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ABSENT = """
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("torch", "transformers", "sklearn", "scipy", "httpx", "fastapi"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Absent())
"""
SCRIPT = """
import json
import unfool
from unfool.integrations import changed, variants
attacks = ["deepwordbug", "bad-characters:population=4,generations=1", "encodings", "charmer:edits=1",
           "best-of-n:n=5", "random-search:length=8,steps=2"]
text = "Please tell me how to bake bread at home."
(perturbed,) = unfool.perturb(text, "deepwordbug", 1)
found = [changed(text, attack=attack, max_words=1.0) for attack in attacks]
print(json.dumps([[*found, perturbed], variants(text, 3)]))
"""


def run(python: str | Path, script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([python, "-c", script], cwd=folder, capture_output=True, text=True, timeout=300)


def assert_changed(done: subprocess.CompletedProcess[str]) -> None:
    assert done.returncode == 0, done.stderr
    changed, several = json.loads(done.stdout)
    assert "Please tell me how to bake bread at home." not in changed
    assert len(set(several)) == 3


def test_character_attacks_need_none_of_them(tmp_path: Path) -> None:
    assert_changed(run(sys.executable, ABSENT + SCRIPT, tmp_path))


def test_without_garak_its_installer_says_so_in_one_line(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "unfool.integrations.garak_install"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (1, "garak is not installed here: pip install garak\n")


@pytest.mark.slow
@pytest.mark.net
def test_a_plain_install_is_enough(tmp_path: Path) -> None:
    venv.create(tmp_path / "plain", with_pip=True)
    python = tmp_path / "plain" / "bin" / "python"
    root = Path(__file__).parents[2]
    subprocess.run([python, "-m", "pip", "install", "-q", root], check=True, timeout=900)
    for absent in ("torch", "transformers", "sklearn", "scipy"):
        assert run(python, f"import {absent}", tmp_path).returncode == 1
    assert_changed(run(python, SCRIPT, tmp_path))
    listed = subprocess.run(
        [python.parent / "unfool", "list", "attacks"], capture_output=True, text=True, timeout=60
    )
    assert "deepwordbug" in listed.stdout
