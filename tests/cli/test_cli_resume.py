"""Resuming asks for the very settings a run was started with, and says which differ."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.end_to_end.command import REVIEWS, VADER, attack, results, unfool

pytestmark = pytest.mark.usefixtures("word_vectors")

DATA = "reviews.csv"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with data and a finished run over them."""
    (tmp_path / DATA).write_bytes(REVIEWS.read_bytes())
    assert unfool(*attack(VADER, "random", "run", data=DATA), cwd=tmp_path).code == 0
    return tmp_path


def test_other_settings_are_refused(place: Path) -> None:
    before = results(place / "run")
    refused: dict[str, list[object]] = {
        "the attack was random:trials=1, and is now random:trials=2": attack(
            VADER, "random:trials=2", "run", data=DATA
        ),
        "the seed was 0, and is now 7": attack(VADER, "random", "run", "--seed", 7, data=DATA),
        "the query budget was none, and is now 5": attack(VADER, "random", "run", "--max-queries", 5, data=DATA),
        "the constraints were none, and are now words<=0.2": attack(
            VADER, "random", "run", "--constrain", "words<=0.2", data=DATA
        ),
        "the target was none, and is now positive": attack(
            VADER, "random", "run", "--target", "positive", data=DATA
        ),
        "the number of samples was 60, and is now 10": attack(VADER, "random", "run", "--n", 10, data=DATA),
    }
    for change, arguments in refused.items():
        done = unfool(*arguments, "--resume", cwd=place)
        assert done.code == 2
        expected = f"error: run was begun with other settings ({change}); restore them or choose another folder\n"
        assert done.err == expected
    assert results(place / "run") == before


def test_what_was_stopped_before_it_began_has_nothing_to_resume(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text("raise KeyboardInterrupt\n")
    done = unfool(*attack("py:slow:answer", "random", "run"), cwd=tmp_path)
    assert (done.code, done.err) == (130, "stopped before anything was done\n")
    assert not (tmp_path / "run").exists()


def test_edited_data_are_refused(place: Path) -> None:
    edited = (place / DATA).read_text().replace("bakery", "brewery")
    (place / DATA).write_text(edited)
    done = unfool(*attack(VADER, "random", "run", data=DATA), "--resume", cwd=place)
    assert done.code == 2
    (line,) = done.err.splitlines()
    assert line.startswith(
        "error: run was begun with other settings (the data file has changed since this run, or "
    )


def test_another_text_of_a_pair_to_edit_is_refused(tmp_path: Path) -> None:
    (tmp_path / "pairs.csv").write_text(
        "premise,hypothesis,label\nA man eats.,A man sleeps.,0\nIt rains.,It is wet.,1\n"
    )
    (tmp_path / "toy.py").write_text("def answer(pairs):\n    return [[0.6, 0.4]] * len(pairs)\n")
    arguments = attack("py:toy:answer", "random", "run", "--edit", "hypothesis", data="pairs.csv")
    assert unfool(*arguments, cwd=tmp_path).code == 0
    assert unfool(*arguments, "--resume", cwd=tmp_path).code == 0
    both = [part for part in arguments if part not in ("--edit", "hypothesis")]
    done = unfool(*both, "--resume", cwd=tmp_path)
    assert done.code == 2
    assert "the columns that attacks may change were hypothesis, and are now premise, hypothesis" in done.err


def test_what_changes_speed_alone_may_change(place: Path) -> None:
    before = results(place / "run")
    done = unfool(*attack(VADER, "random", "run", "--in-flight", 3, data=DATA), "--resume", cwd=place)
    assert (done.code, done.err) == (0, "")
    assert results(place / "run") == before


def test_where_there_is_no_run_one_starts(place: Path) -> None:
    done = unfool(*attack(VADER, "random", "none", data=DATA), "--resume", cwd=place)
    assert (done.code, done.err) == (0, "there is nothing in none to resume: this starts it\n")
    assert results(place / "none") == results(place / "run")
