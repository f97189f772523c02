"""BERT-Attack, BAE, CLARE and A2T against plain readings on a toy masked language model: texts and query counts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest
import torch
from tests.attacks.masked_toy import toy_masked_model
from tests.attacks.readings import STRINGS, Reader, assert_same, attacked, largest
from tests.toys import BagOfWords, labelled, outcomes
from transformers import AutoModelForMaskedLM, AutoTokenizer

from unfool.attacks import find_attack
from unfool.attacks.parts.constrain import same_tag_in_context
from unfool.attacks.parts.propose import in_case_of, tag_text
from unfool.engine import Predictor, Status
from unfool.errors import UserError
from unfool.lexicon import counter_fitted, stop_words
from unfool.text import Text

MODEL = f"model={toy_masked_model()}"
FREE = f"similarity=-1,{MODEL}"
HARD = 1.5
pytestmark = pytest.mark.usefixtures("lexicons")
Words = list[str]
Gaps = list[str]


@cache
def toy() -> tuple[Any, Any]:
    folder = toy_masked_model()
    return AutoTokenizer.from_pretrained(folder), AutoModelForMaskedLM.from_pretrained(folder).eval()


def logits(string: str) -> tuple[list[int], Any]:
    """What the toy reads in a string, and its logits at each token."""
    read, net = toy()
    ids = read(string)["input_ids"]
    with torch.inference_mode():
        return ids, net(input_ids=torch.tensor([ids])).logits[0]


def filled(string: str, most: int, least: float = 0.0) -> Words:
    """The words among the toy's likeliest tokens for the mask in a string."""
    read, _ = toy()
    ids, told = logits(string)
    chances = told[ids.index(read.mask_token_id)].softmax(0)
    order = sorted(range(len(chances)), key=lambda token: -float(chances[token]))[:most]
    words = [read.convert_ids_to_tokens(token) for token in order if chances[token] >= least]
    return [word for word in words if word[0] not in "[#" and Text.of(word).words == (word,)]


def content(ask: Reader) -> list[int]:
    return [i for i in ask.text.editable if ask.text.words[i].lower() not in stop_words("textfooler")]


def joined(words: Sequence[str], gaps: Sequence[str]) -> str:
    return "".join(part for pair in zip(gaps, (*words, ""), strict=True) for part in pair)


def replaced(words: Words, gaps: Gaps, at: int, most: int, least: float = 0.0) -> list[tuple[Words, Gaps]]:
    hidden = joined([*words[:at], "[MASK]", *words[at + 1 :]], gaps)
    new = dict.fromkeys(in_case_of(words[at], word) for word in filled(hidden, most, least))
    return [([*words[:at], w, *words[at + 1 :]], gaps) for w in new if w.lower() != words[at].lower()]


def inserted(words: Words, gaps: Gaps, at: int, most: int, least: float = 0.0) -> list[tuple[Words, Gaps]]:
    """A new word before the one at a place, or behind the last."""
    here = [" ", gaps[at]] if at == len(words) else [gaps[at], " "]
    wide = [*gaps[:at], *here, *gaps[at + 1 :]]
    hidden = joined([*words[:at], "[MASK]", *words[at:]], wide)
    return [([*words[:at], w, *words[at:]], wide) for w in dict.fromkeys(filled(hidden, most, least))]


def merged(words: Words, gaps: Gaps, at: int, most: int, least: float = 0.0) -> list[tuple[Words, Gaps]]:
    masked = joined([*words[:at], "[MASK]", *words[at + 2 :]], [*gaps[: at + 1], *gaps[at + 2 :]])
    new = dict.fromkeys(in_case_of(words[at], word) for word in filled(masked, most, least))
    rest = Text.of(joined(words, gaps)).delete(at + 1)
    return [
        ([*words[:at], w, *words[at + 2 :]], list(rest.gaps)) for w in new if w not in (words[at], words[at + 1])
    ]


