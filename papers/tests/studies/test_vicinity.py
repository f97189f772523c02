"""Where the words around a replaced one are drawn."""

from __future__ import annotations

from itertools import combinations

from unfool_papers.defence_tables.word_vicinity import apart


def test_no_word_is_drawn_upon_another_or_across_the_frame() -> None:
    words = {f"substantially{n}": (-0.3 + n / 1000, n / 900) for n in range(9)}
    found = apart({**words, "massively": (-0.29, 0.004), "much": (0.4, -0.4), "very": (0.1, 0.4)}, {"massively"})
    assert set(found) == {*words, "massively", "much", "very"}

    def half(word: str) -> float:
        return len(word) * (18 if word == "massively" else 10) * 0.62 / 2  # as wide as DejaVu Sans has letters

    for (one, (x, y)), (other, (u, v)) in combinations(found.items(), 2):
        assert abs(x - u) >= half(one) + half(other) or abs(y - v) >= 11, (one, other)
    assert all(half(word) <= x <= 420 - half(word) and 5 <= y <= 275 for word, (x, y) in found.items())


def test_words_with_room_lie_as_they_are() -> None:
    found = apart({"left": (-1.0, 0.0), "right": (1.0, 0.0), "up": (0.0, 2.0), "down": (0.0, -2.0)}, set())
    assert found["left"][1] == found["right"][1] == 140.0
    assert found["up"][0] == found["down"][0] == 210.0
    assert found["up"][1] > 200 > 100 > found["down"][1]
