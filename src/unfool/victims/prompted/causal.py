"""A causal language model in this process as a classifier: labels by the probability of writing them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from unfool.devices import torch_device
from unfool.engine import Answers, Floats, FunctionService, Later, PendingAnswers
from unfool.errors import UserError, VictimError
from unfool.resources.smollm2 import smollm2_folder
from unfool.settings import at_least, written_settings
from unfool.text import Text
from unfool.victims._answer_forms import label_names
from unfool.victims._capabilities import GradientRequest, Gradients
from unfool.victims._fingerprints import fingerprint
from unfool.victims._victim import Input, TextVictim, Unusable
from unfool.victims.checkpoints import CAUSAL, load_model
from unfool.victims.prompted._account import Account
from unfool.victims.prompted._forms import label_forms
from unfool.victims.prompted._prompt import Prompt
from unfool.victims.prompted._slopes import slope, tokens_with_words
from unfool.victims.prompted._weighing import Weighing
from unfool.victims.tokens import Tokenizing

_DECIMALS = 5
PACKAGED = "smollm2"
"""The model that a package carries."""


@dataclass(frozen=True, kw_only=True)
class CausalSettings:
    """How a model is asked, and what its answers must be."""

    labels: tuple[str, ...]
    """The labels, as the model is to write them."""
    prompt: str | None = None
    """A file with ``{text}`` in it, or a template itself; by default the model is asked which label fits."""
    least: float = 0.5
    """The least share of its belief that the model must give to the labels; an answer with less is refused."""
    batch: int = 32
    """Texts a forward pass."""

    def __post_init__(self) -> None:
        """Refuse what makes no sense."""
        at_least(1, batch=self.batch)
        if not 0 <= self.least <= 1:
            raise UserError(f"least={self.least:g} is no share of the belief; give a number from 0 to 1")


class Causal(TextVictim):
    """A causal language model that is asked with a prompt, and weighed by how likely it goes on with each label.

    A label's probability is that of all ways to write it (as it is, in small letters, in capitals, with a capital,
    each with and without a space before it), token by token. The model's own chat template is used where there is
    one. What all prompts of a batch begin with is read once.

    Args:
        path: A model folder, a hub id, or ``smollm2`` for SmolLM2-135M-Instruct from the package registry.
        settings: How it is asked.
        device: ``cpu``, ``cuda`` or ``auto``.
        allow_code: Whether code that comes with the model may run.
    """

    decimals = _DECIMALS

    def __init__(
        self, path: str, settings: CausalSettings, *, device: str = "auto", allow_code: bool = False
    ) -> None:
        self.labels, self.settings, self._path = label_names(path, settings.labels), settings, path
        self._prompt = Prompt.read(settings.prompt, self.labels)
        folder = smollm2_folder() if path == PACKAGED else Path(path).expanduser()
        where = str(folder) if folder.is_dir() else path
        model, self._tokenizer = load_model(where, CAUSAL, allow_code=allow_code)
        self.device = torch_device(device)
        self.module = model.to(self.device).eval()
        self._longest = _longest(model.config)
        self.forms = label_forms(self._tokenizer, self.labels)
        self._weighing = Weighing(self.module, self.forms, path)
        self._account = Account(None, None)
        weights = fingerprint(folder) if folder.is_dir() else path
        self.fingerprint = f"{weights} {self._prompt.fingerprint}"

    def __repr__(self) -> str:
        told = {
            each.name: getattr(self.settings, each.name)
            for each in fields(self.settings)
            if each.name not in ("labels", "batch") and getattr(self.settings, each.name) != each.default
        }
        return f"hf-causal:{self._path}#{written_settings({**told, 'labels': '|'.join(self.labels)})}"

    @property
    def account(self) -> str:
        """How the belief was spread."""
        return str(self._account)

    def check(self, inputs: Sequence[Input]) -> PendingAnswers:
        """Ask about rendered texts, each by itself."""
        return Later(lambda: self._alone(inputs))

    def probabilities(self, inputs: Sequence[Input]) -> list[Floats | VictimError]:
        """Ask about all texts, those of about one length together."""
        prompts = [self.tokens(strings) for strings in inputs]
        found: list[Floats | VictimError] = [self._overlong(len(prompt)) for prompt in prompts]
        order = sorted(range(len(prompts)), key=lambda number: len(prompts[number]))
        fitting = [number for number in order if not self._longest or self._room(prompts[number]) >= 0]
        for start in range(0, len(fitting), self.settings.batch):
            some = fitting[start : start + self.settings.batch]
            for number, mass in zip(some, self.mass([prompts[number] for number in some]), strict=True):
                found[number] = self._row(mass)
        return found

    @cached_property
    def gradients(self) -> FunctionService:
        """From `GradientRequest` to `Gradients`, at all tokens of the prompt; one text after the other."""
        return FunctionService(lambda asked: [self._slope(request) for request in asked])

    @cached_property
    def tokenizing(self) -> Tokenizing:
        """The tokenizer, both ways; it reads a text in its prompt."""
        return Tokenizing(self._tokenizer, self._tokens_with_words)

    def write(self, inputs: Sequence[Input], most: int) -> list[str | None]:
        """Return what the model writes behind the prompt of each text, the likeliest token each time.

        Args:
            inputs: The texts.
            most: The most tokens it may write, and no more than twice the prompt has; None stands for a text that
                is too long.
        """
        import torch

        found: list[str | None] = []
        for prompt in map(self.tokens, inputs):
            room = min(most, 2 * len(prompt), (self._longest or len(prompt) + most) - len(prompt))
            if room < 1:
                found.append(None)
                continue
            with torch.inference_mode():
                asked = torch.tensor([prompt], device=self.device)
                whole = self.module.generate(
                    asked,
                    attention_mask=torch.ones_like(asked),
                    max_new_tokens=room,
                    do_sample=False,
                    pad_token_id=self._tokenizer.pad_token_id or 0,
                )
            written = whole[0, len(prompt) :]
            found.append(str(self._tokenizer.decode(written, skip_special_tokens=True)).strip())
        return found

    def tokens(self, strings: Input) -> list[int]:
        """Return the tokens of the prompt for a text."""
        written, _ = self._around(self._prompt.of(strings))
        return [*self._start, *self._tokenizer(written, add_special_tokens=False)["input_ids"]]

    def _around(self, prompt: str) -> tuple[str, int]:
        """Return all that the model reads around a prompt, and where the prompt starts in it."""
        if not self._tokenizer.chat_template:
            return prompt, 0
        message = [{"role": "user", "content": prompt}]
        written = self._tokenizer.apply_chat_template(message, add_generation_prompt=True, tokenize=False)
        # Some templates strip what they are given.
        return written, written.find(prompt.strip()) - (len(prompt) - len(prompt.lstrip()))

    @property
    def _start(self) -> list[int]:
        plain = not self._tokenizer.chat_template and self._tokenizer.bos_token_id is not None
        return [self._tokenizer.bos_token_id] if plain else []

    def _tokens_with_words(self, text: Text) -> tuple[list[int], list[int]]:
        filled = self._prompt.filled(text.strings)
        ids, words = tokens_with_words(self._tokenizer, filled, self._around(filled.written), text)
        return [*self._start, *ids], [*(-1 for _ in self._start), *words]

    def _slope(self, asked: GradientRequest) -> Gradients | VictimError:
        ids, words = self._tokens_with_words(asked.text)
        if self._longest and self._room(ids) < 0:
            return self._overlong(len(ids))
        return slope(self.module, self._weighing, ids, words, len(self.labels), asked)

    def mass(self, prompts: Sequence[Sequence[int]]) -> Floats:
        """Return the probability that the model goes on with each label, a row a prompt, read in one batch."""
        logs = self._weighing.log_probabilities(prompts).cpu().numpy()
        mass = np.zeros((len(prompts), len(self.labels)))
        for number, (label, _) in enumerate(self.forms):
            mass[:, label] += np.exp(logs[:, number])
        return mass.astype(np.float32)

    def _alone(self, inputs: Sequence[Input]) -> Answers:
        return self.judged([self.probabilities([strings])[0] for strings in inputs], inputs)

    def _row(self, mass: Floats) -> Floats | VictimError:
        inside = float(mass.sum())
        self._account.spread(max(0.0, 1 - inside), False)
        if inside <= 0 or inside < self.settings.least:
            self._account.refuse()
            return Unusable(
                f"{self._path} gives {inside:.1%} of its belief to {', '.join(self.labels)}, less than "
                f"least={self.settings.least:g}; mend the prompt, or name the labels as it writes them"
            )
        row: Floats = mass / np.float32(inside)
        return row

    def _room(self, prompt: Sequence[int]) -> int:
        return int(self._longest or 0) - len(prompt) - max(len(tokens) for _, tokens in self.forms)

    def _overlong(self, length: int) -> VictimError:
        return VictimError(
            f"the prompt has {length} tokens, and {self._path} reads {self._longest}; shorten the text"
        )


def _longest(config: Any) -> int | None:
    """Return how many tokens a model looks back at, all of its layers; None if that is not told."""
    told = [getattr(config, name, None) for name in ("max_position_embeddings", "sliding_window")]
    return min((int(limit) for limit in told if limit), default=None)
