"""Nets whose labels each have a probability of their own, by a sigmoid: they are asked about one label."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from unfool.errors import UserError, did_you_mean
from unfool.victims._answer_forms import numbered_labels, place_of


class AskedLabel(NamedTuple):
    """The label a net is asked about: whether a text has it is a question of two answers."""

    place: int
    """Which of the outputs is its."""
    labels: tuple[str, str]
    """What it is called when a text does not have it, and when it has."""


def has_own_probabilities(config: Mapping[str, Any], outputs: int) -> bool:
    """Say whether each output goes through a sigmoid, by a ``config.json``, as the pipelines of transformers do."""
    return config.get("problem_type") == "multi_label_classification" or outputs == 1


def asked_label(victim: str, names: Sequence[str] | None, outputs: int, positive: str | None) -> AskedLabel:
    """Return which label is asked about.

    Args:
        victim: The victim's name, for messages.
        names: The labels' names, if they have any; of a net with one output it may be both answers' or the label's.
        outputs: How many outputs there are.
        positive: The label; a net with one output needs none.

    Raises:
        UserError: None is named, or one that is not there.
    """
    if outputs == 1 and (not names or len(names) == 2):
        no, yes = names or numbered_labels(2)
        return AskedLabel(0, (no, yes))
    known = tuple(names or numbered_labels(outputs))
    place = 0 if outputs == 1 else place_of(positive or "", known)
    if place is None:
        said = f"there is no {positive!r}{did_you_mean(positive, known)}" if positive else f"#positive={known[0]}"
        raise UserError(
            f"{victim} gives each of its labels a probability of its own, so it is asked about one of them: {said}"
        )
    return AskedLabel(place, (f"not {known[place]}", known[place]))
