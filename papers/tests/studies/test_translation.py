"""The two attacks on translators: keywords drawn, BLEU resampled, and a study of translators that are not there."""

from __future__ import annotations

from pathlib import Path

import pytest

from unfool import attack
from unfool.generation import corpus_bleu
from unfool_papers.self_attention.keywords_and_typos import Typos, chance, draw_keywords, force_keywords, interval
from unfool_papers.self_attention.translation import SMOKE, translation
from unfool_papers.study.plan import Work

pytest.importorskip("sacrebleu")
WORDS = {"a": "ein", "red": "rotes", "small": "kleines", "house": "Haus", "stands": "steht", "here": "hier"}
PAIRS = [
    ("a red house stands here", "ein rotes Haus steht hier"),
    ("a small house stands here", "ein kleines Haus steht hier"),
    ("here stands a small red house", "hier steht ein kleines rotes Haus"),
]


def german(texts: list[str]) -> list[str]:
    return [" ".join(WORDS.get(word, "Art") for word in text.split()) for text in texts]


def test_keywords_are_neither_common_nor_rare() -> None:
    texts = [f"der Hund {'bellt' if number % 50 == 0 else 'schläft'} Nr{number}" for number in range(500)]
    assert draw_keywords(texts, 5) == ["bellt"]


def test_each_keyword_is_tried_on_its_share_of_the_sources(tmp_path: Path) -> None:
    found = force_keywords(german, PAIRS, ["Art", "Hund"], "key:budget=1", tmp_path, progress=False)
    assert [run.summary.samples for run in found.runs] == [2, 1]
    assert (found.rate.count, found.rate.of) == (2, 3)
    assert found.reached == {(0, 0): True, (0, 1): True, (1, 0): False}
    word, example = next(found.examples(1))
    assert word == "Art"
    assert "Art" in example.perturbed[1]


def loud(texts: list[str]) -> list[str]:
    return [text.upper() for text in texts]


@pytest.mark.parametrize(("words", "reached"), [(1, 0), (2, 1)])
def test_drawn_words_bring_keywords_that_nothing_inside_tells_of(
    words: int, reached: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = ["hut", "haus", "hand", "hund", "mund"]
    monkeypatch.setattr("unfool_papers.self_attention.from_outside.vocabulary", lambda ask: known)
    how = f"py:unfool_papers.self_attention.from_outside:drawn_words:words={words},candidates={len(known)}"
    found = force_keywords(loud, ["a red door stands here"], ["HAUS+HUND"], how, tmp_path, progress=False)
    (outcome,) = found.runs[0].outcomes()
    assert found.rate.count == reached
    assert outcome.words_changed == words
    assert outcome.queries <= words * (5 + len(known)) + 1


def test_bleu_is_resampled_by_sentences(tmp_path: Path) -> None:
    run = attack(german, PAIRS, "typos:kind=keyboard", goal="degrade", out=tmp_path / "run", progress=False)
    typos = Typos(run)
    after = [outcome.outputs[1] for outcome in run.outcomes() if outcome.outputs]
    assert typos.before == pytest.approx(100)
    assert typos.after == pytest.approx(corpus_bleu(after, [reference for _, reference in PAIRS]).score)
    low, high = interval(typos.resampled_after)
    assert low <= typos.after <= high
    assert typos.kept == pytest.approx(typos.after)
    assert chance(typos.resampled_before, typos.resampled_after) < 0.05
    assert chance(typos.resampled_after, typos.resampled_after) == 1


def test_translators_that_are_not_trained_are_named_with_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNFOOL_CACHE", str(tmp_path))
    (note,) = translation(SMOKE, Work(tmp_path, "cpu", 1, print)).notes
    assert f"`unfool train {SMOKE.lstm} {SMOKE.transformer}`" in note
