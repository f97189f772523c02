"""A net of the zoo as a victim."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING

from unfool.devices import flushed, runs_in_half, torch_device
from unfool.engine import FunctionService
from unfool.text import Text
from unfool.victims import Attention, CharacterReader, Padding, WhiteBoxVictim
from unfool.victims.tokens import CPU_PACKING, FULL_DECIMALS, Packing, TokenBatch, Whole
from unfool.zoo.encoders import PAD, PADDING_WORD, CharacterEncoder, NetEncoder

if TYPE_CHECKING:
    import torch

    from unfool.zoo.nets.net import Net

_SMALL_NET, _MANY_ROWS = 100_000, Packing(tokens=8192, least=4096)


class NetVictim(WhiteBoxVictim):
    """A net with its encoder; gradients and hidden states come with it.

    Args:
        net: The trained net.
        encoder: How it reads texts.
        labels: Label names, one a class.
        name: The name that opens it again.
        device: ``cpu``, ``cuda`` or ``auto``.
        dtype: ``fp32``, ``bf16`` for the search (successes are still checked in fp32), or ``auto``.
    """

    fingerprint: str | None = None
    """Of the files it was loaded from."""

    def __init__(
        self,
        net: Net,
        encoder: NetEncoder,
        labels: tuple[str, ...],
        *,
        name: str,
        device: str = "auto",
        dtype: str = "fp32",
    ) -> None:
        place = torch_device(device)
        self._name, self._reads = name, encoder
        self._net = net.to(place).eval()
        half = runs_in_half(dtype, place)
        self._make_copies(half, place)
        super().__init__(
            encoder,
            labels,
            place,
            pad=PAD,
            unknown=encoder.unknown,
            packing=_cpu_packing(net) if place.type == "cpu" else None,
            half=half,
            checks_together=True,
            fields=2 if net.reads_pairs else 1,
        )
        if self.shortcut and self.shortcut.is_exact:
            self.decimals = FULL_DECIMALS

    def _make_copies(self, half: bool, place: torch.device) -> None:
        import torch

        from unfool.zoo.shortcuts import shortcut

        precision = torch.bfloat16 if half else torch.float32
        self.shortcut = shortcut(self._net, precision) if place.type == "cpu" else None
        exact = not half or (self.shortcut is not None and self.shortcut.is_exact)
        self._search = self._net if exact else _in_half(self._net)
        # So small a net is cheap in float64, whose noise is lost in rounding: its checks need not go one by one.
        self._check_net = copy.deepcopy(self._net).double() if place.type == "cpu" else self._net

    def __repr__(self) -> str:
        return self._name

    @property
    def module(self) -> Net:
        """The net itself; call `refresh` after changing its weights."""
        return self._net

    @property
    def reads(self) -> NetEncoder:
        """How the net reads texts."""
        return self._reads

    def refresh(self) -> None:
        """Answer by the net's weights as they are now."""
        super().refresh()
        self._net.eval()
        self._make_copies(self.approximate, self.device)

    def logits(self, batch: TokenBatch, *, full: bool) -> torch.Tensor:
        """Return the net's raw outputs; those in full precision in float64 on a CPU."""
        import torch

        net = self._check_net if full else self._search
        # Left to itself, cuDNN cuts the numbers of recurrent and convolutional layers to ten bits.
        with torch.backends.cudnn.flags(enabled=True, allow_tf32=False):
            outputs: torch.Tensor = net(batch.ids, batch.mask, batch.types)
        return outputs

    @property
    def table(self) -> torch.Tensor:
        return self._net.front.table.weight

    def words_of_tokens(self, text: Text) -> tuple[Whole, list[int]]:
        return self._reads.words_of_tokens(text)

    def embed(self, batch: TokenBatch) -> torch.Tensor:
        return self._net.front.embed(batch.ids)

    @contextmanager
    def differentiable(self) -> Iterator[None]:
        """Prepare the net for fast backward passes inside the block; on a GPU, recurrent layers use cuDNN."""
        import torch

        # cuDNN differentiates recurrent layers only in training mode; they have no dropout.
        layers = [part for part in self._net.modules() if isinstance(part, torch.nn.RNNBase) and not part.dropout]
        for layer in layers:
            layer.train()
        try:
            with flushed(), torch.backends.cudnn.flags(enabled=True, allow_tf32=False):
                yield
        finally:
            for layer in layers:
                layer.eval()

    def logits_of(self, vectors: torch.Tensor, batch: TokenBatch) -> torch.Tensor:
        """Return the raw outputs from tokens' vectors."""
        return self._net.forward_embedded(vectors, batch.ids, batch.mask, batch.types)

    @property
    def padding(self) -> Padding | None:
        """The padding behind a text, for a net that reads its state there; None for any other."""
        steps = getattr(self._net, "steps", None)
        return None if steps is None else Padding(PADDING_WORD, steps)

    def logits_since(self, vectors: torch.Tensor, batch: TokenBatch, first: int) -> torch.Tensor:
        """Return the raw outputs; an LSTM that reads tokens as they are is not differentiated before ``first``."""
        from unfool.zoo.fronts.front import Vectors
        from unfool.zoo.nets.recurrent import LSTM

        if isinstance(self._net, LSTM) and isinstance(self._net.front, Vectors):
            return self._net.forward_since(vectors, batch.mask, first)
        return self.logits_of(vectors, batch)

    def layers(self, batch: TokenBatch) -> list[torch.Tensor]:
        return self._net.layers(batch.ids, batch.mask)

    def summary(self, batch: TokenBatch) -> tuple[torch.Tensor, torch.Tensor]:
        import torch

        with torch.backends.cudnn.flags(enabled=True, allow_tf32=False):
            read = self._net.front.read_tokens(batch.ids, batch.mask)
            features = self._net.features(read, batch.types)
        return features, self._net.read_out(features)


