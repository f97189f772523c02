"""A run made in shards and put together is the run that one machine makes alone."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
from collections.abc import Sequence
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest
from numpy.typing import ArrayLike
from tests.end_to_end.command import unfool
from tests.toys import BagOfWords

from unfool.data import Dataset, from_texts
from unfool.errors import UserError, VictimError
from unfool.job import attack, merge
from unfool.runs import Run, Shard
from unfool.victims import Input

FILES = ("config.json", "outcomes.jsonl", "summary.json")
WORDS = ["the", "film", "was", "good", "bad", "long", "short", "funny", "sad", "new", "old", "slow", "fine"]


class Dies(BagOfWords):
    """Answers so many texts, and then kills its process, without a word."""

    def __init__(self, answers: int) -> None:
        super().__init__()
        self._left = answers

    def probabilities(self, inputs: Sequence[Input]) -> ArrayLike | Sequence[ArrayLike | VictimError]:
        self._left -= len(inputs)
        if self._left < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().probabilities(inputs)


@pytest.fixture(scope="module")
def data() -> Dataset:
    drawn = random.Random(0)
    texts = [" ".join(drawn.choices(WORDS, k=8)) for _ in range(40)]
    victim = BagOfWords()
    return from_texts(texts, [victim.label((text,)) for text in texts], names=victim.labels)


@pytest.fixture(scope="module")
def alone(data: Dataset, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run of one machine."""
    return attacked(data, tmp_path_factory.mktemp("alone") / "run").folder


def attacked(
    data: Dataset, out: Path, shard: str | None = None, victim: BagOfWords | None = None, **more: Any
) -> Run:
    return attack(
        victim or BagOfWords(),
        data,
        "key:draws=5",
        seed=3,
        out=out,
        shard=shard,
        in_flight=2,
        progress=False,
        **more,
    )


def killed(data: Dataset, out: Path, shard: str) -> Run:
    """The shard that a process of its own leaves when it is killed at work."""
    process = get_context("fork").Process(target=attacked, args=(data, out, shard, Dies(60)))
    process.start()
    process.join()
    assert process.exitcode == -signal.SIGKILL
    run = Run.open(Shard.read(shard).folder(out))
    assert not run.finished
    return run


def sharded(data: Dataset, out: Path, of: int) -> Path:
    for number in range(1, of + 1):
        attacked(data, out, f"{number}/{of}")
    return out


def files(run: Path) -> dict[str, bytes]:
    return {name: (run / name).read_bytes() for name in FILES}


def test_seven_shards_in_any_order_two_of_them_killed_make_the_bytes_of_one_machine(
    data: Dataset, alone: Path, tmp_path: Path
) -> None:
    numbers = list(range(1, 8))
    random.Random(1).shuffle(numbers)
    for number in numbers:
        shard = f"{number}/7"
        if number in (2, 5):
            killed(data, tmp_path / "run", shard)
        attacked(data, tmp_path / "run", shard, resume=True)
    merged = merge(tmp_path / "run", progress=False)
    assert merged.finished
    assert files(merged.folder) == files(alone)


def test_shards_from_other_machines_are_named(data: Dataset, alone: Path, tmp_path: Path) -> None:
    for number in (1, 2, 3):
        attacked(data, tmp_path / f"machine-{number}", f"{number}/3")
    places = [
        tmp_path / "machine-1",
        tmp_path / "machine-2" / "shards" / "2-of-3",
        tmp_path / "machine-3",
        tmp_path / "machine-3" / "shards" / "3-of-3",  # the same once more
    ]
    merged = merge(tmp_path / "run", places, progress=False)
    assert files(merged.folder) == files(alone)


def test_stopped_merge_goes_on(data: Dataset, alone: Path, tmp_path: Path) -> None:
    run = sharded(data, tmp_path / "run", 3)
    merge(run, progress=False)
    (run / "summary.json").unlink()
    lines = (run / "outcomes.jsonl").read_bytes().splitlines(keepends=True)
    (run / "outcomes.jsonl").write_bytes(b"".join(lines[:11]) + lines[11][:30])
    assert files(merge(run, progress=False).folder) == files(alone)


def test_sessions_of_the_shards_are_kept(data: Dataset, tmp_path: Path) -> None:
    run = merge(sharded(data, tmp_path / "run", 3), progress=False)
    assert [session.get("width") for session in run.sessions] == [2, 2, 2, None]
    assert run.sessions[-1]["merged"] == 3


def test_more_shards_than_texts(data: Dataset, tmp_path: Path) -> None:
    few = data.part(slice(0, 3))
    whole = attacked(few, tmp_path / "whole")
    merged = merge(sharded(few, tmp_path / "run", 12), progress=False)
    assert sorted(path.name for path in (tmp_path / "run" / "shards").iterdir())[0] == "01-of-12"
    assert files(merged.folder) == files(whole.folder)


