"""Victims that are asked with tokens: neural nets, spliced encodings, full batches."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from unfool.engine import Answers, PendingAnswers
from unfool.text import Variants
from unfool.victims._packing import DeviceUnits, Packing, RowsOnDevice, TokenBatch, batches, whole_batch
from unfool.victims._text_victim import checked
from unfool.victims._unit_store import Encoder
from unfool.victims._units import UnitRows, UnitTable

if TYPE_CHECKING:
    import torch

CPU_PACKING = Packing(tokens=2048, multiple=1)
GPU_PACKING = Packing(tokens=131_072, multiple=4)


class EncodedVictim(ABC):
    """Base of neural victims; a subclass gives the net's logits, twice if the search runs in half precision.

    Args:
        encoder: The tokenizer.
        labels: Label names, one a class.
        device: Where the net lives.
        pad: The token that fills short rows.
        unknown: A word the net reads as its unknown token.
        packing: The shape of batches; chosen by the device where None.
        half: Whether the search runs in bfloat16; every success is then checked in float32 at once.
    """

    def __init__(
        self,
        encoder: Encoder,
        labels: tuple[str, ...],
        device: torch.device,
        *,
        pad: int = 0,
        unknown: str = "[UNK]",
        packing: Packing | None = None,
        half: bool = False,
    ) -> None:
        self.encoder, self.labels, self.device = encoder, labels, device
        self.packing = packing or (GPU_PACKING if device.type == "cuda" else CPU_PACKING)
        self.approximate = half
        self.decimals = 3 if half else 5
        self.unknown = unknown
        self._pad = pad
        self._table = UnitTable(encoder)
        self._device_units = DeviceUnits(self._table.store, device)
        self._pinned: list[torch.Tensor] = []

    @property
    def vocabulary(self) -> Sequence[str]:
        """The net's whole words."""
        return self.encoder.vocabulary

    @abstractmethod
    def logits(self, batch: TokenBatch, *, full: bool) -> torch.Tensor:
        """Return the net's raw outputs, [texts, classes]; ``full`` asks for full precision."""

    def rows(self, asked: Sequence[Variants]) -> UnitRows:
        """Encode what the samples ask by splicing kept pieces."""
        return self._table.rows(asked)

    def launch(self, rows: UnitRows, chosen: NDArray[np.intp]) -> PendingAnswers:
        """Start the forward passes over some of the rows and return; `result` waits."""
        return self._launch(rows, chosen, raw=False)

    def launch_logits(self, rows: UnitRows, chosen: NDArray[np.intp]) -> PendingAnswers:
        """Like `launch`, for the raw outputs."""
        return self._launch(rows, chosen, raw=True)

    def confirm(self, inputs: Sequence[tuple[str, ...]]) -> Answers:
        """Encode rendered texts with the tokenizer alone and ask in full precision.

        On a CPU each text goes by itself, so that not even the last bit depends on its neighbours.
        """
        return self._confirm(inputs, raw=False)

    def confirm_logits(self, inputs: Sequence[tuple[str, ...]]) -> Answers:
        """Like `confirm`, for the raw outputs."""
        return self._confirm(inputs, raw=True)

    def _launch(self, rows: UnitRows, chosen: NDArray[np.intp], raw: bool) -> PendingAnswers:
        import torch

        by_length = np.argsort(rows.lengths[chosen], kind="stable")
        order = chosen[by_length]
        inverse = np.empty(len(order), dtype=np.intp)
        inverse[by_length] = np.arange(len(order))
        host = self._buffer(len(order))
        with torch.inference_mode():
            on_device = (
                RowsOnDevice(rows, order, self._device_units, self.encoder, self._pad) if len(order) else None
            )
            limit = self.encoder.max_length
            lengths = np.minimum(rows.lengths[order] + len(self.encoder.suffix), limit)
            for span, width in batches(lengths, self.packing):
                assert on_device is not None
                outputs = self.logits(
                    on_device.batch(span, min(width, max(limit, self.packing.shortest))), full=False
                )
                outputs = outputs.float() if raw else outputs.float().softmax(-1)
                host[span].copy_(outputs, non_blocking=True)
        event = torch.cuda.current_stream().record_event() if self.device.type == "cuda" else None
        return _PendingForward(self, host, event, inverse, raw)

    def _confirm(self, inputs: Sequence[tuple[str, ...]], raw: bool) -> Answers:
        import torch

        texts = self.encoder.whole(inputs)
        step = 1
        if self.device.type == "cuda":
            longest = max((len(text.tokens) for text in texts), default=1)
            step = max(1, self.packing.tokens // (longest + 1))
        outputs = []
        with torch.inference_mode():
            for start in range(0, len(texts), step):
                batch = whole_batch(
                    texts[start : start + step], self.encoder, self._pad, self.packing.shortest, self.device
                )
                outputs.append(self.logits(batch, full=True).float())
            if not outputs:
                return Answers(np.empty((0, len(self.labels)), dtype=np.float32), {})
            values = torch.cat(outputs)
            values = values if raw else values.softmax(-1)
        return self.answers(values.cpu().numpy(), raw)

    def answers(self, values: NDArray[np.float32], raw: bool) -> Answers:
        """Refuse what no classifier may answer."""
        if raw:
            return Answers(values, {})
        return checked(repr(self), values, len(values), len(self.labels))

    def _buffer(self, rows: int) -> torch.Tensor:
        """Return pinned host memory for the answers; pinning anew for each batch would be slow."""
        import torch

        if self.device.type != "cuda":
            return torch.empty((rows, len(self.labels)))
        for number, tensor in enumerate(self._pinned):
            if len(tensor) >= rows:
                return self._pinned.pop(number)
        return torch.empty((max(rows * 2, 4096), len(self.labels)), pin_memory=True)

    def give_back(self, buffer: torch.Tensor) -> None:
        """Take a pinned buffer back for the next batch."""
        if self.device.type == "cuda":
            self._pinned = sorted([*self._pinned, buffer], key=len)[-4:]


class _PendingForward:
    def __init__(
        self,
        victim: EncodedVictim,
        host: torch.Tensor,
        event: torch.cuda.Event | None,
        inverse: NDArray[np.intp],
        raw: bool,
    ) -> None:
        self._victim, self._host, self._event, self._inverse, self._raw = victim, host, event, inverse, raw

    def result(self) -> Answers:
        if self._event:
            self._event.synchronize()
        values = self._host.numpy()[self._inverse]
        self._victim.give_back(self._host)
        return self._victim.answers(values, self._raw)
