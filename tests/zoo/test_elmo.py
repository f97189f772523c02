"""ELMo as a front: what reaches what, what is trained, and that padding changes nothing."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from tests.zoo.elmo_reading import TEXTS, encoded, read

from unfool.zoo.encoders import START, CharWords
from unfool.zoo.fronts.elmo import Elmo, ProjectedLSTM, Speller

SIZES: dict[str, Any] = {
    "dimensions": 4,
    "filters": [[1, 3], [2, 4], [3, 5]],
    "highways": 2,
    "projection": 5,
    "cell": 7,
    "layers": 2,
    "longest": 12,
}


def tiny(**changed: Any) -> Elmo:
    torch.manual_seed(0)
    return Elmo(**{**SIZES, **changed}).double()


@pytest.mark.parametrize("clip", [None, 0.05])
def test_byte_gradients_are_right(clip: float | None) -> None:
    elmo = tiny(cell_clip=clip, state_clip=clip)
    ids, mask = encoded("an odd film", "so so")
    vectors = elmo.embed(ids).detach().requires_grad_()
    assert torch.autograd.gradcheck(lambda given: elmo.read(given, ids, mask).vectors, vectors)


def test_every_byte_reaches_every_word_of_its_text_and_no_other() -> None:
    elmo = tiny()
    ids, mask = encoded("an odd film", "so so")
    vectors = elmo.embed(ids).detach().requires_grad_()
    units = elmo.read(vectors, ids, mask).vectors[0]
    for word in units:
        (gradient,) = torch.autograd.grad(word.sum(), vectors, retain_graph=True)
        reached = gradient.abs().sum(-1) > 0
        words = CharWords(None).pieces(["an", "odd", "film"])
        first = torch.tensor([n for n, tokens in enumerate(words) for _ in tokens])
        assert {int(n) for n in first[reached[0]]} == {0, 1, 2}
        assert not reached[1].any()


@pytest.mark.parametrize("clip", [None, 0.05])
@pytest.mark.parametrize("text", TEXTS)
def test_padding_changes_nothing(text: str, clip: float | None) -> None:
    elmo = tiny(cell_clip=clip, state_clip=clip)
    ids, mask = encoded(text, padding=1)
    beside, both = encoded(text, "quite another text, of words incomprehensibly long", padding=9)
    alone, among = read(elmo, ids, mask), read(elmo, beside, both)
    words = int((ids == START).sum())
    torch.testing.assert_close(among[0, :words], alone[0, :words], rtol=0, atol=1e-12)


def test_there_is_one_row_a_word() -> None:
    elmo = tiny()
    ids, mask = encoded(*TEXTS)
    seen = elmo.read(elmo.embed(ids), ids, mask)
    # Ce | n | ' | est | rien | , | naïve | reader
    assert seen.mask.sum(1).tolist() == [8, 1, 2, 0]
    assert seen.vectors.shape == (4, 8, elmo.width)
    assert elmo.width == 10
    assert seen.vectors.isfinite().all()
    assert seen.unit_of_token is not None
    assert seen.unit_of_token[2, :4].tolist() == [0, 0, 1, 1]


def test_only_the_mix_is_trained() -> None:
    elmo = tiny().train()
    assert {name for name, weight in elmo.named_parameters() if weight.requires_grad} == {"mix", "gamma"}
    ids, mask = encoded("an odd film")
    torch.autograd.backward(read(elmo, ids, mask).square().sum())
    for weight in (elmo.mix, elmo.gamma):
        assert weight.grad is not None
        assert (weight.grad != 0).all()
    assert torch.equal(read(elmo, ids, mask), read(elmo.eval(), ids, mask))


def test_the_mix_is_what_its_weights_say() -> None:
    elmo = tiny()
    ids, mask = encoded("an odd film")

    def only(layer: int) -> torch.Tensor:
        elmo.mix.data = torch.where(torch.arange(3) == layer, 0.0, -torch.inf).double()
        return read(elmo, ids, mask)

    layers = [only(layer) for layer in range(3)]
    elmo.mix.data, elmo.gamma.data = torch.tensor([0.2, -1.0, 0.7]).double(), torch.tensor([3.0]).double()
    shares = elmo.mix.softmax(0)
    expected = 3 * (shares[0] * layers[0] + shares[1] * layers[1] + shares[2] * layers[2])
    torch.testing.assert_close(read(elmo, ids, mask), expected)


@pytest.mark.filterwarnings("ignore:LSTM with projections")
def test_the_loop_is_pytorchs_where_nothing_is_clipped() -> None:
    torch.manual_seed(0)
    lstm = ProjectedLSTM(3, 6, 4, cell_clip=None, state_clip=None).double()
    steps = torch.randn(2, 5, 3).double()
    torch.testing.assert_close(lstm.read(steps), lstm(steps)[0])


def test_room_behind_a_word_changes_it_no_more_than_the_published_fifty_characters() -> None:
    torch.manual_seed(0)
    snug = Speller(4, SIZES["filters"], 1, 5, 50).double()
    letters, real = torch.randn(2, 6, 4).double(), torch.arange(6) < torch.tensor([[6], [2]])
    close, pad = torch.randn(2, 4).double()
    wide = torch.nn.functional.pad(letters, (0, 0, 0, 43))
    reality = torch.nn.functional.pad(real, (0, 43))
    torch.testing.assert_close(snug(letters, real, close, pad), snug(wide, reality, close, pad))
