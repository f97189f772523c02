"""A claim holds beyond chance, fails beyond chance, or cannot be told."""

from __future__ import annotations

import pytest

from unfool_papers.study.claim import Claim, Term, difference, judged
from unfool_papers.study.tables import figures_of


def of(*counts: tuple[int, int]) -> str:
    terms = [Term.share(f"term {number}", *count) for number, count in enumerate(counts)]
    found = judged(Claim(1, "falls", "toys", terms), {})
    assert found is not None
    return str(found["verdict"])


@pytest.mark.parametrize(
    ("counts", "verdict"),
    [
        (((90, 100), (50, 100)), "holds"),
        (((50, 100), (90, 100)), "does not hold"),
        (((9, 10), (7, 10)), "cannot be told"),
        (((7, 10), (9, 10)), "cannot be told"),
        (((50, 100), (50, 100)), "cannot be told"),
        (((90, 100), (50, 100), (45, 100)), "cannot be told"),
        (((90, 100), (20, 100), (80, 100)), "does not hold"),
        (((95, 100), (50, 100), (5, 100)), "holds"),
    ],
)
def test_what_may_be_chance_cannot_be_told(counts: tuple[tuple[int, int], ...], verdict: str) -> None:
    assert of(*counts) == verdict


@pytest.mark.parametrize(
    ("p", "verdict"), [(0.0079, "does not hold"), (0.2, "cannot be told"), (None, "cannot be told")]
)
def test_texts_compared_one_by_one_decide_where_they_can(p: float | None, verdict: str) -> None:
    terms = [Term.share("FIVE", 52, 500), Term.share("baseline", 70, 500)]
    found = judged(Claim(4, "falls", "toys", terms), {}, [p])
    assert found is not None
    assert (found["verdict"], found["p"]) == (verdict, [p])


def test_the_interval_of_a_difference_is_newcombes() -> None:
    # Newcombe, 1998, table II, method 10, example (a): 56 of 70 less 48 of 80.
    low, high = difference(Term.share("a", 56, 70), Term.share("b", 48, 80))
    assert (round(low / 100, 4), round(high / 100, 4)) == (0.0524, 0.3339)


def test_figures_without_an_interval_are_compared_as_they_are() -> None:
    found = judged(Claim(1, "falls", "toys", [Term("dear", 4000.0), Term("cheap", 12.0)]), {})
    assert found is not None
    assert found["verdict"] == "holds"


def test_nothing_of_nothing_is_not_judged() -> None:
    assert judged(Claim(1, "falls", "toys", [Term.share("a", 0, 0), Term.share("b", 1, 2)]), {}) is None


@pytest.mark.parametrize(
    ("counts", "verdict"),
    [
        (((500, 1000), (505, 1000)), "holds"),
        (((50, 100), (50, 100)), "cannot be told"),
        (((600, 1000), (500, 1000)), "does not hold"),
        (((500, 1000), (600, 1000)), "does not hold"),
        (((560, 1000), (500, 1000)), "cannot be told"),
    ],
)
def test_about_equal_holds_within_its_margin_alone(counts: tuple[tuple[int, int], ...], verdict: str) -> None:
    terms = [Term.share(f"term {number}", *count) for number, count in enumerate(counts)]
    found = judged(Claim(1, "are about equal", "toys", terms, within=5), {})
    assert found is not None
    assert found["verdict"] == verdict
    assert found["within"] == 5
    # What is kept says the same again without the runs.
    again = judged(Claim(1, "are about equal", "toys", terms, within=5), {}, found["p"], found["apart"])
    assert again == found


def test_the_margin_and_the_difference_are_told() -> None:
    terms = [Term.share("GS-EC", 500, 1000), Term.share("GS-GR", 505, 1000)]
    found = judged(Claim(1, "are about equal", "toys", terms, within=5), {})
    assert found is not None
    assert figures_of(found) == "GS-EC: 50, GS-GR: 50.5; difference [−4.9, +3.9], margin 5"
