"""What reaches the terminal can be seen, and steers nothing."""

import pytest

from unfool.visible import told_apart, visible_line


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("\x1b[2J\x1b]0;owned\x07", "␛[2J␛]0;owned␇"),
        ("two\n lines\r\nand\tmore", "two lines and more"),
        ("exe.\u202etxt", "exe.\\u202etxt"),
        ("a\u2066b\u2069\u200bc\u200f\ufeff", "a\\u2066b\\u2069\\u200bc\\u200f\\ufeff"),
        ("\x9b31m \x7f \ud800", "\ufffd31m ␡ \ufffd"),
        ("naïve 中文 العربية 👩\u200d🚀", "naïve 中文 العربية 👩\u200d🚀"),
    ],
)
def test_every_character_of_a_line_can_be_seen(said: str, shown: str) -> None:
    assert visible_line(said) == shown


def test_a_line_ends() -> None:
    assert len(visible_line("x" * 100_000)) < 3000


@pytest.mark.parametrize(
    ("became", "original", "told"),
    [
        ("p\u0430lot", "a plot", "pа⟨0430⟩lot"),
        ("g\u200bo\u200dod", "good", "g⟨200B⟩o⟨200D⟩od"),
        ("plo\b\u202et", "plot", "plo␈⟨202E⟩t"),
        ("ｆull", "full", "ｆ⟨FF46⟩ull"),
        ("\U0001f600\ufe0f\U000e0101", "good", "\U0001f600⟨FE0F⟩⟨E0101⟩"),
        ("\U000e0067", "g", "⟨E0067⟩"),
        ("nаïvé", "nave", "nа⟨0430⟩ïvé"),
        ("кот", "ток", "кот"),
        ("👩\u200d🚀", "👩\u200d🚀 up", "👩\u200d🚀"),
    ],
)
def test_nothing_passes_for_a_part_of_the_original(became: str, original: str, told: str) -> None:
    assert told_apart(became, original) == told
