"""What a run's label numbers mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from unfool.engine import Outcome
from unfool.storage import JSON


def label_names(config: Mapping[str, JSON]) -> list[str]:
    """Return the labels' names as the run's victim has them, or the data's where the victim only has numbers."""
    victims, datas = config.get("labels"), config.get("data_labels")
    names = [str(name) for name in victims] if isinstance(victims, list) else []
    numbered = names == [str(number) for number in range(len(names))]
    if numbered and isinstance(datas, list) and len(datas) == len(names) and set(datas) != set(names):
        # Labels that were not matched by name were matched by number.
        return [str(name) for name in datas]
    return names


def named_labels(outcome: Outcome, names: Sequence[str]) -> dict[str, str]:
    """Return the names of an outcome's labels, as files for other programs call them."""
    return {
        "label_name": label_name(names, outcome.label),
        "label_name_before": label_name(names, outcome.before.label),
        "label_name_after": label_name(names, outcome.after.label),
    }


def label_name(names: Sequence[str], label: int) -> str:
    """Return the name of a label; its number where the run does not say."""
    return names[label] if label < len(names) else str(label)
