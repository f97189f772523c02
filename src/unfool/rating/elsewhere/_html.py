"""A question as a piece of HTML, with every text inert."""

from __future__ import annotations

from html import escape

from unfool.rating._study import Study
from unfool.rating.elsewhere._questions import Question


def texts_html(texts: tuple[str, ...]) -> str:
    """Return the texts, each a paragraph of its own."""
    names = ("",) if len(texts) == 1 else ("First text", "Second text")
    return "".join(
        (f"<h4>{name}</h4>" if name else "") + f'<p dir="auto">{_kept(text)}</p>'
        for name, text in zip(names, texts, strict=True)
    )


def explained_html(study: Study) -> str:
    """Return the instructions and the example."""
    paragraphs = "".join(f"<p>{_kept(paragraph)}</p>" for paragraph in study.wording.instructions)
    return f"{paragraphs}<p><b>Example&#58;</b> {_kept(study.wording.example)}</p>"


def _kept(text: str) -> str:
    """Return a text as HTML that shows it whole even where a platform takes styles away.

    Potato also cuts out of texts what might begin a script's address, such as ``data:``.
    """
    shown = escape(text).replace(":", "&#58;").replace("(", "&#40;")
    return shown.replace("  ", " &nbsp;").replace("\n", "<br>")


def question_html(study: Study, question: Question) -> str:
    """Return instructions, texts and a choice of answers, for platforms that take a form as it stands."""
    choices = "".join(
        f'<p><label><input type="radio" name="answer" value="{escape(shown)}" required> {escape(shown)}</label></p>'
        for shown in study.wording.shown
    )
    legend = f"<legend>{escape(study.wording.question)}</legend>"
    hidden = f'<input type="hidden" name="item" value="{question.name}">'
    return f"{explained_html(study)}<hr>{texts_html(question.texts)}<fieldset>{legend}{choices}</fieldset>{hidden}"
