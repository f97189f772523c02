"""SWITCH: every setting changes what it says; an alternative comes from its own text and seed alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from unfool.attacks.parts.constrain import angular
from unfool.defences import Fuse, FuseSettings, Switch, SwitchSettings
from unfool.defences.switch import token_importance
from unfool.engine import Floats
from unfool.errors import UserError
from unfool.lexicon import counter_fitted, stop_words, tagger, universal
from unfool.lexicon.encoders import sentence_encoder
from unfool.text import Text
from unfool.victims import GradientRequest, Transformer, WhiteBoxVictim

pytestmark = pytest.mark.usefixtures("lexicons")

FILM = Text.of("This movie is truly fun for the whole family: adults and kids will totally enjoy it!")
TEXTS = [
    FILM,
    Text.of("A good film with a fine cast and a clever plot."),
    Text.of("The story is dull, the acting awful; I left early!"),
    Text.pair(("premise", "A good plot, he said."), ("hypothesis", "great fun for families"), "hypothesis"),
]
NOTHING_TO_CHANGE = [Text.of(""), Text.of("the of and but not in it"), Text.of("qzxv brrgl"), Text.of("?! 😀")]


def made(victim: WhiteBoxVictim, text: Text = FILM, seed: int = 0, **settings: Any) -> list[Text]:
    return Switch(victim, SwitchSettings(**settings)).alternatives([text], None, seed)[0]


def changed(text: Text, alternatives: list[Text]) -> set[int]:
    return {n for other in alternatives for n in range(len(text)) if other.words[n] != text.words[n]}


def replacements(text: Text, alternatives: list[Text]) -> dict[int, set[str]]:
    return {spot: {other.words[spot] for other in alternatives} for spot in changed(text, alternatives)}


@pytest.mark.parametrize("words", [1, 2, 5])
def test_words_says_how_many_change_in_every_alternative(bert: Transformer, words: int) -> None:
    alternatives = made(bert, words=words)
    assert {len(changed(FILM, [other])) for other in alternatives} == {words}
    assert len(changed(FILM, alternatives)) == words


@pytest.mark.parametrize("count", [0, 1, 7])
def test_alternatives_says_how_many_there_are(bert: Transformer, count: int) -> None:
    assert len(made(bert, alternatives=count)) == count


@pytest.mark.parametrize("candidates", [1, 4])
def test_candidates_says_how_many_of_the_nearest_serve(bert: Transformer, candidates: int) -> None:
    for spot, words in replacements(FILM, made(bert, candidates=candidates, alternatives=200, pos="none")).items():
        nearest, _ = counter_fitted().of(FILM.words[spot], candidates, -1)
        assert {word.lower() for word in words} == set(nearest)


def test_a_tag_reaches_past_the_nearest_to_any_of_a_hundred(bert: Transformer) -> None:
    found = replacements(FILM, made(bert, words=9, candidates=10, alternatives=200))
    hundred = {spot: counter_fitted().of(FILM.words[spot], 100, -1)[0] for spot in found}
    ranks = [hundred[spot].index(word.lower()) for spot, words in found.items() for word in words]
    assert max(ranks) >= 10


@pytest.mark.parametrize("pos", ["penn", "universal", "none"])
def test_pos_says_what_replacements_have_in_common(bert: Transformer, pos: str) -> None:
    def tag(position: int, word: str) -> str:
        words = (*FILM.words[:position], word, *FILM.words[position + 1 :])
        return tagger()([words])[0][position]

    alternatives = made(bert, words=9, alternatives=100, pos=pos)
    pairs = [(tag(s, FILM.words[s]), tag(s, w)) for s, ws in replacements(FILM, alternatives).items() for w in ws]
    same_penn = all(old == new for old, new in pairs)
    same_universal = all(universal(old) == universal(new) for old, new in pairs)
    assert (same_penn, same_universal) == (pos == "penn", pos != "none")


def test_stop_words_are_left_alone_unless_told(bert: Transformer) -> None:
    stops = {spot for spot, word in enumerate(FILM.words) if word.lower() in stop_words()}
    assert not changed(FILM, made(bert, words=15)) & stops
    assert changed(FILM, made(bert, words=15, stop_words=False)) & stops


def test_words_without_vectors_take_no_place(bert: Transformer) -> None:
    text = Text.of("qzxv brrgl film plot")
    assert changed(text, made(bert, text, words=2)) == {2, 3}


def test_own_vectors_give_the_nets_nearest_words_of_one_token(nets: dict[str, WhiteBoxVictim]) -> None:
    net, text = nets["cnn"], Text.of("A good film with a qzxv plot")
    known = net.embeddings
    alternatives = made(net, text, words=9, candidates=2, alternatives=200, pos="none", vectors="own")
    found = replacements(text, alternatives)
    assert {text.words[spot] for spot in found} == {"good", "film", "plot"}  # stop words and unknown ones stay
    for spot, words in found.items():
        row = known.row(text.words[spot])
        assert row is not None
        lengths = np.linalg.norm(known.matrix, axis=1)
        cosines = known.matrix @ known.matrix[row] / (lengths * lengths[row])
        letters = [number for number in np.argsort(-cosines) if known.words[number].isalpha() and number != row]
        assert words == {known.words[number] for number in letters[:2]}
    assert str(Fuse(net, FuseSettings(vectors="own"))).startswith("fuse[vectors=own]:")


def test_keep_word_lets_a_word_stay(bert: Transformer) -> None:
    options: dict[str, Any] = {"words": 3, "candidates": 2, "alternatives": 100}
    assert all(len(changed(FILM, [other])) == 3 for other in made(bert, **options))
    stayed = made(bert, keep_word=True, **options)
    assert {len(changed(FILM, [other])) for other in stayed} == {0, 1, 2, 3}


@pytest.mark.parametrize("kind", ["gradient", "logits"])
def test_the_words_with_the_largest_gradients_change(bert: Transformer, kind: str) -> None:
    label = int(bert.confirm([FILM.strings]).values.argmax())
    whole, words = bert.words_of_tokens(FILM)
    if kind == "gradient":
        (found,) = bert.gradients.launch([GradientRequest(FILM, label, of="logit")]).result()
        sizes = np.abs(found.gradient).max(axis=1)
    else:
        sizes = half_square_gradient(bert, whole.tokens)
    stops = stop_words()
    best: dict[int, float] = {}
    for word, size in zip(words, sizes, strict=False):
        if word >= 0 and FILM.words[word].lower() not in stops:
            best[word] = max(best.get(word, 0.0), float(size))
    top = sorted(best, key=lambda spot: -best[spot])[:3]
    assert changed(FILM, made(bert, words=3, pos="none", importance=kind)) == set(top)


def half_square_gradient(bert: Transformer, tokens: list[int]) -> Floats:
    ids = torch.tensor([[*tokens, *bert.encoder.suffix]])
    vectors = bert._model.get_input_embeddings()(ids).detach().requires_grad_()
    (bert._model(inputs_embeds=vectors).logits.square().sum() / 2).backward()
    assert vectors.grad is not None
    return np.asarray(vectors.grad[0].norm(dim=1).numpy())


def test_the_two_kinds_of_importance_differ(bert: Transformer) -> None:
    first, second = (
        [changed(text, made(bert, text, words=1, importance=kind)) for text in TEXTS]
        for kind in ("gradient", "logits")
    )
    assert first != second


def test_a_label_says_whose_gradient_counts(bert: Transformer) -> None:
    (cut,) = bert.in_batches([FILM])
    first, second = (token_importance(bert, bert.embed(cut.batch), cut.batch, [label]) for label in (0, 1))
    assert (first != second).any()
    own = token_importance(bert, bert.embed(cut.batch), cut.batch, None)
    label = int(bert.confirm([FILM.strings]).values.argmax())
    assert (own == (first, second)[label]).all()


def cosines(text: Text, others: list[Text]) -> Floats:
    vectors = sentence_encoder("minilm").encode([str(text), *map(str, others)])
    return np.asarray(np.round(vectors[1:] @ vectors[0], 5), dtype=np.float32)


def test_rank_takes_the_most_similar_of_all_that_are_drawn(bert: Transformer) -> None:
    drawn = made(bert, alternatives=24)
    ranked = made(bert, alternatives=4, multiplier=6, similarity="rank")
    best = np.argsort(-cosines(FILM, drawn), kind="stable")[:4]
    assert [str(text) for text in ranked] == [str(drawn[number]) for number in best]
    assert [str(text) for text in ranked] != [str(text) for text in drawn[:4]]


@pytest.mark.parametrize("multiplier", [1, 2, 8])
def test_filter_takes_the_first_that_are_similar_enough(bert: Transformer, multiplier: int) -> None:
    text = Text.of("great fun for families")
    drawn = made(bert, text, alternatives=6 * multiplier, words=3)
    near = angular(cosines(text, drawn)) >= 0
    assert 0 < near.mean() < 1
    expected = [str(drawn[number]) for number in np.flatnonzero(near)[:6]]
    kept = made(bert, text, alternatives=6, words=3, multiplier=multiplier, similarity="filter")
    assert [str(other) for other in kept] == expected


def test_encoder_says_which_one_is_asked(bert: Transformer, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def found(name: str) -> Any:
        asked.append(name)
        return sentence_encoder("minilm")

    monkeypatch.setattr("unfool.defences.switch.sentence_encoder", found)
    made(bert, similarity="rank", encoder="universal", alternatives=2)
    made(bert, similarity="filter", multiplier=1, alternatives=2)
    made(bert, alternatives=2)
    assert asked == ["universal", "minilm"]


@pytest.mark.parametrize("kind", ["none", "rank", "filter"])
def test_a_batch_gives_what_each_text_gives_by_itself(nets: dict[str, WhiteBoxVictim], kind: Any) -> None:
    texts = [*TEXTS[:3], *NOTHING_TO_CHANGE]
    for name in ("transformer", "lstm", "cnn", "characters"):
        switch = Switch(nets[name], SwitchSettings(similarity=kind, alternatives=3, multiplier=2))
        alone = [switch.alternatives([text], None, 7)[0] for text in texts]
        assert switch.alternatives(texts, None, 7) == alone
        assert switch.alternatives(texts[::-1], None, 7) == alone[::-1]
        assert all(len(made) == 3 for made in alone[:3]) or kind == "filter"
        assert not any(alone[3:])


def test_the_seed_decides_the_draws_but_not_the_words(bert: Transformer) -> None:
    first, again, other = (made(bert, seed=seed, words=2) for seed in (1, 1, 2))
    assert first == again != other
    assert changed(FILM, first) == changed(FILM, other)


def test_only_editable_fields_change(bert: Transformer) -> None:
    for other in made(bert, TEXTS[3], words=9):
        assert other.strings[0] == TEXTS[3].strings[0]
        assert other.strings[1] != TEXTS[3].strings[1]


def test_one_backward_pass_serves_a_batch(bert: Transformer, monkeypatch: pytest.MonkeyPatch) -> None:
    passes: list[int] = []
    plain = bert.logits_of

    def counted(vectors: torch.Tensor, batch: Any) -> torch.Tensor:
        passes.append(len(vectors))
        return plain(vectors, batch)

    monkeypatch.setattr(bert, "logits_of", counted)
    Switch(bert).alternatives(TEXTS[:3])
    assert passes == [3]


def test_words_the_net_does_not_read_stay(bert: Transformer) -> None:
    text = Text.of("film plot " * 60)
    assert max(changed(text, made(bert, text, words=200))) < 47


@pytest.mark.parametrize("wrong", [{"words": 0}, {"candidates": 0}, {"alternatives": -1}, {"multiplier": 0}])
def test_nonsense_is_refused(wrong: dict[str, int]) -> None:
    (name,) = wrong
    with pytest.raises(UserError, match=f"{name}="):
        SwitchSettings(**wrong)  # type: ignore[arg-type]
