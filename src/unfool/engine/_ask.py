"""What an attack may ask about its sample; the only way to the victim."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from unfool.engine._goal import CONFIDENCE_DECIMALS, Floats, Goal, answered_labels, leading
from unfool.engine._ledger import Ledger
from unfool.engine._outcome import Verdict
from unfool.engine._predict import ConfirmService, PredictService, Query, RowCache
from unfool.engine._service import Service, Together, request
from unfool.engine._victim import Predictor
from unfool.errors import UserError
from unfool.options import Budget
from unfool.text import Sample, Text, Variants, as_variants, diff

_TEXTS_AT_ONCE = 1024
"""Texts held at once to see whether they keep the rules: those of a whole vocabulary would not fit into memory."""


class Oracle:
    """A victim with its services, shared by all samples of a run; other runs may leave it what they learned."""

    def __init__(self, victim: Predictor, known: RowCache | None = None) -> None:
        self.victim = victim
        self.predict = PredictService(victim, known)
        self.confirm = ConfirmService(victim)
        self.cost: int = getattr(victim, "queries_a_text", 1)
        """Queries that the answer about one text takes."""

    @cached_property
    def known_words(self) -> frozenset[str]:
        """The victim's vocabulary in lower case."""
        return frozenset(word.lower() for word in self.victim.vocabulary)


class Constraint(Protocol):
    """What a changed text must keep; its repr says so in the reason of a failure and in the run's configuration."""

    def __call__(self, ask: Ask, original: Text, texts: Sequence[Text]) -> Awaitable[Sequence[bool]]:
        """Say for each text whether it keeps the constraint, measured against the original."""
        ...


