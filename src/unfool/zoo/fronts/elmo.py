"""Words in their context, read from their bytes by a frozen language model (Peters et al., 2018)."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence

import torch
from torch import Tensor, nn

from unfool import resources
from unfool.errors import UserError
from unfool.zoo.encoders import FIRST_SYMBOL, PAD, START
from unfool.zoo.fronts.front import Read, stacked, turning
from unfool.zoo.fronts.spelt import Highways, SpeltFront

BYTE_ROWS = FIRST_SYMBOL + 256
CLOSE_WORD, OPEN_TEXT, CLOSE_TEXT = range(3)
"""The rows of `Elmo.marks`."""

FOLDER_VARIABLE = "UNFOOL_ELMO"


class ProjectedLSTM(nn.LSTM):
    """One layer, one direction, from the first step on; memory and state are kept within ± their clip, if any."""

    weight_ih_l0: Tensor
    weight_hh_l0: Tensor
    weight_hr_l0: Tensor
    bias_ih_l0: Tensor
    bias_hh_l0: Tensor

    def __init__(
        self, width: int, cell: int, projection: int, *, cell_clip: float | None, state_clip: float | None
    ) -> None:
        super().__init__(width, cell, batch_first=True, proj_size=projection)
        self._cell_clip, self._state_clip = cell_clip, state_clip

    def read(self, steps: Tensor) -> Tensor:
        """Return the state after each step, [texts, steps, projection], beginning with zeros."""
        if steps.is_cuda and self._cell_clip is None and self._state_clip is None:
            states: Tensor = self(steps)[0]
            return states
        # PyTorch's own loop cannot clip between steps; on a CPU it is no faster, and warns that it is slow.
        gates_of_steps = nn.functional.linear(steps, self.weight_ih_l0, self.bias_ih_l0 + self.bias_hh_l0)
        state = steps.new_zeros(len(steps), self.proj_size)
        memory = steps.new_zeros(len(steps), self.hidden_size)
        seen = []
        for gates_of_step in gates_of_steps.unbind(1):
            gates = gates_of_step + nn.functional.linear(state, self.weight_hh_l0)
            enter, keep, new, leave = gates.chunk(4, dim=1)
            memory = _clipped(keep.sigmoid() * memory + enter.sigmoid() * new.tanh(), self._cell_clip)
            state = nn.functional.linear(leave.sigmoid() * memory.tanh(), self.weight_hr_l0)
            state = _clipped(state, self._state_clip)
            seen.append(state)
        return torch.stack(seen, dim=1)


def _clipped(values: Tensor, most: float | None) -> Tensor:
    return values if most is None else values.clamp(-most, most)


class Speller(nn.Module):
    """A word's vector from its bytes: filters, the strongest answers, highway layers, a projection.

    The filters run over the closing mark and the padding behind a word as well, as in the published model. For what
    it takes, see `Elmo`.
    """

    def __init__(
        self, dimensions: int, filters: Sequence[Sequence[int]], highways: int, projection: int, longest: int
    ) -> None:
        super().__init__()
        self._longest, self._widest = longest, max(seen for seen, _ in filters)
        self.filters = nn.ModuleList(nn.Conv1d(dimensions, count, seen) for seen, count in filters)
        width = sum(count for _, count in filters)
        self.highways = Highways(width, highways)
        self.projection = nn.Linear(width, projection)

    def forward(self, bytes_: Tensor, real: Tensor, close: Tensor, pad: Tensor) -> Tensor:
        """Return the words' vectors, [words, projection].

        Args:
            bytes_: The vectors of each word's opening mark and bytes, [words, bytes, dimensions].
            real: Which of them there are, from the first on.
            close: The vector of the mark that closes a word.
            pad: The vector that fills up short words.
        """
        bytes_, real = bytes_[:, : self._longest - 1], real[:, : self._longest - 1]
        # Room for one window of nothing but padding, which every word of the published model has: any further one
        # would answer the same.
        room = min(bytes_.shape[1] + 1 + self._widest, self._longest)
        bytes_ = nn.functional.pad(bytes_, (0, 0, 0, room - bytes_.shape[1]))
        length = real.sum(1)[:, None, None]
        place = torch.arange(room, device=real.device)[None, :, None]
        filled = torch.where(place < length, bytes_, torch.where(place == length, close, pad)).transpose(1, 2)
        word = torch.cat([kind(filled).amax(2).relu() for kind in self.filters], dim=1)
        projected: Tensor = self.projection(self.highways(word))
        return projected


class LanguageModel(nn.Module):
    """Two stacks of LSTMs that never meet, one from the first word on and one from the last."""

    def __init__(self, layers: int, projection: int, cell: int, **clips: float | None) -> None:
        super().__init__()

        def stack() -> nn.ModuleList:
            return nn.ModuleList(ProjectedLSTM(projection, cell, projection, **clips) for _ in range(layers))

        self.onward, self.backward_ = stack(), stack()

    def forward(self, words: Tensor, mask: Tensor) -> list[Tensor]:
        """Return the states of each layer, [texts, words, 2 · projection], the onward stack's first.

        Args:
            words: The words' vectors, sentence marks among them, [texts, words, projection].
            mask: Which words there are, from the first on.
        """
        turned = turning(mask)
        onward = stacked(self.onward, words, ProjectedLSTM.read)
        back = stacked(self.backward_, turned(words), ProjectedLSTM.read)
        return [torch.cat([a, turned(b)], dim=2) for a, b in zip(onward, back, strict=True)]


class Elmo(SpeltFront):
    """A word's vector is a learnt mix of its spelling and of the language model's layers at it.

    Its tokens are those of a `CharWords` over bytes. Only the mix is trained, and there is no dropout inside.

    Args:
        rows: How many token ids there are: three marks and the bytes.
        dimensions: Of a byte's vector.
        frozen: True; an ELMo is never trained with the net behind it.
        filters: (how many bytes they see, how many filters) of each kind.
        highways: How many highway layers follow the filters.
        projection: The dimensions of a word and of one direction's states.
        cell: The dimensions of an LSTM's memory.
        layers: How many LSTMs are stacked.
        longest: The most bytes and marks of a word.
        cell_clip: LSTM memories are kept within ± this; None leaves them alone.
        state_clip: The same for LSTM states.
    """

    def __init__(
        self,
        rows: int = BYTE_ROWS,
        dimensions: int = 16,
        *,
        frozen: bool = True,
        filters: Sequence[Sequence[int]] = ((1, 32), (2, 64), (3, 96), (4, 128), (5, 192)),
        highways: int = 1,
        projection: int = 160,
        cell: int = 512,
        layers: int = 2,
        longest: int = 50,
        cell_clip: float | None = None,
        state_clip: float | None = None,
    ) -> None:
        if rows != BYTE_ROWS or not frozen:
            raise ValueError(f"an ELMo has {BYTE_ROWS} token ids and is frozen, not {rows} and frozen={frozen}")
        sizes = {"highways": highways, "projection": projection, "cell": cell, "layers": layers}
        clips = {"cell_clip": cell_clip, "state_clip": state_clip}
        kinds = [list(kind) for kind in filters]
        super().__init__(
            rows, dimensions, first=FIRST_SYMBOL, frozen=True, filters=kinds, longest=longest, **sizes, **clips
        )
        self.width = 2 * projection
        self.marks = nn.Parameter(torch.randn(3, dimensions))
        self.speller = Speller(dimensions, filters, highways, projection, longest)
        self.language_model = LanguageModel(layers, projection, cell, **clips)
        self.requires_grad_(False)
        self.mix = nn.Parameter(torch.zeros(layers + 1))
        self.gamma = nn.Parameter(torch.ones(1))

    def embed(self, ids: Tensor) -> Tensor:
        """Return byte vectors; none is hidden in training, as the front could not learn from it."""
        vectors: Tensor = self.table(ids)
        return vectors

    def spell(self, characters: Tensor, real: Tensor) -> Tensor:
        """Return the vectors of words from those of their opening marks and bytes."""
        words: Tensor = self.speller(characters, real, self.marks[CLOSE_WORD], self.table.weight[PAD])
        return words

    def in_context(self, words: Read) -> Read:
        """Return a vector a word: the mix of its spelling and its states."""
        return words._replace(vectors=self.mixed(self.layers(words)))

    def layers(self, words: Read) -> Tensor:
        """Return what is mixed: the spelling and the language model's layers, [texts, words, layers, width]."""
        spelt = words.vectors
        return torch.stack([torch.cat([spelt, spelt], dim=2), *self._states(spelt, words.mask)], dim=2)

    def mixed(self, layers: Tensor) -> Tensor:
        """Return one vector a word, [texts, words, width]."""
        vectors: Tensor = self.gamma * torch.einsum("twlv,l->twv", layers, self.mix.softmax(0))
        return vectors

    def _states(self, words: Tensor, mask: Tensor) -> list[Tensor]:
        """The language model's layers at the words; it sees a mark before the first and one behind the last."""
        sides = torch.stack([self.table.weight[START].expand(2, -1), self.marks[[OPEN_TEXT, CLOSE_TEXT]]], dim=1)
        first, last = self.spell(sides, torch.ones(2, 2, dtype=torch.bool, device=mask.device))
        room = nn.functional.pad(words, (0, 0, 1, 1))
        place = torch.arange(room.shape[1], device=mask.device)[None, :, None]
        end = mask.sum(1)[:, None, None] + 1
        framed = torch.where(place == 0, first, torch.where(place == end, last, room))
        states: list[Tensor] = self.language_model(framed, (place <= end).squeeze(2))
        return [layer[:, 1:-1] for layer in states]


