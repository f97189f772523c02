"""What the golden set holds beside runs: swaps by Naive Bayes, transfer, rules, an evaluation and hardening."""

from __future__ import annotations

from collections.abc import Callable

from tests.golden import calls
from tests.golden.calls import Limits, Record
from tests.golden.runs import ONE, THREE, TWO
from tests.golden.texts import task
from tests.golden.workshop import Workshop, write_csv

SWAPS = ("tack-on", "strongest-swap:n=3", "strongest-swap:n=2,replacement=strongest")
"""Attacks by a Naive Bayes."""
HARDENING = ("adversarial:attack=greedy-synonym", "fact:words=2", "miyato")


def swaps(workshop: Workshop) -> Record:
    """Train a Naive Bayes, and attack by it."""
    rows = [(text, label) for number in (1, 2) for text, label in task(60, number)]
    film_words = write_csv(workshop.folder / "film words.csv", rows)
    with calls.cache_of_its_own(workshop.new()):
        return {
            spec: calls.attack(
                ONE,
                workshop.reviews(ONE),
                f"{spec}{',' if ':' in spec else ':'}nb=zoo:NB@{film_words}",
                workshop.new(),
                Limits(),
            )
            for spec in SWAPS
        }


def transfer(workshop: Workshop) -> Record:
    """Craft on three victims, and try on all."""
    return calls.transfer_study([ONE, TWO, THREE], workshop.reviews(ONE), "pwws", workshop.new())


def rules(workshop: Workshop) -> Record:
    """Mine two victims."""
    out = workshop.new()
    out.mkdir()
    return calls.mine_rules([ONE, TWO], workshop.reviews(ONE), out)


def evaluation(workshop: Workshop) -> Record:
    """Evaluate one victim beside another."""
    return calls.evaluate_beside(ONE, TWO, workshop.reviews(ONE), ["list", "random:trials=5"], workshop.new())


def hardened(workshop: Workshop) -> Record:
    """Harden a net in several ways on a task of its own."""
    folder = workshop.new()
    folder.mkdir()
    for seed, (split, count) in enumerate((("train", 160), ("validation", 20), ("test", 40)), start=1):
        write_csv(folder / f"{split}.csv", task(count, seed))
    victim = workshop.victim("{to train}")
    return {method: calls.harden_net(method, victim, folder, workshop.new()) for method in HARDENING}


OTHERS: dict[str, Callable[[Workshop], Record]] = {
    "naive-bayes-swaps": swaps,
    "transfer": transfer,
    "rules": rules,
    "evaluation": evaluation,
    "harden": hardened,
}
