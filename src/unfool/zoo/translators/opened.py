"""A trained translator as a model that generates, open to its inside."""

from __future__ import annotations

import copy
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from unfool.devices import torch_device
from unfool.errors import UserError, VictimError
from unfool.generation import (
    Decoded,
    Generator,
    Output,
    OutputAttention,
    Slope,
    forced_score,
    greedy,
    greedy_alone,
    mean_states,
    one_token_words,
    slopes,
    tokens_within,
    told_by_words,
)
from unfool.victims import fingerprint
from unfool.zoo.translators.nets import AttentiveLstm, Transformer, make_net
from unfool.zoo.translators.train import LONGEST, Steps, encode


class Translator(Generator):
    """A net of ours with its pieces of words."""

    def __init__(
        self, name: str, net: AttentiveLstm | Transformer, pieces: Any, place: torch.device, dtype: str, mark: str
    ) -> None:
        self._name, self.net, self.pieces, self.device, self.fingerprint = name, net, pieces, place, mark
        self.approximate = dtype == "bf16"
        self._full = Steps(net, place)
        self._search = Steps(copy.deepcopy(net).bfloat16(), place) if self.approximate else self._full

    def generate(self, sources: Sequence[str]) -> list[Output | VictimError]:
        """Decode greedily, in full batches."""
        return [self._output(found) for found in greedy(self._search, self.read(sources), LONGEST)]

    def generate_exactly(self, sources: Sequence[str]) -> list[Output | VictimError]:
        """Decode each alone, at full precision."""
        read = self.read(sources)
        if self.net.at_once:
            found = greedy_alone(self._full, read, LONGEST, self._search)
        else:
            found = [each for ids in read for each in greedy(self._full, [ids], LONGEST)]
        return [self._output(each) for each in found]

    def generate_weighing(
        self, sources: Sequence[str], words: Sequence[str]
    ) -> tuple[list[Output | VictimError], list[list[float]]]:
        """Decode, and say how near the output came to words."""
        firsts = [self.pieces.encode(word).ids[0] for word in words]
        found = greedy(self._search, self.read(sources), LONGEST, firsts)
        return [self._output(each) for each in found], [each.weights for each in found]

    def generate_blanked(
        self, source: str, spans: Sequence[tuple[int, int]], words: Sequence[str] = ()
    ) -> tuple[list[Output | VictimError], list[list[float]]]:
        """Decode one source once for each span of characters, read without it."""
        told = self.pieces.encode(source)
        blank = [[place for place in tokens_within(told.offsets, span) if place < LONGEST - 1] for span in spans]
        firsts = [self.pieces.encode(word).ids[0] for word in words]
        found = greedy(self._search, self.read([source]) * len(spans), LONGEST, firsts, blank)
        return [self._output(each) for each in found], [each.weights for each in found]

    def reads_whole(self, source: str) -> bool:
        """Whether a source is no longer than the model reads."""
        return len(self.pieces.encode(source).ids) < LONGEST

    @property
    def table(self) -> torch.Tensor:
        """The vectors of all tokens."""
        return self._full.table

    def spell_words(self) -> dict[int, str]:
        """Return the words that are one token each, by token."""
        decoded = [self.pieces.decode([number]) for number in range(self.pieces.get_vocab_size())]
        return one_token_words(decoded, lambda words: [told.ids for told in self.pieces.encode_batch(words)])

    def places(self, source: str) -> list[tuple[int, int]]:
        """Return where in a source each of its tokens stands."""
        found: list[tuple[int, int]] = self.pieces.encode(source).offsets[: LONGEST - 1]
        return [*found, (0, 0)]

    def slopes(self, sources: Sequence[str], outputs: Sequence[str], words: Sequence[str] = ()) -> list[Slope]:
        """Differentiate how far words are behind, or the log-probability of the outputs."""
        read = self.read(sources)
        if words:
            given = [found.tokens for found in greedy(self._full, read, LONGEST)]
        else:
            given = [ids[:-1] for ids in encode(self.pieces, outputs)]
        return slopes(self._full, read, given, [self.pieces.encode(word).ids[0] for word in words])

    def summarise(self, sources: Sequence[str]) -> NDArray[np.float32]:
        """Return the mean encoder state of each source."""
        return mean_states(self._search, self.read(sources))

    def attention(self, source: str, layer: int = -1) -> OutputAttention:
        """Return the attention with which a source becomes its output.

        Args:
            source: The source.
            layer: Which layer's; an LSTM has but one.
        """
        (ids,) = self.read([source])
        (found,) = greedy(self._full, [ids], LONGEST)
        with torch.inference_mode():
            given = torch.tensor([ids], device=self.device)
            made = torch.tensor([[self._full.start, *found.tokens]], device=self.device)
            seen = self.net.attended(given, torch.ones_like(given), made, layer)
        # The end belongs to no word. The token made from the start is the first of the output.
        ids, made_ids = ids[:-1], found.tokens

        def spell(numbers: list[int], of_output: bool) -> str:
            tokens = made_ids if of_output else ids
            return str(self.pieces.decode([tokens[number] for number in numbers])).strip()

        return told_by_words(
            seen.cross.cpu().numpy(),
            None if seen.own is None else seen.own.cpu().numpy(),
            [self.pieces.id_to_token(token) for token in ids],
            [self.pieces.id_to_token(token) for token in made_ids],
            spell,
        )

    def force(self, sources: Sequence[str], outputs: Sequence[str]) -> list[float]:
        """Return the log-probability of given outputs."""
        wanted = [ids[:-1] for ids in encode(self.pieces, outputs)]
        return forced_score(self._full, self.read(sources), wanted)

    def read(self, sources: Sequence[str]) -> list[list[int]]:
        """Return the sources' tokens."""
        return encode(self.pieces, sources)

    def __repr__(self) -> str:
        return self._name

    def _output(self, found: Decoded) -> Output:
        return Output(self.pieces.decode(found.tokens).strip(), found.log_probability)


def load_translator(folder: Path, name: str, *, device: str = "auto", dtype: str = "fp32") -> Translator:
    """Open a trained translator.

    Raises:
        UserError: The folder holds none, or it is damaged.
    """
    from safetensors import SafetensorError
    from safetensors.torch import load_file
    from tokenizers import Tokenizer

    place = torch_device(device)
    try:
        told = json.loads((folder / "training.json").read_text(encoding="utf-8"))
        pieces = Tokenizer.from_file(str(folder / "pieces.json"))
        net = make_net(told["net"], pieces.get_vocab_size(), told["sizes"])
        net.load_state_dict(load_file(folder / "model.safetensors"))
    except (OSError, ValueError, KeyError, RuntimeError, SafetensorError) as error:
        raise UserError(
            f"{folder} holds no translator that can be read ({error}); delete it to train it anew"
        ) from None
    return Translator(name, net.to(place).eval(), pieces, place, dtype, fingerprint(folder))
