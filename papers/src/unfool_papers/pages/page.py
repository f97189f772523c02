"""A page about a paper: the tables that are made of kept results, and what its prose says in numbers."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from unfool_papers.study.plan import Table
from unfool_papers.study.tables import markdown

ROOT = Path(__file__).parents[4]


class Page(NamedTuple):
    """A page and what its numbers follow from."""

    path: str
    """Below the clone's folder."""
    tables: Callable[[], Mapping[str, str]]
    """Each made table's Markdown, by its name."""
    phrases: Callable[[], Iterable[str]]
    """What the prose says, with numbers made of the results."""
    allowed: Mapping[str, Sequence[str]]
    """Phrases whose numbers need no file, by the reason: settings, what the paper says."""

    @property
    def text(self) -> str:
        """The page as it stands."""
        return (ROOT / self.path).read_text("utf-8")


@cache
def kept(name: str) -> Any:
    """Return what is kept in a file of ``results/``."""
    return json.loads((ROOT / "results" / f"{name}.json").read_text("utf-8"))


def rows_alone(table: Table) -> str:
    """Return a table without its title."""
    return markdown(table._replace(title=""))


def signed(number: float, places: int = 1) -> str:
    """Return a number with its sign as it is printed, not typed."""
    return f"{number:+.{places}f}".replace("-", "−")


def share(rate: Mapping[str, float], places: int = 1) -> str:
    """Return a rate in percent."""
    return f"{100 * rate['value']:.{places}f}"


def between(rate: Mapping[str, float]) -> str:
    """Return a rate's interval in whole percents."""
    return f"{100 * rate['low']:.0f}–{100 * rate['high']:.0f}"
