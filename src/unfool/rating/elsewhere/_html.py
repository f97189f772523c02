"""A question as a piece of HTML, with every text inert."""

from __future__ import annotations

from html import escape

from unfool.rating._study import Study
from unfool.rating.elsewhere._questions import Question


def texts_html(texts: tuple[str, ...]) -> str:
    """Return the texts, each in a frame of its own."""
    names = ("",) if len(texts) == 1 else ("First text", "Second text")
    return "".join(
        (f"<h4>{name}</h4>" if name else "") + f'<p dir="auto" style="white-space: pre-wrap">{escape(text)}</p>'
        for name, text in zip(names, texts, strict=True)
    )


def question_html(study: Study, question: Question) -> str:
    """Return the texts and a choice of answers, for platforms that take a form as it stands."""
    choices = "".join(
        f'<p><label><input type="radio" name="answer" value="{escape(shown)}" required> {escape(shown)}</label></p>'
        for shown in study.wording.shown
    )
    legend = f"<legend>{escape(study.wording.question)}</legend>"
    hidden = f'<input type="hidden" name="item" value="{question.name}">'
    return f"{texts_html(question.texts)}<fieldset>{legend}{choices}</fieldset>{hidden}"
