"""A net says the same of a changed text by its shortcut as by reading the text whole."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.toy_nets import WORDS, toy_net

from unfool.text import Text, Variants
from unfool.zoo import CATALOGUE, NetRecipe, NetVictim
from unfool.zoo.encoders import encoder_from_texts

# Of the 63 nets, those that are no transformers; inputs of the same kind differ only in their vectors.
ARCHITECTURES = {
    (recipe.net, recipe.encoder, recipe.front, tuple(recipe.sizes.items())): entry.name
    for entry in CATALOGUE.values()
    if isinstance(recipe := entry.recipe, NetRecipe) and recipe.front != "Elmo" and entry.number
}
OTHERS = ["WordCNN", "CS229-LSTM", "CS229-LSTM:read=mean"]
GAIN_NOTHING = ["BiLSTM-W-Random-2", "LSTM-W-Random-4", "CS229-LSTM:read=last-step", "CharCNN-LSTM-Adam"]
SMALL = {"units": 7, "filters": 5}
new_words = st.sampled_from([*WORDS, "[UNK]", "unheard", "so-so", "isn't", "a b", "", "χ", ".", "\u0301"])


def small(name: str, dtype: str = "fp32") -> NetVictim:
    recipe = CATALOGUE[name].recipe
    assert isinstance(recipe, NetRecipe)
    sizes = {key: SMALL.get(key, value) for key, value in recipe.sizes.items()}
    if recipe.net in ("CNN", "KimCNN"):
        sizes["filters"] = SMALL["filters"]
    else:
        sizes["units"] = SMALL["units"]
    encoder = encoder_from_texts(recipe.encoder, [" ".join(WORDS)], 40)
    return toy_net(recipe.net, encoder, recipe.front, 1.5, dtype=dtype, **sizes)


def both_ways(victim: NetVictim, asked: list[Variants]) -> tuple[np.ndarray, np.ndarray]:
    rows = victim.rows(asked)
    found = []
    for shortcut in (victim.shortcut, None):
        victim.shortcut, kept = shortcut, victim.shortcut
        found.append(victim.launch_logits(rows, np.arange(len(rows.keys))).result().values)
        victim.shortcut = kept
    return found[0], found[1]


def drawn(data: st.DataObject) -> list[Variants]:
    asked: list[Variants] = []
    for _ in range(data.draw(st.integers(1, 3))):
        words = data.draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=14))
        ends = data.draw(
            st.lists(st.sampled_from([" ", ". ", " , ", "-"]), min_size=len(words), max_size=len(words))
        )
        base = Text.of("".join(word + end for word, end in zip(words, ends, strict=True)))
        spots = data.draw(st.lists(st.sampled_from(range(len(base))), max_size=6))
        asked += [base.variants(spots, [data.draw(new_words) for _ in spots]), Variants.of_texts([base])]
    return asked


@pytest.mark.parametrize("name", [*ARCHITECTURES.values(), *OTHERS])
@settings(suppress_health_check=list(HealthCheck), max_examples=15, deadline=None)
@given(data=st.data())
def test_the_shortcut_says_what_the_net_says(name: str, data: st.DataObject) -> None:
    short, whole = both_ways(small(name), drawn(data))
    np.testing.assert_allclose(short, whole, rtol=1e-5, atol=2e-6)


def test_most_architectures_have_a_shortcut() -> None:
    with_one = [name for name in ARCHITECTURES.values() if small(name).shortcut]
    kinds = {name.partition("-")[0] + name[-2:] for name in with_one}
    assert kinds == {"LSTM-1", "LSTM-2", "BiLSTM-1", "CNN-1", "CNN-2", "CNN-4", "CNN-6"}


@pytest.mark.parametrize("name", GAIN_NOTHING)
def test_a_net_in_which_a_change_reaches_everywhere_has_none(name: str) -> None:
    assert small(name).shortcut is None


@pytest.mark.parametrize("name", ["CNN-W-Random-2", "LSTM-W-Random-2", "BiLSTM-W-Random-1"])
def test_in_half_precision_it_is_as_near_as_the_net_in_half(name: str) -> None:
    base = Text.of("the film is a good one and the cast is great")
    asked = [base.variants(range(len(base)), "awful")]
    exact, _ = both_ways(small(name), asked)
    short, _ = both_ways(small(name, "bf16"), asked)
    assert 0 < abs(short - exact).max() < 0.02 * abs(exact).max()


def test_where_all_is_looked_up_the_search_in_half_is_exact() -> None:
    exact, half = small("WordCNN"), small("WordCNN", "bf16")
    assert half.approximate
    assert half.decimals == exact.decimals
    asked = [Text.of("a good film").variants([1, 2], ["bad", "plot"])]
    np.testing.assert_array_equal(both_ways(half, asked)[0], both_ways(exact, asked)[0])


def test_changed_weights_are_seen() -> None:
    victim = small("WordCNN")
    asked = [Text.of("a good film").variants([1], ["bad"])]
    before, _ = both_ways(victim, asked)
    with torch.no_grad():
        victim.module.front.table.weight.mul_(3)
    victim.refresh()
    after, whole = both_ways(victim, asked)
    assert abs(after - before).max() > 1e-3
    np.testing.assert_allclose(after, whole, rtol=1e-5, atol=2e-6)


def test_a_text_longer_than_the_net_reads_is_read_whole() -> None:
    victim = small("WordCNN")
    base = Text.of(" ".join(WORDS * 4))
    short, whole = both_ways(victim, [base.variants(range(len(base)), "awful"), Variants.of_texts([base])])
    np.testing.assert_array_equal(short, whole)


def test_many_bases_are_read_in_parts() -> None:
    victim = small("LSTM-C-Random-1")
    texts = [Text.of(f"{word} film is {other} and dull") for word in WORDS for other in WORDS]
    short, whole = both_ways(victim, [text.variants([0, 3], ["awful", "great"]) for text in texts])
    np.testing.assert_allclose(short, whole, rtol=1e-5, atol=2e-6)
