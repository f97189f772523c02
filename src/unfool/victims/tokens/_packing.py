"""From rows of units to token matrices on the device, batch by batch under a token budget."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unfool.victims.tokens._unit_store import Encoder, UnitStore, Whole
from unfool.victims.tokens._units import TokenRows, UnitRows

if TYPE_CHECKING:
    import torch


class TokenBatch(NamedTuple):
    """Padded token ids, which of them count, and which belong to a pair's second text."""

    ids: torch.Tensor
    mask: torch.Tensor
    types: torch.Tensor


class Packing(NamedTuple):
    """How batches are shaped."""

    tokens: int
    """The most padded tokens a batch."""
    least: int
    """Tokens that keep the device busy: a batch that has them ends before the next longer row."""
    multiple: int = 1
    """Lengths are rounded up to a multiple of this."""
    shortest: int = 1
    """The shortest length a net takes."""


def batches(lengths: NDArray[np.int64], packing: Packing) -> Iterator[tuple[slice, int]]:
    """Cut rows sorted by length into batches, and say how wide each is.

    Rows of one length make batches of their own if there are enough of them, so that nothing is padded.
    """
    start = 0
    while start < len(lengths):
        first = _rounded(int(lengths[start]), packing)
        enough = min(start + max(1, -(-packing.least // first)), len(lengths))
        alike = int(np.searchsorted(lengths, lengths[enough - 1], side="right"))
        stop = min(alike, start + max(1, packing.tokens // first))
        while stop > start + 1 and (stop - start) * _rounded(int(lengths[stop - 1]), packing) > packing.tokens:
            stop -= max(1, (stop - start) // 16)
        yield slice(start, stop), _rounded(int(lengths[stop - 1]), packing)
        start = stop


def _rounded(length: int, packing: Packing) -> int:
    wide = max(length, packing.shortest)
    return -(-wide // packing.multiple) * packing.multiple


class DeviceUnits:
    """The unit store's arrays on a device, brought up to date as units are added."""

    def __init__(self, store: UnitStore, device: torch.device) -> None:
        self._store, self._device = store, device
        self._seen = (0, 0, 0)
        self._tensors: list[torch.Tensor] = []

    def tensors(self) -> list[torch.Tensor]:
        """Return tokens, starts and counts, current."""
        store = self._store
        generation, units, used = self._seen
        hosts: list[NDArray[Any]] = [store.tokens, store.starts, store.counts]
        if generation != store.generation or [len(t) for t in self._tensors] != [len(a) for a in hosts]:
            self._tensors = [upload(a.copy(), self._device) for a in hosts]
        elif units != store.units:
            grown = slice(units, store.units)
            for tensor, host, span in zip(
                self._tensors, hosts, (slice(used, store.used), grown, grown), strict=True
            ):
                tensor[span] = upload(host[span].copy(), self._device)
        self._seen = (store.generation, store.units, store.used)
        return self._tensors


class RowsOnDevice:
    """Unit rows on the device, in order of length, ready to be turned into token batches."""

    def __init__(
        self, rows: UnitRows, order: NDArray[np.intp], units: DeviceUnits, encoder: Encoder, pad: int
    ) -> None:
        self._encoder, self._pad = encoder, pad
        self._tokens, self._starts, self._counts = units.tensors()
        device = self._tokens.device
        which = rows.which[order]
        self._widths = rows.widths[which]
        columns = (rows.starts[which], self._widths, rows.seconds[which], rows.place[order], rows.new[order])
        # One copy for all columns: a launch each would cost more than the bytes.
        self._row_starts, self._row_widths, self._seconds, self._place, self._new = upload(
            np.stack(columns), device
        )
        self._flat = upload(rows.flat, device)

    def batch(self, span: slice, width: int) -> TokenBatch:
        """Assemble the token matrix of some rows, ``width`` tokens wide."""
        import torch

        device = self._tokens.device
        widest = int(self._widths[span].max())
        columns = torch.arange(widest, device=device)
        inside = columns < self._row_widths[span, None]
        units = self._flat[(self._row_starts[span, None] + columns).clamp_(max=len(self._flat) - 1)]
        units = torch.where(inside, units, 0)
        units = torch.where(columns == self._place[span, None], self._new[span, None], units)
        counts = self._counts[units]
        ends = counts.cumsum(1)
        room = self._encoder.max_length - len(self._encoder.suffix)
        content = ends[:, -1:].clamp(max=room)
        at = torch.arange(width, device=device).expand(len(units), width).contiguous()
        unit = torch.searchsorted(ends, at, right=True).clamp_(max=widest - 1)
        piece = at - (ends.gather(1, unit) - counts.gather(1, unit))
        where = (self._starts[units.gather(1, unit)] + piece).clamp_(min=0, max=len(self._tokens) - 1)
        ids = torch.where(at < content, self._tokens[where].long(), self._pad)
        for offset, token in enumerate(self._encoder.suffix):
            ids = torch.where(at == content + offset, token, ids)
        mask = at < content + len(self._encoder.suffix)
        seconds = self._seconds[span, None]
        types = torch.where(at < content, unit >= seconds, seconds < self._row_widths[span, None])
        return TokenBatch(ids, mask, (types & mask).long())


class TokensOnDevice:
    """Token rows on the device, in order of length, ready to be cut into batches."""

    def __init__(self, rows: TokenRows, order: NDArray[np.intp], pad: int, device: torch.device) -> None:
        starts = np.cumsum(rows.lengths) - rows.lengths
        # One token more than there are: texts may all be empty.
        self._tokens, self._pad = upload(np.append(rows.tokens, np.int32(pad)), device), pad
        columns = np.stack([starts[order], rows.lengths[order], rows.seconds[order]])
        self._starts, self._lengths, self._seconds = upload(columns, device)

    def batch(self, span: slice, width: int) -> TokenBatch:
        """Assemble the token matrix of some rows, ``width`` tokens wide."""
        import torch

        at = torch.arange(width, device=self._tokens.device)
        mask = at < self._lengths[span, None]
        where = (self._starts[span, None] + at).clamp_(max=len(self._tokens) - 1)
        ids = torch.where(mask, self._tokens[where].long(), self._pad)
        return TokenBatch(ids, mask, ((at >= self._seconds[span, None]) & mask).long())


def whole_batch(texts: list[Whole], encoder: Encoder, pad: int, shortest: int, device: torch.device) -> TokenBatch:
    """Put whole encodings into one padded batch, as the tokenizer alone would."""
    rows = [[*text.tokens, *encoder.suffix] for text in texts]
    width = max(shortest, *map(len, rows))
    ids = np.full((len(rows), width), pad, dtype=np.int64)
    mask = np.zeros((len(rows), width), dtype=bool)
    types = np.zeros((len(rows), width), dtype=np.int64)
    for number, (row, text) in enumerate(zip(rows, texts, strict=True)):
        ids[number, : len(row)] = row
        mask[number, : len(row)] = True
        if text.second is not None:
            types[number, text.second : len(row)] = 1
    return TokenBatch(upload(ids, device), upload(mask, device), upload(types, device))


_MOST_PINNED = 1 << 24
"""Bytes. PyTorch keeps pinned memory for good; what is larger, such as a data set, is uploaded rarely."""


def upload(array: NDArray[Any], device: torch.device) -> torch.Tensor:
    """Return the array on the device; unless it is large, the host waits for nothing. A CPU gets the array itself.

    A copy from ordinary memory waits for all work queued before it. PyTorch keeps pinned memory until the copies
    from it are done: so the stream of the work is enough, and no copy reads what is freed or changed.
    """
    import torch

    host = torch.from_numpy(array)
    if device.type != "cuda" or array.nbytes > _MOST_PINNED:
        return host.to(device)
    return host.pin_memory().to(device, non_blocking=True)
