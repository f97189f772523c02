"""Adversarial training with HotFlip (Ebrahimi et al., 2018): the flips that one backward pass says hurt most."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from unfool.defences.harden._method import Plan, Training, method
from unfool.errors import UserError
from unfool.lexicon import counter_fitted
from unfool.training import LabelledBatch, Place
from unfool.victims import CharacterReader, Spells, WhiteBoxVictim
from unfool.victims.tokens import TokenBatch

if TYPE_CHECKING:
    import torch
    from torch import Tensor

_SCORES_AT_ONCE = 1 << 25
_LONGEST = 64
"""Characters by whose order words are told apart; those behind them count in any order."""


@method
def hotflip(
    training: Training, *, share: float = 0.2, not_in_vocabulary: bool = True, similarity: float = 0.8
) -> Plan:
    """Beside each text, train on a copy with its worst flips, all made at once from the text's own gradients.

    The gradients that choose the flips are those of the training step, so a copy costs one more pass and no search.
    As in the paper, only characters are flipped where the net reads characters. A net of words flips words that are
    one token each, to such words near enough.

    Args:
        training: What there is to train with.
        share: How many of a text's characters, or words, are flipped, at least one.
        not_in_vocabulary: Whether a word whose flips would make it a word the net knows stays as it is, by the rule
            of the attack; a net of words has no use for it.
        similarity: The least cosine between the vectors of a word and of what it is flipped to; a net of characters
            has no use for it.
    """
    import torch

    if not 0 < share <= 1:
        raise UserError(f"the method 'hotflip' cannot take share={share}; it takes a share over 0 and up to 1")
    net = training.net
    flippable, targets = _flips(net.victim)
    table = net.victim.table.detach()
    known: KnownWords | None = None
    least: float | None = similarity
    if isinstance(net.victim, Spells):  # nets of characters
        least = None
        # Common words, if the net keeps none.
        words = net.victim.vocabulary or counter_fitted().words
        known = KnownWords(words, net.victim.characters, len(table), net.device) if not_in_vocabulary else None
    flips = torch.zeros(2, dtype=torch.long, device=net.device)  # made, and places for them

    def losses(batch: LabelledBatch, place: Place) -> Iterator[Tensor]:
        vectors = net.watched(batch.tokens)
        yield torch.nn.functional.cross_entropy(net.logits_of(vectors, batch.tokens), batch.labels) / 2
        assert vectors.grad is not None
        flipped = worst_flips(batch.tokens, vectors.grad, table, flippable, targets, share, least)
        if known:
            flipped = flipped._replace(ids=torch.where(known.within(flipped.ids), batch.tokens.ids, flipped.ids))
        places = torch.isin(batch.tokens.ids, flippable) & batch.tokens.mask
        flips.add_(torch.stack([(flipped.ids != batch.tokens.ids).sum(), places.sum()]))
        yield torch.nn.functional.cross_entropy(net.logits(flipped), batch.labels) / 2

    def figures() -> dict[str, float]:
        made, places = flips.tolist()
        return {"flipped": made / places} if places else {}

    return Plan(losses, figures=figures)


def _flips(net: WhiteBoxVictim) -> tuple[Tensor, Tensor]:
    """Return the tokens that may be flipped and those they may become: letters, or words that are one token."""
    import torch

    if isinstance(net, Spells):
        reader = net.characters
        from_ids = [i for letter, i in zip(reader.letters, reader.letter_ids, strict=True) if letter.isalnum()]
        return (
            torch.tensor(np.array(from_ids), device=net.device),
            torch.tensor(reader.letter_ids, device=net.device),
        )
    encoder = net.encoder
    (unknown,) = encoder.pieces([encoder.lead + net.unknown])
    pieces = encoder.pieces([encoder.lead + word for word in net.vocabulary if word.isalpha()])
    ids = sorted({tokens[0] for tokens in pieces if len(tokens) == 1 and tokens != unknown})
    known = torch.tensor(ids, device=net.device)
    return known, known


def worst_flips(
    tokens: TokenBatch,
    gradient: Tensor,
    table: Tensor,
    flippable: Tensor,
    targets: Tensor,
    share: float,
    least: float | None,
) -> TokenBatch:
    """Return the batch with the best flips of each row; see `hotflip`."""
    import torch

    spots = torch.isin(tokens.ids, flippable) & tokens.mask
    where = spots.nonzero(as_tuple=True)
    gains, choices = _best_flips(gradient[where], tokens.ids[where], table, targets, least)
    best = torch.full(tokens.ids.shape, -torch.inf, device=gradient.device)
    best[where] = gains
    new = tokens.ids.clone()
    new[where] = choices
    count = (share * spots.sum(1)).long().clamp(min=1)
    ranks = best.argsort(dim=1, descending=True, stable=True).argsort(dim=1)
    chosen = (ranks < count[:, None]) & (best > 0)
    return tokens._replace(ids=torch.where(chosen, new, tokens.ids))


def _best_flips(
    gradients: Tensor, ids: Tensor, table: Tensor, targets: Tensor, least: float | None
) -> tuple[Tensor, Tensor]:
    """Return for each token how much its best flip is estimated to raise the loss, and what it would become."""
    import torch

    others = table[targets]
    directions = torch.nn.functional.normalize(others, dim=1)
    gains, choices = [gradients.new_empty(0)], [ids.new_empty(0)]
    size = max(1, _SCORES_AT_ONCE // len(targets))
    for start in range(0, len(ids), size):
        slope, some = gradients[start : start + size], ids[start : start + size]
        own = table[some]
        scores = slope @ others.T - (slope * own).sum(1, keepdim=True)
        scores[some[:, None] == targets] = -torch.inf
        if least is not None:
            scores[torch.nn.functional.normalize(own, dim=1) @ directions.T < least] = -torch.inf
        gain, place = scores.max(1)
        gains.append(gain)
        choices.append(targets[place])
    return torch.cat(gains), torch.cat(choices)


class KnownWords:
    """A vocabulary in a net's own characters; words are told apart by sums of 64 bits, in any case.

    Args:
        words: The vocabulary.
        reader: The net's alphabet.
        tokens: How many tokens the net has.
        device: Where its batches are.
    """

    def __init__(self, words: Iterable[str], reader: CharacterReader, tokens: int, device: torch.device) -> None:
        import torch

        known = zip(reader.letters, reader.letter_ids.tolist(), strict=True)
        letters: dict[str, int] = {letter: token for letter, token in known if letter.isalnum() or letter == "_"}
        lower = np.zeros(tokens, dtype=np.int64)
        for letter, token in letters.items():
            lower[token] = letters.get(letter.lower(), token)
        weights = np.random.default_rng(0).integers(1, 2**62, size=_LONGEST)
        sums = {
            int(np.sum(lower[[letters[c] for c in word]] * weights[np.minimum(np.arange(len(word)), _LONGEST - 1)]))
            for word in map(str.lower, words)
            if word and all(letter in letters for letter in word)
        }
        self._lower = torch.tensor(lower, device=device)
        """A token's lower case; 0 for what is part of no word."""
        self._weights = torch.tensor(weights, device=device)
        self._sums = torch.tensor(sorted(sums), dtype=torch.int64, device=device)

    def within(self, ids: torch.Tensor) -> torch.Tensor:
        """Return for each token whether the word it is part of is known."""
        import torch

        lower = self._lower[ids]
        inside = lower > 0
        words = (~inside).long().cumsum(1)
        at = torch.arange(ids.shape[1], device=ids.device).expand_as(ids)
        before = torch.where(inside, -1, at).cummax(1).values
        places = (at - before - 1).clamp(0, _LONGEST - 1)
        sums = torch.zeros((ids.shape[0], ids.shape[1] + 1), dtype=torch.int64, device=ids.device)
        sums.scatter_add_(1, words, torch.where(inside, lower * self._weights[places], 0))
        return torch.isin(sums, self._sums).gather(1, words) & inside
