"""The page, parsed as a browser would: texts stay texts."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unfool.engine import Outcome, Status
from unfool.errors import UserError
from unfool.report import html
from unfool.report._html import _texts
from unfool.runs import Run


class Page(HTMLParser):
    """What elements a page has, with which attributes, and the text in each kind of element."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.tags: Counter[str] = Counter()
        self.attributes: set[str] = set()
        self.text: dict[str, list[str]] = {}
        self._open: list[str] = []
        self.feed(source)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.attributes |= {name for name, _ in attrs}
        self.text.setdefault(tag, []).append("")
        if tag not in ("meta", "br"):
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        for tag in self._open:
            self.text[tag][-1] += data


def page_of(folder: Path, outcomes: list[Outcome], labels: list[str] | None = None) -> Page:
    with Run.create(folder, {"labels": labels} if labels else {}) as run:
        for outcome in outcomes:
            run.record(outcome)
        run.finish()
    html([run], folder.parent / "page.html")
    return Page((folder.parent / "page.html").read_text(encoding="utf-8"))


def test_figures_and_marked_words(tmp_path: Path, outcome: Outcome) -> None:
    page = page_of(tmp_path / "my run", [outcome, replace(outcome, id=1, status=Status.FAILED, reason="too dear")])
    assert page.text["h1"] == ["my run"]
    assert page.text["del"] == ["good", "good"]
    assert page.text["ins"] == ["decent", "decent"]
    assert any("success rate" in card and "50.0% [9.5%, 90.5%]" in card for card in page.text["div"])
    assert page.text["tr"][1] == "0success A good film.A decent film.1 90.0%0 60.0%12"
    assert "failed too dear" in page.text["tr"][2]


def test_labels_go_by_their_names(tmp_path: Path, outcome: Outcome) -> None:
    page = page_of(tmp_path / "run", [outcome], labels=["<b>bad</b>", "good"])
    assert page.text["tr"][1].endswith("good 90.0%<b>bad</b> 60.0%12")
    assert page.tags["b"] == page.tags["div"] - 1  # one in each card, none in a label


def test_nothing_in_a_text_becomes_an_element(tmp_path: Path, outcome: Outcome) -> None:
    hostile = (
        """<script>alert("1")</script> & <img src=x onerror='alert(2)'> </td></table> &lt;b&gt; \0\x1b[31m\ud800"""
    )
    plain = page_of(tmp_path / "plain", [outcome])
    page = page_of(
        tmp_path / "<script>",
        [replace(outcome, original=(hostile,), perturbed=(hostile + " more",), field_names=("<i>",))],
    )
    assert page.tags.keys() <= plain.tags.keys()
    assert page.attributes == plain.attributes
    assert page.tags["script"] == page.tags["img"] == 0
    shown = hostile.replace("\0", "␀").replace("\x1b", "␛").replace("\ud800", "\ufffd")
    assert page.text["p"][1] == shown
    assert page.text["ins"] == ["more"]


@given(st.text(), st.text())
def test_any_text_shows_as_itself(outcome: Outcome, original: str, perturbed: str) -> None:
    varied = replace(outcome, original=(original,), perturbed=(perturbed,))
    page = Page(_texts(varied))
    assert page.tags.keys() <= {"p", "del", "ins"}
    printable = [text for text in (original, perturbed) if text.isprintable()]
    assert set(printable) <= set(page.text["p"])


def test_the_page_needs_nothing_from_elsewhere(tmp_path: Path, outcome: Outcome) -> None:
    page = page_of(tmp_path / "run", [outcome])
    source = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "://" not in source
    assert not page.attributes & {"src", "href"}
    assert "prefers-color-scheme" in source


def test_at_most_200_examples_successes_first(tmp_path: Path, outcome: Outcome) -> None:
    failed = [replace(outcome, id=i, status=Status.FAILED, reason="r") for i in range(300)]
    page = page_of(tmp_path / "run", [*failed, replace(outcome, id=900)])
    assert page.tags["tr"] == 201
    assert page.text["tr"][1].startswith("900success")
    assert any("200 of 301 samples" in paragraph for paragraph in page.text["p"])


def test_several_runs_on_one_page(tmp_path: Path, outcome: Outcome) -> None:
    runs = []
    for name in ("one", "two"):
        with Run.create(tmp_path / name, {}) as run:
            run.record(outcome)
        runs.append(run)
    html(runs, tmp_path / "page.html")
    assert Page((tmp_path / "page.html").read_text(encoding="utf-8")).text["h1"] == ["one", "two"]


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"cannot write .*page.html"):
        html([], tmp_path / "none" / "page.html")
