"""Training a translator: pieces of words, label smoothing, warm-up; the epoch with the best BLEU is kept."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from unfool.generation import corpus_bleu, greedy
from unfool.progress import Bar
from unfool.training import Checkpoint, TrainingState, seeded
from unfool.zoo.translators.nets import END, PAD, START, UNKNOWN, AttentiveLstm, Transformer, make_net
from unfool.zoo.translators.recipes import Recipe

_SPECIAL = ("<pad>", "<s>", "</s>", "<unk>")
_SMOOTHING = 0.1
_LARGEST_GRADIENT = 1.0
_VALIDATED = 500
"""Pairs of the validation set that are translated after each epoch."""
LONGEST = 128
_HELD_OUT_EVERY, _MOST_HELD_OUT = 20, 1000


class Pairs(NamedTuple):
    """Sentences and their translations."""

    sources: Sequence[str]
    references: Sequence[str]

    def held_out(self) -> tuple[Pairs, Pairs]:
        """Return what is left to learn from, and every twentieth pair to validate by, a thousand at most."""
        places = set(range(0, len(self.sources), _HELD_OUT_EVERY)[:_MOST_HELD_OUT])
        kept = [place for place in range(len(self.sources)) if place not in places]
        return self._at(kept), self._at(sorted(places))

    def _at(self, places: Sequence[int]) -> Pairs:
        return Pairs([self.sources[place] for place in places], [self.references[place] for place in places])


class Trained(NamedTuple):
    """What came of a training."""

    bleu: float
    """On the validation pairs, of the epoch that was kept."""
    epoch: int
    epochs: int
    seconds: float


def learn_pieces(texts: Sequence[str], size: int) -> Any:
    """Learn byte-pair pieces of words from both languages; no text is unknown, since bytes are pieces, too."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

    pieces = Tokenizer(models.BPE(unk_token=_SPECIAL[UNKNOWN]))
    pieces.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    pieces.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=size, special_tokens=list(_SPECIAL), initial_alphabet=alphabet, show_progress=False
    )
    pieces.train_from_iterator(texts, trainer)
    return pieces


def train(
    recipe: Recipe,
    pieces: Any,
    learnt: Pairs,
    validation: Pairs,
    *,
    seed: int,
    device: torch.device,
    checkpoint: Path | None = None,
    progress: bool = True,
) -> tuple[AttentiveLstm | Transformer, Trained]:
    """Train a net and return it with the weights of its best epoch.

    Killed at any moment and called again with its checkpoint, it goes on with the epoch that was under way.
    """
    with seeded(seed):
        net = make_net(recipe.net, pieces.get_vocab_size(), recipe.sizes).to(device)
        optimizer = torch.optim.AdamW(net.parameters(), lr=recipe.lr, betas=(0.9, 0.98), weight_decay=1e-4)
        sources, outputs = encode(pieces, learnt.sources), encode(pieces, learnt.references)
        place = Checkpoint(checkpoint) if checkpoint else None
        state, kept = (place and place.load(net, optimizer)) or (TrainingState(), {})
        generator = np.random.default_rng([seed, state.epoch])
        began, before, step = time.perf_counter(), state.seconds, state.step
        while state.epoch <= recipe.epochs:
            net.train()
            batches = list(_batches(sources, outputs, recipe.batch, generator))
            told = f"best BLEU {max(state.share, 0):.1f}"
            with Bar(f"training, epoch {state.epoch}", len(batches), shown=progress) as bar:
                for batch in batches:
                    step += 1
                    rate = min(step / recipe.warm_up, (recipe.warm_up / step) ** 0.5)
                    for group in optimizer.param_groups:
                        group["lr"] = recipe.lr * rate
                    optimizer.zero_grad()
                    torch.autograd.backward(
                        _loss(net, [sources[n] for n in batch], [outputs[n] for n in batch], device)
                    )
                    torch.nn.utils.clip_grad_norm_(net.parameters(), _LARGEST_GRADIENT)
                    optimizer.step()
                    bar.advance(told)
            reached = validate(net, pieces, validation, device)
            seconds = before + time.perf_counter() - began
            if reached > state.share:
                state = state._replace(share=reached, n=len(validation.sources), best_epoch=state.epoch)
                kept = copy.deepcopy(net.state_dict())
            late = recipe.minutes is not None and seconds * (state.epoch + 1) / state.epoch > 60 * recipe.minutes
            done = late or state.epoch - state.best_epoch >= recipe.patience
            state = state._replace(
                epoch=recipe.epochs + 1 if done else state.epoch + 1, seen=state.epoch, step=step, seconds=seconds
            )
            generator = np.random.default_rng([seed, state.epoch])
            if place:
                place.save(net, optimizer, state, kept)
    net.load_state_dict(kept)
    net.eval()
    return net, Trained(state.share, state.best_epoch, state.seen, state.seconds)


