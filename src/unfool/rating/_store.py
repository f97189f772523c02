"""The votes of a study as they come in, in SQLite: what was acknowledged survives a kill and a power cut."""

from __future__ import annotations

import random
import secrets
import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unfool.errors import UserError
from unfool.rating._draw import Turn, next_item, turns
from unfool.rating._items import Item
from unfool.rating._records import Answered, Asked, NoRoom, Progress, Rater, Refused, Vote
from unfool.runs import storable

LONGEST_COMMENT = 1000
_HELD = 3600
"""So many seconds an item that was given and not answered counts as the rater's; then others may get it."""
_APART = 3
"""So many answers at least lie between an item and the same item asked again."""
_TABLES = """
CREATE TABLE IF NOT EXISTS raters (
    number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, token TEXT UNIQUE,
    ready INTEGER NOT NULL DEFAULT 0, misread INTEGER NOT NULL DEFAULT 0);
CREATE TABLE IF NOT EXISTS turns (
    rater INTEGER NOT NULL REFERENCES raters, place INTEGER NOT NULL, slot INTEGER NOT NULL,
    item INTEGER NOT NULL, turn TEXT NOT NULL, swapped INTEGER NOT NULL, given_at REAL NOT NULL,
    answer TEXT, comment TEXT NOT NULL DEFAULT '', answered_at REAL,
    PRIMARY KEY (rater, place));
"""
_VOTES = (
    "SELECT name, item, answer, turn, comment FROM turns JOIN raters ON rater = number "
    "WHERE answer IS NOT NULL ORDER BY rater, place"
)
_GIVEN = "rater, place, slot, item, turn, swapped, given_at"
_ANSWER = "UPDATE turns SET answer = ?, comment = ?, answered_at = ? WHERE rater = ? AND place = ?"


@dataclass(frozen=True)
class Design:
    """What decides who is asked what."""

    items: Sequence[Item]
    answers: Sequence[str]
    per_item: int
    repeats: int
    seed: int
    swap: bool
    """Whether the order of a pair's texts is drawn."""
    careless: Callable[[Sequence[Vote]], Collection[str]]
    """Tells of all votes whose do not count: the items of these raters are given to others."""


