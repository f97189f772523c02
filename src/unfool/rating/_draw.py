"""Which item a rater sees next."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from enum import StrEnum

from unfool.rating._items import Item


class Turn(StrEnum):
    """What a rater gets at some place of the order."""

    ITEM = "item"
    GOLD = "gold"
    AGAIN = "again"
    """An item that the rater has answered before."""


def turns(groups: int, gold: int, repeats: int, seed: int, rater: int) -> list[Turn]:
    """Draw the order of a rater's turns; what is asked again comes in the second half."""
    rng = random.Random(f"{seed} turns {rater}")
    drawn = [Turn.ITEM] * groups + [Turn.GOLD] * gold
    rng.shuffle(drawn)
    for _ in range(repeats):
        drawn.insert(rng.randint((len(drawn) + 1) // 2, len(drawn)), Turn.AGAIN)
    return drawn


def next_item(
    items: Sequence[Item], given: Mapping[int, int], seen: Sequence[int], per_item: int, seed: int, rater: int
) -> Item | None:
    """Draw the item a rater sees next, or None if there is none left for them.

    The item is one of those that fewest have seen, so that votes stay balanced if raters come and go; among these
    one of a version that the rater has seen least; among these, chance decides.

    Args:
        items: All items of the study; gold items are passed over.
        given: How many raters have been given each item, by its id.
        seen: The ids of the items that this rater has been given.
        per_item: How many raters an item needs.
        seed: The study's.
        rater: The rater's number.
    """
    groups = {items[number].group for number in seen}
    versions = Counter(items[number].versions for number in seen)
    left = [
        item for item in items if not item.gold and given.get(item.id, 0) < per_item and item.group not in groups
    ]
    chance = random.Random(f"{seed} item {rater} {len(seen)}")
    drawn = [(given.get(item.id, 0), versions[item.versions], chance.random(), item.id) for item in left]
    return items[min(drawn)[-1]] if drawn else None


def fewest_raters(items: Sequence[Item], per_item: int) -> int:
    """Return how many raters it takes, if each does all they may, for every item to have its votes."""
    groups = Counter(item.group for item in items if not item.gold)
    return per_item * max(groups.values())
