"""HotFlip and the attacks beside it: what they find on a linear net, and what they promise on any."""

from __future__ import annotations

import itertools
import string
from collections.abc import Iterator

import numpy as np
import pytest
import torch
from tests.attacks.character_nets import character_victim, single_changes
from tests.toy_nets import toy_net
from tests.toys import outcomes
from torch import Tensor

from unfool import zoo
from unfool.attacks import find_attack
from unfool.engine import Goal, Outcome, Status
from unfool.errors import UserError
from unfool.text import Sample, Text, edit_distance
from unfool.victims import require
from unfool.victims.tokens import TokenBatch
from unfool.zoo.encoders import NetEncoder
from unfool.zoo.fronts import make_front
from unfool.zoo.nets.net import Net

NEVER = Goal(confidence=2.0)
"""A goal nothing reaches: the search goes on to its end and returns the best it saw."""


class BagOfCharacters(Net):
    """A linear net: adds up a weight a character and class."""

    def states(self, vectors: Tensor, mask: Tensor) -> list[Tensor]:
        return [vectors * mask[:, :, None]]

    def pooled(self, states: Tensor, mask: Tensor) -> Tensor:
        return states.sum(1)


def linear_victim(words: tuple[str, ...]) -> zoo.CharacterVictim:
    encoder = zoo.Characters("abcd ", words=words)
    torch.manual_seed(4)
    net = BagOfCharacters(make_front("Vectors", rows=len(encoder), dimensions=6), 6, 2)
    return zoo.CharacterVictim(net, encoder, ("neg", "pos"), name="zoo:linear", device="cpu")


KNOWN = ("ab", "cad", "cd", "d", "bad", "ca")


def reachable(text: str, steps: int) -> Iterator[set[str]]:
    """All texts within one change, two changes …, whose new words are in no vocabulary."""
    seen = {text}
    for _ in range(steps):
        for one in list(seen):
            words = one.split(" ")
            for at, word in enumerate(words):
                kept = {new for new in single_changes(word, "abcd") if new and new not in KNOWN and new != word}
                seen |= {" ".join([*words[:at], new, *words[at + 1 :]]) for new in kept}
        yield seen - {text}


def attacked(victim: zoo.CharacterVictim, written: list[str], spec: str, goal: Goal | None = None) -> list[Outcome]:
    texts = [Text.of(one) for one in written]
    labels = victim.check([text.strings for text in texts]).result().values.argmax(axis=1).tolist()
    samples = [Sample(n, text, label) for n, (text, label) in enumerate(zip(texts, labels, strict=True))]
    return outcomes(victim, samples, find_attack(spec), goal=goal)


def gold(victim: zoo.CharacterVictim, texts: list[str], label: int) -> np.ndarray:
    return np.asarray(victim.check([(text,) for text in texts]).result().values[:, label])


@pytest.mark.parametrize("spec", ["hotflip:score=path", "hotflip:score=loss", "hotflip-exact:operations=all"])
@pytest.mark.parametrize("written", ["cad ab", "d bad", "ab c"])
def test_a_beam_without_bounds_finds_the_optimum_of_a_linear_net(spec: str, written: str) -> None:
    victim = linear_victim(KNOWN)
    (found,) = attacked(victim, [written], f"{spec},width=100000,budget={2.1 / len(written):.2f}", NEVER)
    *_, all_texts = reachable(written, 2)
    best = gold(victim, sorted(all_texts), found.label).min()
    assert gold(victim, [found.perturbed[0]], found.label)[0] == pytest.approx(best, abs=1e-6)


def test_greedy_flips_are_enough_on_a_linear_net() -> None:
    victim = linear_victim(())
    for written in ("cad ab", "bbd cc"):
        found, best = (
            attacked(victim, [written], f"hotflip:operations=flips,budget=0.5,width={width}", NEVER)[0]
            for width in (1, 100_000)
        )
        assert gold(victim, [found.perturbed[0]], found.label) == pytest.approx(
            gold(victim, [best.perturbed[0]], found.label), abs=1e-6
        )


