"""The matrix: every rate from stored texts, however the study came about."""

from __future__ import annotations

import gc
import json
import sys
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.end_to_end.command import REVIEWS
from tests.transfer import crowd

from unfool import zoo
from unfool.engine import Predictor, Status
from unfool.errors import UserError
from unfool.stats import wilson
from unfool.training import seeded
from unfool.transfer import Study, study
from unfool.victims import Options, callable_victim, open_victim
from unfool.zoo.fronts import make_front

pytestmark = pytest.mark.usefixtures("wordnet")

ONE, TWO, THREE, TURNED, BROKEN = (
    f"py:tests.transfer.crowd:{name}" for name in ("one", "two", "three", "turned", "broken")
)
Settings = dict[str, Any]
COMMON: Settings = {"data": str(REVIEWS), "attack": "greedy-synonym", "n": 40, "progress": False}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Study:
    return study([ONE, TWO, THREE], out=tmp_path_factory.mktemp("study") / "s", **COMMON)


def wrong(name: str, texts: list[str], gold: list[int]) -> list[bool]:
    rows = getattr(crowd, name.rpartition(":")[2])(texts)
    return [int(np.argmax(row)) != label for row, label in zip(rows, gold, strict=True)]


def test_every_rate_is_that_of_a_loop_over_the_stored_texts(made: Study) -> None:
    assert not made.problems
    for source in made.victims:
        fooled = [outcome for outcome in made.run(source).outcomes() if outcome.status is Status.SUCCESS]
        assert len(fooled) >= 10
        gold = [outcome.label for outcome in fooled]
        for target in made.victims:
            after = wrong(target, [outcome.perturbed[0] for outcome in fooled], gold)
            before = wrong(target, [outcome.original[0] for outcome in fooled], gold)
            if source == target:
                assert all(after)
                assert made.rate(source, target) is None
                continue
            rate, corrected = (made.rate(source, target, corrected=each) for each in (False, True))
            assert rate
            assert corrected
            assert (rate.count, rate.of) == (sum(after), len(after))
            assert rate.interval == wilson(sum(after), len(after))
            right = [is_fooled for was_wrong, is_fooled in zip(before, after, strict=True) if not was_wrong]
            assert (corrected.count, corrected.of) == (sum(right), len(right))


def test_the_rates_differ_by_direction_and_from_the_corrected_ones(made: Study) -> None:
    rates, corrected = made.matrix().rates, made.matrix(corrected=True).rates
    assert np.isnan(np.diag(rates)).all()
    assert rates[0, 1] != rates[1, 0]
    assert (corrected[~np.eye(3, dtype=bool)] != rates[~np.eye(3, dtype=bool)]).any()


def test_another_victim_costs_one_row_and_one_column(tmp_path: Path) -> None:
    out = tmp_path / "s"
    study([ONE, TWO], out=out, **COMMON)
    first = Study.open(out)
    runs = {name: (first.places.run(name) / "outcomes.jsonl").stat().st_mtime_ns for name in first.victims}
    columns = {name: first.places.column(name).path.read_bytes() for name in first.victims}
    study([THREE], out=out, resume=True, **COMMON)
    grown = Study.open(out)
    assert grown.victims == [ONE, TWO, THREE]
    for name in first.victims:
        assert (grown.places.run(name) / "outcomes.jsonl").stat().st_mtime_ns == runs[name]
        now = grown.places.column(name).path.read_bytes()
        assert now.startswith(columns[name])
        assert now.count(b"\n") == 3
    whole = study([ONE, TWO, THREE], out=tmp_path / "whole", **COMMON)
    np.testing.assert_array_equal(grown.matrix().rates, whole.matrix().rates)


