"""Words shaded by how much they matter to the victim, and the steps of a search."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from tests.browser.conftest import MakeRun, Opened, OpenReport, sample

from unfool.engine import Status, Swap
from unfool.runs import Overlay, Run, Weights, adding_overlays

pytestmark = pytest.mark.browser

ROWS = "#samples-grid .body [role=row]"
MARKS = "dialog .text mark"


def keep(run: Run, overlays: Iterable[Overlay]) -> Run:
    with adding_overlays(run.folder) as add:
        for overlay in overlays:
            add(overlay)
    return run


@pytest.fixture
def asked(make_run: MakeRun) -> Run:
    """Three samples, of which the victim was asked about two."""
    texts = ("A good, \U0001f600 film.", "A decent, \U0001f600 film.")
    run = make_run("asked", [sample(0, *texts), sample(1), sample(2, "Dull.", "Dull.", status=Status.SKIPPED)])
    weights = Weights([0.0, 0.4, -0.1], [0.1, 0.5, None]), Weights([0.02, -0.2, 0.05], [0.2, 0.25, 0.3])
    return keep(run, [Overlay(0, *weights, [0.9]), Overlay(2, Weights([0.5], [1.0]), None, [0.4])])


def marks(opened: Opened) -> list[tuple[str, str, str, str]]:
    """Return each mark's text, kind, strength and number."""
    found: list[list[str]] = opened.page.locator(MARKS).evaluate_all(
        "all => all.map(e => [e.textContent, e.className, e.style.getPropertyValue('--strength'), "
        "e.dataset.number])"
    )
    return [(text, kind.removeprefix("shade "), strength, number) for text, kind, strength, number in found]


def test_words_are_shaded_by_importance_in_both_texts(open_report: OpenReport, asked: Run) -> None:
    opened = open_report(asked)
    page = opened.page
    assert "In 2 samples words are shaded by how much they matter to the victim" in page.inner_text("#samples")
    page.locator(ROWS).first.click()
    assert page.input_value("#shade") == "importance"
    assert marks(opened) == [
        ("A", "importance", "0", "0.0"),
        ("good", "importance", "1", "40.0"),
        ("film", "against", "0.25", "−10.0"),
        ("A", "importance", "0.05", "2.0"),
        ("decent", "against", "0.5", "−20.0"),
        ("film", "importance", "0.125", "5.0"),
    ]
    shaded = opened.texts("dialog .text")
    assert opened.texts("dialog mark del") == ["good"]
    assert opened.texts("dialog mark ins") == ["decent"]
    titles = page.locator(MARKS).evaluate_all("all => all.map(e => e.title)")
    assert titles[:3] == [
        "A: belief in good is the same without it",
        "good: belief in good falls by 40.0 points without it",
        "film: belief in good rises by 10.0 points without it",
    ]
    page.select_option("#shade", "none")
    assert marks(opened) == []
    assert opened.texts("dialog .text") == shaded


def test_attention_is_offered_where_the_victim_tells_it(
    open_report: OpenReport, make_run: MakeRun, asked: Run
) -> None:
    weights = Weights([0, 0.1, 0], None)
    silent = keep(make_run("silent", [sample(0)]), [Overlay(0, weights, weights, [0.9])])
    opened = open_report(asked, silent)
    page = opened.page
    page.locator(ROWS).first.click()
    page.select_option("#shade", "attention")
    assert marks(opened)[:2] == [("A", "attention", "0.2", "10.0"), ("good", "attention", "1", "50.0")]
    assert "50.0 % of the attention" in page.locator(MARKS).nth(1).get_attribute("title")
    assert page.locator("dialog [title*='cut off']").inner_text() == "film"
    page.keyboard.press("Escape")
    page.select_option("#filter-run", "1")
    page.locator(ROWS).first.click()
    assert opened.texts("#shade option") == ["none", "importance"]
    assert page.input_value("#shade") == "none"


def test_the_choice_stays_by_keyboard_from_sample_to_sample(open_report: OpenReport, asked: Run) -> None:
    opened = open_report(asked)
    page = opened.page
    page.locator(ROWS).first.click()
    page.focus("#shade")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    assert page.inner_text("#detail-title").startswith("Sample 0 "), "arrows choose, they do not turn the page"
    page.select_option("#shade", "importance")
    page.get_by_role("button", name="Next").click()
    assert page.inner_text("#detail-title").startswith("Sample 1 ")
    assert "The victim was asked about 2 samples of this run, not about this one." in page.inner_text("dialog")
    page.keyboard.press("ArrowRight")
    assert marks(opened) == [("Dull", "importance", "1", "50.0")]


def test_a_run_without_overlays_has_no_switch(open_report: OpenReport, make_run: MakeRun) -> None:
    page = open_report(make_run("run", [sample(0)])).page
    assert "shaded" not in page.inner_text("#samples")
    page.locator(ROWS).first.click()
    assert page.locator("#shade").count() == 0


