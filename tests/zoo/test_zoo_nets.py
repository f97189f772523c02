from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from unfool.errors import UserError
from unfool.zoo import make_net
from unfool.zoo.fronts import make_front
from unfool.zoo.nets.net import Net


@pytest.mark.parametrize("length", [0, 1, 2, 4, 7])
@pytest.mark.parametrize("beside", [1, 3, 30])
def test_padding_never_changes_the_logits(net: Net, length: int, beside: int) -> None:
    ids = torch.randint(2, 20, (1, max(length, 1)), generator=torch.Generator().manual_seed(length))
    alone = torch.arange(ids.shape[1]) < length
    filled = torch.cat([ids, torch.randint(2, 20, (1, beside))], dim=1)
    wide = torch.cat([alone, torch.zeros(beside, dtype=torch.bool)])
    neighbours = torch.randint(2, 20, (3, filled.shape[1]))
    batch = torch.cat([filled, neighbours])
    mask = torch.cat([wide[None], torch.ones(3, filled.shape[1], dtype=torch.bool)])
    with torch.no_grad():
        torch.testing.assert_close(net(batch, mask)[:1], net(ids, alone[None]), rtol=0, atol=1e-5)


def test_order_and_neighbours_of_words_count(net: Net) -> None:
    mask = torch.ones(1, 5, dtype=torch.bool)
    with torch.no_grad():
        onward, backward = net(torch.tensor([[2, 3, 4, 5, 6]]), mask), net(torch.tensor([[6, 5, 4, 3, 2]]), mask)
    assert (onward - backward).abs().max() > 1e-3


def test_a_bilstm_reads_both_ways(make_tiny: Callable[..., Net]) -> None:
    net = make_tiny("BiLSTM").eval()
    vectors = torch.randn(1, 3, 8, requires_grad=True)
    states = net.states(vectors, torch.ones(1, 3, dtype=torch.bool))[-1]
    (first,) = torch.autograd.grad(states[0, 0].sum(), vectors, retain_graph=True)
    (last,) = torch.autograd.grad(states[0, 2].sum(), vectors)
    assert first[0, 2].abs().sum() > 0
    assert last[0, 0].abs().sum() > 0


def test_states_are_one_a_token(net: Net) -> None:
    states = net.states(torch.randn(2, 7, 8), torch.ones(2, 7, dtype=torch.bool))
    assert [tuple(layer.shape) for layer in states] == [(2, 7, 18)]


def test_frozen_word_vectors_get_no_gradient() -> None:
    assert not make_front("Vectors", rows=20, dimensions=8, frozen=True).table.weight.requires_grad
    assert make_front("Vectors", rows=20, dimensions=8).table.weight.requires_grad


def test_some_words_are_hidden_in_training_only(net: Net) -> None:
    ids = torch.full((1, 2000), 5)
    plain = net.front.embed(ids)
    assert (plain == plain[:, :1]).all()
    hidden = (net.train().front.embed(ids) == net.front.table.weight[1]).all(-1)
    assert 0 < hidden.float().mean() < 0.2


def test_unknown_kinds_say_what_was_meant() -> None:
    with pytest.raises(UserError, match="did you mean 'BiLSTM'"):
        make_net("BiLSMT", make_front("Vectors", rows=20, dimensions=8), 2)
