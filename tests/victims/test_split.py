"""Split products are as exact as float32's own."""

from __future__ import annotations

import torch
from torch import nn

from unfool.victims._split import SplitLinear, _split, with_split_products


def test_high_parts_fit_tf32_and_nothing_is_lost() -> None:
    numbers = torch.randn(1000, generator=torch.Generator().manual_seed(0)) * 1e3
    high, low = _split(numbers)
    assert torch.equal(high + low, numbers)
    assert not (high.view(torch.int32) & 0x1FFF).any()
    assert (low.abs() <= numbers.abs() * 2**-10).all()


def test_a_split_layer_gives_what_the_layer_gives() -> None:
    torch.manual_seed(0)
    layer, inputs = nn.Linear(300, 20), torch.randn(7, 5, 300)
    exact = layer.double()(inputs.double())
    layer.float()
    plain = (layer(inputs).double() - exact).abs().max()
    assert (SplitLinear(layer)(inputs).double() - exact).abs().max() < 4 * plain


def test_a_model_is_copied_not_changed() -> None:
    model = nn.Sequential(nn.Linear(3, 4), nn.Sequential(nn.ReLU(), nn.Linear(4, 2)))
    twin = with_split_products(model)
    assert sum(isinstance(part, SplitLinear) for part in twin.modules()) == 2
    assert not any(isinstance(part, SplitLinear) for part in model.modules())
    inputs = torch.randn(5, 3)
    torch.testing.assert_close(twin(inputs), model(inputs))
