"""Records as files, and where two of them differ."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.golden.calls import Record

EXPECTED = Path(__file__).with_name("expected")
_NEAR = 2e-5
"""Probabilities and means may differ by as much: another machine has other last bits in a net's answer."""


def file_of(name: str) -> Path:
    """Return where a record is kept."""
    return EXPECTED / f"{name}.json"


def read(name: str) -> Record:
    """Read what was recorded."""
    record: Record = json.loads(file_of(name).read_text(encoding="utf-8"))
    return record


def write(name: str, record: Record) -> None:
    """Keep a record, a line a sample."""
    EXPECTED.mkdir(exist_ok=True)
    file_of(name).write_text(_lines(_rounded(record)) + "\n", encoding="utf-8")


def differences(recorded: Any, found: Any, where: str) -> Iterator[str]:
    """Tell what is not as it was recorded. What is new in ``found`` is no difference."""
    if isinstance(recorded, dict) and isinstance(found, dict):
        for name, value in recorded.items():
            if name in found:
                yield from differences(value, found[name], f"{where}, {name}")
            else:
                yield f"{where}: {name} was recorded, and is gone"
    elif isinstance(recorded, list) and isinstance(found, list) and len(recorded) == len(found):
        for number, (old, new) in enumerate(zip(recorded, found, strict=True)):
            yield from differences(old, new, where if len(recorded) == 1 else f"{where}[{number}]")
    elif isinstance(recorded, float) and isinstance(found, (int, float)):
        if abs(recorded - found) > _NEAR:
            yield f"{where}: {recorded} was recorded, now it is {found}"
    elif recorded != found:
        yield f"{where}: {recorded!r} was recorded, now it is {found!r}"


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _rounded(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_rounded(each) for each in value]
    return round(value, 6) if isinstance(value, float) else value


def _lines(value: Any, depth: int = 0) -> str:
    """Write JSON with a line for each thing that holds no named things."""
    if not isinstance(value, dict) or not any(isinstance(each, dict) for each in value.values()):
        return json.dumps(value, ensure_ascii=False)
    margin = "\n" + " " * (depth + 1)
    rows = [f"{json.dumps(name, ensure_ascii=False)}: {_lines(each, depth + 1)}" for name, each in value.items()]
    return "{" + margin + f",{margin}".join(rows) + "\n" + " " * depth + "}"
