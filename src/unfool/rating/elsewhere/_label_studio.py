"""Label Studio: a labelling set-up, tasks as JSON, and its JSON export."""

from __future__ import annotations

import json
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

from unfool.rating._study import Study
from unfool.rating.elsewhere._questions import Given, Question
from unfool.storage import to_json


def write(study: Study, questions: list[Question], folder: Path) -> None:
    """Write ``config.xml`` for the labelling interface, and ``tasks.json`` to import."""
    (folder / "config.xml").write_text(_interface(study, len(questions[0].texts)), encoding="utf-8")
    tasks = [
        {"data": {"item": each.name, **{f"text_{n}": text for n, text in enumerate(each.texts, start=1)}}}
        for each in questions
    ]
    (folder / "tasks.json").write_bytes(to_json(tasks, indent=1))


def _interface(study: Study, texts: int) -> str:
    shown = "".join(f'  <Text name="text_{n}" value="$text_{n}"/>\n' for n in range(1, texts + 1))
    explained = (*study.wording.instructions, f"Example: {study.wording.example}")
    told = "".join(f'  <Header value="{escape(paragraph)}" size="5"/>\n' for paragraph in explained)
    choices = "".join(f'    <Choice value="{escape(answer)}"/>\n' for answer in study.wording.shown)
    return (
        f'<View>\n{told}{shown}  <Header value="{escape(study.wording.question)}"/>\n'
        f'  <Choices name="answer" toName="text_1" choice="single" required="true" showInline="false">\n{choices}'
        '  </Choices>\n  <TextArea name="comment" toName="text_1" maxSubmissions="1"/>\n</View>\n'
    )


def read(path: Path) -> Iterator[Given]:
    """Read the JSON export; annotations that were skipped are left out."""
    for task in json.loads(path.read_text(encoding="utf-8")):
        for annotation in task["annotations"]:
            if annotation.get("was_cancelled"):
                continue
            values = {each["from_name"]: each["value"] for each in annotation["result"]}
            if "answer" in values:
                (answer,) = values["answer"]["choices"]
                comment = " ".join(values.get("comment", {"text": []})["text"])
                yield Given(_who(annotation["completed_by"]), task["data"]["item"], answer, comment)


def _who(by: Any) -> str:
    # An export tells the user's number, or with all details the user.
    return str(by.get("email") or by["id"]) if isinstance(by, dict) else f"user-{by}"
