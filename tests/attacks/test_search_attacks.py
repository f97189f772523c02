"""Beam, best-first, Kuleshov's greedy search and populations: plain readings, brute force on small spaces."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from tests.attacks.readings import Reader, assert_same, attacked, largest
from tests.toys import BagOfWords, labelled, outcomes

from unfool.attacks import find_attack
from unfool.attacks.parts.flights import flights, flights_between
from unfool.attacks.parts.offers import Offers, neighbours, offers_of, synonyms
from unfool.engine import Budget, Status
from unfool.errors import UserError
from unfool.lexicon import counter_fitted, stop_words
from unfool.text import Text

SENTENCES = [
    "a good film and a great cast",
    "the dull story of a young actor",
    "this film shows poor people",
    "her first novel never finds hope",
]
HARD = 2.0
POPULATIONS = ["pso", "leap", "iga", "faster-genetic:surprise=none"]


def one_more(ask: Reader, words: list[str], offers: Offers) -> list[list[str]]:
    """The texts with one more word replaced."""
    same = [i for i in ask.text.editable if words[i] == ask.text.words[i]]
    return [ask.replaced(words, i, other) for i in same for other in offers.get(i, ())]


@pytest.mark.usefixtures("lexicons")
@pytest.mark.parametrize(
    ("width", "space"), [(1, "synonyms"), (3, "synonyms"), (2, "neighbours"), (1, "look-alikes")]
)
def test_beam_search_keeps_the_best_of_all_that_follow(width: int, space: str) -> None:
    for outcome, ask in attacked(f"beam:width={width},space={space},steps=3", SENTENCES, lean=HARD):
        offers = offers_of(ask.text, space)  # type: ignore[arg-type]
        beam, best, most, met = [list(ask.text.words)], list(ask.text.words), -1.0, {ask.text.words}
        for _ in range(3):
            ways = [(ask(new), n, new) for n, words in enumerate(beam) for new in one_more(ask, words, offers)]
            ways.sort(key=lambda way: (-way[0], way[1]))
            beam = []
            for _, _, new in ways:
                if tuple(new) not in met and len(beam) < width:
                    met.add(tuple(new))
                    beam.append(new)
            if not beam:
                break
            if fooling := [words for words in beam if ask.fooled(words)]:
                best = fooling[0]
                break
            if ask(beam[0]) > most:
                best, most = beam[0], ask(beam[0])
        assert_same(outcome, ask, best)


@pytest.mark.usefixtures("lexicons")
def test_best_first_goes_on_from_the_nearest_text_so_far() -> None:
    for outcome, ask in attacked("best-first:expansions=4", SENTENCES, lean=HARD):
        offers = synonyms(ask.text)
        waiting = [(0.0, list(ask.text.words))]
        met, best, most, fooling = {ask.text.words}, list(ask.text.words), -1.0, None
        for _ in range(4):
            if not waiting or fooling:
                break
            _, words = waiting.pop(largest(score for score, _ in waiting))
            news = one_more(ask, words, offers)
            scores = [ask(new) for new in news]
            fooling = next(
                (news[n] for n in sorted(range(len(news)), key=lambda n: -scores[n]) if ask.fooled(news[n])), None
            )
            for n in sorted(range(len(news)), key=lambda n: -scores[n]):
                if tuple(news[n]) not in met:
                    met.add(tuple(news[n]))
                    waiting.append((scores[n], news[n]))
            if scores and max(scores) > most:
                best, most = news[largest(scores)], max(scores)
        assert_same(outcome, ask, fooling or best)


@pytest.mark.usefixtures("lexicons")
def test_a_wider_search_of_one_space_fools_no_less() -> None:
    won = []
    for spec in ("beam:width=1", "beam:width=8", "best-first:expansions=40"):
        won.append({o.id for o, _ in attacked(spec, SENTENCES, lean=HARD) if o.status is Status.SUCCESS})
    assert won[0] <= won[1]
    assert won[0] <= won[2]


@pytest.mark.usefixtures("lexicons")
@pytest.mark.parametrize("thought", [0.02, 0.2])
def test_kuleshovs_greedy_search_keeps_the_mean_vector_near(thought: float) -> None:
    vectors = counter_fitted()

    def mean(words: list[str]) -> np.ndarray:
        known = [vectors.vector(word) for word in words if word in vectors]
        return np.asarray(np.mean([vector for vector in known if vector is not None], axis=0))

    for outcome, ask in attacked(f"kuleshov:surprise=none,thought={thought},nearest=4", SENTENCES, lean=HARD):
        offers = {
            i: vectors.of(word, 4, -1)[0]
            for i, word in enumerate(ask.text.words)
            if word.lower() not in stop_words("textfooler")
        }
        words = best = list(ask.text.words)
        reached, before = ask(words), mean(words)
        for _ in range(int(0.5 * len(words))):
            near = [new for new in one_more(ask, words, offers) if np.linalg.norm(mean(new) - before) <= thought]
            if not near:
                break
            words = near[largest(map(ask, near))]
            if ask(words) > reached:
                best, reached = words, ask(words)
            if ask.fooled(words):
                break
        assert_same(outcome, ask, best)


@pytest.mark.usefixtures("lexicons")
@pytest.mark.parametrize("spec", POPULATIONS)
def test_populations_fool_what_brute_force_fools(spec: str) -> None:
    """The victim adds up words: the best text has the best word everywhere, and all of a small space is tried."""
    lost = won = 0
    for lean in (0.5, 2.0, 3.5):
        victim = BagOfWords(lean=lean)
        samples = [sample for sample in labelled(victim, SENTENCES) if sample.label == 0]
        for sample, outcome in zip(samples, outcomes(victim, samples, find_attack(spec)), strict=True):
            offers = {
                "pso": lambda text: synonyms(text),
                "leap": lambda text: content_synonyms(text),
                "iga": lambda text: neighbours(text, 50, 0.75),
                "faster-genetic": lambda text: neighbours(text, 8, 0.75),
            }[spec.partition(":")[0]](sample.text)
            can = best_reach(victim, sample.text, offers)
            assert outcome.status is (Status.SUCCESS if can else Status.FAILED), sample.text
            for before, after, at in zip(
                sample.text.words, Text.of(outcome.perturbed[0]).words, range(99), strict=False
            ):
                assert after == before or after in offers[at]
            lost, won = lost + (not can), won + can
    assert lost
    assert won


def content_synonyms(text: Text) -> Offers:
    """The synonyms of words that are no stop words."""
    kept = stop_words("textfooler")
    return {at: words for at, words in synonyms(text).items() if text.words[at].lower() not in kept}


def best_reach(victim: BagOfWords, text: Text, offers: Offers) -> bool:
    """Whether any text of the space fools: all are asked, or, of a large space, the best word everywhere."""
    spots = list(offers)
    choices = [[text.words[at], *offers[at]] for at in spots]
    if np.prod([len(each) for each in choices]) > 3000:
        gold = [
            [victim.probability_row(text.replace(at, word).strings)[0] for word in each]
            for at, each in zip(spots, choices, strict=True)
        ]
        choices = [[each[int(np.argmin(beliefs))]] for each, beliefs in zip(choices, gold, strict=True)]
    return any(victim.label(text.replace_several(spots, words).strings) != 0 for words in product(*choices))


@pytest.mark.usefixtures("lexicons")
def test_iga_begins_with_the_best_neighbour_of_every_word() -> None:
    for outcome, ask in attacked("iga:generations=1", SENTENCES, lean=HARD):
        offers = neighbours(ask.text, 50, 0.75)
        first, before = [], ask(ask.text.words)
        for i, words in offers.items():
            gains = [ask(ask.replaced(ask.text.words, i, word)) for word in words]
            better = max(gains, default=0.0) > before
            first.append(ask.replaced(ask.text.words, i, words[largest(gains)]) if better else list(ask.text.words))
        assert_same(outcome, ask, first[largest(map(ask, first))] if first else ask.text.words)


@pytest.mark.usefixtures("lexicons")
def test_the_swarm_begins_with_one_word_replaced_and_asks_about_all_of_them() -> None:
    victim = BagOfWords(lean=9.0)
    samples = labelled(victim, SENTENCES)
    found = outcomes(victim, samples, find_attack("pso:population=1,generations=1"), budget=Budget(words=0.0))
    assert all(outcome.queries <= 1 for outcome in found)
    for outcome, ask in attacked("pso:population=20,generations=1", SENTENCES, lean=0.0):
        offers = synonyms(ask.text)
        singles = [ask.replaced(ask.text.words, i, word) for i, words in offers.items() for word in words]
        if outcome.words_changed == 1 and outcome.status is Status.SUCCESS:
            assert list(Text.of(outcome.perturbed[0]).words) in singles
        assert outcome.queries >= len({tuple(words) for words in singles}) + 1


def test_flights_are_levys() -> None:
    """Quartiles of the symmetric stable distribution of exponent 1.5 are 0.969; tails fall with that power."""
    drawn = flights(np.random.default_rng(0), 200_000)
    assert np.percentile(drawn, [25, 50, 75]) == pytest.approx([-0.969, 0, 0.969], abs=0.04)
    assert np.mean(drawn > 20) / np.mean(drawn > 5) == pytest.approx(4**-1.5, rel=0.3)
    between = flights_between(np.random.default_rng(0), 0.5, 0.8, 60)
    assert len(between) == 60
    assert between.min() >= 0.5
    assert between.max() <= 0.8


@pytest.mark.parametrize(
    "spec",
    [
        "beam:steps=0",
        "beam:width=0",
        "best-first:expansions=0",
        "faster-genetic:nearest=0",
        "iga:population=1",
        "iga:temperature=0.0",
        "iga:times=0",
        "kuleshov:most=0",
        "kuleshov:nearest=0",
        "leap:generations=0",
        "pso:population=0",
    ],
)
def test_settings_that_make_no_sense_are_refused(spec: str) -> None:
    victim = BagOfWords()
    with pytest.raises(UserError, match=spec.partition(":")[2]):
        outcomes(victim, labelled(victim, ["good"]), find_attack(spec))
