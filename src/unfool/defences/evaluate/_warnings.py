"""Warnings for readers of the figures: a victim can look robust for the wrong reasons."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from unfool.defences.evaluate._answers import paired
from unfool.defences.evaluate._evaluation import VICTIM, Evaluation

_SURE = 0.05
_MOST_VANISHED = 0.1
_LEAST_HELD = 0.9


class Fooled(NamedTuple):
    """Which samples the attacks that follow gradients fooled, and which those that only ask."""

    white: Mapping[int, bool]
    black: Mapping[int, bool]

    @property
    def black_is_stronger(self) -> bool:
        """Whether asking beats seeing, and not by chance."""
        if not self.white or not self.black:
            return False
        both = paired(self.black, self.white)
        return both.only_victim > both.only_base and both.p_value < _SURE


def warnings(found: Evaluation, victim: Fooled, base: Fooled | None, draws: int | None) -> Iterator[str]:
    """Yield what is wrong with trusting the figures.

    Args:
        found: The figures.
        victim: Which samples of the victim were fooled.
        base: The same of the other victim.
        draws: How many answers the attacks averaged; None if the victim does not say how its answers are drawn.
    """
    repeated, gradients = found.repeated, found.gradients
    if repeated.random:
        advice = (
            "evaluate it again to see how far its figures move"
            if draws is None
            else "let attacks average its answers with --eot"
            if draws == 1
            else "the attacks saw means of its answers"
        )
        yield (
            f"the victim answers at random: asked {repeated.times} times, {repeated.changed_at_all} of "
            f"{repeated.texts} texts got other probabilities and {repeated.changed_label} another label; "
            f"what one draw withstands may be luck: {advice}"
        )
    for name, held in found.asked_anew.items():
        if repeated.random and held.successes and held.held < _LEAST_HELD:
            yield (
                f"of the answers to texts with which {name} fooled the victim, asked anew, only {held.held:.0%} "
                f"are wrong again; its expected accuracy on all texts the attack ended with is {held.accuracy:.1%}"
            )
    if gradients and gradients.vanished > _MOST_VANISHED * gradients.texts:
        yield (
            f"the victim's gradients vanish on {gradients.vanished} of {gradients.texts} texts: attacks that "
            "follow them see nothing, and that they fail says nothing about robustness"
        )
    yield from hidden_gradients(victim, base)
    own = {row.attack: row.victim for row in found.attacks}
    lent = {row.attack: row for row in found.transfer if row.tried_on == VICTIM}
    for name, texts in lent.items():
        if texts.fooled_right > own[name].successes and own[name].attacked:
            yield (
                f"{texts.fooled_right} texts that {name} made on the other victim fool this one, but only "
                f"{own[name].successes} made on itself do: it is harder to search than to fool"
            )


def hidden_gradients(victim: Fooled, base: Fooled | None) -> Iterator[str]:
    """Yield a warning if attacks that only ask fool the victim more often than those that see its gradients do.

    Args:
        victim: Which samples of the victim were fooled.
        base: The same of an undefended victim; its own difference between the attacks explains the victim's.
    """
    if victim.black_is_stronger and not (base and base.black_is_stronger):
        # Alone it says little: Key* fools an undefended net of characters more often than greedy HotFlip does, and
        # PWWS one of words far more often than HotFlip under its strict rules.
        meaning = (
            "a sign that the victim hides its gradients rather than withstands"
            if base
            else "either the victim hides its gradients or those attacks are the weaker ones anyway; give the "
            "undefended victim with --against to tell"
        )
        yield (
            f"attacks that only ask fool {sum(victim.black.values())} of {len(victim.black)} samples, those that "
            f"see gradients {sum(victim.white.values())} of {len(victim.white)}: {meaning}"
        )
