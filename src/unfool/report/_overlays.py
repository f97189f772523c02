"""Ask a run's victim what it looks at: how much each word matters to it, and how much attention the word gets."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from unfool.engine import (
    Ask,
    Budget,
    FunctionService,
    Goal,
    Oracle,
    Outcome,
    Predictor,
    Service,
    Step,
    run_together,
)
from unfool.errors import UserError, VictimError
from unfool.generation import Generator, JudgedGenerator, TellsAttention, as_generator, find_goal
from unfool.report._terminal import choose_examples
from unfool.runs import Cross, Overlay, Run, Weights, adding_overlays, read_overlays
from unfool.text import DELETED, UNCHANGED, Sample, Text, Variants

if TYPE_CHECKING:
    from unfool.victims import Options

MOST_SAMPLES = 200
_DECIMALS = 4
# A run may come from anywhere, and its configuration could name any function there is.
_REACHES_OUT = re.compile(r"(^|[:+\]])(py|https?):")
_HARMLESS = "py:unfool.victims.vader:probabilities"
_IN_FLIGHT = 256
_WORDS_SQUARED = 40_000
"""Between so many pairs of words, the attention of all layers and heads fits into memory."""
_MOST_CROSSED = 4_000
"""Pairs of words of an output and its source that a person can still look at."""


def overlay(
    run: str | Path | Run,
    n: int = MOST_SAMPLES,
    *,
    victim: str | Predictor | Generator | None = None,
    options: Options | None = None,
    on_progress: Callable[[int, int], None] | None = None,
) -> int:
    """Ask a run's victim about each word of some of its samples, and keep the answers in the run's folder.

    Samples that were asked about before are not asked about again.

    Args:
        run: The run, or its folder.
        n: How many samples: successes first, then failed, then skipped ones.
        victim: The run's victim, if its name in the run does not open it.
        options: How to open it: device, whether code may run.
        on_progress: Called with how many samples are done, and of how many.

    Returns:
        How many samples the victim gave no answer about.

    Raises:
        UserError: The victim cannot be opened, or is not the one of the run.
    """
    opened = run if isinstance(run, Run) else Run.open(run)
    known = read_overlays(opened.folder)
    todo = [outcome for outcome in choose_examples(opened, n) if outcome.id not in known]
    if not todo:
        return 0
    model = _victim_of(opened, victim, options)
    oracle, attends = Oracle(model), _word_attention(model)
    looks = model.model if isinstance(model, JudgedGenerator) and isinstance(model.model, TellsAttention) else None
    done = failed = 0
    with adding_overlays(opened.folder) as add:
        for step in run_together((_overlay_of(oracle, attends, looks, outcome) for outcome in todo), _IN_FLIGHT):
            for found in filter(None, step):
                add(found)
            done, failed = done + len(step), failed + step.count(None)
            if on_progress:
                on_progress(done, len(todo))
    return failed


def _victim_of(run: Run, given: str | Predictor | Generator | None, options: Options | None) -> Predictor:
    """Open the run's victim, and see that it is the one the run attacked."""
    from unfool.victims import Options, as_victim, in_label_order

    fingerprint = run.config.get("victim_fingerprint")
    names, own = _names(run, "labels"), str(run.config.get("victim"))
    if not given and _REACHES_OUT.search(own.removeprefix(_HARMLESS)):
        raise UserError(
            f"the run in {run.folder} names {own} as its victim, which opening it would run, or send texts to; "
            f"if you trust that, say it yourself: --victim {shlex.quote(own)}"
        )
    goal = run.config.get("generation_goal")
    try:
        how = (options or Options()).unless_named("fp32")
        if goal:
            model: Predictor = JudgedGenerator(as_generator(given or own, how), find_goal(str(goal)))
        else:
            how = replace(how, labels=_names(run, "victim_labels") or names or None)
            model = as_victim(given or own, how)
    except UserError as error:
        hint = "" if given else f" (so it is called in {run.folder}; if it has another name now, add --victim NAME)"
        raise UserError(f"{error}{hint}") from error
    same = fingerprint in (None, getattr(model, "fingerprint", None)) and len(names) in (0, len(model.labels))
    if not same:
        do = f"give what it calls {own}" if given else "restore it, or attack it anew"
        raise UserError(f"{model!r} is not what {run.folder} attacked; {do}")
    return in_label_order(model, names) if "victim_labels" in run.config else model


