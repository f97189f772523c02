"""What the page knows about runs: figures and curves, samples, what each word weighs, and runs side by side."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, chain
from typing import Any

from unfool.engine import Outcome, Status
from unfool.errors import UserError
from unfool.runs import (
    NUMBERS,
    Cost,
    Cross,
    Overlay,
    Piece,
    Run,
    Weights,
    compare,
    mark_between,
    numbers,
    outcome_quality,
    read_overlays,
    same_texts,
    worst_case,
)
from unfool.stats import percentage, wilson
from unfool.storage import settings, to_json
from unfool.text import Text

COLUMNS = ("id", "label", "status", "reason", *NUMBERS, "fields", "notes", "steps")
QUALITY = ("chrf_before", "chrf_after", "chrf_lost", "chrf_source")
"""Columns beside these where the victim generates."""
_MOST_SAMPLES = 20_000
"""A page of more would be too large to send, and slow to search."""
_MOST_POINTS = 300  # more than a screen can tell apart
_PLACES = 4
_COMPARED = ("attacked", "both", "only_a", "only_b", "neither", "p_value")

Shading = tuple[list[int], list[float], list[float | None] | None]
"""Of one field: how long each gap and each word is, in turn; the words' importance; their attention."""


def page_data(run: Run) -> dict[str, Any]:
    """Return all that the page is told of a run; for one of few samples, since it is held whole."""
    overlays = read_overlays(run.folder)
    return {
        "about": facts(run, overlays),
        "samples": json.loads(b"".join(samples(run))),
        "overlays": json.loads(b"".join(shadings(run, overlays))),
    }


def facts(run: Run, overlays: Mapping[int, Overlay]) -> dict[str, Any]:
    """Return all but the samples, as plain values."""
    attention = any(overlay.original.attention is not None for overlay in overlays.values())
    return {
        "name": run.name,
        "settings": dict(settings(run.config)),
        "labels": run.label_names,
        "labelled_by_victim": "labelled_by" in run.config,
        "finished": run.finished,
        "remarks": run.remarks(),
        "summary": run.summary.to_dict(),
        "curves": _curves(run.costs()),
        "people": _people(run),
        "overlays": {"samples": len(overlays), "attention": attention} if overlays else None,
        "errors": [{"id": failure.id, "error": failure.error} for failure in run.failures()],
    }


def _people(run: Run) -> dict[str, Any] | None:
    """Return the valid success rate, and by the sample's id the votes; None if nobody was asked."""
    votes: dict[int, list[dict[str, Any]]] = {}
    for each in run.votes:
        votes.setdefault(each.id, []).append({"task": each.task, "answers": each.answers, "agree": each.agree})
    valid = run.valid_success
    return {"valid": valid and valid.to_dict(), "votes": votes} if votes else None


def samples(run: Run, wanted: Iterable[int] = ()) -> Iterator[bytes]:
    """Yield JSON in pieces: columns, names of fields, rows.

    Of more samples than a page bears, some are taken, evenly, and those that are wanted by their ids.
    """
    outcomes = (outcome.as_read for outcome in run.spread(_MOST_SAMPLES, wanted))
    first = next(outcomes, None)
    columns = COLUMNS + (QUALITY if first and first.outputs else ())
    head = to_json({"columns": columns, "fields": first.field_names if first else ()})
    yield head.removesuffix(b"}") + b', "rows": ['
    for number, outcome in enumerate(chain([first] if first else [], outcomes)):
        yield (b",\n" if number else b"\n") + to_json(_row(outcome))
    yield b"\n]}"


def _row(outcome: Outcome) -> tuple[object, ...]:
    head = (outcome.id, outcome.label, outcome.status.value, outcome.reason)
    row = (
        *head,
        *numbers(outcome),
        cut_fields(outcome.original, outcome.perturbed),
        dict(outcome.notes),
        outcome.steps,
    )
    if outcome.outputs is None:
        return row
    found = outcome_quality(outcome)
    return *row, *(round(each, _PLACES) for each in (found.before, found.after, found.lost, found.source))


Strings = tuple[str, ...]
Cut = tuple[list[str], list[str] | None]


def cut_fields(before: Strings, after: Strings) -> list[Cut]:
    """Return each field before and after (None if nothing changed): strings that stay and that change, in turn."""
    if before == after:
        return [([field], None) for field in before]
    marked = mark_between(before, after)
    return [
        (_cut(old), _cut(new)) if old != new else (_cut(old), None)
        for old, new in zip(marked.original, marked.perturbed, strict=True)
    ]


