"""What a victim takes for what: the confusion matrix, on data or before and after an attack (CS229's Figure 9)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from unfool.data import Dataset
from unfool.defences.evaluate import ask_labels
from unfool.engine import Predictor
from unfool.errors import UserError
from unfool.runs import Run
from unfool.text import Sample
from unfool_papers.analysis.figure import SHADES, Figure
from unfool_papers.analysis.outcomes import Outcomes, outcomes_of

_NO_LABEL = "another"
"""The name of an answer that is none of the data's labels."""

_BEFORE, _AFTER = "before the attack", "after the attack"


def confusion_matrix(
    victim: Predictor, samples: Dataset | Iterable[Sample], *, labels: Sequence[str] | None = None
) -> Figure:
    """Return how often a victim answers what about texts of each label.

    Args:
        victim: Any victim.
        samples: A data set, or labelled texts whose labels are numbered as the victim's.
        labels: What to call the labels; as the data or the victim does if None.

    Raises:
        UserError: If there are no texts, or the victim has fewer labels than the data.
    """
    numbered = samples.labels if isinstance(samples, Dataset) else victim.labels
    answers = ask_labels(victim, samples, numbered)
    counts = Counter((gold, given) for gold, given in zip(answers.gold, answers.given, strict=True))
    names = _names(labels, numbered)
    rows = _rows(counts, names, "")
    return Figure(
        "confusion-matrix",
        "True labels and answers",
        f"{victim!r}: {_told(counts)}.",
        rows,
        _squares(names, rows),
    )


def confusion_after_attack(run: Outcomes, *, labels: Sequence[str] | None = None) -> Figure:
    """Return how often the victim answered what about texts of each label, before an attack and after it.

    Texts that it had wrong already are counted on both sides, as in the report. Where an attack failed because its
    text breaks a rule, such as the edit budget, the text stands as it was.

    Args:
        run: A run, or outcomes.
        labels: What to call the labels; as the run does, or by number, if None.

    Raises:
        UserError: If there is no outcome.
    """
    outcomes = list(outcomes_of(run))
    most = 1 + max((max(o.label, o.before.label, o.after.label) for o in outcomes), default=0)
    config = run.config["labels"] if isinstance(run, Run) else None
    names = _names(labels, config if isinstance(config, list) else [str(number) for number in range(most)])
    before = Counter((outcome.label, outcome.before.label) for outcome in outcomes)
    after = Counter((o.label, o.after.label if o.keeps_rules else o.before.label) for o in outcomes)
    rows = [*_rows(before, names, _BEFORE), *_rows(after, names, _AFTER)]
    squares = _squares(names, rows)
    size = {side: squares.pop(side) for side in ("width", "height")}
    header = {"labelFontSize": 13, "labelFontWeight": "bold", "title": None}
    return Figure(
        "confusion-after-attack",
        "True labels and answers, before and after the attack",
        f"Before: {_told(before)}. After: {_told(after)}.",
        rows,
        {
            "facet": {"column": {"field": "when", "type": "nominal", "sort": [_BEFORE, _AFTER], "header": header}},
            "spec": {**size, **squares},
        },
    )


def _names(given: Sequence[str] | None, known: Sequence[Any]) -> tuple[str, ...]:
    if given is not None and len(given) != len(known):
        raise UserError(
            f"{len(given)} names ({', '.join(given)}) were given for {len(known)} labels; give one for each"
        )
    return tuple(str(name) for name in given or known)


def _rows(counts: Counter[tuple[int, int]], names: tuple[str, ...], when: str) -> list[dict[str, Any]]:
    if not counts:
        raise UserError("a confusion matrix needs at least one answer; give texts, or a run that has outcomes")
    answers = [*range(len(names)), *([-1] if any(given == -1 for _, given in counts) else [])]
    rows = []
    for gold, name in enumerate(names):
        of = sum(counts[gold, given] for given in answers)
        for given in answers:
            count = counts[gold, given]
            rows.append(
                {
                    "true": name,
                    "answer": _NO_LABEL if given == -1 else names[given],
                    "count": count,
                    "of": of,
                    "share": count / of if of else 0.0,
                    "when": when,
                }
            )
    return rows


def _told(counts: Counter[tuple[int, int]]) -> str:
    right, of = sum(count for (gold, given), count in counts.items() if gold == given), counts.total()
    return f"{right} of {of} texts right ({right / of:.1%})"


def _squares(names: tuple[str, ...], rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    answers = [*names, *([_NO_LABEL] if any(row["answer"] == _NO_LABEL for row in rows) else [])]
    label = "[datum.count + '', format(datum.share, '.1%')]"
    return {
        "width": 90 * len(answers),
        "height": 70 * len(names),
        "transform": [{"calculate": label, "as": "label"}],
        "encoding": {
            "x": {
                "field": "answer",
                "type": "nominal",
                "sort": answers,
                "axis": {"labelAngle": 0, "orient": "top"},
            },
            "y": {"field": "true", "type": "nominal", "sort": list(names), "title": "true label"},
        },
        "layer": [
            {
                "mark": {"type": "rect", "stroke": "lightgrey"},
                "encoding": {
                    "color": {
                        "field": "share",
                        "type": "quantitative",
                        "scale": {"domain": [0, 1], **SHADES},
                        "legend": {"title": "share of the label", "format": ".0%"},
                    }
                },
            },
            {
                "mark": {"type": "text", "fontSize": 13, "lineHeight": 16, "dy": -8},
                "encoding": {
                    "text": {"field": "label", "type": "nominal"},
                    "color": {"condition": {"test": "datum.share > 0.55", "value": "white"}, "value": "black"},
                },
            },
        ],
    }
