"""Tables on a narrow terminal."""

from __future__ import annotations

import pytest

from unfool.cli.printing import print_table


def test_no_word_of_a_table_is_cut(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    row = ["a-name-of-26-characters-all", "yes", "granite-embedding-30m-english of 30.1 M parameters, int8"]
    licence = "see README in the folder of this very package"
    print_table(["name", "here", "what", "licence"], [[*row, licence]] * 2)
    printed = capsys.readouterr().out
    assert "…" not in printed
    assert printed.count("granite-embedding-30m-english") == 2
    words = [word for cell in [*row, licence] for word in cell.split()]
    assert all(printed.count(word) >= 2 * words.count(word) for word in words)
    assert all(len(line.rstrip()) <= 80 for line in printed.splitlines())
