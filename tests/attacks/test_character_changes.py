"""Changes of one character: every one made by hand, every gradient taken apart as the paper has it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.attacks.character_nets import character_victim, single_changes
from torch import Tensor

from unfool import zoo
from unfool.attacks.parts.characters import CharacterChanges, estimate_changes
from unfool.text import Text
from unfool.victims import GradientRequest, Gradients, Spelling
from unfool.zoo.encoders import PAD, NetEncoder, encoder_from_json

ENCODERS: dict[str, NetEncoder] = {
    "words of characters": zoo.CharWords("abcdefg'ILM"),
    "words of bytes": zoo.CharWords(None),
    "characters": zoo.Characters("abcdefg' "),
}


def gradients(victim: zoo.CharacterVictim, text: Text, label: int) -> Gradients:
    (found,) = victim.gradients.launch([GradientRequest(text, label, one_hot=True)]).result()
    assert isinstance(found, Gradients)
    return found


odd_strings = st.text("abcgILM ÄİΣ'-.\t\u0301\u20ac", max_size=40) | st.text(max_size=12)


@pytest.mark.parametrize("name", ENCODERS)
@settings(deadline=None)
@given(odd_strings, st.integers(1, 60))
def test_the_spelling_is_the_encoding_and_knows_every_character(name: str, written: str, longest: int) -> None:
    written_down = ENCODERS[name].to_json() | {"max_length": longest}
    encoder: Any = encoder_from_json(written_down)
    text = Text.of(written)
    spelt = encoder.spell(text)
    (whole,) = encoder.whole([text.strings])
    real = spelt.ids != PAD
    assert spelt.ids[real].tolist() == whole.tokens
    with_room, words = encoder.words_of_tokens(text)
    assert with_room.tokens == spelt.ids.tolist()
    assert words == np.where(real, spelt.words, -1).tolist()
    assert (np.diff(spelt.runs) >= 0).all()
    for token, word, place in zip(spelt.ids, spelt.words, spelt.places, strict=True):
        if place >= 0 and token != PAD:
            assert token in encoder.pieces([text.words[word][place]])[0]
        elif place >= 0:
            assert 0 < place <= len(text.words[word])


@pytest.mark.parametrize("name", ENCODERS)
def test_room_behind_words_moves_no_answer(name: str) -> None:
    victim = character_victim(ENCODERS[name])
    for written in ("abc cab.", "dad", "isn't so-so, d " + "g" * 50):
        text = Text.of(written)
        (row,) = victim.check([text.strings]).result().values
        assert gradients(victim, text, 0).loss == pytest.approx(-np.log(row[0]), abs=1e-5)


def one_hot_gradient(victim: zoo.CharacterVictim, spelt: Spelling, label: int) -> Tensor:
    """The gradient by one-hot vectors, taken straight through the net."""
    net, ids = victim._net, torch.from_numpy(spelt.ids)[None]
    rows = torch.nn.functional.one_hot(ids, len(net.front.table.weight)).float().requires_grad_()
    logits = net.forward_embedded(rows @ net.front.table.weight, ids, torch.ones_like(ids, dtype=torch.bool))
    (found,) = torch.autograd.grad(torch.nn.functional.cross_entropy(logits, torch.tensor([label])), rows)
    return found[0]


def derivative(slopes: Tensor, before: Spelling, after: Spelling, run: int) -> float:
    """Along the way from one text to another, of length one; they differ in one run, which keeps its places.

    Not a number where nothing changes in these places.
    """
    old = before.ids[before.runs == run]
    new = np.append(after.ids[after.runs == run], [PAD] * len(old))[: len(old)]
    one = torch.eye(slopes.shape[1])
    way = one[new] - one[old]
    return float((slopes[before.runs == run] * way).sum() / way.norm())


@pytest.mark.parametrize("name", ENCODERS)
@pytest.mark.parametrize("written", ["abba cad", "dad!", "a gee"])
@pytest.mark.parametrize("label", [0, 1])
def test_estimates_are_sums_of_one_hot_gradients(name: str, written: str, label: int) -> None:
    victim, text = character_victim(ENCODERS[name]), Text.of(written)
    reader = victim.characters
    before = reader.spell(text)
    slopes = one_hot_gradient(victim, before, label)
    texts = [Text.of("gab fed"), text, Text.of("")]
    slopes_of_all = [gradients(victim, one, label).gradient for one in texts]
    _, found, _ = estimate_changes([reader.spell(one) for one in texts], slopes_of_all, reader)
    changes = CharacterChanges(text, before, reader, "all")
    estimated = [
        *((token, value) for token in changes.flips for value in found.flips(np.array([token]))[0]),
        *((token, value) for token in changes.inserts for value in found.inserts(np.array([token]))[0]),
        *((token, found.deletes[token]) for token in changes.deletes),
    ]
    assert len(estimated) == len(changes)
    compared = 0
    for number, (token, value) in enumerate(estimated):
        position, word = changes[number]
        after = reader.spell(text.replace(position, word))
        expected = derivative(slopes, before, after, before.runs[token])
        if np.isnan(expected):
            assert value == -np.inf
        else:
            assert value == pytest.approx(expected, abs=1e-5)
            compared += 1
    assert compared > 30


@pytest.mark.parametrize("name", ENCODERS)
@pytest.mark.parametrize("steeper", [1e20, np.inf])
def test_no_text_of_a_beam_moves_the_estimates_of_another(name: str, steeper: float) -> None:
    victim = character_victim(ENCODERS[name])
    reader = victim.characters
    texts = [Text.of(written) for written in ("abba cad", "dad!", "a gee")]
    spelt, slopes = [reader.spell(text) for text in texts], [gradients(victim, text, 0).gradient for text in texts]
    alone = [estimate_changes([one], [its], reader)[0] for one, its in zip(spelt, slopes, strict=True)]
    with np.errstate(invalid="ignore"):
        together = estimate_changes(spelt, [slopes[0], slopes[1] * np.float32(steeper), slopes[2]], reader)
    for number in (0, 2):
        for expected, found in zip(alone[number], together[number], strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-5)


@pytest.mark.parametrize("name", ENCODERS)
def test_changes_come_best_first_and_each_once(name: str) -> None:
    victim, text = character_victim(ENCODERS[name]), Text.of("abba cad gee!")
    reader = victim.characters
    spelt = reader.spell(text)
    (found,) = estimate_changes([spelt], [gradients(victim, text, 0).gradient], reader)
    changes = CharacterChanges(text, spelt, reader, "all")
    in_order = np.concatenate(
        [found.flips(changes.flips).ravel(), found.inserts(changes.inserts).ravel(), found.deletes[changes.deletes]]
    )
    scores, told = zip(*((score, (at, word)) for score, at, word in changes.best_first(found)), strict=True)
    assert list(scores) == sorted(scores, reverse=True)
    step = 10.0 ** np.floor(np.log10(scores[0]) - 4)
    rounded = np.round(in_order.astype(np.float64) / step)
    expected = np.argsort(-rounded, kind="stable")[: np.isfinite(rounded).sum()]
    assert len(set(rounded[expected])) < len(expected)  # some are as good as others
    assert list(told) == [changes[number] for number in expected.tolist()]


def test_changes_are_all_there_are() -> None:
    reader = zoo.CharWords("xyab")
    text = Text.pair(("first", "xx"), ("second", "ab, y"), "second")
    changes = CharacterChanges(text, reader.spell(text), reader, "all")
    made = {changes[number] for number in range(len(changes))}
    words = {(at, word) for at in (1, 2) for word in single_changes(text.words[at], "xyab") if word}
    assert made == words
    flips = CharacterChanges(text, reader.spell(text), reader, "flips")
    assert {flips[number] for number in range(len(flips))} < made
    assert all(len(flips[number][1]) == len(text.words[flips[number][0]]) for number in range(len(flips)))
