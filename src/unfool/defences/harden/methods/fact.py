"""FACT (FireBERT, Mein et al., 2020): co-tuning with SWITCH's alternatives inside each batch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from unfool.defences.harden._method import Course, Plan, method
from unfool.defences.switch import Importance, Switch, SwitchSettings
from unfool.defences.switch._settings import Similarity
from unfool.defences.switch._words import PartOfSpeech
from unfool.victims._packing import TokenBatch
from unfool.zoo._encoded_samples import LabelledBatch
from unfool.zoo._fit import Place

if TYPE_CHECKING:
    from torch import Tensor


@method
def fact(
    course: Course,
    *,
    words: int = 9,
    alternatives: int = 4,
    candidates: int = 10,
    importance: Importance = "gradient",
    pos: PartOfSpeech = "penn",
    stop_words: bool = True,
    keep_word: bool = False,
    similarity: Similarity = "none",
    multiplier: int = 12,
) -> Plan:
    """Put other wordings of each text beside it in its batch, under its label; they are new for every epoch.

    SWITCH chooses the words to replace by the gradients of the victim as it was before training. The other settings
    are SWITCH's, too; the words and alternatives are those of the paper on MultiNLI (on IMDB it took 23 words).

    Args:
        course: What there is to train with.
        words: How many words change in each alternative, the most important ones.
        alternatives: Texts to make of one.
        candidates: Replacements for a word, the nearest that fit.
        importance: ``gradient``, as in the paper, or ``logits``, as released.
        pos: A replacement keeps the ``penn`` tag, the ``universal`` one, or ``none``.
        stop_words: Whether stop words are left alone.
        keep_word: Whether a word is among its own replacements, as released.
        similarity: Alternatives are taken as drawn, by ``rank``, or where a ``filter`` lets them pass.
        multiplier: How many times as many are drawn where similarity chooses.
    """
    import torch

    switch = Switch(
        course.victim,
        SwitchSettings(
            words=words,
            alternatives=alternatives,
            candidates=candidates,
            importance=importance,
            pos=pos,
            stop_words=stop_words,
            keep_word=keep_word,
            similarity=similarity,
            multiplier=multiplier,
        ),
    )
    student = course.student

    def losses(batch: LabelledBatch, place: Place) -> Iterator[Tensor]:
        texts = [course.samples[number].text for number in batch.numbers.tolist()]
        made = switch.alternatives(texts, batch.labels.tolist(), course.seed_at(place))
        others = [text for several in made for text in several]
        counts = torch.tensor([len(several) for several in made], device=student.device)
        tokens, labels = batch.tokens, batch.labels
        if others:
            tokens = _beside(tokens, student.encode(others), student.pad)
            labels = torch.cat([labels, labels.repeat_interleave(counts)])
        yield torch.nn.functional.cross_entropy(student.logits(tokens), labels)

    return Plan(losses)


def _beside(one: TokenBatch, two: TokenBatch, pad: int) -> TokenBatch:
    """Return both batches as one, padded to the wider."""
    import torch

    width = max(one.ids.shape[1], two.ids.shape[1])

    def joined(first: Tensor, second: Tensor, filler: int) -> Tensor:
        grown = (torch.nn.functional.pad(t, (0, width - t.shape[1]), value=filler) for t in (first, second))
        return torch.cat(list(grown))

    return TokenBatch(joined(one.ids, two.ids, pad), joined(one.mask, two.mask, 0), joined(one.types, two.types, 0))
