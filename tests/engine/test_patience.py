"""A service with patience is asked about several things together, and never waits for ever."""

from __future__ import annotations

from collections.abc import Sequence

from unfool.engine import Later, Pending, request
from unfool.engine import run_together as run


class Noting:
    def __init__(self, patience: int = 1) -> None:
        self.patience = patience
        self.launches: list[int] = []

    def launch(self, requests: Sequence[int]) -> Pending:
        self.launches.append(len(requests))
        return Later.of(list(requests))


async def asks(often: Noting, rarely: Noting, first: int) -> int:
    for _ in range(first):
        await request(often, 1)
    answer: int = await request(rarely, first)
    return answer


def test_few_wait_for_company_while_others_are_asked() -> None:
    often, rarely = Noting(), Noting(patience=4)
    found = [value for step in run((asks(often, rarely, n) for n in range(1, 11)), 1) for value in step]
    assert found == list(range(1, 11)), "alone in flight, nobody waits"
    assert rarely.launches == [1] * 10
    often, rarely = Noting(), Noting(patience=4)
    found = [value for step in run((asks(often, rarely, n) for n in range(1, 11)), 20) for value in step]
    assert sorted(found) == list(range(1, 11))
    assert max(rarely.launches) >= 4
    assert len(rarely.launches) < 10
    assert sum(rarely.launches) == 10
