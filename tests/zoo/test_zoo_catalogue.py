"""Every net of the catalogue, at tiny sizes: gradients, hidden states, attention, padding, storing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from unfool import zoo
from unfool.engine import Service
from unfool.text import Text, Variants
from unfool.training import seeded
from unfool.victims import Attends, GradientRequest
from unfool.zoo import NetRecipe, write
from unfool.zoo.encoders import encoder_from_texts
from unfool.zoo.fronts import Front, make_front
from unfool.zoo.nets.net import Net

TEXTS = ["The film isn't good , it was dull", "bad", "a very naïve plot 😀", "lovely  lovely film ."]
PAIRS = [("a good film", "it is dull"), ("bad", "the plot was not so bad"), ("the film is long", "short")]
NETS = {name: entry.recipe for name, entry in zoo.CATALOGUE.items() if isinstance(entry.recipe, NetRecipe)}
TINY = {"units": 5, "filters": 8, "hidden": 3}
TINY_ELMO = {"dimensions": 4, "filters": [[1, 3], [2, 3]], "highways": 1, "projection": 4, "cell": 6, "layers": 2}


def tiny_front(recipe: NetRecipe, rows: int) -> Front:
    if recipe.front == "Elmo":
        return make_front("Elmo", **TINY_ELMO)
    more = {"filters": 5, "kernel": 3} if recipe.front == "CharCNN" else {}
    return make_front(recipe.front, rows=rows, dimensions=6, **more)


def tiny_sizes(recipe: NetRecipe) -> dict[str, Any]:
    takes = {"LSTM": ["units"], "BiLSTM": ["units"], "CNN": ["filters"], "KimCNN": ["filters"]}
    names = takes.get(recipe.net, ["units", "hidden"])
    # Behind much padding a net with few units forgets the text until it has learnt not to.
    steps = {"steps": 20} if "steps" in recipe.sizes else {}
    return {**recipe.sizes, **steps, **{name: TINY[name] for name in names}}


def tiny_victim(name: str, *, pair: bool = False) -> tuple[zoo.NetVictim, Net]:
    recipe = NETS[name]
    texts = [string for pair_ in PAIRS for string in pair_] if pair else TEXTS
    encoder = encoder_from_texts(recipe.encoder, texts * 3, recipe.max_length)
    with seeded(0):
        sizes = {**tiny_sizes(recipe), **({"pair": True} if pair else {})}
        net = zoo.make_net(recipe.net, tiny_front(recipe, len(encoder)), 2, **sizes).double().eval()
    return zoo.victim_kind(net, encoder)(net, encoder, ("neg", "pos"), name=f"zoo:{name}", device="cpu"), net


def answer(service: Service, requests: Sequence[object]) -> list[Any]:
    return list(service.launch(requests).result())


@pytest.mark.parametrize("name", NETS)
def test_gradients_are_slopes_and_states_are_one_a_token(name: str) -> None:
    victim, net = tiny_victim(name)
    (found,) = answer(victim.gradients, [GradientRequest(Text.of(TEXTS[0]), 1)])
    ids = torch.from_numpy(found.ids)[None]
    mask = torch.ones_like(ids, dtype=torch.bool)
    vectors = net.front.embed(ids).detach()
    assert found.gradient.shape == vectors[0].shape
    assert np.abs(found.gradient).max() > 1e-9

    def loss(moved: torch.Tensor) -> float:
        logits = net.forward_embedded(moved, ids, mask)
        return torch.nn.functional.cross_entropy(logits, torch.tensor([1])).item()

    step = 1e-6
    for token, dimension in [(0, 0), (1, 2), (len(found.ids) - 1, 1), (len(found.ids) // 2, 3)]:
        nudge = torch.zeros_like(vectors)
        nudge[0, token, dimension] = step
        slope = (loss(vectors + nudge) - loss(vectors - nudge)) / (2 * step)
        assert found.gradient[token, dimension] == pytest.approx(slope, abs=1e-7)
    for text, hidden in zip(TEXTS, answer(victim.hidden, [Text.of(text) for text in TEXTS]), strict=True):
        tokens = victim.words_of_tokens(Text.of(text))[0].tokens
        assert hidden.states.shape[1] == len(tokens) == len(hidden.words)
        assert len(hidden.states) == 1 + NETS[name].sizes.get("layers", 1) + (NETS[name].front != "Vectors")


@pytest.mark.parametrize("name", NETS)
def test_answers_depend_on_the_text_alone(name: str) -> None:
    victim, _ = tiny_victim(name)
    together = victim.confirm([(text,) for text in TEXTS]).values
    alone = np.concatenate([victim.confirm([(text,)]).values for text in TEXTS])
    np.testing.assert_allclose(together, alone, atol=1e-6)
    assert np.ptp(together[:, 0]) > 1e-4, "a net that does not look at its input would pass"
    base = Text.of(TEXTS[0])
    swaps = base.variants([0, 3, 4], ["lovely", "dull", "χ-ray"])
    rows = victim.rows([swaps, Variants.of_texts([base])])
    searched = victim.launch(rows, np.arange(4)).result().values
    checked = victim.confirm([text.strings for text in (*swaps, base)]).values
    np.testing.assert_allclose(searched, checked, atol=1e-5)


@pytest.mark.parametrize("pair", [False, True])
def test_attention_sums_to_one_over_all_tokens(pair: bool) -> None:
    victim, _ = tiny_victim("LSTM-Attention", pair=pair)
    assert isinstance(victim, Attends)
    texts = [Text.pair(("p", a), ("h", b)) for a, b in PAIRS] if pair else [Text.of(text) for text in TEXTS]
    for text, found in zip(texts, answer(victim.attention, texts), strict=True):
        assert found.weights.shape == (1, 1, 1, len(found.words))
        assert found.weights.sum() == pytest.approx(1)
        assert (found.weights >= 0).all()
        alone = answer(victim.attention, [text])[0]
        np.testing.assert_allclose(found.weights, alone.weights, atol=1e-6)


def test_pairs_are_read_as_two_texts() -> None:
    victim, _ = tiny_victim("LSTM-Attention", pair=True)
    forth, back = victim.confirm([PAIRS[0], PAIRS[0][::-1]]).values
    assert np.abs(forth - back).max() > 1e-6
    texts = [Text.pair(("p", a), ("h", b), "h") for a, b in PAIRS]
    swaps = [text.variants([text.editable[0]], ["bad"]) for text in texts]
    rows = victim.rows(swaps)
    searched = victim.launch(rows, np.arange(len(texts))).result().values
    checked = victim.confirm([each[0].strings for each in swaps]).values
    np.testing.assert_allclose(searched, checked, atol=1e-5)


@pytest.mark.parametrize("name", ["LSTM-C-Random-2", "CharCNN-LSTM", "KimCNN"])
def test_what_is_stored_answers_the_same(name: str, tmp_path: Path) -> None:
    victim, net = tiny_victim(name)
    encoder = victim.encoder
    write(tmp_path, net.float(), encoder, ("neg", "pos"), {"seed": 0}, None)  # type: ignore[arg-type]
    again = zoo.load(tmp_path, device="cpu")
    inputs = [(text,) for text in TEXTS]
    np.testing.assert_allclose(again.confirm(inputs).values, victim.confirm(inputs).values, atol=1e-6)


def test_hotflips_net_is_trained_as_its_paper_says() -> None:
    """Ebrahimi et al., section 4: SGD with clipping, batches of 64, at most 25 epochs."""
    recipe = zoo.entry("CharCNN-LSTM").recipe
    assert isinstance(recipe, zoo.NetRecipe)
    assert (recipe.optimizer, recipe.batch, recipe.epochs) == ("sgd", 64, 25)
    assert recipe.patience == recipe.epochs  # the best of all epochs is kept
    assert recipe.most_texts >= 25 * 108_000
    adam = zoo.entry("CharCNN-LSTM-Adam").recipe
    assert isinstance(adam, zoo.NetRecipe)
    trained_otherwise = {"optimizer", "batch", "epochs", "patience", "lr", "most_texts"}
    assert {key for key, value in adam._asdict().items() if value != getattr(recipe, key)} == trained_otherwise
