"""A net of one's own in PyTorch as a victim."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any

from unfool.devices import torch_device
from unfool.errors import UserError, first_line
from unfool.text import Text
from unfool.victims._answer_forms import label_names
from unfool.victims._foreign_code import Aside
from unfool.victims._victim import PLAIN_TEXTS
from unfool.victims.tokens import CPU_PACKING, SpanEncoder, TokenBatch, TokenizerEncoder, Whole, whole_batch
from unfool.victims.torch_model import TorchModel, embedding_of, encoder_of, takes_mask
from unfool.victims.white_box import WhiteBoxVictim

if TYPE_CHECKING:
    import torch

_CLOSE = 1e-4


class TorchNet(WhiteBoxVictim):
    """A net of one's own; all it does is in fp32.

    Args:
        model: The net and what its owner says of it.
        name: The name that opens it again.
        device: ``cpu``, ``cuda`` or ``auto``.
        aside: Where the net's code has run before.
    """

    def __init__(self, model: TorchModel, name: str, *, device: str = "auto", aside: Aside | None = None) -> None:
        self._name, self._aside, place = name, aside or Aside(), torch_device(device)
        self._net = model.net.to(place).eval()
        self._layer = embedding_of(name, model)
        self._takes_mask = takes_mask(name, self._net)
        encoder = encoder_of(name, model)
        alike = None if self._takes_mask else CPU_PACKING._replace(least=1)
        super().__init__(
            encoder,
            label_names(name, model.labels),
            place,
            pad=model.pad,
            packing=alike,
            weights=max(1, sum(part.numel() for part in self._net.parameters()) - self._layer.weight.numel()),
            fields=1 if isinstance(encoder, SpanEncoder) else None,
        )
        self._try()

    def __repr__(self) -> str:
        return self._name

    @property
    def module(self) -> torch.nn.Module:
        """The net itself; who changes its weights must `refresh` the victim."""
        return self._net

    def logits(self, batch: TokenBatch, *, full: bool) -> torch.Tensor:
        """Return the net's raw outputs, one column a label."""
        import torch

        with self._aside():
            found: Any = self._net(batch.ids, batch.mask) if self._takes_mask else self._net(batch.ids)
        outputs: torch.Tensor = getattr(found, "logits", found)
        if outputs.ndim == 1:
            outputs = outputs[:, None]
        if outputs.shape[1] == 1:  # softmax of (0, z) is sigmoid of z
            outputs = torch.cat([torch.zeros_like(outputs), outputs], dim=1)
        if outputs.shape != (len(batch.ids), len(self.labels)):
            raise UserError(
                f"{self!r} gives {list(outputs.shape)} numbers for {len(batch.ids)} texts and {len(self.labels)} "
                "labels; the net returns [texts, classes]"
            )
        return outputs

    @property
    def table(self) -> torch.Tensor:
        """The vectors of all tokens."""
        weights: torch.Tensor = self._layer.weight
        return weights

    def words_of_tokens(self, text: Text) -> tuple[Whole, list[int]]:
        """Encode a text whole and say which word each token comes from; -1 for none."""
        assert isinstance(self.encoder, SpanEncoder | TokenizerEncoder)
        return self.encoder.words_of_tokens(text)

    def embed(self, batch: TokenBatch) -> torch.Tensor:
        """Return the tokens' vectors, as the layer makes them."""
        vectors: torch.Tensor = self._layer(batch.ids)
        return vectors

    def logits_of(self, vectors: torch.Tensor, batch: TokenBatch) -> torch.Tensor:
        """Run the net with these vectors in place of what its layer returns."""
        calls = 0

        def put(_: Any, __: Any, output: torch.Tensor) -> torch.Tensor:
            nonlocal calls
            calls += 1
            if output.shape != vectors.shape:
                raise UserError(
                    f"{self!r} asks its embedding for {list(output.shape)} numbers, not {list(vectors.shape)}; the "
                    "net must call it with the numbers as it got them"
                )
            return vectors

        with _hooked([self._layer.register_forward_hook(put)]):
            outputs = self.logits(batch, full=True)
        if calls != 1:
            raise UserError(f"{self!r} calls its embedding {calls} times for a text; it must call it once")
        return outputs

    def layers(self, batch: TokenBatch) -> list[torch.Tensor]:
        """Return the vectors, and what each part of the net returns that has a row for each token."""
        found: list[torch.Tensor] = [self.embed(batch)]

        def keep(_: Any, __: Any, output: Any) -> None:
            states = output[0] if isinstance(output, tuple) else output
            if getattr(states, "ndim", 0) == 3 and states.shape[:2] == batch.ids.shape:
                found.append(states)

        parts = [part for part in self._net.children() if part is not self._layer]
        with _hooked([part.register_forward_hook(keep) for part in parts]):
            self.logits(batch, full=True)
        return found

    def summary(self, batch: TokenBatch) -> tuple[torch.Tensor, torch.Tensor]:
        """Return what goes into the last linear layer, and the raw outputs."""
        seen: list[torch.Tensor] = []
        with _hooked([self._last_linear.register_forward_pre_hook(lambda _, inputs: seen.append(inputs[0]))]):
            outputs = self.logits(batch, full=True)
        if seen[0].ndim != 2:
            raise UserError(f"the last linear layer of {self!r} reads no one vector a text")
        return seen[0], outputs

    @cached_property
    def _last_linear(self) -> torch.nn.Module:
        import torch

        found = [part for part in self._net.modules() if isinstance(part, torch.nn.Linear)]
        if not found:
            raise UserError(f"{self!r} has no linear layer to decide by")
        return found[-1]

    def _try(self) -> None:
        """Ask about a plain text, with the layer's vectors and with the same put in its place."""
        import torch

        whole, _ = self.words_of_tokens(Text.of(PLAIN_TEXTS[0]))
        batch = whole_batch([whole], self.encoder, self._pad, 1, self.device)
        try:
            with self.differentiable():
                vectors = self.embed(batch).detach().requires_grad_()
                outputs = self.logits_of(vectors, batch)
                (gradient,) = torch.autograd.grad(outputs.sum(), vectors, allow_unused=True)
            same = torch.allclose(outputs, self.logits(batch, full=True), atol=_CLOSE)
        except UserError:
            raise
        except Exception as error:  # whatever a stranger's net raises
            raise UserError(f"{self!r} cannot answer about {PLAIN_TEXTS[0]!r}: {first_line(error)}") from error
        if gradient is None or not same:
            raise UserError(
                f"{self!r} does not answer by the vectors of the layer named as its embedding; name the one "
                "that it looks tokens up in, and switch dropout off in eval mode"
            )


@contextmanager
def _hooked(handles: list[Any]) -> Iterator[None]:
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()
