"""The space of all texts that substitutions make of one."""

from __future__ import annotations

from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from unfool.attacks.parts.space import Memory, Space
from unfool.text import Text, diff

TEXT = Text.of("one two, three four five")
SPACE = Space(TEXT, {0: ["1", "eins"], 1: [], 2: ["3", "drei", "three", "trois", "3"], 4: ["5"]})


def test_a_space_has_what_may_be_replaced() -> None:
    assert SPACE.positions.tolist() == [0, 2, 4]
    assert SPACE.counts.tolist() == [2, 3, 1]
    rows = np.array([[0, 0, 0], [2, 3, 0], [0, 0, 1]])
    texts = ["one two, three four five", "eins two, trois four five", "one two, three four 5"]
    assert [str(SPACE.at(row)) for row in rows] == texts


def test_every_text_of_a_space_has_a_key_of_its_own() -> None:
    rows = np.array(list(product(range(3), range(4), range(2))))
    keys = SPACE.keys(rows)
    assert len(set(keys.tolist())) == len(rows) == 24
    assert (SPACE.keys(rows[::-1]) == keys[::-1]).all()
    spots, choices = np.array([1, 0]), np.array([3, 2])
    before, after = np.array([[1, 2, 1], [0, 1, 0]]), np.array([[1, 3, 1], [2, 1, 0]])
    moved = SPACE.marks(spots, choices) - SPACE.marks(spots, before[[0, 1], spots])
    assert (SPACE.keys(before) + moved == SPACE.keys(after)).all()


@given(st.lists(st.lists(st.integers(0, 30), min_size=1), max_size=6))
def test_a_memory_gives_back_what_it_was_given(batches: list[list[int]]) -> None:
    memory, known = Memory(), set[int]()
    for batch in batches:
        slots, new = memory.enter(np.array(batch, dtype=np.uint64))
        expected = [number for number, key in enumerate(batch) if key not in known and key not in batch[:number]]
        assert new.tolist() == expected
        memory.keep(
            np.array([[batch[number], batch[number] * 2] for number in new], dtype=np.float32).reshape(-1, 2)
        )
        known |= set(batch)
        assert memory.answers(slots).tolist() == [[key, key * 2] for key in batch]


@given(
    st.lists(st.tuples(*(st.integers(0, most) for most in (2, 3, 1)), st.integers(0, 2)), min_size=1, max_size=9)
)
def test_choices_and_costs_are_those_of_the_texts(rows: list[tuple[int, int, int, int]]) -> None:
    genes, spots = np.array([row[:3] for row in rows]), np.array([row[3] for row in rows])
    of_row, choices = SPACE.choices(genes, spots)
    expected = [
        (number, choice)
        for number, (row, spot) in enumerate(zip(genes, spots, strict=True))
        for choice in range(1, SPACE.counts[spot] + 1)
        if choice != row[spot]
    ]
    assert list(zip(of_row.tolist(), choices.tolist(), strict=True)) == expected
    changes = [diff(TEXT, SPACE.at(row)) for row in genes]
    assert SPACE.words_changed(genes).tolist() == [change.words_changed for change in changes]
    assert SPACE.characters_changed(genes).tolist() == [change.characters_changed for change in changes]
