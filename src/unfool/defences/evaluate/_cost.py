"""What an answer costs: passes through the nets inside a victim, and time."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from unfool.defences.evaluate._answers import searched
from unfool.engine import Predictor
from unfool.text import Text

if TYPE_CHECKING:
    import torch

_TIMES = 3


class Cost(NamedTuple):
    """Of one query, on average over texts asked together."""

    forward: float | None
    """Texts through the net, forwards; None where there is no net to look into."""
    backward: float | None
    """Texts through the net, backwards."""
    seconds: float


class _Counts:
    forward = backward = 0


def cost(victim: Predictor, texts: Sequence[Text]) -> Cost:
    """Measure what a query costs; the quickest of several goes counts."""
    searched(victim, texts)  # what is loaded or planned on first use is not the defence's price
    with _counting(victim) as counts:
        searched(victim, texts)
    taken = []
    for _ in range(_TIMES):
        began = time.perf_counter()
        searched(victim, texts)
        taken.append(time.perf_counter() - began)
    seconds = min(taken) / len(texts)
    if counts is None:
        return Cost(None, None, seconds)
    return Cost(counts.forward / len(texts), counts.backward / len(texts), seconds)


@contextmanager
def _counting(victim: object) -> Iterator[_Counts | None]:
    nets = _nets_in(victim)
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
        yield counts if nets else None


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
        elif id(thing) not in seen and type(thing).__module__.startswith(("unfool.", "tests.")):
            seen.add(id(thing))
            todo += vars(thing).values() if hasattr(thing, "__dict__") else ()
        elif isinstance(thing, list | tuple):
            todo += thing
    return list(found.values())
