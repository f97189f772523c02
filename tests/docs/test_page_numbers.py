"""Every number on the papers' pages follows from a kept result, is a setting, or is the paper's own."""

from __future__ import annotations

import pytest

from unfool_papers.pages import PAGES, loose, missing, shown, with_tables

SHOWN = """\
We tried 500 texts on `CNN-W-2`: 61.5 % [54.1, 68.2] fell
(table 2).

<!-- made: rates -->

| a |
| --- |
| 99 |

<!-- end -->
"""


@pytest.mark.parametrize("name", PAGES)
def test_tables_are_those_that_the_results_give(name: str) -> None:
    page = PAGES[name]
    assert with_tables(page.text, page.tables()) == page.text, "python -m unfool_papers.scripts.pages writes them"
    assert sorted(shown(page.text)) == sorted(page.tables())


@pytest.mark.parametrize("name", PAGES)
def test_every_number_of_the_prose_belongs_to_a_phrase(name: str) -> None:
    page = PAGES[name]
    said = [*page.phrases(), *(phrase for phrases in page.allowed.values() for phrase in phrases)]
    assert missing(page.text, said) == []
    assert list(loose(page.text, said)) == []


def test_a_number_that_changed_is_found() -> None:
    phrases = ["We tried 500 texts", "61.5 % [54.1, 68.2] fell"]
    assert missing(SHOWN, phrases) == []
    assert list(loose(SHOWN, phrases)) == []
    changed = SHOWN.replace("61.5", "61.6")
    assert missing(changed, phrases) == ["61.5 % [54.1, 68.2] fell"]
    assert [each.number for each in loose(changed, phrases)] == ["61.6", "54.1", "68.2"]
    added = SHOWN.replace("(table 2)", "(table 2), three more than −0.2")
    assert [each.number for each in loose(added, phrases)] == ["−0.2"]


def test_a_table_is_written_anew() -> None:
    renewed = with_tables(SHOWN, {"rates": "| a |\n| --- |\n| 98 |"})
    assert renewed == SHOWN.replace("99", "98")
    with pytest.raises(KeyError):
        with_tables(SHOWN, {})