class AttentiveVictim(NetVictim):
    """A net with attention: it also offers the weights of its tokens."""

    @cached_property
    def attention(self) -> FunctionService:
        """The weight of every token, as one layer with one head that asks once."""
        return FunctionService(self._attention)

    def _attention(self, texts: Sequence[Text]) -> list[Attention]:
        import torch

        from unfool.zoo.nets.recurrent import LSTMAttention

        assert isinstance(self._net, LSTMAttention)
        found: dict[int, Attention] = {}
        for cut in self.in_batches(texts):
            with torch.inference_mode():
                weights = self._net.attention(cut.batch.ids, cut.batch.mask, cut.batch.types).cpu().numpy()
            for row, (number, words) in enumerate(zip(cut.numbers, cut.words, strict=True)):
                found[number] = Attention(words, weights[row, : len(words)].reshape(1, 1, 1, -1))
        return [found[number] for number in range(len(texts))]


class CharacterVictim(NetVictim):
    """A net that reads characters; it also offers its alphabet and the spelling of texts."""

    @property
    def characters(self) -> CharacterReader:
        """The net's alphabet, and the places of a text's characters in its gradients."""
        assert isinstance(self._reads, CharacterEncoder)
        return self._reads


def _in_half(net: Net) -> Net:
    from unfool.zoo.nets.recurrent import side_by_side

    halved = copy.deepcopy(net).bfloat16()
    side_by_side(halved)
    return halved


def _cpu_packing(net: Net) -> Packing:
    """A step of a small recurrent net is soon done: it takes many rows to be worth the call.

    Where words are spelt, a step reads a word of several tokens: as many rows are many more tokens.
    """
    from unfool.zoo.fronts.spelt import SpeltFront

    weights = sum(weight.numel() for weight in net.parameters()) - net.front.table.weight.numel()
    small_steps = weights < _SMALL_NET or isinstance(net.front, SpeltFront)
    return _MANY_ROWS if small_steps else CPU_PACKING


def victim_kind(net: Net, encoder: NetEncoder) -> type[NetVictim]:
    """Return the class of a net's victim: what it can tell depends on how it reads and weighs texts."""
    if isinstance(encoder, CharacterEncoder):
        return CharacterVictim
    return AttentiveVictim if hasattr(net, "attention") else NetVictim
