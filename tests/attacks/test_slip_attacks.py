"""DeepWordBug, Pruthi's misspellings, TextBugger and Charmer against plain readings of their papers."""

from __future__ import annotations

from string import ascii_lowercase, printable

import numpy as np
import pytest
from tests.attacks.readings import Reader, assert_same, attacked, largest
from tests.toys import Recording, labelled, outcomes

from unfool.attacks import find_attack
from unfool.attacks.parts.letters import added, changed, dropped, swapped
from unfool.attacks.parts.propose import vector_words
from unfool.engine import Status
from unfool.lexicon import stop_words
from unfool.lexicon.confusables import look_alikes
from unfool.lexicon.encoders import sentence_encoder
from unfool.lexicon.typos import key_neighbours
from unfool.options import Budget

HARD = 1.5
"""So much the first label weighs by itself that one change is seldom enough."""


def test_every_slip_of_a_word() -> None:
    assert swapped("word", inner=False) == ["owrd", "wrod", "wodr"]
    assert swapped("word", inner=True) == ["wrod"]
    assert dropped("word", inner=False) == ["ord", "wrd", "wod", "wor"]
    assert dropped("word", inner=True) == ["wrd", "wod"]
    assert added("ab", "xy", inner=False) == ["xab", "yab", "axb", "ayb", "abx", "aby"]
    assert added("ab", "xy", inner=True) == ["axb", "ayb"]
    assert changed("abc", {"b": "xb"}.get, inner=True) == ["axc"]  # type: ignore[arg-type]
    assert swapped("oops", inner=False) == ["opos", "oosp"]
    for make in (swapped, dropped):
        assert make("a", inner=True) == make("", inner=False) == []
    assert dropped("a", inner=False) == []


def slips_of(word: str, draw: np.random.Generator) -> dict[str, str]:
    """One substitution, swap, deletion and insertion, drawn in this order."""
    n = len(word)
    every = {
        "substitute": [word[:i] + c + word[i + 1 :] for i in range(n) for c in ascii_lowercase],
        "swap": [word[:i] + word[i + 1] + word[i] + word[i + 2 :] for i in range(n - 1)],
        "delete": [word[:i] + word[i + 1 :] for i in range(n)],
        "insert": [word[:i] + c + word[i:] for i in range(n + 1) for c in ascii_lowercase],
    }
    drawn = {}
    for kind, words in every.items():
        others = [other for other in dict.fromkeys(words) if other != word]
        if others:
            drawn[kind] = others[draw.integers(len(others))]
    return drawn


@pytest.mark.usefixtures("lexicons")
@pytest.mark.parametrize("lean", [0, HARD])
def test_deepwordbug_is_the_greedy_search_over_one_slip_of_each_kind(lean: float) -> None:
    for outcome, ask in attacked("deepwordbug", lean=lean):
        words, draw = list(ask.text.words), np.random.default_rng([3, outcome.id])
        spots = [i for i, w in enumerate(words) if len(w) > 1 and w.lower() not in stop_words("textfooler")]
        slips = {i: list(slips_of(words[i], draw).values()) for i in spots}
        if spots:
            scores = {i: ask(ask.replaced(words, i, ask.victim.unknown)) for i in spots}
            reached = ask(words)
            for i in sorted(spots, key=lambda i: -scores[i]):
                gains = [ask(ask.replaced(words, i, slip)) for slip in slips[i]]
                if max(gains) > reached:
                    reached = max(gains)
                    words[i] = slips[i][largest(gains)]
                    if ask.fooled(words):
                        break
        assert_same(outcome, ask, words)


