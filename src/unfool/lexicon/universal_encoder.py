"""The universal sentence encoder (multilingual, v3; Yang et al., 2020) in NumPy, and the tokens it reads.

Token vectors pass through three residual convolutions over 2, 3 and 5 tokens; their normalised sum, divided by the
square root of their number, through a small feed-forward net. The strings of a batch stand in one row of tokens,
and no window reaches from one string into the next.
"""

from __future__ import annotations

import math
import struct
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
_PARTS = 17
"""Token vectors come in as many tables, each in bytes of its own scale: token i is row i // 17 of table i % 17."""
_WINDOWS = {2: 0, 3: 1, 5: 2}
"""How many tokens a convolution sees, and how many of them stand to the left."""
_FIRST_LAYER = {"proj": "proj", "proj_b": "proj_b", "ln_g": "ln_g0", "ln_b": "ln_b0"}
_TOKENS_A_BATCH = 512

_UNKNOWN, _START, _END = 0, 1, 2
_UNKNOWN_PENALTY = 10.0
"""How much less likely an unknown character is than the least likely piece, in log-probability."""
_SPACE = "▁"
_WORDS_KEPT = 1 << 16
# What the model's own normalisation does beyond Unicode's NFKC: these part words.
_GAPS = dict.fromkeys(map(ord, "\t\n\f\r\u1680\u200b\u200e\u200f\u2028\u2029\u2581\ufeff\ufffd"), " ")


class Universal:
    """The net and its tokens."""

    def __init__(self, pieces: Pieces, weights: Mapping[str, Floats]) -> None:
        # The three branches' first layers stand side by side: they are normalised together.
        joined = {name: np.concatenate([weights[f"{name}{n}"] for n in _WINDOWS], axis=-1) for name in _FIRST_LAYER}
        self._pieces = pieces
        self._weights = {**weights, **{new: joined[name] for name, new in _FIRST_LAYER.items()}}
        self._table = np.stack([weights[f"q{part + 1}"] for part in range(_PARTS)], axis=1)
        self._epsilon = float(weights["eps"])

    @classmethod
    def load(cls, folder: Path) -> Universal:
        """Read the weights and the tokens' file from a folder."""
        with np.load(folder / "weights.npz", allow_pickle=False) as weights:
            return cls(Pieces.load(folder / "sp.model"), dict(weights.items()))

    def vectors(self, strings: Sequence[str]) -> Floats:
        """Return one unit vector a string."""
        rows = [self._pieces.encode(string) for string in strings]
        done, batch = [np.empty((0, self._weights["d3"].shape[1]), dtype=np.float32)], list[list[int]]()
        for row in rows:
            if batch and sum(map(len, batch)) + len(row) > _TOKENS_A_BATCH:
                done.append(self._forward(batch))
                batch = []
            batch.append(row)
        if batch:
            done.append(self._forward(batch))
        return np.concatenate(done)

    def _forward(self, rows: Sequence[Sequence[int]]) -> Floats:
        w = self._weights
        lengths = np.array([len(row) for row in rows])
        starts = np.cumsum(lengths) - lengths
        tokens = self._embedded(np.concatenate(rows).astype(np.intp))
        seen = self._normalised(tokens @ w["proj"] + w["proj_b"], w["ln_g0"], w["ln_b0"])
        branches = zip(_WINDOWS, np.split(seen, len(_WINDOWS), axis=1), strict=True)
        around = [self._convolved(states, width, starts, lengths) for width, states in branches]
        states = self._normalised(np.concatenate([tokens, *around], axis=1), w["ln_g"], w["ln_b"])
        counts = lengths.astype(np.float32)[:, None]
        mean = (np.add.reduceat(states, starts, axis=0) @ w["cnn_W"] + counts * w["cnn_b"]) / np.sqrt(counts)
        first = _relu(mean @ w["p1"] + _relu(mean @ w["d0"]) @ w["d1"])
        last = np.tanh(first @ w["p3"] + _relu(first @ w["d2"]) @ w["d3"])
        return np.asarray(last / np.linalg.norm(last, axis=1, keepdims=True), dtype=np.float32)

    def _embedded(self, ids: NDArray[np.intp]) -> Floats:
        rows, parts = np.divmod(ids, _PARTS)
        scale, least = self._weights["scale"][parts, None], self._weights["lo"][parts, None]
        return np.asarray(self._table[rows, parts] * scale + least, dtype=np.float32)

    def _convolved(self, states: Floats, width: int, starts: NDArray[np.intp], lengths: NDArray[np.intp]) -> Floats:
        w, count = self._weights, len(states)
        places = np.arange(count)[:, None] + np.arange(width) - _WINDOWS[width]
        string = np.repeat(np.arange(len(starts)), lengths)[:, None]
        inside = (places >= starts[string]) & (places < (starts + lengths)[string])
        # One row of zeros behind the last token stands for everything outside the string.
        places = np.where(inside, places, count)
        for layer in (1, 2):
            seen = np.vstack([states, np.zeros_like(states[:1])])[places].reshape(count, -1)
            states = states + _relu(seen @ w[f"w{layer}_{width}"] + w[f"b{layer}_{width}"])
        return states

    def _normalised(self, states: Floats, gain: Floats, bias: Floats) -> Floats:
        centred = states - states.mean(axis=1, keepdims=True)
        spread = np.sqrt((centred**2).mean(axis=1, keepdims=True) + self._epsilon)
        return np.asarray(centred / spread * gain + bias, dtype=np.float32)


