"""A masked language model as a service: places in texts in, the likeliest tokens there out."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from unfool import resources
from unfool.devices import LOADING, torch_device
from unfool.engine import Later
from unfool.errors import UserError, first_line, not_installed
from unfool.lexicon._string_service import by_length
from unfool.text import Text

KEPT = 100
"""The likeliest tokens that are kept of each place."""
_MOST_TOKENS = 128
_TOKENS_A_BATCH = {"cpu": 2048, "cuda": 32_768}
_DECIMALS = 4
_KEPT_PLACES = 20_000
STAND_IN = "minilm"


class Place(NamedTuple):
    """A place in a text."""

    before: str
    word: str | None
    """What the model reads there; None for the mask."""
    after: str


class Guess(NamedTuple):
    """A token that the model thinks may stand at a place."""

    token: int
    word: str | None
    """The token as a word of its own; None if it is a piece of one, a mark, or not for people."""
    logit: float
    chance: float


Guesses = tuple[Guess, ...]
"""The likeliest tokens, the likeliest first."""


class MaskedModel:
    """Any masked language model of transformers; the answer to a request, a list of places, is a list as long.

    What is told of a place is `Guesses` for each token that stands there; the mask is one.
    """

    def __init__(self, folder: str | Path, name: str, device: str = "auto") -> None:
        try:
            import torch
            from transformers import AutoModelForMaskedLM, AutoTokenizer
            from transformers.utils import logging
        except ImportError:
            raise not_installed("masked language models need PyTorch", "torch") from None
        logging.disable_progress_bar()
        self._name, self._device = name, torch_device(device)
        try:
            self._tokenizer: Any = AutoTokenizer.from_pretrained(folder, trust_remote_code=False)
            with LOADING:
                model: Any = AutoModelForMaskedLM.from_pretrained(
                    folder, dtype=torch.float32, trust_remote_code=False
                )
        except (OSError, ValueError) as error:
            raise UserError(f"no masked language model can be opened as {name!r}: {first_line(error)}") from error
        if self._tokenizer.mask_token_id is None:
            raise UserError(f"the tokenizer of {name!r} has no mask; give a masked language model")
        self._model = model.to(self._device).eval()
        self._kept: dict[Place, tuple[Guesses, ...]] = {}

    def __repr__(self) -> str:
        return f"masked_model({self._name!r})"

    def launch(self, requests: Sequence[Sequence[Place]]) -> Later[list[list[tuple[Guesses, ...]]]]:
        """Answer what all samples ask."""
        if len(self._kept) > _KEPT_PLACES:
            self._kept.clear()
        unknown = [
            place for place in dict.fromkeys(p for places in requests for p in places) if place not in self._kept
        ]
        self._kept.update(zip(unknown, self._told(unknown), strict=True))
        return Later.of([[self._kept[place] for place in places] for places in requests])

    def joined(self, tokens: Sequence[int]) -> str:
        """Return what several tokens spell."""
        return str(self._tokenizer.decode(list(tokens))).strip()

    def surprise(self, rows: Sequence[Sequence[int]]) -> list[float]:
        """Return how unlikely each row of tokens is, all of them seen: the mean cross-entropy."""
        import torch

        found = []
        with torch.inference_mode():
            for row in rows:
                ids = torch.tensor([list(row)], device=self._device)
                logits = self._model(input_ids=ids).logits[0].float()
                found.append(round(float(torch.nn.functional.cross_entropy(logits, ids[0])), _DECIMALS))
        return found

    def _told(self, places: Sequence[Place]) -> list[tuple[Guesses, ...]]:
        import torch

        rows = [self._row(place) for place in places]
        told: list[tuple[Guesses, ...]] = [()] * len(rows)
        with torch.inference_mode():
            for batch in by_length([len(ids) for ids, _ in rows], _TOKENS_A_BATCH[self._device.type]):
                width = max(len(rows[number][0]) for number in batch)
                padding = self._tokenizer.pad_token_id or 0
                ids = torch.tensor([[*rows[n][0], *[padding] * (width - len(rows[n][0]))] for n in batch])
                mask = torch.tensor([[int(at < len(rows[n][0])) for at in range(width)] for n in batch])
                logits = self._model(
                    input_ids=ids.to(self._device), attention_mask=mask.to(self._device)
                ).logits.float()
                for line, number in zip(logits, batch, strict=True):
                    told[number] = tuple(self._guesses(line[at]) for at in rows[number][1])
        return told

    def _row(self, place: Place) -> tuple[list[int], range]:
        """Return what the model reads, and where in it the place is; of long texts what stands around it."""
        read, mask = self._tokenizer, self._tokenizer.mask_token_id
        before, after = (
            read(part, add_special_tokens=False)["input_ids"] for part in (place.before.rstrip(), place.after)
        )
        blank = " " if before else ""
        here = [mask] if place.word is None else read(blank + place.word, add_special_tokens=False)["input_ids"]
        room = min(_MOST_TOKENS, getattr(read, "model_max_length", _MOST_TOKENS), self._positions) - len(here) - 2
        ahead = max(room // 2, room - len(after))
        before = before[max(0, len(before) - max(0, ahead)) :]
        after = after[: max(0, room - len(before))]
        start, end = ([token] if token is not None else [] for token in self._ends)
        first = len(start) + len(before)
        return [*start, *before, *here, *after, *end], range(first, first + len(here))

    def _guesses(self, logits: Any) -> Guesses:
        import torch

        chances = torch.softmax(logits, dim=-1)
        top = torch.topk(logits, min(KEPT, len(logits)))
        found = [
            (round(logit, _DECIMALS), token, round(chance, 6))
            for logit, token, chance in zip(
                top.values.tolist(), top.indices.tolist(), chances[top.indices].tolist(), strict=True
            )
        ]
        found.sort(key=lambda each: (-each[0], each[1]))
        return tuple(Guess(token, self._words[token], logit, chance) for logit, token, chance in found)

    @cached_property
    def _ends(self) -> tuple[int | None, int | None]:
        read = self._tokenizer
        start = read.cls_token_id if read.cls_token_id is not None else read.bos_token_id
        return start, read.sep_token_id if read.sep_token_id is not None else read.eos_token_id

    @cached_property
    def _positions(self) -> int:
        # RoBERTa counts positions from behind its padding, so two of them are never used.
        return int(getattr(self._model.config, "max_position_embeddings", _MOST_TOKENS)) - 2

    @cached_property
    def _words(self) -> list[str | None]:
        """The word that each token is by itself, if it is one."""
        read = self._tokenizer
        tokens = read.convert_ids_to_tokens(list(range(max(len(read), self._model.config.vocab_size))))
        # What a token that begins a word begins with, if anything.
        mark = next((mark for mark in ("Ġ", "▁") if any(mark in token for token in tokens if token)), "")
        specials = set(read.all_special_tokens)
        whole = [token if token and token not in specials and token.startswith(mark) else None for token in tokens]
        # Byte-level tokens are not spelt with the letters they stand for: "Ãł" is "à".
        words = [token and (read.convert_tokens_to_string([token]).strip() if mark else token) for token in whole]
        return [word if word and Text.of(word).words == (word,) else None for word in words]


def place_of(text: Text, position: int, *, word: str | None, behind: bool = False, over: int = 1) -> Place:
    """Return a place in a text.

    Args:
        text: The text.
        position: Where the place is.
        word: What the model reads there; None for the mask.
        behind: Whether the place is a new one behind the word, which stays.
        over: How many words, from the position on, the place takes.
    """
    field = text.field_of(position)
    number = text.fields.index(field)
    string, spans = text.strings[number], text.spans[number]
    start, end = spans[position - field.start][0], spans[position - field.start + over - 1][1]
    if behind:
        return Place(f"{string[:end]} ", word, string[end:])
    return Place(string[:start], word, string[end:])


def best_words(guesses: Guesses, most: int, least: float = 0.0) -> list[str]:
    """Return the whole words among the ``most`` likeliest tokens, of those with this chance at least."""
    return [guess.word for guess in guesses[:most] if guess.word is not None and guess.chance >= least]


@lru_cache(maxsize=2)
def masked_model(name: str = STAND_IN) -> MaskedModel:
    """Return a masked language model.

    Args:
        name: A folder or a hub id; or ``minilm``, a stand-in: MiniLM with a tied head, trained on film reviews on
            first use (`unfool.lexicon.masked_training`).
    """
    if name == STAND_IN:
        from unfool.lexicon.masked_training import FOLDER, train

        return MaskedModel(resources.derived("minilm", FOLDER, train), name)
    return MaskedModel(name.removeprefix("mlm:"), name)
