"""A translator's run in a browser: source and output side by side, chrF, the filter by drop, where it looked."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.browser.conftest import OpenReport
from tests.browser.test_report_inert import ALIEN

pytest.importorskip("sacrebleu")

from tests.report.test_outputs_shown import HOSTILE, Looks, run_of

from unfool.report import overlay

pytestmark = pytest.mark.browser


def test_source_and_output_stand_side_by_side(open_report: OpenReport, tmp_path: Path) -> None:
    run = run_of(tmp_path)
    opened = open_report(run)
    page = opened.page
    assert "BLEU before → after" in page.inner_text("#summary")
    page.locator("#samples-grid-0").click()
    sides = page.locator("dialog .texts .pair > div")
    source, output = (sides.nth(side).locator(".text").all_text_contents() for side in (0, 1))
    first = next(run.outcomes())
    assert first.outputs is not None
    assert source == [first.original[0], first.perturbed[0]]
    assert output == list(first.outputs)
    left, right = (sides.nth(side).bounding_box() for side in (0, 1))
    assert right["x"] >= left["x"] + left["width"]
    assert page.locator("dialog .texts > div > .text").text_content() == first.original[-1]
    facts = page.inner_text("dialog .facts")
    assert "chrF before" in facts
    assert "100.0 %" in facts


def test_samples_are_filtered_by_what_they_lost(open_report: OpenReport, tmp_path: Path) -> None:
    opened = open_report(run_of(tmp_path))
    assert opened.texts(".told") == ["2 of 2 samples"]
    opened.page.fill("#filter-lost", "99")
    assert opened.texts(".told") == ["0 of 2 samples"]
    opened.page.fill("#filter-lost", "1")
    assert opened.texts(".told") == ["2 of 2 samples"]


def test_cross_attention_is_shown_before_and_after(open_report: OpenReport, tmp_path: Path) -> None:
    run = run_of(tmp_path)
    overlay(run, victim=Looks())
    page = open_report(run).page
    page.locator("#samples-grid-0").click()
    assert page.locator(".cross caption").all_text_contents() == ["Before the change, %", "After the change, %"]
    head = page.locator(".cross table").first.locator("thead th").all_text_contents()
    assert head == ["Output", "the", "film", "is", "good"]
    row = page.locator(".cross table").first.locator("tbody tr").nth(1)
    assert row.locator("th").text_content() == "Film"
    assert row.locator("td").all_text_contents() == ["10.0", "60.0", "10.0", "10.0"]
    assert page.locator("dialog .text mark").count() > 4


@pytest.mark.parametrize("says", HOSTILE.values(), ids=list(HOSTILE))
def test_hostile_outputs_stay_texts(open_report: OpenReport, tmp_path: Path, says: str) -> None:
    run = run_of(tmp_path, says)
    overlay(run, victim=Looks(says))
    page = open_report(run).page
    page.locator("#samples-grid-0").click()
    assert page.locator("dialog .texts .pair > div").nth(1).locator(".text").count() == 2
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert page.locator(ALIEN).count() == 0
