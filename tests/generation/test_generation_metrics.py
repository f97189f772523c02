"""BLEU of all outputs: sacrebleu's own, with the tokenizer of the references' script, and its paired bootstrap."""

from __future__ import annotations

import random
from typing import Any

import pytest

from unfool.generation import bleu, compared_bleu, corpus_bleu

sacrebleu = pytest.importorskip("sacrebleu")
CHINESE = ["我喜欢这部电影。", "今天天气很好,我们去公园散步。", "这家餐厅的服务非常差。"]
GERMAN = ["der", "die", "das", "Hund", "Haus", "Film", "ist", "gut", "lang", "rot"]
SCRIPTS = {
    "zh": CHINESE,
    "char": ["วันนี้อากาศดีมาก เราไปเดินเล่นในสวน", "ร้านนี้บริการแย่มาก"],
    "13a": ["the film is good, and it is long", "der Film ist gut, aber (我) er ist lang"],
}


@pytest.mark.parametrize("tokenizer", SCRIPTS)
def test_the_tokenizer_is_that_of_the_script_and_told(tokenizer: str) -> None:
    texts = SCRIPTS[tokenizer]
    same = corpus_bleu(texts, texts)
    assert same.score == pytest.approx(100)
    assert f"tok:{tokenizer}|" in same.signature
    changed = [texts[0], *(text[: len(text) // 2] for text in texts[1:])]
    plain = sacrebleu.BLEU(tokenize=tokenizer).corpus_score(changed, [texts])
    assert corpus_bleu(changed, texts).score == pytest.approx(plain.score)
    assert 0 < plain.score < 100


def test_japanese_is_cut_into_words_where_mecab_is_installed_else_into_characters() -> None:
    texts = ["今日は天気がいいので、公園を散歩します。", "この映画はとても面白かったです。"]
    told = corpus_bleu(texts, texts)
    assert told.score == pytest.approx(100)
    assert "tok:ja-mecab" in told.signature or "tok:char|" in told.signature


def test_one_sentence_is_compared_by_characters_too() -> None:
    assert 0.3 < bleu("我喜欢这部影片。", CHINESE[0]) < 1


def test_equal_outputs_do_not_differ_by_chance() -> None:
    told = compared_bleu(CHINESE, CHINESE, CHINESE)
    assert told.before.score == told.after.score == pytest.approx(100)
    assert told.p == 1


@pytest.mark.parametrize("share", [0.02, 0.3])
def test_the_paired_bootstrap_is_sacrebleus(share: float) -> None:
    draw = random.Random(3)
    references = [" ".join(draw.choices(GERMAN, k=9)) for _ in range(40)]

    def worse(text: str, chance: float) -> str:
        return " ".join("nein" if draw.random() < chance else word for word in text.split())

    before = [worse(text, 0.2) for text in references]
    after = [worse(text, share) for text in before]
    told = compared_bleu(before, after, references)
    from sacrebleu.significance import PairedTest

    systems: Any = [("Baseline", before), ("System", after)]
    metrics: Any = {"BLEU": sacrebleu.BLEU(references=[references])}
    scores: Any
    _, scores = PairedTest(systems, metrics, None, test_type="bs", n_samples=1000)()
    assert told.p == pytest.approx(scores["BLEU"][1].p_value)
    assert told.p == pytest.approx(by_hand(before, after, references), abs=0.02)
    assert (told.before.score, told.after.score) == pytest.approx([each.score for each in scores["BLEU"]])
    assert told.p < 0.05 if share > 0.1 else told.p > 0.001


def by_hand(before: list[str], after: list[str], references: list[str], draws: int = 1000) -> float:
    """Koehn's test as sacrebleu reads it: how often resampled differences stray as far as ours."""
    metric, draw = sacrebleu.BLEU(), random.Random(7)

    def score(outputs: list[str], rows: list[int]) -> float:
        return float(metric.corpus_score([outputs[n] for n in rows], [[references[n] for n in rows]]).score)

    everything = list(range(len(references)))
    found = abs(score(before, everything) - score(after, everything))
    apart = []
    for _ in range(draws):
        rows = draw.choices(everything, k=len(everything))
        apart.append(abs(score(before, rows) - score(after, rows)))
    mean = sum(apart) / draws
    return (sum(abs(each - mean) > found for each in apart) + 1) / (draws + 1)
