"""A model that generates, seen through a goal: a victim with two labels, which every attack can search."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from unfool.engine import Answers, Later
from unfool.errors import VictimError
from unfool.generation._goals import GenerationGoal, Score, Translation
from unfool.generation._output import Generator, Output, WeighsWords
from unfool.victims import Input, TextVictim

NOT_REACHED, REACHED = 0, 1
LABELS = ("not reached", "reached")
ORIGINAL, CLEAN, REFERENCE = "original", "output", "reference"
"""Names of the fields that stand behind the source, for the goal to look at. No attack may change them."""


_BELOW_HALF = 0.499
_AHEAD = 0.01
"""The least nearness of a text that reaches the goal, so that rounding never makes a tie of it."""


class JudgedGenerator(TextVictim):
    """Answers how near a text is to a goal: above one half it is reached, and nowhere else.

    A text has the source first; behind it stand the source as it was, the model's output for that and, if there is
    one, the reference (`with_outputs` adds them). So an answer depends on the text alone, and the engine batches,
    caches, counts and confirms as for any victim. Each confirmation generates anew, alone and at full precision.

    Args:
        model: The model.
        goal: What counts as fooled.
    """

    labels = LABELS

    def __init__(self, model: Generator, goal: GenerationGoal) -> None:
        self.model, self.goal = model, goal
        self.approximate, self.device, self.fingerprint = model.approximate, model.device, model.fingerprint
        self._weighs = bool(goal.wanted) and isinstance(model, WeighsWords)

    def probabilities(self, inputs: Sequence[Input]) -> Sequence[Any]:
        """Generate in full batches and judge."""
        sources = [strings[0] for strings in inputs]
        if self._weighs:
            outputs, weights = self.model.generate_weighing(sources, self.goal.wanted)  # type: ignore[attr-defined]
        else:
            outputs, weights = self.model.generate(sources), [()] * len(sources)
        return self._rows(inputs, outputs, weights)

    def check(self, inputs: Sequence[Input]) -> Later[Answers]:
        """Generate anew, each alone and at full precision."""
        return Later(lambda: self._checked_alone(inputs))

    def output(self, strings: Input) -> str:
        """Return what the model makes of a rendered text, as a confirmation sees it."""
        (output,) = self.model.generate_exactly([strings[0]])
        if isinstance(output, VictimError):
            raise output
        return output.text

    def __repr__(self) -> str:
        return repr(self.model)

    def _checked_alone(self, inputs: Sequence[Input]) -> Answers:
        outputs = self.model.generate_exactly([strings[0] for strings in inputs])
        return self.judged(self._rows(inputs, outputs, [()] * len(inputs)), inputs)

    def _rows(
        self, inputs: Sequence[Input], outputs: Sequence[Output | VictimError], weights: Sequence[Sequence[float]]
    ) -> list[Any]:
        return [
            output if isinstance(output, VictimError) else _row(self.goal.score(_seen(strings, output, near)))
            for strings, output, near in zip(inputs, outputs, weights, strict=True)
        ]


def _seen(strings: Input, output: Output, weights: Sequence[float]) -> Translation:
    changed, source, clean, *reference = strings
    return Translation(source, changed, clean, output.text, reference[0] if reference else None, weights)


def _row(score: Score) -> list[float]:
    # What is not reached stays below one half, however near it is.
    belief = 0.5 + 0.5 * max(score.nearness, _AHEAD) if score.reached else _BELOW_HALF * score.nearness
    return [1 - belief, belief]
