"""The versions on the page of other tools are those that were tried, and all of them worked."""

from __future__ import annotations

import json
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_page_names_the_versions_that_were_tried() -> None:
    tried = json.loads((ROOT / "results" / "frameworks.json").read_text("utf-8"))
    page = (ROOT / "docs" / "other-tools.md").read_text("utf-8")
    assert set(tried) == {"garak", "pyrit", "inspect_ai", "promptfoo"}
    for found in tried.values():
        assert found["outcome"] == "passed"
        assert f") {found['version']} |" in page
