"""What a reader must know before the figures of a run."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.toys import BagOfWords

from unfool import attack
from unfool.data import from_texts
from unfool.engine import Failure, Outcome, Status
from unfool.report import terminal, write
from unfool.runs import Run

RUSSIAN = ["Это худший фильм, который я видел.", "Очень хороший фильм, мне понравилось.", "Смотреть можно."]
CHINESE = ["这部电影很好看,我喜欢它的人物。", "这个故事很坏,我不想再看一次。"]
GERMAN = [
    "Das war die schlechteste Serie, die ich je gesehen habe.",
    "Ein Film, den man nicht vergisst.",
]


def made(folder: Path, outcomes: list[Outcome], environment: dict[str, Any] | None = None) -> Run:
    with Run.create(folder, {"attack": "pwws:variant=paper"}, environment) as run:
        for number, outcome in enumerate(outcomes):
            run.record(replace(outcome, id=number))
        run.finish()
    return Run.open(folder)


def untried(outcome: Outcome) -> Outcome:
    return replace(
        outcome,
        status=Status.FAILED,
        reason="no change proposed",
        perturbed=outcome.original,
        after=outcome.before,
        queries=0,
        words_changed=0,
        characters_changed=0,
    )


def attacked(folder: Path, texts: list[str], recipe: str) -> Run:
    victim = BagOfWords()
    names = [victim.labels[victim.label((text,))] for text in texts]
    return attack(victim, from_texts(texts, names, names=victim.labels), recipe, out=folder, progress=False)


def test_nothing_amiss_is_nothing_said(tmp_path: Path, outcome: Outcome) -> None:
    run = made(tmp_path / "run", [outcome])
    assert run.remarks() == ()
    assert run.summary.untried == 0
    assert run.summary.telling


def test_an_attack_that_cannot_read_the_texts_says_so(tmp_path: Path, wordnet: None) -> None:
    run = attacked(tmp_path / "run", RUSSIAN, "pwws")
    (remark,) = run.remarks()
    assert remark == "pwws proposed no change for 3 of 3 texts: it reads English, and these texts look Cyrillic."
    assert run.summary.untried == 3
    assert not run.summary.telling


def test_another_language_is_told_where_changes_were_found(tmp_path: Path, wordnet: None) -> None:
    (remark,) = attacked(tmp_path / "run", GERMAN, "pwws").remarks()
    assert remark == "pwws reads English, and these texts look German: what it puts in may make no sense there."


def test_a_constraint_reads_a_language_too(tmp_path: Path) -> None:
    victim, folder = BagOfWords(), tmp_path / "run"
    names = [victim.labels[victim.label((text,))] for text in GERMAN]
    data = from_texts(GERMAN, names, names=victim.labels)
    run = attack(victim, data, "key", constrain="pos", out=folder, progress=False)
    assert "pos reads English, " in run.remarks()[0]


def test_an_attack_without_letters_to_change_says_so(tmp_path: Path) -> None:
    run = attacked(tmp_path / "run", CHINESE, "key")
    assert run.remarks() == (
        "key proposed no change for 2 of 2 texts: it changes Latin letters, and these texts look Chinese.",
    )


def test_a_run_of_before_still_tells_its_language(tmp_path: Path, outcome: Outcome) -> None:
    kept = {"languages": {"reader": "pwws", "reads": "English", "texts": "German"}}
    (remark,) = made(tmp_path / "run", [outcome], kept).remarks()
    assert remark.startswith("pwws reads English, and these texts look German")


def test_attacks_on_characters_read_any_language_that_has_their_letters(tmp_path: Path) -> None:
    assert attacked(tmp_path / "run", GERMAN, "key-star").remarks() == ()


def test_a_rate_over_texts_that_nothing_was_tried_on_is_no_number(tmp_path: Path, outcome: Outcome) -> None:
    none = made(tmp_path / "none", [untried(outcome)] * 3)
    few = made(tmp_path / "few", [untried(outcome)] * 3 + [outcome, replace(outcome, status=Status.FAILED)])
    for run in (none, few):
        stored = json.loads((run.folder / "summary.json").read_bytes())
        for rate in ("success_rate", "accuracy_under_attack"):
            assert [stored[rate][key] for key in ("value", "low", "high")] == [None, None, None]
        assert stored["untried"] == 3
        assert run.summary.failures["no change proposed"] == 3
    assert stored["success_rate_tried"]["value"] == 0.5
    assert "nothing was tried" in printed(none)
    assert "50.0% [9.5%, 90.5%] of 2 tried" in printed(few)


def test_half_of_them_tried_is_enough_for_a_rate(tmp_path: Path, outcome: Outcome) -> None:
    run = made(tmp_path / "run", [untried(outcome), outcome])
    assert run.summary.telling
    assert run.remarks()[0].startswith("pwws proposed no change for 1 of 2 texts: it found nothing in them that")
    assert "50.0% [9.5%, 90.5%]" in printed(run)


def test_remarks_stand_before_the_figures_wherever_a_run_is_shown(tmp_path: Path, outcome: Outcome) -> None:
    run = made(tmp_path / "run", [untried(outcome)] * 2)
    (remark,) = run.remarks()
    shown = " ".join(printed(run).split())
    assert shown.startswith(f"note: {remark}")
    write([run], tmp_path / "page.html")
    assert json.dumps(remark) in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_samples_without_a_result_are_told_before_the_figures(tmp_path: Path, outcome: Outcome) -> None:
    with Run.create(tmp_path / "run", {}) as run:
        run.record(outcome)
        run.fail(Failure(1, "no answer"))
        run.finish()
    assert run.remarks() == ("1 sample has no result and counts in no figure.",)


def printed(run: Run) -> str:
    import io

    from rich.console import Console

    out = io.StringIO()
    Console(file=out, width=100).print(terminal([run]))
    return out.getvalue()