def _names(run: Run, key: str) -> list[str]:
    labels = run.config.get(key)
    return [str(label) for label in labels] if isinstance(labels, list) else []


async def _overlay_of(
    oracle: Oracle, attends: Service | None, looks: TellsAttention | None, outcome: Outcome
) -> Overlay | None:
    """Return one sample's overlay, or None if the victim does not answer."""
    changed = outcome.perturbed != outcome.original
    texts = [outcome.as_text(strings) for strings in (outcome.original, outcome.perturbed)[: 1 + changed]]
    ask = Ask(Sample(outcome.id, texts[0], outcome.label), oracle, Goal(), Budget(), seed=0)
    way = list(_texts_on_the_way(texts[0], outcome.steps))
    try:
        # A model that generates reads the source; what stands behind it is there for the goal.
        read = [text.fields[0].stop if outcome.outputs else len(text) for text in texts]
        importance = await _importance(ask, texts, read)
        beliefs = await ask.probability([texts[0], *way], outcome.label)
        attention = await ask.use_all(attends, texts) if attends else [None] * len(texts)
    except VictimError:
        return None
    if ask.unanswered:  # a stand-in's belief says nothing about the victim
        return None
    weights = [Weights(*pair) for pair in zip(importance, attention, strict=True)]
    rounded = np.round(beliefs.astype(np.float64), _DECIMALS).tolist()
    cross = [_crossed(looks, text.strings[0]) for text in texts] if looks else None
    return Overlay(outcome.id, weights[0], weights[1] if changed else None, rounded, cross)


def _texts_on_the_way(text: Text, steps: Iterable[Step]) -> Iterator[Text]:
    """Yield the texts a search went through."""
    for step in steps:
        text = text.replace_several([swap.position for swap in step], [swap.new for swap in step])
        yield text


def _crossed(model: TellsAttention, source: str) -> Cross:
    """Return where a model looks as it makes its output; of what is too long to look at, no words."""
    seen = model.attention(source)
    if seen.cross.size > _MOST_CROSSED:
        return Cross([], [], [])
    return Cross(seen.source, seen.output, np.round(seen.cross.astype(np.float64), _DECIMALS).tolist())


async def _importance(ask: Ask, texts: Sequence[Text], read: Sequence[int]) -> list[list[float]]:
    """Return how much the belief in the true label falls without each word, all texts in one question.

    Args:
        ask: The line to the victim.
        texts: The texts.
        read: How many words of each the victim reads.
    """
    spots = [(number, spot) for number, words in enumerate(read) for spot in (UNCHANGED, *range(words))]
    asked = Variants(texts, [number for number, _ in spots], [spot for _, spot in spots], [DELETED] * len(spots))
    beliefs = (await ask.probability(asked, ask.sample.label)).astype(np.float64)
    parts = np.split(beliefs, np.cumsum([1 + words for words in read])[:-1])
    return [(np.round(part[0] - part[1:], _DECIMALS) + 0.0).tolist() for part in parts]


def _word_attention(victim: Predictor) -> Service | None:
    """Return a service from texts to the attention of their words, or None if the victim does not tell it."""
    from unfool.victims import Attends

    if not isinstance(victim, Attends):
        return None
    # If the net decides by the last token, that one looks at all others; else the first does.
    row: Literal["cls", "last"] = "last" if getattr(victim, "reads_last_token", False) else "cls"
    return FunctionService(partial(_attended, victim.attention, row))


def _attended(service: Service, row: Literal["cls", "last"], texts: Sequence[Text]) -> list[list[float | None]]:
    """Return the last layer's attention to each word, the mean over its heads, or None if a word is not read."""
    from unfool.attacks.parts.rank import word_attention

    weights = [
        word_attention(found, len(text), layer=-1, head=None, row=row)
        for some in _small_batches(texts)
        for text, found in zip(some, service.launch(some).result(), strict=True)
    ]
    return [
        [round(each[spot], _DECIMALS) if spot in each else None for spot in range(len(text))]
        for text, each in zip(texts, weights, strict=True)
    ]


def _small_batches(texts: Sequence[Text]) -> Iterator[list[Text]]:
    """Cut texts into batches that are small enough: attention grows with the square of a text's length."""
    batch, size = list[Text](), 0
    for text in texts:
        if batch and size + len(text) ** 2 > _WORDS_SQUARED:
            yield batch
            batch, size = [], 0
        batch.append(text)
        size += len(text) ** 2
    if batch:
        yield batch
