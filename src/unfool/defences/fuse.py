"""FuSE (FireBERT): the text and alternatives of it, in a vote."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unfool.defences._votes import Ballots, VoteSettings, VotingVictim
from unfool.defences.switch import Switch, SwitchSettings, net_of
from unfool.engine import Answers, Later, Predictor, Service
from unfool.errors import UserError, VictimError
from unfool.text import Text, Variants
from unfool.victims import Input

_SMALLEST_PROBABILITY = 1e-12


@dataclass(frozen=True, kw_only=True)
class FuseSettings(SwitchSettings, VoteSettings):
    """SWITCH's settings, and how votes are counted."""


class Fuse(VotingVictim[FuseSettings]):
    """Answers by a vote among the text and SWITCH's alternatives of it, and of no other.

    Its gradients are those of the victim inside at the text itself: the choice of words cannot be differentiated,
    and an attacker who knows the net would use these.

    Args:
        victim: Any victim that gives raw outputs; probabilities do for other votes than ``logits``.
        settings: SWITCH's settings, and how votes are counted.
        switch_net: The net that tells the important words; the victim's own if None.
    """

    gradients: Service

    def __init__(
        self, victim: Predictor, settings: FuseSettings | None = None, switch_net: Predictor | None = None
    ) -> None:
        chosen = settings or FuseSettings()
        super().__init__("fuse", victim, net_of(switch_net or victim), chosen)
        self._gives_logits = hasattr(victim, "launch_logits") and hasattr(victim, "confirm_logits")
        if chosen.vote == "logits" and not self._gives_logits:
            raise UserError(f"{victim!r} gives no logits to average; use vote=probabilities or vote=majority")
        self._switch = Switch(self.net, chosen)
        self.pass_on("gradients")

    def draw(self, number: int) -> Fuse:
        """Return the same victim with another draw of its randomness; draw 0 is its own."""
        other = super().draw(number)
        other.pass_on("gradients")
        return other

    def readings(self, inputs: Sequence[Input], *, together: bool = True) -> list[list[Text]]:
        """Return each text and the alternatives that vote with it.

        Args:
            inputs: Rendered texts.
            together: Whether their gradients are taken in one pass; if not, each text's in a pass of its own.
        """
        texts = [self.parsed(strings) for strings in inputs]
        parts = [texts] if together else [[text] for text in texts]
        made = [others for part in parts for others in self._switch.alternatives(part, None, self.settings.seed)]
        return [[text, *others] for text, others in zip(texts, made, strict=True)]

    def _read(self, inputs: Sequence[Input], full: bool) -> Later[Ballots]:
        groups = self.readings(inputs, together=not (full and self._one_by_one))
        counts = np.array([len(group) for group in groups], dtype=np.int64)
        texts = [text for group in groups for text in group]
        if full:
            return Later(lambda: self._ballots(self._checked(texts), np.arange(len(texts)), counts))
        # The victim reads every distinct text once, all in one launch.
        rows = self.inner.rows([Variants.of_texts(texts)])
        _, first, inverse = np.unique(rows.keys, return_index=True, return_inverse=True)
        launch = self.inner.launch_logits if self._gives_logits else self.inner.launch  # type: ignore[attr-defined]
        pending = launch(rows, first)
        return Later(lambda: self._ballots(pending.result(), inverse, counts))

    def _checked(self, texts: Sequence[Text]) -> Answers:
        inputs = [text.strings for text in texts]
        if self._gives_logits:
            answers: Answers = self.inner.confirm_logits(inputs)  # type: ignore[attr-defined]
            return answers
        return self.inner.check(inputs).result()

    def _ballots(self, answers: Answers, inverse: NDArray[np.intp], counts: NDArray[np.int64]) -> Ballots:
        values = answers.values[inverse]
        logits = values if self._gives_logits else np.log(values.clip(_SMALLEST_PROBABILITY))
        errors: dict[int, VictimError] = {}
        if answers.errors:
            owners = np.repeat(np.arange(len(counts)), counts).tolist()
            for owner, row in zip(owners, inverse.tolist(), strict=True):
                if row in answers.errors:
                    errors.setdefault(owner, answers.errors[row])
        return Ballots(logits, np.ones(len(values)), np.cumsum(counts) - counts, errors)
