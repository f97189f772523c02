"""The victim's predictions as a service: de-duplicated, cached, counted per sample, rounded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unfool.engine._goal import Floats
from unfool.engine._ledger import Ledger, OutOfQueries, Placed
from unfool.engine._service import Later, Pending
from unfool.engine._victim import Answers, Keys, Predictor
from unfool.errors import Unheard, VictimError
from unfool.text import Variants

CACHE_ROWS = 1 << 17
_LOOKED_AT = 64
"""Variants looked at together, to learn whether the budget covers them: of a long text, each may be a megabyte."""


class Query(NamedTuple):
    """Variants one sample asks about, and where they are counted."""

    ledger: Ledger
    variants: Variants
    stand_in: Floats | None = None
    """What stands for an answer that the victim cannot give; without it, such a text is an error."""


class PredictService:
    """Asks a victim about each distinct text once, and about none that it is known to have answered."""

    def __init__(self, victim: Predictor, known: RowCache | None = None) -> None:
        self._victim = victim
        self._cache = RowCache.of(victim) if known is None else known
        self.forwarded = 0

    def launch(self, requests: Sequence[Query]) -> Pending:
        """Enter the queries in their ledgers and start one forward pass over what nobody asked before."""
        refused = [self.exceeds_budget(query) for query in requests]
        rows = self._victim.rows(
            [query.variants for query, over in zip(requests, refused, strict=True) if not over]
        )
        keys = rows.keys
        tickets: list[_Ticket | OutOfQueries] = []
        wanted: list[NDArray[np.intp]] = []
        start = filled = 0
        for query, over in zip(requests, refused, strict=True):
            if over:
                tickets.append(OutOfQueries())
                continue
            stop = start + len(query.variants)
            asked = keys[start:stop].tolist()
            placed = query.ledger.place(asked)
            new = np.array(placed.new, dtype=np.intp)
            tickets.append(_Ticket(query.ledger, placed, filled, [asked[n] for n in placed.new], query.stand_in))
            wanted.append(start + new)
            filled += len(new)
            start = stop
        chosen = np.concatenate(wanted) if wanted else np.empty(0, dtype=np.intp)
        unique, first, inverse = np.unique(keys[chosen], return_index=True, return_inverse=True)
        known, known_rows = self._cache.find(unique)
        missing = chosen[first[~known]]
        self.forwarded += len(missing)
        pending = self._victim.launch(rows, missing)
        found = _Found(unique, inverse, known, known_rows)
        return Later(lambda: self._answered(tickets, found, pending.result()))

    def exceeds_budget(self, query: Query) -> bool:
        """Whether the new texts among the variants are more than the budget covers; only so many are made."""
        left, count = query.ledger.left, len(query.variants)
        if count <= left:
            return False
        new = set[int]()
        for start in range(0, count, _LOOKED_AT):
            some = query.variants.part(start, start + _LOOKED_AT)
            new |= query.ledger.unknown(self._victim.rows([some]).keys.tolist())
            if len(new) > left:
                return True
        return False

    def _answered(
        self, tickets: Sequence[_Ticket | OutOfQueries], found: _Found, answers: Answers
    ) -> list[Floats | Exception]:
        """Return each sample's answers: those known before and those that have come now."""
        missing = np.flatnonzero(~found.known)
        values = self._remember(found.unique[missing], answers)
        table = np.empty((len(found.unique), values.shape[1]), dtype=np.float32)
        table[found.known] = found.known_rows
        table[missing] = values
        errors = {int(missing[row]): error for row, error in answers.errors.items()}
        spread = table[found.inverse]
        return [
            ticket if isinstance(ticket, OutOfQueries) else ticket.settle(spread, found.inverse, errors)
            for ticket in tickets
        ]

    def _remember(self, keys: Keys, answers: Answers) -> Floats:
        """Round what came back and cache it."""
        values = np.round(answers.values, self._victim.decimals)
        sound = np.ones(len(keys), dtype=bool)
        sound[list(answers.errors)] = False
        self._cache.keep(keys[sound], values[sound])
        return values


class _Found(NamedTuple):
    """The distinct inputs of a batch, where each text asked finds its own, and what the cache knew."""

    unique: Keys
    inverse: NDArray[np.intp]
    known: NDArray[np.bool_]
    known_rows: Floats


class _Ticket(NamedTuple):
    """One sample's part of a batch: its new texts stand at ``start`` in the list of all wanted."""

    ledger: Ledger
    placed: Placed
    start: int
    keys: list[int]
    stand_in: Floats | None

    def settle(
        self, spread: Floats, inverse: NDArray[np.intp], errors: dict[int, VictimError]
    ) -> Floats | Exception:
        """Return the answers to what the sample asked, and count those that are missing.

        ``spread`` holds the answers to all that the batch wanted, ``inverse`` the distinct input behind each, and
        ``errors`` what is wrong, by distinct input.
        """
        span = slice(self.start, self.start + len(self.keys))
        values = spread[span]
        if errors:
            places = enumerate(inverse[span].tolist())
            lost = {place: errors[row] for place, row in places if row in errors}
            fatal = [error for error in lost.values() if self.stand_in is None or isinstance(error, Unheard)]
            if fatal:
                self.ledger.forget(self.keys)
                return fatal[0]
            if lost:
                values = values.copy()
                values[list(lost)] = self.stand_in
                self.ledger.unanswered += len(lost)
                self.ledger.fault = next(iter(lost.values()))
                self.ledger.silence = len(lost) == len(self.keys)
        return self.ledger.answer(self.placed, values)


class ConfirmService:
    """The engine's own check: rendered texts, full precision, one canonical answer each."""

    patience = 16
    """Texts that fool come one by one; a check of several costs little more than of one."""

    def __init__(self, victim: Predictor) -> None:
        self._victim = victim
        self.was_answered = False
        """Whether the victim ever gave an answer that could be used."""

    def launch(self, requests: Sequence[tuple[str, ...]]) -> Pending:
        """Check rendered texts."""
        pending = self._victim.check(requests)
        return Later(lambda: self._noted(pending.result()))

    def _noted(self, answers: Answers) -> list[Floats | VictimError]:
        self.was_answered |= len(answers.errors) < len(answers.values)
        return [answers.errors.get(number, row) for number, row in enumerate(answers.values)]


class RowCache:
    """Answers shared by all samples, at most ``places``, a power of two.

    A key's place is its low bits; of two that want the same place, the newer answer stays.
    """

    def __init__(self, places: int, width: int) -> None:
        self._low_bits = np.uint64(places - 1)
        self._rows: Floats = np.zeros((places, width), dtype=np.float32)
        self._keys: Keys = np.zeros(places, dtype=np.uint64)
        self._taken = np.zeros(places, dtype=bool)

    @classmethod
    def of(cls, victim: Predictor) -> RowCache:
        """Return an empty one for a victim's answers."""
        return cls(CACHE_ROWS, len(victim.labels))

    def __len__(self) -> int:
        return int(self._taken.sum())

    def find(self, keys: Keys) -> tuple[NDArray[np.bool_], Floats]:
        """Return which keys are known, and the rows of those that are."""
        places = keys & self._low_bits
        known = self._taken[places] & (self._keys[places] == keys)
        return known, self._rows[places[known]]

    def keep(self, keys: Keys, rows: Floats) -> None:
        """Keep answers."""
        places = keys & self._low_bits
        self._keys[places], self._rows[places], self._taken[places] = keys, rows, True
