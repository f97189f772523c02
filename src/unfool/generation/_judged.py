"""A model that generates, seen through a goal: a victim with two labels, which every attack can search."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from unfool.engine import OUTPUT, Answers, Floats, FunctionService, Later
from unfool.errors import VictimError
from unfool.generation._goals import GenerationGoal, Score, Translation, Unchanged
from unfool.generation._output import Generator, HasSlopes, OpensUp, Output, Slope, WeighsWords
from unfool.generation._spans import tokens_within
from unfool.text import Text, Variants, as_variants
from unfool.victims import (
    GradientRequest,
    Gradients,
    Input,
    Summaries,
    TextVictim,
    WordEmbeddings,
    Zeroed,
)

NOT_REACHED, REACHED = 0, 1
LABELS = ("not reached", "reached")
ORIGINAL, CLEAN = "original", OUTPUT
"""Names of the fields that stand behind the source, for the goal to look at. No attack may change them."""


_BELOW_HALF = 0.499
_REMEMBERED = 10_000
"""Confirmed outputs kept at the most."""
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
        self._confirmed: dict[str, str] = {}
        if isinstance(model, OpensUp):
            self.zeroed = FunctionService(self._zeroed)
            self.summaries = FunctionService(self._summaries)
        if isinstance(model, HasSlopes):
            self.gradients = FunctionService(self._gradients)
            self.embeddings = _OwnWords(model)

    @property
    def vocabulary(self) -> Sequence[str]:  # type: ignore[override]
        """The words that the model reads as one token each, if it can be looked into."""
        return self.embeddings.words if isinstance(self.model, HasSlopes) else ()

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
        """Return what the model made of a rendered text when it was confirmed.

        Raises:
            VictimError: It makes nothing of it.
        """
        if strings[0] not in self._confirmed:
            (output,) = self._generated_alone([strings])
            if isinstance(output, VictimError):
                raise output
        return self._confirmed[strings[0]]

    def __repr__(self) -> str:
        return repr(self.model)

    def _checked_alone(self, inputs: Sequence[Input]) -> Answers:
        outputs = self._generated_alone(inputs)
        return self.judged(self._rows(inputs, outputs, [()] * len(inputs)), inputs)

    def _generated_alone(self, inputs: Sequence[Input]) -> Sequence[Output | VictimError]:
        sources = [strings[0] for strings in inputs]
        outputs = self.model.generate_exactly(sources)
        if len(self._confirmed) > _REMEMBERED:
            self._confirmed.clear()
        made = zip(sources, outputs, strict=True)
        self._confirmed |= {source: output.text for source, output in made if isinstance(output, Output)}
        return outputs

    def _zeroed(self, requests: Sequence[Zeroed]) -> list[Floats]:
        return [
            self._answers_blanked(text, [text.spans[0][place] for place in places]) for text, places in requests
        ]

    def _answers_blanked(self, text: Text, spans: Sequence[tuple[int, int]]) -> Floats:
        assert isinstance(self.model, OpensUp)
        wanted = self.goal.wanted if self._weighs else ()
        outputs, weights = self.model.generate_blanked(text.strings[0], spans, wanted)
        inputs = [text.strings] * len(spans)
        return self.judged(self._rows(inputs, outputs, weights), inputs).values

    def _summaries(self, requests: Sequence[Text | Variants]) -> list[Summaries]:
        assert isinstance(self.model, OpensUp)
        asked = [[text.strings for text in as_variants(request)] for request in requests]
        inputs = [strings for several in asked for strings in several]
        vectors = self.model.summarise([strings[0] for strings in inputs])
        answers = np.round(self.judged(self.probabilities(inputs), inputs).values, self.decimals)
        ends = np.cumsum([len(several) for several in asked])[:-1]
        parts = zip(np.split(vectors, ends), np.split(answers, ends), strict=True)
        return [Summaries(*part) for part in parts]

    def _gradients(self, requests: Sequence[GradientRequest]) -> list[Gradients]:
        assert isinstance(self.model, HasSlopes)
        inputs = [request.text.strings for request in requests]
        wanted = self.goal.wanted
        found = self.model.slopes([strings[0] for strings in inputs], [strings[2] for strings in inputs], wanted)
        return [
            self._signed(self._by_words(request, slope), request)
            for request, slope in zip(requests, found, strict=True)
        ]

    def _by_words(self, request: GradientRequest, slope: Slope) -> Gradients:
        assert isinstance(self.model, HasSlopes)
        places = self.model.places(request.text.strings[0])
        words = np.full(len(slope.ids), -1)
        for position, span in enumerate(request.text.spans[0]):
            words[tokens_within(places, span)] = position
        gradient = slope.gradient
        if request.one_hot:
            gradient = gradient @ self.model.table.detach().float().cpu().numpy().T
        return Gradients(np.asarray(slope.ids), words, gradient, slope.loss)

    def _signed(self, found: Gradients, request: GradientRequest) -> Gradients:
        # What falls on the way to the goal is the raw output of "not reached"; its loss rises there.
        rises = (request.label == NOT_REACHED) == (request.of == "loss")
        if rises != isinstance(self.goal, Unchanged):
            return found._replace(gradient=-found.gradient, loss=-found.loss)
        return found

    def _rows(
        self, inputs: Sequence[Input], outputs: Sequence[Output | VictimError], weights: Sequence[Sequence[float]]
    ) -> list[Any]:
        return [
            output if isinstance(output, VictimError) else _row(self.goal.score(_seen(strings, output, near)))
            for strings, output, near in zip(inputs, outputs, weights, strict=True)
        ]


class JudgedByItself(JudgedGenerator):
    """A model judged by its own clean outputs, whatever model the sources were made ready for."""

    def _checked_alone(self, inputs: Sequence[Input]) -> Answers:
        outputs = self._generated_alone(inputs)
        rows: list[Any] = []
        for (changed, source, _, *reference), output in zip(inputs, outputs, strict=True):
            try:
                clean = self.output((source,))
                if why := self.goal.out_of_reach(clean):
                    raise VictimError(why)
                rows += self._rows([(changed, source, clean, *reference)], [output], [()])
            except VictimError as error:
                rows.append(error)
        return self.judged(rows, inputs)


class _OwnWords(WordEmbeddings):
    """A model's words, spelt only when an attack asks for them."""

    def __init__(self, model: HasSlopes) -> None:
        self._model = model

    @cached_property
    def _spelt(self) -> dict[int, str]:
        return self._model.spell_words()

    @cached_property
    def words(self) -> Sequence[str]:  # type: ignore[override]
        return tuple(self._spelt.values())

    @cached_property
    def _vectors(self) -> Any:  # type: ignore[override]
        return self._model.table.detach()[list(self._spelt)]


def _seen(strings: Input, output: Output, weights: Sequence[float]) -> Translation:
    changed, source, clean, *reference = strings
    return Translation(source, changed, clean, output.text, reference[0] if reference else None, weights)


def _row(score: Score) -> list[float]:
    # What is not reached stays below one half, however near it is.
    belief = 0.5 + 0.5 * max(score.nearness, _AHEAD) if score.reached else _BELOW_HALF * score.nearness
    return [1 - belief, belief]
