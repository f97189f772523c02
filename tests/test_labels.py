"""Which of a victim's labels each of the data's is."""

from __future__ import annotations

import pytest

from unfool.errors import UserError
from unfool.labels import check_labels, how_matched, match_labels, told_in_order

FILM = ("negative", "neutral", "positive")


@pytest.mark.parametrize(
    ("ours", "theirs", "numbers", "how"),
    [
        (("positive", "negative"), FILM, [2, 0], "by name"),
        (("NEGATIVE", "Neutral"), FILM, None, "by name"),
        (("A", "a"), ("A", "a"), None, "by name"),
        (("1", "2"), ("1", "2", "3"), None, "by name"),
        (("1", "5"), ("1", "2", "3", "4", "5"), [0, 4], "by name"),
        (("0", "2"), FILM, [0, 2], "by number"),
        (("1", "2"), FILM, [1, 2], "by number"),
        (("1", "2"), ("negative", "positive"), None, "in order"),
        (("0", "4"), ("negative", "positive"), None, "in order"),
        (("1", "0"), ("negative", "positive"), None, "in order"),
        (("bad", "good"), ("0", "1"), None, "in order"),
    ],
)
def test_labels_go_by_name_else_by_number_else_in_order(
    ours: tuple[str, ...], theirs: tuple[str, ...], numbers: list[int] | None, how: str
) -> None:
    assert match_labels(ours, theirs) == numbers
    assert how_matched(ours, theirs) == how


def test_what_names_do_not_tell_is_said() -> None:
    assert told_in_order("x.csv", ("0", "2"), "hf:m", FILM) == (
        "Labels of x.csv and hf:m matched by number: data 0 → model negative, data 2 → model positive; "
        "name them with --labels if that is wrong."
    )
    assert told_in_order("x.csv", ("positive",), "hf:m", FILM) is None


def test_more_labels_than_the_victim_has() -> None:
    check_labels("x.csv", ("1", "2"), "hf:m", ("negative", "positive"))
    with pytest.raises(UserError, match=r"x.csv has 12 labels \(0, 1, .*9, …\) but hf:m only 3 .*--labels"):
        check_labels("x.csv", [str(number) for number in range(12)], "hf:m", FILM)


def test_labels_that_differ_only_in_case_are_told_with_their_cure() -> None:
    with pytest.raises(
        UserError, match=r"some differ only in case: --labels negative,Positive takes these for one$"
    ):
        check_labels("x.csv", ("Positive", "negative", "positive"), "hf:m", ("NEGATIVE", "POSITIVE"))
