"""The page on a telephone, on paper, and with names that are long."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.browser.conftest import MakeRun, Opened, OpenReport, sample

from unfool.engine import Outcome, Status
from unfool.runs import Run

pytestmark = pytest.mark.browser

PHONE = {"width": 390, "height": 800}
LONG = "a-run-whose-folder-has-a-name-that-fills-half-a-line"


@pytest.fixture
def runs(make_run: MakeRun) -> list[Run]:
    fell = [sample(each, queries=10 + each) for each in range(3)]
    held = sample(3, "Bad film.", "Bad film.", status=Status.FAILED, reason="no edit found")
    return [make_run(f"{LONG}-{name}", [*fell, held]) for name in ("first", "second", "third", "fourth")]


def cut_off(page: Any, selector: str) -> list[str]:
    """Return the texts of a chart that lie, in part, outside its picture."""
    found: list[str] = page.evaluate(
        """(selector) => [...document.querySelectorAll(selector)].flatMap((figure) => {
            const { left, right } = figure.querySelector(".picture").getBoundingClientRect();
            const outside = (box) => box.left < left - 1 || box.right > right + 1;
            return [...figure.querySelectorAll("svg text")]
                .filter((text) => outside(text.getBoundingClientRect()))
                .map((text) => text.textContent);
        })""",
        selector,
    )
    return found


def beyond(opened: Opened) -> int:
    """Return by how many pixels the page is wider than its window."""
    wider: int = opened.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    return wider


def test_a_telephone_needs_no_scrolling_sideways(open_report: OpenReport, runs: list[Run]) -> None:
    for sources in (runs[:1], runs):
        opened = open_report(*sources, viewport=PHONE)
        assert beyond(opened) == 0
        assert cut_off(opened.page, "figure") == []
        text = opened.page.locator("#samples-grid .row ins").first.bounding_box()
        assert 0 < text["x"] < text["x"] + text["width"] < PHONE["width"]


@pytest.mark.parametrize("width", [820, 1024])
def test_between_a_telephone_and_a_desktop_no_text_is_cut_off(
    open_report: OpenReport, runs: list[Run], width: int
) -> None:
    for sources in (runs[:1], runs):
        page = open_report(*sources, viewport={"width": width, "height": 900}).page
        grid = page.locator("#samples-grid")
        assert grid.evaluate("grid => grid.scrollWidth - grid.clientWidth") == 0
        whole = "row => [...row.children].every((cell) => cell.offsetTop + cell.offsetHeight <= row.clientHeight)"
        assert grid.locator(".body .row").first.evaluate(whole)


def test_on_a_telephone_rows_say_what_their_numbers_are(open_report: OpenReport, runs: list[Run]) -> None:
    page = open_report(runs[0], viewport=PHONE).page
    tops = page.locator("#samples-grid .body .row").evaluate_all("rows => rows.map((row) => row.offsetTop)")
    heights = page.locator("#samples-grid .body .row").evaluate_all("rows => rows.map((row) => row.offsetHeight)")
    assert tops == [sum(heights[:place]) for place in range(len(heights))]
    whole = "row => [...row.children].every((cell) => cell.offsetTop + cell.offsetHeight <= row.clientHeight)"
    first = page.locator("#samples-grid .body .row").first
    assert first.evaluate(whole)
    queries = first.locator("[data-column=Queries]")
    assert "Queries" in queries.evaluate("cell => getComputedStyle(cell, '::before').content")
    page.set_viewport_size({"width": 1280, "height": 900})
    page.wait_for_selector("#samples-grid:not(.narrow)")
    assert queries.evaluate("cell => getComputedStyle(cell, '::before').content") == "none"


def test_a_sample_on_a_telephone_has_its_title_in_one_line(open_report: OpenReport, make_run: MakeRun) -> None:
    page = open_report(make_run("cnn", [sample(25023)]), viewport=PHONE).page
    page.locator("#samples-grid .body .row").first.click()
    assert page.locator("#detail-title").bounding_box()["height"] < 50


def test_a_matrix_is_scrolled_rather_than_shrunk(open_report: OpenReport, study: Path) -> None:
    page = open_report(study, viewport=PHONE).page
    scale = "svg => svg.getBoundingClientRect().width / svg.viewBox.baseVal.width"
    assert page.locator("#figure-transfer-1 svg").evaluate(scale) == pytest.approx(1)


def test_long_names_are_told_whole_below_the_curves(open_report: OpenReport, runs: list[Run]) -> None:
    page = open_report(*runs).page
    assert cut_off(page, "figure") == []
    legend = page.locator("#figure-success-by-queries .role-legend-label text").all_text_contents()
    assert [name.rsplit("-", 1)[1] for name in legend] == ["first", "second", "third", "fourth"]


def test_on_a_telephone_long_names_keep_the_end_by_which_they_differ(
    open_report: OpenReport, runs: list[Run]
) -> None:
    page = open_report(*runs, viewport=PHONE).page
    for figure in ("rates", "success-by-queries"):
        legend = page.locator(f"#figure-{figure} .role-legend-label text").all_text_contents()
        assert [name.rsplit("-", 1)[1] for name in legend] == ["first", "second", "third", "fourth"]
        assert all("…" in name for name in legend)


def test_high_rates_are_told_within_the_picture(open_report: OpenReport, make_run: MakeRun) -> None:
    def outcomes(held: int) -> list[Outcome]:
        ended = [Status.SKIPPED] * 6 + [Status.FAILED] * held + [Status.SUCCESS] * (18 - held)
        return [sample(number, status=status) for number, status in enumerate(ended)]

    page = open_report(*(make_run(f"held-{held}", outcomes(held)) for held in (1, 2, 3)), viewport=PHONE).page
    assert "94.4%" in page.locator("#figure-rates svg").text_content()
    assert cut_off(page, "#figure-rates") == []


def test_paper_has_both_curves_abreast_and_nothing_that_must_be_opened(
    open_report: OpenReport, runs: list[Run]
) -> None:
    page = open_report(*runs).page
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 700, "height": 900})
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    tops = [figure.bounding_box()["y"] for figure in page.locator("#curves figure").all()]
    assert tops[0] == tops[1]
    assert not any(summary.is_visible() for summary in page.locator("summary").all())
    swatch = page.locator("article.run .swatch").first
    assert swatch.evaluate("each => getComputedStyle(each).printColorAdjust") == "exact"


def test_every_run_of_a_comparison_tells_its_settings(open_report: OpenReport, runs: list[Run]) -> None:
    opened = open_report(*runs)
    for summary in opened.page.locator("article.run summary").all():
        summary.click()
    told = opened.texts("article.run details")
    assert ["pwws:variant=paper" in each for each in told] == [True] * 4


def test_on_a_telephone_buttons_do_not_touch_the_cards(open_report: OpenReport, runs: list[Run]) -> None:
    page = open_report(runs[0], viewport=PHONE).page
    buttons = page.locator("#summary .heading .saving").bounding_box()
    assert page.locator("#summary .cards").bounding_box()["y"] - buttons["y"] - buttons["height"] >= 8


def test_a_large_run_says_that_some_of_its_samples_are_here(open_report: OpenReport, make_run: MakeRun) -> None:
    shown = 20_000
    large = make_run("large", [sample(each) for each in range(shown + 1)])
    opened = open_report(large)
    (told,) = opened.texts("#samples .warning")
    assert told.startswith("20,000 of 20,001 samples are on this page, spread evenly.")
    assert "unfool show RUN --id" in told
    assert opened.misdeeds == []
    assert open_report(make_run("small", [sample(0)])).texts("#samples .warning") == []
