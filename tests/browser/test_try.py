"""Attacks tried in a real browser: one watched to its end, one stopped, and texts that were made to do harm."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.app.serving_runs import serving_runs
from tests.app.serving_try import ECHO, LONG_TEXT, calls, slow_victim
from tests.browser.test_report_inert import ALIEN, CORPUS
from tests.end_to_end.command import VADER

pytestmark = pytest.mark.browser
BAD = "The worst two hours of my life, and a terrible film."
PATIENCE = 60


@contextmanager
def try_page(chromium: Any, folder: Path, *more: object, **context: Any) -> Iterator[Any]:
    """Serve victims and open the page; it may ask its own server alone, and say nothing amiss."""
    misdeeds: list[str] = []
    with serving_runs(folder, *more) as home:
        page = chromium.new_context(**{"viewport": {"width": 1000, "height": 900}, **context}).new_page()
        page.set_default_timeout(PATIENCE * 1000)
        page.on("console", lambda said: misdeeds.append(said.text) if "409" not in said.text else None)
        page.on("pageerror", lambda error: misdeeds.append(str(error)))
        page.on("dialog", lambda dialog: misdeeds.append(dialog.message))
        page.on("request", lambda asked: misdeeds.append(asked.url) if not asked.url.startswith(home) else None)
        page.goto(f"{home}/try")
        page.wait_for_selector("html[data-ready]", state="attached")
        yield page
        page.context.close()
    assert misdeeds == []


def choose(page: Any, *attacks: str) -> None:
    for _ in attacks[1:]:
        page.get_by_role("button", name="Compare with another attack").click()
    for place, attack in enumerate(attacks):
        page.locator("fieldset.attack").nth(place).locator("select").first.select_option(attack)


def test_a_search_is_watched_to_its_end(chromium: Any, tmp_path: Path) -> None:
    with try_page(chromium, tmp_path, "--victims", VADER) as page:
        page.get_by_label("Your text").fill(BAD)
        choose(page, "morpheus", "noise")
        page.evaluate(
            "window.seen = [];"
            "const note = () => seen.push(document.querySelector('.found .run .state')?.textContent);"
            "new MutationObserver(note).observe(document.querySelector('.found'), {childList: true, subtree: true})"
        )
        page.get_by_label("Your text").press("Control+Enter")
        page.get_by_text("of 2 attacks fooled it.").wait_for()
        # It was seen while it went on, with more queries each time.
        seen = [told for told in dict.fromkeys(page.evaluate("seen")) if told and told.startswith("searching: ")]
        queries = [int(told.split()[1]) for told in seen]
        assert len(queries) > 2
        assert queries == sorted(queries)
        rows = page.locator(".found table").first.locator("tbody tr").all_inner_texts()
        assert [row.split()[0] for row in rows] == ["morpheus", "noise"]
        first = page.locator(".found .run").first
        assert "negative" in first.locator(".verdicts").inner_text()
        assert first.locator(".shade").count() > 0  # importance
        assert "victim's own answer" in first.inner_text()
        first.get_by_text("Every question to the victim").click()
        assert first.locator(".steps-told tbody tr").count() == len(queries)
        assert page.get_by_role("button", name="Stop").is_disabled()


def test_a_search_is_stopped(chromium: Any, tmp_path: Path) -> None:
    victim = slow_victim(tmp_path)
    with try_page(chromium, tmp_path, "--victims", victim) as page:
        page.get_by_label("Your text").fill(LONG_TEXT)
        choose(page, "morpheus")
        page.get_by_role("button", name="Search").click()
        page.locator(".steps-told tbody tr").nth(3).wait_for(state="attached")
        page.get_by_role("button", name="Stop").click()
        page.get_by_text("Stopped.", exact=True).wait_for()
        assert page.locator(".found .run .state").inner_text().startswith("stopped after ")
        assert_quiet(tmp_path)
        # Another can be started at once, and a tab that is closed ends its search, too.
        page.get_by_role("button", name="Search").click()
        page.locator(".steps-told tbody tr").nth(3).wait_for(state="attached")
        page.goto("about:blank")
        assert_quiet(tmp_path)
        page.go_back()


def tab_to(page: Any, what: str) -> None:
    """Go on by Tab until what is focused has these words."""
    said = "(({labels, textContent}) => (labels?.[0]?.textContent ?? '') + textContent)(document.activeElement)"
    for _ in range(80):
        page.keyboard.press("Tab")
        if page.evaluate(said).startswith(what):
            return
    raise AssertionError(f"nothing called {what!r} is reached")


def test_all_goes_by_keyboard(chromium: Any, tmp_path: Path) -> None:
    slow = slow_victim(tmp_path)
    with try_page(chromium, tmp_path, "--victims", VADER, "--victims", slow) as page:
        page.locator("body").press("Tab")
        page.keyboard.press("Enter")  # skip to the content
        tab_to(page, "Victim")
        page.keyboard.type(VADER)
        tab_to(page, "Your text")
        page.keyboard.type(BAD)
        tab_to(page, "Attack")
        page.keyboard.type("morph")
        tab_to(page, "Settings")
        page.keyboard.press("Enter")
        tab_to(page, "Compare with another attack")
        page.keyboard.press("Enter")
        tab_to(page, "Search")
        page.keyboard.press("Enter")
        page.get_by_text("of 2 attacks fooled it.").wait_for()
        panel = page.locator(".found .run").first
        assert panel.locator("h3").first.inner_text() == "morpheus"
        tab_to(page, "Every question to the victim")
        page.keyboard.press("Enter")
        assert panel.locator(".steps-told tbody tr").first.is_visible()
        # Another victim, typed over the first, and stopped.
        page.locator("main").focus()
        tab_to(page, "Victim")
        page.keyboard.press("Control+a")
        page.keyboard.type(slow)
        tab_to(page, "Your text")
        page.keyboard.press("Control+a")
        page.keyboard.insert_text(LONG_TEXT)
        page.keyboard.press("Control+Enter")
        page.locator(".steps-told tbody tr").nth(3).wait_for(state="attached")
        tab_to(page, "Stop")
        page.keyboard.press("Enter")
        page.get_by_text("Stopped.", exact=True).wait_for()
        assert_quiet(tmp_path)


def test_a_victim_that_is_not_listed_is_refused_in_words(chromium: Any, tmp_path: Path) -> None:
    with try_page(chromium, tmp_path, "--victims", VADER, "--victims", slow_victim(tmp_path)) as page:
        offered = page.locator("#victims option").evaluate_all("all => all.map((each) => each.value)")
        assert offered == [VADER, slow_victim(tmp_path)]
        page.get_by_label("Victim").fill("py:os:system")
        page.get_by_label("Your text").fill(BAD)
        page.get_by_role("button", name="Search").click()
        page.get_by_text("lists no such classifier").wait_for()


def test_a_screen_reader_is_told_now_and_then(chromium: Any, tmp_path: Path) -> None:
    with try_page(chromium, tmp_path, "--victims", slow_victim(tmp_path), "--seconds", 7) as page:
        page.get_by_label("Your text").fill(LONG_TEXT)
        choose(page, "morpheus")
        page.evaluate(
            "window.said = [];"
            "const note = () => said.push(document.querySelector('.found .run [role=status]')?.textContent);"
            "new MutationObserver(note).observe(document.querySelector('.found'), {childList: true, subtree: true})"
        )
        page.get_by_role("button", name="Search").click()
        page.get_by_text("stopped: it took more than 7 seconds").first.wait_for()
        steps = page.locator(".steps-told tbody tr").count()
        said = [told for told in dict.fromkeys(page.evaluate("said")) if told]
    assert steps > 20
    assert said[0] == "searching…"
    assert said[-1] == "stopped: it took more than 7 seconds"
    assert 1 <= len(said[1:-1]) <= 7 / 2  # every two seconds


def assert_quiet(folder: Path) -> None:
    """Wait until the victim is asked no more."""
    end = time.monotonic() + PATIENCE
    before = -1
    while before != calls(folder):
        assert time.monotonic() < end
        before = calls(folder)
        time.sleep(0.5)


def test_a_translator_and_its_goal(chromium: Any, tmp_path: Path) -> None:
    (tmp_path / "echo.py").write_text(ECHO, "utf-8")
    with try_page(chromium, tmp_path, "--translators", f"py:{tmp_path / 'echo.py'}:translate") as page:
        page.get_by_label("Your text").fill("A good film about people who are good.")
        page.get_by_label("What fools it").fill("differ")
        choose(page, "noise")
        page.get_by_role("button", name="Search").click()
        page.get_by_text("of 1 attack fooled it.").wait_for()
        text = page.locator(".found .run").inner_text()
        assert "A GOOD FILM ABOUT PEOPLE WHO ARE GOOD." in text
        assert "Changed (output)" in text
        page.get_by_label("What fools it").fill("ruin")
        page.get_by_role("button", name="Search").click()
        page.get_by_text("unknown goal 'ruin'").wait_for()


def test_hostile_texts_stay_texts(chromium: Any, tmp_path: Path) -> None:
    printable = [text for text in CORPUS if text.isprintable()]
    labels = tmp_path / "labels.py"
    labels.write_text(
        f"LABELS = {printable[:2]!r}\n"
        "class Victim:\n    labels = LABELS\n"
        "    def __call__(self, texts): return [[0.1, 0.9] for _ in texts]\n"
        "probabilities = Victim()\n",
        "utf-8",
    )
    with try_page(chromium, tmp_path, "--victims", f"py:{labels}:probabilities") as page:
        page.get_by_label("Your text").fill(" good film ".join(printable))
        choose(page, "noise")
        page.get_by_role("button", name="Search").click()
        page.get_by_text("of 1 attack fooled it.").wait_for()
        assert page.locator(ALIEN).count() == 0
        assert page.evaluate("typeof alert") == "function"


def test_the_page_fits_a_telephone_in_the_dark(chromium: Any, tmp_path: Path) -> None:
    telephone = {"viewport": {"width": 360, "height": 740}, "color_scheme": "dark"}
    with try_page(chromium, tmp_path, "--victims", VADER, **telephone) as page:
        page.get_by_label("Your text").fill(BAD)
        choose(page, "morpheus", "noise")
        page.get_by_role("button", name="Search").click()
        page.get_by_text("of 2 attacks fooled it.").wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        victim, queries = (page.get_by_label(name).bounding_box() for name in ("Victim", "Queries at most"))
        assert victim["y"] + victim["height"] <= queries["y"]  # one below the other
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(20, 23, 28)"
