"""Victims that are asked with tokens: neural nets, spliced encodings, full batches."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from unfool.engine import Answers, Later, PendingAnswers
from unfool.errors import UserError
from unfool.text import Variants
from unfool.victims._victim import Victim, checked
from unfool.victims.tokens._edits import Edits, edits_of
from unfool.victims.tokens._packing import (
    DeviceUnits,
    Packing,
    RowsOnDevice,
    TokenBatch,
    TokensOnDevice,
    batches,
    whole_batch,
)
from unfool.victims.tokens._unit_store import Encoder
from unfool.victims.tokens._units import TokenRows, UnitRows, UnitTable

if TYPE_CHECKING:
    import torch

FULL_DECIMALS, HALF_DECIMALS = 5, 3
CPU_PACKING = Packing(tokens=2048, least=1024)
_GPU_TOKENS, _GPU_MOST_LEAST = 131_072, 65_536
_BUSY_PRODUCTS = 1.4e12
"""Multiplications that keep a GPU busy for longer than the host needs to launch them."""
_FULL_PRECISION_COST = 8
"""How much longer a GPU takes in float32 than in bfloat16, so that fewer rows keep it busy."""


class VictimSpec(NamedTuple):
    """What another process must know to encode texts for a victim."""

    name: str
    encoder: Encoder
    labels: tuple[str, ...]
    unknown: str
    approximate: bool
    fields: int | None


class Shortcut(Protocol):
    """Works out what a change of some tokens makes of a base's answer, and no more than that."""

    is_exact: bool
    """Whether it answers in full precision."""

    def logits(self, edits: Edits) -> torch.Tensor:
        """Return what the net itself would say, but for the last bits: its raw outputs, [texts, classes]."""


