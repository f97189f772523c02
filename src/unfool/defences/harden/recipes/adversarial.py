"""Adversarial training with any attack, made anew for each epoch."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Literal

from unfool.attacks import Attack, find_attack
from unfool.defences.harden._method import Plan, Training, method
from unfool.engine import Failure, Outcome, Status, attack_samples
from unfool.errors import UserError
from unfool.job import Progress
from unfool.runs import Run, is_finished, is_run
from unfool.text import Sample
from unfool.victims import require

Keep = Literal["fooling", "changed"]
_GPU_WIDTH, _CPU_WIDTH = 8192, 256


@method
def adversarial(
    training: Training, *, attack: str = "textfooler", n: int | None = None, keep: Keep = "fooling"
) -> Plan:
    """Before each epoch attack the net as it is then, and train on what fools it beside the data.

    Args:
        training: What there is to train with.
        attack: Any attack by name, its settings with ``+`` between them: ``hotflip:width=1+budget=0.2``.
        n: How many samples are attacked for an epoch, others each time (default: all).
        keep: Whether to train on the texts that ``fooling`` succeeded with, or on all that were ``changed``.
    """
    return against(training, find_attack(attack.replace("+", ",")), n, keep)


def against(training: Training, attack: Attack, n: int | None, keep: Keep) -> Plan:
    """Return the plan to train on texts as an attack leaves them, beside the data.

    Raises:
        UserError: The net lacks what the attack needs, or there is nothing to attack.
    """
    require(training.net.refreshed(), attack.needs, attack.name)
    if n is not None and n < 1:
        raise UserError(f"cannot train against attacks on n={n} samples; it takes 1 or more")
    return Plan(more=lambda epoch: _attacked(training, epoch, attack, n, keep))


def _attacked(training: Training, epoch: int, attack: Attack, n: int | None, keep: Keep) -> list[Sample]:
    """Attack training samples, others for each epoch, and return the texts with the labels they had.

    What is made is kept in a run folder, so that a training that was killed does not make it twice.
    """
    seed = training.seed_at((epoch, 0, 0))
    numbers = range(len(training.samples))
    chosen = sorted(random.Random(seed).sample(numbers, n)) if n is not None and n < len(numbers) else numbers
    # A sample's place is its id here: two splits' rows may have the same number.
    samples = [Sample(number, training.samples[number].text, training.samples[number].label) for number in chosen]
    folder = training.folder / f"epoch-{epoch}"
    start = Run.resume if is_run(folder) else Run.create
    victim = training.net.refreshed()
    width = _GPU_WIDTH if training.net.device.type == "cuda" else _CPU_WIDTH
    if not is_finished(folder):
        with start(folder, {"attack": repr(attack), "epoch": epoch, "seed": seed, "n": len(samples)}) as run:
            todo = [sample for sample in samples if sample.id not in run.done]
            told = f"epoch {epoch}: attacking {len(samples)} training samples"
            with Progress(len(samples), len(run.done), attack.name, heading=told, shown=training.progress) as bar:
                for step in attack_samples(victim, todo, attack, seed=seed, width=width):
                    for outcome in step:
                        run.fail(outcome) if isinstance(outcome, Failure) else run.record(outcome)
                        bar.advance(outcome)
                    run.flush()
            run.finish()
    return _kept(Run.open(folder).outcomes(), len(training.samples), keep)


def _kept(outcomes: Iterable[Outcome], samples: int, keep: Keep) -> list[Sample]:
    """Return the texts to train on; their ids follow those of the training samples."""
    found: list[Sample] = []
    for outcome in sorted(outcomes, key=lambda outcome: outcome.id):
        if outcome.status is Status.SUCCESS if keep == "fooling" else outcome.perturbed != outcome.original:
            text = outcome.as_text(outcome.perturbed)
            found.append(Sample(samples + len(found), text, outcome.label))
    return found