class Store:
    """The raters of a study and what they were asked and answered; safe for several threads and processes."""

    def __init__(self, path: Path, design: Design) -> None:
        self._design = design
        self._gold = [item.id for item in design.items if item.gold]
        self._groups = len({item.group for item in design.items if not item.gold})
        self._lock = threading.Lock()
        try:
            self._base = sqlite3.connect(path, timeout=30, isolation_level=None, check_same_thread=False)
            self._base.execute("PRAGMA journal_mode=WAL")
            # What is acknowledged is on the disk: not only with the system, which a power cut ends.
            self._base.execute("PRAGMA synchronous=FULL")
            self._base.executescript(_TABLES)
        except sqlite3.Error as error:
            raise UserError(f"cannot open {path}: {error}; see that it is whole and can be written") from error

    def close(self) -> None:
        """Let go of the file."""
        self._base.close()

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """Do all that is inside, or nothing."""
        with self._lock:
            try:
                self._base.execute("BEGIN IMMEDIATE")
                yield self._base
                self._base.execute("COMMIT")
            except BaseException as error:
                if self._base.in_transaction:
                    self._base.execute("ROLLBACK")
                if isinstance(error, sqlite3.OperationalError):
                    raise NoRoom(f"the answer could not be stored ({error}); nothing is lost but this") from error
                raise

    def add_raters(self, names: Iterable[str]) -> list[Rater]:
        """Add raters who will answer by a page, each with a token of their own."""
        with self._writing() as base:
            for name in names:
                row = (name, secrets.token_urlsafe(24))
                base.execute("INSERT INTO raters (name, token) VALUES (?, ?)", row)
        return self.raters()

    def raters(self) -> list[Rater]:
        """Return all raters in the order they were added."""
        rows = self._rows("SELECT number, name, token, ready, misread FROM raters ORDER BY number")
        return [Rater(number, name, token, bool(ready), misread) for number, name, token, ready, misread in rows]

    def by_token(self, token: str) -> Rater | None:
        """Return the rater to whom a personal link belongs."""
        # All are compared, in time that tells nothing of how much of a token is right.
        given = token.encode("utf-8", "surrogatepass")
        return next(
            (one for one in self.raters() if one.token and secrets.compare_digest(one.token.encode(), given)), None
        )

    def check(self, rater: Rater, right: bool) -> None:
        """Keep what came of the check of the instructions."""
        column = "ready = 1" if right else "misread = misread + 1"
        with self._writing() as base:
            base.execute(f"UPDATE raters SET {column} WHERE number = ?", (rater.number,))

    def next(self, rater: Rater) -> Asked | None:
        """Return the question the rater has open, or draw one; None if there is none left."""
        with self._writing() as base:
            return self._open(base, rater) or self._draw(base, rater)

    def progress(self, rater: Rater) -> Progress:
        """Return how far a rater is."""
        ((answered,),) = self._rows("SELECT count(answer) FROM turns WHERE rater = ?", rater.number)
        return Progress(answered, self._groups + len(self._gold) + self._design.repeats)

    def answer(self, rater: Rater, place: int, answer: str, comment: str = "") -> None:
        """Store an answer; when this returns, it will not be lost. The same answer given again changes nothing.

        Raises:
            Refused: The question was not asked, or has another answer.
            NoRoom: The disk is full.
        """
        if answer not in self._design.answers:
            raise Refused(f"{answer[:40]!r} is no answer; give one of {', '.join(self._design.answers)}")
        if len(comment) > LONGEST_COMMENT:
            raise Refused(f"a comment may have {LONGEST_COMMENT} characters; this has {len(comment)}")
        comment = storable(comment)
        with self._writing() as base:
            key = (rater.number, place)
            found = base.execute("SELECT answer, comment FROM turns WHERE rater = ? AND place = ?", key).fetchone()
            if found is None:
                raise Refused("this question was not asked; reload the page")
            if found[0] is None:
                base.execute(_ANSWER, (answer, comment, time.time(), *key))
            elif found != (answer, comment):
                raise Refused(
                    "this question has an answer already; reload the page, and undo the last answer first"
                )

    def undo(self, rater: Rater, place: int) -> None:
        """Take an answer back, if it is the rater's last: said twice, this does not take back the one before."""
        with self._writing() as base:
            base.execute(
                "UPDATE turns SET answer = NULL, comment = '', answered_at = NULL, given_at = ? WHERE rater = ? "
                "AND place = ? AND place = (SELECT max(place) FROM turns WHERE rater = ? AND answer IS NOT NULL)",
                (time.time(), rater.number, place, rater.number),
            )

    def take(self, name: str, answers: Sequence[Answered]) -> int:
        """Store answers that a rater gave elsewhere; return how many were new.

        Raises:
            Refused: One is no answer, or differs from what the rater answered before.
        """
        name = storable(name)
        with self._writing() as base:
            base.execute("INSERT OR IGNORE INTO raters (name, ready) VALUES (?, 1)", (name,))
            (number,) = base.execute("SELECT number FROM raters WHERE name = ?", (name,)).fetchone()
            rows = base.execute(
                "SELECT item, place, answer FROM turns WHERE rater = ? AND turn != 'again'", (number,)
            )
            known = {item: (place, answer) for item, place, answer in rows}
            ((next_place,),) = base.execute("SELECT count(*) FROM turns WHERE rater = ?", (number,)).fetchall()
            new = 0
            for item, answer, comment in answers:
                if answer not in self._design.answers:
                    raise Refused(f"{name} answers {answer[:40]!r} to item {item}, which is no answer")
                place, before = known.get(item, (next_place, None))
                if before is not None:
                    if before != answer:
                        raise Refused(f"{name} answers {answer!r} to item {item}, and {before!r} before")
                    continue
                now = time.time()
                if item not in known:  # else the rater has it open
                    turn = Turn.GOLD if self._design.items[item].gold else Turn.ITEM
                    given = (number, place, place, item, turn.value, 0, now)
                    base.execute(f"INSERT INTO turns ({_GIVEN}) VALUES (?, ?, ?, ?, ?, ?, ?)", given)
                    next_place += 1
                base.execute(_ANSWER, (answer, storable(comment[:LONGEST_COMMENT]), now, number, place))
                known[item] = (place, answer)
                new += 1
        return new

    def votes(self) -> list[Vote]:
        """Return every answer, rater by rater, in the order they were given."""
        return [Vote(*row) for row in self._rows(_VOTES)]

    def _rows(self, query: str, *values: object) -> list[Any]:
        with self._lock:
            return self._base.execute(query, values).fetchall()

    @staticmethod
    def _open(base: sqlite3.Connection, rater: Rater) -> Asked | None:
        query = "SELECT place, item, swapped FROM turns WHERE rater = ? AND answer IS NULL ORDER BY place LIMIT 1"
        found = base.execute(query, (rater.number,)).fetchone()
        return None if found is None else Asked(found[0], found[1], bool(found[2]))

    def _draw(self, base: sqlite3.Connection, rater: Rater) -> Asked | None:
        design = self._design
        query = "SELECT item, turn, slot FROM turns WHERE rater = ? ORDER BY place"
        mine = base.execute(query, (rater.number,)).fetchall()
        order = turns(self._groups, len(self._gold), design.repeats, design.seed, rater.number)
        slots = range(mine[-1][2] + 1 if mine else 0, len(order))
        for slot in slots:
            item = self._item(base, order[slot], mine, rater)
            if item is not None:
                chance = random.Random(f"{design.seed} swap {rater.number} {slot}")
                asked = Asked(len(mine), item, design.swap and chance.random() < 1 / 2)
                row = (rater.number, asked.place, slot, item, order[slot].value, asked.swapped, time.time())
                base.execute(f"INSERT INTO turns ({_GIVEN}) VALUES (?, ?, ?, ?, ?, ?, ?)", row)
                return asked
        return None

    def _item(
        self, base: sqlite3.Connection, turn: Turn, mine: Sequence[tuple[int, str, int]], rater: Rater
    ) -> int | None:
        """Return the item for a turn of a rater, or None if nothing fits."""
        design = self._design
        if turn is Turn.GOLD:
            shuffled = random.Random(f"{design.seed} gold {rater.number}").sample(self._gold, len(self._gold))
            known_gold = {item for item, kind, _ in mine if kind == turn.value}  # perhaps answered elsewhere
            return next((item for item in shuffled if item not in known_gold), None)
        if turn is Turn.AGAIN:
            asked_again = {item for item, kind, _ in mine if kind == turn.value}
            known = [
                item for item, kind, _ in mine[:-_APART] if kind == Turn.ITEM.value and item not in asked_again
            ]
            return random.Random(f"{design.seed} again {rater.number} {len(mine)}").choice(known) if known else None
        out = design.careless([Vote(*row) for row in base.execute(_VOTES)])
        held = base.execute(
            "SELECT name, item FROM turns JOIN raters ON rater = number "
            "WHERE turn = 'item' AND (answer IS NOT NULL OR given_at > ?)",
            (time.time() - _HELD,),
        )
        given = Counter(item for name, item in held if name not in out)
        seen = [item for item, kind, _ in mine if kind == Turn.ITEM.value]
        found = next_item(design.items, given, seen, design.per_item, design.seed, rater.number)
        return None if found is None else found.id
