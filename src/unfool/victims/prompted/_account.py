"""What asking a language model has cost so far, and how its belief was spread."""

from __future__ import annotations

import threading
from typing import NamedTuple

from unfool.errors import UserError, counted

_MILLION = 1_000_000


class Price(NamedTuple):
    """What a million tokens cost, in the user's money."""

    read: float
    written: float

    @classmethod
    def parse(cls, typed: str) -> Price:
        """Read ``0.15/0.6``: a million tokens read, and written.

        Raises:
            ValueError: It is no such pair.
        """
        read, _, written = typed.partition("/")
        return cls(float(read), float(written))

    def of(self, read: int, written: int) -> float:
        """Return what so many tokens cost."""
        return (read * self.read + written * self.written) / _MILLION

    def __str__(self) -> str:
        return f"{self.read:g}/{self.written:g}"


class Account:
    """Counts requests, tokens and money from many threads, and ends the work where it would cost too much.

    Args:
        price: What tokens cost; None if that is not known.
        most: The most that may be spent; None for no limit.
    """

    def __init__(self, price: Price | None, most: float | None) -> None:
        if most is not None and price is None:
            raise UserError(
                f"--max-cost {most:g} needs the price of a million tokens, read and written: "
                "add price=0.15/0.6 behind the address"
            )
        self._price, self._most, self._lock = price, most, threading.Lock()
        self.requests = self.read = self.written = self.refused = self.unseen = 0
        self._outside = self._most_outside = 0.0
        self._spread = 0
        self._remarks: list[str] = []

    @property
    def cost(self) -> float:
        """What was spent, as far as the server counts."""
        return self._price.of(self.read, self.written) if self._price else 0.0

    def pay(self, url: str, read: int | None, written: int | None) -> None:
        """Count an answer.

        Raises:
            UserError: What may be spent is spent, or the server does not say what it takes.
        """
        with self._lock:
            self.requests += 1
            self.read += read or 0
            self.written += written or 0
            if self._most is None:
                return
            if read is None:
                raise UserError(f"{url} does not count tokens, so --max-cost cannot be kept; leave it out")
            if self.cost >= self._most:
                raise UserError(
                    f"{self.cost:.4g} of --max-cost {self._most:g} is spent after {self.requests} requests; "
                    "--resume goes on, and counts anew"
                )

    def spread(self, outside: float, unseen: bool) -> None:
        """Note how much belief went to no label, and whether a label was not among the tokens told."""
        with self._lock:
            self._spread += 1
            self._outside += outside
            self._most_outside = max(self._most_outside, outside)
            self.unseen += unseen

    def remark(self, said: str) -> None:
        """Note what a person should know of the answers."""
        with self._lock:
            self._remarks.append(said)

    def refuse(self) -> None:
        """Note an answer that cannot be used."""
        with self._lock:
            self.refused += 1

    def __str__(self) -> str:
        cost = f", {self.cost:.4g} spent" if self._price else ""
        told = []
        if self.requests:
            asked = counted(self.requests, "request", "requests")
            told.append(f"{asked}, {self.read:,} tokens read, {self.written:,} written{cost}")
        if self._spread:
            mean = self._outside / self._spread
            told.append(f"outside all labels {mean:.1%} of the belief on average, {self._most_outside:.1%} at most")
        if self.unseen:
            told.append(
                f"in {counted(self.unseen, 'answer', 'answers')} a label was not among the tokens told, "
                "and counts as 0"
            )
        if self.refused:
            told.append(f"{counted(self.refused, 'answer', 'answers')} could not be used")
        return "; ".join(told + self._remarks)
