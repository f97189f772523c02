"""What reaches the terminal can be seen, and steers nothing."""

import pytest

from unfool.visible import visible_line


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
