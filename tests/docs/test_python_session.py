"""The session of `docs/python.md`, run as it stands there."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.docs.markdown import ROOT, blocks
from tests.end_to_end.command import fetch_or_skip, surroundings


def test_the_session_runs_as_it_stands_there(tmp_path: Path) -> None:
    fetch_or_skip("wordnet")
    session = "\n".join(blocks((ROOT / "docs" / "python.md").read_text("utf-8"), "python"))
    done = subprocess.run(
        [sys.executable, "-c", session], cwd=tmp_path, env=surroundings({}), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "('negative', 'positive')" in done.stdout
    assert "success" in done.stdout, "an attack that never succeeds shows nothing"
    assert done.stdout.endswith("did you mean 'released'?\n")
    assert (tmp_path / "session" / "report.html").is_file()
