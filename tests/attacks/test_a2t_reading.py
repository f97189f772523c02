"""A2T against a plain reading: one gradient ranks the words, near ones come in, the sentence stays near."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import pytest
import torch
from tests.attacks.readings import Reader, largest
from tests.attacks.test_hotflip_word import WORDS
from tests.toy_nets import toy_net
from tests.toys import outcomes

from unfool import zoo
from unfool.attacks import find_attack
from unfool.attacks.parts.constrain import same_tag_in_context
from unfool.attacks.parts.propose import in_case_of, tag_text
from unfool.engine import Goal, Status
from unfool.lexicon import counter_fitted, stop_words
from unfool.lexicon.encoders import sentence_encoder
from unfool.text import Sample, Text

pytestmark = pytest.mark.usefixtures("lexicons")
TEXTS = [
    "this was a good film with terrible actors",
    "The story is funny, but the scene was boring and the tale dull.",
    "a wonderful movie with a nice actress and an excellent story, terrific scenes, great actors, awful dull films",
    "it is awful",
    "of the and",
    "",
]


@pytest.fixture(scope="module")
def victim() -> zoo.NetVictim:
    return toy_net("LSTM", zoo.WordVocabulary(WORDS), units=6)


class NetReader(Reader):
    """Asks the net about strings."""

    def __init__(self, text: Text, net: zoo.NetVictim) -> None:
        self.text, self.net = text, net
        self.asked = set[str]()
        self.gold = int(self.answer(text.strings[0]).argmax())

    def answer(self, string: str) -> Any:
        return self.net.check([(string,)]).result().values[0]

    def belief(self, string: str) -> float:
        return round(float(self.answer(string)[self.gold]), 6)

    def fooled(self, words: Sequence[str]) -> bool:
        return bool(self.answer(self.rendered(words)).argmax() != self.gold)


def numbers(string: str) -> list[int]:
    """The rows of the net's table that a string's words and marks have; it knows no mark."""
    tokens = re.findall(r"\w+|[^\w\s]", string.lower())
    return [2 + WORDS.index(token) if token in WORDS else 1 for token in tokens]


def steepness(victim: zoo.NetVictim, text: Text, label: int) -> list[float]:
    """Of the loss along each word's vector: the sum of the sizes, by hand through the net."""
    net, ids = victim._net, torch.tensor([numbers(str(text))])
    vectors = net.front.table.weight[ids].detach().requires_grad_()
    logits = net.forward_embedded(vectors, ids, torch.ones_like(ids, dtype=torch.bool))
    (found,) = torch.autograd.grad(torch.nn.functional.cross_entropy(logits, torch.tensor([label])), vectors)
    is_word = [token[0].isalnum() for token in re.findall(r"\w+|[^\w\s]", str(text))]
    sums = found[0].abs().sum(dim=1).numpy()[is_word]
    return [round(float(each), 5) for each in sums / sums.max()]


@cache
def all_vectors() -> Any:
    return np.array([counter_fitted().vector(name) for name in counter_fitted().words])


def near_words(word: str, count: int, least: float) -> list[str]:
    """The nearest by counter-fitted vectors, worked out again from the vectors alone."""
    own = counter_fitted().vector(word)
    if own is None:
        return []
    names = counter_fitted().words
    cosines = np.round(all_vectors() @ own, 5)
    order = [n for n in np.argsort(-cosines, kind="stable").tolist() if names[n] != word.lower()][:count]
    return [in_case_of(word, names[n]) for n in order if cosines[n] >= least]


@pytest.mark.parametrize("setting", [{}, {"similarity": 0.97}, {"candidates": 3, "cosine": 0.7}, {"most": 0.5}])
@pytest.mark.parametrize("confidence", [0.0, 2.0])
def test_a2t_is_steepness_then_climb_then_similarity(
    victim: zoo.NetVictim, setting: dict[str, Any], confidence: float
) -> None:
    spec = "a2t:" + ",".join(f"{key}={value}" for key, value in setting.items()) if setting else "a2t"
    readers = [NetReader(Text.of(text), victim) for text in TEXTS]
    samples = [Sample(n, ask.text, ask.gold) for n, ask in enumerate(readers)]
    found = outcomes(victim, samples, find_attack(spec), goal=Goal(confidence=confidence))
    changed = refused = 0
    for outcome, ask in zip(found, readers, strict=True):
        words, more = reading(ask, victim, confidence, **setting)
        assert outcome.perturbed == (ask.rendered(words),)
        # The net reads all words it does not know as one, and is asked once about what it reads the same.
        assert outcome.queries == len({tuple(numbers(string)) for string in ask.asked})
        assert (outcome.status is Status.SUCCESS) == (confidence < 1 and ask.fooled(words))
        changed += sum(a != b for a, b in zip(words, ask.text.words, strict=True))
        refused += more
    assert changed > 1
    assert refused or setting.get("similarity") != 0.97


def reading(
    ask: NetReader,
    victim: zoo.NetVictim,
    confidence: float,
    *,
    candidates: int = 20,
    cosine: float = 0.8,
    similarity: float = 0.9,
    most: float = 0.1,
) -> tuple[list[str], int]:
    """The words A2T ends with, and how many replacements the sentence vectors refused."""
    text, words, refused = ask.text, list(ask.text.words), 0
    tags, offers = tag_text(text), dict[int, list[str]]()
    for at, word in enumerate(text.words):
        if word.lower() not in stop_words("textfooler"):
            near = near_words(word, candidates, cosine)
            fits = same_tag_in_context(text, at, tags[at], near)
            offers[at] = [other for other, fit in zip(near, fits, strict=True) if fit]
    offers = {at: near for at, near in offers.items() if near}
    if not offers:
        return words, refused
    steep = steepness(victim, text, ask.gold)
    before, reached, room = vector(str(text)), ask(words), max(4, int(most * len(words)))
    for at in sorted(offers, key=lambda at: -steep[at]):
        if not room:
            break
        gains = {other: ask(ask.replaced(words, at, other)) for other in offers[at]}
        while gains and max(gains.values()) > reached:
            best = [*gains][largest(gains.values())]
            if round(float(before @ vector(ask.rendered(ask.replaced(words, at, best)))), 5) >= similarity:
                words, reached, room = ask.replaced(words, at, best), gains[best], room - 1
                break
            refused += 1
            del gains[best]
        if confidence < 1 and ask.fooled(words):
            break
    return words, refused


def vector(string: str) -> Any:
    return sentence_encoder("minilm").encode([string])[0]
