"""Sources made ready for a goal: behind each stands what the goal compares with."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from unfool.data import ANSWERS, Dataset, from_texts
from unfool.engine import REFERENCE
from unfool.errors import VictimError
from unfool.generation._goals import GenerationGoal
from unfool.generation._judged import CLEAN, LABELS, NOT_REACHED, ORIGINAL
from unfool.generation._output import Generator, Output

_SOURCES_AT_ONCE = 1024


def as_pairs(data: object) -> object:
    """Return sources given as a list, each alone or with its reference, as a data set; anything else as it is."""
    if not isinstance(data, list) or not data:
        return data
    alone = all(isinstance(each, str) for each in data)
    if not alone and not all(isinstance(each, tuple) and len(each) == 2 for each in data):
        return data
    sources = data if alone else [source for source, _ in data]
    references = None if alone else [reference for _, reference in data]
    return from_texts(sources, ANSWERS, pairs=references)


class Prepared(NamedTuple):
    """Sources with their clean outputs, and what could not be used."""

    data: Dataset
    left_out: dict[str, int]
    """How many sources the model gave no output for, by reason."""
    out_of_reach: dict[str, int]
    """How many sources can never reach the goal, by reason; they are left out, too."""


def with_outputs(pairs: Dataset, model: Generator, goal: GenerationGoal | None = None) -> Prepared:
    """Ask a model about all sources and put its outputs behind them, with the references if there are any.

    Args:
        pairs: The sources, each with its reference as the second text, or alone.
        model: The model; each output is made alone and at full precision, as it is confirmed.
        goal: What counts as fooled; with it, sources that can never reach it are left out.
    """
    sources = pairs.column(0)
    answers = list(_answers(model, sources))
    out_of_reach = [
        goal.out_of_reach(answer.text) if goal and isinstance(answer, Output) else None for answer in answers
    ]
    behind = {
        ORIGINAL: sources,
        CLEAN: [answer.text if isinstance(answer, Output) else "" for answer in answers],
    }
    if pairs.columns.pair is not None:
        behind[REFERENCE] = pairs.column(1)
    numbers = [
        NOT_REACHED if isinstance(answer, Output) and why is None else -1
        for answer, why in zip(answers, out_of_reach, strict=True)
    ]
    return Prepared(
        pairs.with_behind(behind).with_labels(LABELS, numbers),
        dict(Counter(str(answer) for answer in answers if isinstance(answer, VictimError))),
        dict(Counter(filter(None, out_of_reach))),
    )


def _answers(model: Generator, sources: list[str]) -> Iterator[Output | VictimError]:
    for start in range(0, len(sources), _SOURCES_AT_ONCE):
        yield from map(_whole, model.generate_exactly(sources[start : start + _SOURCES_AT_ONCE]))


def _whole(answer: Output | VictimError) -> Output | VictimError:
    """Refuse an output that holds half a character: no table can keep it."""
    half = re.search("[\ud800-\udfff]", answer.text) if isinstance(answer, Output) else None
    return VictimError(f"its output holds half a character, U+{ord(half[0]):04X}") if half else answer
