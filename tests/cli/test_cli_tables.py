"""Tables on a narrow terminal."""

from __future__ import annotations

import pytest

from unfool.cli._printing import print_table


def test_no_word_of_a_table_is_cut(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    row = ["a-name-of-26-characters-all", "yes", "granite-embedding-30m-english of 30.1 M parameters, int8"]
    print_table(["name", "here", "what", "licence"], [[*row, "see README in the folder of this very package"]] * 2)
    printed = capsys.readouterr().out
    assert "…" not in printed
    assert printed.count("granite-embedding-30m-english") == 2
    assert all(len(line.rstrip()) <= 80 for line in printed.splitlines())
