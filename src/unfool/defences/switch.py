"""SWITCH: other wordings of a text that keep its class (FireBERT, Mein et al., 2020)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unfool.attacks.parts.constrain import angular
from unfool.defences._random import generator
from unfool.defences._replacements import OwnVectors, PartOfSpeech, Vectors, by_sense
from unfool.engine import Floats, Predictor
from unfool.errors import UserError
from unfool.lexicon import stop_words
from unfool.lexicon.encoders import sentence_encoder
from unfool.settings import at_least
from unfool.text import Text
from unfool.victims import WhiteBoxVictim
from unfool.victims.tokens import TokenBatch

if TYPE_CHECKING:
    import torch

Importance = Literal["gradient", "logits"]
Similarity = Literal["none", "rank", "filter"]

_SHARE_DECIMALS = 5
"""Places of a share of the largest gradient that do not move with the batch's shape."""
_COSINE_DECIMALS = 5


@dataclass(frozen=True, kw_only=True)
class SwitchSettings:
    """How many words change, into what, and how the new texts are chosen.

    The defaults are those FireBERT's authors used on IMDB, without the sentence encoder, which the paper calls
    optional.
    """

    words: int = 3
    """The most important words, of those that can be replaced; all of them change in every alternative."""
    alternatives: int = 12
    """Texts to make of one."""
    candidates: int = 10
    """Replacements a word, the nearest that fit, of its 100 nearest neighbours."""
    importance: Importance = "gradient"
    """``gradient``, the paper's wording: a word's largest absolute gradient of the class's raw output. ``logits``,
    as released: the length of the gradient of half the squared length of all raw outputs."""
    pos: PartOfSpeech = "penn"
    """A replacement keeps the fine ``penn`` tag, as released, the ``universal`` one, or ``none``."""
    vectors: Vectors = "counter-fitted"
    """Whose nearest words are taken: those of the ``counter-fitted`` vectors, as in the paper, or by the net's
    ``own`` ones, where words of several tokens stay as they are."""
    stop_words: bool = True
    """Whether stop words are left alone."""
    keep_word: bool = False
    """Whether the word itself is among its replacements, as released; the paper does not say so."""
    similarity: Similarity = "none"
    """Alternatives are taken as they are drawn (``none``), the most similar first (``rank``), or only with a
    similarity of 1 − arccos(cosine) that is not negative (``filter``)."""
    multiplier: int = 12
    """How many times as many texts are drawn where similarity chooses among them."""
    encoder: Literal["minilm", "universal"] = "minilm"
    """The sentence encoder that tells similarity."""

    def __post_init__(self) -> None:
        """Refuse what makes no sense."""
        at_least(1, words=self.words, candidates=self.candidates, multiplier=self.multiplier)
        at_least(0, alternatives=self.alternatives)


class _Drawn(NamedTuple):
    """Alternatives of a text before they are written out: for each, which choice every position takes."""

    text: Text
    positions: list[int]
    choices: list[tuple[str, ...]]
    picks: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.picks)

    def write(self, number: int) -> Text:
        chosen = zip(self.choices, self.picks[number].tolist(), strict=True)
        return self.text.replace_several(self.positions, [words[pick] for words, pick in chosen])


