"""An LSTM whose states are projected, and clipped where the published ELMo clips them."""

from __future__ import annotations

import torch
from torch import Tensor, nn


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