def without(ask: Reader, spots: list[int], gone: str | None) -> list[float]:
    """How near to the goal the text is without each word, or with another for it."""
    if gone is not None:
        return [ask(ask.replaced(ask.text.words, at, gone)) for at in spots]
    found = []
    for at in spots:
        text = ask.text.delete(at)
        found.append(ask(text.words, text.gaps))
    return found


@pytest.mark.parametrize("change", ["replace", "insert", "both"])
def test_bae_goes_from_word_to_word_and_keeps_what_does_most(change: str) -> None:
    edits = 0
    for outcome, ask in attacked(f"bae:change={change},candidates=40,{FREE}", STRINGS, lean=HARD):
        words, gaps, spots = list(ask.text.words), list(ask.text.gaps), content(ask)
        if spots:
            reached = ask(words, gaps)
            scores, tags, moved = without(ask, spots, None), tag_text(ask.text), [0] * (len(words) + 1)
            for at in sorted(spots, key=lambda at: -scores[spots.index(at)]):
                for kind in ("replace", "insert") if change == "both" else (change,):
                    here = at + sum(moved[: at + 1])
                    if kind == "replace":
                        ways = replaced(words, gaps, here, 40)
                        fits = same_tag_in_context(
                            Text.of(joined(words, gaps)), here, tags[at], [new[here] for new, _ in ways]
                        )
                        ways = [way for way, fit in zip(ways, fits, strict=True) if fit]
                        places = [0] * len(ways)
                    else:
                        sides = [(side, inserted(words, gaps, here + side, 40)) for side in (0, 1)]
                        ways = [way for _, some in sides for way in some]
                        places = [side for side, some in sides for _ in some]
                    gains = [ask(*way) for way in ways]
                    if gains and max(gains) > reached:
                        best = largest(gains)
                        reached, (words, gaps) = gains[best], ways[best]
                        edits += 1
                        if kind == "insert":
                            moved[at + places[best]] += 1  # a word behind this one moves those that follow
                        if ask.fooled_by(words, gaps):
                            break
                if ask.fooled_by(words, gaps):
                    break
        assert_same_text(outcome, ask, words, gaps)
    assert edits > 3


def assert_same_text(outcome: Any, ask: Reader, words: Words, gaps: Gaps) -> None:
    assert outcome.perturbed == (joined(words, gaps),)
    assert outcome.queries == len(ask.asked)
    assert (outcome.status is Status.SUCCESS) == ask.fooled_by(words, gaps)


def test_clare_makes_the_edit_that_does_most_and_none_beside_it_again() -> None:
    kinds = set[int]()
    for outcome, ask in attacked(f"clare:candidates=12,chance=0.001,{FREE}", STRINGS, lean=HARD):
        words, gaps = list(ask.text.words), list(ask.text.gaps)
        where, fresh, untouched = list(range(len(words))), content(ask), set(ask.text.editable)
        if fresh:
            reached = ask(words, gaps)
            while fresh:
                ways: list[tuple[int, int, tuple[Words, Gaps]]] = []
                for at in fresh:
                    ways += [(at, 0, way) for way in replaced(words, gaps, where[at], 12, 0.001)]
                for at in fresh:
                    ways += [(at, 1, way) for way in inserted(words, gaps, where[at] + 1, 12, 0.001)]
                for at in fresh:
                    if at + 1 in untouched and where[at + 1] == where[at] + 1:
                        ways += [(at, -1, way) for way in merged(words, gaps, where[at], 12, 0.001)]
                gains = [ask(*way) for _, _, way in ways]
                if not gains or max(gains) <= reached:
                    break
                reached = max(gains)
                at, grown, (words, gaps) = ways[largest(gains)]
                kinds.add(grown)
                where = [spot + grown * (spot > where[at]) for spot in where]
                untouched -= {at, at + 1} if grown < 0 else {at}
                fresh = [each for each in fresh if each in untouched]
                if ask.fooled_by(words, gaps):
                    break
        assert_same_text(outcome, ask, words, gaps)
    assert kinds == {-1, 0, 1}


