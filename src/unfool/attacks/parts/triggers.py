"""Search: a few words that, before any text of a label, turn the answer (Wallace et al., 2019)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from unfool.attacks.parts.rank import ranked
from unfool.engine import Ask
from unfool.errors import UserError
from unfool.text import Text
from unfool.victims import GradientRequest, Gradients, WordEmbeddings

_FIRST = "the"
_DECIMALS = 5
_SEED = 0


class Search(NamedTuple):
    """How a trigger is looked for."""

    words: int
    """How many it has."""
    data: str
    """The data whose training texts it is learnt on."""
    texts: int
    """On how many of them."""
    candidates: int
    """How many words are tried in each place of it."""
    width: int
    """How many triggers are followed at once."""
    rounds: int
    """How often each place is gone through, at most."""


def trigger_for(ask: Ask, search: Search) -> tuple[str, ...]:
    """Return the trigger against the sample's label, found once for all samples of a run."""
    against = _Against(ask.labels, ask.sample.label, ask.goal.target)
    return _found(ask.offer("gradients"), ask.offer("embeddings"), search, against)


def with_trigger(text: Text, trigger: Sequence[str]) -> Text:
    """Return the text with some words before the first that may be edited."""
    start = next(field.start for field in text.fields if field.editable)
    for word in reversed(trigger):
        text = text.insert(start, word)
    return text


class _Against(NamedTuple):
    """Which label a trigger turns, and into which; None for any other."""

    labels: tuple[str, ...]
    label: int
    target: int | None


@lru_cache(maxsize=16)
def _found(gradients: Any, known: WordEmbeddings, search: Search, against: _Against) -> tuple[str, ...]:
    slopes = _Slopes(gradients, _training_texts(search, against.labels, against.label), against)
    start = _FIRST if known.row(_FIRST) is not None else known.words[0]
    best = (start,) * search.words
    loss, _ = slopes.of(best)
    for _ in range(search.rounds):
        beam = {best: loss}
        for place in range(search.words):
            beam |= {
                new: slopes.of(new)[0]
                for trigger in list(beam)
                for new in _replacing(trigger, place, slopes, known, search.candidates)
            }
            kept = list(beam)
            beam = {kept[n]: beam[kept[n]] for n in ranked(np.array(list(beam.values())))[: search.width]}
        now = max(beam, key=lambda trigger: beam[trigger])
        if now == best:
            break
        best, loss = now, beam[now]
    return best


class _Slopes:
    """Loss and slopes at the words of a trigger, the mean over some texts of a label."""

    def __init__(self, gradients: Any, texts: Sequence[Text], against: _Against) -> None:
        self._gradients, self._texts = gradients, texts
        self._label, self._sign = (against.label, 1.0) if against.target is None else (against.target, -1.0)
        self._known: dict[tuple[str, ...], tuple[float, np.ndarray]] = {}

    def of(self, trigger: tuple[str, ...]) -> tuple[float, np.ndarray]:
        """Return the loss, larger where the trigger does better, and its slopes: a row for each of its words."""
        if trigger not in self._known:
            starts = [next(field.start for field in text.fields if field.editable) for text in self._texts]
            asked = [GradientRequest(with_trigger(text, trigger), self._label) for text in self._texts]
            found: Sequence[Gradients] = self._gradients.launch(asked).result()
            rows = [
                [each.gradient[each.words == start + place].sum(axis=0) for place in range(len(trigger))]
                for each, start in zip(found, starts, strict=True)
            ]
            loss = self._sign * float(np.mean([each.loss for each in found]))
            slopes = self._sign * np.mean(rows, axis=0)
            self._known[trigger] = round(loss, _DECIMALS), np.round(slopes, _DECIMALS)
        return self._known[trigger]


def _replacing(
    trigger: tuple[str, ...], place: int, slopes: _Slopes, known: WordEmbeddings, count: int
) -> list[tuple[str, ...]]:
    """Return the trigger with other words in a place: those farthest along the slope there."""
    along = known.matrix @ slopes.of(trigger)[1][place].astype(np.float32)
    words = [known.words[row] for row in ranked(np.round(along, _DECIMALS))[:count]]
    return [(*trigger[:place], word, *trigger[place + 1 :]) for word in words]


def _training_texts(search: Search, labels: tuple[str, ...], label: int) -> list[Text]:
    from unfool.data import has_splits, load

    samples = load(search.data, split="train" if has_splits(search.data) else None)
    theirs = [name.lower() for name in samples.labels]
    number = theirs.index(labels[label].lower()) if labels[label].lower() in theirs else label
    # More are drawn than are wanted, since they have all labels.
    drawn = samples.sample(min(len(samples), 4 * search.texts * len(theirs)), _SEED)
    texts = [sample.text for sample in drawn if sample.label == number][: search.texts]
    if not texts:
        raise UserError(f"data={search.data} has no training texts of the label {labels[label]!r}; name others")
    return texts
