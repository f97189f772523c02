"""What people said, on the report's page; and runs that are served."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.app.serving_runs import serving_runs
from tests.browser.conftest import MakeRun, OpenReport, sample
from tests.browser.test_report_inert import ALIEN, CORPUS

from unfool.runs import Run, Votes, enter_votes

pytestmark = pytest.mark.browser


def judged(run: Run) -> Run:
    """Enter votes on four samples: two agreed on, one not, one without a majority."""
    agree = {0: True, 1: True, 2: False, 3: None}
    enter_votes(
        run.folder,
        "study",
        [Votes(n, "study", "label", {"good": 2, CORPUS[3]: 1}, said) for n, said in agree.items()],
    )
    return Run.open(run.folder)


def test_the_report_filters_what_people_said(open_report: OpenReport, make_run: MakeRun) -> None:
    opened = open_report(judged(make_run("run", [sample(n) for n in range(5)])))
    card = opened.page.locator(".card", has_text="Valid success rate")
    assert card.locator("b").inner_text() == "50.0 %"
    assert "2 of 4 judged" in card.inner_text()
    for said, fitting in (("agree", 2), ("disagree", 1), ("undecided", 1), ("", 5)):
        opened.page.select_option("#filter-people", said)
        assert opened.texts(".told")[0] == f"{fitting} of 5 samples"
    opened.page.focus("#samples-grid")
    opened.page.keyboard.press("Enter")
    assert f"people, label: good 2, {CORPUS[3]} 1" in opened.page.locator("dialog .verdicts").inner_text()
    assert opened.page.locator(ALIEN).count() == 0


def test_a_report_without_votes_has_no_such_filter(open_report: OpenReport, make_run: MakeRun) -> None:
    assert open_report(make_run("run", [sample(0)])).page.locator("#filter-people").count() == 0


def test_runs_are_searched_and_opened(chromium: Any, make_run: MakeRun, tmp_path: Path) -> None:
    judged(make_run("pwws", [sample(n) for n in range(4)]))
    make_run("hostile", [sample(0)], victim=CORPUS[0], attack=CORPUS[3], data=CORPUS[4])
    misdeeds: list[str] = []
    with serving_runs(tmp_path) as address:
        page = chromium.new_page()
        page.on("console", lambda said: misdeeds.append(said.text))
        page.on("pageerror", lambda error: misdeeds.append(str(error)))
        page.goto(address)
        page.wait_for_selector("html[data-ready]", state="attached")
        assert page.locator(".told").inner_text() == "2 of 2 runs"
        assert CORPUS[0] in page.inner_text("main")
        assert page.locator(ALIEN).count() == 0
        page.fill("#search", "pwws toy")
        assert page.locator(".told").inner_text() == "1 of 2 runs"
        assert "50.0 %" in page.locator("tbody tr").inner_text()
        page.get_by_role("link", name="pwws").click()
        page.wait_for_selector("html[data-ready] #samples", state="attached")
        assert "Valid success rate" in page.inner_text("#summary")
        page.close()
    assert misdeeds == []


@pytest.mark.parametrize(("scheme", "back"), [("light", "rgb(246, 247, 249)"), ("dark", "rgb(20, 23, 28)")])
def test_runs_fit_a_telephone_in_light_and_dark(
    chromium: Any, make_run: MakeRun, tmp_path: Path, scheme: str, back: str
) -> None:
    told = {"victim": "zoo:CNN-W-GloVe-1@rotten_tomatoes", "data": "rotten_tomatoes"}
    judged(make_run("pwws-with-a-long-name", [sample(n) for n in range(4)], **told))
    with serving_runs(tmp_path) as address:
        page = chromium.new_context(viewport={"width": 360, "height": 740}, color_scheme=scheme).new_page()
        page.goto(address)
        page.wait_for_selector("html[data-ready]", state="attached")
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == back
        # The table scrolls on its own, and no word in it is broken.
        region = page.get_by_role("region", name="Runs, each with its report")
        assert region.evaluate("each => each.scrollWidth > each.clientWidth")
        lines = "range => new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size"
        word = page.evaluate_handle(
            "() => { const node = [...document.querySelectorAll('td')].at(-1).querySelector('span').lastChild;"
            "const range = document.createRange(); range.selectNodeContents(node); return range; }"
        )
        assert word.evaluate("range => range.toString()") == "rotten_tomatoes"
        assert word.evaluate(lines) == 1
        page.context.close()
