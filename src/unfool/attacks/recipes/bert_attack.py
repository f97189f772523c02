"""BERT-Attack (Li et al., 2020): what a masked language model would also read in the place of important words."""

from __future__ import annotations

from itertools import islice, product

from unfool.attacks import attack, refuse_below
from unfool.attacks.parts.climb import climb
from unfool.attacks.parts.masked import content_words
from unfool.attacks.parts.propose import in_case_of
from unfool.attacks.parts.rank import answers_without, importance, ranked
from unfool.engine import Ask
from unfool.lexicon import counter_fitted, stop_words
from unfool.lexicon.masked_model import STAND_IN, Guesses, MaskedModel, masked_model, place_of
from unfool.stats import whole_share
from unfool.text import Sample, Text

_PIECES, _OF_A_PIECE, _COMBINED = 12, 4, 24


@attack(language="English")
async def bert_attack(
    sample: Sample,
    ask: Ask,
    *,
    candidates: int = 48,
    logit: float | None = None,
    cosine: float = 0.4,
    most: float = 0.4,
    model: str = STAND_IN,
) -> Text:
    """Replace important words by what a masked language model would read there, the word itself unmasked.

    A word of several tokens is replaced by combinations of what may stand for each, the likeliest first.

    Args:
        sample: The text and its label.
        ask: The line to the victim.
        candidates: How many of the likeliest tokens are looked at.
        logit: The least logit of a token; ``none`` for any.
        cosine: The least similarity of a new word by counter-fitted vectors, where both words have one.
        most: The share of words that may change.
        model: The masked language model: a folder, a hub id, or ``minilm``, a stand-in trained on first use.
    """
    refuse_below("bert-attack", 1, candidates=candidates)
    text, net = sample.text, masked_model(model)
    spots = content_words(text)
    told = await ask.use(net, [place_of(text, at, word=text.words[at]) for at in spots]) if spots else []
    least = float("-inf") if logit is None else logit
    offers = {
        at: _fitting(text.words[at], _words(net, pieces, candidates, least), cosine)
        for at, pieces in zip(spots, told, strict=True)
    }
    spots = [at for at in spots if offers[at]]
    if not spots:
        return text
    base = (await ask.predict(text))[0]
    matters = importance(base, await answers_without(ask, text, spots), ask, sample.label)
    order = [spots[number] for number in ranked(matters)]
    return (await climb(ask, text, offers, order, most=whole_share(most, len(text.editable)))).text


def _words(net: MaskedModel, pieces: tuple[Guesses, ...], candidates: int, least: float) -> list[str]:
    likely = [[guess for guess in guesses[:candidates] if guess.logit >= least] for guesses in pieces]
    if len(likely) == 1:
        return [guess.word for guess in likely[0] if guess.word is not None]
    combined = product(*([guess.token for guess in guesses[:_OF_A_PIECE]] for guesses in likely[:_PIECES]))
    rows = list(islice(combined, _COMBINED))
    surprise = net.surprise(rows)
    return [net.joined(rows[number]) for number in sorted(range(len(rows)), key=surprise.__getitem__)]


def _fitting(word: str, others: list[str], cosine: float) -> list[str]:
    """Return what is another word, no stop word, and not known to mean something far from it."""
    found = dict[str, None]()
    for other in others:
        near = counter_fitted().cosine(word, other)
        is_word = Text.of(other).words == (other,) and other.lower() not in {
            word.lower(),
            *stop_words("textfooler"),
        }
        if is_word and (near is None or near >= cosine):
            found[in_case_of(word, other)] = None
    return list(found)
