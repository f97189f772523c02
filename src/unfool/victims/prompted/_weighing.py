"""How likely a causal model goes on with each of a few forms behind each of many prompts."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, Any, NamedTuple

from unfool.errors import UserError, first_line
from unfool.victims.prompted._forms import Form, rest_of

if TYPE_CHECKING:
    import torch

_NEAR = 1e-3
"""How far apart log-probabilities may be that are worked out in two ways."""


class _Begun(NamedTuple):
    """The beginning of a prompt, and what the model keeps of it."""

    tokens: tuple[int, ...]
    cache: Any


class Weighing:
    """Reads prompts in batches, what they begin with once, and all forms behind them in one more pass.

    Args:
        model: A causal language model of transformers.
        forms: What may be written behind a prompt.
        name: The model's name, for messages.
    """

    def __init__(self, model: Any, forms: Sequence[Form], name: str) -> None:
        self._model, self.forms = model, forms
        self._device = model.device
        self.rest = rest_of(forms)
        self._begun: _Begun | None = None
        self._check(name)

    def log_probabilities(self, prompts: Sequence[Sequence[int]]) -> torch.Tensor:
        """Return the log-probability of each form, [prompts, forms]."""
        import torch

        with torch.inference_mode():
            return self._log_probabilities(prompts)

    def behind(self, mask: torch.Tensor) -> torch.Tensor:
        """Return what each token of the forms may look at: the prompt, and its own form's tokens up to itself.

        Args:
            mask: Which tokens of the prompts are none of padding, [prompts, tokens].
        """
        import torch

        forms = torch.tensor(self.rest.forms, device=self._device)
        depths = torch.tensor(self.rest.depths, device=self._device)
        own = (forms[:, None] == forms) & (depths[:, None] >= depths)
        seen = mask.bool()[:, None].expand(-1, len(forms), -1)
        return torch.cat([seen, own.expand(len(mask), -1, -1)], dim=2)[:, None]

    def joined(self, first: torch.Tensor, later: torch.Tensor) -> torch.Tensor:
        """Return the forms' log-probabilities: those of their first tokens, and of the tokens behind these."""
        import torch

        starts = torch.tensor([form.tokens[0] for form in self.forms], device=self._device)
        logs = first.float().log_softmax(-1)[:, starts].double()
        if not self.rest.forms:
            return logs
        wanted = torch.tensor(self.rest.wanted, device=self._device).expand(len(later), -1)
        steps = later.float().log_softmax(-1).gather(2, wanted[:, :, None])[:, :, 0].double()
        return logs.index_add(1, torch.tensor(self.rest.forms, device=self._device), steps)

    def _log_probabilities(self, prompts: Sequence[Sequence[int]]) -> torch.Tensor:
        import torch

        count = len(prompts)
        shared = min(_shared(prompts), min(map(len, prompts)) - 1) if count > 1 else 0
        cache = self._beginning(prompts[0][:shared], count) if shared else None
        lengths = torch.tensor([len(prompt) - shared for prompt in prompts], device=self._device)
        width = int(lengths.max())
        # Padding stands before a prompt's own tokens, so that all of them end at the same place.
        ids = torch.full((count, width), self._model.config.pad_token_id or 0, device=self._device)
        for row, prompt in enumerate(prompts):
            ids[row, width - len(prompt) + shared :] = torch.tensor(prompt[shared:], device=self._device)
        places = torch.arange(width, device=self._device) - (width - lengths)[:, None]
        mask = torch.cat([torch.ones_like(ids[:, :1]).expand(count, shared), (places >= 0).long()], dim=1)
        told = self._model(
            input_ids=ids,
            attention_mask=mask,
            position_ids=(places + shared).clamp_min(0),
            past_key_values=cache,
            use_cache=True,
            logits_to_keep=1,
        )
        if not self.rest.forms:
            return self.joined(told.logits[:, -1], told.logits)
        later = self._model(
            input_ids=torch.tensor([self.rest.before], device=self._device).expand(count, -1),
            attention_mask=as_bias(self.behind(mask), self._model.dtype),
            position_ids=(lengths + shared)[:, None] + torch.tensor(self.rest.depths, device=self._device) - 1,
            past_key_values=told.past_key_values,
            use_cache=True,
        )
        return self.joined(told.logits[:, -1], later.logits)

    def _beginning(self, tokens: Sequence[int], count: int) -> Any:
        """Return what the model keeps of a beginning, for so many prompts.

        As much of it is taken as the beginning of the batch before has in common with it.
        """
        import torch

        known = self._begun
        common = _shared([known.tokens, tokens]) if known else 0
        cache: Any = None
        if known and common:
            cache = copy.deepcopy(known.cache)
            if common < len(known.tokens):
                cache.crop(common - len(known.tokens))
        if common < len(tokens):
            ids = torch.tensor([list(tokens[common:])], device=self._device)
            places = torch.arange(common, len(tokens), device=self._device)[None]
            told = self._model(
                input_ids=ids, position_ids=places, past_key_values=cache, use_cache=True, logits_to_keep=1
            )
            cache = told.past_key_values
        self._begun = _Begun(tuple(tokens), copy.deepcopy(cache))
        cache.batch_repeat_interleave(count)
        return cache

    def _check(self, name: str) -> None:
        """Refuse a model that reads a text in pieces otherwise than as a whole.

        Raises:
            UserError: It does.
        """
        import torch

        prompts = [form.tokens * 2 for form in self.forms[:2]] * 2
        prompts[0] = (*prompts[0], *self.forms[0].tokens)
        fault = ""
        try:
            quick = self.log_probabilities(prompts)
        except (RuntimeError, ValueError, TypeError, AttributeError, IndexError) as error:
            fault = f" ({first_line(error)})"
        else:
            plain = torch.stack([self._plainly(prompt) for prompt in prompts])
            if torch.allclose(quick, plain, atol=_NEAR, rtol=_NEAR):
                self._begun = None
                return
        raise UserError(
            f"{name} reads a text in pieces otherwise than as a whole{fault}; give a causal model with full "
            "attention, or ask it by chat: through a server"
        )

    def _plainly(self, prompt: Sequence[int]) -> torch.Tensor:
        import torch

        logs = []
        for _, tokens in self.forms:
            with torch.inference_mode():
                logits = self._model(input_ids=torch.tensor([[*prompt, *tokens]], device=self._device)).logits[0]
            steps = logits.float().log_softmax(-1)[len(prompt) - 1 : -1].double()
            logs.append(steps.gather(1, torch.tensor(tokens, device=self._device)[:, None]).sum())
        return torch.stack(logs)


def as_bias(allowed: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Return what is added to attention scores, so that only what is allowed is looked at."""
    import torch

    return torch.zeros(allowed.shape, dtype=dtype, device=allowed.device).masked_fill(
        ~allowed, torch.finfo(dtype).min
    )


def _shared(prompts: Sequence[Sequence[int]]) -> int:
    """Return how many tokens all prompts begin with."""
    return sum(1 for _ in takewhile(lambda tokens: len(set(tokens)) == 1, zip(*prompts, strict=False)))
