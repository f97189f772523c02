"""How much each word of a run's texts matters to its victim: kept beside the outcomes, asked once."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from unfool import storage as files
from unfool.errors import UserError
from unfool.storage import Log, check_fields, cut_torn_end, to_json, whole_lines

FILE = "overlays.jsonl"


class Weights(NamedTuple):
    """A number for each word of a text, field after field."""

    importance: list[float]
    """How much the victim's belief in the true label falls when the word is left out."""
    attention: list[float | None] | None
    """The attention the word gets, None where it is cut off; None where the victim tells of none."""


class Overlay(NamedTuple):
    """What the victim says of one sample, word by word and step by step."""

    id: int
    original: Weights
    perturbed: Weights | None
    """None where it is the original."""
    beliefs: list[float]
    """The belief in the true label at first, and after each step of the search."""


def read_overlays(folder: Path) -> dict[int, Overlay]:
    """Return what a run's folder has, by the samples' ids; nothing where nobody asked."""
    path, found = folder / FILE, dict[int, Overlay]()
    if not path.exists():
        return found
    with files.explaining(path, "read", "delete it and ask again with --overlays"):
        for number, (_, line) in enumerate(whole_lines(path), start=1):
            try:
                record = json.loads(line)
                changed = record["perturbed"] and Weights(**record["perturbed"])
                overlay = Overlay(record["id"], Weights(**record["original"]), changed, record["beliefs"])
                check_fields(overlay)
                found[overlay.id] = overlay
            except (ValueError, TypeError, KeyError, RecursionError) as error:
                raise UserError(
                    f"line {number} of {path} is damaged; delete the file and ask again with --overlays"
                ) from error
    return found


@contextmanager
def adding_overlays(folder: Path) -> Iterator[OverlayLog]:
    """Open a run's folder for more; what is flushed survives a kill."""
    path = folder / FILE
    with files.explaining(path, "write", "see that the run's folder can be written"), files.locked(folder):
        path.touch()
        cut_torn_end(path)
        with Log(path) as log:
            yield OverlayLog(log)


class OverlayLog:
    """Adds lines to the file."""

    def __init__(self, log: Log) -> None:
        self._log = log

    def add(self, overlay: Overlay) -> None:
        """Write one sample's weights."""
        plain = {**overlay._asdict(), "original": overlay.original._asdict()}
        if overlay.perturbed:
            plain["perturbed"] = overlay.perturbed._asdict()
        self._log.add(to_json(plain) + b"\n")
        self._log.flush()
