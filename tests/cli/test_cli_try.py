"""Texts given on the command line: attacked, told about, and nothing kept."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from tests.end_to_end.command import VADER, Finished, command, shell, surroundings, unfool

WORST, GREAT = "The worst two hours of my life.", "A wonderful film with a great cast."


pytestmark = pytest.mark.usefixtures("wordnet")


def attempt(cwd: Path, *arguments: object, victim: str = VADER) -> Finished:
    """Try texts, and see that nothing is left behind."""
    before = sorted(cwd.iterdir())
    done = unfool("try", "--victim", victim, "--attack", "pwws", *arguments, cwd=cwd, TMPDIR=str(cwd))
    assert [path for path in sorted(cwd.iterdir()) if path.name != "__pycache__"] == before
    return done


def test_what_the_victim_answers_is_taken_to_be_right(tmp_path: Path) -> None:
    done = attempt(tmp_path, WORST)
    assert (done.code, done.err) == (0, "")
    assert done.out == (
        "success: negative (81%) → positive (55%), 32 queries\n"
        f"- {WORST}\n+ The speculative two hours of my life.\n\n"
    )


def test_several_texts_are_several_samples(tmp_path: Path) -> None:
    done = attempt(tmp_path, WORST, GREAT, "--max-words", 0.2)
    heads = [line for line in done.out.splitlines() if line.startswith("#")]
    assert heads[0].startswith("#0 success: negative")
    assert heads[1].startswith("#1 failed (not fooled by any edit tried): positive (92%) → positive")


def test_why_it_failed_is_told(tmp_path: Path) -> None:
    assert attempt(tmp_path, GREAT, "--max-queries", 3).out.startswith("failed (out of queries): positive (92%)")
    assert (
        attempt(tmp_path, "Great!", "--constrain", "words<=0")
        .out.splitlines()[1]
        .startswith("failed (no change proposed): ")
    )


def test_a_label_of_the_users_own(tmp_path: Path) -> None:
    assert attempt(tmp_path, WORST, "--label", "negative").out == attempt(tmp_path, WORST).out
    assert attempt(tmp_path, WORST, "--label", "positive").out == (
        f"skipped (the label is positive): negative (81%) → negative (81%), 0 queries\n  {WORST}\n\n"
    )


def test_the_language_can_be_told(tmp_path: Path) -> None:
    done = attempt(tmp_path, WORST, "--language", "German")
    assert done.code
    assert "the attack 'pwws' reads English, not German; there is " in done.err


def test_trying_speaks_json(tmp_path: Path) -> None:
    said = json.loads(attempt(tmp_path, WORST, "--json").out)
    assert (said["victim"], said["attack"].partition(":")[0]) == (VADER, "pwws")
    (sample,) = said["samples"]
    assert (sample["status"], sample["label_name_before"], sample["label_name_after"]) == (
        "success",
        "negative",
        "positive",
    )
    assert sample["original_text"] == WORST


@pytest.mark.parametrize("dash", ["", "-"])
def test_texts_come_from_standard_input(tmp_path: Path, dash: str) -> None:
    done = shell(f"echo '{WORST}' | unfool try --victim {VADER} --attack pwws {dash}", cwd=tmp_path)
    assert (done.code, done.err) == (0, "")
    assert done.out == attempt(tmp_path, WORST).out


def test_a_terminal_is_not_waited_for(tmp_path: Path) -> None:
    ours, theirs = os.openpty()
    arguments = command("try", "--victim", VADER)
    done = subprocess.run(
        arguments, stdin=theirs, cwd=tmp_path, env=surroundings({}), capture_output=True, text=True, timeout=60
    )
    os.close(ours)
    os.close(theirs)
    told = "error: there is no text to attack; give one in quotes, or give it on standard input\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", told)


PAIRS = """
labels = ["no", "yes"]

def answer(pairs):
    return [[0.1, 0.9] if "film" in first and "good" in second else [0.8, 0.2] for first, second in pairs]
"""


def test_a_pair_has_two_texts_of_which_one_may_change(tmp_path: Path) -> None:
    (tmp_path / "toy.py").write_text(PAIRS)
    pair = ("A new film.", "--pair", "A good show.")
    second = attempt(tmp_path, *pair, "--edit", "pair", victim="py:toy:answer")
    lines = second.out.splitlines()
    assert lines[0].startswith("success: yes (90%) → no (80%)")
    assert lines[1:3] == ["  A new film.", "- A good show."]
    first = attempt(tmp_path, *pair, "--edit", "text", victim="py:toy:answer")
    assert first.out.splitlines()[1] == "- A new film."
    assert "there is no 'both' to edit; there is text and pair" in attempt(tmp_path, *pair, "--edit", "both").err


MOODY = """
labels = ["bad", "good"]
gone = False

def answer(texts):
    if any("well" in text or "[UNK]" in text for text in texts):
        raise ValueError("not now")
    return [[0.2, 0.8]] * len(texts)

def answer_once(texts):
    global gone
    gone = gone or texts != ["A good film."]
    return answer(["well"] if gone else texts)
"""


def test_a_victim_that_gives_no_answer_is_told(tmp_path: Path) -> None:
    (tmp_path / "moody.py").write_text(MOODY)
    at_once = attempt(tmp_path, "All is well.", victim="py:moody:answer")
    assert (at_once.code, at_once.out, len(at_once.err.splitlines())) == (2, "", 1)
    assert "not now" in at_once.err
    in_part = attempt(tmp_path, "A good film.", victim="py:moody:answer")
    assert in_part.code == 0
    assert "without an answer)" in in_part.out
    later = attempt(tmp_path, "A good film.", victim="py:moody:answer_once")
    assert later.code == 3
    assert later.out.startswith("error: ")
    assert "not now" in later.out


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([WORST, "--label", "negativ"], "the victim has no label 'negativ'; did you mean 'negative'?"),
        ([WORST, "--label", "7"], "the victim has no label '7'; there is negative, positive"),
        ([WORST, "--label", ""], "the victim has no label ''; there is negative, positive"),
        ([WORST, ""], "text 2 is empty; give one with words to change"),
        ([" \n"], "text 1 is empty; give one with words to change"),
        ([], "text 1 is empty; give one with words to change"),
        ([WORST, GREAT, "--pair", GREAT], "2 texts, 1 second texts and 2 labels"),
        ([WORST, "--attack", "pws"], "unknown attack 'pws'; did you mean 'pwws'?"),
        ([WORST, "--victim", "vader"], "cannot tell what kind of victim 'vader' is"),
    ],
)
def test_what_cannot_be_tried_is_one_line(tmp_path: Path, arguments: list[str], told: str) -> None:
    done = attempt(tmp_path, *arguments)
    assert (done.code, done.out) == (2, "")
    (line,) = done.err.splitlines()
    assert line.startswith(f"error: {told}")
