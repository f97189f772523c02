"""Attacks, constraints and data in a file of the reader's own, named `py:FILE.py:function`."""

from __future__ import annotations

from pathlib import Path

import pytest

import unfool
from unfool.attacks import ATTACKS, find_attack, find_constraints
from unfool.data import has_splits, load
from unfool.errors import UserError

MINE = '''
async def shorten(sample, ask, *, letters: int = 3):
    """Cut words."""
    text = sample.text
    return text.replace(dict.fromkeys(text.editable, "x")) if hasattr(text, "replace") else text

async def short(ask, original, texts, *, at_most: float):
    return [max(map(len, text.words)) <= at_most for text in texts]

def remarks(*, n: int = 2):
    """Remarks."""
    return [("a great film", "positive"), ("an awful film", "negative")] * n

def halves(*, split: str | None = None):
    return [(f"a great {split} film", "positive"), ("an awful film", "negative")]

def broken():
    raise ValueError("no\\nluck")

number = 3
'''


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "plugged.py").write_text(MINE)
    monkeypatch.chdir(tmp_path)
    return "py:./plugged.py"


def test_a_function_becomes_an_attack_whose_repr_rebuilds_it(mine: str) -> None:
    found = find_attack(f"{mine}:shorten:letters=4")
    assert repr(found) == f"{mine}:shorten:letters=4"
    assert repr(find_attack(repr(found))) == repr(found)
    assert repr(found.with_settings(letters=5)) == f"{mine}:shorten:letters=5"
    assert found.summary == "Cut words."
    assert found.name not in ATTACKS.names()


def test_a_function_becomes_a_constraint_with_its_limit(mine: str) -> None:
    found = find_constraints(f"pos,{mine}:short<=0.5")
    assert sorted(map(repr, found)) == ["pos", f"{mine}:short<=0.5"]
    with pytest.raises(UserError, match=r"it is written .*:short<=NUMBER"):
        find_constraints(f"{mine}:short")


def test_what_a_function_returns_is_data(mine: str) -> None:
    found = load(f"{mine}:remarks:n=3")
    assert (found.name, len(found), found.labels) == (f"{mine}:remarks:n=3", 6, ("negative", "positive"))
    assert len(load(f"{mine}:remarks[2]")) == 2
    assert (has_splits(f"{mine}:remarks"), has_splits(f"{mine}:halves")) == (False, True)
    assert load(f"{mine}:halves", split="train")[0].text.strings == ("a great train film",)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("shortn", "there is no 'shortn' in ./plugged.py; did you mean 'shorten'?"),
        ("number", "is a int, not a function"),
        ("remarks:m=1", "has no setting 'm'"),
        ("broken", "raised ValueError: no luck"),
    ],
)
def test_mistakes_are_one_line(mine: str, name: str, said: str) -> None:
    with pytest.raises(UserError) as caught:
        load(f"{mine}:{name}")
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_run_shows_itself_and_becomes_a_data_frame(mine: str, tmp_path: Path) -> None:
    data = unfool.from_texts(["a great film", "an awful film"], ["positive", "negative"], name="<b>mine</b>")
    run = unfool.attack(
        "py:unfool.victims.vader:probabilities", data, "random", out=tmp_path / "run", progress=False
    )
    assert repr(run).startswith(f"Run.open({str(tmp_path / 'run')!r})  # fooled ")
    assert "&lt;b&gt;mine&lt;/b&gt;" in run._repr_html_()
    assert "<b>" not in run._repr_html_()
    assert run.to_pandas()["status"].tolist() == [outcome.status for outcome in run.outcomes()]
