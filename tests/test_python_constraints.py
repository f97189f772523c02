"""What `unfool.attack` takes as constraints, and that anything else is refused before the run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import unfool
from tests.toys import BagOfWords
from unfool.attacks import find_constraints
from unfool.data import from_texts
from unfool.engine import Ask
from unfool.errors import UserError
from unfool.text import Text

TEXTS = from_texts(["good film of two hours", "bad film of three hours", "odd film of one hour"], ["a", "b", "a"])


async def keeps_film(ask: Ask, original: Text, texts: Sequence[Text]) -> list[bool]:
    """The word film stays."""
    return ["film" in text.words for text in texts]


def attacked(constrain: Any, folder: Path) -> unfool.Run:
    return unfool.attack(BagOfWords(), TEXTS, "key-star", constrain=constrain, out=folder, progress=False)


def test_a_list_of_strings_is_what_one_string_is(tmp_path: Path) -> None:
    listed = attacked(["words<=0.25", "characters<=0.1"], tmp_path / "a")
    written = attacked("words<=0.25,characters<=0.1", tmp_path / "b")
    assert listed.config == written.config
    assert list(listed.outcomes()) == list(written.outcomes())
    assert len(listed) == 3


def test_strings_and_constraints_mix(tmp_path: Path) -> None:
    (words,) = find_constraints("words<=0.25")
    found = attacked([keeps_film, "characters<=0.2", words], tmp_path / "a")
    assert found.summary.errors == 0
    assert found.config["constraints"] == ["characters<=0.2", repr(keeps_film), "words<=0.25"]
    assert all("film" in outcome.perturbed[0] for outcome in found.outcomes())


@pytest.mark.parametrize(
    ("constrain", "told"),
    [
        ([0.05], "0.05 in constrain is no constraint; give strings such as 'words<=0.2'"),
        (["words<=0.05", None], "None in constrain is no constraint"),
        ([Text], "is no constraint"),
        (0.05, "constrain is a float; give one string, or a list"),
        (["wrods<=0.05"], "unknown constraint 'wrods'; did you mean 'words'"),
        (["words<=0.05", "words<=0.1"], "'words' is given twice"),
    ],
)
def test_what_is_no_constraint_is_refused_before_the_run(constrain: Any, told: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=told):
        attacked(constrain, tmp_path / "run")
    assert not (tmp_path / "run").exists()
