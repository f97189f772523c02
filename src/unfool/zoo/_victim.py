"""A net of the zoo as a victim."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from unfool.engine import Floats, FunctionService, PendingAnswers
from unfool.errors import UserError
from unfool.text import Text, Variants
from unfool.victims import Attention, EncodedVictim, GradientRequest, Gradients, Hidden
from unfool.victims._device import torch_device
from unfool.victims._packing import TokenBatch, batches, whole_batch
from unfool.victims._units import UnitRows
from unfool.zoo.encoders import PAD, NetEncoder

if TYPE_CHECKING:
    import torch

    from unfool.zoo.nets._net import Net


class NetVictim(EncodedVictim):
    """A net with its encoder; gradients and hidden states come with it.

    Args:
        net: The trained net.
        encoder: How it reads texts.
        labels: Label names, one a class.
        name: The name that gets it again.
        device: ``cpu``, ``cuda`` or ``auto``.
        dtype: ``fp32``, or ``bf16`` for the search (successes are still checked in fp32).
    """

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
        half = dtype == "bf16"
        self._search = copy.deepcopy(self._net).bfloat16() if half else self._net
        # So small a net is cheap in float64, whose noise is lost in rounding: its checks need not go one by one.
        self._check_net = copy.deepcopy(self._net).double() if place.type == "cpu" else self._net
        super().__init__(encoder, labels, place, pad=PAD, unknown=encoder.unknown, half=half, checks_together=True)

    def __repr__(self) -> str:
        return self._name

    def rows(self, asked: Sequence[Variants]) -> UnitRows:
        """Encode what the samples ask; refuse pairs, or what is none, as the net was trained."""
        for variants in asked:
            for base in variants.bases:
                self._refuse(len(base.fields))
        return super().rows(asked)

    def _check(self, inputs: Sequence[tuple[str, ...]], raw: bool) -> PendingAnswers:
        for strings in inputs:
            self._refuse(len(strings))
        return super()._check(inputs, raw)

    def _refuse(self, fields: int) -> None:
        if fields != 1 + self._net.reads_pairs:
            reads, given = ("pairs", "a single text") if self._net.reads_pairs else ("one text", "not a pair")
            raise UserError(f"{self._name} reads {reads}, {given}; attack what it was trained on")

    def logits(self, batch: TokenBatch, *, full: bool) -> torch.Tensor:
        """Return the net's raw outputs; those in full precision in float64 on a CPU."""
        net = self._check_net if full else self._search
        outputs: torch.Tensor = net(batch.ids, batch.mask, batch.types)
        return outputs

    def predict_texts(self, texts: Sequence[str]) -> Floats:
        """Return the class probabilities of plain strings, one row a text, in full precision."""
        import torch

        encoded = self._reads.whole([(text,) for text in texts])
        lengths = np.array([len(each.tokens) for each in encoded], dtype=np.int64)
        order = np.argsort(lengths, kind="stable")
        probabilities: Floats = np.empty((len(encoded), len(self.labels)), dtype=np.float32)
        with torch.inference_mode():
            for span, _ in batches(lengths[order], self.packing):
                chosen = order[span]
                batch = whole_batch(
                    [encoded[number] for number in chosen.tolist()],
                    self._reads,
                    PAD,
                    self.packing.shortest,
                    self.device,
                )
                probabilities[chosen] = self._net(batch.ids, batch.mask).softmax(-1).cpu().numpy()
        return probabilities

    @cached_property
    def gradients(self) -> FunctionService:
        """Gradients of the loss at the word vectors, many texts in one backward pass."""
        return FunctionService(self._gradients)

    @cached_property
    def hidden(self) -> FunctionService:
        """The word vectors and the states of every layer; zeros fill narrower ones, which moves no two apart."""
        return FunctionService(self._hidden)

    def _encoded(self, texts: Sequence[Text]) -> tuple[TokenBatch, list[NDArray[np.int64]]]:
        pairs = [self._reads.words_of_tokens(text) for text in texts]
        batch = whole_batch([whole for whole, _ in pairs], self._reads, PAD, self.packing.shortest, self.device)
        return batch, [np.array(words, dtype=np.int64) for _, words in pairs]

    def _gradients(self, requests: Sequence[GradientRequest]) -> list[Gradients]:
        import torch

        batch, words = self._encoded([request.text for request in requests])
        vectors = self._net.front.embed(batch.ids).detach().requires_grad_()
        labels = torch.tensor([request.label for request in requests], device=self.device)
        # cuDNN differentiates recurrent nets only in training mode, where dropout would be on.
        with torch.backends.cudnn.flags(enabled=False):
            logits = self._net.forward_embedded(vectors, batch.ids, batch.mask, batch.types)
            losses = torch.nn.functional.cross_entropy(logits, labels, reduction="none")
            (gradient,) = torch.autograd.grad(losses.sum(), vectors)
        values, told = gradient.cpu().numpy(), losses.detach().cpu().tolist()
        ids = batch.ids.cpu().numpy()
        return [Gradients(ids[n, : len(w)], w, values[n, : len(w)], told[n]) for n, w in enumerate(words)]

    def _hidden(self, texts: Sequence[Text]) -> list[Hidden]:
        import torch

        batch, words = self._encoded(texts)
        with torch.inference_mode():
            layers = self._net.layers(batch.ids, batch.mask)
            widest = max(layer.shape[2] for layer in layers)
            filled = [torch.nn.functional.pad(layer, (0, widest - layer.shape[2])) for layer in layers]
        stacked = torch.stack(filled).cpu().numpy()
        return [Hidden(w, stacked[:, n, : len(w)]) for n, w in enumerate(words)]


class AttentiveVictim(NetVictim):
    """A net that also tells how it weighs its words."""

    @cached_property
    def attention(self) -> FunctionService:
        """The weight of every token, as one layer with one head that asks once."""
        return FunctionService(self._attention)

    def _attention(self, texts: Sequence[Text]) -> list[Attention]:
        import torch

        from unfool.zoo.nets.lstm_attention import LSTMAttention

        assert isinstance(self._net, LSTMAttention)
        batch, words = self._encoded(texts)
        with torch.inference_mode():
            weights = self._net.attention(batch.ids, batch.mask, batch.types).cpu().numpy()
        return [Attention(w, weights[n, : len(w)].reshape(1, 1, 1, -1)) for n, w in enumerate(words)]