@pytest.mark.usefixtures("lexicons")
def test_deepwordbugs_combined_score_is_what_a_word_adds_at_either_end() -> None:
    compared = 0
    for outcome, ask in attacked("deepwordbug:score=combined,change=swap", lean=HARD):
        words, draw = list(ask.text.words), np.random.default_rng([3, outcome.id])
        spots = [i for i, w in enumerate(words) if len(w) > 1 and w.lower() not in stop_words("textfooler")]
        swaps = {i: swapped(words[i], inner=False) for i in spots}
        drawn = {i: those[draw.integers(len(those))] for i, those in swaps.items() if those}

        def alone(start: int, stop: int, ask: Reader = ask) -> float:
            inner = ask.text.gaps[start + 1 : stop]
            return ask(ask.text.words[start:stop], ("", *inner, "") if start < stop else ("",))

        # The text's own marks before its first and behind its last word stand in no head and no tail.
        n = len(words)
        scores = {i: (alone(0, i) - alone(0, i + 1)) + (alone(i + 1, n) - alone(i, n)) for i in drawn}
        for i in sorted(drawn, key=lambda i: -round(scores[i], 5)):
            words[i] = drawn[i]
            ask(words)
            if ask.fooled(words):
                break
        compared += outcome.perturbed != outcome.original
        assert_same(outcome, ask, words)
    assert compared > 3


def inner_slips(word: str) -> list[str]:
    """Every slip that leaves the first and the last letter."""
    n = len(word)
    found = [word[:i] + word[i + 1] + word[i] + word[i + 2 :] for i in range(1, n - 2)]
    found += [word[:i] + word[i + 1 :] for i in range(1, n - 1)]
    found += [word[:i] + c + word[i:] for i in range(1, n) for c in ascii_lowercase]
    found += [word[:i] + c + word[i + 1 :] for i in range(1, n - 1) for c in key_neighbours(word[i])]
    return [slip for slip in dict.fromkeys(found) if slip != word]


@pytest.mark.usefixtures("lexicons")
@pytest.mark.parametrize(("slips", "lean"), [(1, 0.0), (1, 9.0), (3, HARD)])
def test_pruthis_slip_is_the_worst_of_all(slips: int, lean: float) -> None:
    for outcome, ask in attacked(f"pruthi:slips={slips}", lean=lean):
        words, original = list(ask.text.words), ask.text.words
        for _ in range(slips):
            every = [
                ask.replaced(words, i, slip)
                for i, word in enumerate(original)
                if len(word) >= 4 and words[i] == word and word.lower() not in stop_words("textfooler")
                for slip in inner_slips(word)
            ]
            if not every:
                break
            words = every[largest(map(ask, every))]
            if ask.fooled(words):
                break
        if outcome.status is not Status.SUCCESS and words != list(original):
            # What failed is the best text on the way, the engine's own figures tell which.
            assert outcome.queries == len(ask.asked)
        else:
            assert_same(outcome, ask, words)


@pytest.mark.usefixtures("lexicons")
def test_textbugger_takes_the_best_bug_that_stays_similar() -> None:
    least, encoder = 0.9, sentence_encoder("minilm")
    for outcome, ask in attacked(f"textbugger:similarity={least},nearest=2", lean=HARD):
        words, draw = list(ask.text.words), np.random.default_rng([3, outcome.id])

        def similar(changed_words: list[str], ask: Reader = ask) -> bool:
            pair = [str(ask.text), ask.rendered(changed_words)]
            a, b = encoder.launch([pair]).result()[0]
            return round(float(a @ b), 5) >= least

        bugs: dict[int, list[str]] = {}
        for i, word in enumerate(words):
            if word.lower() in stop_words("textfooler"):
                continue
            looks = {"o": "0", "O": "0", "l": "1", "I": "1", "a": "@", "s": "5", "S": "5", "e": "3", "E": "3"}
            looks["i"] = "1"
            kinds = [
                [word[:k] + " " + word[k:] for k in range(1, len(word))],
                dropped(word, inner=True),
                swapped(word, inner=True),
                [
                    word[:k] + c + word[k + 1 :]
                    for k in range(len(word))
                    for c in looks.get(word[k]) or look_alikes(word[k])[:1] or key_neighbours(word[k])
                ],
            ]
            drawn = [those[draw.integers(len(those))] for those in kinds if those]
            if found := list(dict.fromkeys([*drawn, *vector_words(word, -1.0)[:2]])):
                bugs[i] = found
        if bugs:
            without = {}
            for i in bugs:
                less = ask.text.delete(i)
                without[i] = ask(less.words, less.gaps)
            reached = ask(words)
            for i in sorted(bugs, key=lambda i: -without[i]):
                gains = {bug: ask(ask.replaced(words, i, bug)) for bug in bugs[i]}
                better = [bug for bug in sorted(gains, key=lambda bug: -gains[bug]) if gains[bug] > reached]
                kept = next((bug for bug in better if similar(ask.replaced(words, i, bug))), None)
                if kept is not None:
                    words, reached = ask.replaced(words, i, kept), gains[kept]
                    if ask.fooled(words):
                        break
        assert_same(outcome, ask, words)


