"""A value that is on its way is waited for once, and can be changed before it comes."""

from __future__ import annotations

from unfool.engine import Later


def test_waits_when_asked_and_only_once() -> None:
    waited = list[str]()

    def wait() -> int:
        waited.append("waited")
        return 3

    later = Later(wait)
    doubled = later.then(lambda value: 2 * value)
    assert not waited
    assert (doubled.result(), later.result(), doubled.result()) == (6, 3, 6)
    assert waited == ["waited"]


def test_several_are_joined() -> None:
    assert Later.all(Later.of(number) for number in range(3)).then(sum).result() == 3
