"""One word at one place (Hsieh et al., 2019), held against plain readings of the nets and of the algorithms."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from tests.attacks.film_texts import STRINGS, TEXTS, fooled, random_texts
from tests.toy_models import save_bert
from tests.toy_nets import WORDS, toy_net
from tests.toys import outcomes
from transformers import AutoTokenizer, BertForSequenceClassification

from unfool import zoo
from unfool.attacks import find_attack
from unfool.engine import Goal, Outcome, Predictor, Status
from unfool.errors import UserError
from unfool.text import Sample, Text
from unfool.victims import Transformer, Zeroed

PAIRS = [Text.pair(("premise", a), ("hypothesis", b)) for a, b in zip(STRINGS, STRINGS[::-1], strict=True)]
WHITE = ["transformer", "attention", "lstm"]


class PlainBert:
    """A tiny BERT, read with transformers alone."""

    def __init__(self, folder: Path) -> None:
        self.model = BertForSequenceClassification.from_pretrained(folder, attn_implementation="eager").eval()
        self.tokenizer = AutoTokenizer.from_pretrained(folder)

    def encoded(self, text: Text) -> tuple[Any, dict[int, list[int]]]:
        """The net's inputs, and the tokens of each word."""
        inputs = self.tokenizer(*text.strings, return_tensors="pt", return_offsets_mapping=True)
        tokens: dict[int, list[int]] = {}
        for token, ((start, end), field) in enumerate(
            zip(inputs.pop("offset_mapping")[0].tolist(), inputs.sequence_ids(0), strict=True)
        ):
            for position, first, last in spans(text, field):
                if first <= start < end <= last:
                    tokens.setdefault(position, []).append(token)
        return inputs, tokens

    def blind(self, text: Text, position: int) -> np.ndarray[Any, Any]:
        inputs, tokens = self.encoded(text)
        with torch.no_grad():
            vectors = self.model.bert.embeddings.word_embeddings(inputs.pop("input_ids"))
            vectors[0, tokens[position]] = 0
            return np.asarray(self.model(inputs_embeds=vectors, **inputs).logits.softmax(-1)[0])

    def summary(self, text: Text) -> tuple[np.ndarray[Any, Any], int]:
        """The pooled first token, and the answer."""
        inputs, _ = self.encoded(text)
        with torch.no_grad():
            pooled = self.model.bert(**inputs).pooler_output
            return pooled[0].double().numpy(), int(self.model.classifier(pooled).argmax())

    def attention(self, text: Text, layer: int, head: int | None, row: str) -> dict[int, float]:
        inputs, tokens = self.encoded(text)
        with torch.no_grad():
            weights = self.model(**inputs, output_attentions=True).attentions[layer][0]
        weights = weights.mean(0) if head is None else weights[head]
        scores = weights.mean(0) if row == "column_mean" else weights[0]
        return {position: float(scores[places].sum()) for position, places in tokens.items()}


def spans(text: Text, field: int | None) -> Iterator[tuple[int, int, int]]:
    """Each word of a field with its first and last character, found by looking for it."""
    if field is None:
        return
    at = 0
    for position in range(text.fields[field].start, text.fields[field].stop):
        at = text.strings[field].index(text.words[position], at)
        yield position, at, at + len(text.words[position])
        at += len(text.words[position])


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> tuple[Transformer, PlainBert]:
    folder = save_bert(tmp_path_factory.mktemp("bert"))
    return Transformer(str(folder), device="cpu"), PlainBert(folder)


def rightly(victim: Predictor, texts: list[Text]) -> list[Sample]:
    answers = victim.check([text.strings for text in texts]).result().values.argmax(axis=1).tolist()
    return [Sample(number, text, label) for number, (text, label) in enumerate(zip(texts, answers, strict=True))]


def changed_position(sample: Sample, outcome: Outcome) -> int:
    """The one place whose word, changed, gives the perturbed text; by the strings, since a mark is no word."""

    def fits(string: str, around: list[str]) -> bool:
        head, *tail = around
        if not tail:
            return string == head
        longer = len(string) > len(head) + len(tail[0])
        return longer and string.startswith(head) and string.endswith(tail[0])

    (found,) = [
        position
        for position in sample.text.editable
        if all(
            fits(string, emptied.split("\0"))
            for string, emptied in zip(outcome.perturbed, sample.text.replace(position, "\0").strings, strict=True)
        )
    ]
    return found


