"""Raters at work in a real browser, by keyboard alone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.app.serving import served
from tests.app.test_rating_faults import fill, small_disk
from tests.browser.conftest import MakeRun, sample
from tests.browser.test_report_inert import ALIEN, CORPUS

from unfool.rating import Study, new_study, results
from unfool.stats import Rate

__all__ = ["small_disk"]

pytestmark = pytest.mark.browser


@contextmanager
def rater_page(chromium: Any, address: str, **context: Any) -> Iterator[Any]:
    """Open a link; the page may ask its own server alone, and say nothing amiss."""
    page = chromium.new_context(**{"viewport": {"width": 900, "height": 900}, **context}).new_page()
    misdeeds: list[str] = []
    home = address.partition("/r/")[0]
    page.on("console", lambda said: misdeeds.append(said.text) if "403" not in said.text else None)
    page.on("pageerror", lambda error: misdeeds.append(str(error)))
    page.on("dialog", lambda dialog: misdeeds.append(dialog.message))
    page.on("request", lambda asked: misdeeds.append(asked.url) if not asked.url.startswith(home) else None)
    page.goto(address)
    page.wait_for_selector("html[data-ready]", state="attached")
    yield page
    page.context.close()
    assert misdeeds == []


def heading(page: Any, text: str) -> None:
    page.get_by_role("heading", name=text, exact=True, level=2).wait_for()


def begin(page: Any, right: str) -> None:
    """Get the check of the instructions wrong, then right."""
    wrong = "1" if right != "1" else "2"
    for key in (wrong, "Enter"):
        page.keyboard.press(key)
    page.get_by_text("That is not it").wait_for()
    for key in (right, "Enter"):
        page.keyboard.press(key)
    heading(page, "Question 1")


def test_three_raters_judge_twenty_pairs_by_keyboard(chromium: Any, make_run: MakeRun, tmp_path: Path) -> None:
    words = [f"A good film number {n}." for n in range(20)]
    for name in ("plain", "odd"):
        make_run(name, [sample(n, text, text.replace("good", name)) for n, text in enumerate(words)])
    runs = [tmp_path / "plain", tmp_path / "odd"]
    new_study(tmp_path / "study", runs, "readability", gold=0, repeats=0).store.close()
    with served(tmp_path / "study") as server:
        for number, token in enumerate(server.tokens):
            with rater_page(chromium, f"{server.url}/r/{token}") as page:
                begin(page, "3")
                for question in range(1, 21):
                    heading(page, f"Question {question}")
                    if question == 10:  # leave and come back
                        page.reload()
                        heading(page, "Question 10")
                    if question == 15:  # take the last answer back, and give it again
                        page.keyboard.press("Backspace")
                        heading(page, "Question 14")
                        answer(page, number)
                        heading(page, "Question 15")
                    answer(page, number)
                heading(page, "Thank you")
                assert "20 answers are kept" in page.inner_text("main")
    found = results(Study.open(tmp_path / "study"))
    # Two raters always prefer the plain text, one the odd: 40 votes to 20.
    odd, plain = found.readabilities
    assert (plain.votes, odd.votes) == (Rate(40, 60), Rate(20, 60))
    assert (plain.relative, odd.relative) == (1, 0.5)
    assert found.agreement == pytest.approx(1 - 40 / 60 / (2 * 40 * 20 / (60 * 59)))
    assert (found.missing, found.excluded) == (0, ())


def answer(page: Any, rater: int) -> None:
    """Choose the plain text, or as the third rater the odd one, and keep the answer."""
    first = page.locator(".passage").first.text_content()
    wanted = "odd" if rater == 2 else "plain"
    page.keyboard.press("1" if wanted in first else "2")
    page.keyboard.press("Enter")
    page.wait_for_function("first => document.querySelector('.passage')?.textContent !== first", arg=first)


def test_a_wrong_link_is_refused_in_words(chromium: Any, make_run: MakeRun, tmp_path: Path) -> None:
    make_run("run", [sample(0)])
    new_study(tmp_path / "study", [tmp_path / "run"], "label", gold=0).store.close()
    with served(tmp_path / "study") as server, rater_page(chromium, f"{server.url}/r/{'x' * 32}") as page:
        heading(page, "This link leads nowhere")
        assert page.locator(".passage").count() == 0


def test_hostile_texts_labels_and_comments_stay_texts(chromium: Any, make_run: MakeRun, tmp_path: Path) -> None:
    outcomes = [sample(n, f"{text} a good film", f"{text} a decent film") for n, text in enumerate(CORPUS)]
    make_run("run", outcomes, labels=CORPUS[:2])
    study = new_study(tmp_path / "study", [tmp_path / "run"], "label", gold=0, repeats=0)
    texts = {text[0] for item in study.items for text in item.texts}
    study.store.close()
    seen = set()
    with served(tmp_path / "study") as server:
        for token in server.tokens[:2]:
            with rater_page(chromium, f"{server.url}/r/{token}") as page:
                for key in ("1", "Enter"):
                    page.keyboard.press(key)
                for number, comment in enumerate(CORPUS, start=1):
                    heading(page, f"Question {number}")
                    text = page.locator(".passage").text_content()
                    seen.add(text)
                    assert page.locator(".answer span").all_text_contents() == CORPUS[:2]
                    page.get_by_text("Say something about this text").click()
                    page.fill("textarea", comment.replace("\ud800", "").replace("\x00", ""))
                    assert page.locator(ALIEN).count() == 0
                    page.locator("#title").focus()
                    page.keyboard.press("2")
                    page.keyboard.press("Enter")
                heading(page, "Thank you")
                assert page.evaluate("typeof alert") == "function"
    printable = {text for text in texts if text.isprintable()}
    assert printable <= seen
    votes = Study.open(tmp_path / "study").store.votes()
    assert {vote.comment for vote in votes} >= {comment for comment in CORPUS if comment.isprintable()}


ANSWERED = """before => document.querySelector("h2").textContent !== before
    || document.querySelector("[role=alert]").textContent !== "" """


def questioned(chromium: Any, server: Any) -> Any:
    """Open a rater's page at its first question; what the console says of failed requests is meant."""
    page = chromium.new_page()
    page.goto(f"{server.url}/r/{server.tokens[0]}")
    page.wait_for_selector("html[data-ready]", state="attached")
    begin(page, "2")
    return page


