"""A net while it is trained to withstand attacks: what methods need of it, whatever kind it is."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from unfool.defences.harden._known_words import KnownWords
from unfool.errors import UserError
from unfool.lexicon import counter_fitted
from unfool.text import Text
from unfool.training import TRAINING_FILE, adam, adam_with_decay, rise_and_fall, usual_batch
from unfool.victims import Spells, Transformer, WhiteBoxVictim
from unfool.victims.huggingface import takes_types
from unfool.victims.tokens import Encoder, TokenBatch, whole_batch
from unfool.zoo import NetVictim
from unfool.zoo import write as write_net
from unfool.zoo.encoders import PAD, START, Characters, CharWords

if TYPE_CHECKING:
    import torch


class Student(ABC):
    """Base of nets in training; a subclass says how they are run, trained and stored."""

    module: torch.nn.Module
    device: torch.device
    encoder: Encoder
    pad: int
    lr: float
    """The usual learning rate."""

    def __init__(self, victim: WhiteBoxVictim) -> None:
        self._victim = victim
        self.labels = victim.labels
        self.fingerprint: str | None = getattr(victim, "fingerprint", None)
        """The victim's, as it was before training; it decides more than where a training starts."""

    @abstractmethod
    def embed(self, tokens: TokenBatch) -> torch.Tensor:
        """Return the tokens' vectors."""

    def watched(self, tokens: TokenBatch) -> torch.Tensor:
        """Return the tokens' vectors, which keep their gradient after a backward pass."""
        vectors = self.embed(tokens)
        if not vectors.requires_grad:  # frozen ones
            vectors.requires_grad_()
        vectors.retain_grad()
        return vectors

    @abstractmethod
    def logits_of(self, vectors: torch.Tensor, tokens: TokenBatch) -> torch.Tensor:
        """Return the raw outputs from tokens' vectors."""

    @abstractmethod
    def logits(self, tokens: TokenBatch) -> torch.Tensor:
        """Return the raw outputs."""

    @abstractmethod
    def optimizer(self, lr: float) -> torch.optim.Optimizer:
        """Return the optimizer of such nets."""

    @abstractmethod
    def batch_for(self, samples: int) -> int:
        """Return the usual number of texts a batch."""

    @abstractmethod
    def write(self, folder: Path, told: Mapping[str, Any]) -> None:
        """Write an ordinary model folder, with what is told of its training."""

    @abstractmethod
    def victim(self) -> WhiteBoxVictim:
        """Return the net as it is now, to be attacked; training goes on with ``module.train()``."""

    @property
    def schedule(self) -> Callable[[float], float]:
        """From the share of training that is done to the factor on the learning rate."""
        return lambda done: 1.0

    @property
    def table(self) -> torch.Tensor:
        """The vectors of all tokens."""
        return self._victim.table.detach()

    @property
    def reads_characters(self) -> bool:
        """Whether tokens are characters."""
        return isinstance(self._victim, Spells)

    def encode(self, texts: Sequence[Text]) -> TokenBatch:
        """Encode texts into one batch."""
        wholes = self.encoder.whole([text.strings for text in texts])
        return whole_batch(wholes, self.encoder, self.pad, 1, self.device)

    def words(self, tokens: TokenBatch) -> torch.Tensor:
        """Number the words of each row and say which each token is part of; tokens are words but for characters."""
        import torch

        reader = self._victim.encoder
        if isinstance(reader, CharWords):
            return (tokens.ids == START).long().cumsum(1)
        if isinstance(reader, Characters):
            spaces = torch.tensor([reader.pieces([" "])[0][0]], device=self.device)
            return torch.isin(tokens.ids, spaces).long().cumsum(1)
        return torch.arange(tokens.ids.shape[1], device=self.device).expand_as(tokens.ids)

    def known_words(self) -> KnownWords | None:
        """Return the words a net of characters knows, common ones where it keeps none; None for other nets."""
        if not isinstance(self._victim, Spells):
            return None
        words = self._victim.vocabulary or counter_fitted().words
        return KnownWords(words, self._victim.characters, len(self.table), self.device)

    def flips(self) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the tokens that may be flipped and those they may become: letters, or words that are one token."""
        import torch

        if isinstance(self._victim, Spells):
            reader = self._victim.characters
            from_ids = [i for letter, i in zip(reader.letters, reader.letter_ids, strict=True) if letter.isalnum()]
            return (
                torch.tensor(np.array(from_ids), device=self.device),
                torch.tensor(reader.letter_ids, device=self.device),
            )
        reader_of_words = self._victim.encoder
        lead = reader_of_words.lead
        (unknown,) = reader_of_words.pieces([lead + self._victim.unknown])
        words = [word for word in self._victim.vocabulary if word.isalpha()]
        pieces = reader_of_words.pieces([lead + word for word in words])
        ids = sorted({tokens[0] for tokens in pieces if len(tokens) == 1 and tokens != unknown})
        known = torch.tensor(ids, device=self.device)
        return known, known


class NetStudent(Student):
    """A net of the zoo; in TF32 on a GPU, since half precision is no faster for it."""

    lr = 1e-3

    def __init__(self, victim: NetVictim) -> None:
        super().__init__(victim)
        self._net_victim, self._net = victim, victim.module
        self.module, self.device, self.encoder, self.pad = victim.module, victim.device, victim.encoder, PAD

    def embed(self, tokens: TokenBatch) -> torch.Tensor:
        """Return the tokens' vectors."""
        return self._net.front.embed(tokens.ids)

    def logits_of(self, vectors: torch.Tensor, tokens: TokenBatch) -> torch.Tensor:
        """Return the raw outputs from tokens' vectors."""
        return self._net.forward_embedded(vectors, tokens.ids, tokens.mask, tokens.types)

    def logits(self, tokens: TokenBatch) -> torch.Tensor:
        """Return the raw outputs."""
        outputs: torch.Tensor = self._net(tokens.ids, tokens.mask, tokens.types)
        return outputs

    def optimizer(self, lr: float) -> torch.optim.Optimizer:
        """Return Adam over what is not frozen."""
        return adam(self._net, lr)

    def batch_for(self, samples: int) -> int:
        """Return 64, or 256 where there are many samples."""
        return usual_batch(samples)

    def write(self, folder: Path, told: Mapping[str, Any]) -> None:
        """Write a folder that ``zoo:FOLDER`` opens; frozen vectors are stored with it."""
        self._net.cpu()
        write_net(folder, self._net, self._net_victim.reads, self.labels, told, None)

    def victim(self) -> WhiteBoxVictim:
        """Return the net as it is now."""
        self._net_victim.refresh()
        return self._net_victim


