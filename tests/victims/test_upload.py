"""What goes to a device and back stays what it was, whatever else is under way; worth running on a GPU too."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.toy_nets import WORDS, toy_net

from unfool.engine import PendingAnswers
from unfool.text import Text, Variants
from unfool.victims.tokens import upload
from unfool.zoo import NetVictim
from unfool.zoo.encoders import WordVocabulary

needs_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU here")
DEVICES = ["cpu", pytest.param("cuda", marks=needs_gpu)]
A_TENTH_OF_A_SECOND = 200_000_000
"""In cycles of the GPU."""


@pytest.fixture(scope="module", params=DEVICES)
def victim(request: pytest.FixtureRequest) -> NetVictim:
    net = toy_net("LSTM", WordVocabulary(WORDS))
    return NetVictim(net.module, net.reads, net.labels, name="zoo:toy", device=request.param)


@settings(deadline=None, max_examples=20)
@given(
    st.lists(
        st.lists(st.sampled_from([*WORDS, "new", "words", "grow"]), min_size=1, max_size=9), min_size=2, max_size=6
    ),
    st.randoms(use_true_random=False),
)
def test_answers_in_flight_stay_apart(victim: NetVictim, texts: list[list[str]], random: Random) -> None:
    """Units are added, and buffers are given back, while earlier texts wait for their answers."""
    order = list(range(len(texts)))
    random.shuffle(order)
    under_way = list[PendingAnswers]()
    for words in texts:
        text = Text.of(" ".join(words))
        rows = victim.rows([Variants.of_swaps(text, range(len(words)), f"never{len(under_way)}")])
        under_way.append(victim.launch(rows, np.arange(len(words))))
    found = {number: under_way[number].result().values for number in order}
    for number, words in enumerate(texts):
        changed = [" ".join([*words[:at], f"never{number}", *words[at + 1 :]]) for at in range(len(words))]
        alone = victim.confirm([(text,) for text in changed]).values
        np.testing.assert_allclose(found[number], alone, atol=1e-4)


@needs_gpu
@pytest.mark.parametrize("size", [100, 10_000, 1_000_000, 10_000_000])
def test_an_array_may_change_while_its_copy_waits_for_the_device(size: int) -> None:
    array = np.ones(size, dtype=np.int64)
    torch.cuda._sleep(A_TENTH_OF_A_SECOND)  # type: ignore[no-untyped-call]
    copied = upload(array, torch.device("cuda"))
    array[:] = 2
    again = upload(array, torch.device("cuda"))
    assert bool((copied == 1).all())
    assert bool((again == 2).all())


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("shape", [(0,), (3, 0), (1,), (5, 7)])
def test_an_array_arrives_as_it_is(shape: tuple[int, ...], device: str) -> None:
    array = np.arange(np.prod(shape), dtype=np.int64).reshape(shape)
    for given_array in (array, array.T, array[:, ::2] if array.ndim > 1 else array[::2]):
        np.testing.assert_array_equal(upload(given_array, torch.device(device)).cpu().numpy(), given_array)
