"""A dry run asks nobody, and says what the run would ask where nothing fools the victim."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.end_to_end.command import unfool
from tests.victims.prompted.talking import Listen, Said, completion

import unfool as library
from unfool.data import from_texts
from unfool.errors import UserError
from unfool.job import dry_run
from unfool.options import Budget

TEXTS = ["Where is the station?", "Who wrote this long and dull book?", "Do as I say, not as I do."]


def test_a_run_that_fools_nothing_asks_what_was_said(listen: Listen, tmp_path: Path) -> None:
    talk = listen(lambda _: Said(completion("safe", [[("safe", 0.9), ("unsafe", 0.1)]])))
    victim = f"chat:{talk.url}#model=m,labels=safe|unsafe,tokens=1,price=1/2"
    data = from_texts(TEXTS, ["safe"] * 3, names=("safe", "unsafe"))
    (forecast,) = dry_run(victim, data, ["deepwordbug"])
    assert not talk.seen
    library.attack(victim, data, "deepwordbug", out=tmp_path / "run", progress=False)
    told = [len(asked["messages"][0]["content"]) for asked in talk.seen]
    # The run also asks the first texts twice, to learn whether the victim answers at random.
    assert forecast.requests == pytest.approx(len(told), abs=2 * len(TEXTS))
    assert forecast.read is not None
    assert forecast.read == pytest.approx(sum(told) / 4, rel=0.15)
    assert forecast.written == forecast.requests
    assert forecast.cost == pytest.approx((forecast.read + 2 * forecast.requests) / 1e6)
    assert forecast.most < forecast.requests


def test_budget_and_votes_count() -> None:
    data = from_texts(TEXTS * 10, ["safe"] * 30, names=("safe", "unsafe"))
    victim = "chat:http://127.0.0.1:9/v1#model=m,labels=safe|unsafe,answers=sampled"
    (forecast,) = dry_run(victim, data, ["deepwordbug"], eot=4, budget=Budget(queries=40))
    assert forecast.rehearsed == 20
    assert forecast.cost is None
    assert 40 <= forecast.most <= 40 + 4 * 3  # the original and the final text are asked on top


def test_what_looks_into_the_net_cannot_be_rehearsed() -> None:
    data = from_texts(TEXTS, ["a"] * 3, names=("a", "b"))
    with pytest.raises(UserError, match="offer"):
        dry_run("chat:http://127.0.0.1:9/v1#model=m,labels=a|b", data, ["hotflip"])


def test_the_command_prints_it_and_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "texts.csv").write_text(
        "text,label\n" + "".join(f'"{t}",safe\n' for t in TEXTS) + "x,unsafe\n", "utf-8"
    )
    given = ["attack", "--victim", "chat:http://127.0.0.1:9/v1#model=m,labels=safe|unsafe,price=1/1", "--data"]
    done = unfool(*given, "texts.csv", "--attack", "deepwordbug", "--dry-run", cwd=tmp_path)
    assert done.code == 0, done.err
    assert "deepwordbug: 4 of 4 texts rehearsed on a model that nothing fools: about " in done.out
    assert " to pay" in done.out
    assert [each.name for each in tmp_path.iterdir()] == ["texts.csv"]