class ClassifierStudent(Student):
    """A Hugging Face classifier; in bfloat16 on a GPU, weights in float32."""

    lr = 2e-5

    def __init__(self, victim: Transformer) -> None:
        super().__init__(victim)
        self._transformer, self._model = victim, victim.module
        self.module, self.device = victim.module, victim.device
        self.pad = victim.tokenizer.pad_token_id or 0
        self.encoder = victim.encoder  # reads as much of a text as the victim and those who attack it
        self._typed = takes_types(victim.module, victim.tokenizer)

    def embed(self, tokens: TokenBatch) -> torch.Tensor:
        """Return the tokens' vectors, before positions are added."""
        vectors: torch.Tensor = self._model.get_input_embeddings()(tokens.ids)
        return vectors

    def logits_of(self, vectors: torch.Tensor, tokens: TokenBatch) -> torch.Tensor:
        """Return the raw outputs from tokens' vectors."""
        return self._run(tokens, inputs_embeds=vectors)

    def logits(self, tokens: TokenBatch) -> torch.Tensor:
        """Return the raw outputs."""
        return self._run(tokens, input_ids=tokens.ids)

    def _run(self, tokens: TokenBatch, **inputs: torch.Tensor) -> torch.Tensor:
        import torch

        types = {"token_type_ids": tokens.types} if self._typed else {}
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.device.type == "cuda"):
            outputs = self._model(attention_mask=tokens.mask, **inputs, **types).logits
        return torch.Tensor.float(outputs)

    def optimizer(self, lr: float) -> torch.optim.Optimizer:
        """Return AdamW; only matrices decay."""
        return adam_with_decay(self._model, lr)

    def batch_for(self, samples: int) -> int:
        """Return 32."""
        return 32

    @property
    def schedule(self) -> Callable[[float], float]:
        """Up over the first tenth of the steps, then down to zero."""
        return rise_and_fall

    def write(self, folder: Path, told: Mapping[str, Any]) -> None:
        """Write a folder that transformers opens."""
        self._model.cpu().save_pretrained(folder)
        self._transformer.tokenizer.save_pretrained(folder)
        (folder / TRAINING_FILE).write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")

    def victim(self) -> WhiteBoxVictim:
        """Return the classifier as it is now."""
        self._transformer.refresh()
        return self._transformer


def student_of(victim: object) -> Student:
    """Return a victim's net, to be trained.

    Raises:
        UserError: If it has none that can be trained.
    """
    if isinstance(victim, NetVictim):
        return NetStudent(victim)
    if isinstance(victim, Transformer):
        return ClassifierStudent(victim)
    raise UserError(f"{victim!r} cannot be trained; harden a Hugging Face classifier (hf:…) or a net of the zoo")
