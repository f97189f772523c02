"""BLEU of the zoo's translators, as the page on translators tells it, is that of the kept results."""

from __future__ import annotations

import json
from pathlib import Path

from unfool_papers.scripts.translators import RESULTS, table
from unfool_papers.study.tables import markdown

PAGE = Path(__file__).parents[2] / "docs" / "translators.md"


def test_bleu_is_that_of_the_kept_results() -> None:
    kept = json.loads(RESULTS.read_text("utf-8"))
    assert markdown(table(kept)) in PAGE.read_text("utf-8")
    minutes = [found["training"]["seconds"] / 60 for name, found in kept.items() if "small" not in name]
    assert {f"{each:.1f}" for each in minutes} <= {"7.4", "7.5"}
