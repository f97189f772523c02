"""Universal triggers: one for each label, no worse than their start, and the best where all are tried."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pytest
from tests.attacks.film_texts import STRINGS
from tests.toy_nets import WORDS, toy_net
from tests.toys import outcomes

from unfool import zoo
from unfool.attacks import find_attack
from unfool.engine import Outcome, Status
from unfool.errors import UserError
from unfool.text import Sample, Text


@pytest.fixture
def training(tmp_path: Path) -> Path:
    path = tmp_path / "films.csv"
    rows = [f'"{string}",{("neg", "pos")[number % 2]}' for number, string in enumerate(STRINGS)]
    path.write_text("\n".join(["text,label", *rows]), encoding="utf-8")
    return path


def attacked(spec: str) -> tuple[zoo.NetVictim, list[Outcome]]:
    victim = toy_net("LSTM", zoo.WordVocabulary(WORDS), units=6)
    texts = [Text.of(string) for string in STRINGS]
    labels = victim.check([text.strings for text in texts]).result().values.argmax(axis=1).tolist()
    samples = [Sample(number, text, label) for number, (text, label) in enumerate(zip(texts, labels, strict=True))]
    return victim, outcomes(victim, samples, find_attack(spec))


def front(outcome: Outcome, count: int) -> tuple[str, ...]:
    words = Text.of(outcome.perturbed[0]).words
    assert words[count:] == Text.of(outcome.original[0]).words
    return words[:count]


def mean_loss(victim: zoo.NetVictim, trigger: tuple[str, ...], label: int) -> float:
    texts = [string for number, string in enumerate(STRINGS) if number % 2 == label]
    answers = victim.check([(" ".join((*trigger, string)),) for string in texts]).result().values
    return float(-np.log(answers[:, label]).mean())


def test_the_same_words_stand_before_every_text_of_a_label(training: Path) -> None:
    victim, found = attacked(f"triggers:words=2,data={training}")
    for label in (0, 1):
        fronts = {front(outcome, 2) for outcome in found if outcome.label == label}
        assert len(fronts) <= 1
        for trigger in fronts:
            assert mean_loss(victim, trigger, label) >= mean_loss(victim, ("the", "the"), label) - 1e-4
    assert all(outcome.queries == 0 for outcome in found)


def test_with_every_word_tried_it_is_the_best_pair_there_is(training: Path) -> None:
    victim, found = attacked(f"triggers:words=2,data={training},candidates=99,width=999")
    for label in {outcome.label for outcome in found}:
        (trigger,) = {front(outcome, 2) for outcome in found if outcome.label == label}
        best = max(mean_loss(victim, pair, label) for pair in product(victim.embeddings.words, repeat=2))
        assert mean_loss(victim, trigger, label) == pytest.approx(best, abs=1e-4)
    assert any(outcome.status is Status.SUCCESS for outcome in found)


def test_without_training_texts_it_says_what_to_give() -> None:
    with pytest.raises(UserError, match="give data=NAME"):
        attacked("triggers")
    assert find_attack("triggers").for_data("ag_news").settings["data"] == "ag_news"
