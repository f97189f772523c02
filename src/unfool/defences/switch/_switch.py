"""Alternatives of many texts at once, each drawn by its own generator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unfool.attacks.parts import angular
from unfool.defences._nets import net_of
from unfool.defences._random import generator
from unfool.defences.switch._importance import word_importance
from unfool.defences.switch._settings import SwitchSettings
from unfool.defences.switch._words import replacements
from unfool.engine import Floats, Predictor
from unfool.lexicon import stop_words
from unfool.lexicon.encoders import sentence_encoder
from unfool.text import Text

_COSINE_DECIMALS = 5


class _Drawn(NamedTuple):
    """Alternatives of a text before they are written out: for each, which choice every position takes."""

    text: Text
    positions: list[int]
    choices: list[tuple[str, ...]]
    picks: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.picks)

    def write(self, number: int) -> Text:
        chosen = zip(self.choices, self.picks[number].tolist(), strict=True)
        return self.text.replace_several(self.positions, [words[pick] for words, pick in chosen])


class Switch:
    """Makes alternatives of texts: their most important words replaced by near ones at random.

    Args:
        victim: What tells the important words by its gradients: a net, or a defence around one.
        settings: How many words change, into what, and how the new texts are chosen.
    """

    def __init__(self, victim: Predictor, settings: SwitchSettings | None = None) -> None:
        self._net, self.settings = net_of(victim), settings or SwitchSettings()

    def __repr__(self) -> str:
        return f"Switch({self._net!r}, {self.settings!r})"

    def alternatives(
        self, texts: Sequence[Text], labels: Sequence[int] | None = None, seed: int = 0
    ) -> list[list[Text]]:
        """Return alternatives of each text, made of that text and the seed alone.

        There are as many as the settings say, or fewer where similarity refuses them; none of a text without a
        word to replace. Only editable words change.

        Args:
            texts: The texts, any number; one backward pass serves as many as fit into a batch.
            labels: The class by which importance is measured; the net's own answers where None.
            seed: Decides every draw.
        """
        return self.reworded(texts, self.orders(texts, labels), seed)

    def orders(self, texts: Sequence[Text], labels: Sequence[int] | None = None) -> list[list[int]]:
        """Return the positions of each text's words that may change, the most important first.

        They depend on the net alone: who makes alternatives again and again needs them once.
        """
        scores = word_importance(self._net, texts, labels, self.settings.importance)
        return [
            sorted((at for at in text.editable if at in found), key=lambda at: -found[at])
            for text, found in zip(texts, scores, strict=True)
        ]

    def reworded(self, texts: Sequence[Text], orders: Sequence[Sequence[int]], seed: int = 0) -> list[list[Text]]:
        """Return `alternatives` of texts whose important words are known from `orders`."""
        settings = self.settings
        drawn = [self._draw(text, order, seed) for text, order in zip(texts, orders, strict=True)]
        if settings.similarity == "rank":
            return self._most_similar(drawn)
        if settings.similarity == "filter":
            return self._similar_enough(drawn)
        return [[each.write(number) for number in range(len(each))] for each in drawn]

    def _draw(self, text: Text, order: Sequence[int], seed: int) -> _Drawn:
        settings = self.settings
        left_alone = stop_words("textfooler") if settings.stop_words else frozenset[str]()
        opening = {field.start for field in text.fields}
        chosen: dict[int, tuple[str, ...]] = {}
        for position in order:
            if len(chosen) == settings.words:
                break
            word = text.words[position]
            if word.lower() in left_alone:
                continue
            words = replacements(word, position in opening, settings.candidates, settings.pos)
            if words:
                chosen[position] = (*words, word) if settings.keep_word else words
        count = settings.alternatives * (1 if settings.similarity == "none" else settings.multiplier)
        sizes = np.array([len(words) for words in chosen.values()], dtype=np.int64)
        uniform = generator(seed, text.strings).random((count if chosen else 0, len(chosen)))
        return _Drawn(text, list(chosen), list(chosen.values()), (uniform * sizes).astype(np.int64))

    def _most_similar(self, drawn: Sequence[_Drawn]) -> list[list[Text]]:
        written = [[each.write(number) for number in range(len(each))] for each in drawn]
        found = self._cosines([each.text for each in drawn], written)
        best = [np.argsort(-cosines, kind="stable")[: self.settings.alternatives] for cosines in found]
        return [[made[number] for number in order.tolist()] for made, order in zip(written, best, strict=True)]

    def _similar_enough(self, drawn: Sequence[_Drawn]) -> list[list[Text]]:
        """Keep the first that are similar enough; no more are encoded than it takes to find them."""
        kept: list[list[Text]] = [[] for _ in drawn]
        looked_at = [0] * len(drawn)
        while True:
            written: list[list[Text]] = []
            for number, each in enumerate(drawn):
                start = looked_at[number]
                stop = min(start + self.settings.alternatives - len(kept[number]), len(each))
                written.append([each.write(draw) for draw in range(start, stop)])
                looked_at[number] = stop
            if not any(written):
                return kept
            found = self._cosines([each.text for each in drawn], written)
            for keep, made, cosines in zip(kept, written, found, strict=True):
                keep += [text for text, near in zip(made, angular(cosines) >= 0, strict=True) if near]

    def _cosines(self, texts: Sequence[Text], made: Sequence[Sequence[Text]]) -> list[Floats]:
        """Return how similar each text's alternatives are to it, all encoded in one go and each string once."""
        strings = [[_joined(text), *map(_joined, others)] for text, others in zip(texts, made, strict=True)]
        rows = {string: row for row, string in enumerate(dict.fromkeys(s for some in strings for s in some))}
        vectors = sentence_encoder(self.settings.encoder).encode(list(rows))
        found: list[Floats] = []
        for first, *others in strings:
            cosines = vectors[[rows[string] for string in others]] @ vectors[rows[first]]
            found.append(np.round(cosines, _COSINE_DECIMALS))
        return found


def _joined(text: Text) -> str:
    return " ".join(text.strings)
