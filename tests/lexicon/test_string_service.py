"""A service of strings works each out once, and forgets before it fills the memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from unfool.lexicon import StringService

MOST = 50_000


class Lengths(StringService[int]):
    """Tells how long strings are, and how many it was asked about."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = 0

    def work_out(self, strings: Sequence[str]) -> Iterable[int]:
        self.asked += len(strings)
        return map(len, strings)


def test_each_string_is_worked_out_once_while_it_is_kept() -> None:
    service = Lengths()
    assert service.launch([["a", "bb"], ["bb", "ccc"]]).result() == [[1, 2], [2, 3]]
    assert service.launch([["bb"]]).result() == [[2]]
    assert service.asked == 3
    assert service.with_nothing_kept().launch([["bb"]]).result() == [[2]]


def test_what_is_kept_has_a_bound() -> None:
    service = Lengths()
    for _ in range(3):
        service.launch([[str(number) for number in range(MOST)]])
    assert service.asked == MOST
    service.launch([["one more"]])
    service.launch([["0"]])  # more was kept than may be, so all was forgotten
    assert service.asked == MOST + 2
    service.launch([["0"]])
    assert service.asked == MOST + 2
