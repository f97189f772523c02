"""What differs between the settings of two runs, told in plain words."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import NamedTuple, TypeGuard

from unfool.storage._json import JSON, to_json

_NOT_SET = "(not set)"
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
        ConfigChange(key, before.get(key, _NOT_SET), after.get(key, _NOT_SET))
        for key in sorted(before.keys() | after.keys())
        if before.get(key) != after.get(key)
    )


def describe_changes(old: Mapping[str, JSON], new: Mapping[str, JSON]) -> str:
    """Say in plain words what is set otherwise now; empty if nothing is."""
    changes = config_changes(old, new)
    data_differs = any(change.key == "data" for change in changes)
    # Other data have another fingerprint, which then is no news.
    told = [change for change in changes if not (data_differs and change.key == "fingerprint")]
    return "; ".join(_told(change, old, new) for change in told)


def _told(change: ConfigChange, old: Mapping[str, JSON], new: Mapping[str, JSON]) -> str:
    before, after = (None if value == _NOT_SET else json.loads(value) for value in (change.old, change.new))
    if change.key == "fingerprint":
        return "the data file has changed since this run, or other columns or labels of it are read"
    role, _, fingerprint = change.key.rpartition("_")
    if fingerprint == "fingerprint":
        victim = str(old.get(role, f"the {role}"))
        part = "code of {} has" if victim.startswith("py:") else "files of {} have"
        return f"the {part.format(victim)} changed since this run"
    if _is_digest(before) and _is_digest(after):
        return f"what {change.key} stands for has changed since this run"
    if change.key.endswith("approximate"):
        was, now = ("half precision (bf16)" if value else "full precision (fp32)" for value in (before, after))
        return f"the search was in {was}, and is now in {now}"
    if change.key == "labelled_by":
        were, now = ("the victim's own answers" if value else "those of the data" for value in (before, after))
        return f"the labels were {were}, and are now {now}"
    if change.key == "goal.target":
        before, after = _label_name(before, old), _label_name(after, new)
    name, unset = _PLAIN.get(change.key, (change.key, "not set"))
    subject = name.removeprefix("the ").partition(" ")[0]
    verb, now = ("were", "are") if subject.endswith("s") else ("was", "is")
    return f"{name} {verb} {_plain(before, unset)}, and {now} now {_plain(after, unset)}"


_PLAIN = {
    "attack": ("the attack", "not set"),
    "victim": ("the victim", "not set"),
    "data": ("the data set", "not set"),
    "split": ("the split", "none"),
    "editable": ("the columns that attacks may change", "all"),
    "n": ("the number of samples", "all"),
    "from": ("the labels of the texts attacked", "all"),
    "seed": ("the seed", "not set"),
    "labels": ("the labels", "not set"),
    "data_labels": ("the data's labels", "not set"),
    "goal.target": ("the target", "none"),
    "goal.confidence": ("the confidence", "none"),
    "budget.queries": ("the query budget", "none"),
    "budget.words": ("the share of words that may change", "not limited"),
    "budget.characters": ("the share of characters that may change", "not limited"),
    "constraints": ("the constraints", "none"),
    "eot": ("the number of answers averaged (eot)", "1"),
}
"""What settings of a run are called, and what is said if one is not set."""


def _plain(value: JSON, unset: str) -> str:
    if value is None:
        return unset
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _label_name(number: JSON, config: Mapping[str, JSON]) -> JSON:
    names = config.get("labels")
    known = isinstance(names, list) and isinstance(number, int) and number < len(names)
    return names[number] if known else number  # type: ignore[index]


def _is_digest(value: JSON) -> bool:
    return isinstance(value, str) and len(value) == 64 and set(value) <= set("0123456789abcdef")


def is_config(found: object, depth: int = 0) -> TypeGuard[dict[str, JSON]]:
    """Return whether what a file holds may be the settings of a run."""
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
