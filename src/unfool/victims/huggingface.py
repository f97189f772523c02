"""Any Hugging Face sequence classifier as a victim, from a folder or the hub."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from unfool.devices import runs_in_half, torch_device
from unfool.engine import FunctionService
from unfool.errors import UserError, first_line
from unfool.text import Text
from unfool.victims._answer_forms import names_of_classes, numbered_labels
from unfool.victims._capabilities import Attention
from unfool.victims._fingerprints import fingerprint
from unfool.victims._own_probability import AskedLabel, asked_label, has_own_probabilities
from unfool.victims.checkpoints import load_classifier
from unfool.victims.tokens import TokenBatch, TokenizerEncoder, Tokenizing, Whole, whole_batch
from unfool.victims.white_box import WhiteBoxVictim

if TYPE_CHECKING:
    import torch

_LONGEST = 512
_ATTENTION_SHARE = 16
"""Weights of all layers and heads at once take far more room than an answer: they get a share of the tokens."""


class Transformer(WhiteBoxVictim):
    """A sequence classifier with its tokenizer; gradients, attention and hidden states come with it.

    Args:
        path: A model folder, or a hub id.
        device: ``cpu``, ``cuda`` or ``auto``.
        dtype: ``fp32``, ``bf16`` for the search (successes are still checked in fp32), or ``auto``.
        name: The name the victim goes by; ``hf:`` and the path if None.
        allow_code: Whether code that comes with the model may run.
        positive: Of labels that each have a probability of their own, the one asked about.
        one_output: Whether a model with a single output is taken: as the logit of a label.
    """

    def __init__(
        self,
        path: str,
        *,
        device: str = "auto",
        dtype: str = "fp32",
        name: str | None = None,
        allow_code: bool = False,
        positive: str | None = None,
        one_output: bool = False,
    ) -> None:
        self._name = name or f"hf:{path}"
        model, tokenizer = load_classifier(path, allow_code=allow_code, least=1 if one_output else 2)
        labels = _label_names(model.config.id2label)
        self._asked: AskedLabel | None = None
        if has_own_probabilities(model.config.to_dict(), len(labels)):
            self._asked = asked_label(self._name, names_of_classes(model.config.id2label), len(labels), positive)
            labels = self._asked.labels
            self._name += f"#positive={quote(positive)}" if positive else ""
        folder = Path(path).expanduser()
        self.fingerprint = fingerprint(folder) if folder.is_dir() else None
        place = torch_device(device)
        self._model, self.tokenizer = model.to(place).eval(), tokenizer
        half = runs_in_half(dtype, place)
        self._search = copy.deepcopy(self._model).bfloat16() if half else self._model
        self._takes_types = takes_types(model, tokenizer)
        super().__init__(
            TokenizerEncoder(tokenizer, longest_input(model, tokenizer)),
            labels,
            place,
            pad=tokenizer.pad_token_id or 0,
            unknown=tokenizer.unk_token or "[UNK]",
            weights=max(1, model.num_parameters(exclude_embeddings=True)),
            half=half,
        )
        self.reads_last_token = hasattr(model, "score")
        self.blank = tokenizer.mask_token_id
        self.takes_wide_mask = False
        self.takes_wide_mask = self._check_wide_mask()

    def __repr__(self) -> str:
        return self._name

    @property
    def asks_about_one(self) -> bool:
        """Whether it says of one label alone whether a text has it."""
        return self._asked is not None

    @property
    def module(self) -> Any:
        """The classifier itself; who changes its weights must `refresh` the victim."""
        return self._model

    def refresh(self) -> None:
        """Answer by the classifier's weights as they are now."""
        super().refresh()
        self._model.eval()
        if self.approximate:
            self._search = copy.deepcopy(self._model).bfloat16()

    def logits(self, batch: TokenBatch, *, full: bool) -> torch.Tensor:
        """Return the classifier's raw outputs."""
        model = self._model if full else self._search
        arguments = self._arguments(batch)
        if self.takes_wide_mask:
            arguments["attention_mask"] = batch.mask[:, None, None, :]
        return self._read(model(**arguments).logits)

    def _read(self, outputs: torch.Tensor) -> torch.Tensor:
        """Return one column a label: softmax of (0, z) is sigmoid of z."""
        import torch

        if self._asked is None:
            return outputs
        asked = outputs[:, self._asked.place]
        return torch.stack([torch.zeros_like(asked), asked], dim=1)

    def _check_wide_mask(self) -> bool:
        """Whether the model takes a mask that is ready to use.

        Given a plain one, transformers asks the device whether anything is masked at all, and so waits for it.
        """
        import torch

        rows = [Whole([*self.encoder.prefix, 5, 6, 7], None), Whole([*self.encoder.prefix, 5], None)]
        batch = whole_batch(rows, self.encoder, self._pad, 1, self.device)
        with torch.inference_mode():
            try:
                plain = self.logits(batch, full=True)
            except (RuntimeError, ValueError, IndexError, TypeError) as error:
                raise UserError(
                    f"{self!r} cannot answer about any text: {first_line(error)}; save the model again"
                ) from error
            self.takes_wide_mask = True
            try:
                return bool(torch.allclose(plain, self.logits(batch, full=True), atol=1e-4))
            except (RuntimeError, ValueError, IndexError, TypeError):
                return False

    @cached_property
    def attention(self) -> FunctionService:
        """Attention weights of every layer and head."""
        return FunctionService(self._attention)

    def _arguments(self, batch: TokenBatch) -> dict[str, torch.Tensor]:
        arguments = {"input_ids": batch.ids, "attention_mask": batch.mask}
        if self._takes_types:
            arguments["token_type_ids"] = batch.types
        return arguments

    @property
    def table(self) -> torch.Tensor:
        """The vectors of all tokens."""
        weights: torch.Tensor = self._model.get_input_embeddings().weight
        return weights

    def words_of_tokens(self, text: Text) -> tuple[Whole, list[int]]:
        """Encode a text whole and say which word each token comes from; -1 for none."""
        assert isinstance(self.encoder, TokenizerEncoder)
        return self.encoder.words_of_tokens(text)

    @cached_property
    def tokenizing(self) -> Tokenizing:
        """The tokenizer, both ways; it reads as gradients are told."""

        def read(text: Text) -> tuple[list[int], list[int]]:
            whole, words = self.words_of_tokens(text)
            return [*whole.tokens, *self.encoder.suffix], words

        return Tokenizing(self.tokenizer, read)

    def embed(self, batch: TokenBatch) -> torch.Tensor:
        """Return the tokens' vectors, before positions are added."""
        vectors: torch.Tensor = self._model.get_input_embeddings()(batch.ids)
        return vectors

    def logits_of(self, vectors: torch.Tensor, batch: TokenBatch) -> torch.Tensor:
        """Return the raw outputs from tokens' vectors."""
        arguments = self._arguments(batch)
        del arguments["input_ids"]
        return self._read(self._model(inputs_embeds=vectors, **arguments).logits)

    def layers(self, batch: TokenBatch) -> list[torch.Tensor]:
        """Return the states of every layer."""
        return list(self._model(**self._arguments(batch), output_hidden_states=True).hidden_states)

    def summary(self, batch: TokenBatch) -> tuple[torch.Tensor, torch.Tensor]:
        """Return what goes into the last linear layer, and the raw outputs."""
        seen: list[torch.Tensor] = []
        hook = self._last_linear.register_forward_pre_hook(lambda _, inputs: seen.append(inputs[0]))
        try:
            outputs = self._read(self._model(**self._arguments(batch)).logits)
        finally:
            hook.remove()
        # Some heads are given every token's state, and look at the first, or at the last.
        read = seen[0] if seen[0].ndim == 2 else seen[0][:, -1 if self.reads_last_token else 0]
        return read, outputs

    @cached_property
    def _last_linear(self) -> torch.nn.Module:
        import torch

        return [part for part in self._model.modules() if isinstance(part, torch.nn.Linear)][-1]

    def _attention(self, texts: Sequence[Text]) -> list[Attention]:
        import torch

        before = self._model.config._attn_implementation
        found: dict[int, Attention] = {}
        # Fast attention kernels never hold the weights; only the plain one can return them.
        self._model.set_attn_implementation("eager")
        try:
            for cut in self.in_batches(texts, _ATTENTION_SHARE):
                with torch.inference_mode():
                    layers = self._model(**self._arguments(cut.batch), output_attentions=True).attentions
                stacked = torch.stack(layers).cpu().numpy()
                for row, (number, words) in enumerate(zip(cut.numbers, cut.words, strict=True)):
                    found[number] = Attention(words, stacked[:, row, :, : len(words), : len(words)])
        finally:
            self._model.set_attn_implementation(before)
        return [found[number] for number in range(len(texts))]


def _label_names(given: Mapping[int, object]) -> tuple[str, ...]:
    """Return the names of the classes, or their numbers if the names were made up: the data may know better."""
    return names_of_classes(given) or numbered_labels(len(given))


def takes_types(model: Any, tokenizer: Any) -> bool:
    """Say whether a model is to be told which tokens belong to a pair's second text."""
    kinds = int(getattr(model.config, "type_vocab_size", 0) or 0)
    return "token_type_ids" in tokenizer.model_input_names and kinds > 1


def longest_input(model: Any, tokenizer: Any) -> int:
    """Return how many tokens a model takes, special ones included."""
    positions = getattr(model.config, "max_position_embeddings", None) or _LONGEST
    # RoBERTa and its kin count positions from behind the padding index.
    offset = (model.config.pad_token_id or 0) + 1 if model.config.model_type in _OFFSET_POSITIONS else 0
    return int(min(positions - offset, tokenizer.model_max_length, _LONGEST * 16))


_OFFSET_POSITIONS = {"roberta", "xlm-roberta", "camembert", "longformer", "mpnet", "data2vec-text"}
