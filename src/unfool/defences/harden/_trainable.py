"""Nets in training: what every way to harden needs of a net, for nets of the zoo and Hugging Face classifiers."""

from __future__ import annotations

import json
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unfool.engine import Predictor
from unfool.errors import UserError
from unfool.text import Text
from unfool.training import TRAINING_FILE, adam, adam_with_decay, classifier, rise_and_fall, usual_batch
from unfool.victims import Options, Transformer, WhiteBoxVictim, open_victim
from unfool.victims.huggingface import takes_types
from unfool.victims.tokens import TokenBatch, whole_batch
from unfool.zoo import PREFIX, EncoderRecipe, NetRecipe, NetVictim, entry, first_front, make_net, parse
from unfool.zoo import write as write_net
from unfool.zoo.encoders import PAD

if TYPE_CHECKING:
    import torch

VICTIM, NEW = "victim", "new"


class TrainableNet(ABC):
    """Base of nets in training; a subclass says how they are run, trained and stored.

    Args:
        victim: The victim whose net is trained.
        module: Its weights.
        pad: The token that fills a batch.
    """

    kind: str
    """The prefix of such victims' names."""
    precision = "fp32"
    lr: float
    """The usual learning rate."""

    def __init__(self, victim: WhiteBoxVictim, module: torch.nn.Module, pad: int) -> None:
        self.victim, self.module, self.pad = victim, module, pad
        self.device, self.encoder, self.labels = victim.device, victim.encoder, victim.labels
        self.fingerprint: str | None = getattr(victim, "fingerprint", None)
        """The victim's, as it was before training; it decides more than where a training starts."""

    @abstractmethod
    def logits(self, tokens: TokenBatch) -> torch.Tensor:
        """Return the raw outputs."""

    def logits_of(self, vectors: torch.Tensor, tokens: TokenBatch) -> torch.Tensor:
        """Return the raw outputs from tokens' vectors."""
        return self.victim.logits_of(vectors, tokens)

    @abstractmethod
    def optimizer(self, lr: float) -> torch.optim.Optimizer:
        """Return the optimizer of such nets."""

    @abstractmethod
    def batch_for(self, samples: int) -> int:
        """Return the usual number of texts a batch."""

    @abstractmethod
    def write(self, folder: Path, told: Mapping[str, Any]) -> None:
        """Write an ordinary model folder, with what is told of its training."""

    def schedule(self, done: float) -> float:
        """Return the factor on the learning rate when a share of the training is done."""
        return 1.0

    def refreshed(self) -> WhiteBoxVictim:
        """Return the net as it is now, to be attacked; training goes on with ``module.train()``."""
        self.victim.refresh()
        return self.victim

    def encode(self, texts: Sequence[Text]) -> TokenBatch:
        """Encode texts into one batch."""
        wholes = self.encoder.whole([text.strings for text in texts])
        return whole_batch(wholes, self.encoder, self.pad, 1, self.device)

    def watched(self, tokens: TokenBatch) -> torch.Tensor:
        """Return the tokens' vectors, which keep their gradient after a backward pass."""
        vectors = self.victim.embed(tokens)
        if not vectors.requires_grad:  # frozen ones
            vectors.requires_grad_()
        vectors.retain_grad()
        return vectors


class TrainableZooNet(TrainableNet):
    """A net of the zoo; in TF32 on a GPU, since half precision is no faster for it."""

    kind = "zoo"
    lr = 1e-3

    def __init__(self, victim: NetVictim) -> None:
        super().__init__(victim, victim.module, PAD)
        self._net, self._reads = victim.module, victim.reads

    def logits(self, tokens: TokenBatch) -> torch.Tensor:
        """Return the raw outputs."""
        outputs: torch.Tensor = self._net(tokens.ids, tokens.mask, tokens.types)
        return outputs

    def optimizer(self, lr: float) -> torch.optim.Optimizer:
        """Return Adam over what is not frozen."""
        return adam(self._net, lr)

    def batch_for(self, samples: int) -> int:
        """Return 64, or 256 if there are many samples."""
        return usual_batch(samples)

    def write(self, folder: Path, told: Mapping[str, Any]) -> None:
        """Write a folder that ``zoo:FOLDER`` opens; frozen vectors are stored with it."""
        write_net(folder, self._net.cpu(), self._reads, self.labels, told, None)


