"""What a reader does with the page."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from tests.browser.conftest import MakeRun, Opened, OpenReport, sample

from unfool.engine import Status, Verdict
from unfool.runs import Run

pytestmark = pytest.mark.browser

ROWS = "#samples-grid .body [role=row]"


@pytest.fixture
def few(make_run: MakeRun) -> Run:
    return make_run(
        "few",
        [
            sample(0, queries=30),
            sample(
                1,
                "A dull story.",
                "A dull story.",
                status=Status.FAILED,
                reason="no edit found",
                label=0,
                queries=7,
            ),
            sample(2, "Plain nonsense.", "Plain nonsense.", status=Status.SKIPPED, queries=0, words_changed=0),
            sample(3, "Great actors act.", "Great actors pretend.", queries=100, words_changed=4),
        ],
    )


def ids(opened: Opened) -> list[str]:
    return opened.texts(f"{ROWS} > :first-child")


def test_figures_charts_and_samples_are_there(open_report: OpenReport, few: Run) -> None:
    opened = open_report(few)
    assert opened.page.title() == "unfool: few"
    cards = opened.texts(".card")
    assert any("Success rate" in card and "66.7 %" in card and "2 of 3" in card for card in cards)
    assert opened.page.locator("figure svg").count() == 2
    assert opened.texts(".told") == ["4 of 4 samples"]
    assert ids(opened) == ["0", "1", "2", "3"]
    assert "good 90.0 %" in opened.texts(ROWS)[0]


def test_a_curve_tells_its_nearest_point(open_report: OpenReport, few: Run) -> None:
    page = open_report(few).page
    box = page.locator("#figure-success-by-words svg").bounding_box()
    page.mouse.move(box["x"] + 0.95 * box["width"], box["y"] + 0.2 * box["height"])
    page.wait_for_selector("#tooltip:not([hidden])")
    assert page.inner_text("#tooltip").split("\n") == [
        "run few",
        "words changed, % 40",
        "fooled 66.7 % [20.8 %, 93.9 %]",
    ]


def test_search_and_filters(open_report: OpenReport, few: Run) -> None:
    opened = open_report(few)
    page = opened.page
    page.fill("#search", "PRETEND")
    assert ids(opened) == ["3"]
    page.fill("#search", "no edit")
    assert ids(opened) == ["1"]
    page.fill("#search", "")
    page.select_option("#filter-status", "success")
    assert ids(opened) == ["0", "3"]
    page.fill("#filter-queries", "50")
    assert ids(opened) == ["0"]
    assert opened.texts(".told") == ["1 of 4 samples"]
    page.fill("#filter-queries", "")
    page.fill("#filter-words", "39")
    assert ids(opened) == ["0"]
    page.fill("#filter-words", "")
    page.select_option("#filter-status", "")
    page.select_option("#filter-label", "bad")
    assert ids(opened) == ["1"]
    page.fill("#search", "nowhere to be found")
    assert ids(opened) == []


def test_sorting(open_report: OpenReport, few: Run) -> None:
    opened = open_report(few)
    header = opened.page.get_by_role("columnheader", name="Queries")
    header.get_by_role("button").click()
    assert ids(opened) == ["3", "0", "1", "2"]
    assert header.get_attribute("aria-sort") == "descending"
    header.get_by_role("button").press("Enter")
    assert ids(opened) == ["2", "1", "0", "3"]
    assert header.get_attribute("aria-sort") == "ascending"


def test_the_theme_is_switched_and_the_charts_follow(open_report: OpenReport, few: Run) -> None:
    page = open_report(few, color_scheme="light").page
    ink = "getComputedStyle(document.querySelector('figure svg text')).fill"
    colour = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(f"[{colour}, {ink}]")
    page.click("#theme")
    assert page.evaluate(f"[{colour}, {ink}]") == light
    page.click("#theme")
    dark = page.evaluate(f"[{colour}, {ink}]")
    assert page.inner_text("#theme") == "Theme: dark"
    assert dark[0] != light[0]
    assert dark[1] != light[1]
    page.reload()
    page.wait_for_selector("html[data-ready]", state="attached")
    assert page.inner_text("#theme") == "Theme: dark"


def test_dark_is_taken_from_the_system(open_report: OpenReport, few: Run) -> None:
    colours = [
        open_report(few, color_scheme=scheme).page.evaluate("getComputedStyle(document.body).backgroundColor")
        for scheme in ("light", "dark")
    ]
    assert colours[0] != colours[1]


def test_a_sample_is_opened_read_and_left_by_keyboard(open_report: OpenReport, few: Run) -> None:
    opened = open_report(few)
    page = opened.page
    page.focus("#search")
    for _ in range(30):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "samples-grid":
            break
    grid = page.locator("#samples-grid")
    assert grid.evaluate("grid => grid === document.activeElement")
    for key in ("End", "Home", "ArrowDown"):
        page.keyboard.press(key)
    assert grid.get_attribute("aria-activedescendant") == "samples-grid-1"
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog")
    assert "Sample 1 of few" in dialog.inner_text()
    assert "reason: no edit found" in dialog.inner_text()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert "Sample 3 of few" in dialog.inner_text()
    assert opened.texts("dialog del") == ["act"]
    assert opened.texts("dialog ins") == ["pretend"]
    assert re.search(r"good 90\.0 % → bad 60\.0 %", dialog.inner_text())
    for key in ("Alt", "Shift", "Control", "Meta"):
        page.evaluate(
            """(key) => document.getElementById("detail-title").dispatchEvent(new KeyboardEvent(
                "keydown", { key: "ArrowLeft", bubbles: true, [key]: true }))""",
            {"Control": "ctrlKey"}.get(key, f"{key.lower()}Key"),
        )
    assert "Sample 3 of few" in dialog.inner_text(), "with another key, arrows are the browser's"
    page.keyboard.press("Escape")
    assert not dialog.is_visible()
    assert grid.evaluate("grid => grid === document.activeElement")


@pytest.mark.parametrize(
    ("original", "perturbed", "words", "characters"),
    [
        ("A good film.", "A gooods film.", (["good"], ["gooods"]), ([], ["o", "s"])),
        ("one two three", "one three", (["two"], []), (["two"], [])),
        ("one three", "one two three", ([], ["two"]), ([], ["two"])),
        ("good nice film", "fine neat film", (["good", "nice"], ["fine", "neat"]), None),
        ("ein \U0001f600x wort", "ein \U0001f601x wort", (["\U0001f600x"], ["\U0001f601x"]), None),
    ],
)
def test_words_and_characters_are_marked(
    open_report: OpenReport, make_run: MakeRun, original: str, perturbed: str, words: Any, characters: Any
) -> None:
    opened = open_report(make_run("run", [sample(0, original, perturbed)]))

    def marked() -> tuple[list[str], list[str]]:
        opened.page.locator(ROWS).first.click()
        texts = opened.texts("dialog .text")
        found = opened.texts("dialog del"), opened.texts("dialog ins")
        opened.page.keyboard.press("Escape")
        assert texts == [original, perturbed]
        return found

    if not original.startswith("ein"):  # what a word is, is not this page's to say
        assert marked() == words
    if characters:
        opened.page.select_option("#diff-level", "characters")
        assert marked() == characters


def test_runs_are_compared_and_a_text_is_followed_through_them(open_report: OpenReport, make_run: MakeRun) -> None:
    runs = [
        make_run("one", [sample(0), sample(1, "Bad film.", "Poor film.")]),
        make_run(
            "two", [sample(0, perturbed="A fine film."), sample(1, "Bad film.", "Bad film.", status=Status.FAILED)]
        ),
        make_run("three", [sample(5, "Other words.", "Others words.")], attack="ga", victim="other"),
    ]
    opened = open_report(*runs)
    page = opened.page
    assert opened.texts("article.run h3") == ["one", "two", "three"]
    assert page.locator("#figure-rates svg").count() == 1
    sides = page.inner_text("#sides")
    assert "Sample by sample against one" in sides
    assert "Worst-case accuracy" in sides
    crossed = page.get_by_role("region", name="Accuracy under attack, by victim and attack").locator("tr")
    assert [row.split("\t")[0] for row in crossed.all_inner_texts()] == ["Attack", "pwws:variant=paper", "ga"]
    assert "pwws:variant=paper" in sides
    page.select_option("#filter-run", "1")
    assert ids(opened) == ["0", "1"]
    page.locator(ROWS).first.click()
    assert "The same text in other runs" in page.inner_text("dialog")
    assert "decent" in page.inner_text("dialog .other")


def test_the_data_behind_what_is_shown_can_be_saved(open_report: OpenReport, few: Run, tmp_path: Path) -> None:
    page = open_report(few).page
    page.select_option("#filter-status", "success")
    for place, suffix in (("#samples .controls", "CSV"), ("#figure-success-by-queries", "SVG")):
        with page.expect_download() as caught:
            page.locator(place).get_by_role("button", name=re.compile(f"{suffix}|picture")).last.click()
        saved = Path(caught.value.path()).read_bytes().decode()
        assert saved.startswith("run,id," if suffix == "CSV" else "<svg")
        if suffix == "CSV":
            assert saved.count("\n") == saved.count("\r\n") == 3
            assert "A decent film." in saved
    with page.expect_download() as caught:
        page.locator("#figure-success-by-queries").get_by_role("button", name="JSON").click()
    points = json.loads(Path(caught.value.path()).read_text(encoding="utf-8"))
    assert [(point["queries"], point["rate"]) for point in points] == [(30, 0.3333), (100, 0.6667)]


def test_every_table_and_every_chart_gives_its_data(open_report: OpenReport, make_run: MakeRun) -> None:
    runs = [
        make_run("one", [sample(0), sample(1, "Bad film.", "Poor film.")]),
        make_run("two", [sample(0, perturbed="A fine film."), sample(1, "Bad film.", "Bad film.")], attack="ga"),
        make_run("three", [sample(0)], attack="ga", victim="other"),
    ]
    page = open_report(*runs).page
    without = "[...document.querySelectorAll('main figure, main .scroll')].filter(e => !e.matches('figure') && "
    without += "!e.closest('.tabled, .run') || e.matches('figure') && !e.querySelector('.saving')).length"
    assert page.evaluate(without) == 0
    saved = {}
    for each in page.locator("#sides .saving [aria-label], #sides .saving[aria-label]").all():
        name = each.get_attribute("aria-label").removeprefix("Download the data of ")
        if each.get_by_role("button", name="CSV").count():
            with page.expect_download() as caught:
                each.get_by_role("button", name="CSV").click()
            saved[name] = Path(caught.value.path()).read_text(encoding="utf-8").splitlines()
    assert saved["figures"][0] == "run,figure,value,count,of,low,high"
    assert saved["sample-by-sample"][0].endswith(
        "effort_a.words_changed,effort_b.queries,effort_b.words_changed,against"
    )
    assert saved["worst-case"][1].split(",")[:2] == ["toy", "one; two"]
    assert len(saved["victims-and-attacks"]) == 4
    assert {"rates", "settings"} <= saved.keys()


def test_a_curve_can_be_read_as_a_table(open_report: OpenReport, few: Run) -> None:
    opened = open_report(few)
    opened.page.locator("#figure-success-by-queries summary").click()
    opened.page.wait_for_selector("#figure-success-by-queries tbody tr")
    rows = opened.texts("#figure-success-by-queries tbody tr")
    assert [row.split("\t") for row in rows] == [
        ["30", "33.3 % [6.2 %, 79.2 %]"],
        ["100", "66.7 % [20.8 %, 93.9 %]"],
    ]


def test_ten_thousand_samples_make_few_rows(open_report: OpenReport, make_run: MakeRun) -> None:
    n = 10_000
    opened = open_report(make_run("many", [sample(i, queries=i % 977) for i in range(n)]))
    page = opened.page
    rows = page.locator(ROWS)
    assert opened.texts(".told") == ["10,000 of 10,000 samples"]
    assert 5 <= rows.count() <= 60
    page.focus("#samples-grid")
    page.keyboard.press("End")
    page.wait_for_selector(f"#samples-grid-{n - 1}")
    assert rows.count() <= 60
    assert ids(opened)[-1] == str(n - 1)
    page.get_by_role("columnheader", name="Queries").get_by_role("button").click()
    assert page.locator(ROWS).first.inner_text().split()[0] == "976"
    page.fill("#search", "decent")
    assert opened.texts(".told") == ["10,000 of 10,000 samples"]
    assert page.evaluate("document.querySelectorAll('*').length") < 3000


def test_on_paper_the_samples_are_whole_and_the_controls_gone(open_report: OpenReport, few: Run) -> None:
    page = open_report(few, color_scheme="dark").page
    page.emulate_media(media="print")
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert not page.is_visible("#samples .controls")
    assert not page.is_visible("#samples-grid")
    assert "Great actors" in page.inner_text(".printed")
    assert page.evaluate("getComputedStyle(document.documentElement).colorScheme") == "light"
    assert page.pdf()[:4] == b"%PDF"


def test_what_screen_readers_go_by(open_report: OpenReport, few: Run) -> None:
    page = open_report(few).page
    assert page.evaluate("document.documentElement.lang") == "en"
    assert page.get_by_role("heading", level=1).inner_text() == "unfool report"
    unnamed = """[...document.querySelectorAll('button, input, select, [role=grid], [role=region], dialog')]
        .filter((each) => !(each.textContent.trim() && each.tagName === 'BUTTON') && !each.labels?.length)
        .filter((each) => !each.getAttribute('aria-label') && !each.getAttribute('aria-labelledby'))
        .map((each) => each.outerHTML.slice(0, 80))"""
    assert page.evaluate(unnamed) == []
    twice = (
        """[...document.querySelectorAll('[id]')].map(e => e.id).filter((id, i, all) => all.indexOf(id) !== i)"""
    )
    assert page.evaluate(twice) == []
    grid = page.locator("#samples-grid")
    assert grid.get_attribute("aria-rowcount") == "5"
    assert page.locator(ROWS).first.get_attribute("aria-rowindex") == "2"
    assert page.locator("figure svg[role=graphics-document], figure [aria-roledescription]").count() > 0


def test_an_empty_and_an_unfinished_run(open_report: OpenReport, tmp_path: Path) -> None:
    with Run.create(tmp_path / "empty", {}) as run:
        pass
    opened = open_report(run)
    assert "not finished" in opened.page.inner_text("#summary")
    assert opened.texts(".told") == ["0 of 0 samples"]
    skipped = sample(0, "A film.", "A film.", status=Status.SKIPPED, before=Verdict(0, 0.7))
    with Run.create(tmp_path / "skipped", {}) as run:
        run.record(skipped)
        run.finish()
    assert open_report(run).texts(".told") == ["1 of 1 sample"]
