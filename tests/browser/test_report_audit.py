"""An audit and the importance of words on the page, in a real browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from unfool.data import from_texts
from unfool.report import audit, write_importance
from unfool.rules import word_importance
from unfool.text import Sample, Text
from unfool.victims import FunctionVictim, callable_victim

HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>"


def biased() -> FunctionVictim:
    """Calls a text positive where it says film more often than movie."""

    def answer(texts: list[str]) -> list[list[float]]:
        right = [text.count("film") > text.count("movie") for text in texts]
        return [[1 - 0.9 * score, 0.9 * score] for score in right]

    return callable_victim(answer, ("negative", "positive"))


def main_text(chromium: Any, page: Path) -> str:
    """What a reader sees; nothing in the page may open a dialog or say anything on the console."""
    opened, misdeeds = chromium.new_page(), list[str]()
    opened.on("dialog", lambda dialog: misdeeds.append(dialog.message))
    opened.on("console", lambda said: misdeeds.append(said.text))
    opened.on("pageerror", lambda error: misdeeds.append(str(error)))
    opened.goto(page.as_uri())
    opened.wait_for_selector("html[data-ready]", state="attached")
    text = str(opened.inner_text("main"))
    opened.close()
    assert misdeeds == []
    return text


def test_an_audit_names_its_biases_and_shows_texts_as_texts(chromium: Any, tmp_path: Path) -> None:
    texts = [f"the film number {n} {HOSTILE}" for n in range(6)] + [f"a movie like number {n}" for n in range(6)]
    data = from_texts(texts, ["positive"] * 6 + ["negative"] * 6)
    audit(biased(), data, tmp_path / "audit.html", n=None, progress=False)
    text = main_text(chromium, tmp_path / "audit.html")
    assert "film → movie" in text
    assert "6 of 6" in text
    assert "Biases of the data that the model has learned" in text
    assert HOSTILE in text


def test_importance_is_a_table(chromium: Any, tmp_path: Path) -> None:
    sample = Sample(0, Text.of(f"a good film {HOSTILE}"), 1)
    found = word_importance([biased()], sample, ("negative", "positive"))
    write_importance(found, "Importance of words", tmp_path / "words.html")
    text = main_text(chromium, tmp_path / "words.html")
    assert "Importance of words" in text
    assert "film" in text
    assert HOSTILE in text