def _cut(pieces: tuple[Piece, ...]) -> list[str]:
    """Return the strings in turn, one that stays and one that changes, so that no marks need be stored."""
    strings = [""] if pieces and pieces[0].changed else []
    return strings + [piece.string for piece in pieces]


Point = tuple[float, float, float, float]
"""A cost, the share of the attacked samples that fell at no more than it, and its 95 % Wilson interval."""


def _curves(costs: Iterable[Cost]) -> dict[str, list[Point]]:
    """Return success against queries and against the percentage of words changed; empty if nothing was attacked."""
    attacked = 0
    queries: Counter[float] = Counter()
    words: Counter[float] = Counter()
    for cost in costs:
        attacked += cost.status is not Status.SKIPPED
        if cost.status is Status.SUCCESS:
            queries[cost.queries] += 1
            words[round(percentage(cost.words_changed, cost.words), 2)] += 1
    return {"queries": _curve(queries, attacked), "words": _curve(words, attacked)}


def _curve(fallen: Counter[float], attacked: int) -> list[Point]:
    costs = sorted(fallen)
    points = _thinned(list(zip(costs, accumulate(fallen[cost] for cost in costs), strict=True)))
    return [(cost, *_rounded(count / attacked, *wilson(count, attacked))) for cost, count in points]


def _rounded(share: float, low: float, high: float) -> tuple[float, float, float]:
    return round(share, _PLACES), round(low, _PLACES), round(high, _PLACES)


def _thinned(points: list[tuple[float, int]]) -> list[tuple[float, int]]:
    """Leave out points, evenly; the first and the last stay, and so every point kept is exact."""
    if len(points) <= _MOST_POINTS:
        return points
    step = (len(points) - 1) / (_MOST_POINTS - 1)
    return [points[round(place * step)] for place in range(_MOST_POINTS)]


def shadings(run: Run, overlays: Mapping[int, Overlay]) -> Iterator[bytes]:
    """Yield JSON in pieces: by the sample's id, the shadings of both its texts, and the beliefs on the way."""
    found = ((outcome, overlays[outcome.id]) for outcome in run.outcomes() if outcome.id in overlays)
    yield b"{"
    for number, (outcome, overlay) in enumerate(found):
        yield (b",\n" if number else b"\n") + f'"{outcome.id}": '.encode() + to_json(_shading(outcome, overlay))
    yield b"\n}"


def _shading(
    outcome: Outcome, overlay: Overlay
) -> tuple[list[Shading], list[Shading] | None, list[float], list[Cross] | None]:
    # A model that generates reads the source alone.
    read = slice(1) if outcome.outputs else slice(None)
    changed = _fields(outcome.perturbed[read], overlay.perturbed) if overlay.perturbed else None
    return _fields(outcome.original[read], overlay.original), changed, overlay.beliefs, overlay.cross


def _fields(strings: tuple[str, ...], weights: Weights) -> list[Shading]:
    texts = [Text.of(string) for string in strings]
    stops = list(accumulate(map(len, texts)))
    return [
        (
            _lengths(text),
            weights.importance[stop - len(text) : stop],
            None if weights.attention is None else weights.attention[stop - len(text) : stop],
        )
        for text, stop in zip(texts, stops, strict=True)
    ]


def _lengths(text: Text) -> list[int]:
    # In units of UTF-16, as a browser counts: an emoji is two.
    pairs = zip(text.gaps, text.words, strict=False)
    return [len(part.encode("utf-16-le", "surrogatepass")) // 2 for pair in pairs for part in pair]


def against_first(runs: Sequence[Run]) -> list[dict[str, Any]]:
    """Return how each further run compares with the first, sample by sample; runs over other texts are left out."""
    found = []
    for place, run in enumerate(runs[1:], start=1):
        try:
            compared = compare(runs[0], run)
        except UserError:  # other texts: there is nothing to compare
            continue
        if compared.attacked:
            told = {key: getattr(compared, key) for key in _COMPARED}
            efforts = {"effort_a": compared.effort_a, "effort_b": compared.effort_b}
            told |= {key: effort and effort._asdict() for key, effort in efforts.items()}
            found.append({"run": place, **told})
    return found


def worst_cases(runs: Sequence[Run]) -> list[dict[str, Any]]:
    """Return, for each victim that several runs attacked on the same data, what it has right under all of them."""
    return [
        {"victim": victim, "runs": places, **worst_case([runs[place] for place in places]).accuracy.to_dict()}
        for victim, places in same_texts(runs)
    ]
