"""A real browser: Debian's Chromium, driven by Playwright."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from unfool.engine import Outcome, Status, Verdict
from unfool.report import write
from unfool.runs import Run
from unfool.transfer import Cell, Study

CNN, LSTM, OTHER = "zoo:CNN-W-GloVe-1@films", "zoo:LSTM-W-GloVe-1@films", "hf:<img src=x onerror=alert(1)>"
_NAMES = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    api = pytest.importorskip("playwright.sync_api", reason="needs Playwright: make test-browser installs it")
    pytest.importorskip("vl_convert", reason="needs the charts: pip install 'unfool[report]'")
    found = next(filter(None, map(shutil.which, _NAMES)), None)
    if not found:
        pytest.skip("there is no Chromium; on Debian, as root: apt-get install chromium")
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found)
        yield browser
        browser.close()


@dataclass
class Opened:
    """A page, and all it did that a good page does not do."""

    page: Any
    misdeeds: list[str] = field(default_factory=list)

    def watch(self, address: str) -> None:
        self.page.on("console", lambda said: self.misdeeds.append(f"console: {said.type} {said.text}"))
        self.page.on("pageerror", lambda error: self.misdeeds.append(f"error: {error}"))
        self.page.on("dialog", self._dismiss)
        self.page.on("request", lambda asked: self._note_request(asked.url, address))

    def _note_request(self, asked: str, address: str) -> None:
        if asked != address:
            self.misdeeds.append(f"request: {asked}")

    def _dismiss(self, dialog: Any) -> None:
        self.misdeeds.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def texts(self, selector: str) -> list[str]:
        found: list[str] = self.page.locator(selector).all_inner_texts()
        return found


OpenReport = Callable[..., Opened]


@pytest.fixture
def open_report(chromium: Any, tmp_path: Path) -> Iterator[OpenReport]:
    """Write a report of some sources and open it; at the end, it must have done nothing it should not."""
    opened: list[Opened] = []

    def open_it(*sources: Run | Path, **context: Any) -> Opened:
        path = tmp_path / f"report-{len(opened)}.html"
        write(sources, path)
        one = Opened(chromium.new_context(**{"viewport": {"width": 1280, "height": 900}, **context}).new_page())
        opened.append(one)
        one.watch(path.as_uri())
        one.page.goto(path.as_uri())
        one.page.wait_for_selector("html[data-ready]", state="attached")
        return one

    yield open_it
    for one in opened:
        one.page.context.close()
    assert [misdeed for one in opened for misdeed in one.misdeeds] == []


MakeRun = Callable[..., Run]


@pytest.fixture
def make_run(tmp_path: Path) -> MakeRun:
    def make(name: str, outcomes: list[Outcome], **config: Any) -> Run:
        told = {
            "attack": "pwws:variant=paper",
            "victim": "toy",
            "data": "films",
            "labels": ["bad", "good"],
            **config,
        }
        with Run.create(tmp_path / name, told) as run:
            for outcome in outcomes:
                run.record(outcome)
            run.finish()
        return run

    return make


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """Four texts a cell: of each source's, the target's number of them fool it."""
    names = {"victims": [CNN, OTHER, LSTM], "twins": {CNN: "zoo:CNN-W-GloVe-1@films#1"}, "sources": []}
    made = Study(tmp_path / "study", {"attack": "pwws", "data": "films"}, names)
    made.places.cells.mkdir(parents=True)
    made.write()
    fooled = {CNN: 1, OTHER: 2, LSTM: 3, "zoo:CNN-W-GloVe-1@films#1": 4}
    for target, times in fooled.items():
        made.places.column(target).add(
            [
                Cell(source, "digest", None, [1] * 4, [1, 1, 1, 0], [0] * times + [1] * (4 - times))
                for source in (CNN, OTHER, LSTM)
            ]
        )
    return tmp_path / "study"


def sample(number: int, original: str = "A good film.", perturbed: str = "A decent film.", **more: Any) -> Outcome:
    """Return a success, or what else is asked for."""
    told: dict[str, Any] = {
        "label": 1, "status": Status.SUCCESS, "reason": "", "before": Verdict(1, 0.9), "after": Verdict(0, 0.6),
        "queries": 12, "checks": 2, "words": 10, "words_changed": 1, "characters": 12, "characters_changed": 5,
        "field_names": ("text",), **more,
    }  # fmt: skip
    return Outcome(id=number, original=(original,), perturbed=(perturbed,), **told)