def one_edit_away(string: str, letters: str) -> set[str]:
    """Every string at a Levenshtein distance of one, deletions and insertions at every place."""
    found = {string[:i] + c + string[i:] for i in range(len(string) + 1) for c in letters}
    found |= {string[:i] + c + string[i + 1 :] for i in range(len(string)) for c in ("", *letters)}
    return found - {string}


@pytest.mark.parametrize("string", ["a dull film", "fine cast", "film"])
def test_charmer_with_every_slot_finds_the_best_single_edit(string: str) -> None:
    letters = "abcdefghijklmnopqrstuvwxyz"
    ((outcome, ask),) = attacked(f"charmer:edits=1,slots=1000,alphabet={letters}", [string], lean=-1.0)
    best = max(ask.belief(other) * -1 for other in one_edit_away(string, letters))
    assert -ask.belief(outcome.perturbed[0]) == best
    assert outcome.characters_changed == 1


def test_charmer_looks_for_places_first_and_then_for_characters() -> None:
    string, letters, slots = "a dull film", "xy", 2
    ((outcome, ask),) = attacked(f"charmer:edits=2,slots={slots},alphabet={letters}", [string], lean=5.0)
    current = string
    reached = ask([], (current,))
    for _ in range(2):
        tries = []
        for word_start, word in _words(current):
            for k in range(word_start, word_start + len(word)):
                tries += [(k, 0), (k, 1)]
            end = word_start + len(word)
            tries.append((end, 0))
            if current[end : end + 1] == " " and end + 1 < len(current):
                tries.append((end, 1))
        trials = [current[:k] + ("" if current[k : k + w] == " " else " ") + current[k + w :] for k, w in tries]
        gains = [ask([], (trial,)) for trial in trials]
        order = sorted(range(len(tries)), key=lambda n: -gains[n])[:slots]
        every = [current[:k] + c + current[k + w :] for n in order for k, w in [tries[n]] for c in ("", *letters)]
        every = [other for other in every if other != current]
        found = [ask([], (other,)) for other in every]
        if max(found) <= reached:
            break
        reached, current = max(found), every[largest(found)]
        if ask.victim.label((current,)) != ask.gold:
            break
    assert outcome.perturbed == (current,)
    assert outcome.queries == len(ask.asked)


def _words(string: str) -> list[tuple[int, str]]:
    starts = [0, *(k + 1 for k, c in enumerate(string) if c == " ")]
    return [(start, string[start:].split(" ")[0]) for start in starts]


def test_charmers_alphabet_is_what_can_be_seen_of_ascii() -> None:
    seen = {c for c in printable if not c.isspace()} | {" "}
    ((outcome, _),) = attacked("charmer:edits=1,slots=1", ["film"], lean=-9.0)
    ((whole, _),) = attacked(f"charmer:edits=1,slots=1,alphabet={'x'}", ["film"], lean=-9.0)
    assert outcome.queries - whole.queries in range(len(seen) - 3, len(seen))


@pytest.mark.parametrize("queries", [20, 60, 200])
def test_charmer_within_few_queries_asks_about_fewer_places_and_still_gets_nearer(queries: int) -> None:
    victim = Recording()
    samples = labelled(victim, ["the story is dull and the acting awful, I left early " * 3])
    victim.seen.clear()
    (outcome,) = outcomes(victim, samples, find_attack("charmer"), seed=3, budget=Budget(queries=queries))
    assert outcome.queries <= queries
    gold = samples[0].label
    before, after = (victim.probability_row(strings)[gold] for strings in (outcome.original, outcome.perturbed))
    assert after < before