def assert_same_texts_fall(victim: Predictor, *specs: str) -> None:
    """Attacks that try the same words at the same place differ in the order alone."""
    samples = rightly(victim, TEXTS + random_texts(20))
    fallen = []
    for confidence in (0.0, 0.8, 0.95):
        goal = Goal(confidence=confidence)
        first, *others = (outcomes(victim, samples, find_attack(spec), goal=goal) for spec in specs)
        assert all(fooled(other) == fooled(first) for other in others)
        fallen.append(len(fooled(first)))
        for number in fooled(first):
            assert len({changed_position(samples[number], found[number]) for found in (first, *others)}) == 1
    assert any(0 < count < len(samples) for count in fallen), f"all or none would hide a difference: {fallen}"


@pytest.mark.parametrize("name", WHITE)
@pytest.mark.parametrize("limit", ["candidates=none", "candidates=4"])
def test_random_order_and_nearest_first_fool_the_same_texts(
    name: str, limit: str, victims: dict[str, Predictor]
) -> None:
    assert_same_texts_fall(victims[name], f"gs-gr:{limit}", f"gs-ec:{limit}", f"gs-gr:order=best,{limit}")


@pytest.mark.parametrize("name", ["transformer", "attention"])
@pytest.mark.parametrize("pick", ["asmin", "asmax"])
def test_attention_attacks_fool_the_same_texts_in_either_order(
    pick: str, name: str, victims: dict[str, Predictor]
) -> None:
    assert_same_texts_fall(victims[name], f"{pick}-gr", f"{pick}-ec")


@pytest.mark.parametrize("texts", [TEXTS, PAIRS], ids=["single", "pair"])
def test_zeroed_words_answer_as_the_net_does_by_hand(
    texts: list[Text], bert: tuple[Transformer, PlainBert]
) -> None:
    victim, plain = bert
    found = victim.zeroed.launch([Zeroed(text, text.editable) for text in texts]).result()
    samples = {sample.id: sample for sample in rightly(victim, texts)}
    for sample, answers in zip(samples.values(), found, strict=True):
        by_hand = np.stack([plain.blind(sample.text, position) for position in sample.text.editable])
        np.testing.assert_allclose(answers, by_hand, atol=2e-5)
    for outcome in outcomes(victim, samples.values(), find_attack("gs-gr")):
        sample = samples[outcome.id]
        by_hand = np.stack([plain.blind(sample.text, position) for position in sample.text.editable])
        lowest = int(np.round(by_hand[:, sample.label], 5).argmin())
        assert changed_position(sample, outcome) == sample.text.editable[lowest]


def test_words_that_are_cut_off_answer_as_the_whole_text() -> None:
    victim = toy_net("LSTM", zoo.WordVocabulary(WORDS, max_length=3), units=6)
    text = Text.of("a good film is dull")
    (answers,) = victim.zeroed.launch([Zeroed(text, (0, 3, 4))]).result()
    whole = victim.check([text.strings]).result().values[0]
    np.testing.assert_allclose(answers[1:], [whole, whole], atol=2e-5)
    assert np.abs(answers[0] - whole).max() > 1e-4


@pytest.mark.parametrize("texts", [TEXTS, PAIRS], ids=["single", "pair"])
def test_the_nearest_fooling_word_is_the_one_brute_force_finds(
    texts: list[Text], bert: tuple[Transformer, PlainBert]
) -> None:
    victim, plain = bert
    samples = rightly(victim, texts)
    found = outcomes(victim, samples, find_attack("gs-ec"))
    assert fooled(found)
    for sample, outcome in zip(samples, found, strict=True):
        text, spot = sample.text, changed_position(sample, outcome)
        before, _ = plain.summary(text)
        distances = {}
        for word in victim.vocabulary:
            after, answer = plain.summary(text.replace(spot, word))
            if answer != sample.label and word != text.words[spot]:
                distances[word] = round(float(np.abs(after - before).sum()), 4)
        assert (outcome.status is Status.SUCCESS) == bool(distances)
        if distances:
            nearest = min(distances, key=lambda word: distances[word])
            assert outcome.perturbed == text.replace(spot, nearest).strings


@pytest.mark.parametrize("texts", [TEXTS, PAIRS], ids=["single", "pair"])
@pytest.mark.parametrize("settings", [(0, None, "cls"), (-1, None, "cls"), (1, 1, "cls"), (0, 0, "column_mean")])
def test_attention_is_read_as_the_net_has_it(
    settings: tuple[int, int | None, str], texts: list[Text], bert: tuple[Transformer, PlainBert]
) -> None:
    victim, plain = bert
    layer, head, row = settings
    told = f"layer={layer},head={'none' if head is None else head},row={row}"
    samples = rightly(victim, texts)
    lowest, highest = (outcomes(victim, samples, find_attack(f"{name}-gr:{told}")) for name in ("asmin", "asmax"))
    for sample, low, high in zip(samples, lowest, highest, strict=True):
        scores = plain.attention(sample.text, layer, head, row)
        assert scores[changed_position(sample, low)] == pytest.approx(min(scores.values()), abs=2e-5)
        assert scores[changed_position(sample, high)] == pytest.approx(max(scores.values()), abs=2e-5)