def test_a_beam_without_bounds_fools_with_the_fewest_changes() -> None:
    victim = linear_victim(KNOWN)
    written = ["".join(letters) + " cad" for letters in itertools.product("abcd", repeat=2)]
    found = attacked(victim, written, "hotflip:width=100000,budget=0.34")
    needed = set()
    for outcome in found:
        near = reachable(outcome.original[0], 2)
        depths = [gold(victim, sorted(texts), outcome.label).min() < 0.5 for texts in near]
        assert (outcome.status is Status.SUCCESS) == any(depths)
        if any(depths):
            assert outcome.characters_changed == depths.index(True) + 1
            needed.add(outcome.characters_changed)
    assert needed == {1, 2}


TEXTS = [
    "a good film with a fine cast and a clever plot",
    "the story is dull and the acting awful",
    "great fun for the whole family",
    "an honest and touching portrait of a small town",
]


@pytest.fixture(scope="module")
def victim() -> zoo.CharacterVictim:
    words = sorted({word for text in TEXTS for word in text.split()})
    return character_victim(zoo.CharWords(string.ascii_letters, words=[*words, "god", "food", "Flim"]))


@pytest.mark.parametrize("spec", ["hotflip", "hotflip:width=1", "key", "key-star", "hotflip:operations=flips"])
def test_new_words_are_no_words_and_characters_are_few(victim: zoo.CharacterVictim, spec: str) -> None:
    known = {word.lower() for word in victim.vocabulary}
    for outcome in attacked(victim, TEXTS, spec, NEVER):
        changed = set(outcome.perturbed[0].split()) - set(outcome.original[0].split())
        assert changed
        assert not {word.lower() for word in changed} & known
        assert outcome.characters_changed <= len(outcome.original[0]) // 10
        assert "flips" not in spec or len(outcome.perturbed[0]) == len(outcome.original[0])


@pytest.mark.parametrize("most", [1, 2])
def test_a_word_changes_no_more_than_allowed(victim: zoo.CharacterVictim, most: int) -> None:
    def furthest(spec: str) -> int:
        return max(
            edit_distance(old, new)
            for outcome in attacked(victim, TEXTS, spec, NEVER)
            for old, new in zip(outcome.original[0].split(), outcome.perturbed[0].split(), strict=True)
        )

    assert furthest(f"hotflip:width=3,budget=0.3,per_word={most}") <= most < furthest("hotflip:width=3,budget=0.3")


def test_one_pass_gives_answers_and_gradients(monkeypatch: pytest.MonkeyPatch) -> None:
    victim = character_victim(zoo.CharWords(string.ascii_letters))
    answered: list[int] = []
    plain = victim.logits

    def logits(batch: TokenBatch, *, full: bool) -> Tensor:
        answered.extend([] if full else [len(batch.ids)])
        return plain(batch, full=full)

    monkeypatch.setattr(victim, "logits", logits)
    (found,) = attacked(victim, TEXTS[:1], "hotflip:width=3", NEVER)
    # Texts of the last step are not grown any more: they alone need no gradient.
    assert sum(answered) == 3 < found.queries


def test_one_character_may_always_change(victim: zoo.CharacterVictim) -> None:
    for outcome in attacked(victim, ["fun", "a"], "hotflip:budget=0.01", NEVER):
        assert outcome.characters_changed == 1


@pytest.mark.parametrize("name", ["hotflip", "hotflip-exact", "key-star"])
def test_the_confidence_asked_for_is_reached(name: str) -> None:
    victim = linear_victim(KNOWN)
    written = ["".join(letters) + " cad" for letters in itertools.product("abcd", repeat=3)]
    counts = []
    for confidence in (0.5, 0.8, 2.0):
        found = attacked(victim, written, f"{name}:budget=0.4", Goal(confidence=confidence))
        fooled = [outcome.after.confidence for outcome in found if outcome.status is Status.SUCCESS]
        assert all(reached >= confidence for reached in fooled)
        counts.append(len(fooled))
    assert counts[0] > counts[1] > counts[2] == 0


