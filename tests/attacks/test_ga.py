"""The genetic attack: what every generation keeps, and that small spaces are searched to the end."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from itertools import product

import numpy as np
import pytest
from tests.toys import BagOfWords, labelled, outcomes

from unfool.attacks import find_attack
from unfool.attacks.parts.breeding import Breeding
from unfool.attacks.parts.herd import Herd
from unfool.attacks.parts.propose import synonym_swaps
from unfool.attacks.parts.space import Space
from unfool.attacks.recipes import ga as recipe
from unfool.engine import Ask, Budget, Status
from unfool.errors import UserError
from unfool.lexicon import counter_fitted
from unfool.text import Sample, Text, Variants
from unfool.victims import StringRows

SENTENCES = [
    "a good film and a great cast",
    "the dull story of a young actor",
    "this film shows poor people",
    "her first novel never finds hope",
    "the old movie makes a big mistake",
    "an awful plot slowly destroys the cast",
    "some good old music in a small town",
    "the young cast tells a funny story",
]
_PERTURBED = Breeding.perturbed


def watched(look: Callable[[Breeding, Ask], Awaitable[None]]) -> Callable[[Sample, Ask], Awaitable[Text]]:
    """An attack that looks at the breeding instead of attacking."""

    async def attack(sample: Sample, ask: Ask) -> Text:
        space, weights = recipe._space(sample.text, "wordnet", 8)
        await look(Breeding(ask, space, weights, 0.3), ask)
        return sample.text

    return attack


@pytest.mark.usefixtures("lexicons")
@pytest.mark.parametrize("budget", [Budget(), Budget(words=0.3), Budget(words=0.5, characters=0.3)])
def test_every_generation_keeps_its_promises(budget: Budget) -> None:
    victim, bred_most = BagOfWords(scale=0.3, lean=9.0), [0]

    async def look(breeding: Breeding, ask: Ask) -> None:
        space = breeding.space
        allowed = [{space.text.words[position]} for position in range(len(space.text))]
        for position, word in zip(
            synonym_swaps(space.text).positions, synonym_swaps(space.text).words, strict=True
        ):
            allowed[position].add(word)
        herd = await breeding.perturbed(np.zeros((12, len(space)), dtype=np.int64))
        assert (space.words_changed(herd.genes) <= 1).all()
        for _ in range(8):
            crossed: list[np.ndarray] = []

            async def spy(self: Breeding, genes: np.ndarray, made: list[np.ndarray] = crossed) -> Herd:
                made.append(genes)
                return await _PERTURBED(self, genes)

            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(Breeding, "perturbed", spy)
                bred = await breeding.bred(herd)
            (children,) = crossed
            progress = ask.goal.progress(herd.answers, ask.sample.label)
            assert (bred.genes[0] == herd.genes[progress.argmax()]).all(), "the best is kept as it is"
            assert bred.genes.shape == herd.genes.shape
            for child, grown, answer in zip(children, bred.genes[1:], bred.answers[1:], strict=True):
                assert any(
                    ((child == mother) | (child == father)).all() for mother in herd.genes for father in herd.genes
                )
                assert np.count_nonzero(child != grown) <= 1
                text = space.at(grown)
                assert all(word in words for word, words in zip(text.words, allowed, strict=True))
                assert ask.allows(text)
                np.testing.assert_allclose(victim.probability_row(text.strings), answer, atol=1e-5)
                before = victim.probability_row(space.at(child).strings)[ask.sample.label]
                assert answer[ask.sample.label] <= before + 1e-5
            assert ask.goal.progress(bred.answers, ask.sample.label).max() >= progress.max()
            herd = bred
            bred_most[0] = max(bred_most[0], int(space.words_changed(herd.genes).max()))

    outcomes(victim, labelled(victim, SENTENCES), watched(look), budget=budget)
    assert bred_most[0] >= 2


@pytest.mark.usefixtures("lexicons")
def test_new_words_are_drawn_first_and_by_how_many_synonyms_they_have() -> None:
    victim = BagOfWords()

    async def look(breeding: Breeding, ask: Ask) -> None:
        size, many = len(breeding.space), 4000
        shares = np.bincount(breeding._drawn_spots(np.zeros((many, size), dtype=np.int64)), minlength=size) / many
        np.testing.assert_allclose(shares, breeding.weights / breeding.weights.sum(), atol=0.04)
        for spared in range(size):
            genes = np.ones((40, size), dtype=np.int64)
            genes[:, spared] = 0
            assert (breeding._drawn_spots(genes) == spared).all()
        full = breeding._drawn_spots(np.ones((many, size), dtype=np.int64))
        assert set(full.tolist()) == set(range(size))

    outcomes(victim, labelled(victim, SENTENCES[:3]), watched(look))


@pytest.mark.usefixtures("lexicons")
@pytest.mark.parametrize("substitutes", ["wordnet", "counter-fitted"])
def test_what_brute_force_fools_is_fooled(substitutes: str) -> None:
    lost = 0
    for lean in (0.5, 2.0, 3.5, 5.0):
        victim = BagOfWords(lean=lean)
        samples = [sample for sample in labelled(victim, SENTENCES) if sample.label == 0]
        found = outcomes(victim, samples, find_attack(f"ga:substitutes={substitutes}"))
        for sample, outcome in zip(samples, found, strict=True):
            space, _ = recipe._space(sample.text, substitutes, 8)  # type: ignore[arg-type]
            # The victim adds up words, so the best text has the best word everywhere.
            choices = [range(count + 1) for count in space.counts]
            size = int(np.prod([len(each) for each in choices]))
            rows = product(*choices) if size <= 3000 else [best_row(victim, space)]
            can = any(victim.label(space.at(np.array(row)).strings) != 0 for row in rows)
            assert (outcome.status is Status.SUCCESS) == can, (sample.text, size)
            lost += not can
    assert lost, "some texts should be out of reach"


def best_row(victim: BagOfWords, space: Space) -> list[int]:
    row = [0] * len(space)
    for spot, count in enumerate(space.counts.tolist()):
        rows = [[*row[:spot], choice, *row[spot + 1 :]] for choice in range(count + 1)]
        chances = [victim.probability_row(space.at(np.array(each)).strings)[0] for each in rows]
        row = rows[int(np.argmin(chances))]
    return row


@pytest.mark.usefixtures("lexicons")
def test_neighbours_are_the_near_ones_and_common_words_are_left_alone() -> None:
    text = Text.of("the movie was a Good and funny story")
    space, weights = recipe._space(text, "counter-fitted", 8)
    spots = [text.words[position] for position in space.positions]
    assert "Good" in spots
    assert not {"the", "movie", "was", "a", "and"} & set(spots)
    assert space.counts.max() <= 8
    vectors = counter_fitted()
    for spot, word in enumerate(spots):
        near, cosines = vectors.of(word, 50, -1)
        squared = 2 - 2 * cosines
        assert weights[spot] == np.count_nonzero(squared < 0.5)
        assert space.words_at(np.array([spot]), np.array([1]))[0].lower() == near[0]


@pytest.mark.parametrize(
    "setting",
    [
        "population=1",
        "generations=0",
        "nearest=0",
        "temperature=0.0",
        "temperature=-1.0",
        "temperature=nan",
        "fitting=0",
        "context=0",
    ],
)
def test_settings_that_make_no_sense_are_refused(setting: str) -> None:
    victim = BagOfWords()
    with pytest.raises(UserError, match=setting):
        outcomes(victim, labelled(victim, ["good"]), find_attack(f"ga:{setting}"))


@pytest.mark.usefixtures("lexicons")
def test_a_generation_is_one_question_and_no_text_is_asked_twice() -> None:
    asked: list[list[str]] = []

    class Watched(BagOfWords):
        def rows(self, asking: Sequence[Variants]) -> StringRows:
            asked.append([str(text) for variants in asking for text in variants])
            return super().rows(asking)

    victim = Watched(scale=0.3, lean=9.0)
    spec = find_attack("ga:population=10,generations=7")
    (found,) = outcomes(victim, labelled(victim, SENTENCES[:1]), spec)
    assert found.status is Status.FAILED
    assert 3 <= len(asked) <= 7, "a generation of known texts asks nothing"
    texts = [text for question in asked for text in question]
    assert len(texts) == len(set(texts)) == found.queries


@pytest.mark.usefixtures("lexicons")
def test_forbidden_candidates_are_never_asked_nor_chosen() -> None:
    asked: list[str] = []

    class Watched(BagOfWords):
        def rows(self, asking: Sequence[Variants]) -> StringRows:
            asked.extend(str(text) for variants in asking for text in variants)
            return super().rows(asking)

    class ShortWords:
        async def __call__(self, ask: Ask, original: Text, texts: Sequence[Text]) -> list[bool]:
            return [max(map(len, text.words)) < 8 and str(text).count("t") < 5 for text in texts]

    victim = Watched(scale=0.3, lean=9.0)
    (free,) = outcomes(victim, labelled(victim, SENTENCES[:1]), find_attack("ga:generations=5"))
    assert any(len(word) >= 8 for text in asked for word in text.split())
    asked.clear()
    (held,) = outcomes(
        victim, labelled(victim, SENTENCES[:1]), find_attack("ga:generations=5"), constraints=[ShortWords()]
    )
    assert 0 < held.queries < free.queries
    assert asked
    assert all(max(map(len, text.split())) < 8 and text.count("t") < 5 for text in asked)


@pytest.mark.usefixtures("lexicons")
def test_a_text_that_breaks_a_rule_itself_is_a_beginning_all_the_same() -> None:
    class Changed:
        async def __call__(self, ask: Ask, original: Text, texts: Sequence[Text]) -> list[bool]:
            return [text.words != original.words for text in texts]

    victim = BagOfWords()
    samples = labelled(victim, SENTENCES)
    free, held = (outcomes(victim, samples, find_attack("ga"), constraints=rules) for rules in ([], [Changed()]))
    assert [outcome.status for outcome in held] == [outcome.status for outcome in free]
    assert any(outcome.status is Status.SUCCESS for outcome in held)
