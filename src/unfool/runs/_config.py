"""What changed between the configurations of two runs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import NamedTuple, TypeGuard

from unfool.runs._records import JSON, to_json

_LABELS = ("labels", "data_labels")
_DEEPEST = 20


class ConfigChange(NamedTuple):
    """One setting, by its dotted path, in two configurations; a missing one reads ``(not set)``."""

    key: str
    old: str
    new: str

    def __str__(self) -> str:
        return f"{self.key}: {self.old} → {self.new}"


def config_changes(old: Mapping[str, JSON], new: Mapping[str, JSON]) -> tuple[ConfigChange, ...]:
    """Return every setting that differs, in order of its key."""
    before, after = dict(settings(old)), dict(settings(new))
    return tuple(
        ConfigChange(key, before.get(key, "(not set)"), after.get(key, "(not set)"))
        for key in sorted(before.keys() | after.keys())
        if before.get(key) != after.get(key)
    )


def is_config(found: object, depth: int = 0) -> TypeGuard[dict[str, JSON]]:
    """Say whether what a file holds may be the settings of a run."""
    if not isinstance(found, dict) or depth > _DEEPEST:
        return False
    nested = (value for value in found.values() if isinstance(value, dict))
    names = (found.get(key, []) for key in _LABELS if depth == 0)
    return all(is_config(value, depth + 1) for value in nested) and all(
        isinstance(labels, list) and all(isinstance(label, str) for label in labels) for labels in names
    )


def as_stored(config: Mapping[str, JSON]) -> dict[str, JSON]:
    """Return the configuration as reading it from its file would give it (lists for tuples)."""
    stored: dict[str, JSON] = json.loads(to_json(config))
    return stored


def settings(config: Mapping[str, JSON], prefix: str = "") -> Iterator[tuple[str, str]]:
    """Yield every setting by its dotted path, its value as JSON."""
    for key, value in config.items():
        if isinstance(value, Mapping) and value:
            yield from settings(value, f"{prefix}{key}.")
        else:
            yield prefix + key, to_json(value).decode()
