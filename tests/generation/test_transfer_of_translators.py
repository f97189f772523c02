"""Do texts that break one translator break another? And what makes no sense for translators is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.end_to_end.command import unfool

from unfool import UserError, load_data, transfer
from unfool.engine import Status
from unfool.generation import Output, Translation, find_goal, open_generator

pytest.importorskip("sacrebleu")
TRANSLATORS = """
WORDS = {"the": "der", "film": "Film", "movie": "Streifen", "is": "ist", "good": "gut", "great": "gross"}

def exact(texts):
    return [" ".join(WORDS.get(word, "") for word in text.split()).strip() for text in texts]

def lenient(texts):
    near = lambda word: next((german for english, german in WORDS.items() if english[:1] == word[:1]), "")
    return [" ".join(near(word) for word in text.lower().split()).strip() for text in texts]

def deaf(texts):
    return ["der Film" for text in texts]
"""
PAIRS = "en,de\nthe film is good,der Film ist gut\nthe movie is great,der Streifen ist gross\n"
NAMES = [f"py:./toys.py:{name}" for name in ("exact", "lenient", "deaf")]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "toys.py").write_text(TRANSLATORS, encoding="utf-8")
    (tmp_path / "pairs.csv").write_text(PAIRS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def translated(name: str, source: str) -> str:
    (output,) = open_generator(name).generate([source])
    assert isinstance(output, Output)
    return output.text


@pytest.mark.parametrize("goal", ["degrade:drop=0.2", "keyword=Streifen"])
def test_each_translator_is_judged_by_its_own_outputs(folder: Path, goal: str) -> None:
    pairs = load_data("pairs.csv", text="en", pair="de", label="@victim")
    made = transfer.study(NAMES, pairs, "random:trials=40", goal=goal, out="study", progress=False)
    assert not made.problems
    wanted, tried = find_goal(goal), 0
    for source in NAMES:
        fooled = [each for each in made.run(source).outcomes() if each.status is Status.SUCCESS]
        for target in set(NAMES) - {source}:
            before, after = list[bool](), list[bool]()
            for outcome in fooled:
                old, new, reference = outcome.original[0], outcome.perturbed[0], outcome.original[-1]
                clean = translated(target, old)
                for text, reached in ((old, before), (new, after)):
                    seen = Translation(old, text, clean, translated(target, text), reference)
                    reached.append(wanted.score(seen).reached)
            plain, corrected = (made.rate(source, target, corrected=each) for each in (False, True))
            assert plain
            assert corrected
            assert (plain.count, plain.of) == (sum(after), len(fooled))
            assert corrected.of == before.count(False)
            tried += plain.of
    assert tried


def test_the_command_takes_a_goal(folder: Path) -> None:
    asked = ("transfer", "--victims", *NAMES[:2], "--data", "pairs.csv", "--source", "en", "--reference", "de")
    done = unfool(
        *asked, "--attack", "key", "--goal", "degrade:drop=0.2", "--out", "study", "--workers", "2", cwd=folder
    )
    assert done.code == 0, done.err
    assert "how often the goal is not reached" in done.out
    assert json.loads((folder / "study" / "study.json").read_bytes())["settings"]["generation_goal"] == (
        "degrade:by=chrf,drop=0.2"
    )
    assert unfool("report", "study", "--out", "study.html", cwd=folder).code == 0
    other = unfool(*asked, "--attack", "key", "--goal", "differ", "--out", "study", "--resume", cwd=folder)
    assert other.code == 2
    assert "generation_goal" in other.err


def test_a_goal_wants_sources_without_labels(folder: Path) -> None:
    with pytest.raises(UserError, match="models that generate have none"):
        transfer.study(NAMES, "movie-reviews", "key", goal="degrade", out="study")
    pairs = load_data("pairs.csv", text="en", pair="de", label="@victim")
    with pytest.raises(UserError, match="from_label is for classifiers"):
        transfer.study(NAMES, pairs, "key", goal="degrade", from_label="x", out="study")
    assert not (folder / "study").exists()


@pytest.mark.parametrize(
    ("command", "victim"),
    [
        (("attack", "--victim"), "hf-seq2seq:./model"),
        (("try", "a film", "--victim"), "zoo:NMT-LSTM-small@multi30k"),
        (("evaluate", "--out", "judged", "--victim"), "ctranslate2:./model"),
        (("rules", "mine", "--out", "rules.json", "--victims"), "zoo:NMT-LSTM-small@multi30k"),
        (("rules", "audit", "--out", "audit.html", "--victim"), "hf-seq2seq:./model"),
        (("harden", "fact", "--out", "hard", "--victim"), "zoo:NMT-Transformer@multi30k"),
    ],
)
def test_what_is_for_classifiers_alone_says_so(folder: Path, command: tuple[str, ...], victim: str) -> None:
    data = () if command[0] == "try" else ("--data", "movie-reviews")
    done = unfool(*command, victim, *data, cwd=folder)
    assert done.code == 2
    assert "generates, and here only classifiers make sense" in done.err
    assert victim.partition("@")[0].removeprefix("zoo:") in done.err
    assert "--goal" in done.err


def test_a_twin_is_the_translator_from_the_next_seed() -> None:
    from unfool.zoo.victim_names import twin_of

    assert twin_of("zoo:NMT-LSTM@multi30k") == "zoo:NMT-LSTM@multi30k#1"
    assert twin_of("zoo:NMT-LSTM@pairs.csv:en-pt#4") == "zoo:NMT-LSTM@pairs.csv:en-pt#5"