def test_a_finished_study_opens_no_victim_again(made: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(name: str, options: Options) -> Predictor:
        raise AssertionError(name)

    monkeypatch.setattr("unfool.transfer._jobs.open_victim", refuse)
    monkeypatch.setattr("unfool.victims._given.open_victim", refuse)
    before = made.places.matrix.read_bytes()
    again = study([ONE, TWO, THREE], out=made.places.folder, resume=True, **COMMON)
    assert not again.problems
    assert made.places.matrix.read_bytes() == before


def test_two_workers_give_the_same_file(made: Study, tmp_path: Path) -> None:
    study([ONE, TWO, THREE], out=tmp_path / "s", workers=2, **COMMON)
    assert (tmp_path / "s" / "matrix.json").read_bytes() == made.places.matrix.read_bytes()


def test_a_source_that_is_a_victim_already_is_no_other_row(made: Study, tmp_path: Path) -> None:
    found = study([TWO], sources=[ONE], out=tmp_path / "s", **COMMON)
    assert (found.victims, found.sources) == ([TWO], [ONE])
    found = study([ONE, TWO, THREE], sources=[THREE], out=tmp_path / "s", workers=2, resume=True, **COMMON)
    assert (found.victims, found.sources, found.problems) == ([TWO, ONE, THREE], [], {})
    kept = [found.victims.index(name) for name in made.victims]
    np.testing.assert_array_equal(found.matrix().rates[np.ix_(kept, kept)], made.matrix().rates)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_victim_that_fails_is_named_and_the_rest_goes_on(made: Study, tmp_path: Path, workers: int) -> None:
    found = study([ONE, BROKEN, "py:no.such:thing", TWO, THREE], out=tmp_path / "s", workers=workers, **COMMON)
    assert set(found.problems) == {BROKEN, "py:no.such:thing"}
    assert "out of order" in found.problems[BROKEN]
    kept = [found.victims.index(name) for name in made.victims]
    np.testing.assert_array_equal(found.matrix().rates[np.ix_(kept, kept)], made.matrix().rates)
    assert np.isnan(found.matrix().rates[:, found.victims.index(BROKEN)]).all()


def test_a_tie_is_no_wrong_answer(made: Study, tmp_path: Path) -> None:
    undecided = "py:tests.transfer.crowd:undecided"
    found = study([ONE, undecided], out=tmp_path / "s", **COMMON)
    rate, known = found.rate(ONE, undecided), found.rate(ONE, undecided, corrected=True)
    assert rate
    assert known
    assert (rate.count, rate.of, known.of) == (0, len(_fooled(found)), len(_fooled(found)))


def _fooled(made: Study) -> list[int]:
    return [outcome.id for outcome in made.run(ONE).outcomes() if outcome.status is Status.SUCCESS]


def test_labels_in_another_order_give_the_same_rates(made: Study, tmp_path: Path) -> None:
    turned = study([ONE, TURNED, THREE], out=tmp_path / "s", **{**COMMON, "data": named_labels(tmp_path)})
    np.testing.assert_array_equal(turned.matrix().rates, made.matrix().rates)


def named_labels(folder: Path) -> str:
    lines = REVIEWS.read_text(encoding="utf-8").splitlines()
    head, rows = lines[0].split(","), [line.rpartition(",") for line in lines[1:]]
    assert head[-1] == "label"
    file = folder / "named.csv"
    written = [f"{text},{('negative', 'positive')[int(label)]}" for text, _, label in rows]
    file.write_text("\n".join([lines[0], *written]) + "\n", encoding="utf-8")
    return str(file)


def test_only_so_many_successes_are_kept(made: Study, tmp_path: Path) -> None:
    found = study([ONE, TWO], out=tmp_path / "s", keep=7, **COMMON)
    rate = found.rate(ONE, TWO)
    assert rate
    assert rate.of == 7
    assert len(found.run(ONE)) == 40


def test_a_victim_may_be_a_source_only(tmp_path: Path) -> None:
    both = f"ensemble:{ONE}+{TWO}"
    found = study([ONE, THREE], out=tmp_path / "s", sources=[both], **COMMON)
    assert found.rate(both, THREE)
    assert found.matrix().sources == (ONE, THREE)
    assert found.matrix(extra=True).sources == (ONE, THREE, both)


def test_other_settings_are_refused_by_name(made: Study) -> None:
    with pytest.raises(UserError, match=r"number of samples was 40, and is now 30; the seed was 0, and is now 1"):
        study([ONE], out=made.places.folder, resume=True, **{**COMMON, "n": 30, "seed": 1})


def test_a_folder_in_use_is_refused(made: Study, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="--resume"):
        study([ONE], out=made.places.folder, **COMMON)
    (tmp_path / "letter.txt").touch()
    with pytest.raises(UserError, match="other files"):
        study([ONE], out=tmp_path, **COMMON)
    with pytest.raises(UserError, match="has no twin"):
        study([ONE], out=tmp_path / "new", twins=True, **COMMON)


def test_where_there_is_no_study_to_resume_one_starts(
    made: Study, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = study([ONE], out=tmp_path / "new", resume=True, **COMMON)
    assert found.victims == [ONE]
    assert "new to resume: this starts it\n" in capsys.readouterr().err


def test_cells_whose_texts_changed_are_filled_again(tmp_path: Path) -> None:
    found = study([ONE, TWO], out=tmp_path / "s", **COMMON)
    log = found.places.run(ONE) / "outcomes.jsonl"
    lines = log.read_text(encoding="utf-8").splitlines(keepends=True)
    success = next(number for number, line in enumerate(lines) if '"success"' in line)
    log.write_text("".join(lines[:success] + lines[success + 1 :]), encoding="utf-8")
    again = study([ONE, TWO], out=tmp_path / "s", resume=True, **COMMON)
    before, after = found.rate(ONE, TWO), Study.open(tmp_path / "s").rate(ONE, TWO)
    assert not again.problems
    assert before
    assert after
    assert after.of == before.of - 1


def test_no_model_outlives_its_job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[weakref.ref[Predictor]] = []

    def opening(name: str, options: Options) -> Predictor:
        gc.collect()
        assert not [victim for victim in opened if victim() is not None]
        victim = open_victim(name, options)
        opened.append(weakref.ref(victim))
        return victim

    monkeypatch.setattr("unfool.transfer._jobs.open_victim", opening)
    monkeypatch.setattr("unfool.victims._given.open_victim", opening)
    study([ONE, TWO, THREE], out=tmp_path / "s", **COMMON)
    assert len(opened) == 6


def test_a_target_is_not_asked_with_the_texts_of_all_sources_in_memory(
    made: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = list[int]()

    def opening(name: str, options: Options) -> Predictor:
        def counted(texts: Sequence[str]) -> list[list[float]]:
            held.append(sum(type(each).__name__ == "FoolingTexts" for each in gc.get_objects()))
            return crowd.one(texts)

        return callable_victim(counted, crowd.labels)

    read = sys.modules["unfool.transfer._jobs"]._fooling_texts
    read.cache_clear()
    monkeypatch.setattr("unfool.transfer._jobs._fooling_texts", read.__wrapped__)  # it holds some, and may
    monkeypatch.setattr("unfool.transfer._jobs.open_victim", opening)
    monkeypatch.setattr("unfool.victims._given.open_victim", opening)
    found = study([ONE, TWO, THREE], out=tmp_path / "s", **COMMON)
    assert not found.problems
    assert max(held) == 1


def test_the_matrix_file_holds_the_rates_with_their_intervals(made: Study) -> None:
    written = json.loads(made.places.matrix.read_text())
    rate = made.rate(ONE, THREE)
    assert rate
    value, low, high, texts = written["rates"][0][2]
    assert (value, texts) == (pytest.approx(rate.value, abs=1e-4), rate.of)
    assert (low, high) == pytest.approx(rate.interval, abs=1e-4)
    assert written["rates"][0][0] is None
    assert written["analysis"] is None
    assert written["models"][0]["sends"] == pytest.approx(np.nanmean(made.matrix().rates[0]), abs=1e-4)


def test_a_target_whose_files_changed_is_refused(tmp_path: Path) -> None:
    name = untrained_net(tmp_path / "net", seed=0)
    assert not study([ONE, name], out=tmp_path / "s", **COMMON).problems
    (tmp_path / "net").rename(tmp_path / "old")
    untrained_net(tmp_path / "net", seed=1)
    found = study([TWO], out=tmp_path / "s", resume=True, **COMMON)
    assert list(found.problems) == [name]
    assert "files changed" in found.problems[name]
    assert found.rate(ONE, TWO)


def test_a_misspelt_victim_is_let_go_if_it_is_not_named_again(tmp_path: Path) -> None:
    wrong = "py:tests.transfer.crowd:wrong"
    assert list(study([ONE, wrong], out=tmp_path / "s", **COMMON).problems) == [wrong]
    assert list(study([ONE, wrong], out=tmp_path / "s", resume=True, **COMMON).problems) == [wrong]
    mended = study([TWO], out=tmp_path / "s", resume=True, **COMMON)
    assert not mended.problems
    assert Study.open(tmp_path / "s").victims == [ONE, TWO]


def test_a_row_and_a_column_are_never_of_two_models(tmp_path: Path) -> None:
    name = untrained_net(tmp_path / "net", seed=0)
    found = study([ONE, name], out=tmp_path / "s", **COMMON)
    for column in found.places.cells.iterdir():
        column.unlink()  # as if it was killed between crafting and filling
    (tmp_path / "net").rename(tmp_path / "old")
    untrained_net(tmp_path / "net", seed=1)
    again = study([ONE], out=tmp_path / "s", resume=True, **COMMON)
    assert list(again.problems) == [name]
    assert "files changed" in again.problems[name]
    assert again.rate(ONE, name) is None
    assert again.rate(name, ONE)


def untrained_net(folder: Path, seed: int) -> str:
    vocabulary = zoo.WordVocabulary(["good", "bad"], max_length=12)
    with seeded(seed):
        net = zoo.make_net("KimCNN", make_front("Vectors", rows=len(vocabulary), dimensions=4), 2, filters=2)
    zoo.save(folder, net, vocabulary, ("negative", "positive"), {})
    return f"zoo:{folder}"