def test_the_numbers_are_a_table_to_read_and_to_save(open_report: OpenReport, asked: Run) -> None:
    opened = open_report(asked)
    page = opened.page
    page.locator(ROWS).first.click()
    page.select_option("#shade", "importance")
    page.locator("dialog summary").click()
    page.wait_for_selector("dialog .texts tbody tr")
    rows = [row.split("\t") for row in opened.texts("dialog .texts tbody tr")]
    assert rows[:3] == [
        ["good", "original", "40.0", "50.0 %"],
        ["decent", "changed", "−20.0", "25.0 %"],
        ["film", "original", "−10.0", "–"],
    ]
    with page.expect_download() as caught:
        page.locator("dialog .texts").get_by_role("button", name="JSON").click()
    saved = json.loads(Path(caught.value.path()).read_text(encoding="utf-8"))
    assert len(saved) == 6
    assert saved[1] == {
        "text": "original", "field": "text", "position": 1, "word": "good", "importance": 0.4, "attention": 0.5
    }  # fmt: skip


CONTRAST = """mark => {
    const bright = (colour) => {
        const numbers = colour.match(/[\\d.]+/g).slice(0, 3).map(Number);
        const parts = colour.startsWith("color(") ? numbers : numbers.map((number) => number / 255);
        const [r, g, b] = parts.map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const style = getComputedStyle(mark.querySelector("del, ins") ?? mark);
    const [a, b] = [bright(style.color), bright(getComputedStyle(mark).backgroundColor)].sort();
    return (b + 0.05) / (a + 0.05);
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("kind", "weight"), [("importance", 0.4), ("importance", -0.4), ("attention", 0.4)])
def test_the_deepest_shades_can_be_read(
    open_report: OpenReport, make_run: MakeRun, scheme: str, kind: str, weight: float
) -> None:
    weights = Weights([0.0, weight, 0.0], [0.0, abs(weight), 0.0])
    run = keep(make_run("run", [sample(0)]), [Overlay(0, weights, weights, [0.9])])
    page = open_report(run, color_scheme=scheme).page
    page.locator(ROWS).first.click()
    page.select_option("#shade", kind)
    deepest = page.locator(MARKS).nth(1)
    assert deepest.evaluate("mark => getComputedStyle(mark).backgroundColor").startswith("color(srgb")
    assert deepest.evaluate(CONTRAST) >= 4.5
    style = deepest.evaluate("mark => getComputedStyle(mark).borderBottomStyle")
    assert style == ("dashed" if weight < 0 else "solid")


def test_on_paper_the_numbers_stand_beside_the_words(open_report: OpenReport, asked: Run) -> None:
    opened = open_report(asked, color_scheme="dark")
    page = opened.page
    page.locator(ROWS).first.click()
    page.select_option("#shade", "importance")
    page.keyboard.press("Escape")
    page.emulate_media(media="print")
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    good = page.locator(".printed mark").nth(1)
    assert good.is_visible()
    assert good.evaluate("mark => getComputedStyle(mark, '::after').content") == '"40.0"'
    assert not page.locator(".printed details").first.is_visible()
    assert opened.texts(".printed > .other:nth-of-type(2) > .text") == ["A gooddecent film."], (
        "nobody asked about it"
    )


def test_the_steps_of_the_search_are_told(open_report: OpenReport, make_run: MakeRun) -> None:
    steps = (Swap(1, "good", "fine"),), (Swap(1, "fine", "<b>decent"), Swap(2, "film", "movie"))
    run = make_run("run", [sample(0, steps=steps), sample(1), sample(2, steps=steps[:1])])
    weights = Weights([0, 0, 0], None)
    opened = open_report(keep(run, [Overlay(0, weights, weights, [0.9, 0.7, 0.2])]))
    page = opened.page
    page.locator(ROWS).first.click()
    assert [row.split("\t") for row in opened.texts("dialog .steps tbody tr")] == [
        ["0", "the text as it was", "90.0 %"],
        ["1", "good → fine", "70.0 %"],
        ["2", "fine → <b>decent, film → movie", "20.0 %"],
    ]
    page.locator("dialog .steps .scroll").focus()
    page.keyboard.press("ArrowRight")
    assert page.inner_text("#detail-title").startswith("Sample 0 "), "there, arrows scroll"
    with page.expect_download() as caught:
        page.locator("dialog .steps").get_by_role("button", name="CSV").click()
    saved = Path(caught.value.path()).read_text(encoding="utf-8").split()
    assert saved[:2] == ["step,position,old,changed,belief", "1,1,good,fine,0.7"]
    page.keyboard.press("ArrowRight")
    assert page.locator("dialog .steps").count() == 0
    page.keyboard.press("ArrowRight")
    assert [row.split("\t") for row in opened.texts("dialog .steps tbody tr")] == [["1", "good → fine"]]


def test_ten_thousand_shaded_samples_open_at_once(open_report: OpenReport, make_run: MakeRun) -> None:
    n, weights = 10_000, Weights([0.01, 0.2, -0.03], [0.1, 0.2, 0.3])
    run = keep(
        make_run("many", [sample(i) for i in range(n)]), (Overlay(i, weights, weights, [0.9]) for i in range(n))
    )
    opened = open_report(run)
    page = opened.page
    page.locator(ROWS).first.click()
    page.select_option("#shade", "importance")
    took: Any = page.evaluate(
        """async () => {
            const start = performance.now();
            const next = () => document.querySelector("#detail header button:nth-of-type(2)");
            for (let each = 0; each < 20; each++) next().click();
            return performance.now() - start;
        }"""
    )
    assert re.match("Sample 20 ", page.inner_text("#detail-title"))
    assert len(marks(opened)) == 6
    assert took < 2000