class EncodedVictim(Victim):
    """Base of neural victims; a subclass gives the net's logits, twice if the search runs in half precision.

    Args:
        encoder: The tokenizer.
        labels: Label names, one a class.
        device: Where the net lives.
        pad: The token that fills short rows.
        unknown: A word the net reads as its unknown token.
        packing: The shape of batches (default: chosen by the device and the net's size).
        weights: How many numbers the net multiplies for each token.
        fields: How many fields a text must have (default: any).
        half: Whether the search runs in bfloat16; every success is then checked in float32 at once.
        checks_together: Whether checks may share a batch, which only full precision much finer than what is
            recorded allows (default: on a GPU).
    """

    device: torch.device
    shortcut: Shortcut | None = None
    """A quicker way to the net's answers about changed texts, if there is one."""

    def __init__(
        self,
        encoder: Encoder,
        labels: tuple[str, ...],
        device: torch.device,
        *,
        pad: int = 0,
        unknown: str = "[UNK]",
        packing: Packing | None = None,
        weights: int = 1,
        fields: int | None = None,
        half: bool = False,
        checks_together: bool | None = None,
    ) -> None:
        self.encoder, self.labels, self.device = encoder, labels, device
        on_gpu = device.type == "cuda"
        gpu_packing = Packing(_GPU_TOKENS, least=min(_GPU_MOST_LEAST, int(_BUSY_PRODUCTS / weights)))
        self.packing = packing or (gpu_packing if on_gpu else CPU_PACKING)
        self.approximate = half
        self.decimals = HALF_DECIMALS if half else FULL_DECIMALS
        self.unknown, self._fields = unknown, fields
        self._pad = pad
        self._checks_together = on_gpu if checks_together is None else checks_together
        self._table = UnitTable(encoder)
        self._device_units = DeviceUnits(self._table.store, device)

    @property
    def vocabulary(self) -> Sequence[str]:
        """The net's whole words."""
        return self.encoder.vocabulary

    @abstractmethod
    def logits(self, batch: TokenBatch, *, full: bool) -> torch.Tensor:
        """Return the net's raw outputs, [texts, classes]; ``full`` asks for full precision."""

    def rows(self, asked: Sequence[Variants]) -> UnitRows:
        """Encode what the samples ask by splicing kept pieces."""
        self.accept(len(base.fields) for variants in asked for base in variants.bases)
        return self._table.rows(asked)

    def accept(self, fields: Iterable[int]) -> None:
        """Refuse pairs, or single texts, if the net was made for the other."""
        if self._fields and any(given != self._fields for given in fields):
            reads = "one text, not a pair" if self._fields == 1 else "pairs, not single texts"
            raise UserError(f"{self!r} reads {reads}; attack what it was trained on")

    def overlong(self, inputs: Sequence[tuple[str, ...]]) -> int:
        """Count the rendered texts that have more tokens than the net takes."""
        encoder = self.encoder
        tokens = map(len, encoder.pieces([string for strings in inputs for string in strings]))
        specials = len(encoder.prefix) + len(encoder.suffix)
        lengths = (
            specials + len(encoder.middle) * (len(strings) - 1) + sum(islice(tokens, len(strings)))
            for strings in inputs
        )
        return sum(length > encoder.max_length for length in lengths)

    def launch(self, rows: UnitRows, chosen: NDArray[np.intp]) -> PendingAnswers:
        """Start the forward passes over some of the rows and return; `result` waits."""
        return self._launch(rows, chosen, raw=False)

    def launch_logits(self, rows: UnitRows, chosen: NDArray[np.intp]) -> PendingAnswers:
        """Like `launch`, for the raw outputs."""
        return self._launch(rows, chosen, raw=True)

    def check(self, inputs: Sequence[tuple[str, ...]]) -> PendingAnswers:
        """Encode rendered texts with the tokenizer alone and ask in full precision; `result` waits.

        On a CPU each text goes by itself, or in float64, so that what is recorded never depends on its neighbours.
        """
        return self._check(inputs, raw=False)

    def confirm_logits(self, inputs: Sequence[tuple[str, ...]]) -> Answers:
        """Like `confirm`, for the raw outputs."""
        return self._check(inputs, raw=True).result()

    def spec(self) -> VictimSpec:
        """Say what another process must know to encode texts for this victim."""
        return VictimSpec(repr(self), self.encoder, self.labels, self.unknown, self.approximate, self._fields)

    def launch_tokens(self, rows: TokenRows, *, raw: bool, full: bool) -> ForwardPass:
        """Start the forward passes over rows encoded elsewhere, closing tokens included."""
        order, inverse = _by_length(rows.lengths)
        on_device = TokensOnDevice(rows, order, self._pad, self.device)
        return self._queue(self._cut(rows.lengths[order], on_device, full), inverse, raw, full)

    def _launch(self, rows: UnitRows, chosen: NDArray[np.intp], raw: bool) -> PendingAnswers:
        if self.shortcut:
            return self._launch_shortcut(self.shortcut, rows, chosen, raw)
        return self._launch_whole(rows, chosen, raw)

    def _launch_whole(self, rows: UnitRows, chosen: NDArray[np.intp], raw: bool) -> PendingAnswers:
        work, inverse = self._spliced(rows, chosen, full=False)
        return self._queue(work, inverse, raw, full=False)

    def _launch_shortcut(
        self, shortcut: Shortcut, rows: UnitRows, chosen: NDArray[np.intp], raw: bool
    ) -> PendingAnswers:
        """Take the shortcut where the net reads base and text to their end, and the long way where it does not."""
        import torch

        edits, most = edits_of(rows, chosen, self._table.store), self.encoder.max_length
        shorter, longer = (find(edits.lengths[edits.base], edits.text_lengths) for find in (np.minimum, np.maximum))
        fits = (shorter > 0) & (longer <= most)
        pending = self._launch_whole(rows, chosen[~fits], raw)
        values = np.empty((len(chosen), len(self.labels)), dtype=np.float32)
        if fits.any():
            with torch.inference_mode():
                outputs = shortcut.logits(edits.take(np.flatnonzero(fits)))
                values[fits] = (outputs if raw else outputs.softmax(-1)).numpy()

        def joined(rest: Answers) -> Answers:
            values[~fits] = rest.values
            return self.answers(values, raw)

        return pending.then(joined)

    def _spliced(
        self, rows: UnitRows, chosen: NDArray[np.intp], full: bool
    ) -> tuple[Iterator[tuple[slice, TokenBatch]], NDArray[np.intp]]:
        """Return batches of some rows, shortest first, and the way back to their order."""
        order, inverse = _by_length(rows.lengths[chosen])
        order = chosen[order]
        on_device = RowsOnDevice(rows, order, self._device_units, self.encoder, self._pad)
        lengths = np.minimum(rows.lengths[order] + len(self.encoder.suffix), self.encoder.max_length)
        return self._cut(lengths, on_device, full), inverse

    def _cut(
        self, lengths: NDArray[np.int64], on_device: RowsOnDevice | TokensOnDevice, full: bool
    ) -> Iterator[tuple[slice, TokenBatch]]:
        # A width rounded up may be wider than the net can take.
        widest = max(self.encoder.max_length, self.packing.shortest)
        for span, rounded in batches(lengths, self._shape(full)):
            width = min(rounded, widest)
            yield span, on_device.batch(span, width)

    def _shape(self, full: bool) -> Packing:
        slow = full and self.device.type == "cuda"
        return self.packing._replace(least=self.packing.least // _FULL_PRECISION_COST) if slow else self.packing

    def _check(self, inputs: Sequence[tuple[str, ...]], raw: bool) -> PendingAnswers:
        self.accept(map(len, inputs))
        texts = self.encoder.whole(inputs)
        lengths = np.array([len(text.tokens) + len(self.encoder.suffix) for text in texts], dtype=np.int64)
        order, inverse = _by_length(lengths)
        one_by_one = ((slice(n, n + 1), 0) for n in range(len(texts)))
        spans = batches(lengths[order], self._shape(full=True)) if self._checks_together else one_by_one

        def batch(span: slice) -> TokenBatch:
            rows = [texts[number] for number in order[span]]
            return whole_batch(rows, self.encoder, self._pad, self.packing.shortest, self.device)

        return self._queue(((span, batch(span)) for span, _ in spans), inverse, raw, full=True)

    def _queue(
        self, work: Iterable[tuple[slice, TokenBatch]], inverse: NDArray[np.intp], raw: bool, full: bool
    ) -> ForwardPass:
        """Queue the forward passes and the copy of their answers back; the host is free meanwhile."""
        import torch

        # PyTorch keeps pinned memory for the next batch, but not before the copies to it are done.
        host = torch.empty((len(inverse), len(self.labels)), pin_memory=self.device.type == "cuda")
        with torch.inference_mode():
            for span, batch in work:
                outputs = self.logits(batch, full=full)
                if outputs.dtype != torch.float64:
                    outputs = outputs.float()
                host[span].copy_(outputs if raw else outputs.softmax(-1), non_blocking=True)
        event = torch.cuda.current_stream().record_event() if self.device.type == "cuda" else None

        def fetch() -> Answers:
            if event:
                event.synchronize()
            return self.answers(host.numpy()[inverse], raw)

        return ForwardPass(fetch, event)

    def answers(self, values: NDArray[np.float32], raw: bool) -> Answers:
        """Refuse what no classifier may answer."""
        if raw:
            return Answers(values, {})
        return checked(repr(self), values, len(values), len(self.labels))


class ForwardPass(Later[Answers]):
    """Forward passes under way; their answers go to host memory by themselves."""

    def __init__(self, fetch: Callable[[], Answers], event: torch.cuda.Event | None) -> None:
        super().__init__(fetch)
        self._event = event

    def done(self) -> bool:
        """Whether `result` would return at once."""
        return self._event is None or bool(self._event.query())  # type: ignore[no-untyped-call]


def _by_length(lengths: NDArray[np.int64]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the order of the lengths, shortest first, and the way back."""
    order = np.argsort(lengths, kind="stable")
    inverse = np.empty(len(order), dtype=np.intp)
    inverse[order] = np.arange(len(order))
    return order, inverse
