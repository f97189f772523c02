"""Probes of a victim: what a query costs, whether gradients vanish, whether texts that fooled it do so again."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from unfool.defences.evaluate._answers import probabilities, searched
from unfool.engine import Floats, Predictor, Status, answered_labels
from unfool.job import draws
from unfool.labels import data_numbers
from unfool.runs import Run
from unfool.text import Sample, Text
from unfool.victims import Differentiates, GradientRequest, Gradients

if TYPE_CHECKING:
    import torch

_TIMES = 3
_VANISHED_BELOW = 1e-7


class Cost(NamedTuple):
    """Of one query, on average over texts asked together."""

    forward: float | None
    """Texts through the net, forwards; None if there is no net to look into."""
    backward: float | None
    """Texts through the net, backwards."""
    seconds: float


def cost(victim: Predictor, texts: Sequence[Text]) -> Cost:
    """Measure what a query costs; the quickest of several goes counts."""
    searched(victim, texts)  # what is loaded or planned on first use is not the defence's price
    nets = _nets_in(victim)
    with _counting(nets) as counts:
        searched(victim, texts)
    taken = []
    for _ in range(_TIMES):
        began = time.perf_counter()
        searched(victim, texts)
        taken.append(time.perf_counter() - began)
    seconds = min(taken) / len(texts)
    if not nets:
        return Cost(None, None, seconds)
    return Cost(counts.forward / len(texts), counts.backward / len(texts), seconds)


class _Counts:
    forward = backward = 0


@contextmanager
def _counting(nets: Sequence[torch.nn.Module]) -> Iterator[_Counts]:
    counts = _Counts()

    def count(_: object, __: object, outputs: Any) -> None:
        logits = getattr(outputs, "logits", outputs)
        counts.forward += len(logits)
        if logits.requires_grad:
            logits.register_hook(lambda slope: setattr(counts, "backward", counts.backward + len(slope)))

    with ExitStack() as hooks:
        for net in nets:
            # Nets of the zoo are also run from their vectors on, past their own call.
            read_out = getattr(net, "read_out", net)
            hooks.callback(read_out.register_forward_hook(count).remove)
        yield counts


def _nets_in(victim: object) -> list[torch.nn.Module]:
    """Return the nets that a victim, or the victims inside it, hold."""
    try:
        import torch
    except ImportError:
        return []
    found: dict[int, torch.nn.Module] = {}
    seen: set[int] = set()
    todo = [victim]
    while todo:
        thing = todo.pop()
        if isinstance(thing, torch.nn.Module):
            found[id(thing)] = thing
        elif id(thing) not in seen and any(kind.__module__.startswith("unfool.") for kind in type(thing).__mro__):
            seen.add(id(thing))
            todo += vars(thing).values() if hasattr(thing, "__dict__") else ()
        elif isinstance(thing, list | tuple):
            todo += thing
    return list(found.values())


class GradientUse(NamedTuple):
    """How many texts have gradients that an attack can follow."""

    texts: int
    vanished: int
    """Texts whose gradients are nothing, or no numbers."""


def gradient_use(victim: Predictor, samples: Sequence[Sample]) -> GradientUse | None:
    """Look at the gradients of the loss on texts; return None if the victim offers none."""
    if not isinstance(victim, Differentiates):
        return None
    requests = [GradientRequest(sample.text, sample.label) for sample in samples]
    found: Sequence[Gradients] = victim.gradients.launch(requests).result()
    largest = [float(np.abs(each.gradient).max(initial=0.0)) for each in found]
    return GradientUse(len(samples), sum(not np.isfinite(one) or one < _VANISHED_BELOW for one in largest))


class HeldAgain(NamedTuple):
    """An attack's texts, asked anew."""

    successes: int
    held: float
    """The mean share of repetitions in which a success fools again."""
    accuracy: float
    """The expected accuracy on the texts the attack ended with, a fresh answer for each, over all samples."""
    left: float | None = None
    """The same, texts that were wrong before the attack counted as wrong: the accuracy under attack by fresh
    answers. None in evaluations of before this was measured."""


def held_again(victim: Predictor, run: Run, times: int, eot: int = 1) -> HeldAgain:
    """Ask a victim, its labels in the data's order, anew about the texts a run ended with.

    The attack made its texts for the ``eot`` draws it saw the mean of, so others are asked.
    """
    outcomes = list(run.outcomes())
    texts = [outcome.as_text(outcome.perturbed) for outcome in outcomes]
    numbers = data_numbers(run.config)
    gold = np.array([numbers[outcome.label] for outcome in outcomes])
    fooled = np.array([outcome.status is Status.SUCCESS for outcome in outcomes])
    was_right = np.array([outcome.before.label == outcome.label for outcome in outcomes])
    fresh = draws(victim, times, seen=eot if eot > 1 else 0)
    wrong: Floats = np.mean([answered_labels(probabilities(draw, texts), gold) != gold for draw in fresh], axis=0)
    held = float(wrong[fooled].mean()) if fooled.any() else 1.0
    return HeldAgain(int(fooled.sum()), held, float(1 - wrong.mean()), float(((1 - wrong) * was_right).mean()))
