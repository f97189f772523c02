"""Gradients of a causal model's belief in labels, at the tokens of a prompt."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from unfool.text import Text
from unfool.victims._capabilities import GradientRequest, Gradients
from unfool.victims.prompted._prompt import Filled
from unfool.victims.prompted._weighing import Weighing, as_bias

if TYPE_CHECKING:
    import torch


def label_logs(forms: torch.Tensor, weighing: Weighing, labels: int) -> torch.Tensor:
    """Return the log-probability of each label from those of its forms, [prompts, labels]."""
    import torch

    theirs = torch.tensor([form.label for form in weighing.forms], device=forms.device)
    return torch.stack([forms[:, theirs == label].logsumexp(1) for label in range(labels)], dim=1)


def slope(
    model: Any, weighing: Weighing, ids: list[int], words: list[int], labels: int, asked: GradientRequest
) -> Gradients:
    """Differentiate at the vectors of a prompt's tokens, in one pass over the prompt and all forms behind it."""
    import torch

    table = model.get_input_embeddings()
    read = torch.tensor([ids], device=model.device)
    rest = weighing.rest
    vectors = table(read).detach().requires_grad_()
    behind = table(torch.tensor([rest.before], dtype=torch.long, device=model.device)).detach()
    count, all_of_them = len(ids), len(ids) + len(rest.before)
    seen = torch.ones(1, 1, all_of_them, all_of_them, dtype=torch.bool, device=model.device).tril()
    if rest.forms:
        seen[:, :, count:] = weighing.behind(torch.ones_like(read))
    places = [*range(count), *(count + depth - 1 for depth in rest.depths)]
    with torch.enable_grad():
        told = model(
            inputs_embeds=torch.cat([vectors, behind], dim=1),
            attention_mask=as_bias(seen, model.dtype),
            position_ids=torch.tensor([places], device=model.device),
            use_cache=False,
        ).logits
        logs = label_logs(weighing.joined(told[:, count - 1], told[:, count:]), weighing, labels)
        loss = logs.logsumexp(1)[0] - logs[0, asked.label]
        (gradient,) = torch.autograd.grad(logs[0, asked.label] if asked.of == "logit" else loss, vectors)
        gradient = gradient[0] @ table.weight.T if asked.one_hot else gradient[0]
    values = gradient.detach().float().cpu().numpy()
    return Gradients(np.array(ids, dtype=np.int64), np.array(words, dtype=np.int64), values, float(loss.detach()))


def tokens_with_words(
    tokenizer: Any, filled: Filled, around: tuple[str, int], text: Text
) -> tuple[list[int], list[int]]:
    """Return the tokens of a prompt and, for each, the word of the text that it is part of; -1 for none.

    Args:
        tokenizer: A fast tokenizer of transformers.
        filled: The prompt, and where the texts stand in it.
        around: All that the model reads, and where the prompt starts in it.
        text: The text.
    """
    written, start = around
    encoding = tokenizer(written, add_special_tokens=False, return_offsets_mapping=True)
    words = [-1] * len(encoding["input_ids"])
    for offset, field in filled.starts:
        first = start + offset
        last = first + len(text.strings[field])
        for number, (begin, end) in enumerate(encoding["offset_mapping"]):
            if end > begin and first <= begin < last:
                words[number] = text.word_at(field, begin - first, end - first)
    return list(encoding["input_ids"]), words