class Ask:
    """One sample's line to the engine: predictions, checks, services, randomness and limits."""

    def __init__(
        self,
        sample: Sample,
        oracle: Oracle,
        goal: Goal,
        budget: Budget,
        seed: int,
        constraints: Sequence[Constraint] = (),
        language: str | None = None,
    ) -> None:
        self.sample, self.goal, self.budget, self.constraints = sample, goal, budget, tuple(constraints)
        self.language = language
        """The language of the texts, where that matters to the attack and is known; else None."""
        self._oracle, self._seed = oracle, seed
        self._ledger = Ledger(budget.queries, oracle.cost)
        self._verdicts: dict[tuple[str, ...], Floats] = {}
        self.deciding = False
        """Whether the attack is over and its text is being judged."""
        self.notes: dict[str, float] = {}
        """Figures of the attack's own about this sample; kept with its outcome and averaged over the run."""

    @cached_property
    def random(self) -> np.random.Generator:
        """The sample's own generator; the same whatever else runs."""
        return np.random.default_rng([self._seed, self.sample.id])

    @cached_property
    def _stand_in(self) -> Floats:
        """Full belief in the right label: never the best answer, and never one that fools."""
        belief: Floats = np.zeros(len(self.labels), dtype=np.float32)
        belief[self.sample.label] = 1
        return belief

    @property
    def queries(self) -> int:
        """Distinct texts asked so far, each as often as an answer about it takes."""
        return self._ledger.queries

    @property
    def texts_asked(self) -> int:
        """Distinct texts asked so far."""
        return self._ledger.texts

    @property
    def unanswered(self) -> int:
        """Those of the queries that brought no answer."""
        return self._ledger.unanswered * self._oracle.cost

    def require_some_answer(self) -> None:
        """Refuse to judge a victim that answered about the original at most, and about no other text asked."""
        if self._ledger.fault is None:
            return
        answered = self._ledger.texts - self._ledger.unanswered
        original = int(self._oracle.victim.rows([as_variants(self.sample.text)]).keys[0])
        if answered <= (original in self._ledger):
            raise self._ledger.fault

    @property
    def checks(self) -> int:
        """Texts re-verified so far."""
        return len(self._verdicts)

    @property
    def unknown(self) -> str:
        """The victim's unknown word."""
        return self._oracle.victim.unknown

    @property
    def labels(self) -> tuple[str, ...]:
        """The victim's label names, one a class."""
        return self._oracle.victim.labels

    @property
    def vocabulary(self) -> Sequence[str]:
        """The victim's own words; empty if it has no vocabulary."""
        return self._oracle.victim.vocabulary

    @property
    def approximate(self) -> bool:
        """Whether answers may be at less than full precision: where the victim's are, until the text is judged."""
        return self._oracle.victim.approximate and not self.deciding

    def knows(self, word: str) -> bool:
        """Whether a word, in any case, is in the victim's vocabulary."""
        return word.lower() in self._oracle.known_words

    def exceeds_budget(self, asked: Text | Sequence[Text] | Variants) -> bool:
        """Whether the queries that are left do not cover these texts, so that asking about them ends the attack."""
        return self._oracle.predict.exceeds_budget(Query(self._ledger, as_variants(asked)))

    async def predict(self, asked: Text | Sequence[Text] | Variants) -> Floats:
        """Return the victim's probabilities, one row a text; a text asked before costs nothing.

        Where the victim gives no answer about one text, an exception or what is no probability, full belief in the
        right label stands for it.
        """
        variants = as_variants(asked)
        if not len(variants):
            return np.empty((0, len(self._oracle.victim.labels)), dtype=np.float32)
        asked_about = Query(self._ledger, variants, self._stand_in)
        answer: Floats = await request(self._oracle.predict, asked_about)
        if self._ledger.silence:
            self._ledger.silence = False
            # A victim that is gone answers nothing; one that cannot answer about these texts still knows this one.
            await request(self._oracle.confirm, self.sample.text.strings)
        return answer

    async def probability(self, asked: Text | Sequence[Text] | Variants, label: int) -> Floats:
        """Return the probability of one label for each text."""
        return (await self.predict(asked))[:, label]

    async def progress(self, asked: Text | Sequence[Text] | Variants) -> Floats:
        """Return how near to the goal each text is; larger is nearer."""
        return self.goal.progress(await self.predict(asked), self.sample.label)

    async def fooled(self, text: Text) -> bool:
        """Whether this text reaches the goal; where the search is approximate, checked at full precision."""
        probabilities = await self.predict(text)
        return await self.holds(text, probabilities[0])

    async def holds(self, text: Text, probabilities: Floats) -> bool:
        """Whether an answer just received reaches the goal; like `fooled`, for one already asked."""
        if not bool(self.goal.reached(probabilities, self.sample.label)):
            return False
        if self._oracle.victim.approximate:
            return bool(self.goal.reached(await self.confirm(text), self.sample.label))
        return True

    async def confirm(self, text: Text) -> Floats:
        """Ask about the rendered text from scratch at full precision; counted in ``checks``."""
        known = self._verdicts.get(text.strings)
        if known is None:
            known = self._verdicts[text.strings] = await request(self._oracle.confirm, text.strings)
        return known

    async def verdict(self, text: Text) -> tuple[Verdict, Floats]:
        """Return the canonical answer about a text, as it is recorded, and its probabilities."""
        probabilities = await self.confirm(text)
        label = int(answered_labels(probabilities, self.sample.label))
        confidence = round(float(probabilities[label]), CONFIDENCE_DECIMALS)
        return Verdict(label, confidence, bool(leading(probabilities).sum() > 1)), probabilities

    def outputs(self, before: Text, after: Text) -> tuple[str, str] | None:
        """Return what a model that generates made of two texts when they were confirmed; None for a classifier."""
        output = getattr(self._oracle.victim, "output", None)
        return (output(before.strings), output(after.strings)) if output else None

    async def use(self, service: Service, payload: Any) -> Any:
        """Ask any other service (an encoder, a tagger, gradients)."""
        return await request(service, payload)

    async def use_all(self, service: Service, payloads: Sequence[Any]) -> list[Any]:
        """Ask a service several things in one go."""
        answers: list[Any] = await request(Together(service), payloads) if payloads else []
        return answers

    def service(self, capability: str) -> Service:
        """Return one of the victim's own services, such as ``gradients`` or ``attention``."""
        service: Service = self.offer(capability)
        return service

    def offer(self, capability: str) -> Any:
        """Return what the victim offers beyond predictions: a service, or a reader such as ``characters``."""
        offered = getattr(self._oracle.victim, capability, None)
        if offered is None:
            raise UserError(f"the victim {self._oracle.victim!r} offers no {capability}")
        return offered

    @property
    def room(self) -> tuple[float, float]:
        """How many words, and how many characters, may change; infinite if the edit budget sets no limit."""
        return self.budget.room(self.sample.text)

    def allows(self, text: Text) -> bool:
        """Whether the edit budget covers this text."""
        original = self.sample.text
        return not self.budget.limits_edits or self.budget.covers(original, diff(original, text))

    async def permitted(self, asked: Text | Sequence[Text] | Variants) -> list[int]:
        """Return the numbers of the texts that the edit budget covers and that keep every constraint."""
        variants = as_variants(asked)
        if not (self.constraints or self.budget.limits_edits):
            return list(range(len(variants)))
        kept = list[int]()
        for start in range(0, len(variants), _TEXTS_AT_ONCE):
            texts = list(variants.part(start, start + _TEXTS_AT_ONCE))
            kept += [start + number for number in await self._keeping_rules(texts)]
        return kept

    async def _keeping_rules(self, texts: Sequence[Text]) -> list[int]:
        numbers = [number for number, text in enumerate(texts) if self.allows(text)]
        for constraint in self.constraints:
            if not numbers:
                break
            keeps = await constraint(self, self.sample.text, [texts[number] for number in numbers])
            numbers = [number for number, kept in zip(numbers, keeps, strict=True) if kept]
        return numbers