class Switch:
    """Makes alternatives of texts: their most important words replaced by near ones at random.

    Args:
        victim: What tells the important words by its gradients: a net, or a defence around one.
        settings: How many words change, into what, and how the new texts are chosen.
    """

    def __init__(self, victim: Predictor, settings: SwitchSettings | None = None) -> None:
        self._net, self.settings = net_of(victim), settings or SwitchSettings()

    def __repr__(self) -> str:
        return f"Switch({self._net!r}, {self.settings!r})"

    def alternatives(
        self, texts: Sequence[Text], labels: Sequence[int] | None = None, seed: int = 0
    ) -> list[list[Text]]:
        """Return alternatives of each text, made of that text and the seed alone.

        There are as many as the settings say, or fewer where similarity refuses them; none of a text without a
        word to replace. Only editable words change.

        Args:
            texts: The texts, any number; one backward pass serves as many as fit into a batch.
            labels: The class by which importance is measured; the net's own answers if None.
            seed: Decides every draw.
        """
        return self.reworded(texts, self.orders(texts, labels), seed)

    def orders(self, texts: Sequence[Text], labels: Sequence[int] | None = None) -> list[list[int]]:
        """Return the positions of each text's words that may change, the most important first.

        They depend on the net alone, so they are needed once, however often alternatives are made.
        """
        scores = word_importance(self._net, texts, labels, self.settings.importance)
        return [
            sorted((at for at in text.editable if at in found), key=lambda at: -found[at])
            for text, found in zip(texts, scores, strict=True)
        ]

    def reworded(self, texts: Sequence[Text], orders: Sequence[Sequence[int]], seed: int = 0) -> list[list[Text]]:
        """Return `alternatives` of texts whose important words are known from `orders`."""
        settings = self.settings
        drawn = [self._draw(text, order, seed) for text, order in zip(texts, orders, strict=True)]
        if settings.similarity == "rank":
            return self._most_similar(drawn)
        if settings.similarity == "filter":
            return self._similar_enough(drawn)
        return [[each.write(number) for number in range(len(each))] for each in drawn]

    def _draw(self, text: Text, order: Sequence[int], seed: int) -> _Drawn:
        settings = self.settings
        left_alone = stop_words("textfooler") if settings.stop_words else frozenset[str]()
        opening = {field.start for field in text.fields}
        chosen: dict[int, tuple[str, ...]] = {}
        for position in order:
            if len(chosen) == settings.words:
                break
            word = text.words[position]
            if word.lower() in left_alone:
                continue
            words = self._replacements(word, position in opening, settings.candidates, settings.pos)
            if words:
                chosen[position] = (*words, word) if settings.keep_word else words
        count = settings.alternatives * (1 if settings.similarity == "none" else settings.multiplier)
        sizes = np.array([len(words) for words in chosen.values()], dtype=np.int64)
        uniform = generator(seed, text.strings).random((count if chosen else 0, len(chosen)))
        return _Drawn(text, list(chosen), list(chosen.values()), (uniform * sizes).astype(np.int64))

    @cached_property
    def _replacements(self) -> Callable[[str, bool, int, PartOfSpeech], tuple[str, ...]]:
        if self.settings.vectors == "own":
            return OwnVectors(self._net.embeddings).replacements
        return by_sense

    def _most_similar(self, drawn: Sequence[_Drawn]) -> list[list[Text]]:
        written = [[each.write(number) for number in range(len(each))] for each in drawn]
        found = self._cosines([each.text for each in drawn], written)
        best = [np.argsort(-cosines, kind="stable")[: self.settings.alternatives] for cosines in found]
        return [[made[number] for number in order.tolist()] for made, order in zip(written, best, strict=True)]

    def _similar_enough(self, drawn: Sequence[_Drawn]) -> list[list[Text]]:
        """Keep the first that are similar enough; no more are encoded than it takes to find them."""
        kept: list[list[Text]] = [[] for _ in drawn]
        looked_at = [0] * len(drawn)
        while True:
            written: list[list[Text]] = []
            for number, each in enumerate(drawn):
                start = looked_at[number]
                stop = min(start + self.settings.alternatives - len(kept[number]), len(each))
                written.append([each.write(draw) for draw in range(start, stop)])
                looked_at[number] = stop
            if not any(written):
                return kept
            found = self._cosines([each.text for each in drawn], written)
            for keep, made, cosines in zip(kept, written, found, strict=True):
                keep += [text for text, near in zip(made, angular(cosines) >= 0, strict=True) if near]

    def _cosines(self, texts: Sequence[Text], made: Sequence[Sequence[Text]]) -> list[Floats]:
        """Return how similar each text's alternatives are to it, all encoded in one go and each string once."""
        strings = [[_joined(text), *map(_joined, others)] for text, others in zip(texts, made, strict=True)]
        rows = {string: row for row, string in enumerate(dict.fromkeys(s for some in strings for s in some))}
        vectors = sentence_encoder(self.settings.encoder).encode(list(rows))
        found: list[Floats] = []
        for first, *others in strings:
            cosines = vectors[[rows[string] for string in others]] @ vectors[rows[first]]
            found.append(np.round(cosines, _COSINE_DECIMALS))
        return found


def _joined(text: Text) -> str:
    return " ".join(text.strings)


def net_of(victim: Predictor) -> WhiteBoxVictim:
    """Return a victim that is a net, or the net a defence stands around.

    Raises:
        UserError: It has none to look into.
    """
    net = getattr(victim, "net", victim)
    if not isinstance(net, WhiteBoxVictim):
        raise UserError(
            f"{victim!r} gives no gradients, and these tell which words are important; "
            "use a neural victim (hf:… or zoo:…)"
        )
    return net


def token_importance(
    net: WhiteBoxVictim,
    vectors: torch.Tensor,
    batch: TokenBatch,
    labels: Sequence[int] | None,
    kind: Importance = "gradient",
) -> Floats:
    """Return how much each token matters, [texts, tokens], as a share of the most important one of its text.

    It matters to the class in ``labels``, or to the net's own answer if there is none; the kind ``logits`` looks at
    no class.
    """
    import torch

    leaves = vectors.detach().requires_grad_()
    with net.differentiable():
        logits = net.logits_of(leaves, batch)
        if kind == "logits":
            (gradient,) = torch.autograd.grad(logits.square().sum() / 2, leaves)
        else:
            chosen = logits.argmax(1) if labels is None else torch.tensor(list(labels), device=logits.device)
            (gradient,) = torch.autograd.grad(logits.gather(1, chosen[:, None]).sum(), leaves)
    size = gradient.norm(dim=2) if kind == "logits" else gradient.abs().amax(2)
    shares = size / size.amax(1, keepdim=True).clamp_min(torch.finfo(size.dtype).tiny)
    return np.round(shares.cpu().numpy(), _SHARE_DECIMALS)


def word_importance(
    net: WhiteBoxVictim, texts: Sequence[Text], labels: Sequence[int] | None, kind: Importance
) -> list[dict[int, float]]:
    """Return how much each word matters, by position: as much as the token of it that matters most.

    Words that the net does not read, behind its longest length, are not in it.
    """
    found: list[dict[int, float]] = [{} for _ in texts]
    for cut in net.in_batches(texts, net.backward_share):
        asked = None if labels is None else [labels[number] for number in cut.numbers]
        shares = token_importance(net, net.embed(cut.batch), cut.batch, asked, kind)
        for number, words, row in zip(cut.numbers, cut.words, shares, strict=True):
            scores = found[number]
            for word, share in zip(words.tolist(), row.tolist(), strict=False):  # the row is padded
                if word >= 0:
                    scores[word] = max(share, scores.get(word, 0.0))
    return found
