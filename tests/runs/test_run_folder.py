"""Creating, resuming, reading: what a run folder promises while nothing goes wrong on the machine."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from unfool.engine import Failure, Outcome, Status
from unfool.errors import UserError
from unfool.runs import Run
from unfool.storage import JSON

CONFIG: dict[str, JSON] = {"attack": {"name": "pwws"}, "data": {"name": "mr", "fingerprint": "ab12"}, "seed": 0}


def test_finished_run_reads_back_in_order_of_id(tmp_path: Path, outcome: Outcome) -> None:
    outcomes = [replace(outcome, id=number) for number in (5, 2, 9)]
    with Run.create(tmp_path / "run", CONFIG) as run:
        for each in outcomes:
            run.record(each)
        summary = run.finish(similarity=0.8)
    read = Run.open(tmp_path / "run")
    assert list(read.outcomes()) == sorted(outcomes, key=lambda each: each.id)
    assert read.config == CONFIG
    assert read.done == {2, 5, 9}
    assert len(read) == 3
    assert read.summary == summary
    assert read.summary.similarity == 0.8
    assert not (tmp_path / "run" / "outcomes.jsonl.part").exists()


def test_some_outcomes_are_spread_evenly_over_all(tmp_path: Path, outcome: Outcome) -> None:
    with Run.create(tmp_path / "run", CONFIG) as run:
        for number in reversed(range(0, 202, 2)):
            run.record(replace(outcome, id=number))
        run.flush()
        assert [each.id for each in run.spread(5)] == [0, 50, 100, 150, 200]
        assert [each.id for each in run.spread(5, also=[100, 102, 3])] == [0, 50, 100, 102, 150, 200]
        assert [each.id for each in run.spread(101)] == list(range(0, 202, 2))
        assert next(run.spread(5)) == replace(outcome, id=0)


def test_costs_are_those_of_the_outcomes(tmp_path: Path, outcome: Outcome) -> None:
    failed = replace(outcome, id=4, status=Status.FAILED, reason="no edit found", queries=7)
    with Run.create(tmp_path / "run", CONFIG) as run:
        for each in (outcome, failed, replace(failed, queries=8)):
            run.record(each)
    names = ("id", "status", "queries", "words", "words_changed")
    assert list(run.costs()) == [tuple(getattr(each, name) for name in names) for each in (outcome, failed)]
    log = run.folder / "outcomes.jsonl"
    log.write_bytes(log.read_bytes().replace(b'"queries": 7', b'"queries": "7"'))
    with pytest.raises(UserError, match=r"line 2 of .* is damaged; resume the run to mend it"):
        list(run.costs())
    with pytest.raises(UserError, match=r"line 2 of .* is damaged; resume the run to mend it"):
        list(run.spread(2))


def test_the_figures_of_a_growing_run_follow_it(tmp_path: Path, outcome: Outcome) -> None:
    with Run.create(tmp_path / "run", CONFIG) as run:
        reader = Run.open(tmp_path / "run")
        for number in range(3):
            run.record(replace(outcome, id=number))
            run.flush()
            assert reader.summary.samples == number + 1
        run.fail(Failure(7, "it did not answer"))
        run.flush()
        assert reader.summary.errors == 1


def test_repr_opens_the_run_again(tmp_path: Path, outcome: Outcome) -> None:
    with Run.create(tmp_path / "run", CONFIG) as run:
        run.record(outcome)
    again: Run = eval(repr(run), {"Run": Run})
    assert list(again.outcomes()) == [outcome]


def test_nothing_is_written_before_flush_and_all_of_it_after(tmp_path: Path, outcome: Outcome) -> None:
    with Run.create(tmp_path / "run", CONFIG) as run:
        run.record(outcome)
        assert list(run.outcomes()) == []
        run.flush()
        assert list(run.outcomes()) == [outcome]


def test_first_of_two_outcomes_for_an_id_stays(tmp_path: Path, outcome: Outcome) -> None:
    with Run.create(tmp_path / "run", CONFIG) as run:
        run.record(outcome)
        run.record(replace(outcome, queries=99))
        run.flush()
        assert list(run.outcomes()) == [outcome]
        assert run.finish().samples == 1
    assert list(run.outcomes()) == [outcome]


def test_failures_are_tried_again_and_counted_once(tmp_path: Path, outcome: Outcome) -> None:
    with Run.create(tmp_path / "run", CONFIG) as run:
        run.record(outcome)
        run.fail(Failure(7, "the endpoint timed out"))
        run.fail(Failure(3, "the endpoint timed out"))
        run.finish()
    assert [failure.id for failure in run.failures()] == [3, 7]
    with Run.resume(tmp_path / "run", CONFIG) as run:
        assert run.done == {0}
        run.record(replace(outcome, id=7))
        run.fail(Failure(3, "still down"))
        summary = run.finish()
    assert list(run.failures()) == [Failure(3, "still down")]
    assert (summary.samples, summary.errors) == (2, 1)


def test_environment_keeps_a_note_of_every_session(tmp_path: Path) -> None:
    Run.create(tmp_path / "run", CONFIG, {"device": "cpu"}).close()
    with Run.resume(tmp_path / "run", CONFIG, {"device": "cuda"}) as run:
        run.finish()
    first, second = json.loads((tmp_path / "run" / "environment.json").read_bytes())["sessions"]
    assert (first["device"], second["device"]) == ("cpu", "cuda")
    assert "numpy" in second["packages"]
    assert first["seconds"] >= 0
    assert first["started"].endswith("+00:00")


def test_resume_with_other_settings_says_what_changed(tmp_path: Path, outcome: Outcome) -> None:
    with Run.create(tmp_path / "run", CONFIG) as run:
        run.record(outcome)
    changed: dict[str, JSON] = {
        "attack": {"name": "pwws", "k": (3,)},
        "data": {"name": "mr", "fingerprint": "cd34"},
    }
    with pytest.raises(UserError) as error:
        Run.resume(tmp_path / "run", changed)
    message = str(error.value)
    assert "attack.k was not set, and is now 3" in message
    assert "data.fingerprint was ab12, and is now cd34" in message
    assert "the seed was 0, and is now not set" in message
    assert "data.name" not in message
    assert "\n" not in message


def test_settings_that_read_back_the_same_are_the_same(tmp_path: Path) -> None:
    Run.create(tmp_path / "run", {"layers": (1, 2), "seed": 0}).close()
    Run.resume(tmp_path / "run", {"seed": 0, "layers": [1, 2]}).close()


def test_create_refuses_a_run_and_other_files(tmp_path: Path, outcome: Outcome) -> None:
    Run.create(tmp_path / "run", {"attack": "ended before its first outcome"}).close()
    with Run.create(tmp_path / "run", CONFIG) as run:
        run.record(outcome)
    with pytest.raises(UserError, match="--resume"):
        Run.create(tmp_path / "run", CONFIG)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("precious")
    with pytest.raises(UserError, match="other files"):
        Run.create(tmp_path / "mine", CONFIG)
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["thesis.txt"]


def test_where_there_is_no_run_to_resume_one_starts(
    tmp_path: Path, outcome: Outcome, capsys: pytest.CaptureFixture[str]
) -> None:
    with Run.resume(tmp_path / "none", CONFIG) as run:
        run.record(outcome)
    assert len(Run.open(tmp_path / "none")) == 1
    assert capsys.readouterr().err == f"there is nothing in {tmp_path / 'none'} to resume: this starts it\n"


def test_open_refuses_a_folder_without_a_run(tmp_path: Path) -> None:
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "config.json").write_text("{}")
    with pytest.raises(UserError, match=r"not a run folder$"):
        Run.open(tmp_path / "model")
    Run.create(tmp_path / "yes", CONFIG).close()
    with pytest.raises(UserError, match=r"not a run folder; there is .*yes"):
        Run.open(tmp_path / "yse")


def test_a_run_opened_for_reading_is_not_written(tmp_path: Path, outcome: Outcome) -> None:
    Run.create(tmp_path / "run", CONFIG).close()
    with pytest.raises(RuntimeError, match="not open for writing"):
        Run.open(tmp_path / "run").record(outcome)


def test_a_damaged_line_is_named_to_readers_and_mended_by_resuming(tmp_path: Path, outcome: Outcome) -> None:
    outcomes = [replace(outcome, id=number) for number in range(3)]
    with Run.create(tmp_path / "run", CONFIG) as run:
        for each in outcomes:
            run.record(each)
    log = tmp_path / "run" / "outcomes.jsonl"
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(lines[0] + b"\0\0" + lines[1] + lines[2])
    with pytest.raises(UserError, match=r"line 2 of .* is damaged"):
        list(Run.open(tmp_path / "run").outcomes())
    with Run.resume(tmp_path / "run", CONFIG) as run:
        assert run.done == {0, 2}
        run.record(outcomes[1])
        run.finish()
    assert log.read_bytes() == b"".join(lines)


def test_files_that_hold_something_else_are_named(tmp_path: Path, outcome: Outcome) -> None:
    with Run.create(tmp_path / "run", {}) as run:
        run.record(outcome)
        run.finish()
    (tmp_path / "run" / "summary.json").write_text('{"samples": 1}')
    with pytest.raises(UserError, match=r"summary\.json is damaged; delete it"):
        _ = Run.open(tmp_path / "run").summary
    (tmp_path / "run" / "summary.json").unlink()
    assert Run.open(tmp_path / "run").summary.samples == 1
    (tmp_path / "run" / "config.json").write_text("[]")
    with pytest.raises(UserError, match=r"config\.json does not hold the settings of a run"):
        Run.open(tmp_path / "run")


def test_a_damaged_config_is_one_readable_line(tmp_path: Path) -> None:
    Run.create(tmp_path / "run", CONFIG).close()
    (tmp_path / "run" / "config.json").write_text('{"attack": ')
    with pytest.raises(UserError, match="damaged"):
        Run.open(tmp_path / "run")


def test_table_has_a_column_for_each_field(tmp_path: Path, outcome: Outcome) -> None:
    pair = replace(outcome, field_names=("premise", "hypothesis"), original=("p", "h\ud800"), perturbed=("p", "j"))
    with Run.create(tmp_path / "run", CONFIG) as run:
        run.record(pair)
    table = run.table()
    assert table.num_rows == 1
    row = table.to_pylist()[0]
    assert (row["original_premise"], row["original_hypothesis"], row["perturbed_hypothesis"]) == (
        "p",
        "h\ufffd",
        "j",
    )
    assert (row["status"], row["confidence_after"], row["words_changed"]) == ("success", 0.6, 1)


def test_table_of_an_empty_run_has_its_columns(tmp_path: Path) -> None:
    with Run.create(tmp_path / "run", CONFIG) as run:
        table = run.table()
    assert table.num_rows == 0
    assert "original_text" in table.column_names


def test_an_error_before_the_first_result_leaves_no_folder(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError), Run.create(tmp_path / "new", {}):
        raise RuntimeError
    assert not (tmp_path / "new").exists()
    (tmp_path / "old").mkdir()
    with pytest.raises(RuntimeError), Run.create(tmp_path / "old", {}):
        raise RuntimeError
    assert list((tmp_path / "old").iterdir()) == []


def test_an_error_after_the_first_result_keeps_it(tmp_path: Path, outcome: Outcome) -> None:
    with suppress(RuntimeError), Run.create(tmp_path / "run", {}) as run:
        run.record(outcome)
        raise RuntimeError
    assert len(Run.open(tmp_path / "run")) == 1
    with pytest.raises(RuntimeError), Run.resume(tmp_path / "run", {}):
        raise RuntimeError
    assert len(Run.open(tmp_path / "run")) == 1
