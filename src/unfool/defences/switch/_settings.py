"""SWITCH's settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from unfool.defences._limits import at_least
from unfool.defences.switch._importance import Importance
from unfool.defences.switch._words import PartOfSpeech

Similarity = Literal["none", "rank", "filter"]


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