def pretrained() -> Elmo:
    """Return the published ELMo in the folder ``UNFOOL_ELMO`` names (default: the small one made for the zoo)."""
    if folder := os.environ.get(FOLDER_VARIABLE):
        from unfool.zoo.fronts.published_elmo import read_published

        sizes, state = read_published(folder)
    else:
        from safetensors.torch import load_file

        own = resources.get("elmo")
        sizes = json.loads((own / "elmo.json").read_text(encoding="utf-8"))["sizes"]
        state = {name: weight.float() for name, weight in load_file(own / "elmo.safetensors").items()}
    try:
        with torch.random.fork_rng():  # these first weights are thrown away
            elmo = Elmo(**sizes)
        elmo.load_state_dict({**state, "mix": elmo.mix, "gamma": elmo.gamma})
    except (RuntimeError, TypeError, ValueError) as error:
        place = f"{FOLDER_VARIABLE}={folder}" if folder else "unfool's own ELMo"
        told = str(error).strip().splitlines()[-1].strip()
        raise UserError(f"{place}: the weights are not what the options say ({told}); get both again") from error
    return elmo


def stand_in() -> str:
    """Return what stands in for the published ELMo; empty if that is at hand."""
    if os.environ.get(FOLDER_VARIABLE):
        return ""
    return (
        "a small ELMo of ours, pretrained on the training texts of five data sets, stands in for the published one "
        f"(set {FOLDER_VARIABLE} to a folder with its options and weights)"
    )
