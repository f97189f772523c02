"""What a study declares and its results do not hold: no reader should have to compare them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from unfool_papers.study.plan import Plan
from unfool_papers.study.row import Row


def undone(plan: Plan, results: Mapping[str, Any]) -> dict[str, str]:
    """Return what is not done, and why: what the results name themselves, then rows and parts they do not have."""
    named: Mapping[str, str] = results["problems"]
    texts = {each["row"]: each["n"] for each in results["rows"]}
    missing: defaultdict[str, list[Row]] = defaultdict(list)
    fewer: defaultdict[tuple[str, int, int], list[Row]] = defaultdict(list)
    for row in plan.rows:
        victim = row.victim.removeprefix("zoo:")
        if row.name not in texts:
            if row.name not in named:
                missing[victim].append(row)
        elif texts[row.name] < row.n:
            fewer[victim, texts[row.name], row.n].append(row)
    return {
        **named,
        **{f"attacks on {victim}": f"not run: {_attacks(rows)}" for victim, rows in missing.items()},
        **{
            f"attacks on {victim} on all of {declared} texts": f"run on {n}: {_attacks(rows)}"
            for (victim, n, declared), rows in fewer.items()
        },
        **{
            part.title: f"nothing of it is kept{f'; what is: {part.in_small}' if part.in_small else ''}"
            for part in plan.parts
            if part.title not in results["parts"] and part.title not in named
        },
    }


def _attacks(rows: Iterable[Row]) -> str:
    """Return the attacks of some rows, each once, with all levels of confidence it is asked for."""
    levels: defaultdict[str, list[str]] = defaultdict(list)
    for row in rows:
        levels[row.attack] += [f"{row.confidence:g}"] if row.confidence else []
    return ", ".join(f"`{name}`{' at ' if sure else ''}{', '.join(sure)}" for name, sure in levels.items())
