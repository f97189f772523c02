"""One word at one place, found without looking into the net: in chunks, at random, among near synonyms."""

from __future__ import annotations

import numpy as np
import pytest
from tests.attacks.film_texts import TEXTS, fooled, random_texts
from tests.toys import BagOfWords, labelled, outcomes

from unfool.attacks import find_attack
from unfool.attacks.parts.search import first_that_fools
from unfool.engine import Ask, Budget, Status
from unfool.lexicon import counter_fitted
from unfool.runs import outcome_from_line, summarise, to_line
from unfool.text import Sample, Text


def test_chunks_end_where_one_by_one_ends() -> None:
    victim = BagOfWords(lean=0.5)
    words = [f"w{number}" for number in range(400)]
    samples = [sample for sample in labelled(victim, TEXTS + random_texts(20)) if sample.label == 0]

    async def one_by_one(sample: Sample, ask: Ask) -> Text:
        for text in sample.text.variants([0] * len(words), words):
            if await ask.fooled(text):
                return text
        return sample.text

    async def in_chunks(sample: Sample, ask: Ask) -> Text:
        return await first_that_fools(ask, sample.text.variants([0] * len(words), words))

    plain, chunked = (outcomes(victim, samples, attack) for attack in (one_by_one, in_chunks))
    assert fooled(plain) == fooled(chunked)
    queries = [outcome.queries for outcome in plain if outcome.status is Status.SUCCESS]
    assert len(queries) < len(samples)
    assert max(queries) > 100, "a hit in the first chunk shows nothing"
    for sample, slow, fast in zip(samples, plain, chunked, strict=True):
        if slow.status is Status.FAILED:
            assert fast.queries == len(words)
            continue
        assert fast.perturbed == slow.perturbed
        assert fast.queries <= 2 * slow.queries + 32
        (just,) = outcomes(victim, [sample], in_chunks, budget=Budget(queries=slow.queries))
        assert just.perturbed == slow.perturbed
        (less,) = outcomes(victim, [sample], in_chunks, budget=Budget(queries=slow.queries - 1))
        assert less.reason == "out of queries"


class WithVocabulary(BagOfWords):
    vocabulary = ("good", "bad", "fine", "dull", "great", "w1", "w2", "w3")


def test_random_tells_the_mean_over_trials_beside_the_union() -> None:
    victim = WithVocabulary()
    samples = labelled(victim, TEXTS)
    found = outcomes(victim, samples, find_attack("random:trials=3000"))
    shares = []
    for sample, outcome in zip(samples, found, strict=True):
        every = [
            sample.text.replace(position, word).strings
            for position in sample.text.editable
            for word in victim.vocabulary
        ]
        # A word is never drawn for itself, which leaves the others of its place a little more likely.
        share = np.mean(
            [
                np.mean(
                    [
                        victim.label(sample.text.replace(position, word).strings) != sample.label
                        for word in victim.vocabulary
                        if word != sample.text.words[position]
                    ]
                )
                for position in sample.text.editable
            ]
        )
        shares.append(share)
        assert outcome.notes == {"mean success over trials": pytest.approx(share, abs=0.04)}
        assert (outcome.status is Status.SUCCESS) == any(victim.label(text) != sample.label for text in every)
        assert outcome_from_line(to_line(outcome)) == outcome
    mean = summarise(found).notes["mean success over trials"]
    assert mean == pytest.approx(np.mean(shares), abs=0.02)
    assert mean < len(fooled(found)) / len(found)
    (once,) = outcomes(victim, samples[:1], find_attack("random"))
    assert once.notes["mean success over trials"] == (once.status is Status.SUCCESS)


@pytest.mark.usefixtures("lexicons")
def test_list_tries_eight_near_synonyms_of_each_word_from_left_to_right() -> None:
    victim = BagOfWords(scale=0.4, lean=0.3)
    units = counter_fitted()._tables.units
    vectors = units.matrix.astype(np.float64)
    samples = labelled(victim, TEXTS)
    found = outcomes(victim, samples, find_attack("list"))
    assert 0 < len(fooled(found)) < len(samples)
    for sample, outcome in zip(samples, found, strict=True):
        expected = None
        for position, word in enumerate(sample.text.words):
            row = units.index.get(word)
            if row is None or expected:
                continue
            squared = ((vectors - vectors[row]) ** 2).sum(axis=1)
            nearest = [n for n in np.argsort(squared, kind="stable") if n != row and squared[n] < 0.5][:8]
            texts = [sample.text.replace(position, units.words[n]).strings for n in nearest]
            expected = next((text for text in texts if victim.label(text) != sample.label), None)
        assert (outcome.status is Status.SUCCESS) == (expected is not None)
        if expected:
            assert outcome.perturbed == expected
