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
from unfool.zoo.fronts.bilm import LanguageModel, Speller
from unfool.zoo.fronts.front import Read
from unfool.zoo.fronts.spelt import SpeltFront

BYTE_ROWS = FIRST_SYMBOL + 256
CLOSE_WORD, OPEN_TEXT, CLOSE_TEXT = range(3)
"""The rows of `Elmo.marks`."""

FOLDER_VARIABLE = "UNFOOL_ELMO"


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
        state_clip: LSTM states are kept within ± this; None leaves them alone.
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
    """Return the published ELMo in the folder ``UNFOOL_ELMO`` names (default: the small one made for the zoo).

    Raises:
        UserError: If the folder does not hold an ELMo or h5py is missing to read it, or our own cannot be had.
    """
    if folder := os.environ.get(FOLDER_VARIABLE):
        from unfool.zoo.fronts._published_elmo import read_published

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


def stand_in() -> str | None:
    """Say what stands in for the published ELMo; None where that is at hand."""
    if os.environ.get(FOLDER_VARIABLE):
        return None
    return (
        "a small ELMo of ours, pretrained on the training texts of five data sets, stands in for the published one "
        f"(set {FOLDER_VARIABLE} to a folder with its options and weights)"
    )
