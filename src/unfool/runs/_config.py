"""What changed between the configurations of two runs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from unfool.runs._records import JSON, to_json


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
