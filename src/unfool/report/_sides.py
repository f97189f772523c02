"""Several runs side by side: who fooled what, and what is left when all attacks are taken together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from unfool.engine import Status
from unfool.errors import UserError
from unfool.runs import Comparison, Run, compare
from unfool.stats import Rate

_FIGURES = ("attacked", "both", "only_a", "only_b", "neither", "p_value")


def against_first(runs: Sequence[Run]) -> list[dict[str, Any]]:
    """Return how each further run compares with the first, sample by sample; runs over other texts are left out."""
    found = []
    for place, run in enumerate(runs[1:], start=1):
        try:
            compared = compare(runs[0], run)
        except UserError:  # other texts: there is nothing to compare
            continue
        if compared.attacked:
            found.append({"run": place, **_plain(compared)})
    return found


def worst_cases(runs: Sequence[Run]) -> list[dict[str, Any]]:
    """Return, for each victim that several runs attacked on the same data, what it has right under all of them."""
    groups: dict[tuple[str, ...], list[int]] = {}
    for place, run in enumerate(runs):
        same = ("victim", "victim_fingerprint", "data", "split", "fingerprint")
        groups.setdefault(tuple(str(run.config.get(key)) for key in same), []).append(place)
    return [
        {"victim": key[0], "runs": places, **_left([runs[place] for place in places])}
        for key, places in groups.items()
        if len(places) > 1 and key[0] != "None"
    ]


def _plain(compared: Comparison) -> dict[str, Any]:
    efforts = {"effort_a": compared.effort_a, "effort_b": compared.effort_b}
    return {
        **{key: getattr(compared, key) for key in _FIGURES},
        **{key: effort and effort._asdict() for key, effort in efforts.items()},
    }


def _left(runs: Sequence[Run]) -> dict[str, Any]:
    """Count the samples that all runs have, those that are right before, and those no attack took."""
    rights = [{o.id: o.before.label == o.label for o in run.outcomes()} for run in runs]
    fooled = {o.id for run in runs for o in run.outcomes() if o.status is Status.SUCCESS}
    common = set.intersection(*map(set, rights))
    kept = sum(rights[0][sample] and sample not in fooled for sample in common)
    return Rate(kept, len(common)).to_dict()
