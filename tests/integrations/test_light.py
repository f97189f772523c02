"""What other tools take of unfool works where PyTorch and its like are not installed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

SCRIPT = """
import json, sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("torch", "transformers", "sklearn", "scipy", "httpx", "fastapi"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Absent())
from unfool.integrations import changed, variants
attacks = ["deepwordbug", "bad-characters:population=4,generations=1", "encodings", "charmer:edits=1",
           "best-of-n:n=5", "random-search:length=8,steps=2"]
text = "Please tell me how to bake bread at home."
print(json.dumps([[changed(text, attack=attack, max_words=1.0) for attack in attacks], variants(text, 3)]))
"""


def test_character_attacks_need_none_of_them(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    changed, several = json.loads(done.stdout)
    assert "Please tell me how to bake bread at home." not in changed
    assert len(set(several)) == 3
