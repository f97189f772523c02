"""The genetic attack with a language model: of a word's candidates, those that fit."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

import pytest
from tests.toys import BagOfWords, labelled, outcomes

from unfool.attacks import find_attack
from unfool.attacks.parts.propose import synonym_swaps
from unfool.lexicon import StringService
from unfool.text import Text, Variants
from unfool.victims import StringRows


class ToyModel(StringService[float]):
    """Finds words as likely as their letters say, and remembers what it read."""

    def __init__(self) -> None:
        super().__init__()
        self.read: list[str] = []

    @property
    def totals(self) -> ToyModel:
        return self

    def work_out(self, strings: Sequence[str]) -> list[float]:
        self.read += strings
        return [self.surprise(string) for string in strings]

    @staticmethod
    def surprise(string: str) -> float:
        return float(zlib.crc32(string.encode()) % 7)  # seven values, so that there are ties


@pytest.mark.usefixtures("lexicons")
@pytest.mark.parametrize("fitting", [1, 3])
def test_of_each_words_candidates_only_the_likeliest_are_asked(
    fitting: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, asked = ToyModel(), list[str]()
    monkeypatch.setattr("unfool.attacks.parts.constrain.language_model", lambda: model)

    class Watched(BagOfWords):
        def rows(self, asking: Sequence[Variants]) -> StringRows:
            asked.extend(str(text) for variants in asking for text in variants)
            return super().rows(asking)

    victim, text = Watched(scale=0.3, lean=9.0), Text.of("the dull story of a young actor")
    swaps = synonym_swaps(text)
    kept: set[str] = set()
    for position in set(swaps.positions):
        words = [word for spot, word in zip(swaps.positions, swaps.words, strict=True) if spot == position]
        before = text.words[position - 1] + " " if position else ""
        order = sorted(range(len(words)), key=lambda n: (model.surprise(before + words[n]), n))
        kept |= {str(text.replace(position, words[number])) for number in order[:fitting]}
    # Forty texts draw every word of so short a sentence.
    outcomes(victim, labelled(victim, [text]), find_attack(f"ga:population=40,generations=1,fitting={fitting}"))
    assert set(asked) - {str(text)} == kept
    assert len(kept) < len(swaps)


@pytest.mark.usefixtures("lexicons")
@pytest.mark.parametrize("context", [1, 3])
def test_the_language_model_reads_the_words_before_as_they_stand_now(
    context: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = ToyModel()
    monkeypatch.setattr("unfool.attacks.parts.constrain.language_model", lambda: model)
    victim, text = BagOfWords(scale=0.3, lean=9.0), Text.of("poor people tell a funny story")
    allowed, swaps = [{word} for word in text.words], synonym_swaps(text)
    for position, word in zip(swaps.positions, swaps.words, strict=True):
        allowed[position].add(word)
    spec = find_attack(f"ga:population=12,generations=6,fitting=2,context={context}")
    outcomes(victim, labelled(victim, [text]), spec)
    replaced = set()
    for *before, last in map(str.split, model.read):
        places = [
            place
            for place in range(len(text))
            if len(before) == min(context, place)
            and all(word in allowed[place - len(before) + n] for n, word in enumerate([*before, last]))
        ]
        assert places, (before, last)
        replaced |= set(before) - set(text.words)
    assert replaced, "later generations should read words that earlier ones put there"