@pytest.mark.parametrize(("again", "told"), [("2", 0), ("3", 1)])
def test_an_answer_whose_thanks_is_lost_is_sent_again(
    chromium: Any, make_run: MakeRun, tmp_path: Path, again: str, told: int
) -> None:
    make_run("run", [sample(n, f"A good film {n}.", f"A decent film {n}.") for n in range(3)])
    new_study(tmp_path / "study", [tmp_path / "run"], "grammar", gold=0).store.close()
    with served(tmp_path / "study") as server:
        page = questioned(chromium, server)

        def lose(route: Any) -> None:
            route.fetch()  # the server keeps the answer
            route.abort()

        page.route("**/answers", lose)
        for key in ("2", "Enter"):
            page.keyboard.press(key)
        page.get_by_text("Perhaps not kept: the server does not answer.").wait_for()
        page.unroute("**/answers")
        for key in (again, "Enter"):
            page.keyboard.press(key)
        heading(page, "Question 2")
        assert page.get_by_text("that answer is kept. Undo it to give another.").count() == told
        page.close()
    (vote,) = Study.open(tmp_path / "study").store.votes()
    assert vote.answer == "2"


def test_a_full_disk_is_told_on_the_page(
    chromium: Any, small_disk: Path, make_run: MakeRun, tmp_path: Path
) -> None:
    make_run("run", [sample(n, f"A good film {n}.", f"A decent film {n}.") for n in range(40)])
    new_study(small_disk / "study", [tmp_path / "run"], "grammar", gold=0, repeats=0, raters=6).store.close()
    with served(small_disk / "study") as server:
        page = questioned(chromium, server)
        fill(small_disk / "ballast")
        refused = page.get_by_role("alert").filter(has_text="could not be stored")
        question = 1
        while not refused.count():
            heading(page, f"Question {question}")
            page.get_by_text("Say something about this text").click()
            page.fill("textarea", "so " * 300)
            page.locator("#title").focus()
            for key in ("3", "Enter"):
                page.keyboard.press(key)
            page.wait_for_function(ANSWERED, arg=f"Question {question}")
            question += 1
        (small_disk / "ballast").unlink()
        if page.get_by_role("button", name="Try again").count():  # it was the next question that had no room
            page.get_by_role("button", name="Try again").click()
        else:
            page.keyboard.press("Enter")  # what was chosen still is
        heading(page, f"Question {question}")
        page.close()
    study = Study.open(small_disk / "study")
    assert len(study.store.votes()) == question - 1
    study.store.close()


def test_pages_fit_a_telephone_and_the_dark(chromium: Any, make_run: MakeRun, tmp_path: Path) -> None:
    make_run("run", [sample(0, "A good film. " * 40, "A decent film. " * 40)])
    new_study(tmp_path / "study", [tmp_path / "run"], "meaning", gold=0).store.close()
    telephone = {"viewport": {"width": 360, "height": 740}, "color_scheme": "dark"}
    with (
        served(tmp_path / "study") as server,
        rater_page(chromium, f"{server.url}/r/{server.tokens[0]}", **telephone) as page,
    ):
        begin(page, "2")
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        assert page.get_by_role("group", name="Does the second text still say the same").is_visible()
        assert page.locator("input[type=radio]").count() == 5
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(20, 23, 28)"
