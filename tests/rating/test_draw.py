"""Who is asked what."""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.rating.conftest import MakeRun, rate, right

from unfool.rating import Item, new_study, next_item, turns


def items_of(groups: int, versions: int) -> list[Item]:
    names = ["original", *(f"run-{n}" for n in range(1, versions))]
    pairs = [(group, name) for group in range(groups) for name in names]
    return [Item(n, group, ((name,),), ("text",), (name,)) for n, (group, name) in enumerate(pairs)]


@settings(deadline=None, max_examples=60)
@given(
    groups=st.integers(1, 12), versions=st.integers(1, 4), per_item=st.integers(1, 4),
    more=st.integers(0, 3), seed=st.integers(0, 99), data=st.data(),
)  # fmt: skip
def test_drawing_is_balanced_however_raters_come(
    groups: int, versions: int, per_item: int, more: int, seed: int, data: st.DataObject
) -> None:
    items = items_of(groups, versions)
    raters = list(range(versions * per_item + more))
    given_to: Counter[int] = Counter()
    seen: dict[int, list[int]] = defaultdict(list)
    while raters:
        rater = data.draw(st.sampled_from(raters))
        item = next_item(items, given_to, seen[rater], per_item, seed, rater)
        if item is None:
            raters.remove(rater)
            continue
        given_to[item.id] += 1
        seen[rater].append(item.id)
        of_group = [given_to[each.id] for each in items if each.group == item.group]
        assert max(of_group) - min(of_group) <= 1
    assert all(given_to[item.id] == per_item for item in items)
    for mine in seen.values():
        assert len({items[number].group for number in mine}) == len(mine)


@given(groups=st.integers(0, 30), gold=st.integers(0, 9), repeats=st.integers(0, 5), rater=st.integers(0, 50))
def test_every_rater_gets_all_gold_and_repeats_late(groups: int, gold: int, repeats: int, rater: int) -> None:
    drawn = turns(groups, gold, repeats, 0, rater)
    assert Counter(drawn) == Counter({"item": groups, "gold": gold, "again": repeats})
    assert all(place >= (groups + gold) // 2 for place, turn in enumerate(drawn) if turn == "again")


@pytest.mark.parametrize("seed", range(5))
def test_a_study_fills_and_hides_twins(make_run: MakeRun, tmp_path: Path, seed: int) -> None:
    study = new_study(tmp_path / "study", [make_run("pwws", 6, 4)], "label", gold=4, repeats=2, seed=seed)
    rate(study, right)
    votes = [vote for vote in study.store.votes() if vote.turn == "item"]
    assert Counter(vote.item for vote in votes) == {item.id: 3 for item in study.items if not item.gold}
    for rater in study.store.raters():
        mine = [study.items[vote.item] for vote in votes if vote.rater == rater.name]
        assert len({item.group for item in mine}) == len(mine) == 6
