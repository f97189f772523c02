"""What a study is made of: rows, claims about them, and further parts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from unfool.errors import UserError, did_you_mean
from unfool.runs import Run
from unfool_papers.study.claim import Claim, Figures
from unfool_papers.study.kept import Kept
from unfool_papers.study.record import Record
from unfool_papers.study.row import Row

if TYPE_CHECKING:
    from unfool_papers.analysis import Figure

Scale = Literal["smoke", "full"]
LATER = "left for another time: call again to go on"


class Work(NamedTuple):
    """Where and how a study is carried out."""

    out: Path
    device: str
    workers: int
    say: Callable[[str], None]
    """Tells what is done next."""
    progress: bool = True
    runs: Mapping[str, Run] = {}
    """The finished rows, by name."""
    ends: float | None = None
    """When to stop, by `time.monotonic`; None where there is time."""
    kept: Kept | None = None
    """Results of other sittings, perhaps of other machines."""

    @property
    def seconds_left(self) -> float | None:
        """How long it may go on; None where there is no end."""
        return None if self.ends is None else max(0.0, self.ends - monotonic())

    @property
    def time_is_up(self) -> bool:
        """Whether nothing more should be begun."""
        return self.seconds_left == 0


class Table(NamedTuple):
    """Cells under headings."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]


class Section(NamedTuple):
    """What came of a part."""

    tables: Sequence[Table] = ()
    claims: Sequence[Mapping[str, Any]] = ()
    """As `judged` gives them."""
    figures: Sequence[Figure] = ()
    notes: Sequence[str] = ()
    """What differs from the paper, what went wrong: a sentence each."""
    values: Mapping[str, Any] = {}
    """All figures as plain values."""
    problems: Mapping[str, str] = {}
    """What is not done of the part, by piece, and why."""


class Part(NamedTuple):
    """More than rows: a transfer matrix, defences, a look inside. Each goes on where it was stopped."""

    title: str
    do: Callable[[Work], Section]
    takes_kept: bool = False
    """Whether it takes kept results, and begins nothing by itself once time is up."""
    in_small: str = ""
    """Where it is told as it was carried out in small, as a link from a study's page."""


class Plan(NamedTuple):
    """A study at one scale."""

    rows: Sequence[Row]
    claims: Callable[[Figures], Iterable[Claim]]
    parts: Sequence[Part] = ()
    differs: str = ""
    """What this scale leaves out, in a sentence."""
    figures: Callable[[Sequence[Record]], Sequence[Figure]] = lambda records: ()
    """What is drawn of the rows alone, besides how often each attack fools."""

    def part_alone(self, title: str) -> Plan:
        """Return the plan of one part, without rows and other parts.

        Raises:
            UserError: If no part has this title.
        """
        parts = [part for part in self.parts if part.title.casefold() == title.casefold()]
        if not parts:
            titles = [part.title for part in self.parts]
            raise UserError(f"the study has no part {title!r}{did_you_mean(title, titles)}")
        return self._replace(rows=(), claims=lambda figures: (), parts=parts)


class Study(NamedTuple):
    """A paper's experiments."""

    name: str
    paper: int
    title: str
    about: str
    """The paper, and what is tried."""
    plans: Mapping[Scale, Plan]
