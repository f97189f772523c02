"""The matrix of a transfer study, and rules, on the page."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.browser.conftest import OTHER, Opened, OpenReport

from unfool.rules import Association, Example, Rule, RuleBook, write_rules
from unfool.transfer import short_name

pytestmark = pytest.mark.browser


def row_names(opened: Opened) -> list[str]:
    return [row.split("\t")[0] for row in opened.texts("#transfer-1 details tbody tr")]


def test_the_matrix_is_drawn_told_on_hover_and_readable_as_a_table(open_report: OpenReport, study: Path) -> None:
    opened = open_report(study)
    page = opened.page
    assert page.locator("#figure-transfer-1 svg").count() == 1
    squares = page.locator("#figure-transfer-1 svg .mark-rect path[aria-label]")
    assert squares.count() == 7  # of nine, two have no twin
    squares.first.scroll_into_view_if_needed()
    box = squares.first.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 4, box["y"] + box["height"] / 4)
    page.wait_for_selector("#tooltip:not([hidden])")
    assert "CNN-W-GloVe-1 → CNN-W-GloVe-1" in page.inner_text("#tooltip")
    assert "base rate" in page.inner_text("#tooltip")
    assert "4 of 4" in page.inner_text("#tooltip")
    page.locator("#transfer-1 summary").click()
    first = opened.texts("#transfer-1 details tbody tr")[0]
    assert first.split("\t") == ["CNN-W-GloVe-1", "100.0 %", "50.0 %", "75.0 %"]


def test_rates_orders_and_groups(open_report: OpenReport, study: Path) -> None:
    opened = open_report(study)
    page = opened.page
    page.locator("#transfer-1 summary").click()
    page.select_option("#transfer-1-rate", "corrected")
    assert opened.texts("#transfer-1 details tbody tr")[0].split("\t")[2] == "66.7 %"
    page.select_option("#transfer-1-order", "receives")
    assert [name.split("·")[-1].strip()[:3] for name in row_names(opened)] == ["LST", short_name(OTHER)[:3], "CNN"]
    page.select_option("#transfer-1-group", "architecture")
    assert [name.split(" · ")[0] for name in row_names(opened)] == ["CNN", "LSTM", "other"]
    page.locator("#figure-transfer-1 svg", has_text="LSTM · LSTM").wait_for()


def test_rules_are_searched_and_opened(open_report: OpenReport, tmp_path: Path) -> None:
    pmi = {"good": Association(1.5, -0.5), "bad": Association(-1, 1)}
    rules = (
        Rule("good", "funny", "laughable", 2.5, 8, 6, 3, pmi, Example(4, "A very ", " film")),
        Rule("bad", "dull", "muffled", 1.5, 4),
    )
    write_rules(RuleBook(("bad", "good"), rules), tmp_path / "rules.jsonl")
    opened = open_report(tmp_path / "rules.jsonl")
    page = opened.page
    rows = "#rules-1-grid .body [role=row]"
    assert [row.split("\n")[0] for row in opened.texts(rows)] == ["funny", "dull"]
    assert all(f"{column}: " in page.inner_text("#rules-1 p.quiet") for column in ("Salience", "Places", "Flips"))
    page.get_by_role("columnheader", name="Word").get_by_role("button").click()
    assert [row.split("\n")[0] for row in opened.texts(rows)] == ["dull", "funny"]
    page.locator("#rules-1 input[type=search]").fill("laugh")
    assert opened.texts("#rules-1 .told") == ["1 of 2 rules"]
    page.locator(rows).first.click()
    dialog = page.inner_text("dialog")
    assert "flips 3 of 6 right answers [18.8 %, 81.2 %]" in dialog
    page.emulate_media(media="print")
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    paper = page.locator("#rules-1 .printed")
    assert paper.is_visible()
    assert [row.split("\t")[:2] for row in paper.locator("tbody tr").all_inner_texts()] == [["funny", "laughable"]]
    assert opened.texts("dialog ins") == ["laughable"]
