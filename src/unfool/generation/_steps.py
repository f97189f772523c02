"""A network of transformers, one token a step, with what its own settings do to the scores."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from unfool.errors import UserError

if TYPE_CHECKING:
    import torch


class Steps:
    """A network of transformers, one token a step."""

    def __init__(self, module: Any, forced: tuple[int, ...]) -> None:
        settings = module.generation_config
        self.module, self.forced, self.device = module, forced, module.device
        start = settings.decoder_start_token_id
        self.start = int(module.config.decoder_start_token_id if start is None else start)
        ends = settings.eos_token_id
        self.end = frozenset(ends if isinstance(ends, list) else [ends])
        self.pad = int(module.config.pad_token_id or 0)
        alone = [ids[0] for ids in settings.bad_words_ids or () if len(ids) == 1 and ids[0] not in self.end]
        self.never = (*alone, *(settings.suppress_tokens or ()))
        self.adjust = _adjustments(settings, first=1 + len(forced), ends=sorted(self.end), device=module.device)

    @property
    def table(self) -> torch.Tensor:
        """The vectors of all source tokens, as they are kept."""
        # The model's own table is another one where its encoder and its decoder share none.
        weight: torch.Tensor = self.module.get_encoder().get_input_embeddings().weight
        return weight

    def scores(self, vectors: torch.Tensor, mask: torch.Tensor, outputs: torch.Tensor) -> torch.Tensor:
        """Score the token behind each token of given outputs."""
        from transformers.modeling_outputs import BaseModelOutput

        states = self._read(vectors, mask)
        made: torch.Tensor = self.module(
            encoder_outputs=BaseModelOutput(last_hidden_state=states),
            attention_mask=mask,
            decoder_input_ids=outputs,
            use_cache=False,
        ).logits
        return made

    def encode(self, ids: torch.Tensor, mask: torch.Tensor, blank: torch.Tensor | None = None) -> Any:
        """Read the sources."""
        encoder = self.module.get_encoder()
        if blank is None:
            return encoder(input_ids=ids, attention_mask=mask).last_hidden_state, mask, None
        return self._read(self.table[ids].masked_fill(blank[..., None], 0.0), mask), mask, None

    def _read(self, vectors: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        encoder = self.module.get_encoder()
        # Marian's encoder scales what it has looked up; BART's table does, and its encoder knows by how much, too.
        scale = getattr(encoder, "embed_scale", getattr(encoder.get_input_embeddings(), "embed_scale", 1.0))
        states: torch.Tensor = encoder(inputs_embeds=vectors * scale, attention_mask=mask).last_hidden_state
        return states

    def memory(self, state: Any) -> torch.Tensor:
        """Return the encoder's states."""
        states: torch.Tensor = state[0]
        return states

    def step(self, tokens: torch.Tensor, state: Any) -> tuple[torch.Tensor, Any]:
        """Make the next token's scores."""
        from transformers.modeling_outputs import BaseModelOutput

        states, mask, past = state
        made = self.module(
            encoder_outputs=BaseModelOutput(last_hidden_state=states),
            attention_mask=mask,
            decoder_input_ids=tokens[:, None],
            past_key_values=past,
            use_cache=True,
        )
        return made.logits[:, -1], (states, mask, made.past_key_values)

    def keep(self, state: Any, rows: torch.Tensor) -> Any:
        """Keep some rows."""
        states, mask, past = state
        if past is not None:
            past.batch_select_indices(rows)
        return states[rows], mask[rows], past


_NOT_HONOURED = (
    "sequence_bias",
    "encoder_repetition_penalty",
    "encoder_no_repeat_ngram_size",
    "exponential_decay_length_penalty",
    "guidance_scale",
    "watermarking_config",
)
_NEUTRAL = (None, 0, 1, 1.0)


def check_settings(path: str, settings: Any) -> None:
    """Refuse a model whose own settings of generation ask for what is not done here."""
    asked = [key for key in _NOT_HONOURED if getattr(settings, key, None) not in _NEUTRAL]
    if asked:
        raise UserError(
            f"the generation_config.json in {path} sets {', '.join(asked)}, which unfool does not do; take it out "
            "to attack the model without it"
        )


def _adjustments(
    settings: Any, *, first: int, ends: list[int], device: torch.device
) -> Callable[[torch.Tensor, torch.Tensor], torch.Tensor] | None:
    """Return what a model's own settings do to the scores of the next token, as transformers does it."""
    from transformers import (
        LogitsProcessorList,
        MinLengthLogitsProcessor,
        MinNewTokensLengthLogitsProcessor,
        NoBadWordsLogitsProcessor,
        NoRepeatNGramLogitsProcessor,
        RepetitionPenaltyLogitsProcessor,
        SuppressTokensAtBeginLogitsProcessor,
    )

    found = LogitsProcessorList()
    if settings.repetition_penalty not in _NEUTRAL:
        found.append(RepetitionPenaltyLogitsProcessor(settings.repetition_penalty))
    if settings.no_repeat_ngram_size:
        found.append(NoRepeatNGramLogitsProcessor(settings.no_repeat_ngram_size))
    if several := [ids for ids in settings.bad_words_ids or () if len(ids) > 1]:
        found.append(NoBadWordsLogitsProcessor(several, ends))
    if settings.min_length:
        found.append(MinLengthLogitsProcessor(settings.min_length, ends, device=device))
    if settings.min_new_tokens:
        found.append(MinNewTokensLengthLogitsProcessor(1, settings.min_new_tokens, ends, device=device))
    if settings.begin_suppress_tokens:
        found.append(SuppressTokensAtBeginLogitsProcessor(settings.begin_suppress_tokens, first, device=device))
    return found if len(found) else None
