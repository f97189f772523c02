"""Potato: a configuration in YAML, items as JSON lines, and the folder of annotations it writes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from unfool.rating._study import Study
from unfool.rating.elsewhere._html import explained_html, texts_html
from unfool.rating.elsewhere._questions import Given, Question
from unfool.storage import to_json

_STATE, _LINES = "user_state.json", "annotated_instances.jsonl"
_SCHEME = "answer"


def write(study: Study, questions: list[Question], folder: Path) -> None:
    """Write ``config.yaml`` and ``items.jsonl``, for ``potato start`` in this folder."""
    (folder / "config.yaml").write_text(_configuration(study), encoding="utf-8")
    # Potato shows an item's text as HTML.
    lines = [to_json({"id": each.name, "text": texts_html(each.texts)}) + b"\n" for each in questions]
    (folder / "items.jsonl").write_bytes(b"".join(lines))


def _configuration(study: Study) -> str:
    labels = "".join(f"      - {_quoted(shown)}\n" for shown in study.wording.shown)
    return f"""annotation_task_name: {_quoted(study.name)}
annotation_instructions: {_quoted(explained_html(study))}
task_dir: .
port: 8000
data_files:
  - items.jsonl
item_properties:
  id_key: id
  text_key: text
output_annotation_dir: annotation_output/
assignment_strategy: least_annotated
num_annotators_per_item: {study.per_item}
user_config:
  allow_all_users: true
  users: []
annotation_schemes:
  - annotation_type: radio
    name: {_SCHEME}
    description: {_quoted(study.wording.question)}
    labels:
{labels}    label_requirement:
      required: true
    sequential_key_binding: true
"""


def _quoted(string: str) -> str:
    # A string of JSON is one of YAML.
    return json.dumps(string)


def read(path: Path) -> Iterator[Given]:
    """Read a file of one rater, or those of all below ``annotation_output``; older versions write other files."""
    if path.is_file():
        yield from _of_file(path)
        return
    folders = sorted({file.parent for name in (_STATE, _LINES) for file in path.rglob(name)})
    if not folders:
        raise ValueError(f"no {_STATE} and no {_LINES} below it")
    for folder in folders:
        yield from _of_file(folder / _STATE if (folder / _STATE).is_file() else folder / _LINES)


def _of_file(path: Path) -> Iterator[Given]:
    written = path.read_text(encoding="utf-8")
    if path.suffix == ".json":
        state = json.loads(written)
        rater = str(state.get("user_id") or path.parent.name)
        for item, labels in state["instance_id_to_label_to_value"].items():
            yield from (Given(rater, item, name) for name in _chosen(labels))
        return
    for line in written.splitlines():
        record = json.loads(line)
        rater = str(record.get("user_id") or path.parent.name)
        item = str(record.get("id") or record["instance_id"])
        yield from (Given(rater, item, name) for name in _chosen(record["label_annotations"]))


def _chosen(labels: Any) -> Iterator[str]:
    """Yield the labels chosen: Potato lists pairs of a label and its value, or nests them by scheme."""
    if isinstance(labels, list):
        yield from (str(label["name"]) for label, value in labels if label["schema"] == _SCHEME and _is_on(value))
        return
    of_scheme = labels.get(_SCHEME, {})
    of_scheme = of_scheme.get("labels", of_scheme)
    yield from (str(name) for name, value in of_scheme.items() if _is_on(value))


def _is_on(value: Any) -> bool:
    return bool(value) and str(value).lower() != "false"