def test_an_lstm_is_read_by_the_weights_of_its_attention(victims: dict[str, Any]) -> None:
    victim = victims["attention"]
    samples = rightly(victim, TEXTS)
    for sample, outcome in zip(samples, outcomes(victim, samples, find_attack("asmax-ec")), strict=True):
        ids = torch.tensor(victim.encoder.pieces(list(sample.text.words)))  # each of these words is one token
        marked = torch.tensor([victim.encoder.pieces([sample.text.strings[0]])[0]])
        net, mask = victim._net, torch.ones_like(marked, dtype=torch.bool)
        with torch.no_grad():
            (states,) = net.states(net.front.embed(marked), mask)
            weights = net.weigh(states)[0, :, 0].softmax(0)
        tokens = sample.text.strings[0].replace(",", " ,").replace("(", "( ").replace(")", " )").split()
        scores = [float(w) for token, w in zip(tokens, weights, strict=True) if token not in ",()"]
        assert len(ids) == len(scores)
        assert scores[changed_position(sample, outcome)] == pytest.approx(max(scores), abs=2e-5)


def test_summaries_of_variants_are_those_of_the_texts_themselves(victims: dict[str, Any]) -> None:
    for name in (*WHITE, "characters"):
        summaries = victims[name].summaries
        swaps = TEXTS[0].variants([0, 2, 5], ["dull", "awful", "qzxv"])
        together = summaries.launch([swaps, TEXTS[1]]).result()
        alone = [summaries.launch([text]).result()[0].vectors[0] for text in (*swaps, TEXTS[1])]
        np.testing.assert_allclose(np.concatenate([each.vectors for each in together]), alone, atol=1e-5)
        assert np.ptp(np.stack(alone), axis=0).max() > 1e-3
        answers = victims[name].check([text.strings for text in (*swaps, TEXTS[1])]).result().values
        np.testing.assert_allclose(np.concatenate([each.answers for each in together]), answers, atol=2e-5)


@pytest.mark.parametrize("spec", ["gs-ec", "asmax-ec"])
def test_only_words_that_fool_are_asked_about(spec: str, bert: tuple[Transformer, PlainBert]) -> None:
    victim, _ = bert
    samples = rightly(victim, TEXTS + random_texts(10))
    found = outcomes(victim, samples, find_attack(spec), goal=Goal(confidence=0.8))
    assert 0 < len(fooled(found)) < len(samples)
    for sample, outcome in zip(samples, found, strict=True):
        assert outcome.queries == 1, "its one word was known to be the nearest before it was asked about"
        assert outcome.notes["words looked at"] >= len(victim.vocabulary) - 1
        (nearest,) = outcomes(victim, [sample], find_attack("gs-gr:order=best"), goal=Goal(confidence=0.8))
        if spec == "gs-ec" and outcome.status is Status.FAILED:
            assert outcome.perturbed == nearest.perturbed


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ("asmax-gr:layer=2", "layer=2: the victim attends in 2"),
        ("asmin-ec:layer=-3", "layer=-3"),
        ("asmin-gr:head=2", "head=2: the victim has 2"),
        ("gs-ec:candidates=0", "candidates=0 leaves no word"),
    ],
)
def test_settings_that_cannot_be_are_refused(spec: str, told: str, bert: tuple[Transformer, PlainBert]) -> None:
    with pytest.raises(UserError, match=told):
        outcomes(bert[0], rightly(bert[0], TEXTS[:1]), find_attack(spec))


def test_without_marks_no_word_becomes_one(bert: tuple[Transformer, PlainBert]) -> None:
    victim, _ = bert
    samples = rightly(victim, TEXTS)
    tried: set[str] = set()
    for marks in ("true", "false"):
        found = outcomes(victim, samples, find_attack(f"gs-ec:marks={marks}"))
        new = {string for outcome in found for string in outcome.perturbed}
        assert tried != new
        tried = new
    assert all(
        len(Text.of(outcome.perturbed[0])) == len(sample.text)
        for sample, outcome in zip(samples, found, strict=True)
    )