def test_a_target_is_approached(victim: zoo.CharacterVictim) -> None:
    free, aimed = (attacked(victim, TEXTS, "hotflip:width=1", Goal(target, 2.0)) for target in (None, 1))
    for any_way, to_one in zip(free, aimed, strict=True):
        # With two labels, away from one is towards the other.
        assert any_way.label == 1 or any_way.perturbed == to_one.perturbed


@pytest.mark.parametrize("name", ["key", "key-star"])
def test_flips_must_be_drawn(victim: zoo.CharacterVictim, name: str) -> None:
    with pytest.raises(UserError, match="cannot take draws=0; it takes 1 or more"):
        attacked(victim, TEXTS, f"{name}:draws=0", NEVER)


def test_estimates_save_queries(victim: zoo.CharacterVictim) -> None:
    estimated, asked = (
        attacked(victim, TEXTS[1:3], spec, NEVER) for spec in ("hotflip:width=2", "hotflip-exact:width=2")
    )
    for cheap, dear in zip(estimated, asked, strict=True):
        steps = len(cheap.original[0]) // 10
        assert cheap.queries <= 1 + 2 * steps
        assert dear.queries > 50 * cheap.queries
        assert gold(victim, [dear.perturbed[0]], cheap.label) <= gold(victim, [cheap.original[0]], cheap.label)


def test_exact_search_takes_the_best_single_change() -> None:
    victim = linear_victim(KNOWN)
    for written in ("cad ab", "bbd cc"):
        (found,) = attacked(victim, [written], "hotflip-exact:width=1,budget=0.01", NEVER)
        (texts,) = reachable(written, 1)
        assert gold(victim, [found.perturbed[0]], found.label)[0] == gold(victim, sorted(texts), found.label).min()


@pytest.mark.parametrize("spec", ["key", "key-star", "key-star:draws=1"])
def test_black_box_loss_never_falls(victim: zoo.CharacterVictim, spec: str) -> None:
    name, _, more = spec.partition(":")
    budgets = [f"{name}:budget={share},{more}" for share in (0.05, 0.1, 0.2, 0.4)]
    runs = [attacked(victim, TEXTS, budget, NEVER) for budget in budgets]
    for sample in zip(*runs, strict=True):
        label, texts = sample[0].label, [sample[0].original[0], *(outcome.perturbed[0] for outcome in sample)]
        # The same seed draws the same flips, so a longer search goes on where a shorter one ends.
        chances = gold(victim, texts, label)
        assert (np.diff(chances) <= 0).all()
        assert chances[-1] < chances[0]


@pytest.mark.parametrize("spec", ["hotflip", "hotflip-exact", "key", "key-star"])
@pytest.mark.parametrize("encoder", [zoo.CharWords("!?"), zoo.Characters(" ")])
def test_where_the_alphabet_has_no_letters_characters_go_all_the_same(spec: str, encoder: NetEncoder) -> None:
    (found,) = attacked(character_victim(encoder), ["gkxq vvbzp?"], f"{spec}:budget=0.3", NEVER)
    assert found.status is Status.FAILED
    if spec.startswith("hotflip"):
        assert 0 < len(found.original[0]) - len(found.perturbed[0]) <= 3


def test_words_that_read_no_characters_are_told_what_would() -> None:
    words = toy_net("LSTM", zoo.WordVocabulary(["film"]), units=4)
    attack = find_attack("hotflip")
    with pytest.raises(UserError, match=r"needs a net that reads characters.*zoo:CharCNN-LSTM-Adam"):
        require(words, attack.needs, attack.name)


@pytest.mark.parametrize("setting", ["width=0", "budget=0", "budget=1.5", "per_word=-1"])
def test_settings_that_leave_nothing_are_refused(victim: zoo.CharacterVictim, setting: str) -> None:
    with pytest.raises(UserError, match=f"cannot take {setting}"):
        attacked(victim, TEXTS, f"hotflip:{setting}")
