"""Both halves of the test texts: drawn the same way for every model, and judged over what each has right."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as parquet
import pytest
from hypothesis import given
from hypothesis import strategies as some

from unfool_papers.cs229.halves import Halves, halves_part
from unfool_papers.study.plan import Work

TEXTS = {
    "train": [("a good film", 1), ("a bad film", 0), ("good plot", 1), ("bad cast", 0), ("so good", 1)] * 6,
    "test": [("good cast", 1), ("bad plot", 0), ("a good one", 1), ("bad again", 0), ("no idea", 1)] * 4,
}


@given(some.lists(some.booleans(), max_size=40))
def test_each_text_is_in_one_half_with_its_own_answer(right: list[bool]) -> None:
    dev, test = Halves.of(right)
    assert len(dev) == len(right) // 2
    assert {**dev, **test} == dict(enumerate(right))
    assert len(dev) + len(test) == len(right)


def test_halves_do_not_depend_on_the_answers() -> None:
    assert Halves.of([True] * 30).dev.keys() == Halves.of([False] * 30).dev.keys()
    assert sorted(Halves.of([True] * 30).dev) != list(range(15)), "files list one label first"


def test_every_model_is_asked_about_both_halves_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    monkeypatch.setenv("UNFOOL_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("UNFOOL_DATA", str(tmp_path / "data"))
    for split, rows in TEXTS.items():
        file = tmp_path / "data" / "tiny" / f"{split}.parquet"
        file.parent.mkdir(parents=True, exist_ok=True)
        parquet.write_table(pa.table({"text": [text for text, _ in rows], "label": [n for _, n in rows]}), file)
    models = ("CNN-W-Random-1", "LSTM-W-Random-1")
    part, work = halves_part(models, "tiny"), Work(tmp_path / "out", "cpu", 1, print, progress=False)
    found = part.do(work).values["halves"]
    assert list(found) == list(models)
    assert {half["of"] for each in found.values() for half in each.values()} == {10}
    files = sorted((tmp_path / "out" / "halves").glob("*/clean-victim.json"))
    written = [file.stat().st_mtime_ns for file in files]
    assert part.do(work).values["halves"] == found
    assert [file.stat().st_mtime_ns for file in files] == written
    assert len(files) == 2