def test_bert_attack_reads_the_words_themselves_and_combines_the_pieces_of_long_ones() -> None:
    read, net = toy()
    vectors, kept = counter_fitted(), stop_words("textfooler")
    pieced = 0
    for outcome, ask in attacked(f"bert-attack:candidates=20,{MODEL}", STRINGS, lean=HARD):
        words = list(ask.text.words)
        offers: dict[int, Words] = {}
        for at in content(ask):
            start = sum(map(len, words[:at])) + sum(map(len, ask.text.gaps[: at + 1]))
            string = joined(words, ask.text.gaps)
            before = len(read(string[:start])["input_ids"]) - 1
            size = len(read(words[at])["input_ids"]) - 2
            _, told = logits(string)
            likely = [told[before + n].topk(20).indices.tolist() for n in range(size)]
            if size == 1:
                found = [read.convert_ids_to_tokens(token) for token in likely[0]]
                found = [word for word in found if word[0] not in "[#"]
            else:
                pieced += 1
                rows = list(product(*(tokens[:4] for tokens in likely)))[:24]
                found = [read.decode(row).strip() for row in sorted(rows, key=lambda row: surprise(net, row))]
            fitting = []
            for word in found:
                near = vectors.cosine(words[at], word)
                if Text.of(word).words == (word,) and word.lower() not in {words[at].lower(), *kept}:
                    fitting += [in_case_of(words[at], word)] if near is None or near >= 0.4 else []
            if fitting:
                offers[at] = list(dict.fromkeys(fitting))
        if offers:
            reached, spots, room = ask(words), list(offers), int(0.4 * len(words))
            scores = dict(zip(spots, importances(ask, spots), strict=True))
            for at in sorted(spots, key=lambda at: -scores[at]):
                if not room:
                    break
                gains = [ask(ask.replaced(words, at, word)) for word in offers[at]]
                if max(gains) > reached:
                    reached, room = max(gains), room - 1
                    words = ask.replaced(words, at, offers[at][largest(gains)])
                    if ask.fooled(words):
                        break
        assert_same(outcome, ask, words)
    assert pieced


def surprise(net: Any, row: Sequence[int]) -> float:
    with torch.inference_mode():
        ids = torch.tensor([row])
        told = net(input_ids=ids).logits[0]
        return round(float(torch.nn.functional.cross_entropy(told, ids[0])), 4)


def importances(ask: Reader, spots: list[int]) -> list[float]:
    """Of two labels: the drop of the right one, twice where the answer changes."""
    base, gone = ask(ask.text.words), without(ask, spots, "[UNK]")
    scores = []
    for at, near in zip(spots, gone, strict=True):
        drop = np.float32(near) - np.float32(base)
        scores.append(float(2 * drop if ask.fooled(ask.replaced(ask.text.words, at, "[UNK]")) else drop))
    return scores


def test_a2t_goes_by_the_gradient_and_changes_few_words(victims: dict[str, Predictor]) -> None:
    victim = victims["net"]
    long = " ".join(["a good film with a fine cast and a clever plot"] * 6)
    label = int(victim.check([(long,)]).result().values[0].argmax())
    from unfool.text import Sample

    for most, room in ((0.1, 6), (0.0, 4)):
        (found,) = outcomes(
            victim, [Sample(0, Text.of(long), label)], find_attack(f"a2t:most={most},similarity=-1")
        )
        assert found.words_changed <= room
    (first,) = outcomes(victim, [Sample(0, Text.of(long), label)], find_attack("a2t:most=0.0,similarity=-1"))
    (again,) = outcomes(
        victim, [Sample(0, Text.of(long), label)], find_attack(f"a2t:substitutes=masked,most=0.0,{FREE}")
    )
    assert again.words_changed <= 4
    assert first.perturbed != again.perturbed


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ("bae:candidates=0", "candidates=0"),
        ("clare:steps=0", "steps=0"),
        ("bert-attack:model=nowhere/at-all", "no masked language model"),
    ],
)
def test_what_cannot_be_used_is_refused(spec: str, told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    victim = BagOfWords()
    with pytest.raises(UserError, match=told):
        outcomes(victim, labelled(victim, ["a good film"]), find_attack(spec))
