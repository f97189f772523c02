"""The language model inside ELMo: words from their bytes, and states of words from both sides."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from unfool.zoo.fronts.spelt import Highways


class ProjectedLSTM(nn.LSTM):
    """One layer, one direction, from the first step on.

    Args:
        width: The dimensions of a step.
        cell: The dimensions of the memory.
        projection: The dimensions of the state; fewer than the memory's.
        cell_clip: The memory is kept within ± this; None leaves it alone.
        state_clip: The state is kept within ± this; None leaves it alone.
    """

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

    The filters run over the closing mark and the padding behind a word as well, as in the published model.

    Args:
        dimensions: Of a byte's vector.
        filters: (how many bytes they see, how many filters) of each kind.
        highways: How many highway layers follow.
        projection: The dimensions of a word's vector.
        longest: The most bytes and marks of a word, the closing mark among them.
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
    """Two stacks of LSTMs that never meet, one from the first word on and one from the last.

    Args:
        layers: How many layers each stack has; every one after the first adds what it read to what it says.
        projection: The dimensions of a word and of a state.
        cell: The dimensions of an LSTM's memory.
        cell_clip: See `ProjectedLSTM`.
        state_clip: See `ProjectedLSTM`.
    """

    def __init__(
        self, layers: int, projection: int, cell: int, *, cell_clip: float | None, state_clip: float | None
    ) -> None:
        super().__init__()

        def stack() -> nn.ModuleList:
            clips = {"cell_clip": cell_clip, "state_clip": state_clip}
            return nn.ModuleList(ProjectedLSTM(projection, cell, projection, **clips) for _ in range(layers))

        self.onward, self.backward_ = stack(), stack()

    def forward(self, words: Tensor, mask: Tensor) -> list[Tensor]:
        """Return the states of each layer, [texts, words, 2 · projection], the onward stack's first.

        Args:
            words: The words' vectors, sentence marks among them, [texts, words, projection].
            mask: Which words there are, from the first on.
        """
        # Each text is turned round in its own length, so that padding follows the words in both directions.
        steps = torch.arange(mask.shape[1], device=mask.device)
        mirror = (mask.sum(1, keepdim=True) - 1 - steps).where(mask, steps)[:, :, None].expand_as(words)
        onward = _stacked(self.onward, words)
        turned = _stacked(self.backward_, words.gather(1, mirror))
        return [torch.cat([a, b.gather(1, mirror)], dim=2) for a, b in zip(onward, turned, strict=True)]


def _stacked(layers: nn.ModuleList, words: Tensor) -> list[Tensor]:
    states: list[Tensor] = []
    for layer in layers:
        assert isinstance(layer, ProjectedLSTM)
        states.append(layer.read(states[-1]) + states[-1] if states else layer.read(words))
    return states
