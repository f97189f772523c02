"""A set of whole numbers that takes a bit for each, where they lie close together as the rows of data do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, MutableSet

_PAGE_BITS = 12
_IN_PAGE = (1 << _PAGE_BITS) - 1


class Ids(MutableSet[int]):
    """Whole numbers; a `set` of a million of them would take 70 MB."""

    def __init__(self, numbers: Iterable[int] = ()) -> None:
        self._pages: dict[int, bytearray] = {}
        self._count = 0
        for number in numbers:
            self.add(number)

    def __contains__(self, number: object) -> bool:
        if not isinstance(number, int):
            return False
        page = self._pages.get(number >> _PAGE_BITS)
        place = number & _IN_PAGE
        return page is not None and bool(page[place >> 3] >> (place & 7) & 1)

    def __iter__(self) -> Iterator[int]:
        for number, page in sorted(self._pages.items()):
            first = number << _PAGE_BITS
            for place, byte in enumerate(page):
                if byte:
                    yield from (first + 8 * place + bit for bit in range(8) if byte >> bit & 1)

    def __len__(self) -> int:
        return self._count

    def __repr__(self) -> str:
        return f"<{self._count} ids>"

    def add(self, value: int) -> None:
        """Add a number."""
        if value not in self:
            page = self._pages.setdefault(value >> _PAGE_BITS, bytearray((_IN_PAGE + 1) // 8))
            page[(value & _IN_PAGE) >> 3] |= 1 << (value & 7)
            self._count += 1

    def discard(self, value: int) -> None:
        """Take a number out, if it is there."""
        if value in self:
            self._pages[value >> _PAGE_BITS][(value & _IN_PAGE) >> 3] &= ~(1 << (value & 7))
            self._count -= 1