class TrainableClassifier(TrainableNet):
    """A Hugging Face classifier; in bfloat16 on a GPU, weights in float32."""

    kind = "hf"
    lr = 2e-5

    def __init__(self, victim: Transformer) -> None:
        super().__init__(victim, victim.module, victim.tokenizer.pad_token_id or 0)
        self._model, self._tokenizer = victim.module, victim.tokenizer
        self._typed = takes_types(self._model, self._tokenizer)
        if self.device.type == "cuda":
            self.precision = "bf16"

    def logits_of(self, vectors: torch.Tensor, tokens: TokenBatch) -> torch.Tensor:
        """Return the raw outputs from tokens' vectors."""
        return self._run(tokens, inputs_embeds=vectors)

    def logits(self, tokens: TokenBatch) -> torch.Tensor:
        """Return the raw outputs."""
        return self._run(tokens, input_ids=tokens.ids)

    def _run(self, tokens: TokenBatch, **inputs: torch.Tensor) -> torch.Tensor:
        import torch

        types = {"token_type_ids": tokens.types} if self._typed else {}
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.precision == "bf16"):
            outputs = self._model(attention_mask=tokens.mask, **inputs, **types).logits
        return torch.Tensor.float(outputs)

    def optimizer(self, lr: float) -> torch.optim.Optimizer:
        """Return AdamW; only matrices decay."""
        return adam_with_decay(self._model, lr)

    def batch_for(self, samples: int) -> int:
        """Return 32."""
        return 32

    def schedule(self, done: float) -> float:
        """Rise over the first tenth of the steps, then fall to zero."""
        return rise_and_fall(done)

    def write(self, folder: Path, told: Mapping[str, Any]) -> None:
        """Write a folder that transformers opens."""
        self._model.cpu().save_pretrained(folder)
        self._tokenizer.save_pretrained(folder)
        (folder / TRAINING_FILE).write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")


def trainable(victim: object) -> TrainableNet:
    """Return a victim's net, to be trained.

    Raises:
        UserError: If it has none that can be trained.
    """
    if isinstance(victim, NetVictim):
        return TrainableZooNet(victim)
    if isinstance(victim, Transformer):
        return TrainableClassifier(victim)
    raise UserError(f"{victim!r} cannot be trained; harden a Hugging Face classifier (hf:…) or a net of the zoo")


def starting_net(victim_name: str, start: str, options: Options, seed: int) -> TrainableNet:
    """Return the net to train, as ``start`` says; call it inside `seeded`, since new layers are drawn.

    Raises:
        UserError: If there is no such start for this victim.
    """
    victim = open_victim(victim_name, options)
    net = trainable(victim)
    if start != VICTIM:
        fingerprint, net = net.fingerprint, _unlearnt(victim, victim_name, start, options, seed)
        net.fingerprint = fingerprint
    return net


def _unlearnt(victim: Predictor, victim_name: str, start: str, options: Options, seed: int) -> TrainableNet:
    if start != NEW:
        return _from_encoder(start, victim.labels, options)
    path = Path(victim_name.removeprefix(PREFIX)).expanduser()
    if not victim_name.startswith(PREFIX) or path.is_dir():
        raise UserError(
            f"unfool does not know what {victim_name} was before it was trained; "
            "name the folder of its encoder with --start"
        )
    recipe = entry(parse(victim_name).model).recipe
    if isinstance(recipe, EncoderRecipe):
        from unfool.zoo import pretrained

        return _from_encoder(str(pretrained.folder(recipe.encoder, seed)), victim.labels, options)
    assert isinstance(victim, NetVictim)
    assert isinstance(recipe, NetRecipe)
    front = first_front(recipe, victim.reads, seed)
    net = make_net(recipe.net, front, len(victim.labels), **victim.module.sizes)
    kind = type(victim)
    return trainable(kind(net, victim.reads, victim.labels, name=victim_name, device=options.device))


def _from_encoder(folder: str, labels: tuple[str, ...], options: Options) -> TrainableNet:
    model, tokenizer = classifier(folder, labels)
    with tempfile.TemporaryDirectory() as place:  # a victim is opened from a folder that is whole
        model.save_pretrained(place)
        tokenizer.save_pretrained(place)
        return trainable(Transformer(place, device=options.device))
