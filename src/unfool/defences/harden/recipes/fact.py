"""FACT (FireBERT, Mein et al., 2020): co-tuning with SWITCH's alternatives inside each batch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from unfool.defences._replacements import PartOfSpeech, Vectors
from unfool.defences.harden._method import Plan, Training, method
from unfool.defences.switch import Importance, Similarity, Switch, SwitchSettings
from unfool.text import Sample, Text
from unfool.training import LabelledBatch, Place
from unfool.victims.tokens import TokenBatch, upload

if TYPE_CHECKING:
    from torch import Tensor

_AT_ONCE = 1024


@method
def fact(
    training: Training,
    *,
    words: int = 9,
    alternatives: int = 4,
    candidates: int = 10,
    importance: Importance = "gradient",
    pos: PartOfSpeech = "penn",
    vectors: Vectors = "counter-fitted",
    stop_words: bool = True,
    keep_word: bool = False,
    similarity: Similarity = "none",
    multiplier: int = 12,
) -> Plan:
    """Put other wordings of each text beside it in its batch, under its label; they are new for every epoch.

    SWITCH chooses the words to replace by the gradients of the victim as it was before training. The other settings
    are SWITCH's, too; the words and alternatives are those of the paper on MultiNLI (on IMDB it took 23 words).

    Args:
        training: What there is to train with.
        words: How many words change in each alternative, the most important ones.
        alternatives: Texts to make of one.
        candidates: Replacements for a word, the nearest that fit.
        importance: ``gradient``, as in the paper, or ``logits``, as released.
        pos: A replacement keeps the ``penn`` tag, the ``universal`` one, or ``none``.
        vectors: Whose nearest words are taken: the ``counter-fitted`` vectors' or the victim's ``own``.
        stop_words: Whether stop words are left alone.
        keep_word: Whether a word is among its own replacements, as released.
        similarity: Alternatives are taken as drawn, by ``rank``, or where a ``filter`` lets them pass.
        multiplier: How many times as many are drawn where similarity chooses.
    """
    import torch

    switch = Switch(
        training.victim,
        SwitchSettings(
            words=words,
            alternatives=alternatives,
            candidates=candidates,
            importance=importance,
            pos=pos,
            vectors=vectors,
            stop_words=stop_words,
            keep_word=keep_word,
            similarity=similarity,
            multiplier=multiplier,
        ),
    )
    net = training.net
    orders: list[NDArray[np.int16]] = []
    beside: dict[int, list[Text]] = {}

    def losses(batch: LabelledBatch, place: Place) -> Iterator[Tensor]:
        if not orders:
            orders.extend(_orders(switch, training.samples))
        if place[2] == 0:  # for all parts of a batch, since how many there are decides what each weighs
            whole = (batch.numbers if batch.part_of is None else batch.part_of).tolist()
            texts = [training.samples[number].text for number in whole]
            # Nothing here waits for the device, which works on the step before.
            made = switch.reworded(texts, [orders[number].tolist() for number in whole], training.seed_at(place))
            beside.clear()
            beside.update(zip(whole, made, strict=True))
        numbers = batch.numbers.tolist()
        others = [text for number in numbers for text in beside[number]]
        tokens, labels = batch.tokens, batch.labels
        if others:
            tokens = _beside(tokens, net.encode(others), net.pad)
            given = [training.samples[number].label for number in numbers for _ in beside[number]]
            labels = torch.cat([labels, upload(np.array(given), net.device)])
        # A part weighs as much as it has of the samples; of all that is read, it may have more or less.
        samples, read = len(numbers) / len(beside), len(labels) / sum(1 + len(some) for some in beside.values())
        yield torch.nn.functional.cross_entropy(net.logits(tokens), labels) * (read / samples)

    return Plan(losses)


def _orders(switch: Switch, samples: Sequence[Sample]) -> Iterator[NDArray[np.int16]]:
    """Say once for all which words of each text matter: the net that tells is not trained."""
    for start in range(0, len(samples), _AT_ONCE):
        some = samples[start : start + _AT_ONCE]
        for order in switch.orders([sample.text for sample in some], [sample.label for sample in some]):
            yield np.array(order, dtype=np.int16)


def _beside(one: TokenBatch, two: TokenBatch, pad: int) -> TokenBatch:
    """Return both batches as one, padded to the wider."""
    import torch

    width = max(one.ids.shape[1], two.ids.shape[1])

    def joined(first: Tensor, second: Tensor, filler: int) -> Tensor:
        grown = (torch.nn.functional.pad(t, (0, width - t.shape[1]), value=filler) for t in (first, second))
        return torch.cat(list(grown))

    return TokenBatch(joined(one.ids, two.ids, pad), joined(one.mask, two.mask, 0), joined(one.types, two.types, 0))