def encode(pieces: Any, texts: Sequence[str]) -> list[list[int]]:
    """Return the tokens of texts, the end included."""
    return [[*found.ids[: LONGEST - 1], END] for found in pieces.encode_batch(list(texts))]


def validate(net: AttentiveLstm | Transformer, pieces: Any, pairs: Pairs, device: torch.device) -> float:
    """Return BLEU on some pairs, decoded greedily."""
    net.eval()
    chosen = Pairs(pairs.sources[:_VALIDATED], pairs.references[:_VALIDATED])
    found = greedy(Steps(net, device), encode(pieces, chosen.sources), LONGEST)
    outputs = [pieces.decode(each.tokens).strip() for each in found]
    return corpus_bleu(outputs, chosen.references).score


class Steps:
    """A net of ours as `unfool.generation` decodes it."""

    start, end, pad = START, frozenset({END}), PAD
    forced: tuple[int, ...] = ()
    never: tuple[int, ...] = (PAD, START, UNKNOWN)
    adjust: Callable[[Tensor, Tensor], Tensor] | None = None

    def __init__(self, net: AttentiveLstm | Transformer, device: torch.device) -> None:
        self.net, self.device = net, device
        self.encode, self.step, self.keep, self.memory = net.encode, net.step, net.keep, net.memory
        self.scores: Callable[[Tensor, Tensor, Tensor], Tensor] = net.forward

    @property
    def table(self) -> Tensor:
        """The vectors of all tokens."""
        weight: Tensor = self.net.embedding.weight
        return weight


def _loss(net: Any, sources: list[list[int]], outputs: list[list[int]], device: torch.device) -> Tensor:
    ids, wanted = _padded(sources, device), _padded(outputs, device)
    given = torch.cat([torch.full_like(wanted[:, :1], START), wanted[:, :-1]], 1)
    # Half the numbers' length is enough for learning, and faster where the device multiplies so.
    with torch.autocast(device.type, torch.bfloat16, enabled=_multiplies_halves(device)):
        scores = net(net.embedding(ids), (ids != PAD).long(), given)
    return torch.nn.functional.cross_entropy(
        scores.float().flatten(0, 1), wanted.flatten(), ignore_index=PAD, label_smoothing=_SMOOTHING
    )


def _multiplies_halves(device: torch.device) -> bool:
    return device.type == "cuda" or bool(torch.ops.mkldnn._is_mkldnn_bf16_supported())


def _padded(rows: list[list[int]], device: torch.device) -> Tensor:
    longest = max(map(len, rows))
    return torch.tensor([row + [PAD] * (longest - len(row)) for row in rows], device=device)


def _batches(
    sources: Sequence[Sequence[int]], outputs: Sequence[Sequence[int]], tokens: int, generator: np.random.Generator
) -> Iterator[NDArray[np.intp]]:
    """Put pairs of like lengths together, and the batches in a drawn order."""
    lengths = np.array([max(len(s), len(o)) for s, o in zip(sources, outputs, strict=True)])
    order = np.argsort(lengths + generator.random(len(lengths)), kind="stable")
    cuts, width = [0], 0
    for place, number in enumerate(order):
        width = max(width, int(lengths[number]))
        if (place + 1 - cuts[-1]) * width > tokens:
            cuts.append(place)
            width = int(lengths[number])
    batches = np.split(order, cuts[1:])
    for number in generator.permutation(len(batches)):
        if len(batches[number]):
            yield batches[number]
