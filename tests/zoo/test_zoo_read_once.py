"""A frozen ELMo reads the texts of a training once; the nets behind it must not be able to tell."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from unfool.text import Sample, Text
from unfool.training import EncodedSamples
from unfool.zoo import EncodedSplits, data_cache, train
from unfool.zoo.data_cache import elmo_states, fits
from unfool.zoo.encoders import CharWords
from unfool.zoo.fronts.elmo import Elmo
from unfool.zoo.nets import make_net
from unfool.zoo.nets.net import Net

CPU = torch.device("cpu")
TEXTS = ("a fine film , and funny", "dull", "", "it is long , it is loud and it is not very good", "naïve but warm")


def elmo() -> Elmo:
    torch.manual_seed(0)
    made = Elmo(dimensions=4, filters=[[1, 3], [2, 4]], highways=1, projection=5, cell=7, layers=2, longest=12)
    with torch.no_grad():
        made.mix.copy_(torch.tensor([0.3, -0.2, 0.9]))
    return made


def samples(texts: tuple[str, ...]) -> EncodedSamples:
    return EncodedSamples([Sample(n, Text.of(text), n % 2) for n, text in enumerate(texts)], CharWords(None), CPU)


def lstm() -> Net:
    front = elmo()
    torch.manual_seed(1)
    return make_net("LSTM", front, 2, layers=1, units=6, dropout=0.0)


@pytest.mark.parametrize("size", [1, 2, 5])
def test_what_was_read_once_gives_the_logits_of_the_texts_themselves(size: int) -> None:
    net = lstm()
    learnt, chosen_by = samples(TEXTS), samples(TEXTS[::-1])
    assert isinstance(net.front, Elmo)
    states = elmo_states(net.front, learnt, chosen_by)
    for plain, rows in ((learnt, states.train), (chosen_by, states.validation)):
        of_text = {
            int(number): logits
            for batch in plain.by_length(size)
            for number, logits in zip(batch.numbers, net(*batch.tokens), strict=True)
        }
        for batch in rows.shuffled(size, np.random.default_rng(0)):
            logits = net.forward_read(states.read(net.front, batch.tokens))
            expected = torch.stack([of_text[int(number)] for number in batch.numbers])
            torch.testing.assert_close(logits, expected, rtol=0, atol=1e-3)  # they are kept in half precision
            assert batch.labels.tolist() == [number % 2 for number in batch.numbers]


def test_a_net_learns_the_same_from_what_was_read_once() -> None:
    def trained(once: bool) -> torch.Tensor:
        net, learnt = lstm(), samples(TEXTS * 8)
        assert isinstance(net.front, Elmo)
        states = elmo_states(net.front, learnt, learnt) if once else None
        # One batch holds all, as texts of equal length are ordered otherwise by words than by letters.
        train(
            net,
            EncodedSplits(CharWords(None), learnt, learnt, learnt),
            CPU,
            seed=0,
            epochs=5,
            lr=1e-2,
            progress=False,
            patience=9,
            batch=99,
            elmo=states,
        )
        return torch.cat([weight.flatten() for weight in net.parameters() if weight.requires_grad])

    torch.testing.assert_close(trained(once=True), trained(once=False), rtol=0, atol=2e-3)


def test_what_is_too_large_to_keep_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    front, some = elmo(), samples(TEXTS)
    words = sum(len(CharWords(None).pieces([word])[0]) > 0 for text in TEXTS for word in text.split())
    assert fits(front, some)
    monkeypatch.setattr(data_cache, "MOST_BYTES", words * 3 * front.width * 2 - 1)
    assert not fits(front, some)
    monkeypatch.setattr(data_cache, "MOST_BYTES", words * 3 * front.width * 2)
    assert fits(front, some)
    assert not fits(front, samples(("",)))