def test_what_is_not_done_is_named(data: Dataset, tmp_path: Path) -> None:
    three = tmp_path / "run"
    attacked(data, three, "3/3")
    with pytest.raises(UserError, match=r"shards 1/3, 2/3 are not there; .*--shard 1/3 --resume"):
        merge(three, progress=False)
    attacked(data, three, "1/3")
    killed(data, three, "2/3")
    with pytest.raises(UserError, match=r"shard 2/3 is not finished; .*--shard 2/3 --resume"):
        merge(three, progress=False)
    assert not (three / "outcomes.jsonl").exists()


def test_shards_that_overlap_are_refused(data: Dataset, tmp_path: Path) -> None:
    attacked(data, tmp_path / "run", "1/2")
    attacked(data, tmp_path / "run", "1/3")
    with pytest.raises(UserError, match="shards of 2 and 3 parts, which overlap"):
        merge(tmp_path / "run", progress=False)
    shutil.copytree(tmp_path / "run" / "shards" / "1-of-2", tmp_path / "copy" / "shards" / "1-of-2")
    shutil.rmtree(tmp_path / "run" / "shards" / "1-of-3")
    with pytest.raises(UserError, match="shard 1/2 is there twice"):
        merge(tmp_path / "run", [tmp_path / "copy"], progress=False)


def test_shard_of_another_run_is_refused(data: Dataset, tmp_path: Path) -> None:
    attacked(data, tmp_path / "run", "1/2")
    attack(BagOfWords(), data, "key:draws=5", seed=4, out=tmp_path / "run", shard="2/2", progress=False)
    with pytest.raises(UserError, match=r"part of another run than .*seed"):
        merge(tmp_path / "run", progress=False)


def test_whole_run_among_the_shards_is_refused(data: Dataset, tmp_path: Path) -> None:
    attacked(data, tmp_path / "run", "1/2")
    attacked(data, tmp_path / "run" / "shards" / "whole")
    with pytest.raises(UserError, match=r"another run|whole is a whole run and no shard"):
        merge(tmp_path / "run", progress=False)


def test_a_folder_without_shards_is_refused(alone: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="has no shards below it"):
        merge(tmp_path, progress=False)
    with pytest.raises(UserError, match="is no shard and holds none"):
        merge(tmp_path, [alone], progress=False)


def test_opening_the_run_before_it_is_merged_says_what_to_do(data: Dataset, tmp_path: Path) -> None:
    attacked(data, tmp_path / "run", "1/2")
    with pytest.raises(
        UserError, match=r"holds 1 shard of one, 1 finished; `unfool merge .*run` puts them together"
    ):
        Run.open(tmp_path / "run")


def test_show_tells_how_far_the_shards_are(data: Dataset, tmp_path: Path) -> None:
    first = attacked(data, tmp_path / "run", "1/2").summary
    killed(data, tmp_path / "run", "2/2")
    second = Run.open(tmp_path / "run" / "shards" / "2-of-2").summary
    assert 0 < second.samples < 20 == first.samples
    shown = unfool("show", "run", cwd=tmp_path)
    assert shown.code == 0
    rows = {line.split()[0]: line.split()[1:] for line in shown.out.splitlines() if "-of-2" in line}
    assert rows == {
        f"{number}-of-2": [*map(str, (each.samples, each.attacked, each.successes, each.errors)), finished]
        for number, each, finished in ((1, first, "yes"), (2, second, "no"))
    }
    fooled, tried = first.successes + second.successes, first.attacked + second.attacked
    assert f"so far fooled {fooled} of {tried} attacked" in shown.out
    assert "unfool merge run puts them together" in shown.out
    told = json.loads(unfool("show", "run", "--json", cwd=tmp_path).out)
    assert [shard["finished"] for shard in told["shards"]] == [True, False]


def test_shard_says_which_part_it_is(data: Dataset, tmp_path: Path) -> None:
    run = attacked(data, tmp_path / "run", "2/3")
    assert json.loads((run.folder / "config.json").read_text())["shard"] == "2/3"
    assert sorted(run.done) == list(range(1, 40, 3))


@pytest.mark.parametrize("typed", ["0/3", "4/3", "1/0", "3", "a/b", "1/2/3", "-1/3", " 1/3", "1/3\n", "٣/٤"])
def test_bad_shard_is_refused(typed: str, data: Dataset, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="give K/N with K from 1 to N"):
        attacked(data, tmp_path / "run", typed)
    assert not (tmp_path / "run").exists()
