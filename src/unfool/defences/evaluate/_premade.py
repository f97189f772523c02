"""Texts that fooled one victim, as a data set to try others on and to share."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unfool.data import Dataset, load
from unfool.engine import Status
from unfool.errors import UserError
from unfool.labels import data_numbers
from unfool.runs import Run
from unfool.storage import explaining, replacing

_ABOUT = ".about.json"
_TOLD = ("attack", "victim", "data", "split", "fingerprint", "seed", "n", "goal", "budget", "constraints")


@dataclass(frozen=True)
class Premade:
    """A data set of texts that fooled a victim."""

    file: Path
    texts: int
    labels: tuple[str, ...]
    columns: tuple[str, ...]
    settings: Mapping[str, Any]
    """How they were made: the attack, the victim, the data and more."""

    def to_json(self) -> dict[str, Any]:
        """Return plain values, as they are written beside the file."""
        own = {"texts": self.texts, "labels": list(self.labels), "columns": list(self.columns)}
        return {**self.settings, **own}


def premade(run: str | Path | Run, out: str | Path) -> Premade:
    """Write the successes of a run as a file of JSON lines, which any command takes as ``--data`` or ``--premade``.

    A line holds the changed text under the columns of its data set, the right label by name, the row it comes from
    and the text as it was. Beside the file, one that ends in ``.about.json`` tells how it was made.

    Args:
        run: The run, or its folder.
        out: The file, which must end in ``.jsonl``.

    Raises:
        UserError: If the run has no success, or the file cannot be written.
    """
    opened = run if isinstance(run, Run) else Run.open(run)
    path = Path(out).expanduser()
    if path.suffix != ".jsonl":
        raise UserError(f"{path} must end in .jsonl, so that it can be read as a data set")
    config: Mapping[str, Any] = opened.config
    names, numbers = config["data_labels"], data_numbers(config)
    columns: Sequence[str] = ()
    written = 0
    with explaining(path, "write", "choose another place"), replacing(path) as file:
        for outcome in opened.outcomes():
            if outcome.status is Status.SUCCESS:
                columns = outcome.field_names
                changed = dict(zip(columns, outcome.perturbed, strict=True))
                before = {f"original_{k}": v for k, v in zip(columns, outcome.original, strict=True)}
                line = {**changed, "label": names[numbers[outcome.label]], "id": outcome.id, **before}
                file.write(json.dumps(line).encode() + b"\n")
                written += 1
        if not written:
            raise UserError(f"no text in {opened.folder} fooled its victim, so there is nothing to store")
        settings = {key: config[key] for key in _TOLD if key in config}
        made = Premade(path, written, tuple(names), tuple(columns), settings)
        # Before the texts take their place: without it, their columns and labels would be guessed.
        with replacing(path.with_name(path.stem + _ABOUT)) as beside:
            beside.write(json.dumps(made.to_json(), indent=2).encode() + b"\n")
    return made


def load_premade(name: str) -> Dataset:
    """Load adversarial texts; of a data set that `premade` wrote, columns and all labels are known."""
    path = Path(name).expanduser()
    file = path.with_name(path.stem + _ABOUT) if path.name else path
    if not file.is_file():
        return load(name)
    with explaining(file, "read", "mend it, or remove it to have columns and labels guessed"):
        about: dict[str, Any] = json.loads(file.read_bytes())
    columns = about.get("columns", ())  # not told by the first versions
    label = "label" if columns else None
    return load(name, labels=about["labels"], label=label, **dict(zip(("text", "pair"), columns, strict=False)))