def _relu(states: Floats) -> Floats:
    return np.maximum(states, 0)


class Pieces:
    """The pieces of a SentencePiece unigram model: cuts strings into them and numbers them.

    Of all ways to cut a word into known pieces the likeliest is taken. No piece reaches across a space, so each
    word is cut by itself, once.
    """

    def __init__(self, pieces: Sequence[tuple[str, float]]) -> None:
        """Take the pieces in order of their numbers with their log-probabilities; unknown, start and end first."""
        self._known = {piece: (number, score) for number, (piece, score) in enumerate(pieces) if number > _END}
        self._longest = max(map(len, self._known))
        self._unknown = min(score for _, score in pieces) - _UNKNOWN_PENALTY
        self._kept = lru_cache(maxsize=_WORDS_KEPT)(self._cut)

    @classmethod
    def load(cls, path: Path) -> Pieces:
        """Read a model's file."""
        pieces = []
        for field, value in _fields(path.read_bytes()):
            if field == 1:
                about = dict(_fields(value))
                pieces.append((about[1].decode(), struct.unpack("<f", about[2])[0]))
        return cls(pieces)

    def encode(self, string: str) -> list[int]:
        """Return the numbers of a string's pieces, between those of the start and the end."""
        words = unicodedata.normalize("NFKC", string.translate(_GAPS)).split(" ")
        numbers = [number for word in words if word for number in self._kept(_SPACE + word)]
        return [_START, *(numbers or [_UNKNOWN]), _END]

    def _cut(self, word: str) -> tuple[int, ...]:
        best = [0.0] + [-math.inf] * len(word)
        last = [(0, _UNKNOWN)] * len(best)
        for start in range(len(word)):
            for stop in range(start + 1, min(start + self._longest, len(word)) + 1):
                known = self._known.get(word[start:stop])
                if known is None and stop > start + 1:
                    continue
                number, score = known or (_UNKNOWN, self._unknown)
                if best[start] + score > best[stop]:
                    best[stop], last[stop] = best[start] + score, (start, number)
        numbers, place = list[int](), len(word)
        while place:
            place, number = last[place]
            numbers.append(number)
        return tuple(reversed(numbers))


def _fields(message: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the fields of a protocol buffer as their number and bytes; whole numbers are passed over."""
    place = 0
    while place < len(message):
        key, place = _varint(message, place)
        match key & 7:
            case 0:
                _, place = _varint(message, place)
                continue
            case 2:
                size, place = _varint(message, place)
            case 1 | 5 as kind:
                size = 8 if kind == 1 else 4
            case kind:
                raise ValueError(f"a field of the unknown kind {kind}")
        yield key >> 3, message[place : place + size]
        place += size


def _varint(message: bytes, place: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        value |= (message[place] & 0x7F) << shift
        place, shift = place + 1, shift + 7
        if not message[place - 1] & 0x80:
            return value, place
