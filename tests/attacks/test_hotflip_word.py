"""Word-level HotFlip: its rules, and its choice against a plain reading."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from tests.toy_nets import toy_net
from tests.toys import outcomes

from unfool import resources, zoo
from unfool.attacks import find_attack
from unfool.attacks.parts.propose import tag_text
from unfool.attacks.recipes.hotflip_word import same_lexeme
from unfool.engine import NOTHING_PROPOSED, Goal, Outcome
from unfool.errors import UserError
from unfool.lexicon import glove, stop_words, universal
from unfool.text import Sample, Text

NEVER = Goal(confidence=2.0)
WORDS = zoo.WordVocabulary.from_texts(
    [
        "a the this is was it with of and but good great terrific wonderful fantastic nice excellent bad terrible",
        "awful horrible film films movie movies story tale funny hilarious boring dull actor actors actress scene",
        "scenes",
    ]
).words
TEXTS = [
    "this was a good film with terrible actors",
    "the story is funny but the scenes was boring",
    "a wonderful movie with a nice actress",
    "it is awful",
]
COSINE = 0.6


@pytest.fixture(scope="module", autouse=True)
def lists() -> None:
    for name in ("glove-840b-300d", "stopwords", "wordnet"):
        try:
            resources.get(name, progress=False)
        except UserError as error:
            pytest.skip(f"hotflip-word needs the resource {name}: {error}")


@pytest.fixture(scope="module")
def victim() -> zoo.NetVictim:
    return toy_net("LSTM", zoo.WordVocabulary(WORDS), units=6)


def attacked(victim: zoo.NetVictim, spec: str) -> list[Outcome]:
    texts = [Text.of(text) for text in TEXTS]
    labels = victim.check([text.strings for text in texts]).result().values.argmax(axis=1).tolist()
    samples = [Sample(n, text, label) for n, (text, label) in enumerate(zip(texts, labels, strict=True))]
    return outcomes(victim, samples, find_attack(spec), goal=NEVER)


def cosine(first: str, second: str) -> float:
    vectors = glove(300)
    a, b = (vectors.matrix[vectors.index[word]].astype(np.float64) for word in (first, second))
    return float(a @ b / np.sqrt((a @ a) * (b @ b)))


def fits(text: Text, position: int, word: str) -> bool:
    old = text.words[position]
    tags = [universal(tag_text(one)[position]) for one in (text, text.replace(position, word))]
    return (
        old != word
        and old not in stop_words("nltk")
        and cosine(old, word) >= COSINE
        and not same_lexeme(old, word)
        and tags[0] == tags[1]
    )


def plain_gains(victim: zoo.NetVictim, text: Text, label: int) -> dict[tuple[int, str], float]:
    """The difference of one-hot gradients of every flip there is."""
    ids = torch.tensor([[2 + WORDS.index(word) for word in text.words]])
    rows = torch.nn.functional.one_hot(ids, len(WORDS) + 2).float().requires_grad_()
    net = victim._net
    logits = net.forward_embedded(rows @ net.front.table.weight, ids, torch.ones_like(ids, dtype=torch.bool))
    (found,) = torch.autograd.grad(torch.nn.functional.cross_entropy(logits, torch.tensor([label])), rows)
    slopes = found[0]
    return {
        (position, word): float(slopes[position, 2 + number] - slopes[position, ids[0, position]])
        for position in range(len(text))
        for number, word in enumerate(WORDS)
    }


def plain_first_flip(victim: zoo.NetVictim, text: Text, label: int, *, best_place: bool = False) -> Text | None:
    """Of all flips that fit, the one that raises the loss most; maybe only where any word would raise it most."""
    gains = plain_gains(victim, text, label)
    place = max(gains, key=lambda change: gains[change])[0]
    scores = {
        change: gain
        for change, gain in gains.items()
        if fits(text, *change) and (not best_place or change[0] == place)
    }
    return text.replace(*max(scores, key=lambda change: scores[change])) if scores else None


@pytest.mark.parametrize("positions", ["all", "best"])
def test_the_first_flip_is_the_one_the_gradient_names(victim: zoo.NetVictim, positions: str) -> None:
    found = attacked(victim, f"hotflip-word:flips=1,width=1,cosine={COSINE},positions={positions}")
    changed = 0
    for outcome in found:
        text = Text.of(outcome.original[0])
        expected = plain_first_flip(victim, text, outcome.label, best_place=positions == "best")
        assert outcome.perturbed == (expected or text).strings
        changed += expected is not None
    assert changed >= 3 if positions == "all" else 0 < changed < len(found)


@pytest.mark.parametrize("more", ["", ",width=1", ",positions=best"])
def test_flips_keep_the_rules(victim: zoo.NetVictim, more: str) -> None:
    found = attacked(victim, f"hotflip-word:cosine={COSINE}{more}")
    for outcome in found:
        before, after = Text.of(outcome.original[0]), Text.of(outcome.perturbed[0])
        flipped = [n for n, (a, b) in enumerate(zip(before.words, after.words, strict=True)) if a != b]
        assert len(flipped) <= 2
        for position in flipped:
            old, new = before.words[position], after.words[position]
            assert cosine(old, new) >= COSINE
            assert old not in stop_words("nltk")
            assert not same_lexeme(old, new)
    assert any(outcome.words_changed for outcome in found)


def test_nothing_is_as_near_as_that(victim: zoo.NetVictim) -> None:
    assert {outcome.reason for outcome in attacked(victim, "hotflip-word:cosine=0.9999")} == {NOTHING_PROPOSED}


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("film", "films", True),
        ("walked", "walking", True),
        ("happy", "unhappy", True),
        ("ran", "run", True),
        ("better", "good", True),
        ("Film", "film", True),
        ("good", "great", False),
        ("actor", "actress", False),
        ("bling", "bl", True),
        ("sing", "s", True),
        ("interesting", "intriguing", False),
    ],
)
def test_forms_of_one_word(first: str, second: str, same: bool) -> None:
    assert same_lexeme(first, second) is same
    assert same_lexeme(second, first) is same
